// Build: a command that, instead of NVRTC, makes an implementation's cubin (docs/spec.md, "Built implementations"). The
// command is in spec.json or implementation.json. Its words depend on the configuration. jit/build.h runs the command.
#pragma once

#include "core/expr.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace warptune {

// A part of one word of the command.
struct BuildPiece {
  enum class Kind { text, number, dtype, label, arch, output, folder } kind = Kind::text;
  std::string text;                                         // if the piece is text
  Expr expr;                                                // the formula of a number, dtype or label
  std::vector<std::pair<std::int64_t, std::string>> labels; // for a label: the text for each value of the flag or param
};
using BuildWord = std::vector<BuildPiece>;

struct Build {
  std::vector<BuildWord> command;
  std::vector<std::string> version; // a command that prints the compiler's name and version; may be empty
  std::vector<std::string> inputs;  // names of the files that the command may read
  std::string folder;               // the implementation's folder ("triton/"), where inputs are searched first
};

} // namespace warptune
