// Guesses the formulas behind the sizes in recorded launches (grid, block, shared memory, buffers): a grid of 4096 with
// n = 1048576 and BLOCK = 256 is ceil_div(n, BLOCK). A formula must be right for every launch. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warptune {

// A name with its value in each launch.
struct KnownNumber {
  std::string name;
  std::vector<std::int64_t> values;
};

struct KnownNumbers {
  std::vector<KnownNumber> dims, params; // sizes of the problem; macros and template arguments
};

// Each function returns an empty text if no formula fits. `targets` has one number per launch.

// Fits the threads per block: a param, the product of two params, or a number that all launches share.
std::string fit_block(const KnownNumbers& known, const std::vector<std::int64_t>& targets);
// Fits the blocks of a grid along one axis. `block`: the threads per block along it, as a formula and as numbers.
std::string fit_grid(const KnownNumbers& known, const KnownNumber& block, const std::vector<std::int64_t>& targets);
// Fits the bytes of dynamic shared memory: a number that all launches share, or a multiple of params.
std::string fit_shared(const KnownNumbers& known, const std::vector<std::int64_t>& targets);
// Fits the elements of a buffer: a product of dims, otherwise a number that all launches share. `slack`: by how much a
// product may be too low, because allocators round up.
std::string fit_count(const KnownNumbers& known, const std::vector<std::int64_t>& targets, std::int64_t slack);

} // namespace warptune
