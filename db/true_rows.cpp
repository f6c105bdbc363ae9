#include "db/true_rows.h"

#include "db/stored_numbers.h"

#include <cmath>
#include <type_traits>

namespace warptune::db {

namespace {

// 0 means unknown; two known bounds must be in order.
bool is_interval(double low_us, double high_us) { return low_us == 0 || high_us == 0 || low_us <= high_us; }

} // namespace

bool can_be_true(const BestRecord& best) {
  bool times = is_stored_time(best.median_us);
  for (const double us : {best.ci_low_us, best.ci_high_us, best.default_us, best.baseline_us, best.without_calls_us})
    times = times && is_stored_time_or_0(us);
  return times && is_interval(best.ci_low_us, best.ci_high_us) && is_stored_amount(best.roofline_share) &&
         is_stored_amount(best.energy_mj) && best.p_value >= 0 && best.p_value <= 1;
}

bool can_be_true(const FinalRound& round) {
  for (const double us : {round.winner_us, round.default_us, round.baseline_us})
    if (!is_stored_time_or_0(us)) return false;
  return is_stored_amount(round.device.sm_clock_mhz) && is_stored_amount(round.device.power_w) &&
         std::isfinite(round.device.temperature_c);
}

bool can_be_true(const ParetoPoint& point) {
  return is_stored_time(point.median_us) && point.energy_mj > 0 && is_stored_amount(point.energy_mj);
}

bool can_be_true(const FinalTime& finalist) { return is_stored_time(finalist.median_us); }

bool can_be_true(const CheckRecord& check) {
  for (const double us : {check.median_us, check.ci_low_us, check.ci_high_us, check.default_us})
    if (!is_stored_time_or_0(us)) return false;
  return check.rounds >= 0 && is_interval(check.ci_low_us, check.ci_high_us);
}

bool can_be_true(const PowerReading& power) {
  bool is_finite = true;
  for_each_scalar<PowerReading>([&](const auto& m) {
    if constexpr (std::is_same_v<MemberValue<decltype(m)>, double>) is_finite = is_finite && std::isfinite(power.*m.at);
  });
  return is_finite && is_stored_amount(power.energy_mj) && is_stored_amount(power.average_w);
}

std::uint64_t known_reasons(std::uint64_t stored) { return static_cast<std::int64_t>(stored) < 0 ? 0 : stored; }

} // namespace warptune::db
