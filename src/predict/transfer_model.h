// Predicts how much slower than the best each configuration of a timing matrix is on an untuned problem: a Gaussian
// process (Rasmussen and Williams 2006) over the features of its launches (predict/transfer_features.h). Two
// configurations are alike if their launches are, so a block size that suits rows of 4096 helps to predict the one that
// suits rows of 1024. Pure; predict/transfer.h has the rule that uses this model.
#pragma once

#include "predict/timing_matrix.h"
#include "predict/transfer_features.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace warptune {

// Returns |log2| of the ratio of two sizes; if either is 0, adds one to both first.
double dim_distance(std::int64_t a, std::int64_t b);

// Returns the sum of dim_distance over the dims. Infinite if the numbers of dims differ.
double shape_distance(const Shape& a, const Shape& b);

class TransferModel {
 public:
  // `matrix` is canonical; `spec` must outlive this object.
  TransferModel(const KernelSpec& spec, TimingMatrix matrix, DeviceInfo device);

  const TimingMatrix& matrix() const { return matrix_; }
  double log_loss(std::size_t problem, std::size_t config) const { // NaN: not measured
    return log_losses_[problem * matrix_.configs.size() + config];
  }

  // The model fitted to some of the problems. O(n^3) for at most 900 points.
  struct Fit {
    std::vector<std::size_t> problems;
    std::vector<std::size_t> point_problem, point_config; // for each point
    std::vector<float> means, scales;                     // for each feature; scale 0: a constant feature
    std::vector<float> rows;                              // the points' features, standardised
    std::vector<double> weights;                          // one weight per point
    double offset = 0;
  };
  Fit fit(std::vector<std::size_t> problems) const;

  // Returns the matrix's problems nearest to this one, at most as many as one fit takes, in matrix order, without
  // `left_out`.
  std::vector<std::size_t> near_problems(const Problem& problem, std::optional<std::size_t> left_out = {}) const;

  struct Scored {
    std::size_t config;
    double log_loss; // predicted natural logarithm
  };
  // Ranks the configurations that were measured on a problem of the fit and that the constraints allow here. Returns
  // the most promising ones, the best first; at most 200.
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

  const KernelSpec& spec_;
  TimingMatrix matrix_;
  DeviceInfo device_;
  std::vector<std::unique_ptr<TransferFeatures>> features_; // one per problem
  std::vector<double> log_losses_, expected_log_slowdowns_; // in the layout of the matrix
};

} // namespace warptune
