#include "search/pareto.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace warptune {

bool dominates(const Objectives& a, const Objectives& b) {
  bool better = false;
  for (std::size_t m = 0; m < a.size(); ++m) {
    if (a[m] > b[m]) return false;
    better = better || a[m] < b[m];
  }
  return better;
}

std::vector<std::vector<std::size_t>> non_dominated_sort(std::span<const Objectives> points) {
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return points[a] < points[b]; });
  std::vector<std::vector<std::size_t>> fronts;
  for (const std::size_t point : order) {
    // In this order only earlier points can dominate; one that a front dominates is dominated by all fronts before it.
    const auto front = std::partition_point(fronts.begin(), fronts.end(), [&](const auto& members) {
      return std::any_of(members.rbegin(), members.rend(),
                         [&](std::size_t other) { return dominates(points[other], points[point]); });
    });
    if (front == fronts.end())
      fronts.push_back({point});
    else
      front->push_back(point);
  }
  return fronts;
}

std::vector<double> crowding_distance(std::span<const Objectives> points, const std::vector<std::size_t>& front) {
  std::vector<double> distance(front.size(), 0.0);
  if (front.empty()) return distance;
  std::vector<std::size_t> order(front.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t m = 0; m < points[front[0]].size(); ++m) {
    const auto at = [&](std::size_t i) { return points[front[i]][m]; };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return at(a) < at(b); });
    const double range = at(order.back()) - at(order.front());
    if (!(range > 0)) continue; // all are equal, or the range is NaN because all are infinite
    distance[order.front()] = distance[order.back()] = std::numeric_limits<double>::infinity();
    if (!std::isfinite(range)) continue;
    for (std::size_t i = 1; i + 1 < order.size(); ++i)
      distance[order[i]] += (at(order[i + 1]) - at(order[i - 1])) / range;
  }
  return distance;
}

} // namespace warptune
