#include "search/kernel_lengths.h"

#include "predict/gaussian_process.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace warptune {
namespace {

// Limits of the fit: lengths of 2 % of a feature's range to 55 times it; noise of 8 % to 70 % of the spread, because
// lengths never explain everything.
constexpr double kMaxLog = 4, kMinLogNoise = -5, kMaxLogNoise = -0.7;
// The prior of the log variances of signal (mean 0) and noise: means and standard deviations.
constexpr double kSignalSd = 1, kNoiseMean = -4.6, kNoiseSd = 1.5;

// The negative log posterior of the lengths and its gradient. Of the covariance and its slope, both symmetric, only the
// lower triangle is stored, row by row.
class Evidence {
 public:
  Evidence(const Points& points, const std::vector<double>& values, const std::vector<Features::Scale>& scales)
      : scales_(scales), values_(values), n_(points.size()), width_(points.width), covariance_(n_ * n_),
        slope_(n_ * n_) {
    squares_.reserve(n_ * (n_ - 1) / 2 * width_);
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < i; ++j)
        for (std::size_t f = 0; f < width_; ++f) {
          const float step = points[i][f] - points[j][f];
          squares_.push_back(step * step);
        }
  }

  // Infinity when the covariance is not positive definite.
  double operator()(const std::vector<double>& at, std::vector<double>& gradient) {
    fill(at);
    if (!process_.fit(covariance_, n_)) return std::numeric_limits<double>::infinity();
    process_.invert(precision_);
    return differentiate(at, gradient);
  }

 private:
  void fill(const std::vector<double>& at) {
    inverse_squares_.resize(width_);
    for (std::size_t f = 0; f < width_; ++f) inverse_squares_[f] = static_cast<float>(std::exp(-2 * at[f]));
    const double signal = std::exp(at[width_]), noise = std::exp(at[width_ + 1]) + kJitter;
    const float* square = squares_.data();
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j < i; ++j, square += width_) {
        float r2 = 0;
        for (std::size_t f = 0; f < width_; ++f) r2 += square[f] * inverse_squares_[f];
        const double r = std::sqrt(5 * static_cast<double>(r2)), e = std::exp(-r);
        covariance_[i * n_ + j] = signal * (1 + r + r * r / 3) * e;
        slope_[i * n_ + j] = signal * 5 / 3 * (1 + r) * e;
      }
      covariance_[i * n_ + i] = signal + noise;
    }
  }

  double differentiate(const std::vector<double>& at, std::vector<double>& gradient) {
    std::vector<double> alpha(values_);
    process_.solve(alpha);
    double cost = process_.half_log_determinant();
    for (std::size_t i = 0; i < n_; ++i) cost += alpha[i] * values_[i] / 2;
    gradient.assign(width_ + 2, 0);
    std::vector<float> by_feature(width_);
    const float* square = squares_.data();
    const double noise = std::exp(at[width_ + 1]), signal = std::exp(at[width_]);
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j < i; ++j, square += width_) {
        const double weight = precision_[i * n_ + j] - alpha[i] * alpha[j];
        gradient[width_] += weight * covariance_[i * n_ + j];
        const auto slope = static_cast<float>(weight * slope_[i * n_ + j]);
        for (std::size_t f = 0; f < width_; ++f) by_feature[f] += slope * square[f];
      }
      const double weight = (precision_[i * n_ + i] - alpha[i] * alpha[i]) / 2;
      gradient[width_] += weight * signal;
      gradient[width_ + 1] += weight * noise;
    }
    const auto expect = [&](std::size_t k, double mean, double sd) {
      const double off = (at[k] - mean) / sd;
      cost += off * off / 2;
      gradient[k] += off / sd;
    };
    for (std::size_t f = 0; f < width_; ++f) {
      gradient[f] = static_cast<double>(by_feature[f]) * std::exp(-2 * at[f]);
      expect(f, scales_[f].log_mean, scales_[f].log_sd);
    }
    expect(width_, 0, kSignalSd);
    expect(width_ + 1, kNoiseMean, kNoiseSd);
    return cost;
  }

  const std::vector<Features::Scale>& scales_;
  const std::vector<double>& values_;
  std::size_t n_, width_;
  std::vector<float> squares_; // squared differences, per pair and feature
  std::vector<float> inverse_squares_;
  std::vector<double> covariance_, slope_, precision_;
  GaussianProcess process_;
};

} // namespace

double matern(double r2) {
  const double r = std::sqrt(5 * r2);
  return (1 + r + r * r / 3) * std::exp(-r);
}

KernelLengths fit_lengths(const Points& points, const std::vector<double>& values,
                          const std::vector<Features::Scale>& scales, KernelLengths start, int iterations) {
  const std::size_t width = points.width;
  std::vector<double> at = std::move(start.log_length);
  at.push_back(start.log_signal);
  at.push_back(start.log_noise);
  std::vector<double> best = at, gradient, last(width + 2), step(width + 2, 0.2);
  double lowest = std::numeric_limits<double>::infinity();
  Evidence evidence(points, values, scales);
  for (int i = 0; i < iterations; ++i) {
    const double cost = evidence(at, gradient);
    if (cost < lowest) {
      lowest = cost;
      best = at;
    }
    if (std::isinf(cost)) {
      at[width + 1] += 1;
      continue;
    }
    for (std::size_t k = 0; k < at.size(); ++k) {
      const double turn = gradient[k] * last[k];
      if (turn > 0) step[k] = std::min(step[k] * 1.3, 0.8);
      if (turn < 0) step[k] *= 0.5;
      if (gradient[k] != 0) at[k] -= std::copysign(step[k], gradient[k]);
      at[k] = k > width ? std::clamp(at[k], kMinLogNoise, kMaxLogNoise) : std::clamp(at[k], -kMaxLog, kMaxLog);
      last[k] = gradient[k];
    }
  }
  KernelLengths fitted;
  fitted.log_noise = best[width + 1];
  fitted.log_signal = best[width];
  best.resize(width);
  fitted.log_length = std::move(best);
  return fitted;
}

} // namespace warptune
