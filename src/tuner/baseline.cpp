#include "tuner/baseline.h"

#include "spec/config.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

namespace warptune {
namespace {

bool contains(std::span<const ConfigIndex> list, ConfigIndex index) {
  return std::find(list.begin(), list.end(), index) != list.end();
}

// Adds the valid combinations of the implementation's values. The last param varies fastest.
void add_valid(const Implementation& implementation, const SearchSpace& space, Config config, std::size_t param,
               std::vector<ConfigIndex>& found) {
  if (found.size() >= kMaxBaselines) return;
  if (param == implementation.params.size()) {
    if (const auto index = space.find(config)) found.push_back(*index);
    return;
  }
  const OwnParam& own = implementation.params[param];
  for (const std::int64_t value : own.values) {
    config[own.index] = value;
    add_valid(implementation, space, config, param + 1, found);
  }
}

// Of the correct finalists that are wanted; null if there is none.
template <class Wanted> const Finalist* fastest(std::span<const Finalist> finalists, const Wanted& wanted) {
  const Finalist* best = nullptr;
  for (const Finalist& f : finalists)
    if (f.status == TrialStatus::ok && wanted(f) &&
        (best == nullptr || compared_median_us(f) < compared_median_us(*best)))
      best = &f;
  return best;
}

} // namespace

std::vector<ConfigIndex> find_baselines(const KernelSpec& spec, const SearchSpace& space) {
  std::vector<ConfigIndex> all;
  for (std::size_t i = 0; i < spec.implementations.size(); ++i) {
    if (spec.implementations[i].library_calls.empty()) continue;
    std::vector<ConfigIndex> found;
    add_valid(spec.implementations[i], space, default_config(spec, i), 0, found);
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}

std::string no_baseline_text(const KernelSpec& spec) {
  const bool has_calls = std::any_of(spec.implementations.begin(), spec.implementations.end(),
                                     [](const Implementation& one) { return !one.library_calls.empty(); });
  if (has_calls)
    return fmt::format("there is no baseline: no library call of {} is valid for this problem on this device",
                       spec.name);
  return fmt::format("there is no baseline: no implementation of {} calls a library", spec.name);
}

void add_baselines(std::vector<ConfigIndex>& finalists, const TrialBook& book, const KernelSpec& spec,
                   std::span<const ConfigIndex> baselines) {
  std::map<std::size_t, ConfigIndex> fastest; // by implementation
  const auto time_of = [&](ConfigIndex index) { return book.at(index).timing->median_us; };
  const auto add = [&](ConfigIndex index) {
    if (!contains(finalists, index)) finalists.push_back(index);
  };
  for (const ConfigIndex index : baselines) {
    const auto found = book.find(index);
    if (found == book.end() || found->second.status != TrialStatus::ok || !found->second.timing) continue;
    if (index == baselines.front()) add(index);
    const auto [best, is_first] = fastest.emplace(spec.implementation_index(found->second.config), index);
    if (!is_first && time_of(index) < time_of(best->second)) best->second = index;
  }
  for (const auto& [implementation, index] : fastest) add(index);
}

void add_without_calls(std::vector<ConfigIndex>& finalists, const TrialBook& book, const KernelSpec& spec) {
  const auto is_call = [&](ConfigIndex index) { return spec.calls_libraries(book.at(index).config); };
  if (std::none_of(finalists.begin(), finalists.end(), is_call)) return;
  const std::pair<const ConfigIndex, Trial>* best = nullptr;
  for (const auto& tried : book) {
    const Trial& trial = tried.second;
    if (trial.status != TrialStatus::ok || !trial.timing || !trial.timing->complete ||
        spec.calls_libraries(trial.config))
      continue;
    if (best == nullptr || trial.timing->median_us < best->second.timing->median_us) best = &tried;
  }
  if (best != nullptr && !contains(finalists, best->first)) finalists.push_back(best->first);
}

const Finalist* fastest_baseline(std::span<const Finalist> finalists, std::span<const ConfigIndex> baselines) {
  return fastest(finalists, [&](const Finalist& f) { return contains(baselines, f.index); });
}

const Finalist* fastest_without_calls(std::span<const Finalist> finalists) {
  return fastest(finalists, [](const Finalist& f) { return f.calls.empty(); });
}

std::string compare_with_kernel(const std::string& kernel, double kernel_us, double winner_us) {
  return fmt::format("the fastest configuration without library calls has {:.3f}x its speed ({:.1f} us): {}",
                     winner_us / kernel_us, kernel_us, kernel);
}

std::string compare_with_baseline(const std::string& baseline, double baseline_us, double winner_us) {
  return fmt::format("{:.3f}x the speed of {} ({:.1f} us)", baseline_us / winner_us, baseline, baseline_us);
}

} // namespace warptune
