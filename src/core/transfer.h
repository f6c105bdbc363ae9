// The configuration for a problem that was never tuned, from the times of all configurations on problems that were
// (core/timing_matrix.h), with the loss to expect. Learned per dtype, flags and device; pure and deterministic. The
// order of rules in which this is one stands in core/select.h.
#pragma once

#include "core/device.h"
#include "core/result.h"
#include "core/timing_matrix.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

// How much slower than tuning it a problem runs that was left out while learning: 0.02 is 2 %.
struct LossEstimate {
  double mean = 0, worst = 0;
  int shapes = 0;             // that were left out, one after the other; 0: too few to know
  std::vector<double> losses; // of each, in the order of the canonical matrix's problems
};

// What learning found. The matrix itself stays beside it.
struct TransferRule {
  std::vector<double> dim_weights; // of |log2| of each dim's ratio
  double bandwidth = 1;            // of the weight exp(-distance / bandwidth)
  double model_share = 1;          // how far the expected time (core/expected_time.h) corrects what was measured
  LossEstimate leave_one_out;
  bool operator==(const TransferRule& other) const;
};

// One line of text for a pack, and back. Error (bad_input): which part is no rule.
std::string transfer_text(const TransferRule& rule);
Result<TransferRule> parse_transfer(std::string_view text);

// Nothing to learn from (fewer than two problems) gives the rule's defaults with an estimate of no shapes.
TransferRule learn_transfer(const KernelSpec& spec, const TimingMatrix& matrix, const DeviceInfo& device);

struct Transfer {
  Config config;
  double predicted_loss = 0; // how much slower than tuning this problem, from the problems left out near by
  bool has_estimate = false; // false: too few problems to predict a loss
  Config runner_up;          // empty: there was no other
  std::string why;           // "expected 2 % slower than tuning this shape, by leave-one-out over 14 shapes; worst 6 %"
};

// Nothing when no configuration of the matrix may be launched. `allowed` says what may; it is asked for few.
std::optional<Transfer> transfer(const KernelSpec& spec, const TimingMatrix& matrix, const TransferRule& rule,
                                 const Problem& problem, const DeviceInfo& device,
                                 const std::function<bool(const Config&)>& allowed);

} // namespace warptune
