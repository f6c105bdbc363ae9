#include "predict/select.h"

#include "predict/shortest_expected.h"
#include "predict/transfer_model.h"
#include "spec/short_problem.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

namespace warptune {
namespace {

struct Candidate {
  int entry;
  double distance;
};

bool same_kind(const Problem& a, const Problem& b) {
  return a.dtype == b.dtype && a.flags == b.flags && a.dims.size() == b.dims.size();
}

std::string format_distance(double distance) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", distance);
  return text;
}

// Decides which configurations must not be launched for a problem on a device: those that violate a constraint, and
// those that a check found wrong or failing for this problem, whichever rule proposes them.
struct Limits {
  const KernelSpec& spec;
  const std::vector<TunedEntry>& entries;
  const Problem& problem;
  const DeviceInfo& device;
  const SelectOptions& options;

  std::optional<std::string> refuse(const Config& config) const {
    for (const TunedEntry& e : entries)
      if (!e.disqualified.empty() && e.config == config && is_same_but_lists(e.problem, problem) &&
          e.arch == device.arch)
        return e.disqualified;
    if (auto reason = check_config(spec, problem, device, config)) return reason;
    if (auto reason = check_alignment(spec, problem, device, config, options.alignment)) return reason;
    return options.refuse ? options.refuse(config) : std::nullopt;
  }
};

// Nearest first. At equal distance, certified rows come first, then newer ones: times of different shapes cannot be
// compared.
std::vector<Candidate> rank(const std::vector<TunedEntry>& entries, const Problem& problem, const DeviceInfo& device,
                            bool (*wanted)(const TunedEntry&, const Problem&, const DeviceInfo&)) {
  std::vector<Candidate> out;
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (entries[i].disqualified.empty() && same_kind(entries[i].problem, problem) &&
        wanted(entries[i], problem, device))
      out.push_back({static_cast<int>(i), shape_distance(entries[i].problem.dims, problem.dims)});
  std::sort(out.begin(), out.end(), [&](const Candidate& a, const Candidate& b) {
    if (a.distance != b.distance) return a.distance < b.distance;
    const TunedEntry& x = entries[static_cast<std::size_t>(a.entry)];
    const TunedEntry& y = entries[static_cast<std::size_t>(b.entry)];
    if ((x.problem == problem) != (y.problem == problem)) return x.problem == problem; // equal lists first
    if (x.certified != y.certified) return x.certified;
    return x.row_id != y.row_id ? x.row_id > y.row_id : a.entry < b.entry;
  });
  return out;
}

struct Skipped {
  int count = 0;
  std::string first_reason;
  std::string text() const {
    if (count == 0) return {};
    return "; passed over " + std::to_string(count) + (count == 1 ? " nearer result" : " nearer results") +
           " that cannot be launched here (" + first_reason + ")";
  }
};

// The first candidate whose configuration is valid for this problem and device.
const Candidate* first_valid(const Limits& limits, const std::vector<Candidate>& ranked, Skipped& skipped) {
  for (const Candidate& candidate : ranked) {
    const auto reason = limits.refuse(limits.entries[static_cast<std::size_t>(candidate.entry)].config);
    if (!reason) return &candidate;
    if (skipped.count++ == 0) skipped.first_reason = *reason;
  }
  return nullptr;
}

bool is_of_device(const TunedEntry& e, const Problem&, const DeviceInfo& d) { return e.device_name == d.name; }
bool is_exact(const TunedEntry& e, const Problem& p, const DeviceInfo& d) {
  return e.device_name == d.name && is_same_but_lists(e.problem, p);
}
bool is_of_arch_alone(const TunedEntry& e, const Problem&, const DeviceInfo& d) {
  return e.device_name != d.name && e.arch == d.arch;
}

// The values of a param, nearest to its default first.
std::vector<std::int64_t> values_around_default(const OwnParam& param) {
  const auto middle = std::find(param.values.begin(), param.values.end(), param.default_value) - param.values.begin();
  std::vector<std::int64_t> values = param.values;
  const auto steps = [&](std::int64_t value) {
    return std::abs(std::find(param.values.begin(), param.values.end(), value) - param.values.begin() - middle);
  };
  std::stable_sort(values.begin(), values.end(), [&](std::int64_t a, std::int64_t b) { return steps(a) < steps(b); });
  return values;
}

// Configurations tried around the default, and again across the space, before the search gives up: with a hundred
// params, even two changes give too many combinations.
constexpr int kMaxTries = 4096;

// Searches a valid configuration that differs from an implementation's default in `changes` of its params, from `first`
// on. Decrements `tries`.
bool change_params(const Limits& limits, const std::vector<OwnParam>& params, std::size_t first, int changes,
                   Config& config, int& tries) {
  if (changes == 0) return --tries >= 0 && !limits.refuse(config);
  for (std::size_t i = first; i < params.size(); ++i) {
    const OwnParam& param = params[i];
    for (const std::int64_t value : values_around_default(param)) {
      if (value == param.default_value) continue;
      config[param.index] = value;
      if (change_params(limits, params, i + 1, changes - 1, config, tries)) return true;
      if (tries <= 0) break;
    }
    config[param.index] = param.default_value;
    if (tries <= 0) break;
  }
  return false;
}

// The default of another implementation that is valid here.
std::optional<std::size_t> other_default(const Limits& limits) {
  for (std::size_t i = 1; i < limits.spec.implementations.size(); ++i)
    if (!limits.refuse(default_config(limits.spec, i))) return i;
  return std::nullopt;
}

std::optional<Config> first_other(const Limits& limits) {
  for (const Config& config : *limits.options.others)
    if (!limits.refuse(config)) return config;
  return std::nullopt;
}

// A valid configuration near the default, otherwise anywhere in the space; the text says which.
Result<std::optional<std::pair<Config, std::string>>> search_valid(const Limits& limits) {
  Config config = default_config(limits.spec);
  int tries = kMaxTries;
  for (const int changes : {1, 2}) {
    if (!change_params(limits, limits.spec.implementations.front().params, 0, changes, config, tries)) continue;
    return std::pair(config, "the valid configuration nearest to the default (" + std::to_string(changes) +
                                 (changes == 1 ? " param changed)" : " params changed)"));
  }
  WT_TRY(auto space, SearchSpace::build(limits.spec, limits.problem, limits.device));
  const ConfigIndex looked_at = std::min<ConfigIndex>(space.size(), kMaxTries);
  for (ConfigIndex i = 0; i < looked_at; ++i) {
    config = space.config(i * (space.size() / looked_at)); // evenly spaced
    if (!limits.refuse(config)) return std::pair(config, std::string("the first valid configuration that was found"));
  }
  return std::nullopt;
}

// Why nothing can be launched: the reason against an implementation that supports this problem, such as the alignment
// of buffers. The reason against an implementation that calls libraries is used only if there is no other. If there is
// no such reason: `reason`, which concerns the kernel's default.
std::string obstacle(const Limits& limits, const std::string& reason) {
  std::string found = "the default: " + reason;
  for (std::size_t i = limits.spec.implementations.size(); i-- > 0;) {
    const Implementation& implementation = limits.spec.implementations[i];
    const Config config = default_config(limits.spec, i);
    if (check_config(limits.spec, limits.problem, limits.device, config)) continue;
    const auto refused = limits.refuse(config);
    if (!refused) continue;
    found = (implementation.name.empty() ? "the default: " : "the default of " + implementation.name + ": ") + *refused;
    if (implementation.library_calls.empty()) break;
  }
  return found;
}

std::string format_us(double us) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g us", us);
  return text;
}

