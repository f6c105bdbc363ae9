#include "cli/options.h"

#include "cli/help_format.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>
#include <utility>

namespace warptune::cli {
namespace {

class HelpFormat : public CLI::Formatter {
 public:
  HelpFormat() { column_width(kHelpColumn); }

  std::string make_option_desc(const CLI::Option* option) const override {
    return wrapped_help(Formatter::make_option_desc(option));
  }
  // Omits the excluded options: an error reports them when both are given.
  std::string make_option_opts(const CLI::Option* option) const override {
    const std::string text = Formatter::make_option_opts(option);
    return text.substr(0, text.find(" " + get_label("Excludes") + ":"));
  }

  // CLI11 would write "[PACK(0x)]".
  std::string make_option_usage(const CLI::Option* option) const override {
    if (option->get_expected_max() <= 1) return Formatter::make_option_usage(option);
    const std::string name = make_option_name(option, true) + "...";
    return option->get_required() ? name : "[" + name + "]";
  }

  // CLI11 leaves an empty line for hidden options.
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    std::string text = Formatter::make_help(app, std::move(name), mode);
    if (const std::size_t gap = text.find("\n\n\n"); gap != std::string::npos) text.erase(gap, 1);
    return text;
  }

  std::string make_subcommand(const CLI::App* command) const override {
    std::ostringstream out;
    CLI::detail::format_help(out, command->get_name(), wrapped_help(command->get_description()), kHelpColumn);
    return out.str();
  }
};

Command::Complaint::Kind kind_of(const CLI::ParseError& error) {
  using Kind = Command::Complaint::Kind;
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) return Kind::left_over;
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) return Kind::missing;
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) return Kind::no_number;
  if (dynamic_cast<const CLI::ValidationError*>(&error) != nullptr) return Kind::refused;
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) return Kind::too_few;
  return Kind::other;
}

} // namespace

Option* Option::required(bool needed) {
  option_->required(needed);
  return this;
}

Option* Option::description(const std::string& text) {
  option_->description(text);
  return this;
}

Option* Option::type_name(const std::string& name) {
  option_->type_name(name);
  return this;
}

Option* Option::option_text(const std::string& text) {
  option_->option_text(text);
  return this;
}

Option* Option::group(const std::string& name) {
  option_->group(name);
  return this;
}

Option* Option::expected(int values) {
  option_->expected(values);
  return this;
}

Option* Option::expected(int low, int high) {
  option_->expected(low, high);
  return this;
}

Option* Option::allow_extra_args(bool allowed) {
  option_->allow_extra_args(allowed);
  return this;
}

Option* Option::delimiter(char between) {
  option_->delimiter(between);
  return this;
}

Option* Option::default_str(const std::string& text) {
  option_->default_str(text);
  return this;
}

Option* Option::capture_default_str() {
  option_->capture_default_str();
  return this;
}

Option* Option::excludes(Option* other) {
  option_->excludes(other->option_);
  return this;
}

Option* Option::check(Check check) {
  option_->check(CLI::Validator([check = std::move(check)](const std::string& value) { return check(value); }, ""));
  return this;
}

Option* Option::one_of(std::initializer_list<int> values) {
  option_->check(CLI::IsMember(values));
  return this;
}

std::vector<std::string> Option::short_names() const { return option_->get_snames(); }
std::vector<std::string> Option::long_names() const { return option_->get_lnames(); }
std::string Option::positional_name() const { return option_->get_name(true); }
std::string Option::value_name() const { return option_->get_type_name(); }
std::string Option::text() const { return option_->get_description(); }
bool Option::is_hidden() const { return option_->get_group().empty(); }
bool Option::is_required() const { return option_->get_required(); }
int Option::values_min() const { return option_->get_items_expected_min(); }
int Option::values_max() const { return option_->get_items_expected_max(); }
bool Option::takes_none() const { return option_->get_expected_min() == 0; }
std::vector<std::string> Option::values() const { return option_->results(); }

Command::Command(const char* name, const char* description) : app_(std::make_shared<CLI::App>(description)) {
  app_->name(name);
  app_->require_subcommand(0, 1);
  app_->formatter(std::make_shared<HelpFormat>());
}

Option* Command::keep(CLI::Option* option) { return &options_.emplace_back(option); }

Option* Command::add_option(const char* names, std::string& value, const std::string& help) {
  return keep(app_->add_option(names, value, help));
}

Option* Command::add_option(const char* names, std::filesystem::path& value, const std::string& help) {
  return keep(app_->add_option(names, value, help));
}

Option* Command::add_option(const char* names, std::vector<std::int64_t>& values, const std::string& help) {
  return keep(app_->add_option(names, values, help));
}

Option* Command::add_option(const char* names, std::vector<std::string>& values, const std::string& help) {
  return keep(app_->add_option(names, values, help));
}

Option* Command::add_option(const char* names, int& value, const std::string& help) {
  return keep(app_->add_option(names, value, help));
}

Option* Command::add_option(const char* names, std::int64_t& value, const std::string& help) {
  return keep(app_->add_option(names, value, help));
}

Option* Command::add_option(const char* names, std::uint64_t& value, const std::string& help) {
  return keep(app_->add_option(names, value, help));
}

Option* Command::add_flag(const char* names, bool& value, const std::string& help) {
  return keep(app_->add_flag(names, value, help));
}

Option* Command::get_option(const char* name) { return keep(app_->get_option(name)); }
void Command::alias(const char* name) { app_->alias(name); }
void Command::footer(const std::string& text) { app_->footer(text); }
void Command::callback(std::function<void()> chosen) { app_->callback(std::move(chosen)); }

Command* Command::add_command(const char* name, const char* summary) {
  return &commands_.emplace_back(app_->get_subcommand_ptr(app_->add_subcommand(name, summary)));
}

void Command::add_version_flag(const char* names, const std::string& version, const char* help) {
  app_->set_version_flag(names, version, help);
}

std::string Command::name() const { return app_->get_name(); }
std::string Command::summary() const { return app_->get_description(); }
std::string Command::text() const { return app_->get_footer(); }
bool Command::is_called(const std::string& word) const { return app_->check_name(word); }

std::vector<Option> Command::options() const {
  std::vector<Option> options;
  for (CLI::Option* option : app_->get_options({})) options.emplace_back(option);
  return options;
}

std::optional<Option> Command::find(const std::string& name) const {
  CLI::Option* option = app_->get_option_no_throw(name);
  return option == nullptr ? std::nullopt : std::optional(Option(option));
}

const Command* Command::chosen() const {
  const auto chosen = app_->get_subcommands();
  for (const Command& command : commands_)
    if (!chosen.empty() && command.app_.get() == chosen.back()) return &command;
  return nullptr;
}

std::vector<std::string> Command::left_over() const { return app_->remaining(true); }
std::string Command::help() const { return app_->help(); }

Command::End Command::parse(std::vector<std::string> words, Complaint& complaint) {
  std::reverse(words.begin(), words.end()); // CLI11 takes the last word first
  try {
    app_->parse(words);
  } catch (const CLI::CallForVersion&) {
    return End::version;
  } catch (const CLI::CallForHelp&) {
    return End::help;
  } catch (const CLI::ParseError& error) {
    complaint = {kind_of(error), error.what()};
    return End::complaint;
  }
  return End::parsed;
}

} // namespace warptune::cli
