// Completes the word that the user is typing in a shell, from the definitions of the command line. The caller supplies
// values that depend on the machine (kernels, strategies).
#pragma once

#include "cli/command_doc.h"

#include <functional>

namespace warptune::cli {

struct Candidate {
  std::string word, help;
};

struct Completion {
  std::vector<Candidate> candidates;
  bool files = false; // whether file names are candidates too
};

// A request for the values of `option` of `command`. The last of `words` is the unfinished value.
struct ValueQuery {
  const CommandDoc& command;
  const OptionDoc& option;
  const std::vector<std::string>& words;
};
using ValueSource = std::function<Completion(const ValueQuery&)>;

// `words`: those after the program's name; the last one is unfinished and may be empty. Returns only candidates that
// begin with the unfinished word.
Completion complete(const ProgramDoc& program, const std::vector<std::string>& words, const ValueSource& values);

} // namespace warptune::cli
