#include "tuner/paired_rounds.h"

#include <algorithm>
#include <cmath>

namespace warptune {
namespace {

constexpr double kReferenceBand = 1.25; // relative to the fastest: a slower default would cost too much time
constexpr double kSlotBand = 1.25;      // relative to the fastest: slower finalists do not lengthen the slots
constexpr double kShortestIdle_us = 1;
constexpr double kShortest_us = 1e-3; // keeps logarithms and quotients finite
constexpr double kLongRound_ms = 100;
constexpr double kWarmUp_ms = 20; // the device idles between rounds while the host generates inputs
constexpr double kMaxWarmUps = 64;
constexpr std::size_t kMinForSteps = 4; // references; with fewer, line and neighbours compare two finalists alike

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// Expected time of the next launch; 0: not known.
double expected_us(const Finalist& f) { return f.samples_us.empty() ? f.explored_us : double{f.samples_us.back()}; }

std::size_t warm_up_launches(const Finalist& reference) {
  const double us = std::max(expected_us(reference), kShortest_us);
  return static_cast<std::size_t>(std::clamp(std::ceil(kWarmUp_ms * 1e3 / us), 1.0, kMaxWarmUps));
}

// Idle time after each of `running`, so that all take equally long.
std::vector<float> idle_after(std::span<const Finalist> finalists, const std::vector<std::size_t>& running) {
  std::vector<float> idle(running.size());
  double fastest = expected_us(finalists[running.front()]), slot = 0;
  for (const std::size_t i : running) fastest = std::min(fastest, expected_us(finalists[i]));
  for (const std::size_t i : running)
    if (expected_us(finalists[i]) <= kSlotBand * fastest) slot = std::max(slot, expected_us(finalists[i]));
  if (!(fastest > 0)) return idle;
  for (std::size_t k = 0; k < running.size(); ++k)
    if (const double left = slot - expected_us(finalists[running[k]]); left >= kShortestIdle_us)
      idle[k] = static_cast<float>(left);
  return idle;
}

using Logs = std::vector<double>;

// The logarithms of the reference's samples, in the order of its places.
Logs logs_of(const RoundPlan& plan, std::span<const float> samples_us) {
  Logs logs;
  for (const std::size_t place : plan.references)
    logs.push_back(std::log(std::max(double{samples_us[place]}, kShortest_us)));
  return logs;
}

// Levels on a line through all samples. One disturbed sample does not move the line (Theil 1950, Sen 1968).
Logs line_through(const RoundPlan& plan, const Logs& logs) {
  const std::vector<std::size_t>& at = plan.references;
  std::vector<double> slopes, offsets;
  for (std::size_t i = 0; i < at.size(); ++i)
    for (std::size_t j = i + 1; j < at.size(); ++j)
      slopes.push_back((logs[j] - logs[i]) / static_cast<double>(at[j] - at[i]));
  const double slope = median_of(std::move(slopes));
  for (std::size_t i = 0; i < at.size(); ++i) offsets.push_back(logs[i] - slope * static_cast<double>(at[i]));
  const double offset = median_of(std::move(offsets));
  Logs line;
  for (std::size_t place = 0; place < plan.places.size(); ++place)
    line.push_back(offset + slope * static_cast<double>(place));
  return line;
}

// Levels from the two samples beside each place. They follow every step of the clock, but include the noise of two
// samples.
Logs between_neighbours(const RoundPlan& plan, const Logs& logs) {
  Logs levels(plan.places.size());
  for (std::size_t i = 0; i + 1 < logs.size(); ++i)
    for (std::size_t place = plan.references[i]; place <= plan.references[i + 1]; ++place)
      levels[place] = (logs[i] + logs[i + 1]) / 2;
  return levels;
}

// The logarithm of the reference's time at every place. It comes from the line, unless the neighbours predict the
// reference's own samples better, as they do if the clock steps in the middle of a round.
Logs levels_of(const RoundPlan& plan, const Logs& logs) {
  Logs line = line_through(plan, logs);
  if (logs.size() < kMinForSteps) return line;
  std::vector<double> off_line, off_neighbours;
  for (std::size_t i = 1; i + 1 < logs.size(); ++i) {
    off_line.push_back(std::abs(logs[i] - line[plan.references[i]]));
    off_neighbours.push_back(std::abs(logs[i] - (logs[i - 1] + logs[i + 1]) / 2));
  }
  return median_of(std::move(off_neighbours)) < median_of(std::move(off_line)) ? between_neighbours(plan, logs) : line;
}

} // namespace

// Rows of a Williams square: 0, 1, n-1, 2, n-2, ... shifted by the round. An odd count also needs the reversed rows.
std::vector<std::size_t> balanced_order(std::vector<std::size_t> running, std::size_t round) {
  const std::size_t count = running.size();
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < count; ++k)
    order.push_back(running[((k % 2 == 1 ? (k + 1) / 2 : count - k / 2) + round) % count]);
  if (count % 2 == 1 && round / std::max<std::size_t>(count, 1) % 2 == 1) std::reverse(order.begin(), order.end());
  return order;
}

