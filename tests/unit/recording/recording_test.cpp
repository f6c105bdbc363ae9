#include "recording/recording.h"
#include "support/distinct.h"
#include "support/temp_dir.h"
#include "support/toy.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <sys/stat.h>

namespace warptune {
namespace {

using ::testing::HasSubstr;

Recording sample() {
  const Kernel kernel = test::toy_kernel();
  return test::toy_recording(kernel, test::toy_problem(kernel));
}

void write(const std::filesystem::path& file, const std::string& text) { std::ofstream(file) << text; }

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

std::string error_of(const std::string& text) {
  const auto parsed = parse_recording(text, "r.json");
  EXPECT_FALSE(parsed);
  if (parsed) return "";
  EXPECT_EQ(parsed.error().kind, ErrorKind::bad_input);
  return parsed.error().message;
}

TEST(Recording, ComesBackAsItWas) {
  test::TempDir dir;
  const Recording sent = sample();
  ASSERT_TRUE(save_recording(sent, dir / "a.json"));
  const auto got = load_recording(dir / "a.json");
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->kernel, sent.kernel);
  EXPECT_EQ(got->problem, sent.problem);
  EXPECT_EQ(got->source_hash, sent.source_hash);
  EXPECT_EQ(got->recorded_at, sent.recorded_at);
  EXPECT_EQ(got->param_names, sent.param_names);
  EXPECT_EQ(got->device.name, sent.device.name);
  EXPECT_EQ(got->device.limits.sm_count, sent.device.limits.sm_count);
  EXPECT_DOUBLE_EQ(got->device.roofs.dram_copy_gbs, sent.device.roofs.dram_copy_gbs);
  ASSERT_EQ(got->trials.size(), sent.trials.size());
  for (std::size_t i = 0; i < sent.trials.size(); ++i) {
    const Trial &a = sent.trials[i], &b = got->trials[i];
    EXPECT_EQ(a.config, b.config);
    EXPECT_EQ(a.status, b.status);
    EXPECT_EQ(a.evidence, b.evidence);
    EXPECT_EQ(a.resources.registers, b.resources.registers);
    ASSERT_EQ(a.timing.has_value(), b.timing.has_value());
    if (!a.timing) continue;
    EXPECT_NEAR(a.timing->median_us, b.timing->median_us, 1e-3);
    EXPECT_NEAR(a.timing->ci_high_us, b.timing->ci_high_us, 2e-3);
    EXPECT_EQ(b.timing->samples_us.size(), 15u);
    EXPECT_TRUE(b.verdict->correct);
  }
}

TEST(Recording, KeepsEveryMemberOfATrialAndADevice) {
  Recording sent = sample();
  sent.device = test::Distinct().make<DeviceInfo>();
  sent.cold_l2 = false;
  auto trial = test::Distinct().make<Trial>();
  trial.config = sent.trials[0].config;
  trial.status = TrialStatus::wrong_result; // its verdict is stored completely
  trial.resources.occupancy = 0.125;
  trial.verdict->correct = false;
  trial.verdict->detail = trial.evidence;
  sent.trials[0] = trial;
  const auto got = parse_recording(write_recording(sent), "r.json");
  ASSERT_TRUE(got) << got.error().message;
  test::expect_same(got->device, sent.device, {"uuid"});
  test::expect_same(got->trials[0], trial, {"index", "cubin_hash"});
}

TEST(Recording, OneThatLacksAYoungerColumnIsWrittenAsItWas) {
  Recording r = sample();
  const std::string without = write_recording(r);
  EXPECT_THAT(without, testing::Not(HasSubstr("clock_min_mhz")));
  EXPECT_EQ(parse_recording(without, "r.json")->trials[0].timing->sm_clock_min_mhz, 0);
  r.trials[0].timing->sm_clock_min_mhz = 1695;
  EXPECT_EQ(parse_recording(write_recording(r), "r.json")->trials[0].timing->sm_clock_min_mhz, 1695);
}

TEST(Recording, KeepsWhatWasFoundBesideTimes) {
  Recording sent = sample();
  ASSERT_GE(sent.trials.size(), 3U);
  sent.trials[0].profile = Profile{{{"a.sum", 123456789012}, {"b.pct", 12.3456789}}, "CUPTI 13.0", 2, true};
  sent.trials[2].profile = Profile{{{"a.sum", 5}}, "CUPTI 13.0", 2, true};
  sent.trials[1].power = PowerReading{12.5, 600, 1755, 61, 0x4, 1000, 250.5};
  sent.device.max_sm_clock_mhz = 1980;
  sent.device.roofs.l2_gbs = 8700;
  sent.device.roofs.clocks = {{"l2_gbs", 1980}};
  sent.device.roofs.driver = "580.1";
  const std::string text = write_recording(sent);
  const auto got = parse_recording(text, "r.json");
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->trials[0].profile->counters,
            (std::map<std::string, double>{{"a.sum", 123456789012}, {"b.pct", 12.3457}}));
  EXPECT_EQ(got->trials[2].profile->counters, (std::map<std::string, double>{{"a.sum", 5}}));
  EXPECT_EQ(got->trials[2].profile->passes, 2);
  EXPECT_FALSE(got->trials[1].profile);
  EXPECT_EQ(got->trials[1].power->energy_mj, 12.5);
  EXPECT_EQ(got->trials[1].power->launches, 1000);
  EXPECT_FALSE(got->trials[0].power);
  EXPECT_EQ(got->device.max_sm_clock_mhz, 1980);
  EXPECT_EQ(got->device.roofs.l2_gbs, 8700);
  EXPECT_EQ(got->device.roofs.clocks, sent.device.roofs.clocks);
  EXPECT_EQ(got->device.roofs.driver, "580.1");
  EXPECT_THAT(error_of(replaced(text, R"("trials":[0,2])", R"("trials":[0,99999])")),
              HasSubstr("names a trial that is not in the recording"));
  EXPECT_THAT(error_of(replaced(text, R"("power":[[1,12.5)", R"("power":[[1,-1)")),
              HasSubstr("a reading of 'power' is -1"));
  EXPECT_THAT(error_of(replaced(text, R"("passes":2)", R"("passes":-5)")), HasSubstr("whole number from 0"));
  EXPECT_THAT(error_of(replaced(text, "123456789012", "-1")), HasSubstr("a counter is -1"));
}

