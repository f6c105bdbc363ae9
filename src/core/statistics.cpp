#include "core/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

namespace warptune {
namespace {

// With fewer samples, no pair of order statistics brackets the median with a probability of 95 %: 2 * 0.5^5 > 0.05.
constexpr std::size_t kMinForInterval = 6;
constexpr double kHalfOutside = 0.025;
constexpr double kZ = 1.959964; // 95 % interval of a normal distribution
constexpr std::size_t kMinForNext = 5;
constexpr std::size_t kLargestExact = 25; // for up to 25 pairs, signed-rank sums are counted exactly

// Drops NaN, which would break the order that sorting needs.
std::vector<float> sorted(std::span<const float> samples) {
  std::vector<float> copy;
  std::copy_if(samples.begin(), samples.end(), std::back_inserter(copy), [](float x) { return !std::isnan(x); });
  std::sort(copy.begin(), copy.end());
  return copy;
}

double quantile_of_sorted(const std::vector<float>& s, double q) {
  if (s.empty()) return 0;
  const double position = std::clamp(q, 0.0, 1.0) * static_cast<double>(s.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, s.size() - 1);
  const double fraction = position - static_cast<double>(below);
  return static_cast<double>(s[below]) * (1 - fraction) + static_cast<double>(s[above]) * fraction;
}

// P(B = k) for B binomial(n, 1/2). Uses logarithms, because 2^-n may underflow.
double binomial_half(std::size_t n, std::size_t k) {
  const auto log_factorial = [](std::size_t m) { return std::lgamma(static_cast<double>(m) + 1); };
  return std::exp(log_factorial(n) - log_factorial(k) - log_factorial(n - k) - static_cast<double>(n) * std::log(2.0));
}

// The 97.5 % quantile of Student's t, computed from the normal one (Abramowitz and Stegun 26.7.5; the error is below
// 0.5 % from 4 degrees of freedom on).
double student_975(double degrees) {
  const double z = 1.959963985, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
  return z + (z3 + z) / (4 * degrees) + (5 * z5 + 16 * z3 + 3 * z) / (96 * degrees * degrees) +
         (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * degrees * degrees * degrees);
}

struct SignedRanks {
  double sum_of_minus = 0;
  std::vector<double> ranks;
};

// Ranks of |a - b|. Ties share their mean rank; zero differences are dropped (Wilcoxon 1945).
SignedRanks signed_ranks(std::span<const float> a, std::span<const float> b) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (a[i] != b[i]) differences.push_back(static_cast<double>(a[i]) - static_cast<double>(b[i]));
  std::sort(differences.begin(), differences.end(), [](double x, double y) { return std::abs(x) < std::abs(y); });
  SignedRanks out;
  out.ranks.resize(differences.size());
  for (std::size_t first = 0; first < differences.size();) {
    std::size_t last = first;
    while (last + 1 < differences.size() && std::abs(differences[last + 1]) == std::abs(differences[first])) ++last;
    const double rank = (static_cast<double>(first + last) / 2) + 1;
    for (std::size_t i = first; i <= last; ++i) {
      out.ranks[i] = rank;
      if (differences[i] > 0) out.sum_of_minus += rank; // a is slower than b
    }
    first = last + 1;
  }
  return out;
}

// P(sum of a random subset of the ranks <= limit), by counting subsets per doubled rank sum.
double exact_lower_tail(const std::vector<double>& ranks, double limit) {
  std::size_t total = 0;
  for (const double r : ranks) total += static_cast<std::size_t>(std::lround(2 * r));
  std::vector<double> probability(total + 1, 0.0);
  probability[0] = 1;
  for (const double r : ranks) {
    const auto step = static_cast<std::size_t>(std::lround(2 * r));
    for (std::size_t sum = total + 1; sum-- > 0;)
      probability[sum] = 0.5 * (probability[sum] + (sum >= step ? probability[sum - step] : 0.0));
  }
  const auto last = static_cast<std::size_t>(std::lround(2 * limit));
  return std::accumulate(probability.begin(), probability.begin() + static_cast<std::ptrdiff_t>(last) + 1, 0.0);
}

} // namespace

double median(std::span<const float> samples) { return quantile(samples, 0.5); }

double quantile(std::span<const float> samples, double q) { return quantile_of_sorted(sorted(samples), q); }

// Conover, Practical Nonparametric Statistics, 3.2: the number of samples below the median is binomial(n, 1/2), so the
// k-th smallest and the k-th largest sample bracket it with probability 1 - 2 P(B < k). Uses the largest k that gives
// at least 95 %.
Interval median_interval(std::span<const float> samples) {
  const std::vector<float> s = sorted(samples);
  if (s.empty()) return {};
  const std::size_t n = s.size();
  std::size_t k = 1;
  double tail = 0; // P(B <= k)
  for (; n >= kMinForInterval && k <= n / 2; ++k) {
    tail += binomial_half(n, k);
    if (k == 1) tail += binomial_half(n, 0);
    if (tail > kHalfOutside) break;
  }
  return {static_cast<double>(s[k - 1]), static_cast<double>(s[n - k])};
}

