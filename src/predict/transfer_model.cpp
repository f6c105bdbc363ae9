#include "predict/transfer_model.h"

#include "predict/gaussian_process.h"
#include "spec/config.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

namespace warptune {
namespace {

// These constants were fixed once, on sweeps of five kernels; docs/selection.md gives the sensitivity to each constant.
constexpr std::size_t kMaxProblems = 16;  // per fit
constexpr std::size_t kMaxPoints = 900;   // per fit: 120 million multiplications to solve
constexpr std::size_t kPointsOfOne = 200; // at most, per problem
constexpr std::size_t kMaxScored = 200;   // configurations that the Gaussian process scores
constexpr double kKnee = 0.2;             // log loss above which differences are compressed
constexpr double kAlike = 0.7;            // variance shared by configurations with similar launches
constexpr double kSame = 0.3; // variance shared by the same configuration on other problems, which no feature explains
constexpr double kSameReach = 3;           // distance of shapes over which kSame falls by a factor of e
constexpr double kNoise = 0.02;            // variance that nothing explains
constexpr double kPromise[] = {0.25, 1.0}; // shares of the expected time, used to find promising configurations
constexpr double kFewProblems = 4;         // of more, the measured times say more than the expected ones
constexpr double kOfPromise = 0.23;        // weight of the first share in the prediction

// Rational quadratic kernel: sensitive both to near and to far points.
double alike(std::span<const float> a, std::span<const float> b, double features) {
  float squares = 0;
  for (std::size_t f = 0; f < a.size(); ++f) squares += (a[f] - b[f]) * (a[f] - b[f]);
  return kAlike / (1 + static_cast<double>(squares) / (2 * features));
}

void standardise(std::span<float> row, const std::vector<float>& means, const std::vector<float>& scales) {
  for (std::size_t f = 0; f < row.size(); ++f) row[f] = scales[f] > 0 ? (row[f] - means[f]) / scales[f] : 0;
}

double used_features(const std::vector<float>& scales) {
  const auto used = std::count_if(scales.begin(), scales.end(), [](float s) { return s > 0; });
  return static_cast<double>(std::max<std::ptrdiff_t>(used, 1));
}

// Slow configurations need no exact prediction: the Gaussian process fits compressed losses, which still rank them.
double compress(double log_loss) { return kKnee * std::log1p(log_loss / kKnee); }
double expand(double compressed) { return kKnee * std::expm1(compressed / kKnee); }

} // namespace

double dim_distance(std::int64_t a, std::int64_t b) {
  const double more = a == 0 || b == 0 ? 1 : 0;
  return std::abs(std::log2((static_cast<double>(a) + more) / (static_cast<double>(b) + more)));
}

double shape_distance(const Shape& a, const Shape& b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += dim_distance(a[i], b[i]);
  return sum;
}

TransferModel::TransferModel(const KernelSpec& spec, TimingMatrix matrix, DeviceInfo device)
    : spec_(spec), matrix_(std::move(matrix)), device_(std::move(device)) {
  const std::size_t count = matrix_.configs.size();
  log_losses_.assign(matrix_.us.size(), std::numeric_limits<double>::quiet_NaN());
  expected_log_slowdowns_.assign(matrix_.us.size(), 0);
  for (std::size_t p = 0; p < matrix_.problems.size(); ++p) {
    features_.push_back(std::make_unique<TransferFeatures>(spec_, matrix_.problems[p], device_));
    const auto best = best_us(matrix_, p);
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < count; ++c) {
      if (!best || !is_time(matrix_.at(p, c))) continue;
      log_losses_[p * count + c] = std::log(matrix_.at(p, c) / *best);
      double& expected_log_slowdown = expected_log_slowdowns_[p * count + c];
      expected_log_slowdown = features_.back()->expected_log_time(matrix_.configs[c]);
      if (expected_log_slowdown < least) least = expected_log_slowdown;
    }
    for (std::size_t c = 0; c < count; ++c) {
      double& expected_log_slowdown = expected_log_slowdowns_[p * count + c];
      expected_log_slowdown = std::isfinite(expected_log_slowdown) && std::isfinite(least)
                                  ? std::max(expected_log_slowdown - least, 0.0)
                                  : 0;
    }
  }
}

// Half of the sample are the fastest, half are spread evenly over the others.
std::vector<std::size_t> TransferModel::sample(std::size_t problem, std::size_t most) const {
  std::vector<std::size_t> order;
  for (std::size_t c = 0; c < matrix_.configs.size(); ++c)
    if (std::isfinite(log_loss(problem, c))) order.push_back(c);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return log_loss(problem, a) < log_loss(problem, b); });
  if (order.size() <= most) return order;
  const std::size_t fastest = most / 2, others = most - fastest;
  std::vector<std::size_t> out(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(fastest));
  const std::size_t last = order.size() - 1 - fastest;
  for (std::size_t i = 0; i < others; ++i) out.push_back(order[fastest + (others == 1 ? 0 : i * last / (others - 1))]);
  return out;
}

