// The shipped recordings: each is a whole sweep of a template, and `tune` can replay each.
#include "core/text.h"
#include "db/reader.h"
#include "jit/template_store.h"
#include "recording/recorded_params.h"
#include "recording/recording.h"
#include "recording/recording_checksum.h"
#include "space/space.h"
#include "spec/problem.h"
#include "support/paths.h"
#include "support/run_cli.h"
#include "support/temp_dir.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>

namespace warptune {
namespace {

constexpr std::size_t kMinShapes = 3; // of a kernel

// Never empty, because a loop over no recordings would pass.
std::vector<RecordingEntry> shipped() {
  auto all = list_recordings(test::share_dir() / "recordings");
  EXPECT_GE(all.size(), 40U);
  return all;
}

TEST(ShippedRecordings, AtLeastThreeShapesOfEveryTemplate) {
  std::map<std::string, std::set<std::string>> problems;
  for (const RecordingEntry& entry : shipped()) problems[entry.kernel].insert(entry.problem);
  const TemplateStore store({test::share_dir() / "kernel_templates"});
  EXPECT_GE(store.names().size(), 12U);
  for (const std::string& name : store.names()) EXPECT_GE(problems[name].size(), kMinShapes) << name;
}

// The implementations that the recording knows; empty: the kernel had only one. An implementation that was added later
// has no times in it, and does not change those of the others (tests/bench/carry_recordings.cpp).
std::set<std::string> recorded_implementations(const Recording& recording) {
  for (std::size_t p = 0; p < recording.param_names.size(); ++p)
    if (recording.param_names[p] == "implementation")
      return {recording.param_labels[p].begin(), recording.param_labels[p].end()};
  return {};
}

std::int64_t configurations_of(const SearchSpace& space, const KernelSpec& spec, const std::set<std::string>& names) {
  std::int64_t count = 0;
  for (SpaceCursor at(space); !at.done(); at.next())
    if (names.empty() || names.count(spec.implementation(at.config()).name) > 0) ++count;
  return count;
}

void expect_whole_and_current(const RecordingEntry& entry, const Result<Kernel>& kernel) {
  SCOPED_TRACE(entry.file.string());
  auto recording = load_recording(entry.file);
  ASSERT_TRUE(recording) << recording.error().message;
  ASSERT_TRUE(kernel) << kernel.error().message;
  EXPECT_EQ(recording->source_hash, kernel->source_hash);
  const std::size_t trials = recording->trials.size();
  const std::set<std::string> names = recorded_implementations(*recording);
  ASSERT_TRUE(adopt_params(kernel->spec, *recording));
  EXPECT_EQ(recording->trials.size(), trials) << "every recorded configuration is one of today's";
  const auto problem = parse_problem_key(kernel->spec, entry.problem);
  ASSERT_TRUE(problem) << problem.error().message;
  const auto space = SearchSpace::build(kernel->spec, *problem, recording->device);
  ASSERT_TRUE(space) << space.error().message;
  const std::int64_t whole = configurations_of(*space, kernel->spec, names);
  EXPECT_EQ(static_cast<std::int64_t>(recording->trials.size()), whole);
  std::set<ConfigIndex> found;
  for (const Trial& trial : recording->trials)
    if (const auto index = space->find(trial.config)) found.insert(*index);
  EXPECT_EQ(static_cast<std::int64_t>(found.size()), whole) << "one to one";
  EXPECT_TRUE(recording->device.roofs.measured);
  EXPECT_FALSE(recording->recorded_at.empty());
}

// A recording of other sources says nothing about today's: record a template again after changing it.
TEST(ShippedRecordings, AreWholeSweepsOfTodaysSources) {
  const TemplateStore store({test::share_dir() / "kernel_templates"});
  for (const RecordingEntry& entry : shipped()) expect_whole_and_current(entry, store.load(entry.kernel));
  const auto examples = list_recordings(test::share_dir() / "examples" / "recordings");
  EXPECT_FALSE(examples.empty());
  for (const RecordingEntry& entry : examples)
    expect_whole_and_current(entry, store.load((test::share_dir() / "examples" / "user_kernel").string()));
}

// `warptune record --seal` adds it to a recording without one.
TEST(ShippedRecordings, CarryTheirChecksum) {
  for (const char* folder : {"recordings", "examples/recordings"}) {
    const auto entries = list_recordings(test::share_dir() / folder);
    EXPECT_FALSE(entries.empty()) << folder;
    for (const RecordingEntry& entry : entries)
      EXPECT_EQ(checksum_of(test::read_text(entry.file)), Checksum::holds) << entry.file;
  }
}

// Within a bound, because among ties the simpler configuration wins, and the rounds draw from the recorded samples. One
// test per kernel, and every other recording of a kernel with many, because sweeps of thousands of configurations take
// seconds each.
class ReplayedWinner : public ::testing::TestWithParam<const char*> {};

constexpr const char* kKernels[] = {"adam",
                                    "adam_list",
                                    "axpy",
                                    "batch_norm",
                                    "batch_norm_backward",
                                    "broadcast",
                                    "broadcast_backward",
                                    "concat",
                                    "cross_entropy",
                                    "cross_entropy_backward",
                                    "dequantise",
                                    "dequantise_groups",
                                    "elementwise",
                                    "elementwise_backward",
                                    "embedding",
                                    "embedding_backward",
                                    "gemm",
                                    "group_norm",
                                    "group_norm_backward",
                                    "loss",
                                    "loss_backward",
                                    "masked_softmax",
                                    "masked_softmax_backward",
                                    "normalise",
                                    "normalise_backward",
                                    "permute",
                                    "pool",
                                    "pool_backward",
                                    "quantise",
                                    "quantise_groups",
                                    "quantise_tensor",
                                    "reduce",
                                    "reduce_sum",
                                    "rotary",
                                    "row_loss",
                                    "row_loss_backward",
                                    "row_norm",
                                    "row_norm_backward",
                                    "row_norm_quantise",
                                    "scan",
                                    "sgemm",
                                    "slice",
                                    "softmax",
                                    "top_k",
                                    "transpose"};

TEST(ShippedRecordings, EveryKernelHasItsReplay) {
  for (const RecordingEntry& entry : shipped())
    EXPECT_NE(std::find(std::begin(kKernels), std::end(kKernels), entry.kernel), std::end(kKernels)) << entry.kernel;
}

// A configuration with a wrong result would be a bug of the kernel: verification protects users, and shipped kernels
// must not rely on it.
TEST(ShippedRecordings, NoConfigurationIsWrongOrUnstable) {
  for (const RecordingEntry& entry : shipped()) {
    const auto recording = load_recording(entry.file);
    ASSERT_TRUE(recording) << recording.error().message;
    for (const Trial& trial : recording->trials) {
      EXPECT_NE(trial.status, TrialStatus::wrong_result) << entry.file << ": " << trial.evidence;
      EXPECT_NE(trial.status, TrialStatus::unstable) << entry.file << ": " << trial.evidence;
    }
  }
}

TEST_P(ReplayedWinner, IsWithinTwoPercentOfTheFastestTrial) {
  test::CliRunner cli;
  cli.set("WARPTUNE_TEMPLATES", (test::share_dir() / "kernel_templates").string());
  std::vector<RecordingEntry> of_kernel;
  for (const RecordingEntry& entry : shipped())
    if (entry.kernel == GetParam()) of_kernel.push_back(entry);
  const std::size_t step = of_kernel.size() > 4 ? 2 : 1;
  std::size_t replayed = 0;
  for (std::size_t i = 0; i < of_kernel.size(); i += step) {
    ++replayed;
    const RecordingEntry& entry = of_kernel[i];
    SCOPED_TRACE(entry.file.string());
    const auto recording = load_recording(entry.file);
    ASSERT_TRUE(recording) << recording.error().message;
    const std::string db = (cli.dir() / (entry.file.stem().string() + ".db")).string();
    const std::vector<std::string_view> parts = split(entry.problem, ';');
    std::vector<std::string> words = {"tune",     entry.kernel,
                                      "--shape",  std::string(parts[0]),
                                      "--dtype",  std::string(parts[1]),
                                      "--device", "replay:" + entry.file.string(),
                                      "--db",     db};
    if (parts.size() > 2)
      for (const std::string_view flag : split(parts[2], ',')) words.insert(words.end(), {"--set", std::string(flag)});
    const auto run = cli.run(words);
    ASSERT_EQ(run.code, 0) << run.err;
    const auto reader = Reader::open(db);
    ASSERT_TRUE(reader);
    const auto best = reader->best();
    ASSERT_TRUE(best);
    ASSERT_EQ(best->size(), 1U);
    const auto fastest =
        std::min_element(recording->trials.begin(), recording->trials.end(), [](const Trial& a, const Trial& b) {
          return a.timing && (!b.timing || a.timing->median_us < b.timing->median_us);
        });
    ASSERT_TRUE(fastest->timing);
    // If the fastest cannot be distinguished from the default, the default wins; then its interval is wide.
    EXPECT_LE(best->front().ci_low_us, 1.02 * fastest->timing->median_us);
    EXPECT_LE(best->front().median_us, 1.1 * fastest->timing->median_us);
    EXPECT_TRUE(best->front().certified);
  }
  EXPECT_GE(replayed, kMinShapes);
}

INSTANTIATE_TEST_SUITE_P(Shipped, ReplayedWinner, ::testing::ValuesIn(kKernels),
                         [](const auto& kernel) { return std::string(kernel.param); });

} // namespace
} // namespace warptune
