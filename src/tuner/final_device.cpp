#include "tuner/final_device.h"

#include <algorithm>
#include <fmt/format.h>

namespace warptune {
namespace {

std::vector<FinalRound> rounds_of(const FinalsReport& report) {
  std::vector<FinalRound> rounds;
  for (const DeviceReadings& device : report.device) rounds.push_back({0, 0, 0, device});
  return rounds;
}

std::string power_cap_note(const FinalsReport& report) {
  const auto capped = std::count_if(report.device.begin(), report.device.end(), [](const DeviceReadings& device) {
    return is_at_power_cap(device.throttle_reasons);
  });
  if (capped == 0) return {};
  const std::string clock = clock_text(clocks_of(rounds_of(report)));
  return fmt::format(
      "the board was at its power cap in {} of the {} rounds of the finals{}; the finalists are compared "
      "within each round, so a changing clock does not change their order",
      capped, report.rounds, clock.empty() ? "" : " (SM clock " + clock + ")");
}

} // namespace

std::vector<std::string> device_notes(const FinalsReport& report) {
  std::vector<std::string> notes;
  if (std::string capped = power_cap_note(report); !capped.empty()) notes.push_back(std::move(capped));
  if (report.throttled == 0) return notes;
  const std::string why = throttle_text(report.fault_reasons);
  if (report.kept_throttled)
    notes.push_back(
        fmt::format("the device throttled ({}) in every round of the finals, so throttled rounds were used; "
                    "check its cooling and its power supply",
                    why));
  else
    notes.push_back(fmt::format("{} of the finals {} discarded because the device throttled ({})",
                                report.throttled == 1 ? "1 round" : fmt::format("{} rounds", report.throttled),
                                report.throttled == 1 ? "was" : "were", why));
  return notes;
}

std::vector<FinalRound> stored_rounds(const FinalsReport& report, const Finalist& winner, const Finalist* standard,
                                      const Finalist* baseline) {
  std::vector<FinalRound> rounds = rounds_of(report);
  const auto time_in = [](const Finalist* f, std::size_t round) {
    return f != nullptr && round < f->samples_us.size() ? double{f->samples_us[round]} : 0;
  };
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    rounds[i].winner_us = time_in(&winner, i);
    rounds[i].default_us = time_in(standard, i);
    rounds[i].baseline_us = time_in(baseline, i);
  }
  return rounds;
}

} // namespace warptune
