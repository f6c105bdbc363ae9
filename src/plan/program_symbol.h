// ProgramSymbol: a kernel's name in its cubin, with launch parameters that only the compiler determines: Triton chooses
// threads and shared memory itself. Name and parameters are stored as one text wherever a cubin's names are stored, so
// that they stay with the cubin: "matmul_kernel_0d1d2d", "matmul_kernel_0d1d2d threads=128 shared=49152".
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
      shared_bytes; // threads and bytes per block, in place of the launch's block and dynamic shared memory
};

std::string symbol_text(const ProgramSymbol& symbol);
ProgramSymbol parse_symbol(std::string_view text); // any other text is read as a name

// Sets each launch's block and shared memory to those of its kernel's ProgramSymbol. `names` is in the order of
// plan.name_expressions; more names may follow.
void adapt_launches(LaunchPlan& plan, const std::vector<std::string>& names);

} // namespace warptune
