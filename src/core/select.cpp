#include "core/select.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace warptune {
namespace {

struct Candidate {
  int entry;
  double distance;
};

double shape_distance(const Shape& a, const Shape& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += std::abs(std::log2(static_cast<double>(a[i]) / static_cast<double>(b[i])));
  return sum;
}

bool same_kind(const Problem& a, const Problem& b) {
  return a.dtype == b.dtype && a.flags == b.flags && a.dims.size() == b.dims.size();
}

std::string format_distance(double distance) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", distance);
  return text;
}

// Nearest first; equal distances: the certified, then the newer row wins (the faster time is no argument across
// shapes).
std::vector<Candidate> rank(const std::vector<TunedEntry>& entries, const Problem& problem,
                            bool (*wanted)(const TunedEntry&, const DeviceInfo&), const DeviceInfo& device) {
  std::vector<Candidate> out;
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (same_kind(entries[i].problem, problem) && wanted(entries[i], device))
      out.push_back({static_cast<int>(i), shape_distance(entries[i].problem.dims, problem.dims)});
  std::sort(out.begin(), out.end(), [&](const Candidate& a, const Candidate& b) {
    if (a.distance != b.distance) return a.distance < b.distance;
    const TunedEntry& x = entries[static_cast<std::size_t>(a.entry)];
    const TunedEntry& y = entries[static_cast<std::size_t>(b.entry)];
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
    return "; skipped " + std::to_string(count) + (count == 1 ? " nearer entry" : " nearer entries") +
           " that this problem or device does not allow (" + first_reason + ")";
  }
};

// The first candidate whose config is valid for this problem on this device.
const Candidate* first_valid(const KernelSpec& spec, const std::vector<TunedEntry>& entries,
                             const std::vector<Candidate>& ranked, const Problem& problem, const DeviceInfo& device,
                             Skipped& skipped) {
  for (const Candidate& candidate : ranked) {
    const auto reason = check_config(spec, problem, device, entries[static_cast<std::size_t>(candidate.entry)].config);
    if (!reason) return &candidate;
    if (skipped.count++ == 0) skipped.first_reason = *reason;
  }
  return nullptr;
}

bool is_same_device(const TunedEntry& e, const DeviceInfo& d) { return e.device_name == d.name; }
bool is_same_arch(const TunedEntry& e, const DeviceInfo& d) { return e.device_name != d.name && e.arch == d.arch; }

// The values of a param, those next to its default first.
std::vector<std::int64_t> values_around_default(const Param& param) {
  const auto middle = std::find(param.values.begin(), param.values.end(), param.default_value) - param.values.begin();
  std::vector<std::int64_t> values = param.values;
  const auto steps = [&](std::int64_t value) {
    return std::abs(std::find(param.values.begin(), param.values.end(), value) - param.values.begin() - middle);
  };
  std::stable_sort(values.begin(), values.end(), [&](std::int64_t a, std::int64_t b) { return steps(a) < steps(b); });
  return values;
}

// A valid configuration that differs from the default in `changes` params from `first` on.
bool change_params(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device, std::size_t first,
                   int changes, Config& config) {
  if (changes == 0) return !check_config(spec, problem, device, config);
  for (std::size_t i = first; i < spec.params.size(); ++i) {
    for (const std::int64_t value : values_around_default(spec.params[i])) {
      if (value == spec.params[i].default_value) continue;
      config[i] = value;
      if (change_params(spec, problem, device, i + 1, changes - 1, config)) return true;
    }
    config[i] = spec.params[i].default_value;
  }
  return false;
}

Result<Selection> select_untuned(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device,
                                 const std::string& because) {
  Selection selection;
  selection.config = default_config(spec);
  const auto reason = check_config(spec, problem, device, selection.config);
  if (!reason) {
    selection.why = "the kernel's default configuration, because " + because;
    return selection;
  }
  const std::string instead = ", because " + because + " and the default is not valid here (" + *reason + ")";
  for (const int changes : {1, 2}) {
    if (!change_params(spec, problem, device, 0, changes, selection.config)) continue;
    selection.why = "the valid configuration nearest to the default (" + std::to_string(changes) +
                    (changes == 1 ? " param changed)" : " params changed)") + instead;
    return selection;
  }
  auto space = SearchSpace::build(spec, problem, device);
  if (!space) return tl::make_unexpected(space.error());
  selection.config = space->config(0);
  selection.why = "the first valid configuration" + instead;
  return selection;
}

} // namespace

std::string_view match_name(Match m) {
  switch (m) {
  case Match::exact:
    return "exact";
  case Match::nearest_shape:
    return "nearest shape";
  case Match::other_device:
    return "same architecture";
  case Match::fallback_default:
    return "default";
  }
  return "default";
}

Result<Selection> select(const KernelSpec& spec, const std::vector<TunedEntry>& entries, const Problem& problem,
                         const DeviceInfo& device) {
  Skipped skipped;
  const auto here = rank(entries, problem, is_same_device, device);
  if (const Candidate* c = first_valid(spec, entries, here, problem, device, skipped)) {
    const TunedEntry& entry = entries[static_cast<std::size_t>(c->entry)];
    const bool exact = entry.problem == problem;
    Selection s{entry.config, exact ? Match::exact : Match::nearest_shape, c->distance, c->entry, {}};
    s.why = exact ? "tuned for exactly this problem on this device"
                  : "tuned on this device for " + problem_key(spec, entry.problem) +
                        ", the nearest shape by log2 distance (" + format_distance(c->distance) + ")" + skipped.text();
    return s;
  }
  const auto elsewhere = rank(entries, problem, is_same_arch, device);
  if (const Candidate* c = first_valid(spec, entries, elsewhere, problem, device, skipped)) {
    const TunedEntry& entry = entries[static_cast<std::size_t>(c->entry)];
    Selection s{entry.config, Match::other_device, c->distance, c->entry, {}};
    s.why = "tuned for " + problem_key(spec, entry.problem) + " on " + entry.device_name +
            ", another device of the same architecture " + entry.arch + " (shape distance " +
            format_distance(c->distance) + ")" + skipped.text();
    return s;
  }
  if (skipped.count > 0)
    return select_untuned(spec, problem, device,
                          "none of the " + std::to_string(skipped.count) +
                              " tuned configurations for this dtype, these "
                              "flags and this architecture is valid here (" +
                              skipped.first_reason + ")");
  if (entries.empty()) return select_untuned(spec, problem, device, "nothing was tuned for this kernel yet");
  const bool says_arch = device.name.find(device.arch) != std::string::npos;
  const std::string device_text = device.name + (says_arch ? "" : " (" + device.arch + ")");
  return select_untuned(spec, problem, device,
                        "nothing that was tuned fits this dtype, these flags and " + device_text);
}

} // namespace warptune
