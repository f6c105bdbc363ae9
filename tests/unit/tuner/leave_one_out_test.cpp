// The learned rule on the sweeps that ship with warptune.
#include "core/transfer.h"
#include "support/recorded_matrices.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace warptune {
namespace {

constexpr double kMeanLoss = 0.03, kWorstLoss = 0.10;

TEST(LeaveOneOut, ShapesThatWereNotTunedLoseLittle) {
  std::vector<std::filesystem::path> files;
  for (const RecordingEntry& entry : list_recordings(recordings_directory())) files.push_back(entry.file);
  const auto variants = testing::recorded_matrices(files);
  ASSERT_TRUE(variants) << variants.error().message;
  double sum = 0, worst = 0;
  int shapes = 0;
  for (const auto& [name, variant] : *variants) {
    const LossEstimate loss = learn_transfer(variant.kernel.spec, variant.matrix, variant.device).leave_one_out;
    for (const auto& [dims, left_out] : loss.left_out) sum += left_out;
    worst = std::max(worst, loss.worst);
    shapes += loss.shapes;
  }
  ASSERT_GE(shapes, 15);
  EXPECT_LE(sum / shapes, kMeanLoss) << shapes << " shapes";
  EXPECT_LE(worst, kWorstLoss);
}

} // namespace
} // namespace warptune
