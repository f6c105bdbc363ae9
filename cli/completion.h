// What the shell may offer for the word being typed, from the command line's definitions. Values that depend on the
// machine (kernels, strategies) come from the caller.
#pragma once

#include "cli/command_doc.h"

#include <functional>

namespace warptune::cli {

struct Candidate {
  std::string word, help;
};

struct Completion {
  std::vector<Candidate> candidates;
  bool files = false; // and the names of files
};

// What is being typed: a value of `option` of `command`, after `words` (the last of them is the unfinished value).
struct ValueQuery {
  const CommandDoc& command;
  const OptionDoc& option;
  const std::vector<std::string>& words;
};
using ValueSource = std::function<Completion(const ValueQuery&)>;

// `words`: what follows the program's name; the last is the unfinished one, perhaps empty. Only candidates that begin
// with it come back.
Completion complete(const ProgramDoc& program, const std::vector<std::string>& words, const ValueSource& values);

} // namespace warptune::cli
