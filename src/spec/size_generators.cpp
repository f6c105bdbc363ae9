#include "spec/size_generators.h"

#include "core/random.h"

#include <array>
#include <utility>

namespace warptune {
namespace {

constexpr int kBits = 24; // bits of the fraction of a logarithm

// floor(sqrt(x)), digit by digit.
constexpr std::uint64_t root(std::uint64_t x) {
  std::uint64_t result = 0;
  for (std::uint64_t bit = std::uint64_t{1} << 62; bit != 0; bit >>= 2) {
    if (x >= result + bit) {
      x -= result + bit;
      result = (result >> 1) + bit;
    } else {
      result >>= 1;
    }
  }
  return result;
}

// log2 of a rank below 2^31, with kBits bits of fraction: each squaring yields one bit.
constexpr std::uint64_t log2_of(std::uint64_t rank) {
  std::uint64_t whole = 0;
  while ((rank >> (whole + 1)) != 0) ++whole;
  std::uint64_t x = rank << (31 - whole); // a number in [1, 2), with 31 bits of fraction
  std::uint64_t result = whole;
  for (int i = 0; i < kBits; ++i) {
    x = (x * x) >> 31;
    const std::uint64_t bit = x >> 32;
    x >>= bit;
    result = (result << 1) | bit;
  }
  return result;
}

// 2^(-2^-b) for b = 1.., 32 bits of fraction.
constexpr std::array<std::uint64_t, kBits> kRootsOfHalf = [] {
  std::array<std::uint64_t, kBits> roots{};
  std::uint64_t value = std::uint64_t{1} << 31;
  for (std::uint64_t& r : roots) r = value = root(value << 32);
  return roots;
}();

// 1 / rank^(hundredths / 100), 22 bits of fraction: its product with any sum of sizes fits 64 bits.
std::uint64_t weight_of(std::uint64_t rank, std::uint64_t hundredths) {
  const std::uint64_t exponent = log2_of(rank) * hundredths / 100;
  std::uint64_t value = std::uint64_t{1} << 32;
  for (int b = 0; b < kBits; ++b)
    if ((exponent >> (kBits - 1 - b)) & 1) value = (value * kRootsOfHalf[static_cast<std::size_t>(b)]) >> 32;
  const std::uint64_t whole = exponent >> kBits;
  return whole > 32 ? 0 : (value >> whole) >> 10;
}

} // namespace

std::vector<std::int64_t> uniform_sizes(std::int64_t count, std::int64_t low, std::int64_t high, std::uint64_t seed) {
  std::vector<std::int64_t> sizes;
  const auto choices = static_cast<std::uint64_t>(high - low) + 1;
  const std::uint64_t stream = mix(seed);
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(count); ++i)
    sizes.push_back(low + static_cast<std::int64_t>(mix(stream + i) % choices));
  return sizes;
}

std::vector<std::int64_t> zipf_sizes(std::int64_t count, std::int64_t sum, std::uint64_t seed,
                                     std::int64_t hundredths) {
  const auto n = static_cast<std::size_t>(count);
  std::vector<std::uint64_t> weights;
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < n; ++i) {
    weights.push_back(weight_of(i + 1, static_cast<std::uint64_t>(hundredths)));
    all += weights.back();
  }
  std::vector<std::int64_t> sizes;
  std::int64_t left = sum;
  for (const std::uint64_t weight : weights) {
    sizes.push_back(static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) * weight / all));
    left -= sizes.back();
  }
  for (std::size_t i = 0; left > 0; ++i, --left) ++sizes[i]; // fewer than n are left
  const std::uint64_t stream = mix(seed);
  for (std::size_t i = n; i > 1; --i) std::swap(sizes[i - 1], sizes[static_cast<std::size_t>(mix(stream + i) % i)]);
  return sizes;
}

std::vector<std::int64_t> spread_sizes(std::int64_t count, std::int64_t sum, std::int64_t max, std::int64_t min) {
  if (count == 1) return {max};
  std::vector<std::int64_t> sizes = {max};
  const std::int64_t others = count - 2, rest = sum - max - min;
  for (std::int64_t i = 0; i < others; ++i) sizes.push_back(rest / others + (i < rest % others ? 1 : 0));
  sizes.push_back(min);
  return sizes;
}

} // namespace warptune
