// CompileRequest: all that a compiler is given, and so all that its program depends on.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace warptune {

struct CompileRequest {
  std::string source_name, source;                          // "kernel.cu" and its text
  std::vector<std::pair<std::string, std::string>> headers; // include name -> text
  std::vector<std::string> options;                         // complete, with -arch and -D
  std::vector<std::string> name_expressions;                // one per launched kernel
};

} // namespace warptune
