// Order statistics of timing samples. No assumption of normality: timing noise is skewed.
#pragma once

#include <span>

namespace warptune {

double median(std::span<const float> samples);             // 0 for none
double quantile(std::span<const float> samples, double q); // linear interpolation (type 7)
struct Interval {
  double low = 0, high = 0;
};
Interval median_interval(std::span<const float> samples); // 95 %, binomial order statistics; min..max below 6 samples
// One-sided Wilcoxon signed-rank on pairs (a[i], b[i]): p-value that a is not faster than b. Exact for n <= 25.
double paired_p_faster(std::span<const float> a, std::span<const float> b);

} // namespace warptune
