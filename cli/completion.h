// Completes the word being typed in a shell, from the definitions of the command line. The caller supplies values that
// depend on the machine (kernels, strategies).
#pragma once

#include "cli/command_doc.h"

#include <functional>

namespace warptune::cli {

struct Candidate {
  std::string word, help;
};

struct Completion {
  std::vector<Candidate> candidates;
  bool files = false; // whether file names are candidates as well
};

// The value being typed for `option` of `command`, at the end of `words` (the last word is the unfinished value).
struct ValueQuery {
  const CommandDoc& command;
  const OptionDoc& option;
  const std::vector<std::string>& words;
};
using ValueSource = std::function<Completion(const ValueQuery&)>;

// `words`: the words after the program's name; the last one is unfinished and may be empty. Returns only candidates
// that begin with that word.
Completion complete(const ProgramDoc& program, const std::vector<std::string>& words, const ValueSource& values);

} // namespace warptune::cli
