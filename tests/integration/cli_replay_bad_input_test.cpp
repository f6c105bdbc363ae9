// Mistakes of users with a recording, one row each: the exit code, and one message on standard error that names the
// file. A sweep that cannot start creates no database.
#include "support/run_cli.h"
#include "support/scale_recording.h"

#include <algorithm>
#include <fstream>
#include <gmock/gmock.h>
#include <sys/stat.h>

namespace warptune {
namespace {

using namespace test;
using testing::HasSubstr;
namespace fs = std::filesystem;

struct ReplayBadInput : testing::Test {
  CliRunner cli;
  fs::path file = cli.dir() / "scale.json", db = cli.dir() / "w.db";

  void save(const Recording& recording) const { ASSERT_TRUE(save_recording(recording, file)); }
  void write(const std::string& text) const { std::ofstream(file, std::ios::binary) << text; }

  CliResult tune(const fs::path& from) const {
    return cli.run(
        {"tune", "scale", "--shape", kScaleShape, "--device", "replay:" + from.string(), "--db", db.string()});
  }
  void expect_error(const fs::path& from, int code, const std::vector<std::string>& parts) const {
    const CliResult result = tune(from);
    EXPECT_EQ(result.code, code) << result.err;
    EXPECT_THAT(result.err, testing::StartsWith("warptune: "));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    for (const std::string& part : parts) EXPECT_THAT(result.err, HasSubstr(part));
  }
  void expect_bad_input(const fs::path& from, std::vector<std::string> parts) const {
    parts.push_back(from.string());
    expect_error(from, 2, parts);
    EXPECT_FALSE(fs::exists(db));
  }
};

TEST_F(ReplayBadInput, Missing) { expect_bad_input(cli.dir() / "nowhere.json", {"does not exist"}); }

TEST_F(ReplayBadInput, Truncated) {
  const std::string text = write_recording(scale_recording());
  write(text.substr(0, text.size() / 2));
  expect_bad_input(file, {"truncated or damaged at byte"});
}

TEST_F(ReplayBadInput, NotARecording) {
  write("hello\n");
  expect_bad_input(file, {"not a recording"});
  expect_bad_input("/dev/zero", {"a device, not a recording"});
  const fs::path fifo = cli.dir() / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  expect_bad_input(fifo, {"a pipe"});
}

TEST_F(ReplayBadInput, ValuesThatNothingMeasures) {
  std::string text = write_recording(scale_recording());
  const std::string unit = "\"unit_us\":0.001";
  write(text.replace(text.find(unit), unit.size(), "\"unit_us\":9e999"));
  expect_bad_input(file, {"a number that is too large"});
  Recording negative = scale_recording();
  negative.trials[4].resources.registers = -1;
  save(negative);
  expect_bad_input(file, {"'registers' contains -1"});
}

TEST_F(ReplayBadInput, OfAnotherKernel) {
  Recording other = scale_recording();
  other.kernel = "shrink";
  save(other);
  expect_bad_input(file, {"contains no recording of 'scale'", "shrink"});
}

TEST_F(ReplayBadInput, OfAnotherProblem) {
  Recording other = scale_recording();
  other.problem = "rows=128,cols=1024" + other.problem.substr(other.problem.find(';'));
  save(other);
  expect_bad_input(file, {"contains no recording of scale for rows=64,cols=1024", "the nearest is rows=128,cols=1024"});
}

TEST_F(ReplayBadInput, ADamagedFileDoesNotHideTheFolder) {
  save(scale_recording());
  std::ofstream(cli.dir() / "damaged.json") << "{\"kernel\":\"scale\",\"problem\":9e999}";
  EXPECT_EQ(tune(cli.dir().path()).code, 0);
}

TEST_F(ReplayBadInput, EveryCandidateWrong) {
  Recording wrong = scale_recording();
  for (Trial& t : wrong.trials) {
    t.status = TrialStatus::wrong_result;
    t.verdict->correct = false;
    t.timing.reset();
    t.evidence = "y[" + std::to_string(t.index) + "] is 0 and should be 1";
  }
  save(wrong);
  // The message, followed by the diagnostic of the first failure.
  const CliResult result = tune(file);
  EXPECT_EQ(result.code, 4);
  EXPECT_EQ(result.err,
            "warptune: none of 9 configurations of scale is correct: 9 wrong_result; the first wrong_result "
            "(THREADS=64,VEC=1) says:\ny[0] is 0 and should be 1\n");
}

TEST_F(ReplayBadInput, TheDatabaseIsAPipeOrADevice) {
  save(scale_recording());
  db = "/dev/null";
  expect_error(file, 5, {"/dev/null", "a device"});
  db = cli.dir() / "fifo";
  ASSERT_EQ(::mkfifo(db.c_str(), 0600), 0);
  expect_error(file, 5, {db.string(), "a pipe"});
}

// Later commands also say that the times are not those of today's sources.
TEST_F(ReplayBadInput, OfOtherSourcesCertifiesNothing) {
  Recording other = scale_recording();
  other.source_hash = std::string(64, 'a');
  save(other);
  const CliResult tuned = tune(file);
  EXPECT_EQ(tuned.code, 0) << tuned.err;
  EXPECT_THAT(tuned.out, HasSubstr("not certified"));
  EXPECT_THAT(cli.run({"explain", "scale", "--shape", kScaleShape, "--db", db.string()}).out,
              HasSubstr("not certified"));
}

} // namespace
} // namespace warptune
