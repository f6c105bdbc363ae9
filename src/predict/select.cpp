#include "predict/select.h"

#include "predict/ranked_results.h"
#include "predict/select_expected.h"
#include "predict/select_untuned.h"
#include "spec/config.h"
#include "spec/short_problem.h"

#include <fmt/format.h>
#include <string>
#include <utility>

namespace warptune {
namespace {

std::string format_distance(double distance) { return fmt::format("{:.2f}", distance); }

// Counts the results for this device and kind of problem that checks disqualified, and gives the reason for one,
// preferably of this exact problem.
std::string disqualified_text(const SelectionLimits& limits) {
  int count = 0;
  std::string reason;
  for (const TunedEntry& e : limits.entries) {
    if (e.disqualified.empty() || !same_kind(e.problem, limits.problem) || e.arch != limits.device.arch) continue;
    if (count++ == 0 || is_same_but_lists(e.problem, limits.problem))
      reason = short_problem(problem_key(limits.spec, e.problem)) + ": " + e.disqualified;
  }
  if (count == 0) return {};
  return "; passed over " + std::to_string(count) +
         (count == 1 ? " disqualified result (" : " disqualified results (") + reason + ")";
}

std::string standing_text(const TunedEntry& entry) { return entry.standing.empty() ? "" : "; " + entry.standing; }

// Never slower than the default: a result that was measured as slower, and is not certified, is replaced by the
// default.
Selection take_exact(const SelectionLimits& limits, const RankedResult& result, const SkippedResults& skipped) {
  const TunedEntry& entry = limits.entries[static_cast<std::size_t>(result.entry)];
  Selection s{entry.config, Match::exact, 0, result.entry, {}, 0.0, {}};
  s.why = entry.problem == limits.problem
              ? "tuned for exactly this problem on this device"
              : "tuned on this device for " + short_problem(problem_key(limits.spec, entry.problem)) +
                    ", whose lists have the same count, sum, largest and smallest size as the lists here";
  if (skipped.count > 0) s.why += "; a better result cannot be launched here (" + skipped.first_reason + ")";
  const Config standard = default_config(limits.spec, limits.problem, limits.device);
  const bool slower = !entry.certified && entry.speedup_over_default > 0 && entry.speedup_over_default < 1;
  if (slower && s.config != standard && !limits.refuse(standard)) {
    s.why += "; in the tuning session, the default was faster than " + config_text(limits.spec, entry.config) +
             ", which is not certified; so the default is used";
    s.config = standard;
  }
  s.why += standing_text(entry);
  return s;
}

// Says why the result tuned for this problem cannot be launched here.
std::string exact_skipped(const SelectionLimits& limits, const std::vector<RankedResult>& ranked) {
  if (ranked.empty()) return {};
  const TunedEntry& entry = limits.entries[static_cast<std::size_t>(ranked.front().entry)];
  if (!is_same_but_lists(entry.problem, limits.problem)) return {};
  const auto reason = limits.refuse(entry.config);
  return reason ? "; the result for this problem cannot be launched here (" + *reason + ")" : "";
}

// At a larger distance (in doublings), the default is faster on average than a rule learned from a single shape
// (docs/selection.md).
constexpr double kReachOfOneShape = 9;

// `refusal`: why the most promising of them cannot be launched.
std::string passed_over_text(int count, const std::string& refusal) {
  if (count == 0) return {};
  return "; passed over " + std::to_string(count) + (count == 1 ? " configuration" : " configurations") +
         " that should be faster but cannot be launched here (" + refusal + ")";
}

Selection select_learned(Transfer learned, const std::string& passed_over) {
  Selection s{std::move(learned.config), Match::learned_rule,         0, -1, {},
              learned.predicted_loss,    std::move(learned.runner_up)};
  s.why = "learned from the times of all configurations for other shapes on this device; " + learned.why + passed_over;
  return s;
}

// By the results for other shapes on this device, or on another device of the same architecture. nullopt: none can be
// used.
std::optional<Selection> select_transferred(const SelectionLimits& limits, const std::vector<RankedResult>& here,
                                            const RankedResult* nearest, const std::string& passed_over,
                                            SkippedResults& skipped) {
  const std::vector<TunedEntry>& entries = limits.entries;
  const auto learn = [&](std::size_t least_shapes) -> std::optional<Selection> {
    if (limits.options.learned == nullptr) return std::nullopt;
    std::string refusal;
    const auto allowed = [&](const Config& config) {
      const auto reason = limits.refuse(config);
      if (reason && refusal.empty()) refusal = *reason;
      return !reason;
    };
    auto learned = limits.options.learned->choose(limits.problem, limits.device, allowed, least_shapes);
    if (!learned) return std::nullopt;
    const std::string skipped_here = passed_over_text(learned->passed_over, refusal);
    return select_learned(std::move(*learned), skipped_here + exact_skipped(limits, here) + passed_over);
  };
  const auto take = [&](const RankedResult& result, Match match) {
    const TunedEntry& entry = entries[static_cast<std::size_t>(result.entry)];
    return Selection{entry.config, match, result.distance, result.entry, {}, {}, {}};
  };
  const auto shape = [&](const Selection& s) {
    return short_problem(problem_key(limits.spec, entries[static_cast<std::size_t>(s.entry)].problem));
  };
  const auto rest = [&](const Selection& s) {
    return format_distance(s.distance) + ")" + skipped.text() + passed_over +
           standing_text(entries[static_cast<std::size_t>(s.entry)]);
  };
  if (auto learned = learn(2)) return learned;
  if (nearest != nullptr) {
    Selection s = take(*nearest, Match::nearest_shape);
    s.why = "tuned on this device for " + shape(s) + ", the nearest shape by log2 distance (" + rest(s);
    return s;
  }
  // The only tuned shape's winner is not valid here, but another of its configurations may be.
  if (!here.empty() && here.front().distance <= kReachOfOneShape)
    if (auto learned = learn(1)) return learned;
  const auto elsewhere = results_of_other_devices(limits);
  const RankedResult* found = first_valid(limits, elsewhere, skipped);
  if (found == nullptr) return std::nullopt;
  Selection s = take(*found, Match::other_device);
  const TunedEntry& entry = entries[static_cast<std::size_t>(found->entry)];
  s.why = "tuned for " + shape(s) + " on " + entry.device_name + ", another device of the same architecture " +
          entry.arch + " (shape distance " + rest(s);
  return s;
}

} // namespace

std::optional<Selection> select_exact(const KernelSpec& spec, const std::vector<TunedEntry>& entries,
                                      const Problem& problem, const DeviceInfo& device, const SelectOptions& options) {
  const SelectionLimits limits{spec, entries, problem, device, options};
  const auto here = results_of_problem(limits);
  SkippedResults skipped;
  const RankedResult* valid = first_valid(limits, here, skipped);
  return valid == nullptr ? std::nullopt : std::optional(take_exact(limits, *valid, skipped));
}

Result<Selection> select(const KernelSpec& spec, const std::vector<TunedEntry>& entries, const Problem& problem,
                         const DeviceInfo& device, const SelectOptions& options) {
  const SelectionLimits limits{spec, entries, problem, device, options};
  const std::string passed_over = disqualified_text(limits);
  SkippedResults skipped;
  const auto here = results_of_device(limits);
  const RankedResult* nearest = first_valid(limits, here, skipped);
  if (nearest != nullptr && is_same_but_lists(entries[static_cast<std::size_t>(nearest->entry)].problem, problem))
    return take_exact(limits, *nearest, skipped);
  if (auto transferred = select_transferred(limits, here, nearest, passed_over, skipped))
    return or_faster(limits, std::move(*transferred));
  if (skipped.count > 0)
    return select_untuned(limits, "none of the " + std::to_string(skipped.count) +
                                      " tuned configurations for this dtype, these "
                                      "flags and this architecture is valid here (" +
                                      skipped.first_reason + ")" + passed_over);
  if (entries.empty()) return select_untuned(limits, "nothing was tuned for these sources of the kernel yet");
  const bool says_arch = device.name.find(device.arch) != std::string::npos;
  const std::string device_text = device.name + (says_arch ? "" : " (" + device.arch + ")");
  const char* nothing = passed_over.empty() ? "nothing was tuned for this dtype, these flags and "
                                            : "nothing else was tuned for this dtype, these flags and ";
  return select_untuned(limits, nothing + device_text + passed_over);
}

} // namespace warptune
