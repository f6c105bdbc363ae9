// Statistics of timing samples. The noise is skewed: results use the median, and tests that assume no distribution.
#pragma once

#include <span>
#include <vector>

namespace warptune {

double median(std::span<const float> samples);             // 0 without samples
double quantile(std::span<const float> samples, double q); // linear interpolation (type 7)
struct Interval {
  double low = 0, high = 0;
};
Interval median_interval(std::span<const float> samples); // 95 %, binomial order statistics; min..max below 6 samples
// The range of a new sample with 95 % probability, by Student's t on the logarithms; min..max below 5 samples. It
// contains the median.
Interval next_interval(std::span<const float> samples);
// Standard error of the logarithm of a value, from its 95 % interval; 0 if the interval has no width or is not
// positive.
double log_error(const Interval& interval);
struct Ratio {
  double value = 1, low = 1, high = 1; // value with its 95 % interval
};
// The ratio of two independent positive values. Its interval combines theirs on a logarithmic scale.
Ratio ratio_of(double numerator, const Interval& of_numerator, double denominator, const Interval& of_denominator);
// The ratio of pairs that were measured together: the median of their ratios, with median_interval. Pairs with a value
// of 0 are left out; 0 if no pair is left.
Ratio ratio_of_pairs(std::span<const float> numerators, std::span<const float> denominators);
// One-sided Wilcoxon signed-rank test on pairs (a[i], b[i]): the p-value of "a is not faster than b". Exact for n <=
// 25.
double paired_p_faster(std::span<const float> a, std::span<const float> b);

// Two-sided Mann-Whitney test on independent samples: the p-value of "neither tends to be larger". Uses the normal
// approximation with the correction for ties, which is good from 8 samples each. Returns 1 for fewer than 2 samples, or
// if all are equal.
double unpaired_p_different(std::span<const float> a, std::span<const float> b);

// Adjusts the p-values of several comparisons (Holm 1979), so that the chance of any false positive among all of them
// is that of a single comparison.
std::vector<double> holm_adjusted(std::span<const double> p_values);

} // namespace warptune
