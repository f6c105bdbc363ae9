// Computes the elements of generated lists of sizes, with integer arithmetic only: databases store the text of a
// generator, so its list must be the same with every compiler and library. Precondition: all numbers are within the
// limits of spec/size_list.h.
#pragma once

#include <cstdint>
#include <vector>

namespace warptune {

std::vector<std::int64_t> uniform_sizes(std::int64_t count, std::int64_t low, std::int64_t high, std::uint64_t seed);

// Divides `sum` in proportion to 1 / rank^(hundredths / 100). The seed determines the order of the ranks.
std::vector<std::int64_t> zipf_sizes(std::int64_t count, std::int64_t sum, std::uint64_t seed, std::int64_t hundredths);

// Returns `max` first, then the remaining sum divided evenly, then `min`.
std::vector<std::int64_t> spread_sizes(std::int64_t count, std::int64_t sum, std::int64_t max, std::int64_t min);

} // namespace warptune