// Compares with `rival`, which would be launched otherwise.
std::optional<ExpectedChoice> expect(const Limits& limits, const Config& rival) {
  if (!limits.options.by_expected_time) return std::nullopt;
  return shortest_expected(
      limits.spec, limits.problem, limits.device, [&](const Config& config) { return limits.refuse(config); }, rival);
}

std::optional<Selection> select_expected(const Limits& limits, const std::string& because) {
  const Config standard = default_config(limits.spec, limits.problem, limits.device);
  auto found = expect(limits, standard);
  if (!found || found->config == standard) return std::nullopt;
  std::string of_default;
  if (const auto reason = limits.refuse(standard))
    of_default = "; the default is not valid here: " + *reason;
  else if (found->rival_us > 0)
    of_default = "; the default: " + format_us(found->rival_us);
  Selection selection{std::move(found->config), Match::expected_time, 0, -1, {}, {}, {}};
  selection.why = "the shortest expected time of " + std::to_string(found->count) + " configurations (" +
                  format_us(found->us) + of_default + "), because " + because;
  return selection;
}

Result<Selection> select_untuned(const Limits& limits, const std::string& because) {
  if (auto expected = select_expected(limits, because)) return std::move(*expected);
  Selection selection;
  selection.config = default_config(limits.spec);
  const auto reason = limits.refuse(selection.config);
  if (!reason) {
    selection.why = "the kernel's default configuration, because " + because;
    return selection;
  }
  const std::string instead = ", because " + because + " and the default is not valid here (" + *reason + ")";
  if (const auto other = other_default(limits)) {
    selection.config = default_config(limits.spec, *other);
    selection.why = "the default of the implementation " + limits.spec.implementations[*other].name + instead;
    return selection;
  }
  if (limits.options.others != nullptr) {
    if (auto other = first_other(limits)) {
      selection.config = std::move(*other);
      selection.why = "the first valid configuration that has a cubin" + instead;
      return selection;
    }
  } else {
    WT_TRY(auto found, search_valid(limits));
    if (found) {
      selection.config = std::move(found->first);
      selection.why = found->second + instead;
      return selection;
    }
  }
  const bool found_wrong = std::any_of(limits.entries.begin(), limits.entries.end(),
                                       [](const TunedEntry& e) { return !e.disqualified.empty(); });
  const std::string what = limits.spec.name + " for " + short_problem(problem_key(limits.spec, limits.problem));
  if (found_wrong)
    return fail(ErrorKind::no_candidate, "every valid configuration of " + what +
                                             " was wrong, failed, or cannot be launched here (" + *reason +
                                             "); tune the kernel again");
  return fail(ErrorKind::no_candidate,
              "no configuration of " + what + " may be launched here (" + obstacle(limits, *reason) + ")");
}

