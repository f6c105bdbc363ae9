// The learned rule on the shipped sweeps.
#include "predict/transfer.h"
#include "support/recorded_matrices.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

namespace warptune {
namespace {

// docs/selection.md has its losses; the bounds leave some room for the arithmetic of other compilers.
struct Bounds {
  double mean, upper_quartile, worst;
};
// The worst of the groups with few shapes is LayerNorm's gradient with rows of 32768 elements: no other recorded shape
// of it needs several blocks for a row.
constexpr std::size_t kMany = 7; // shapes of a kernel, dtype and flags
constexpr Bounds kOfMany = {0.03, 0.05, 0.15}, kOfFew = {0.09, 0.14, 1.30};

// Only this recording has narrow rows, and so the implementation for them. The rule, which chooses among configurations
// that were measured, cannot choose it if the recording is left out.
constexpr double kMaxOfNarrowRows = 2.00;
bool has_narrow_rows(const std::string& kernel, const Shape& dims) {
  return kernel == "embedding_backward" && dims.back() == 64;
}

void expect_within(std::vector<double> losses, const Bounds& bounds) {
  ASSERT_GE(losses.size(), 15U);
  std::sort(losses.begin(), losses.end());
  EXPECT_LE(std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(losses.size()), bounds.mean)
      << losses.size() << " shapes";
  EXPECT_LE(losses[losses.size() * 3 / 4], bounds.upper_quartile);
  EXPECT_LE(losses.back(), bounds.worst);
}

TEST(LeaveOneOut, ShapesThatWereNotTunedLoseLittle) {
  std::vector<std::filesystem::path> files;
  for (const RecordingEntry& entry : list_recordings(recordings_directory())) files.push_back(entry.file);
  const auto variants = testing::recorded_matrices(files);
  ASSERT_TRUE(variants) << variants.error().message;
  std::vector<double> of_many, of_few;
  for (const auto& [name, variant] : *variants) {
    const LossEstimate loss = learn_transfer(variant.kernel.spec, variant.matrix, variant.device).leave_one_out;
    for (const auto& [dims, left_out] : loss.left_out) {
      if (has_narrow_rows(variant.kernel.spec.name, dims)) {
        EXPECT_LE(left_out, kMaxOfNarrowRows);
        continue;
      }
      (variant.matrix.problems.size() >= kMany ? of_many : of_few).push_back(left_out);
    }
  }
  expect_within(of_many, kOfMany);
  expect_within(of_few, kOfFew);
}

} // namespace
} // namespace warptune
