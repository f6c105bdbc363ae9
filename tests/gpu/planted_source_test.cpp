// Folders of tests/data/source: the planted fault is found at its line, by samples and by counts.
#include "gpu/fixture.h"
#include "report/hot_lines.h"
#include "report/wasted_accesses.h"

#include <cstdio>
#include <gmock/gmock.h>

namespace warptune::test {
namespace {

// A folder of tests/data/source, sampled as `warptune profile --source` does.
struct PlantedTest : ::testing::Test {
  void SetUp() override { WT_REQUIRE_GPU(); }
  static report::HotSpots sample(const std::string& name, const std::string& shape, const std::string& config_text) {
    auto kernel = TemplateStore({}).load((data_dir() / "source" / name).string());
    if (!kernel) throw std::runtime_error(kernel.error().message);
    auto problem = make_problem(kernel->spec, shape, "", {}).value();
    ProblemSetup setup{*kernel, std::move(problem)};
    setup.line_info = true;
    auto backend = make_cuda_backend(0, gpu_test_cache().directory().string()).value();
    const DeviceInfo info = backend->device().value();
    if (auto ok = backend->open(setup); !ok) throw std::runtime_error(ok.error().message);
    const Config config = parse_config(kernel->spec, config_text).value();
    const Compiled compiled = backend->compile(config, info, 60);
    const Evaluation evaluation = backend->evaluate(config, compiled, OpenedKernel::quick());
    EXPECT_EQ(evaluation.trial.status, TrialStatus::ok) << evaluation.trial.evidence;
    if (!evaluation.trial.timing) return {};
    static Samples samples; // the spots refer to them
    samples = backend->sample(config, compiled, evaluation.trial.timing->median_us, true).value();
    EXPECT_TRUE(samples.samples) << samples.unavailable;
    if (!samples.samples) return {};
    auto counted = backend->count_instructions(config, compiled).value();
    EXPECT_TRUE(counted.samples) << counted.unavailable;
    if (counted.samples) add_counts(*samples.samples, std::move(*counted.samples));
    EXPECT_EQ(samples.samples->no_counts, "");
    report::HotSpots spots = report::find_hot_spots(*samples.samples, kernel->sources);
    std::printf("%s %s: %.1f us, %lld samples, %.1f %% with a line, %lld dropped\n", name.c_str(), config_text.c_str(),
                evaluation.trial.timing->median_us, static_cast<long long>(spots.samples), 100 * spots.placed,
                static_cast<long long>(samples.samples->dropped));
    for (std::size_t i = 0; i < spots.lines.size() && i < 5; ++i) {
      const report::HotLine& line = spots.lines[i];
      std::printf("  %5.1f %% %s:%lld %s\n   ", 100 * line.share, line.file.c_str(), static_cast<long long>(line.line),
                  line.text.c_str());
      for (const auto& [reason, share] : line.stalls) std::printf(" %s %.0f %%", reason.c_str(), 100 * share);
      std::printf("\n");
    }
    for (const report::WastedAccess& access : report::find_wasted_accesses(spots))
      std::printf("  wasted: %s:%lld %s, %lld B\n", access.at->file.c_str(),
                  static_cast<long long>(access.at->at->line), report::access_text(access).c_str(),
                  static_cast<long long>(access.bytes));
    // Counts after sampling in the same process, as a session may do.
    const Profiles profiles = backend->profile({config}, {compiled}, "lean", true).value();
    EXPECT_EQ(profiles.unavailable, "");
    return spots;
  }
};

TEST_F(PlantedTest, AnUncoalescedLoadIsFoundAtItsLine) {
  const report::HotSpots spots = sample("uncoalesced", "rows=65536,cols=1024", "PLANTED=1");
  ASSERT_FALSE(spots.lines.empty());
  EXPECT_THAT(spots.lines.front().text, ::testing::HasSubstr("planted:"));
  EXPECT_GT(spots.lines.front().share, 0.6);
  EXPECT_GT(spots.placed, 0.98);
  const auto wasted = report::find_wasted_accesses(spots);
  ASSERT_FALSE(wasted.empty());
  EXPECT_FALSE(wasted.front().is_shared);
  EXPECT_EQ(wasted.front().at->at->line, spots.lines.front().line);
  EXPECT_GT(wasted.front().each, 4 * wasted.front().ideal_each);
}

TEST_F(PlantedTest, ABankConflictIsFoundAtItsLine) {
  const report::HotSpots spots = sample("bank_conflict", "n=16777216", "PLANTED=1");
  ASSERT_FALSE(spots.lines.empty());
  const report::HotLine& hot = spots.lines.front();
  EXPECT_THAT(hot.text, ::testing::HasSubstr("planted:"));
  double shared = 0;
  for (const auto& [reason, share] : hot.stalls)
    if (reason == "short_scoreboard" || reason == "mio_throttle") shared += share;
  EXPECT_GT(shared, 0.5);
  const auto wasted = report::find_wasted_accesses(spots);
  ASSERT_FALSE(wasted.empty());
  EXPECT_TRUE(wasted.front().is_shared);
  EXPECT_EQ(wasted.front().at->at->line, hot.line);
  EXPECT_GT(wasted.front().each, 8 * wasted.front().ideal_each);
}

} // namespace
} // namespace warptune::test
