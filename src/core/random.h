// Random bits that are the same on every machine and with every standard library: SplitMix64 (Steele, Lea, Flood 2014).
// Pure functions without state.
#pragma once

#include <cstdint>

namespace warptune {

inline constexpr std::uint64_t kSplitMixStep = 0x9e3779b97f4a7c15u;

// SplitMix64's finaliser, a bijection in which every input bit affects every output bit. Maps zero to zero.
constexpr std::uint64_t mix_bits(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Returns the generator's output for state x. Even neighbouring states give unrelated outputs.
constexpr std::uint64_t mix(std::uint64_t x) { return mix_bits(x + kSplitMixStep); }

} // namespace warptune
