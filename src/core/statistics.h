// Statistics of timing samples. Noise is skewed, so a median and its tests assume no distribution.
#pragma once

#include <span>
#include <vector>

namespace warptune {

double median(std::span<const float> samples);             // 0 for none
double quantile(std::span<const float> samples, double q); // linear interpolation (type 7)
struct Interval {
  double low = 0, high = 0;
};
Interval median_interval(std::span<const float> samples); // 95 %, binomial order statistics; min..max below 6 samples
// Where one more sample falls with 95 %, by Student's t on the logarithms; holds the median. min..max below 5 samples.
Interval next_interval(std::span<const float> samples);
// One-sided Wilcoxon signed-rank on pairs (a[i], b[i]): p-value that a is not faster than b. Exact for n <= 25.
double paired_p_faster(std::span<const float> a, std::span<const float> b);

// Two-sided Mann-Whitney on independent samples: p-value that neither tends to be larger. By the normal approximation
// with the correction for ties, which is good from 8 samples each; 1 for fewer than 2 or all equal.
double unpaired_p_different(std::span<const float> a, std::span<const float> b);

// P-values of several comparisons, each as large as it must be so that the chance of any false one stays what a single
// one's was (Holm 1979).
std::vector<double> holm_adjusted(std::span<const double> p_values);

} // namespace warptune
