#include "report/wasted_accesses.h"

#include <algorithm>
#include <fmt/format.h>

namespace warptune::report {
namespace {

constexpr std::int64_t kSectorBytes = 32, kWavefrontBytes = 128;

} // namespace

std::vector<WastedAccess> find_wasted_accesses(const HotSpots& spots) {
  std::vector<WastedAccess> all;
  const auto add = [&](const HotInstruction& hot, bool is_shared, std::int64_t count, std::int64_t ideal) {
    const std::int64_t executed = hot.at->counts.executed;
    // Without an ideal, the waste is not known.
    if (executed <= 0 || ideal <= 0 || static_cast<double>(count) < kWasteful * static_cast<double>(ideal)) return;
    all.push_back({&hot, is_shared, count, ideal, (count - ideal) * (is_shared ? kWavefrontBytes : kSectorBytes),
                   static_cast<double>(count) / static_cast<double>(executed),
                   static_cast<double>(ideal) / static_cast<double>(executed)});
  };
  for (const HotInstruction& hot : spots.instructions) {
    const InstructionCounts& counts = hot.at->counts;
    add(hot, false, counts.sectors, counts.ideal_sectors);
    add(hot, true, counts.wavefronts, counts.ideal_wavefronts);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const WastedAccess& a, const WastedAccess& b) { return a.bytes > b.bytes; });
  return all;
}

std::string access_text(const WastedAccess& access) {
  return fmt::format("{:.1f} instead of {:.1f} {} each time ({})", access.each, access.ideal_each,
                     access.is_shared ? "wavefronts" : "sectors", access.is_shared ? "bank conflicts" : "uncoalesced");
}

} // namespace warptune::report
