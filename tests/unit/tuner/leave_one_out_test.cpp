// The choice for untuned shapes, on the shipped sweeps.
#include "predict/select.h"
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
constexpr std::size_t kMany = 7; // shapes of a kernel, dtype and flags
// The worst of few is a masked scan, of which only one other shape was recorded: the default.
constexpr Bounds kOfMany = {0.03, 0.05, 0.21}, kOfFew = {0.05, 0.07, 0.45};

// The loss of the choice for one shape, from the times of the other shapes.
double loss_of(const testing::RecordedVariant& variant, std::size_t left_out) {
  const TimingMatrix& all = variant.matrix;
  const auto time_of = [&](const Config& config) {
    const auto at = std::find(all.configs.begin(), all.configs.end(), config);
    return at == all.configs.end() ? 0 : all.at(left_out, static_cast<std::size_t>(at - all.configs.begin()));
  };
  const LearnedTransfers learned(variant.kernel.spec, {canonical(without_problem(all, left_out))}, {TransferRule{}});
  SelectOptions options;
  options.learned = &learned;
  options.by_expected_time = true;
  options.refuse = [&](const Config& config) {
    return is_time(time_of(config)) ? std::nullopt : std::optional<std::string>("it was not recorded");
  };
  const auto chosen = select(variant.kernel.spec, {}, all.problems[left_out], variant.device, options);
  EXPECT_TRUE(chosen) << chosen.error().message;
  return chosen ? time_of(chosen->config) / *best_us(all, left_out) - 1 : 0;
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
    const std::size_t shapes = variant.matrix.problems.size();
    for (std::size_t p = 0; shapes > 1 && p < shapes; ++p)
      (shapes >= kMany ? of_many : of_few).push_back(loss_of(variant, p));
  }
  expect_within(of_many, kOfMany);
  expect_within(of_few, kOfFew);
}

} // namespace
} // namespace warptune
