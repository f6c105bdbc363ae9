#include "report/baseline_name.h"

#include <fmt/format.h>
#include <string_view>

namespace warptune::report {

std::string baseline_name(const BestRecord& best) {
  constexpr std::string_view kChoice = "implementation=";
  const std::string_view text = best.baseline;
  if (text.substr(0, kChoice.size()) != kChoice) return best.baseline;
  return std::string(text.substr(kChoice.size(), text.find(',') - kChoice.size()));
}

std::string baseline_sentence(const BestRecord& best) {
  if (!(best.baseline_us > 0) || !(best.median_us > 0) || best.baseline == best.config) return {};
  return fmt::format("{:.2f}x the speed of {}", best.baseline_us / best.median_us, baseline_name(best));
}

} // namespace warptune::report
