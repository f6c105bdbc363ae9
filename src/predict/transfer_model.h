// For an untuned problem, predicts the slowdown of each configuration of a timing matrix, relative to the best one. The
// model is a Gaussian process (Rasmussen and Williams 2006) over features of launches (predict/transfer_features.h).
// Configurations with similar launches count as similar, so a block size that suits rows of 4096 helps to predict which
// block size suits rows of 1024. Pure; predict/transfer.h has the rule that uses this model.
#pragma once

#include "predict/timing_matrix.h"
#include "predict/transfer_features.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace warptune {

// Returns |log2(a / b)|. If a or b is 0, adds 1 to both first.
double dim_distance(std::int64_t a, std::int64_t b);

// Returns the sum of dim_distance over the dims; infinity if the shapes have different numbers of dims.
double shape_distance(const Shape& a, const Shape& b);

class TransferModel {
 public:
  // `matrix` must be canonical (predict/timing_matrix.h). `spec` must outlive this object.
  TransferModel(const KernelSpec& spec, TimingMatrix matrix, DeviceInfo device);

  const TimingMatrix& matrix() const { return matrix_; }
  double log_loss(std::size_t problem, std::size_t config) const { // NaN: not measured
    return log_losses_[problem * matrix_.configs.size() + config];
  }

  // The model, fitted to some of the problems. Fitting is O(n^3) in the points, of which there are at most 900.
  struct Fit {
    std::vector<std::size_t> problems;
    std::vector<std::size_t> point_problem, point_config; // per point: its problem and its configuration
    std::vector<float> means, scales;                     // per feature; scale 0: the feature is constant
    std::vector<float> rows;                              // standardised features, one row per point
    std::vector<double> weights;                          // one per point
    double offset = 0;
    double trust = 0; // share of the expected slowdowns that the measured losses confirm, 0 to 1
  };
  Fit fit(std::vector<std::size_t> problems) const;

  // Returns the matrix's problems that are nearest to `problem`, in matrix order and without `left_out`. Their number
  // is limited by the points that one fit takes.
  std::vector<std::size_t> near_problems(const Problem& problem, std::optional<std::size_t> left_out = {}) const;

  struct Scored {
    std::size_t config;
    double log_loss; // natural logarithm of (predicted time / best time)
  };
  // Ranks the configurations that were measured on a problem of the fit and that meet the constraints for `problem`.
  // Returns at most 200, the most promising first.
  std::vector<Scored> rank(const Fit& fit, const Problem& problem) const;

 private:
  struct Candidates {
    std::vector<std::size_t> configs;
    std::vector<double> expected_log_slowdowns;
  };
  Candidates candidates(const Fit& fit, const Problem& problem, const TransferFeatures& here) const;
  std::vector<double> promises(const Fit& fit, const Problem& problem, const Candidates& candidates,
                               double share) const;
  void keep_promising(const Fit& fit, const Problem& problem, Candidates& candidates) const;
  std::vector<std::size_t> sample(std::size_t problem, std::size_t most) const;
  double trust_in_expected(const Fit& fit, std::span<const double> losses) const;

  const KernelSpec& spec_;
  TimingMatrix matrix_;
  DeviceInfo device_;
  std::vector<std::unique_ptr<TransferFeatures>> features_; // one per problem of the matrix
  std::vector<double> log_losses_, expected_log_slowdowns_; // laid out like the matrix
};

} // namespace warptune
