// Statistics of timing samples. Their noise is skewed, so results use the median and tests that assume no distribution.
#pragma once

#include <span>
#include <vector>

namespace warptune {

double median(std::span<const float> samples);             // 0 without samples
double quantile(std::span<const float> samples, double q); // linear interpolation (type 7)
struct Interval {
  double low = 0, high = 0;
};
// The 95 % interval of the median, from binomial order statistics; min..max for fewer than 6 samples.
Interval median_interval(std::span<const float> samples);
// The interval that contains a new sample with 95 % probability, by Student's t on the logarithms; min..max for fewer
// than 5 samples. The interval always contains the median.
Interval next_interval(std::span<const float> samples);
// Standard error of the logarithm of a value, from its 95 % interval; 0 if the interval has no width or is not
// positive.
double log_error(const Interval& interval);
struct Ratio {
  double value = 1, low = 1, high = 1; // value with its 95 % interval
};
// The ratio of two independent positive values. The ratio's interval is computed from both intervals on a logarithmic
// scale.
Ratio ratio_of(double numerator, const Interval& of_numerator, double denominator, const Interval& of_denominator);
// The ratio of values that were measured in pairs: the median of the pairs' ratios, with its median_interval. Pairs
// with a value of 0 are left out; the ratio is 0 if no pair remains.
Ratio ratio_of_pairs(std::span<const float> numerators, std::span<const float> denominators);
// One-sided Wilcoxon signed-rank test on pairs (a[i], b[i]). Returns the p-value of the null hypothesis "a is not
// faster than b". Exact for n <= 25.
double paired_p_faster(std::span<const float> a, std::span<const float> b);

// Two-sided Mann-Whitney test on independent samples. Returns the p-value of the null hypothesis "neither tends to be
// larger"; 1 for fewer than 2 samples, or if all are equal. Uses the normal approximation with the correction for ties.
// This approximation is accurate if `a` and `b` have at least 8 samples each.
double unpaired_p_different(std::span<const float> a, std::span<const float> b);

// Adjusts the p-values of several comparisons (Holm 1979). The chance of at least one false positive among all
// comparisons is then at most the chance for a single comparison.
std::vector<double> holm_adjusted(std::span<const double> p_values);

} // namespace warptune
