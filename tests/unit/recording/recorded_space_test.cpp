#include "interchange/gzip.h"
#include "interchange/kernel_tuner_cache.h"
#include "interchange/t4_results.h"
#include "recording/recorded_space_file.h"
#include "recording/recorded_space_recording.h"
#include "support/cache_text.h"
#include "support/temp_dir.h"

#include <cmath>
#include <fstream>
#include <gmock/gmock.h>
#include <map>

namespace warptune {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::filesystem::path put(const test::TempDir& dir, const std::string& name, std::string_view text) {
  std::ofstream(dir / name, std::ios::binary) << text;
  return dir / name;
}

Recording small_recording() {
  Recording r;
  r.kernel = "scale";
  r.problem = "n=1024;fp32";
  r.device.name = "A GPU";
  r.recorded_at = "2026-01-02T03:04:05Z";
  r.param_names = {"VEC", "UNROLL"};
  for (const std::int64_t vec : {4, 1, 2})
    for (const std::int64_t unroll : {1, 2}) {
      Trial t;
      t.config = {vec, unroll};
      t.status = vec == 4 && unroll == 2 ? TrialStatus::wrong_result : TrialStatus::ok;
      t.compile_ms = 12;
      t.measure_ms = 3;
      if (t.status == TrialStatus::ok) {
        t.timing.emplace();
        t.timing->median_us = t.timing->ci_low_us = t.timing->ci_high_us = t.timing->min_us =
            66.176 * static_cast<double>(vec);
        t.timing->samples_us = {66.176F * static_cast<float>(vec), 66.208F * static_cast<float>(vec)};
      }
      r.trials.push_back(t);
    }
  return r;
}

TEST(RecordedSpaceFile, EveryFormatIsToldApart) {
  const test::TempDir dir;
  std::string cache = test::kSmallCache;
  const auto space = read_kernel_tuner_cache(cache);
  ASSERT_TRUE(space);
  EXPECT_EQ(load_recorded_space(put(dir, "a.json", test::kSmallCache))->format, "Kernel Tuner cache");
  EXPECT_EQ(load_recorded_space(put(dir, "b.json.gz", *gzip(test::kSmallCache)))->name, "b");
  EXPECT_EQ(load_recorded_space(
                put(dir, "c.json", R"({"results": [{"configuration": {"a": 1}, "times": {"runtimes": [1]}}]})"))
                ->format,
            "T4");
  ASSERT_TRUE(save_recording(small_recording(), dir / "d.json"));
  EXPECT_EQ(load_recorded_space(dir / "d.json")->format, "warptune recording");
}

TEST(RecordedSpaceFile, APackedFileThatIsCutOffCountsAsFarAsItGoes) {
  const test::TempDir dir;
  std::string text = R"({"tune_params_keys": ["a"], "tune_params": {"a": [1]}, "cache": {)";
  for (int i = 0; i < 20000; ++i)
    text += "\"" + std::to_string(i) + "\": {\"a\": " + std::to_string(i) + ", \"time\": 1},";
  const std::string packed = *gzip(text + "}}");
  const auto space = load_recorded_space(put(dir, "a.json.gz", packed.substr(0, packed.size() - 1000)));
  ASSERT_TRUE(space) << space.error().message;
  EXPECT_GT(space->space.size(), 1000);
  EXPECT_LT(space->space.size(), 20000);
  EXPECT_THAT(space->notes, Contains(HasSubstr("compressed file is truncated")));
}

TEST(RecordedSpaceFile, ErrorsNameTheFile) {
  const test::TempDir dir;
  for (const auto& [text, why] :
       std::vector<std::pair<std::string, std::string>>{{"", "it is not a recorded space"},
                                                        {"{}", "it is not a recorded space"},
                                                        {R"({"Results": []})", "it is not a recorded space"},
                                                        {R"({"cache": {}})", "has no parameters"},
                                                        {"\x1f\x8bxxxxxxxxxxxxxxx", "damaged"}}) {
    const auto space = load_recorded_space(put(dir, "a.json", text));
    ASSERT_FALSE(space) << text;
    EXPECT_THAT(space.error().message, HasSubstr("a.json: "));
    EXPECT_THAT(space.error().message, HasSubstr(why));
  }
  EXPECT_THAT(load_recorded_space(dir / "none.json").error().message, HasSubstr("No such file"));
  EXPECT_THAT(load_recorded_space(dir.path()).error().message, HasSubstr("is a directory"));
}

TEST(RecordedSpaceFile, FoldersGiveTheirFilesByName) {
  const test::TempDir dir;
  put(dir, "b.json", ""), put(dir, "a.json.gz", ""), put(dir, "README.md", "");
  const auto files = find_space_files({dir.path().string()});
  ASSERT_TRUE(files);
  EXPECT_THAT(*files, ElementsAre(dir / "a.json.gz", dir / "b.json"));
  EXPECT_FALSE(find_space_files({(dir / "none").string()}));
  std::filesystem::create_directory(dir / "empty");
  EXPECT_THAT(find_space_files({(dir / "empty").string()}).error().message, HasSubstr("contains no file"));
}

TEST(RecordedSpaceRecording, ARecordingGoesThroughACacheAndBack) {
  const Recording recording = small_recording();
  const auto space = space_of(recording);
  ASSERT_TRUE(space) << space.error().message;
  EXPECT_THAT(space->space.values()[0], ElementsAre(1, 2, 4)); // sorted
  EXPECT_EQ(space->best_ms(), 0.066176);
  std::string text = write_kernel_tuner_cache(*space).value();
  EXPECT_THAT(text, HasSubstr(R"("times": [0.066176, 0.066208])"));
  const auto again = read_kernel_tuner_cache(text);
  ASSERT_TRUE(again) << again.error().message;
  const auto back = recording_of(*again, {});
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->kernel, recording.kernel);
  EXPECT_EQ(back->problem, recording.problem);
  EXPECT_EQ(back->device.name, recording.device.name);
  EXPECT_EQ(back->param_names, recording.param_names);
  EXPECT_EQ(back->recorded_at, recording.recorded_at);
  ASSERT_EQ(back->trials.size(), recording.trials.size());
  for (const Trial& t : recording.trials) {
    const auto same =
        std::find_if(back->trials.begin(), back->trials.end(), [&](const Trial& b) { return b.config == t.config; });
    ASSERT_NE(same, back->trials.end());
    EXPECT_EQ(same->status == TrialStatus::ok, t.status == TrialStatus::ok);
    EXPECT_EQ(same->compile_ms, t.compile_ms);
    if (t.timing) {
      EXPECT_NEAR(same->timing->median_us, t.timing->median_us, 1e-9);
      EXPECT_EQ(same->timing->samples_us, t.timing->samples_us);
    }
  }
  EXPECT_TRUE(parse_recording(write_recording(*back), "back"));
}

