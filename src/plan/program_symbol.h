// ProgramSymbol: what a program calls one of its kernels, and what of its launch only the compiler that made it knows:
// Triton chooses threads and shared memory itself. Stored as one text wherever names of a program are, so that a cubin
// and what its launch needs are never apart: "matmul_kernel_0d1d2d", "matmul_kernel_0d1d2d threads=128 shared=49152".
#pragma once

#include "plan/plan.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

struct ProgramSymbol {
  std::string name;
  std::optional<std::uint32_t> threads,
      shared_bytes; // of a block; in place of the launch's block and dynamic shared memory
};

std::string symbol_text(const ProgramSymbol& symbol);
ProgramSymbol parse_symbol(std::string_view text); // what is no such text is a name

// Gives each launch what the program's kernel needs. `names` in the order of plan.name_expressions; more may follow.
void adapt_launches(LaunchPlan& plan, const std::vector<std::string>& names);

} // namespace warptune
