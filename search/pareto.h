// Trade-offs between objectives that are all minimised, such as time and energy: finds the points that no other point
// dominates, and their distances from their neighbours. Does not depend on a space or a strategy.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace warptune {

using Objectives = std::vector<double>; // all points have the same number; infinity is the worst; no NaN

// Whether `a` is at least as good as `b` in all objectives and better in one.
bool dominates(const Objectives& a, const Objectives& b);

// Sorts points into fronts. Front 0: points that no other point dominates; front k: points dominated only by points of
// earlier fronts. A front contains indices into `points`, sorted by the first objective, then the next. Equal points
// share a front. Efficient non-dominated sort with binary search (Zhang, Tian, Cheng, Jin 2015).
std::vector<std::vector<std::size_t>> non_dominated_sort(std::span<const Objectives> points);

// The crowding distance of each point of the front: the perimeter of the box between its neighbours in each objective,
// as a share of the front's range (Deb et al. 2002). Infinite for the first and last point.
std::vector<double> crowding_distance(std::span<const Objectives> points, const std::vector<std::size_t>& front);

} // namespace warptune
