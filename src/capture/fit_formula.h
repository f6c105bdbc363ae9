// Guesses formulas for the numbers in recorded launches (grid, block, shared memory, buffer sizes). For example, a grid
// of 4096 with n = 1048576 and BLOCK = 256 is ceil_div(n, BLOCK). A formula must be right for every launch. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warptune {

// A name, and its value in each launch.
struct KnownNumber {
  std::string name;
  std::vector<std::int64_t> values;
};

struct KnownNumbers {
  std::vector<KnownNumber> dims, params; // dims: sizes of the problem; params: macros and template arguments
};

// All functions return an empty text if no formula fits. `targets`: the numbers to explain, one per launch.

// Fits the threads per block: a param, the product of two params, or a number that is equal in all launches.
std::string fit_block(const KnownNumbers& known, const std::vector<std::int64_t>& targets);
// Fits the blocks of the grid along one axis. `block`: the threads per block along that axis, as a formula and as
// numbers.
std::string fit_grid(const KnownNumbers& known, const KnownNumber& block, const std::vector<std::int64_t>& targets);
// Fits the bytes of dynamic shared memory: a number that is equal in all launches, or a multiple of params.
std::string fit_shared(const KnownNumbers& known, const std::vector<std::int64_t>& targets);
// Fits the elements of a buffer: a product of dims, or else a number that is equal in all launches. `slack`: how much
// smaller than the target a product may be, because allocators round up.
std::string fit_count(const KnownNumbers& known, const std::vector<std::int64_t>& targets, std::int64_t slack);

} // namespace warptune
