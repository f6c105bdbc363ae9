#include "search/pool_posterior.h"

#include <cmath>
#include <utility>

namespace warptune {

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
  covariances_.resize(n + 1);
  for (std::size_t j = 0; j < n; ++j) covariances_[j] = signal_ * correlation(point, points_[j]);
  covariances_[n] = signal_ + noise_;
  process_.add(covariances_);
  const std::span<const double> row = process_.factor_row(n);
  std::vector<float> whitened;
  correlations(point, whitened);
  for (float& w : whitened) w *= signal_;
  for (std::size_t j = 0; j < n; ++j) {
    const auto weight = static_cast<float>(row[j]);
    const float* other = whitened_[j].data();
    for (std::size_t c = 0; c < whitened.size(); ++c) whitened[c] -= weight * other[c];
  }
  const auto inverse = static_cast<float>(1 / row[n]);
  for (std::size_t c = 0; c < whitened.size(); ++c) {
    whitened[c] *= inverse;
    variance_[c] -= whitened[c] * whitened[c];
  }
  points_.rows.insert(points_.rows.end(), point.begin(), point.end());
  whitened_.push_back(std::move(whitened));
}

void PoolPosterior::means(const std::vector<double>& values, std::vector<float>& out) const {
  out.assign(candidates(), 0);
  std::vector<double> whitened(values);
  process_.whiten(whitened);
  for (std::size_t i = 0; i < points(); ++i) {
    const auto weight = static_cast<float>(whitened[i]);
    const float* other = whitened_[i].data();
    for (std::size_t c = 0; c < out.size(); ++c) out[c] += weight * other[c];
  }
}

} // namespace warptune