// The slope of the points' losses over their expected slowdowns, both compressed. Each problem has an offset of its
// own, because its expected slowdowns are relative to its shortest expected time.
double TransferModel::trust_in_expected(const Fit& fit, std::span<const double> losses) const {
  const std::size_t count = matrix_.configs.size();
  double squares = 0, products = 0;
  for (std::size_t begin = 0, end = 0; begin < losses.size(); begin = end) {
    double expected_sum = 0, loss_sum = 0, expected_squares = 0, both = 0;
    for (end = begin; end < losses.size() && fit.point_problem[end] == fit.point_problem[begin]; ++end) {
      const double expected = compress(expected_log_slowdowns_[fit.point_problem[end] * count + fit.point_config[end]]);
      expected_sum += expected;
      loss_sum += losses[end];
      expected_squares += expected * expected;
      both += expected * losses[end];
    }
    const auto points = static_cast<double>(end - begin);
    squares += expected_squares - expected_sum * expected_sum / points;
    products += both - expected_sum * loss_sum / points;
  }
  return squares > 1e-9 ? std::clamp(products / squares, 0.0, 1.0) : 0;
}

TransferModel::Fit TransferModel::fit(std::vector<std::size_t> problems) const {
  Fit fit;
  fit.problems = std::move(problems);
  if (fit.problems.empty()) return fit;
  const std::size_t count = matrix_.configs.size(), width = features_.front()->width();
  const std::size_t most = std::clamp<std::size_t>(kMaxPoints / fit.problems.size(), 1, kPointsOfOne);
  std::vector<double> side;
  for (const std::size_t p : fit.problems)
    for (const std::size_t c : sample(p, most)) {
      fit.point_problem.push_back(p);
      fit.point_config.push_back(c);
      fit.rows.resize(fit.rows.size() + width);
      features_[p]->fill(matrix_.configs[c], expected_log_slowdowns_[p * count + c], std::span(fit.rows).last(width));
      side.push_back(compress(log_loss(p, c)));
    }
  const std::size_t n = side.size();
  fit.means.assign(width, 0);
  fit.scales.assign(width, 0);
  for (std::size_t f = 0; f < width; ++f) {
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < n; ++i) sum += static_cast<double>(fit.rows[i * width + f]);
    const double mean = sum / static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i) squares += std::pow(static_cast<double>(fit.rows[i * width + f]) - mean, 2);
    const double deviation = std::sqrt(squares / static_cast<double>(n));
    fit.means[f] = static_cast<float>(mean);
    fit.scales[f] = deviation > 1e-6 ? static_cast<float>(deviation) : 0;
  }
  for (std::size_t i = 0; i < n; ++i) standardise(std::span(fit.rows).subspan(i * width, width), fit.means, fit.scales);

  const double features = used_features(fit.scales);
  std::vector<double> covariance(n * n);
  const auto row = [&](std::size_t i) { return std::span<const float>(fit.rows).subspan(i * width, width); };
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double& value = covariance[i * n + j];
      value = alike(row(i), row(j), features) + (i == j ? kNoise : 0);
      if (fit.point_config[i] == fit.point_config[j])
        value += kSame * std::exp(-shape_distance(matrix_.problems[fit.point_problem[i]].dims,
                                                  matrix_.problems[fit.point_problem[j]].dims) /
                                  kSameReach);
    }
  // The process models what the expected times leave unexplained.
  fit.trust = trust_in_expected(fit, side) * std::min(1.0, kFewProblems / static_cast<double>(fit.problems.size()));
  for (std::size_t i = 0; i < n; ++i)
    side[i] -= fit.trust * compress(expected_log_slowdowns_[fit.point_problem[i] * count + fit.point_config[i]]);
  fit.offset = std::accumulate(side.begin(), side.end(), 0.0) / static_cast<double>(std::max<std::size_t>(n, 1));
  for (double& value : side) value -= fit.offset;
  GaussianProcess process;
  if (!process.fit(covariance, n)) return fit;
  process.solve(side);
  fit.weights = std::move(side);
  return fit;
}

std::vector<std::size_t> TransferModel::near_problems(const Problem& problem,
                                                      std::optional<std::size_t> left_out) const {
  std::vector<std::size_t> out(matrix_.problems.size());
  std::iota(out.begin(), out.end(), 0);
  if (left_out) out.erase(out.begin() + static_cast<std::ptrdiff_t>(*left_out));
  if (out.size() <= kMaxProblems) return out;
  std::stable_sort(out.begin(), out.end(), [&](std::size_t a, std::size_t b) {
    return shape_distance(matrix_.problems[a].dims, problem.dims) <
           shape_distance(matrix_.problems[b].dims, problem.dims);
  });
  out.resize(kMaxProblems);
  std::sort(out.begin(), out.end());
  return out;
}