std::optional<std::size_t> choose_reference(std::span<const Finalist> finalists) {
  std::optional<std::size_t> fastest, standard;
  std::size_t correct = 0;
  for (std::size_t i = 0; i < finalists.size(); ++i) {
    if (finalists[i].status != TrialStatus::ok) continue;
    ++correct;
    if (finalists[i].is_default) standard = i;
    if (!fastest || finalists[i].explored_us < finalists[*fastest].explored_us) fastest = i;
  }
  if (correct < 2) return std::nullopt;
  const bool near = standard && finalists[*standard].explored_us <= kReferenceBand * finalists[*fastest].explored_us;
  return near ? standard : fastest;
}

RoundPlan plan_round(std::span<const Finalist> finalists, std::optional<std::size_t> reference, std::size_t round,
                     bool warm_up) {
  RoundPlan plan;
  std::vector<std::size_t> running;
  for (std::size_t i = 0; i < finalists.size(); ++i)
    if (finalists[i].is_running() && i != reference) running.push_back(i);
  running = balanced_order(std::move(running), round);
  if (!reference) {
    plan.places = std::move(running);
    return plan;
  }
  const bool is_alone = running.empty();
  if (is_alone) running = {*reference};
  const std::vector<float> idle = idle_after(finalists, running);
  double all_us = static_cast<double>(running.size() + 1) * expected_us(finalists[*reference]);
  for (const std::size_t i : running) all_us += expected_us(finalists[i]);
  const bool between = all_us / 1e3 <= kLongRound_ms;
  const auto add = [&](std::size_t finalist, float idle_us) {
    plan.places.push_back(finalist);
    plan.idle_us.push_back(idle_us);
  };
  const auto add_reference = [&] {
    plan.references.push_back(plan.places.size());
    add(*reference, 0);
  };
  for (std::size_t left = warm_up ? warm_up_launches(finalists[*reference]) : 0; left > 0; --left) add(*reference, 0);
  add(running.back(), idle.back()); // warm-up, so that the first counted reference also follows another kernel
  add_reference();
  for (std::size_t k = 0; k < running.size(); ++k) {
    if (!is_alone) add(running[k], idle[k]);
    if (between || k + 1 == running.size()) add_reference();
  }
  return plan;
}

void PairedRounds::count(std::vector<Finalist>& finalists, const RoundPlan& plan, std::span<const float> samples_us) {
  const bool paired = !plan.references.empty();
  const Logs logs = logs_of(plan, samples_us);
  const Logs levels = paired ? levels_of(plan, logs) : Logs();
  const auto level = [&](double log_us, std::size_t place) {
    return static_cast<float>(std::exp(log_us - levels[place] + log_scale_));
  };
  std::size_t next_reference = 0;
  for (std::size_t place = paired ? plan.references.front() : 0; place < plan.places.size(); ++place) {
    if (next_reference < plan.references.size() && plan.references[next_reference] == place) {
      ++next_reference;
      continue;
    }
    Finalist& f = finalists[plan.places[place]];
    f.samples_us.push_back(samples_us[place]);
    if (paired) f.level_us.push_back(level(std::log(std::max(double{samples_us[place]}, kShortest_us)), place));
  }
  if (!paired) return;
  if (Finalist& reference = finalists[plan.places[plan.references.front()]]; reference.is_running()) {
    std::vector<double> off;
    for (std::size_t i = 0; i < logs.size(); ++i) off.push_back(logs[i] - levels[plan.references[i]]);
    reference.samples_us.push_back(static_cast<float>(std::exp(median_of(logs))));
    reference.level_us.push_back(static_cast<float>(std::exp(median_of(std::move(off)) + log_scale_)));
  }
  // level_us is scaled to the median reference time of all rounds, so earlier values are rescaled when it changes.
  log_levels_.push_back(median_of(logs));
  const double moved = median_of(log_levels_) - log_scale_;
  log_scale_ += moved;
  for (Finalist& f : finalists)
    for (float& us : f.level_us) us = static_cast<float>(us * std::exp(moved));
}

} // namespace warptune
