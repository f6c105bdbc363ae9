// The configuration for a problem that was never tuned, from the times of all configurations on problems that were
// (predict/timing_matrix.h), with the loss to expect. Learned per dtype, flags and device; pure and deterministic. The
// order of rules in which this is one stands in predict/select.h.
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

// How much slower than tuning it a problem runs that was left out while learning: 0.02 is 2 %.
struct LossEstimate {
  struct LeftOut {
    Shape dims;
    double loss = 0;
    bool operator==(const LeftOut&) const = default;
  };
  double mean = 0, worst = 0;
  int shapes = 0; // that were left out, one after the other; 0: too few to know
  std::vector<LeftOut> left_out;
  bool operator==(const LossEstimate&) const = default;
};

// What learning found. The matrix itself stays beside it.
struct TransferRule {
  LossEstimate leave_one_out;
  bool operator==(const TransferRule&) const = default;
};

// One line of text for a pack, and back. Error (bad_input): which part is no rule.
std::string transfer_text(const TransferRule& rule);
Result<TransferRule> parse_transfer(std::string_view text);

// Leaves out up to 16 problems, one after the other. `shipped`: the configurations that will be there to choose from,
// as in a pack; losses stay those against the best of all, and none is smaller than with all of them to choose from:
// the shipped ones were chosen with the times of the problem that is left out. Empty: all of them. Fewer than two
// problems give an estimate of no shapes.
TransferRule learn_transfer(const KernelSpec& spec, const TimingMatrix& matrix, const DeviceInfo& device,
                            const std::vector<Config>& shipped = {});

struct Transfer {
  Config config;
  std::optional<double> predicted_loss; // how much slower than tuning this problem, from the problems left out near by
  Config runner_up;                     // empty: there was no other
  std::string why; // "expected 2 % slower than tuning this shape, by leave-one-out over 14 shapes; worst 6 %"
};

// Nothing when no configuration of the matrix may be launched. Constraints are checked; `allowed` may forbid more, and
// is asked for the best first, until it allows one.
std::optional<Transfer> transfer(const KernelSpec& spec, const TimingMatrix& matrix, const TransferRule& rule,
                                 const Problem& problem, const DeviceInfo& device,
                                 const std::function<bool(const Config&)>& allowed);

// The matrices of a kernel with what follows from them, worked out when first asked for and kept. Any number of threads
// may ask.
class LearnedTransfers {
 public:
  // `rules`: one for each matrix, or nothing: then they are learned when first needed. `spec` must outlive this.
  LearnedTransfers(const KernelSpec& spec, std::vector<TimingMatrix> matrices,
                   std::vector<std::optional<TransferRule>> rules = {});
  ~LearnedTransfers();
  LearnedTransfers(LearnedTransfers&&) noexcept;
  LearnedTransfers& operator=(LearnedTransfers&&) noexcept;

  // Nothing when fewer than two problems of this dtype and these flags were tuned on this very device.
  std::optional<Transfer> choose(const Problem& problem, const DeviceInfo& device,
                                 const std::function<bool(const Config&)>& allowed) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace warptune
