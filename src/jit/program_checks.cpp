#include "jit/program_checks.h"

#include "jit/cubin_file.h"
#include "jit/demangled.h"
#include "plan/launch_needs.h"
#include "plan/program_symbol.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

namespace warptune {

std::optional<std::string> why_block_exceeds_bounds(const LaunchPlan& plan, const Cubin& cubin) {
  const auto file = read_cubin_file(cubin.image);
  if (!file) return std::nullopt; // loading it gives the error
  for (const KernelLaunch& launch : plan.launches) {
    const std::size_t at = kernel_index(plan, launch);
    if (at >= cubin.lowered_names.size()) continue;
    const auto allowed = file->max_threads.find(parse_symbol(cubin.lowered_names[at]).name);
    const std::int64_t threads = needs_of(plan, launch, {}).threads;
    if (allowed == file->max_threads.end() || threads <= allowed->second) continue;
    return fmt::format("{}: a block of {} threads exceeds the kernel's __launch_bounds__ of {}", launch.name_expression,
                       threads, allowed->second);
  }
  return std::nullopt;
}

std::vector<std::string> unfilled_constants(const Cubin& cubin) {
  std::vector<std::string> unfilled;
  const auto file = read_cubin_file(cubin.image);
  if (!file) return unfilled;
  const auto& filled = cubin.lowered_names;
  for (const std::string_view name : file->zero_constants)
    if (std::find(filled.begin(), filled.end(), name) == filled.end()) unfilled.push_back(demangled(std::string(name)));
  return unfilled;
}

} // namespace warptune