TEST(Recording, IsCompact) {
  Recording big = sample();
  const std::size_t header = write_recording(big).size();
  const auto trials = big.trials;
  for (int i = 0; i < 20; ++i) big.trials.insert(big.trials.end(), trials.begin(), trials.end());
  const std::size_t per_trial = (write_recording(big).size() - header) / (big.trials.size() - trials.size());
  EXPECT_LE(per_trial, 100u);
}

TEST(Recording, ManyValuesAndOddNumbers) {
  Recording r = sample();
  r.trials.clear();
  r.param_names = {"N"};
  for (std::int64_t i = 0; i < 5000; ++i) {
    Trial t = test::toy_trial({1, 1, 0});
    t.config = {i * i - 100};
    t.timing->samples_us = {};
    t.timing->median_us = 123456.78;
    t.verdict->worst_ratio = std::numeric_limits<double>::infinity();
    r.trials.push_back(std::move(t));
  }
  const auto got = parse_recording(write_recording(r), "r.json");
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->trials.back().config, r.trials.back().config);
  EXPECT_NEAR(got->trials.back().timing->median_us, 123456.78, 10);
}

TEST(Recording, WithoutTrials) {
  Recording r = sample();
  r.trials.clear();
  const auto got = parse_recording(write_recording(r), "r.json");
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_TRUE(got->trials.empty());
}

TEST(RecordingErrors, Truncated) {
  const std::string text = write_recording(sample());
  EXPECT_THAT(error_of(text.substr(0, text.size() / 2)), HasSubstr("truncated or damaged at byte"));
  EXPECT_THAT(error_of(""), HasSubstr("not a recording"));
}

