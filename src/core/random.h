// Random numbers that are the same on every machine and with every library: SplitMix64 (Steele, Lea, Flood 2014). Pure
// functions: no state and no distributions.
#pragma once

#include <cstdint>

namespace warptune {

inline constexpr std::uint64_t kSplitMixStep = 0x9e3779b97f4a7c15u;

// The finaliser, a bijection: every input bit changes every output bit. Zero stays zero.
constexpr std::uint64_t mix_bits(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Returns the generator's output for state x. Even neighbouring seeds and positions give unrelated streams.
constexpr std::uint64_t mix(std::uint64_t x) { return mix_bits(x + kSplitMixStep); }

} // namespace warptune
