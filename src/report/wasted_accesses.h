// Finds instructions that move more memory than they need: uncoalesced accesses to global memory, and bank conflicts in
// shared memory. Pure.
#pragma once

#include "report/hot_lines.h"

#include <cstdint>
#include <string>
#include <vector>

namespace warptune::report {

struct WastedAccess {
  const HotInstruction* at = nullptr; // points into the HotSpots
  bool is_shared = false;             // true: shared memory; false: global memory
  std::int64_t count = 0, ideal = 0;  // wavefronts of shared memory, or sectors of global memory
  std::int64_t bytes = 0;             // bytes moved beyond the ideal: 128 for each wavefront, 32 for each sector
  double each = 0, ideal_each = 0;    // `count` and `ideal` per execution by a warp
};

// Returns the accesses that move at least kWasteful times the ideal, the largest waste first. They point into `spots`.
inline constexpr double kWasteful = 1.1;
std::vector<WastedAccess> find_wasted_accesses(const HotSpots& spots);

// Returns "32.0 instead of 4.0 sectors each time (uncoalesced)".
std::string access_text(const WastedAccess& access);

} // namespace warptune::report
