// Chooses the configuration for an untuned problem from the times measured on tuned problems (predict/timing_matrix.h),
// and estimates the loss. Learns separately for each dtype, set of flags and device. Pure and deterministic.
// predict/select.h gives the order of all selection rules.
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

// How much slower the rule's choices are than tuned configurations: 0.02 is 2 % slower. Estimated on problems that were
// left out while the rule was learned.
struct LossEstimate {
  struct LeftOut {
    Shape dims;
    double loss = 0;
    bool operator==(const LeftOut&) const = default;
  };
  double mean = 0, worst = 0;
  int shapes = 0; // number of shapes that were left out, one at a time; 0: there are too few
  std::vector<LeftOut> left_out;
  bool operator==(const LossEstimate&) const = default;
};

// The result of learning, without the matrix.
struct TransferRule {
  LossEstimate leave_one_out;
  bool operator==(const TransferRule&) const = default;
};

// These functions write a rule as one line of text for a pack, and read it. Error (bad_input): names the invalid part.
std::string transfer_text(const TransferRule& rule);
Result<TransferRule> parse_transfer(std::string_view text);

// Returns the matrix without the configurations that call libraries. The rule learns from this matrix, because a
// library's algorithm on other shapes says little about this shape. If a problem has only one time that is left, such
// as the default's, nothing was compared there, so the problem is left out too.
TimingMatrix without_library_calls(const KernelSpec& spec, TimingMatrix matrix);

// Learns the rule, and estimates its loss by leaving out up to 16 problems, one at a time. `shipped`: the
// configurations that will be available, as in a pack; empty: all. Losses are always relative to the best of all
// configurations. A problem's loss is the larger of two losses: with the shipped configurations, and with all
// configurations. The smaller loss could be too optimistic, because the shipped configurations were chosen with the
// times of the left-out problem. With fewer than two problems, LossEstimate::shapes is 0.
TransferRule learn_transfer(const KernelSpec& spec, const TimingMatrix& matrix, const DeviceInfo& device,
                            const std::vector<Config>& shipped = {});

struct Transfer {
  Config config;
  // Relative to a configuration tuned for this problem; estimated from the losses of similar left-out problems.
  // nullopt: there are too few problems, or a dim is further outside the tuned problems than in any left-out problem.
  std::optional<double> predicted_loss;
  Config runner_up;    // empty: there was no second choice
  int passed_over = 0; // configurations with a smaller predicted loss that are not allowed
  // "expected 2 % slower than a configuration tuned for this shape; at worst 6 % slower in a cross-validation over 14
  // shapes"
  std::string why;
};

// A configuration may be launched if it meets the constraints and `allowed` returns true. Returns nullopt if no
// configuration of the matrix may be launched. `allowed` is called for the best configurations first, until it has
// returned true twice.
std::optional<Transfer> transfer(const KernelSpec& spec, const TimingMatrix& matrix, const TransferRule& rule,
                                 const Problem& problem, const DeviceInfo& device,
                                 const std::function<bool(const Config&)>& allowed);

// The timing matrices of one kernel and the rules learned from them. Each rule is learned at its first use and then
// kept. Thread-safe.
class LearnedTransfers {
 public:
  // `rules`: either one per matrix or none. A rule that is missing is learned at its first use. `spec` must outlive
  // this object.
  LearnedTransfers(const KernelSpec& spec, std::vector<TimingMatrix> matrices,
                   std::vector<std::optional<TransferRule>> rules = {});
  ~LearnedTransfers();
  LearnedTransfers(LearnedTransfers&&) noexcept;
  LearnedTransfers& operator=(LearnedTransfers&&) noexcept;

  // Returns nullopt if fewer than `least_problems` problems with this dtype and these flags were tuned on exactly this
  // device.
  std::optional<Transfer> choose(const Problem& problem, const DeviceInfo& device,
                                 const std::function<bool(const Config&)>& allowed,
                                 std::size_t least_problems = 2) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace warptune
