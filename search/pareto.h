// Compares points by several objectives that are all minimised, such as time and energy: finds those that no other
// point dominates, and how far each is from its neighbours. Independent of spaces and strategies.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace warptune {

using Objectives = std::vector<double>; // of equal length for all points; infinity is the worst value; no NaN

// Whether `a` is at least as good as `b` in every objective, and better in at least one.
bool dominates(const Objectives& a, const Objectives& b);

// Sorts points into fronts. Front 0 has the points that no other point dominates; front k has the points that are
// dominated only by points of earlier fronts. A front is a list of indices into `points`, sorted by the first
// objective, then by the next. Equal points are in the same front. Efficient non-dominated sort with binary search
// (Zhang, Tian, Cheng, Jin 2015).
std::vector<std::vector<std::size_t>> non_dominated_sort(std::span<const Objectives> points);

// Returns the crowding distance of each point of a front (Deb et al. 2002): the perimeter of the box between its
// neighbours in each objective, relative to the front's range. Infinity for the first and the last point.
std::vector<double> crowding_distance(std::span<const Objectives> points, const std::vector<std::size_t>& front);

} // namespace warptune