TEST(RecordedSpaceRecording, EnergyGoesAlongWhereItWasMeasured) {
  Recording recording = small_recording();
  recording.trials[0].power.emplace();
  recording.trials[0].power->energy_mj = 83.1;
  const auto check = [](const RecordedSpace& space) {
    int measured = 0;
    for (ConfigIndex i = 0; i < space.space.size(); ++i) {
      const double energy_mj = space.energy_mj(i);
      if (std::isnan(energy_mj)) continue;
      ++measured;
      EXPECT_DOUBLE_EQ(energy_mj, 83.1);
      EXPECT_EQ(space.at(i).time_ms, 4 * 0.066176);
    }
    EXPECT_EQ(measured, 1);
  };
  const auto space = space_of(recording);
  ASSERT_TRUE(space) << space.error().message;
  check(*space);
  std::string cache = write_kernel_tuner_cache(*space).value();
  check(*read_kernel_tuner_cache(cache));
  std::string t4 = write_t4_results(*space);
  check(*read_t4_results(t4));
}

// As in the shipped recordings of kernels with several implementations.
TEST(RecordedSpaceRecording, LabelsGoThroughT4AndBack) {
  Recording recording = small_recording();
  recording.param_names = {"implementation", "UNROLL"};
  recording.param_labels = {{"", "staged", "cp_async", "", "wgmma"}, {}};
  const auto space = space_of(recording);
  ASSERT_TRUE(space) << space.error().message;
  std::string t4 = write_t4_results(*space);
  const auto again = read_t4_results(t4);
  ASSERT_TRUE(again) << again.error().message;
  const auto imported = recording_of(*again, {});
  ASSERT_TRUE(imported) << imported.error().message;
  const auto back = parse_recording(write_recording(*imported), "r.json");
  ASSERT_TRUE(back) << back.error().message;
  const auto texts = [](const Recording& r) {
    std::map<std::string, TrialStatus> all;
    for (const Trial& t : r.trials) all[param_text(r, 0, t.config[0]) + "," + param_text(r, 1, t.config[1])] = t.status;
    return all;
  };
  EXPECT_EQ(back->param_names, recording.param_names);
  EXPECT_EQ(texts(*back).size(), 6u);
  EXPECT_EQ(texts(*back).count("cp_async,2"), 1u);
  EXPECT_EQ(texts(*back)["wgmma,1"], TrialStatus::ok);
  EXPECT_NE(texts(*back)["wgmma,2"], TrialStatus::ok);
}

TEST(RecordedSpaceRecording, ARecordingHoldsWholeNumbersLabelsAndBooleans) {
  std::string halves = R"({"tune_params_keys": ["a"], "cache": {"x": {"a": 0.5, "time": 1}}})";
  const auto refused = recording_of(*read_kernel_tuner_cache(halves), {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("the parameter 'a' has the value '0.5'"));
  std::string booleans = R"({"tune_params": {"a": [false, true]}, "cache": {"x": {"a": true, "time": 1}}})";
  const auto made = recording_of(*read_kernel_tuner_cache(booleans), {});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_THAT(made->trials[0].config, ElementsAre(1));
  std::string fast = R"({"tune_params": {"a": [1]}, "cache": {"x": {"a": 1, "time": 1e-9}}})";
  EXPECT_THAT(recording_of(*read_kernel_tuner_cache(fast), {}).error().message, HasSubstr("nanoseconds"));
}

// Every written file can be read.
TEST(RecordedSpaceRecording, TimesFarApartAreReadAgainOrRefused) {
  const auto with_time = [](const std::string& time) {
    std::string text = R"({"tune_params": {"a": [1]}, "cache": {"x": {"a": 1, )" + time + "}}}";
    return recording_of(*read_kernel_tuner_cache(text), {});
  };
  const auto short_sample = with_time(R"("time": 200, "times": [0.001, 200])");
  ASSERT_TRUE(short_sample) << short_sample.error().message;
  const auto read = parse_recording(write_recording(*short_sample), "r.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->trials[0].timing->samples_us.size(), 2u);
  EXPECT_THAT(with_time(R"("time": 1e18)").error().message, HasSubstr("at most 1000000000"));
  const auto longest = with_time(R"("time": 1e9, "times": [1e9, 1e18])");
  ASSERT_TRUE(longest) << longest.error().message;
  EXPECT_TRUE(parse_recording(write_recording(*longest), "r.json"));
}

TEST(RecordedSpaceRecording, AnEmptyRecordingIsNoSpace) {
  Recording recording = small_recording();
  recording.trials.clear();
  EXPECT_FALSE(space_of(recording));
}

} // namespace
} // namespace warptune
