// Build: a command in the description that makes an implementation's cubin, in place of NVRTC (docs/spec.md, "Built
// implementations"). The command's words depend on the configuration; jit/build.h runs the command.
#pragma once

#include "core/expr.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace warptune {

// One part of a word of the command.
struct BuildPiece {
  enum class Kind { text, number, dtype, label, arch, output, folder } kind = Kind::text;
  std::string text;                                         // for text
  Expr expr;                                                // the formula of a number, dtype or label
  std::vector<std::pair<std::int64_t, std::string>> labels; // for a label: one for every value of the flag or param
};
using BuildWord = std::vector<BuildPiece>;

struct Build {
  std::vector<BuildWord> command;
  std::vector<std::string> version; // a command that prints the name and version of the compiler; may be empty
  std::vector<std::string> inputs;  // files that the command may read, by name
  std::string folder;               // the implementation's folder, searched first for inputs: "triton/"
};

} // namespace warptune
