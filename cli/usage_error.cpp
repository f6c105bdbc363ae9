#include "cli/usage_error.h"

#include "core/shell_words.h"
#include "core/text.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <string_view>

namespace warptune::cli {
namespace {

std::vector<std::string> command_names(const Command& app) {
  std::vector<std::string> names;
  for (const Command& command : app.commands()) names.push_back(command.name());
  return names;
}

std::vector<std::string> option_names(const Command& command) {
  std::vector<std::string> names;
  for (const Option& option : command.options())
    for (const std::string& name : option.is_hidden() ? std::vector<std::string>() : option.long_names())
      names.push_back("--" + name);
  return names;
}

std::string with_help(const std::string& text, const std::string& help) { return with_advice(text, "see " + help); }

// CLI11 says "Could not convert: --seed = abc".
std::string conversion_sentence(const Command& owner, const std::string& text) {
  const std::size_t colon = text.find(": "), equals = text.find(" = ");
  if (colon == std::string::npos || equals == std::string::npos || equals < colon) return text;
  const std::string name = text.substr(colon + 2, equals - colon - 2);
  const auto option = owner.find(name);
  if (option && option->takes_none()) return name + " takes no value";
  return fmt::format("{} must be a whole number of at least 0, not {}", name, quote(text.substr(equals + 3)));
}

// "--align: 3 not in {1,2,4}", as CLI11 says it.
std::string choice_sentence(const std::string& text) {
  constexpr std::string_view kNotIn = " not in {";
  const std::size_t colon = text.find(": "), at = text.find(kNotIn), end = text.rfind('}');
  if (colon == std::string::npos || at == std::string::npos || end == std::string::npos || at < colon || end < at)
    return {};
  const std::size_t first = at + kNotIn.size();
  const auto choices = split(std::string_view(text).substr(first, end - first), ','); // views of `text`, not of a copy
  return fmt::format("{} takes {}, not {}", text.substr(0, colon),
                     join_choices(std::vector<std::string>(choices.begin(), choices.end())),
                     quote(text.substr(colon + 2, at - colon - 2)));
}

// Whether the word follows the value of an option, so that it may be the rest of this value.
bool follows_a_value(const Command& command, const std::vector<std::string>& args, const std::string& word) {
  const auto last = std::find(args.rbegin(), args.rend(), word);
  const auto before = static_cast<std::size_t>(args.rend() - last); // one more than the word's place
  if (before < 2) return false;
  const std::string& previous = args[before - 2];
  if (previous.starts_with("--") && previous.find('=') != std::string::npos) return true;
  const auto option = before < 3 || previous.starts_with('-') ? std::nullopt : command.find(args[before - 3]);
  return option && !option->takes_none();
}

// A word that no option takes: the dims of a problem or a kernel without their option, or part of a value.
std::string left_over_sentence(const Command& command, const std::vector<std::string>& args, const std::string& word) {
  const std::string refusal = fmt::format("{} does not take {}", command.name(), quote(word));
  if (word.find('=') != std::string::npos && command.find("--shape"))
    return refusal + "; write dims as --shape NAME=N,NAME=N without spaces";
  if (command.find("--kernel"))
    return fmt::format("{}; to select the results of one kernel, use --kernel {}", refusal, word);
  const auto at = static_cast<std::size_t>(std::find(args.begin(), args.end(), word) - args.begin());
  const auto owner = at > 1 ? command.find(args[at - 2]) : std::nullopt;
  const bool is_value = owner && !owner->takes_none(); // the word before
  if (is_value && args[at - 1].starts_with("--") && !command.find(args[at - 1]))
    return fmt::format("{}; write {}={}={}", refusal, args[at - 2], args[at - 1], word);
  if (at > 0 && !is_value && !args[at - 1].starts_with('-') && command.find("--" + args[at - 1]))
    return fmt::format("{}; did you mean --{} {}?", refusal, args[at - 1], word);
  if (command.find("KERNEL") && !follows_a_value(command, args, word))
    return refusal + ", because only one kernel can be given";
  return refusal + "; quote values that contain spaces";
}

// Fits the description of an option into a sentence: its first word begins with a small letter, unless it is part of a
// name such as "Kernel Tuner".
std::string within_sentence(std::string text) {
  const bool is_word = text.size() > 1 && (std::islower(static_cast<unsigned char>(text[1])) != 0 || text[1] == ' ');
  const std::size_t space = text.find(' ');
  const bool is_name = space != std::string::npos && space > 1 && space + 1 < text.size() &&
                       std::isupper(static_cast<unsigned char>(text[space + 1])) != 0;
  if (is_word && !is_name) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

// CLI11 says "--dtype: At Most 1 required but received 2", or "--shape: 1 required TEXT missing".
std::string count_sentence(const Command* command, const std::string& name, const std::string& text) {
  const std::string option = text.substr(0, text.find(':'));
  if (option.empty() && name == "pack") // a former option, which CLI11 does not name
    return "name a pack: `pack list FILE`, `pack check FILE` or `pack diff A B`";
  if (text.find(": At Most 1 ") != std::string::npos)
    return option.starts_with('-') ? fmt::format("{} is given more than once; give it once", option)
                                   : fmt::format("{} takes only one {}", name, option);
  const auto known = command == nullptr ? std::nullopt : command->find(option);
  const int values = known ? known->values_min() : 1;
  return values > 1 ? fmt::format("{} needs {} values", option, values) : fmt::format("{} needs one value", option);
}

std::string sentence(const Command& app, const Command* command, const std::vector<std::string>& args,
                     const Command::Complaint& complaint) {
  using Kind = Command::Complaint::Kind;
  const std::string& text = complaint.text;
  const std::vector<std::string> extras = app.left_over();
  const auto unknown_option =
      std::find_if(extras.begin(), extras.end(), [](const std::string& word) { return word.starts_with('-'); });
  // An unknown option comes before a missing word: it may be the reason why the word is missing.
  if (complaint.kind == Kind::left_over || (complaint.kind == Kind::missing && unknown_option != extras.end())) {
    const std::string word = extras.empty()                      ? std::string()
                             : complaint.kind == Kind::left_over ? extras.front()
                                                                 : *unknown_option;
    if (command == nullptr && word.rfind('-', 0) != 0)
      return fmt::format("there is no command {}{}", quote(word), suggest_name(word, command_names(app)));
    const Command& owner = command == nullptr ? app : *command;
    const std::string name = command == nullptr ? "warptune" : command->name();
    if (word.rfind('-', 0) == 0) {
      const std::string option = word.substr(0, word.find('='));
      if (option == "--kernel" && command != nullptr && command->find("KERNEL"))
        return fmt::format("{} has no option {}; write the kernel after the command: warptune {} KERNEL", name,
                           quote(option), name);
      const std::string nearest = nearest_name(option, option_names(owner));
      if (!nearest.empty()) return fmt::format("{} has no option {}; did you mean {}?", name, quote(option), nearest);
      if (std::find(args.begin(), args.end(), "--slurm") != args.end() && owner.find("--sbatch-option"))
        return fmt::format("{} has no option {}; if it is an option of sbatch, write --sbatch-option={}", name,
                           quote(option),
                           word.find('=') != std::string::npos ? word
                           : word.starts_with("--")            ? option + "=VALUE"
                                                               : option.substr(0, 2) + "VALUE");
      if (option.starts_with("--") && owner.find("--set"))
        return fmt::format("{} has no option {}; if it is a flag of the kernel, write --set {}=VALUE", name,
                           quote(option), option.substr(2));
      return fmt::format("{} has no option {}", name, quote(option));
    }
    return left_over_sentence(owner, args, word);
  }
  const std::string name = command == nullptr ? "warptune" : command->name();
  if (complaint.kind == Kind::missing) {
    const std::size_t end = text.find(" is required");
    if (end == std::string::npos) return text;
    const std::string missing = text.substr(0, end);
    const auto option = command == nullptr ? std::nullopt : command->find(missing);
    const std::string what = option ? option->text() : std::string();
    return fmt::format("{} needs {}{}", name, missing, what.empty() ? "" : " (" + within_sentence(what) + ")");
  }
  if (complaint.kind == Kind::no_number) return conversion_sentence(command == nullptr ? app : *command, text);
  if (complaint.kind == Kind::refused) { // such as "--limit: takes ...", from command.cpp
    if (std::string choice = choice_sentence(text); !choice.empty()) return choice;
    const std::size_t colon = text.find(": ");
    if (colon != std::string::npos) return text.substr(0, colon) + text.substr(colon + 1);
  }
  if (complaint.kind == Kind::too_few) return count_sentence(command, name, text);
  return quote(text);
}

} // namespace

std::optional<Error> unknown_command(const Command& app, const std::vector<std::string>& args) {
  if (args.empty() || args.front().starts_with('-')) return std::nullopt;
  for (const Command& command : app.commands())
    if (command.is_called(args.front())) return std::nullopt; // also by a former name
  std::vector<std::string> owners;                            // "status" is an option of `sweep`
  for (const Command& command : app.commands())
    if (command.find("--" + args.front())) owners.push_back(command.name());
  if (owners.size() == 1)
    return Error{ErrorKind::bad_input, with_help(fmt::format("there is no command {}; did you mean `warptune {} --{}`?",
                                                             quote(args.front()), owners.front(), args.front()),
                                                 fmt::format("warptune {} --help", owners.front()))};
  return Error{ErrorKind::bad_input, with_help(fmt::format("there is no command {}{}", quote(args.front()),
                                                           suggest_name(args.front(), command_names(app))),
                                               "warptune --help")};
}

std::optional<Error> misplaced_option(const Command& app, const std::vector<std::string>& words) {
  if (words.size() < 3 || !words[1].starts_with('-') || words[1].size() < 2) return std::nullopt;
  const std::string name = words[1].substr(0, words[1].find('='));
  if (app.find(name)) return std::nullopt; // "warptune --help"
  for (std::size_t at = 2; at < words.size() && words[at - 1] != "--"; ++at)
    for (const Command& command : app.commands()) {
      const auto option = command.is_called(words[at]) ? command.find(name) : std::nullopt;
      if (!option || (at == 2 && name == words[1] && !option->takes_none())) continue; // the word is the option's value
      std::vector<std::string> right = {words[0].substr(words[0].rfind('/') + 1)};
      right.insert(right.end(), words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
      right.insert(std::find(right.begin(), right.end(), "--"), words.begin() + 1,
                   words.begin() + static_cast<std::ptrdiff_t>(at));
      return Error{ErrorKind::bad_input, fmt::format("put {} after the command: {}", name, quote_for_shell(right))};
    }
  return std::nullopt;
}

Error usage_error(const Command& app, const std::vector<std::string>& args, const Command::Complaint& complaint) {
  const Command* command = app.chosen();
  const std::string help = command == nullptr ? "warptune --help" : fmt::format("warptune {} --help", command->name());
  return {ErrorKind::bad_input, with_help(sentence(app, command, args, complaint), help)};
}

Error missing_command(const Command& app) {
  return {ErrorKind::bad_input,
          fmt::format("name a command: {}; see warptune --help", join_choices(command_names(app)))};
}

std::optional<Error> empty_value(const Command& app) {
  const Command* const command = app.chosen();
  if (command == nullptr) return std::nullopt;
  for (const Option& option : command->options()) {
    const std::vector<std::string> values = option.values(), names = option.long_names();
    if (!names.empty() && std::find(values.begin(), values.end(), "") != values.end())
      return Error{ErrorKind::bad_input,
                   fmt::format("the value of --{0} is empty, perhaps because a script uses a variable that "
                               "is not set; give a value, or leave out --{0}",
                               names.front())};
  }
  return std::nullopt;
}

} // namespace warptune::cli
