// The first complaint in a compiler's log, for a reader: the first error, its file and line number, and the line
// itself. Pure.
#pragma once

#include "spec/source_files.h"

#include <string>

namespace warptune::cli {

struct CompilerComplaint {
  std::string message; // the log's line: "kernel.cu(12): error: ..."
  std::string file;    // empty: the line names none of the sources
  int line = 0;        // from 1
  std::string source;  // the beginning of this line, without blanks around it; empty: not known
};

// The first line with an error, otherwise the first line that is not blank.
CompilerComplaint first_complaint(const std::string& log, const SourceFiles& sources);

} // namespace warptune::cli
