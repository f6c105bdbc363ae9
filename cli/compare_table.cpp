#include "cli/compare_table.h"

#include "cli/units.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace warptune::cli {
namespace {

std::string p_value_text(double p) { return p < 0.001 ? "<0.001" : fmt::format("{:.3f}", p); }

} // namespace

Table compare_table(const report::Comparison& comparison) {
  std::set<std::string> devices;
  for (const report::ComparedRow& r : comparison.rows) devices.insert(r.a.device);
  // If the results differ in their devices, each names its device in any case.
  const Column device = left_out(1, devices.size() > 1 ? whole("device") : left("device"));
  Table table({left("kernel"), left_out(2, whole("problem")), device, right("A"), right("B"), right("B/A"),
               left_out(4, left("95 %")), left_out(3, right("p")), left("verdict"), whole("other changes")});
  for (const report::ComparedRow& r : comparison.rows)
    table.add({r.a.kernel, r.a.problem, r.a.device, time_text(r.a.median_us), time_text(r.b.median_us),
               fmt::format("{:.3f}x", r.ratio), fmt::format("{:.3f} to {:.3f}", r.ratio_low, r.ratio_high),
               p_value_text(r.p_value), report::change_name(r.change),
               r.differences.empty() ? "nothing" : fmt::format("{}", fmt::join(r.differences, "; "))});
  return table;
}

} // namespace warptune::cli
