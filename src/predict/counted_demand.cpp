#include "predict/counted_demand.h"

#include "predict/roofline.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace warptune {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

double bytes_of(const CostEstimate& cost) { return cost.bytes_read + cost.bytes_written; }

double work_of(const CostEstimate& cost) {
  double work = 0;
  for (const auto& [pipe, count] : cost.flops) work += count;
  return work > 0 ? work : bytes_of(cost);
}

std::optional<double> sum(const std::optional<double>& a, const std::optional<double>& b) {
  if (!a || !b) return std::nullopt;
  return *a + *b;
}

double ratio(const std::optional<double>& amount, double over) {
  return amount && over > 0 ? *amount / over : kUnknown;
}

double time_us(double amount, double per_us) { return per_us > 0 ? amount / per_us : kUnknown; }

} // namespace

std::optional<CountedDemand> counted_demand(const CounterFacts& facts, const CostEstimate& cost) {
  const double bytes = bytes_of(cost), work = work_of(cost);
  if (!(bytes > 0)) return std::nullopt;
  const CountedDemand out{ratio(sum(facts.dram_read_bytes, facts.dram_written_bytes), bytes),
                          ratio(facts.l2_bytes, work), ratio(sum(facts.l1_bytes, facts.shared_bytes), work),
                          ratio(facts.instructions, work), facts.warps_active_share.value_or(kUnknown)};
  const double all[] = {out.dram_bytes, out.l2_bytes, out.l1_bytes, out.instructions, out.warps_active};
  if (std::none_of(std::begin(all), std::end(all), [](double v) { return std::isfinite(v); })) return std::nullopt;
  return out;
}

UnitTimes unit_times(const CountedDemand& demand, const CostEstimate& cost, const DeviceInfo& device) {
  const double bytes = bytes_of(cost), work = work_of(cost);
  const double gigabytes_us = 1e3; // bytes in a microsecond at 1e9 bytes a second
  const double instructions_us =
      kIssuedPerCycle * static_cast<double>(device.limits.sm_count) * device.max_sm_clock_mhz;
  const Roofs& roofs = device.roofs;
  const double dram_gbs = roofs.dram_copy_gbs > 0 ? roofs.dram_copy_gbs : roofs.dram_read_gbs;
  UnitTimes out{{time_us(demand.dram_bytes * bytes, dram_gbs * gigabytes_us),
                 time_us(demand.l2_bytes * work, roofs.l2_gbs * gigabytes_us),
                 time_us(demand.l1_bytes * work, roofs.shared_gbs * gigabytes_us),
                 time_us(demand.instructions * work, instructions_us)},
                roofline_point({0, 0, cost.flops}, roofs, 0).floor_us};
  for (const double us : out.us)
    if (std::isfinite(us)) out.slowest_us = std::max(out.slowest_us, us);
  return out;
}

} // namespace warptune
