// Guesses the formulas behind the numbers of launches: a grid of 4096 with n = 1048576 and BLOCK = 256 is
// ceil_div(n, BLOCK). A formula must give the right number in every launch. Pure.
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

// Each returns an empty text if no formula fits. `targets` has a number for each launch.

// Threads of a block: a param, the product of two, or a number that all launches share.
std::string fit_block(const KnownNumbers& known, const std::vector<std::int64_t>& targets);
// Blocks of a grid. `block`: the formula for the threads along the same axis, with their number in each launch.
std::string fit_grid(const KnownNumbers& known, const KnownNumber& block, const std::vector<std::int64_t>& targets);
// Bytes of shared memory: a number that all launches share, or multiples of params.
std::string fit_shared(const KnownNumbers& known, const std::vector<std::int64_t>& targets);
// Elements of a buffer: a product of dims. `slack`: allocators round up, so the formula may give up to this much less.
std::string fit_count(const KnownNumbers& known, const std::vector<std::int64_t>& targets, std::int64_t slack);

} // namespace warptune
