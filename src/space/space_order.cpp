// The order of the params in the tree.
#include "space/space_builder.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace warptune {
namespace {

// The logarithm of the largest number of prefixes that a level must distinguish.
double width(const SpaceModel& model, const std::vector<std::size_t>& order) {
  const std::size_t count = order.size();
  std::vector<std::size_t> level(count), last_read(count);
  for (std::size_t l = 0; l < count; ++l) level[order[l]] = l;
  for (const SpaceModel::Rule& rule : model.rules) {
    std::size_t last = 0;
    for (const int param : rule.params) last = std::max(last, level[static_cast<std::size_t>(param)]);
    for (const int param : rule.params) {
      std::size_t& read = last_read[static_cast<std::size_t>(param)];
      read = std::max(read, last);
    }
  }
  double widest = 0;
  for (std::size_t l = 0; l < count; ++l) {
    double prefixes = 0;
    for (std::size_t before = 0; before < l; ++before)
      if (last_read[order[before]] >= l)
        prefixes += std::log2(static_cast<double>(std::max<std::size_t>(model.values[order[before]].size(), 1)));
    widest = std::max(widest, prefixes);
  }
  return widest;
}

// Groups of params that rules connect; the first param identifies its group.
std::vector<std::size_t> find_groups(const SpaceModel& model) {
  std::vector<std::size_t> group(model.values.size());
  std::iota(group.begin(), group.end(), std::size_t{0});
  for (const SpaceModel::Rule& rule : model.rules) {
    if (rule.params.empty()) continue;
    std::size_t first = group.size();
    for (const int param : rule.params) first = std::min(first, group[static_cast<std::size_t>(param)]);
    std::vector<bool> joined(group.size());
    for (const int param : rule.params) joined[group[static_cast<std::size_t>(param)]] = true;
    for (std::size_t& g : group)
      if (joined[g]) g = first;
  }
  return group;
}

} // namespace

std::vector<std::size_t> choose_order(const SpaceModel& model) {
  constexpr double kLarge = 16; // 65536 prefixes are built in milliseconds in any order
  std::vector<std::size_t> plain(model.values.size());
  std::iota(plain.begin(), plain.end(), std::size_t{0});
  const double plain_width = width(model, plain);
  if (plain_width <= kLarge) return plain;
  const std::vector<std::size_t> group = find_groups(model);
  std::vector<std::size_t> grouped = plain;
  std::stable_sort(grouped.begin(), grouped.end(), [&](std::size_t a, std::size_t b) { return group[a] < group[b]; });
  return width(model, grouped) < plain_width ? grouped : plain;
}

} // namespace warptune
