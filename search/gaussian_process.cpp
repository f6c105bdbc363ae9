#include "search/gaussian_process.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace warptune {
namespace {

constexpr double kJitter = 1e-6;
// What the fit may reach: lengths of 2 % of a feature's range to 55 times it, noise of 8 % to 70 % of the spread: there
// is always something that no length can follow.
constexpr double kMaxLog = 4, kMinLogNoise = -5, kMaxLogNoise = -0.7;
// The expected logarithms of signal and noise, and their standard deviations.
constexpr double kSignalSd = 1, kNoiseMean = -4.6, kNoiseSd = 1.5;

double matern(double r2) {
  const double r = std::sqrt(5 * r2);
  return (1 + r + r * r / 3) * std::exp(-r);
}

// The negative log posterior of the lengths and its gradient; every matrix row by row, n x n, lower triangles.
class Evidence {
 public:
  Evidence(const Points& points, const std::vector<double>& values, const std::vector<Features::Scale>& scales)
      : scales_(scales), values_(values), n_(points.size()), width_(points.width), covariance_(n_ * n_),
        slope_(n_ * n_), factor_(n_ * n_), inverse_(n_ * n_), precision_(n_ * n_) {
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
    if (!factorise()) return std::numeric_limits<double>::infinity();
    invert();
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

  bool factorise() {
    for (std::size_t i = 0; i < n_; ++i) {
      double* row = &factor_[i * n_];
      for (std::size_t j = 0; j <= i; ++j) {
        const double* other = &factor_[j * n_];
        double sum = covariance_[i * n_ + j];
        for (std::size_t k = 0; k < j; ++k) sum -= row[k] * other[k];
        if (j < i)
          row[j] = sum / other[j];
        else if (sum <= kJitter / 2)
          return false;
        else
          row[i] = std::sqrt(sum);
      }
    }
    return true;
  }

  // The factor's inverse, then the covariance's.
  void invert() {
    std::fill(inverse_.begin(), inverse_.end(), 0);
    std::fill(precision_.begin(), precision_.end(), 0);
    for (std::size_t i = 0; i < n_; ++i) {
      double* row = &inverse_[i * n_];
      for (std::size_t k = 0; k < i; ++k) {
        const double l = factor_[i * n_ + k];
        const double* above = &inverse_[k * n_];
        for (std::size_t j = 0; j <= k; ++j) row[j] -= l * above[j];
      }
      const double diagonal = 1 / factor_[i * n_ + i];
      for (std::size_t j = 0; j < i; ++j) row[j] *= diagonal;
      row[i] = diagonal;
    }
    for (std::size_t k = 0; k < n_; ++k)
      for (std::size_t i = 0; i <= k; ++i) {
        const double z = inverse_[k * n_ + i];
        for (std::size_t j = 0; j <= i; ++j) precision_[i * n_ + j] += z * inverse_[k * n_ + j];
      }
  }

  double differentiate(const std::vector<double>& at, std::vector<double>& gradient) {
    std::vector<double> whitened(n_), alpha(n_);
    double cost = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j <= i; ++j) whitened[i] += inverse_[i * n_ + j] * values_[j];
      cost += whitened[i] * whitened[i] / 2 + std::log(factor_[i * n_ + i]);
    }
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j <= i; ++j) alpha[j] += inverse_[i * n_ + j] * whitened[i];
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
  std::vector<float> squares_; // of the differences, per pair and feature
  std::vector<float> inverse_squares_;
  std::vector<double> covariance_, slope_, factor_, inverse_, precision_;
};

} // namespace

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

PoolPosterior::PoolPosterior(const KernelLengths& lengths, std::vector<std::vector<float>> pool)
    : signal_(static_cast<float>(std::exp(lengths.log_signal))),
      noise_(static_cast<float>(std::exp(lengths.log_noise) + kJitter)), pool_(std::move(pool)),
      variance_(pool_.empty() ? 0 : pool_.front().size(), signal_) {
  points_.width = lengths.log_length.size();
  for (const double log : lengths.log_length) inverse_squares_.push_back(static_cast<float>(std::exp(-2 * log)));
}

double PoolPosterior::correlation(std::span<const float> a, std::span<const float> b) const {
  float r2 = 0;
  for (std::size_t f = 0; f < a.size(); ++f) r2 += (a[f] - b[f]) * (a[f] - b[f]) * inverse_squares_[f];
  return matern(r2);
}

void PoolPosterior::correlations(std::span<const float> point, std::vector<float>& out) const {
  out.assign(candidates(), 0);
  for (std::size_t f = 0; f < point.size(); ++f) {
    const float x = point[f], weight = inverse_squares_[f];
    const float* column = pool_[f].data();
    for (std::size_t c = 0; c < out.size(); ++c) out[c] += weight * (x - column[c]) * (x - column[c]);
  }
  for (float& r2 : out) r2 = static_cast<float>(matern(r2));
}

void PoolPosterior::add(std::span<const float> point) {
  const std::size_t n = points();
  std::vector<float> row(n + 1);
  double rest = signal_ + noise_;
  for (std::size_t j = 0; j < n; ++j) {
    double sum = signal_ * correlation(point, points_[j]);
    for (std::size_t k = 0; k < j; ++k) sum -= row[k] * factor_[j][k];
    row[j] = static_cast<float>(sum / factor_[j][j]);
    rest -= static_cast<double>(row[j]) * row[j];
  }
  row[n] = static_cast<float>(std::sqrt(std::max(rest, kJitter)));
  std::vector<float> whitened;
  correlations(point, whitened);
  for (float& w : whitened) w *= signal_;
  for (std::size_t j = 0; j < n; ++j) {
    const float weight = row[j];
    const float* other = whitened_[j].data();
    for (std::size_t c = 0; c < whitened.size(); ++c) whitened[c] -= weight * other[c];
  }
  const float inverse = 1 / row[n];
  for (std::size_t c = 0; c < whitened.size(); ++c) {
    whitened[c] *= inverse;
    variance_[c] -= whitened[c] * whitened[c];
  }
  points_.rows.insert(points_.rows.end(), point.begin(), point.end());
  factor_.push_back(std::move(row));
  whitened_.push_back(std::move(whitened));
}

void PoolPosterior::means(const std::vector<double>& values, std::vector<float>& out) const {
  out.assign(candidates(), 0);
  std::vector<double> whitened(values);
  for (std::size_t i = 0; i < points(); ++i) {
    for (std::size_t j = 0; j < i; ++j) whitened[i] -= factor_[i][j] * whitened[j];
    whitened[i] /= factor_[i][i];
    const auto weight = static_cast<float>(whitened[i]);
    const float* other = whitened_[i].data();
    for (std::size_t c = 0; c < out.size(); ++c) out[c] += weight * other[c];
  }
}

} // namespace warptune
