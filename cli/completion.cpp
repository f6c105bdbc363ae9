#include "cli/completion.h"

#include <algorithm>

namespace warptune::cli {
namespace {

const OptionDoc* find_option(const CommandDoc& command, const std::string& name) {
  for (const OptionDoc& option : command.options)
    if (option.is_named(name)) return &option;
  return nullptr;
}

// Whether the next word is the value of the option. An optional value is only taken after "=".
bool takes_next(const OptionDoc* option) {
  return option != nullptr && !option->value.empty() && !option->value_optional;
}

// The positional that the last word fills.
const OptionDoc* current_positional(const CommandDoc& command, const std::vector<std::string>& words) {
  std::size_t before = 0;
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    if (words[i].rfind('-', 0) != 0)
      ++before;
    else if (takes_next(find_option(command, words[i])))
      ++i;
  }
  const OptionDoc* last = nullptr;
  for (const OptionDoc& option : command.options) {
    if (!option.is_positional()) continue;
    if (before-- == 0) return &option;
    last = &option;
  }
  return last != nullptr && last->repeated ? last : nullptr;
}

void add_options(const CommandDoc& command, const std::vector<std::string>& words, Completion& out) {
  for (const OptionDoc& option : command.options) {
    if (option.names.empty()) continue;
    const bool used =
        std::any_of(words.begin(), words.end() - 1, [&](const std::string& w) { return option.is_named(w); });
    if (!used || option.repeated) out.candidates.push_back({option.names.back(), option.help});
  }
}

void keep_prefix(const std::string& prefix, std::vector<Candidate>& candidates) {
  std::erase_if(candidates, [&](const Candidate& c) { return c.word.rfind(prefix, 0) != 0; });
}

Completion complete_command(const CommandDoc& command, const std::vector<std::string>& words,
                            const ValueSource& values) {
  const std::string& word = words.back();
  if (words.size() > 2)
    if (const OptionDoc* option = find_option(command, words[words.size() - 2]); takes_next(option))
      return values({command, *option, words});
  if (const std::size_t equals = word.find('='); word.rfind("--", 0) == 0 && equals != std::string::npos) {
    const OptionDoc* option = find_option(command, word.substr(0, equals));
    if (option == nullptr || option->value.empty()) return {};
    std::vector<std::string> apart(words.begin(), words.end() - 1);
    apart.push_back(word.substr(equals + 1));
    Completion out = values({command, *option, apart});
    for (Candidate& candidate : out.candidates) candidate.word.insert(0, word.substr(0, equals + 1));
    return out;
  }
  Completion out;
  if (word.rfind('-', 0) == 0) {
    add_options(command, words, out);
    return out;
  }
  if (const OptionDoc* positional = current_positional(command, words)) out = values({command, *positional, words});
  if (word.empty() && out.candidates.empty() && !out.files) add_options(command, words, out);
  return out;
}

} // namespace

Completion complete(const ProgramDoc& program, const std::vector<std::string>& words, const ValueSource& values) {
  if (words.empty()) return {};
  Completion out;
  std::vector<std::string> rest = words;
  if (rest.size() > 1 && rest.front() == "help") rest.erase(rest.begin());
  const bool help = rest.size() != words.size();
  if (rest.size() == 1) {
    for (const CommandDoc& command : program.commands) out.candidates.push_back({command.name, command.summary});
    if (!help) out.candidates.push_back({"help", "Explain a command"});
    if (!help && rest.back().rfind('-', 0) == 0) add_options(program.main, rest, out);
  } else if (!help) {
    for (const CommandDoc& command : program.commands)
      if (command.name == rest.front()) out = complete_command(command, rest, values);
  }
  keep_prefix(words.back(), out.candidates);
  return out;
}

} // namespace warptune::cli