// Counts the results for this device and kind of problem that checks disqualified, and gives the reason for one,
// preferably of this exact problem.
std::string disqualified_text(const Limits& limits) {
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
Selection take_exact(const Limits& limits, const Candidate& candidate, const Skipped& skipped) {
  const TunedEntry& entry = limits.entries[static_cast<std::size_t>(candidate.entry)];
  Selection s{entry.config, Match::exact, 0, candidate.entry, {}, 0.0, {}};
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
std::string exact_skipped(const Limits& limits, const std::vector<Candidate>& ranked) {
  if (ranked.empty()) return {};
  const TunedEntry& entry = limits.entries[static_cast<std::size_t>(ranked.front().entry)];
  if (!is_same_but_lists(entry.problem, limits.problem)) return {};
  const auto reason = limits.refuse(entry.config);
  return reason ? "; the result for this problem cannot be launched here (" + *reason + ")" : "";
}

// At a larger distance (in doublings), the default is faster on average than a rule learned from a single shape
// (docs/selection.md).
constexpr double kReachOfOneShape = 9;

Selection select_learned(Transfer learned, const std::string& passed_over) {
  Selection s{std::move(learned.config), Match::learned_rule,         0, -1, {},
              learned.predicted_loss,    std::move(learned.runner_up)};
  s.why = "learned from the times of all configurations for other shapes on this device; " + learned.why + passed_over;
  return s;
}

// By the results for other shapes on this device, or on another device of the same architecture. nullopt: none can be
// used.
std::optional<Selection> select_transferred(const Limits& limits, const std::vector<Candidate>& here,
                                            const Candidate* nearest, const std::string& passed_over,
                                            Skipped& skipped) {
  const std::vector<TunedEntry>& entries = limits.entries;
  const auto learn = [&](std::size_t least_shapes) -> std::optional<Selection> {
    if (limits.options.learned == nullptr) return std::nullopt;
    auto learned = limits.options.learned->choose(
        limits.problem, limits.device, [&](const Config& c) { return !limits.refuse(c); }, least_shapes);
    if (!learned) return std::nullopt;
    return select_learned(std::move(*learned), exact_skipped(limits, here) + passed_over);
  };
  const auto take = [&](const Candidate& candidate, Match match) {
    const TunedEntry& entry = entries[static_cast<std::size_t>(candidate.entry)];
    return Selection{entry.config, match, candidate.distance, candidate.entry, {}, {}, {}};
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
  const auto elsewhere = rank(entries, limits.problem, limits.device, is_of_arch_alone);
  const Candidate* found = first_valid(limits, elsewhere, skipped);
  if (found == nullptr) return std::nullopt;
  Selection s = take(*found, Match::other_device);
  const TunedEntry& entry = entries[static_cast<std::size_t>(found->entry)];
  s.why = "tuned for " + shape(s) + " on " + entry.device_name + ", another device of the same architecture " +
          entry.arch + " (shape distance " + rest(s);
  return s;
}

// The results of other shapes may lack whole implementations that are faster here. Returns the configuration with the
// shortest expected time, if that is much shorter than that of the rule's choice; otherwise the rule's choice. Only
// authors' formulas count, which were fitted to measured times.
Selection or_much_faster(const Limits& limits, Selection chosen) {
  auto found = expect(limits, chosen.config);
  if (!found || !found->is_by_author || found->rival_us == 0 || found->config == chosen.config) return chosen;
  Selection faster{std::move(found->config), Match::expected_time, 0, -1, {}, {}, std::move(chosen.config)};
  faster.why = "the shortest expected time of " + std::to_string(found->count) + " configurations (" +
               format_us(found->us) + "); the choice by the rule '" + std::string(match_name(chosen.match)) +
               "' is expected to take " + format_us(found->rival_us);
  return faster;
}

} // namespace

std::string_view match_name(Match m) {
  switch (m) {
  case Match::exact:
    return "exact";
  case Match::learned_rule:
    return "learned rule";
  case Match::nearest_shape:
    return "nearest shape";
  case Match::other_device:
    return "same architecture";
  case Match::expected_time:
    return "expected time";
  case Match::fallback_default:
    return "default";
  }
  return "default";
}

std::optional<Selection> select_exact(const KernelSpec& spec, const std::vector<TunedEntry>& entries,
                                      const Problem& problem, const DeviceInfo& device, const SelectOptions& options) {
  const Limits limits{spec, entries, problem, device, options};
  const auto here = rank(entries, problem, device, is_exact);
  Skipped skipped;
  const Candidate* valid = first_valid(limits, here, skipped);
  return valid == nullptr ? std::nullopt : std::optional(take_exact(limits, *valid, skipped));
}

Result<Selection> select(const KernelSpec& spec, const std::vector<TunedEntry>& entries, const Problem& problem,
                         const DeviceInfo& device, const SelectOptions& options) {
  const Limits limits{spec, entries, problem, device, options};
  const std::string passed_over = disqualified_text(limits);
  Skipped skipped;
  const auto here = rank(entries, problem, device, is_of_device);
  const Candidate* nearest = first_valid(limits, here, skipped);
  if (nearest != nullptr && is_same_but_lists(entries[static_cast<std::size_t>(nearest->entry)].problem, problem))
    return take_exact(limits, *nearest, skipped);
  if (auto transferred = select_transferred(limits, here, nearest, passed_over, skipped))
    return or_much_faster(limits, std::move(*transferred));
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
