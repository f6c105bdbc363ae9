#include "predict/gaussian_process.h"

// The same block sizes on every machine, so that sums are bitwise equal; no code under the LGPL.
#define EIGEN_NO_CPUID
#define EIGEN_MPL2_ONLY
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace warptune {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Stride = Eigen::OuterStride<>;

auto size_of(std::size_t n) { return static_cast<Eigen::Index>(n); }

// The first n rows and columns of a Cholesky factor.
auto lower(const std::vector<double>& factor, std::size_t n, std::size_t stride) {
  return Eigen::Map<const Matrix, 0, Stride>(factor.data(), size_of(n), size_of(n), Stride(size_of(stride)));
}

Eigen::Map<Eigen::VectorXd> vector(std::span<double> values) { return {values.data(), size_of(values.size())}; }

} // namespace

bool GaussianProcess::fit(std::span<const double> covariance, std::size_t points) {
  points_ = stride_ = points;
  factor_.assign(covariance.begin(), covariance.end());
  Eigen::Map<Matrix> factor(factor_.data(), size_of(points), size_of(points));
  return Eigen::LLT<Eigen::Ref<Matrix>>(factor).info() == Eigen::Success;
}

void GaussianProcess::add(std::span<const double> covariances) {
  if (points_ == stride_) {
    const std::size_t wider = std::max<std::size_t>(2 * stride_, 32);
    std::vector<double> grown(wider * wider);
    for (std::size_t i = 0; i < points_; ++i) std::ranges::copy(factor_row(i), &grown[i * wider]);
    factor_ = std::move(grown);
    stride_ = wider;
  }
  const std::span<double> row(&factor_[points_ * stride_], points_ + 1);
  std::ranges::copy(covariances, row.begin());
  const std::span<double> others = row.first(points_);
  whiten(others);
  row[points_] = std::sqrt(std::max(row[points_] - vector(others).squaredNorm(), kMinVariance));
  ++points_;
}

double GaussianProcess::half_log_determinant() const {
  double sum = 0;
  for (std::size_t i = 0; i < points_; ++i) sum += std::log(factor_[i * stride_ + i]);
  return sum;
}

void GaussianProcess::whiten(std::span<double> values) const {
  if (values.empty()) return;
  lower(factor_, points_, stride_).triangularView<Eigen::Lower>().solveInPlace(vector(values));
}

void GaussianProcess::solve(std::span<double> values) const {
  whiten(values);
  if (values.empty()) return;
  lower(factor_, points_, stride_).transpose().triangularView<Eigen::Upper>().solveInPlace(vector(values));
}

void GaussianProcess::invert(std::vector<double>& precision) const {
  Matrix inverse = Matrix::Identity(size_of(points_), size_of(points_));
  lower(factor_, points_, stride_).triangularView<Eigen::Lower>().solveInPlace(inverse);
  precision.assign(points_ * points_, 0);
  Eigen::Map<Matrix>(precision.data(), size_of(points_), size_of(points_))
      .selfadjointView<Eigen::Lower>()
      .rankUpdate(inverse.transpose());
}

} // namespace warptune
