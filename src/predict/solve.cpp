#include "predict/solve.h"

#include <cmath>
#include <cstddef>

namespace warptune {
namespace {

// Four sums side by side: additions that wait for one another would take most of the time of a fit.
double dot(const double* a, const double* b, std::size_t n) {
  double sums[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (std::size_t k = 0; k < 4; ++k) sums[k] += a[i + k] * b[i + k];
  for (; i < n; ++i) sums[0] += a[i] * b[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

} // namespace

void solve_positive(std::vector<double>& matrix, std::vector<double>& side) {
  const std::size_t n = side.size();
  for (std::size_t i = 0; i < n; ++i) {
    double* row = &matrix[i * n];
    for (std::size_t j = 0; j <= i; ++j) {
      const double* other = &matrix[j * n];
      const double sum = row[j] - dot(row, other, j);
      row[j] = j < i ? sum / other[j] : std::sqrt(sum);
    }
    side[i] = (side[i] - dot(row, side.data(), i)) / row[i];
  }
  for (std::size_t i = n; i-- > 0;) {
    side[i] /= matrix[i * n + i];
    for (std::size_t j = 0; j < i; ++j) side[j] -= matrix[i * n + j] * side[i];
  }
}

} // namespace warptune
