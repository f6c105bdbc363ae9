// Trade-offs between objectives that are all minimised, such as time and energy: which points no other beats, and how
// alone they stand. Knows no space and no strategy.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace warptune {

using Objectives = std::vector<double>; // as many for every point; infinity is worst, no NaN

// At least as good in all objectives and better in one.
bool dominates(const Objectives& a, const Objectives& b);

// Front 0: the points that none dominates; front k: those that only points of earlier fronts dominate. Indices into
// `points`, in each front by the first objective, then the next. Equal points share a front. Efficient non-dominated
// sort with binary search (Zhang, Tian, Cheng, Jin 2015).
std::vector<std::vector<std::size_t>> non_dominated_sort(std::span<const Objectives> points);

// Per point of the front: the perimeter of the box between its neighbours in each objective, as a share of the front's
// range (Deb et al. 2002). Infinite at the ends.
std::vector<double> crowding_distance(std::span<const Objectives> points, const std::vector<std::size_t>& front);

} // namespace warptune
