#include "capture/fit_formula.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <limits>

namespace warptune {
namespace {

using Values = std::vector<std::int64_t>;

// Returns 0 on overflow.
std::int64_t product(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? 0 : result;
}

KnownNumber times(const KnownNumber& a, const KnownNumber& b) {
  KnownNumber both{a.name + " * " + b.name, a.values};
  for (std::size_t i = 0; i < both.values.size(); ++i) both.values[i] = product(a.values[i], b.values[i]);
  return both;
}

// Each number, then the products of two different ones, then of three.
std::vector<KnownNumber> products(const std::vector<KnownNumber>& all, int most) {
  std::vector<KnownNumber> found = all;
  for (std::size_t i = 0; most > 1 && i < all.size(); ++i)
    for (std::size_t j = i + 1; j < all.size(); ++j) found.push_back(times(all[i], all[j]));
  for (std::size_t i = 0; most > 2 && i < all.size(); ++i)
    for (std::size_t j = i + 1; j < all.size(); ++j)
      for (std::size_t k = j + 1; k < all.size(); ++k) found.push_back(times(times(all[i], all[j]), all[k]));
  return found;
}

bool is_constant(const Values& values) {
  return std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
}

std::string number_for_all(const Values& targets) {
  return !targets.empty() && is_constant(targets) ? std::to_string(targets.front()) : std::string();
}

bool divides_up_to(const Values& dividends, const Values& divisors, const Values& targets) {
  for (std::size_t i = 0; i < targets.size(); ++i)
    if (divisors[i] <= 0 || dividends[i] <= 0 || (dividends[i] - 1) / divisors[i] + 1 != targets[i]) return false;
  return true;
}

// Puts params first whose names suggest a block size; the others keep their order.
std::vector<KnownNumber> block_like_first(std::vector<KnownNumber> params) {
  std::stable_partition(params.begin(), params.end(), [](const KnownNumber& param) {
    std::string name = param.name;
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::toupper(c); });
    return name.find("BLOCK") != std::string::npos || name.find("THREAD") != std::string::npos ||
           name.find("BDIM") != std::string::npos;
  });
  return params;
}

} // namespace

std::string fit_block(const KnownNumbers& known, const Values& targets) {
  const std::string number = number_for_all(targets);
  if (number == "1") return number;
  for (const KnownNumber& candidate : products(block_like_first(known.params), 2))
    if (candidate.values == targets) return candidate.name;
  return number;
}

std::string fit_grid(const KnownNumbers& known, const KnownNumber& block, const Values& targets) {
  const std::vector<KnownNumber> dims = products(known.dims, 2);
  const Values ones(targets.size(), 1);
  const std::string number = number_for_all(targets);
  const auto divided = [&](const KnownNumber& divisor) -> std::string {
    for (const KnownNumber& dim : dims)
      if (divides_up_to(dim.values, divisor.values, targets))
        return fmt::format("ceil_div({}, {})", dim.name, divisor.name);
    return {};
  };
  const bool has_block = !block.name.empty() && block.values != ones;
  if (number == "1") { // one block: by design, or because the problem is small
    const std::string text = has_block ? divided(block) : std::string();
    return text.empty() ? number : text;
  }
  std::vector<KnownNumber> divisors;
  if (has_block) divisors.push_back(block);
  for (const KnownNumber& param : known.params)
    if (has_block && param.name != block.name && param.values != ones) divisors.push_back(times(block, param));
  for (const KnownNumber& divisor : divisors)
    if (std::string text = divided(divisor); !text.empty()) return text;
  for (const KnownNumber& dim : dims)
    if (dim.values == targets) return dim.name;
  for (const KnownNumber& param : products(known.params, 2))
    if (param.values != ones)
      if (std::string text = divided(param); !text.empty()) return text;
  for (const std::int64_t factor : {2, 4, 8, 16, 32, 64}) { // elements per thread
    const KnownNumber literal{std::to_string(factor), Values(targets.size(), factor)};
    if (std::string text = divided(has_block ? times(block, literal) : literal); !text.empty()) return text;
  }
  return number;
}

std::string fit_shared(const KnownNumbers& known, const Values& targets) {
  const std::string number = number_for_all(targets);
  if (number == "0") return number;
  for (const KnownNumber& candidate : products(known.params, 3))
    for (const std::int64_t factor : {4, 8, 2, 1, 16}) {
      const KnownNumber literal{std::to_string(factor), Values(targets.size(), factor)};
      const KnownNumber scaled = factor == 1 ? candidate : times(candidate, literal);
      if (scaled.values == targets) return scaled.name;
    }
  return number;
}

std::string fit_count(const KnownNumbers& known, const Values& targets, std::int64_t slack) {
  const std::vector<KnownNumber> dims = products(known.dims, 3);
  std::string best;
  std::int64_t best_error = std::numeric_limits<std::int64_t>::max();
  for (const KnownNumber& candidate : dims) {
    std::int64_t error = 0;
    bool fits = true;
    for (std::size_t i = 0; i < targets.size() && fits; ++i) {
      fits = candidate.values[i] > 0 && candidate.values[i] <= targets[i] && targets[i] - candidate.values[i] <= slack;
      if (fits) error += targets[i] - candidate.values[i];
    }
    if (fits && error < best_error) {
      best = candidate.name;
      best_error = error;
    }
  }
  return best.empty() ? number_for_all(targets) : best;
}

} // namespace warptune
