// Trade-offs between objectives that are all minimised, such as time and energy: which points no other point dominates,
// and how far they are from their neighbours. Knows no space and no strategy.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace warptune {

using Objectives = std::vector<double>; // the same number for every point; infinity is worst, no NaN

// Whether `a` is at least as good in all objectives and better in one.
bool dominates(const Objectives& a, const Objectives& b);

// Front 0: the points that no other dominates; front k: the points that only points of earlier fronts dominate. Indices
// into `points`, in each front sorted by the first objective, then the next. Equal points share a front. Efficient
// non-dominated sort with binary search (Zhang, Tian, Cheng, Jin 2015).
std::vector<std::vector<std::size_t>> non_dominated_sort(std::span<const Objectives> points);

// The crowding distance of each point of the front: the perimeter of the box between its neighbours in each objective,
// as a share of the front's range (Deb et al. 2002). Infinite for the first and last point.
std::vector<double> crowding_distance(std::span<const Objectives> points, const std::vector<std::size_t>& front);

} // namespace warptune
