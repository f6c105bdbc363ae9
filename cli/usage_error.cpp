#include "cli/usage_error.h"

#include "core/text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace warptune::cli {
namespace {

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_group().empty() ? std::vector<std::string>() : option->get_lnames())
      names.push_back("--" + name);
  return names;
}

// A question ends its sentence.
std::string with_help(const std::string& text, const std::string& help) {
  return text.ends_with('?') ? fmt::format("{} See {}", text, help) : fmt::format("{}; see {}", text, help);
}

// CLI11 says "Could not convert: --seed = abc".
std::string conversion_sentence(const CLI::App& owner, const std::string& text) {
  const std::size_t colon = text.find(": "), equals = text.find(" = ");
  if (colon == std::string::npos || equals == std::string::npos || equals < colon) return text;
  const std::string name = text.substr(colon + 2, equals - colon - 2);
  const CLI::Option* option = owner.get_option_no_throw(name);
  if (option != nullptr && option->get_expected_min() == 0) return name + " takes no value";
  return fmt::format("{} must be a whole number of at least 0, not {}", name, quote(text.substr(equals + 3)));
}

std::string sentence(const CLI::App& app, const CLI::App* command, const CLI::ParseError& error) {
  const std::string text = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const auto extras = app.remaining(true);
    const std::string word = extras.empty() ? std::string() : extras.front();
    if (command == nullptr && word.rfind('-', 0) != 0)
      return fmt::format("there is no command {}{}", quote(word), suggest_name(word, command_names(app)));
    const CLI::App& owner = command == nullptr ? app : *command;
    const std::string name = command == nullptr ? "warptune" : command->get_name();
    if (word.rfind('-', 0) == 0) {
      const std::string option = word.substr(0, word.find('='));
      const std::string nearest = nearest_name(option, option_names(owner));
      return fmt::format("{} has no option {}{}", name, quote(option),
                         nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest));
    }
    return fmt::format("{} does not take {}; quote values that contain spaces", name, quote(word));
  }
  const std::string name = command == nullptr ? "warptune" : command->get_name();
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    const std::size_t end = text.find(" is required");
    if (end == std::string::npos) return text;
    const std::string missing = text.substr(0, end);
    const CLI::Option* option = command == nullptr ? nullptr : command->get_option_no_throw(missing);
    const std::string what = option == nullptr ? std::string() : option->get_description();
    return fmt::format("{} needs {}{}", name, missing, what.empty() ? "" : " (" + what + ")");
  }
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr)
    return conversion_sentence(command == nullptr ? app : *command, text);
  if (dynamic_cast<const CLI::ValidationError*>(&error) != nullptr) { // "--limit: takes ...", command.cpp
    const std::size_t colon = text.find(": ");
    if (colon != std::string::npos) return text.substr(0, colon) + text.substr(colon + 1);
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const std::string option = text.substr(0, text.find(':')); // "--shape: 1 required TEXT missing"
    if (option.empty() && name == "pack")                      // a former name, which CLI11 does not say
      return "name a pack: pack list FILE, pack check FILE or pack diff A B";
    const CLI::Option* known = command == nullptr ? nullptr : command->get_option_no_throw(option);
    const int values = known == nullptr ? 1 : known->get_items_expected_min();
    return values > 1 ? fmt::format("{} needs {} values", option, values) : fmt::format("{} needs one value", option);
  }
  return quote(text);
}

} // namespace

std::optional<Error> unknown_command(const CLI::App& app, const std::vector<std::string>& args) {
  if (args.empty() || args.front().starts_with('-')) return std::nullopt;
  for (const CLI::App* command : app.get_subcommands({}))
    if (command->check_name(args.front())) return std::nullopt; // by a former name, too
  return Error{ErrorKind::bad_input, with_help(fmt::format("there is no command {}{}", quote(args.front()),
                                                           suggest_name(args.front(), command_names(app))),
                                               "warptune --help")};
}

Error usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const auto chosen = app.get_subcommands();
  const CLI::App* command = chosen.empty() ? nullptr : chosen.back();
  const std::string help =
      command == nullptr ? "warptune --help" : fmt::format("warptune {} --help", command->get_name());
  return {ErrorKind::bad_input, with_help(sentence(app, command, error), help)};
}

Error missing_command(const CLI::App& app) {
  return {ErrorKind::bad_input,
          fmt::format("name a command: {}; see warptune --help", join_choices(command_names(app)))};
}

} // namespace warptune::cli
