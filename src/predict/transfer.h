// Chooses the configuration for an untuned problem from the times of all configurations on tuned problems
// (predict/timing_matrix.h), and estimates the loss. It learns separately for each dtype, set of flags and device. Pure
// and deterministic. predict/select.h has the order of all rules.
#pragma once

#include "core/device.h"
#include "core/result.h"
#include "predict/timing_matrix.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

// The loss on problems left out while learning, compared with tuning them: 0.02 is 2 % slower.
struct LossEstimate {
  struct LeftOut {
    Shape dims;
    double loss = 0;
    bool operator==(const LeftOut&) const = default;
  };
  double mean = 0, worst = 0;
  int shapes = 0; // number of shapes that were left out, one at a time; 0: too few shapes
  std::vector<LeftOut> left_out;
  bool operator==(const LossEstimate&) const = default;
};

// The result of learning, without the matrix.
struct TransferRule {
  LossEstimate leave_one_out;
  bool operator==(const TransferRule&) const = default;
};

// Converts a rule to one line of text for a pack, and back. Error (bad_input): names the invalid part.
std::string transfer_text(const TransferRule& rule);
Result<TransferRule> parse_transfer(std::string_view text);

// Leaves out up to 16 problems, one at a time. `shipped`: the configurations that will be available, as in a pack;
// empty: all. Losses are still relative to the best of all configurations. A loss is never reported below the loss with
// all configurations, because the shipped ones were chosen with the times of the left-out problem. With fewer than two
// problems the estimate has no shapes.
TransferRule learn_transfer(const KernelSpec& spec, const TimingMatrix& matrix, const DeviceInfo& device,
                            const std::vector<Config>& shipped = {});

struct Transfer {
  Config config;
  std::optional<double>
      predicted_loss; // relative to this problem's tuned time; estimated from similar left-out problems
  Config runner_up;   // empty: there was no other configuration
  // "expected 2 % slower than tuning this shape; at worst 6 % slower in a cross-validation over 14 shapes"
  std::string why;
};

// Returns nullopt if no configuration of the matrix may be launched. Checks the constraints; `allowed` may forbid more.
// It is called for the best configurations first, until it allows one.
std::optional<Transfer> transfer(const KernelSpec& spec, const TimingMatrix& matrix, const TransferRule& rule,
                                 const Problem& problem, const DeviceInfo& device,
                                 const std::function<bool(const Config&)>& allowed);

// The matrices of a kernel and the rules learned from them. A rule is learned when first needed, then kept.
// Thread-safe.
class LearnedTransfers {
 public:
  // `rules`: one for each matrix, or none at all; a missing rule is learned when first needed. `spec` must outlive this
  // object.
  LearnedTransfers(const KernelSpec& spec, std::vector<TimingMatrix> matrices,
                   std::vector<std::optional<TransferRule>> rules = {});
  ~LearnedTransfers();
  LearnedTransfers(LearnedTransfers&&) noexcept;
  LearnedTransfers& operator=(LearnedTransfers&&) noexcept;

  // Returns nullopt if fewer than `least_problems` problems of this dtype and these flags were tuned on exactly this
  // device.
  std::optional<Transfer> choose(const Problem& problem, const DeviceInfo& device,
                                 const std::function<bool(const Config&)>& allowed,
                                 std::size_t least_problems = 2) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace warptune
