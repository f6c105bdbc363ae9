#include "cli/baseline_column.h"

#include "cli/sanitize.h"
#include "report/baseline_name.h"

#include <fmt/format.h>

namespace warptune::cli {
namespace {

bool won(const BestRecord& best) { return best.baseline == best.config; }

} // namespace

void BaselineColumn::add(const BestRecord& best) {
  if (best.baseline_us > 0) names_.insert(report::baseline_name(best));
}

std::string BaselineColumn::title() const {
  return "vs " + (names_.size() == 1 ? sanitize(*names_.begin()) : "baseline");
}

std::string BaselineColumn::cell(const BestRecord& best) const {
  if (!(best.baseline_us > 0) || !(best.median_us > 0)) return "-";
  if (won(best)) return "winner";
  const std::string ratio = fmt::format("{:.2f}x", best.baseline_us / best.median_us);
  return names_.size() == 1 ? ratio : ratio + " " + report::baseline_name(best);
}

std::string baseline_words(const BestRecord& best) {
  if (!(best.baseline_us > 0) || !(best.median_us > 0) || won(best)) return {};
  return fmt::format(", {:.2f}x {}", best.baseline_us / best.median_us, sanitize(report::baseline_name(best)));
}

} // namespace warptune::cli
