// The elements of generated lists of sizes. Integer arithmetic only: databases hold the text of a generator, so its
// list must be the same with every compiler and library. All numbers within the limits of spec/size_list.h.
#pragma once

#include <cstdint>
#include <vector>

namespace warptune {

std::vector<std::int64_t> uniform_sizes(std::int64_t count, std::int64_t low, std::int64_t high, std::uint64_t seed);

// `sum` shared out in proportion to 1 / rank^(hundredths / 100), ranks in an order that the seed chooses.
std::vector<std::int64_t> zipf_sizes(std::int64_t count, std::int64_t sum, std::uint64_t seed, std::int64_t hundredths);

// The largest, then what is left shared out evenly, then the smallest.
std::vector<std::int64_t> spread_sizes(std::int64_t count, std::int64_t sum, std::int64_t max, std::int64_t min);

} // namespace warptune
