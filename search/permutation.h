// Permutation: a random order of a space's indices, which depends on a seed. Needs constant memory for any size.
#pragma once

#include "core/random.h"

#include <array>
#include <bit>
#include <cstddef>

namespace warptune {

// A balanced Feistel network permutes [0, 4^half). Cycle walking repeats the network until the value is below `size`,
// so that [0, size) is permuted (Black and Rogaway 2002). On average this takes fewer than four steps, because 4^half <
// 4 * size.
class Permutation {
 public:
  Permutation(std::uint64_t size, std::uint64_t seed) : size_(size) {
    half_bits_ = static_cast<int>((std::bit_width(size > 1 ? size - 1 : 1) + 1) / 2);
    for (std::size_t i = 0; i < keys_.size(); ++i) keys_[i] = mix(seed + i * kSplitMixStep);
  }

  std::uint64_t operator()(std::uint64_t x) const { // precondition: x < size
    do x = encrypt(x);
    while (x >= size_);
    return x;
  }

 private:
  std::uint64_t encrypt(std::uint64_t x) const {
    const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
    std::uint64_t left = x >> half_bits_, right = x & mask;
    for (const std::uint64_t key : keys_) {
      const std::uint64_t next = left ^ (mix_bits(right + key) & mask);
      left = right;
      right = next;
    }
    return left << half_bits_ | right;
  }

  std::uint64_t size_;
  int half_bits_;
  std::array<std::uint64_t, 6> keys_{};
};

} // namespace warptune