TransferModel::Candidates TransferModel::candidates(const Fit& fit, const Problem& problem,
                                                    const TransferFeatures& here) const {
  Candidates out;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < matrix_.configs.size(); ++c) {
    if (std::none_of(fit.problems.begin(), fit.problems.end(),
                     [&](std::size_t p) { return std::isfinite(log_loss(p, c)); }))
      continue;
    if (check_config(spec_, problem, device_, matrix_.configs[c])) continue;
    out.configs.push_back(c);
    out.expected_log_slowdowns.push_back(here.expected_log_time(matrix_.configs[c]));
    if (out.expected_log_slowdowns.back() < least) least = out.expected_log_slowdowns.back();
  }
  for (double& expected_log_slowdown : out.expected_log_slowdowns)
    expected_log_slowdown =
        std::isfinite(expected_log_slowdown) && std::isfinite(least) ? std::max(expected_log_slowdown - least, 0.0) : 0;
  return out;
}

// The mean of the measured losses, weighted by nearness of their problems, plus a share of the difference of expected
// slowdowns: cheap, and rarely far off.
std::vector<double> TransferModel::promises(const Fit& fit, const Problem& problem, const Candidates& candidates,
                                            double share) const {
  const std::size_t n = candidates.configs.size(), count = matrix_.configs.size();
  std::vector<double> nearness;
  for (const std::size_t p : fit.problems)
    nearness.push_back(std::exp(-shape_distance(matrix_.problems[p].dims, problem.dims)));
  const double nearest = *std::max_element(nearness.begin(), nearness.end());
  std::vector<double> out(n);
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0, losses = 0, expected = 0;
    for (std::size_t k = 0; k < fit.problems.size(); ++k) {
      const std::size_t at = fit.problems[k] * count + candidates.configs[i];
      if (!std::isfinite(log_losses_[at])) continue;
      const double weight = std::max(nearest > 0 ? nearness[k] / nearest : 1, 1e-12);
      sum += weight;
      losses += weight * log_losses_[at];
      expected += weight * expected_log_slowdowns_[at];
    }
    out[i] = losses / sum + share * (candidates.expected_log_slowdowns[i] - expected / sum);
  }
  return out;
}

void TransferModel::keep_promising(const Fit& fit, const Problem& problem, Candidates& candidates) const {
  const std::size_t n = candidates.configs.size();
  if (n <= kMaxScored) return;
  std::vector<bool> kept(n);
  std::vector<std::size_t> order(n);
  for (const double share : kPromise) {
    const std::vector<double> promise = promises(fit, problem, candidates, share);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return promise[a] < promise[b]; });
    for (std::size_t i = 0; i < kMaxScored / std::size(kPromise); ++i) kept[order[i]] = true;
  }
  Candidates out;
  for (std::size_t i = 0; i < n; ++i)
    if (kept[i]) {
      out.configs.push_back(candidates.configs[i]);
      out.expected_log_slowdowns.push_back(candidates.expected_log_slowdowns[i]);
    }
  candidates = std::move(out);
}

std::vector<TransferModel::Scored> TransferModel::rank(const Fit& fit, const Problem& problem) const {
  if (fit.weights.empty()) return {};
  const TransferFeatures here(spec_, problem, device_);
  Candidates asked = candidates(fit, problem, here);
  keep_promising(fit, problem, asked);
  // A Gaussian process extrapolates: far from all of its points, it may predict losses that were never measured.
  // Measured losses limit it.
  const std::vector<double> promise = promises(fit, problem, asked, kPromise[0]);
  std::vector<double> same; // keyed by the problem of each point
  for (const std::size_t p : fit.point_problem)
    same.push_back(kSame * std::exp(-shape_distance(matrix_.problems[p].dims, problem.dims) / kSameReach));
  const std::size_t width = fit.means.size();
  const double features = used_features(fit.scales);
  std::vector<float> row(width);
  std::vector<Scored> out;
  for (std::size_t k = 0; k < asked.configs.size(); ++k) {
    const std::size_t c = asked.configs[k];
    here.fill(matrix_.configs[c], asked.expected_log_slowdowns[k], row);
    standardise(row, fit.means, fit.scales);
    double sum = fit.offset + fit.trust * compress(asked.expected_log_slowdowns[k]);
    for (std::size_t i = 0; i < fit.weights.size(); ++i)
      sum += fit.weights[i] * (alike(row, std::span(fit.rows).subspan(i * width, width), features) +
                               (fit.point_config[i] == c ? same[i] : 0));
    out.push_back({c, (1 - kOfPromise) * expand(sum) + kOfPromise * promise[k]});
  }
  std::stable_sort(out.begin(), out.end(), [](const Scored& a, const Scored& b) { return a.log_loss < b.log_loss; });
  return out;
}

} // namespace warptune
