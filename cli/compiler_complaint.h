// The first complaint in a compiler's log, for people: the first error, with its file, line number and source line.
// Pure.
#pragma once

#include "spec/source_files.h"

#include <string>

namespace warptune::cli {

struct CompilerComplaint {
  std::string message; // the line of the log: "kernel.cu(12): error: ..."
  std::string file;    // empty: the message names none of the sources
  int line = 0;        // counts from 1
  std::string source;  // beginning of that source line, without blanks around it; empty: not known
};

// Returns the first line of the log with an error or, if there is none, the first line that is not blank.
CompilerComplaint first_complaint(const std::string& log, const SourceFiles& sources);

} // namespace warptune::cli