TEST(RecordingErrors, EveryCutIsRefused) {
  const std::string text = write_recording(sample());
  for (std::size_t n = 0; n + 2 < text.size(); n += 97) EXPECT_FALSE(parse_recording(text.substr(0, n), "r.json"));
}

// A byte that changes a number leaves valid JSON; the checksum detects it.
TEST(RecordingErrors, EveryChangedByteIsRefused) {
  const std::string good = write_recording(sample());
  const std::size_t end = good.rfind(",\"sha256\"");
  ASSERT_NE(end, std::string::npos);
  const auto text_of = [](const std::string& text) {
    const auto read = parse_recording(text, "r.json");
    return read ? write_recording(*read) : std::string();
  };
  ASSERT_EQ(text_of(good), good);
  for (std::size_t at = 0; at < end; ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    EXPECT_EQ(text_of(bad), "") << at << ": " << bad.substr(at > 20 ? at - 20 : 0, 40);
  }
  const std::string old = good.substr(0, end) + "}\n";
  EXPECT_EQ(text_of(old), good) << "recordings from before have no sum";
}

TEST(RecordingErrors, NothingIsBehindAZeroByte) {
  EXPECT_THAT(error_of(write_recording(sample()) + '\0' + "more"), HasSubstr("truncated or damaged at byte"));
}

TEST(RecordingErrors, SomethingElse) {
  EXPECT_THAT(error_of("hello"), HasSubstr("not a recording"));
  EXPECT_THAT(error_of("{\"a\": 1}"), HasSubstr("not a recording"));
  EXPECT_THAT(error_of("[1, 2]"), HasSubstr("not a recording"));
}

TEST(RecordingErrors, NewerFormat) {
  EXPECT_THAT(error_of(replaced(write_recording(sample()), "\"format\":1", "\"format\":2")),
              HasSubstr("update warptune"));
}

TEST(RecordingErrors, WrongTypesAndLengths) {
  const std::string good = write_recording(sample());
  EXPECT_THAT(error_of(replaced(good, "\"kernel\":\"toy\"", "\"kernel\":7")), HasSubstr("damaged"));
  EXPECT_THAT(error_of(replaced(good, "\"trials\":", "\"trials\":9")), HasSubstr("do not have the length"));
  EXPECT_THAT(error_of(replaced(good, "\"median\":[", "\"median\":[\"x\",")), HasSubstr("median"));
  EXPECT_THAT(error_of(replaced(good, "\"registers\":[", "\"registers\":[1,")), HasSubstr("too many"));
  EXPECT_THAT(error_of(replaced(good, "\"median\":", "\"mediam\":")), HasSubstr("'median' is missing"));
  EXPECT_THAT(error_of(replaced(good, "\"unit_us\":0.001", "\"unit_us\":0")), HasSubstr("unit_us"));
  EXPECT_THAT(error_of(replaced(good, "\"width\":1", "\"width\":0")), HasSubstr("width"));
  EXPECT_THAT(error_of(replaced(good, "\"configs\":\"0", "\"configs\":\"Z")), HasSubstr("configs"));
  EXPECT_THAT(error_of(replaced(good, "\"status\":\"0", "\"status\":\"9")), HasSubstr("status"));
}

