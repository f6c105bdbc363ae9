// What a compiler's log says first, for a reader: its first error, where in which file, and that line. Pure.
#pragma once

#include "spec/source_files.h"

#include <string>

namespace warptune::cli {

struct CompilerComplaint {
  std::string message; // the log's line: "kernel.cu(12): error: ..."
  std::string file;    // empty: the line names none of the sources
  int line = 0;        // from 1
  std::string source;  // of the file, without the blanks around it; empty: not known
};

// The first line with an error, else the first that is not blank.
CompilerComplaint first_complaint(const std::string& log, const SourceFiles& sources);

} // namespace warptune::cli
