// ProgramSymbol: a kernel's name in its cubin, with launch parameters that the compiler may have chosen. (Triton
// chooses threads and shared memory itself.) Name and parameters are stored as one text, so that they stay together
// wherever a cubin's names are stored: "matmul_kernel_0d1d2d", "matmul_kernel_0d1d2d threads=128 shared=49152".
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
      shared_bytes; // per block; they replace the block size and the dynamic shared memory of the launch
};

std::string symbol_text(const ProgramSymbol& symbol);
ProgramSymbol parse_symbol(std::string_view text); // any text that symbol_text cannot write is read as a name

// If the ProgramSymbol of a launch's kernel has launch parameters, sets the launch's block and shared memory to them.
// `names` begins with one name per entry of plan.name_expressions; more may follow.
void adapt_launches(LaunchPlan& plan, const std::vector<std::string>& names);

} // namespace warptune