TEST(RecordingErrors, ValuesThatNothingMeasures) {
  const std::string good = write_recording(sample());
  EXPECT_THAT(error_of(replaced(good, "\"unit_us\":0.001", "\"unit_us\":9e999")),
              HasSubstr("number that is too large"));
  EXPECT_THAT(error_of(replaced(good, "\"unit_us\":0.001", "\"unit_us\":1e300")), HasSubstr("unit_us"));
  EXPECT_THAT(error_of(replaced(good, "\"median\":[", "\"median\":[18446744073709551615,")), HasSubstr("median"));
  EXPECT_THAT(error_of(replaced(good, "\"sm_count\":", "\"sm_count\":-")), HasSubstr("sm_count"));
  EXPECT_THAT(error_of(replaced(good, "\"dram_read_gbs\":", "\"dram_read_gbs\":-")), HasSubstr("dram_read_gbs"));
  const auto after = [](const std::function<void(Trial&)>& change) {
    Recording r = sample();
    change(r.trials[0]);
    return error_of(write_recording(r));
  };
  EXPECT_THAT(after([](Trial& t) { t.resources.registers = -1; }), HasSubstr("'registers' contains -1"));
  EXPECT_THAT(after([](Trial& t) { t.resources.spill_bytes = -1; }), HasSubstr("spill_bytes"));
  EXPECT_THAT(after([](Trial& t) { t.resources.static_shared_bytes = -1; }), HasSubstr("static_shared_bytes"));
  EXPECT_THAT(after([](Trial& t) { t.resources.occupancy = 1.5; }), HasSubstr("occupancy"));
  EXPECT_THAT(after([](Trial& t) { t.compile_ms = -1; }), HasSubstr("compile_ms"));
  EXPECT_THAT(after([](Trial& t) { t.verify_ms = -1; }), HasSubstr("verify_ms"));
  EXPECT_THAT(after([](Trial& t) { t.measure_ms = -1; }), HasSubstr("measure_ms"));
  EXPECT_THAT(after([](Trial& t) { t.timing->median_us = -1; }), HasSubstr("median"));
  EXPECT_THAT(after([](Trial& t) { t.timing->ci_low_us = -1; }), HasSubstr("not positive"));
  EXPECT_THAT(after([](Trial& t) { t.timing->min_us = 0; }), HasSubstr("not positive"));
  EXPECT_THAT(after([](Trial& t) { t.timing->samples_us[0] = -5; }), HasSubstr("sample"));
}

TEST(RecordingErrors, WhatIsNoFile) {
  test::TempDir dir;
  ASSERT_EQ(::mkfifo((dir / "fifo.json").c_str(), 0600), 0);
  for (const std::filesystem::path& path : {dir / "fifo.json", std::filesystem::path("/dev/zero")}) {
    const auto loaded = load_recording(path);
    ASSERT_FALSE(loaded);
    EXPECT_THAT(loaded.error().message, HasSubstr(path.string() + " is a pipe, a socket or a device"));
  }
  EXPECT_TRUE(list_recordings(dir.path()).empty()) << "and the folder does not hang on it";
  write(dir / "huge.json", "");
  std::filesystem::resize_file(dir / "huge.json", (std::uintmax_t{256} << 20) + 1);
  EXPECT_THAT(load_recording(dir / "huge.json").error().message, HasSubstr("larger than 256 MiB"));
}

TEST(RecordingErrors, Unwritable) {
  test::TempDir dir;
  write(dir / "file", "x");
  EXPECT_FALSE(save_recording(sample(), dir / "file" / "a.json"));
}

TEST(FindRecording, InAFileOrADirectory) {
  test::TempDir dir;
  Recording r = sample();
  ASSERT_TRUE(save_recording(r, dir / "one.json"));
  r.problem = "n=4096;fp32";
  ASSERT_TRUE(save_recording(r, dir / "two.json"));
  write(dir / "broken.json", "{");
  EXPECT_TRUE(find_recording(dir / "one.json", "toy", "n=1048576;fp32"));
  const auto found = find_recording(dir.path(), "toy", "n=4096;fp32");
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->problem, "n=4096;fp32");
  EXPECT_EQ(list_recordings(dir.path()).size(), 2u);
}

TEST(FindRecording, ADamagedFileDoesNotHideTheOthers) {
  test::TempDir dir;
  const std::string good = write_recording(sample());
  write(dir / "a.json", replaced(good, "\"unit_us\":0.001", "\"unit_us\":9e999"));
  const auto only = find_recording(dir.path(), "toy", "n=1048576;fp32");
  ASSERT_FALSE(only);
  EXPECT_THAT(only.error().message, HasSubstr("a.json: the recording is damaged"));
  write(dir / "b.json", good);
  EXPECT_TRUE(find_recording(dir.path(), "toy", "n=1048576;fp32"));
  EXPECT_EQ(list_recordings(dir.path()).size(), 1u);
  EXPECT_THAT(find_recording(dir.path(), "toy", "n=7;fp32").error().message,
              HasSubstr("could not be read; the first error:"));
}