Interval next_interval(std::span<const float> samples) {
  const std::vector<float> s = sorted(samples);
  if (s.empty()) return {};
  const Interval range{static_cast<double>(s.front()), static_cast<double>(s.back())};
  if (s.size() < kMinForNext || !(s.front() > 0)) return range;
  const auto n = static_cast<double>(s.size());
  double mean = 0, squares = 0;
  for (const float x : s) mean += std::log(static_cast<double>(x)) / n;
  for (const float x : s) squares += std::pow(std::log(static_cast<double>(x)) - mean, 2);
  const double half = student_975(n - 1) * std::sqrt(squares / (n - 1) * (1 + 1 / n));
  const double middle = quantile_of_sorted(s, 0.5); // inside but for rounding: within a deviation of the mean
  return {std::min(std::exp(mean - half), middle), std::max(std::exp(mean + half), middle)};
}

double paired_p_faster(std::span<const float> a, std::span<const float> b) {
  const SignedRanks ranks = signed_ranks(a, b);
  const std::size_t n = ranks.ranks.size();
  if (n == 0) return 1; // identical samples: no difference
  if (n <= kLargestExact) return std::min(1.0, exact_lower_tail(ranks.ranks, ranks.sum_of_minus));
  double variance = 0;
  for (const double r : ranks.ranks) variance += r * r / 4;
  const double mean = static_cast<double>(n) * static_cast<double>(n + 1) / 4;
  return 0.5 * std::erfc(-(ranks.sum_of_minus + 0.5 - mean) / std::sqrt(2 * variance));
}

// Conover, Practical Nonparametric Statistics, 5.1, with the mean rank for ties.
double unpaired_p_different(std::span<const float> a, std::span<const float> b) {
  std::vector<std::pair<float, bool>> all; // value, and whether it is from a
  for (const float x : sorted(a)) all.emplace_back(x, true);
  const std::size_t count_a = all.size();
  for (const float x : sorted(b)) all.emplace_back(x, false);
  const std::size_t count_b = all.size() - count_a;
  if (count_a < 2 || count_b < 2) return 1;
  std::sort(all.begin(), all.end());
  double rank_sum = 0, ties = 0;
  for (std::size_t first = 0; first < all.size();) {
    std::size_t last = first;
    while (last + 1 < all.size() && all[last + 1].first == all[first].first) ++last;
    const double rank = (static_cast<double>(first + last) / 2) + 1, equal = static_cast<double>(last - first + 1);
    for (std::size_t i = first; i <= last; ++i) rank_sum += all[i].second ? rank : 0;
    ties += equal * equal * equal - equal;
    first = last + 1;
  }
  const auto m = static_cast<double>(count_a), n = static_cast<double>(count_b), total = m + n;
  const double u = rank_sum - m * (m + 1) / 2;
  const double variance = m * n / 12 * (total + 1 - ties / (total * (total - 1)));
  if (!(variance > 0)) return 1;
  const double off = std::max(0.0, std::abs(u - m * n / 2) - 0.5); // with continuity correction
  return std::erfc(off / std::sqrt(2 * variance));
}

std::vector<double> holm_adjusted(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return p_values[i] < p_values[j]; });
  std::vector<double> adjusted(p_values.size());
  double largest = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    largest = std::max(largest, static_cast<double>(order.size() - k) * p_values[order[k]]);
    adjusted[order[k]] = std::min(1.0, largest);
  }
  return adjusted;
}

double log_error(const Interval& interval) {
  if (!(interval.low > 0) || !(interval.high > interval.low)) return 0;
  return std::log(interval.high / interval.low) / (2 * kZ);
}

Ratio ratio_of(double numerator, const Interval& of_numerator, double denominator, const Interval& of_denominator) {
  const double error = std::hypot(log_error(of_numerator), log_error(of_denominator));
  const double value = numerator / denominator;
  return {value, value * std::exp(-kZ * error), value * std::exp(kZ * error)};
}

Ratio ratio_of_pairs(std::span<const float> numerators, std::span<const float> denominators) {
  std::vector<float> ratios;
  for (std::size_t i = 0; i < std::min(numerators.size(), denominators.size()); ++i)
    if (numerators[i] > 0 && denominators[i] > 0) ratios.push_back(numerators[i] / denominators[i]);
  const Interval interval = median_interval(ratios);
  return {median(ratios), interval.low, interval.high};
}

} // namespace warptune
