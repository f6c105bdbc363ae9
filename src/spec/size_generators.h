// Computes the elements of generated size lists. Databases store only the generator's text, so the generator must make
// the same list with every compiler and library. Therefore all arithmetic is with integers. Precondition of all
// functions: the arguments are within the limits of spec/size_list.h.
#pragma once

#include <cstdint>
#include <vector>

namespace warptune {

std::vector<std::int64_t> uniform_sizes(std::int64_t count, std::int64_t low, std::int64_t high, std::uint64_t seed);

// Divides `sum` in proportion to 1 / rank^(hundredths / 100). `seed` determines which element has which rank.
std::vector<std::int64_t> zipf_sizes(std::int64_t count, std::int64_t sum, std::uint64_t seed, std::int64_t hundredths);

// Returns `max`, then equal shares of what remains of `sum`, then `min`.
std::vector<std::int64_t> spread_sizes(std::int64_t count, std::int64_t sum, std::int64_t max, std::int64_t min);

} // namespace warptune