// A list reads only the beginning of a file and its checksum, but says the same as the whole file.
TEST(ListRecordings, SaysWhatTheWholeFilesSay) {
  test::TempDir dir;
  Recording r = sample();
  r.device.name = "some \"GPU\"";
  ASSERT_TRUE(save_recording(r, dir / "escaped.json"));
  r.device.name = "another GPU";
  r.problem = "n=4096;fp32";
  const std::string text = write_recording(r);
  write(dir / "sealed.json", text);
  r.problem = "n=8192;fp32";
  const std::string other = write_recording(r);
  write(dir / "unsealed.json", other.substr(0, other.rfind(",\"sha256\"")) + "}");
  write(dir / "changed.json", replaced(text, "\"problem\":\"n=4096", "\"problem\":\"n=9"));
  const auto list = list_recordings(dir.path());
  ASSERT_EQ(list.size(), 3u);
  for (const RecordingEntry& entry : list) {
    const auto whole = load_recording(entry.file);
    ASSERT_TRUE(whole) << whole.error().message;
    EXPECT_EQ(entry.kernel, whole->kernel);
    EXPECT_EQ(entry.problem, whole->problem);
    EXPECT_EQ(entry.device, whole->device.name);
  }
  EXPECT_FALSE(load_recording(dir / "changed.json"));
}

TEST(FindRecording, SaysWhatExists) {
  test::TempDir dir;
  Recording r = sample();
  ASSERT_TRUE(save_recording(r, dir / "one.json"));
  r.problem = "n=4096;fp32";
  ASSERT_TRUE(save_recording(r, dir / "two.json"));
  const auto message = [&](const std::filesystem::path& path, const char* kernel, const char* problem) {
    const auto found = find_recording(path, kernel, problem);
    EXPECT_FALSE(found);
    return found ? "" : found.error().message;
  };
  EXPECT_THAT(message(dir.path(), "toy", "n=5000;fp32"), HasSubstr("the nearest is n=4096;fp32"));
  r.problem = "n=5000;bf16;layout=nt";
  ASSERT_TRUE(save_recording(r, dir / "three.json"));
  EXPECT_THAT(message(dir / "three.json", "toy", "n=5000;bf16;layout=nn"),
              HasSubstr("the nearest is n=5000;bf16;layout=nt: --shape n=5000 --dtype bf16 --set layout=nt"));
  r.problem = "n=[3,5];fp32;layout=nt,out=same";
  ASSERT_TRUE(save_recording(r, dir / "four.json"));
  EXPECT_THAT(message(dir / "four.json", "toy", "n=5000;fp32;layout=nt,out=bf16"),
              HasSubstr(": --shape 'n=[3,5]' --dtype fp32 --set layout=nt --set out=same"));
  EXPECT_THAT(message(dir / "one.json", "toy", "n=5000;fp32"), HasSubstr("the nearest is n=1048576;fp32"));
  EXPECT_THAT(message(dir.path(), "softmax", "rows=1"), HasSubstr("no recording of 'softmax'; it has toy"));
  for (int n : {6000, 7000, 8000, 9000}) {
    r.problem = "n=" + std::to_string(n) + ";fp32";
    ASSERT_TRUE(save_recording(r, dir / (std::to_string(n) + ".json")));
  }
  EXPECT_THAT(
      message(dir.path(), "toy", "n=5900;fp32"),
      HasSubstr("the nearest is n=6000;fp32: --shape n=6000 --dtype fp32 (then: n=7000;fp32, n=8000;fp32 and "));
  EXPECT_THAT(message(dir / "none.json", "toy", "n=1"), HasSubstr("does not exist"));
  test::TempDir empty;
  EXPECT_THAT(message(empty.path(), "toy", "n=1"), HasSubstr("there are no recordings in"));
}

} // namespace
} // namespace warptune
