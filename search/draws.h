// Draws: a strategy's random numbers, which are the same on every machine.
#pragma once

#include "core/random.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace warptune {

class Draws {
 public:
  // Different streams of one seed are independent of each other.
  explicit Draws(std::uint64_t seed, std::uint64_t stream = 0) : state_(mix(mix(seed) + stream)) {}

  std::uint64_t next() { return mix_bits(state_ += kSplitMixStep); }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; } // in [0, 1)
  bool chance(double probability) { return uniform() < probability; }
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(next() % count); } // precondition: count > 0

  template <class T> const T& pick(const std::vector<T>& of) { return of[below(of.size())]; } // precondition: not empty
  template <class T> void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::uint64_t state_;
};

} // namespace warptune
