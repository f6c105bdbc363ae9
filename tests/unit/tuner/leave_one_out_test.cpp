// The learned rule on the sweeps that ship with warptune.
#include "predict/transfer.h"
#include "support/recorded_matrices.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace warptune {
namespace {

// docs/selection.md says what it loses; the bounds leave a little room for other compilers' arithmetic.
constexpr double kMeanLoss = 0.03, kUpperQuartile = 0.045, kWorst = 0.15;

TEST(LeaveOneOut, ShapesThatWereNotTunedLoseLittle) {
  std::vector<std::filesystem::path> files;
  for (const RecordingEntry& entry : list_recordings(recordings_directory())) files.push_back(entry.file);
  const auto variants = testing::recorded_matrices(files);
  ASSERT_TRUE(variants) << variants.error().message;
  double sum = 0;
  std::vector<double> losses;
  for (const auto& [name, variant] : *variants) {
    const LossEstimate loss = learn_transfer(variant.kernel.spec, variant.matrix, variant.device).leave_one_out;
    for (const auto& [dims, left_out] : loss.left_out) {
      sum += left_out;
      losses.push_back(left_out);
    }
  }
  ASSERT_GE(losses.size(), 15U);
  std::sort(losses.begin(), losses.end());
  EXPECT_LE(sum / static_cast<double>(losses.size()), kMeanLoss) << losses.size() << " shapes";
  EXPECT_LE(losses[losses.size() * 3 / 4], kUpperQuartile);
  EXPECT_LE(losses.back(), kWorst);
}

} // namespace
} // namespace warptune
