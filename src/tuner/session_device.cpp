#include "tuner/session_device.h"

#include "tuner/profiling.h"

#include <utility>

namespace warptune {

Result<void> describe_device(SessionWork& work) {
  const SessionOptions& options = work.options;
  DeviceInfo& device = work.result.device;
  work.begin_phase("preparing the device");
  WT_TRY(auto described, work.device.describe());
  device = std::move(described);
  work.compilers->set_device(device);
  work.compilers->set_all_wanted(options.budget.seconds <= 0 && !options.stop_rules.any());
  if (options.profile != ProfileScope::none && !options.metrics.empty())
    WT_CHECK(check_metrics(options.metrics, work.problem.dtype, device));
  WT_TRY(auto cost, estimate_cost(work.kernel.spec, work.problem, device));
  work.cost = std::move(cost);
  WT_TRY(auto ledger, Ledger::open(options.database));
  work.ledger.emplace(std::move(ledger));
  return {};
}

Result<void> find_roofs(SessionWork& work) {
  if (std::exchange(work.asked_for_roofs, true)) return {};
  Roofs& roofs = work.result.device.roofs;
  if (!roofs.measured) {
    const auto known = work.ledger->known_roofs(work.result.device);
    if (known) roofs = known->roofs; // better than none, if measuring fails
    if (known && known->stale.empty()) return {};
    work.begin_phase("measuring the device's roofs");
    auto measured = work.device.measure_roofs();
    if (!measured) {
      work.result.notes.push_back(
          (known ? "the device's roofs could not be measured again, so the stored ones are used: "
                 : "the device's roofs could not be measured, so no share of the roofline is known: ") +
          measured.error().message);
      return {};
    }
    roofs = *measured;
  }
  return work.ledger->put_roofs(work.result.device);
}

double floor_us(const SessionWork& work) { return roofline_point(work.cost, work.result.device.roofs, 0).floor_us; }

} // namespace warptune
