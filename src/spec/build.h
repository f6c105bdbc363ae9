// Build: how a command of the description makes the cubin of an implementation, in place of NVRTC (docs/spec.md, "Built
// implementations"). What the command is given is known per configuration; what runs it is jit/build.h.
#pragma once

#include "core/expr.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace warptune {

// A part of a word of the command.
struct BuildPiece {
  enum class Kind { text, number, dtype, label, arch, output, folder } kind = Kind::text;
  std::string text;                                         // of text
  Expr expr;                                                // of number, dtype and label
  std::vector<std::pair<std::int64_t, std::string>> labels; // of label: of every value of the flag or param
};
using BuildWord = std::vector<BuildPiece>;

struct Build {
  std::vector<BuildWord> command;
  std::vector<std::string> version; // a command that prints which compiler it is; may be empty
  std::vector<std::string> inputs;  // the files that it is given, by the names that it finds them under
  std::string folder;               // of the implementation, where inputs are looked for first: "triton/"
};

} // namespace warptune
