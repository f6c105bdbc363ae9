#include "tuner/stale_roofs.h"

#include "core/text.h"

#include <fmt/format.h>
#include <optional>
#include <string_view>

namespace warptune {
namespace {

using std::chrono::days;
using std::chrono::sys_days;

// The day of "2025-01-31T12:00:00Z".
std::optional<sys_days> day_of(std::string_view utc) {
  std::int64_t year = 0, month = 0, day = 0;
  if (utc.size() < 10 || parse_integer(utc.substr(0, 4), year) != IntegerError::none ||
      parse_integer(utc.substr(5, 2), month) != IntegerError::none ||
      parse_integer(utc.substr(8, 2), day) != IntegerError::none)
    return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(year)),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  return sys_days(date);
}

} // namespace

std::string why_stale(const Roofs& stored, const DeviceInfo& device, std::chrono::system_clock::time_point now) {
  // Only CUDA devices have measured roofs of caches.
  const bool older_version = stored.driver.empty() || stored.l2_gbs <= 0 || stored.shared_gbs <= 0;
  if (device.backend == "cuda" && older_version) return "were measured by an older version, which measured fewer roofs";
  if (!stored.driver.empty() && stored.driver != device.driver)
    return fmt::format("were measured under driver {}, and the driver is now {}", stored.driver, device.driver);
  const auto day = day_of(stored.measured_at);
  if (!day) return "have no date";
  const auto age = std::chrono::floor<days>(now) - *day;
  if (age > kRoofsAge) return fmt::format("are {} days old", age.count());
  return {};
}

} // namespace warptune
