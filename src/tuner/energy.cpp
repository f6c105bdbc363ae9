#include "tuner/energy.h"

#include "core/statistics.h"

#include <algorithm>
#include <type_traits>

namespace warptune {
namespace {

// The energy counter is updated every 100 ms: these are 4 and 8 updates.
constexpr double kRoundWindow_s = 0.4, kSingleWindow_s = 0.8;
constexpr double kBesides_s = 10; // settling, and measuring the restoring separately
constexpr int kRounds = 5;        // with fewer, the signed-rank test cannot reach a confidence of 95 %
// Relative to the best; exceeds the difference between two readings of one configuration.
constexpr double kOutOf = 1.05;

bool is_in(const Finalist& f) { return f.status == TrialStatus::ok; }

// Medians over the rounds, but sums of launches and windows, and the throttle reasons of all rounds.
PowerReading merged(const std::vector<PowerReading>& readings) {
  PowerReading out = readings.front();
  const auto middle = [&](double PowerReading::*member) {
    std::vector<float> values;
    for (const PowerReading& r : readings) values.push_back(static_cast<float>(r.*member));
    return median(values);
  };
  for_each_scalar<PowerReading>([&](const auto& m) {
    if constexpr (std::is_same_v<MemberValue<decltype(m)>, double>) out.*m.at = middle(m.at);
  });
  out.launches = 0;
  out.window_ms = 0;
  for (const PowerReading& r : readings) {
    out.throttle_reasons |= r.throttle_reasons;
    out.launches += r.launches;
    out.window_ms += r.window_ms;
  }
  return out;
}

// The finalists that continue, as indices into `finalists`.
std::vector<std::size_t> keep_best(const std::vector<Finalist>& finalists, std::vector<std::size_t> running,
                                   const EnergyOptions& options) {
  const auto value = [&](std::size_t i) { return objective_of(finalists[i], options.objective); };
  std::erase_if(running, [&](std::size_t i) { return finalists[i].energy_mj.empty(); });
  if (running.empty()) return running;
  std::stable_sort(running.begin(), running.end(), [&](std::size_t a, std::size_t b) { return value(a) < value(b); });
  const double limit = kOutOf * value(running.front());
  std::vector<std::size_t> kept;
  for (const std::size_t i : running)
    if (finalists[i].is_default || (static_cast<int>(kept.size()) < options.finalists && value(i) <= limit))
      kept.push_back(i);
  return kept;
}

} // namespace

Result<EnergyReport> measure_energy(DeviceWorker& device, std::vector<Finalist>& finalists,
                                    const EnergyOptions& options, const std::function<void(int, int)>& after,
                                    const std::atomic<bool>& stop) {
  EnergyReport report;
  const bool single = options.objective == Objective::time;
  const int rounds = single ? 1 : kRounds;
  std::vector<std::vector<PowerReading>> readings(finalists.size());
  std::vector<std::size_t> running;
  for (std::size_t i = 0; i < finalists.size(); ++i)
    if (is_in(finalists[i])) running.push_back(i);
  for (int round = 0; round < rounds && !running.empty(); ++round) {
    for (std::size_t k = 0; k < running.size(); ++k) {
      if (stop) {
        report.stopped = true;
        return report;
      }
      const std::size_t at = running[(k + static_cast<std::size_t>(round)) % running.size()];
      Finalist& f = finalists[at];
      const PowerTask task{f.config, f.compiled, single ? kSingleWindow_s : kRoundWindow_s};
      auto answer = device.ask(task, options.timeout_s + kBesides_s);
      // One lost worker may be an accident, so the task is repeated once. A signal that stops this program may also
      // have ended the worker.
      if (answer && !*answer && !stop) answer = device.ask(task, options.timeout_s + kBesides_s);
      if (stop) {
        report.stopped = true;
        return report;
      }
      WT_CHECK(answer);
      const auto* power = *answer ? std::get_if<Power>(&**answer) : nullptr;
      if (!power) {
        const auto* error = *answer ? std::get_if<Error>(&**answer) : nullptr;
        f.status = *answer ? TrialStatus::launch_failed : status_of(answer->error());
        f.evidence = "while its energy was measured: " + (error     ? error->message
                                                          : *answer ? "unexpected reply"
                                                                    : answer->error().evidence);
        continue;
      }
      if (!power->unavailable.empty()) {
        report.unavailable = power->unavailable;
        return report;
      }
      if (power->reading) {
        readings[at].push_back(*power->reading);
        f.energy_mj.push_back(static_cast<float>(power->reading->energy_mj));
      }
      after(static_cast<int>(k) + 1 + round * static_cast<int>(running.size()),
            rounds * static_cast<int>(running.size()));
    }
    std::erase_if(running, [&](std::size_t i) { return !is_in(finalists[i]); });
    if (round == 0) running = keep_best(finalists, std::move(running), options);
  }
  for (std::size_t i = 0; i < finalists.size(); ++i)
    if (!readings[i].empty()) finalists[i].power = merged(readings[i]);
  if (std::all_of(readings.begin(), readings.end(), [](const auto& of_one) { return of_one.empty(); }))
    report.unavailable = "no finalist has an energy reading";
  return report;
}

std::vector<std::size_t> pareto_set(std::span<const Finalist> finalists) {
  const auto time = [&](std::size_t i) { return objective_of(finalists[i], Objective::time); };
  const auto energy = [&](std::size_t i) { return objective_of(finalists[i], Objective::energy); };
  std::vector<std::size_t> in, set;
  for (std::size_t i = 0; i < finalists.size(); ++i)
    if (is_in(finalists[i]) && !finalists[i].energy_mj.empty()) in.push_back(i);
  for (const std::size_t i : in)
    if (std::none_of(in.begin(), in.end(), [&](std::size_t j) {
          return time(j) <= time(i) && energy(j) <= energy(i) && (time(j) < time(i) || energy(j) < energy(i));
        }))
      set.push_back(i);
  std::stable_sort(set.begin(), set.end(), [&](std::size_t a, std::size_t b) { return time(a) < time(b); });
  return set;
}

} // namespace warptune
