// record: the roofs and the time of a recording; --seal: older recordings, which have no checksum, get one.
#include "recording/recording.h"
#include "support/recorded_cli.h"

#include <fstream>
#include <gmock/gmock.h>

namespace warptune {
namespace {

using namespace test;
using testing::HasSubstr;
using testing::Not;

struct CliRecord : RecordedCli {
  // The recording without its last member, the checksum.
  std::string older() const {
    const std::string file = in_dir("older.json"), text = read_text(recording);
    std::ofstream(file) << text.substr(0, text.rfind(",\"sha256\":")) << "}\n";
    return file;
  }
};

TEST_F(CliRecord, SealsOlderFilesAndSaysWhatThatMeans) {
  const std::string file = older();
  const CliResult sealed = cli.run({"record", "--seal", file, recording});
  EXPECT_EQ(sealed.code, 0) << sealed.err;
  EXPECT_THAT(sealed.out, HasSubstr(file + ": 9 trials, sealed\n"));
  EXPECT_THAT(sealed.out, HasSubstr(recording + ": 9 trials, already has a checksum\n"));
  EXPECT_THAT(sealed.out,
              HasSubstr("note: the checksum only shows that the file has not changed since the checksum was added"));
  EXPECT_EQ(read_text(file), read_text(recording));
  EXPECT_THAT(cli.run({"record", "--seal", file}).out, Not(HasSubstr("note:"))) << "nothing was done";
}

TEST_F(CliRecord, SealsAreJsonToo) {
  const nlohmann::json sealed = parsed({"record", "--seal", older(), recording});
  ASSERT_EQ(sealed["files"].size(), 2U);
  EXPECT_EQ(sealed["files"][0]["had_checksum"], false);
  EXPECT_EQ(sealed["files"][1]["had_checksum"], true);
  EXPECT_EQ(sealed["files"][1]["trials"], 9);
  EXPECT_EQ(sealed["notes"].size(), 1U);
}

TEST_F(CliRecord, WhatIsNotARecordingIsNotSealed) {
  const std::string mine = in_dir("mine.json");
  std::ofstream(mine) << "my thesis";
  EXPECT_EQ(cli.run({"record", "--seal", mine}).code, 2);
  EXPECT_EQ(read_text(mine), "my thesis");
  EXPECT_EQ(cli.run({"record", "--seal", in_dir("none.json")}).code, 2);
  EXPECT_EQ(cli.run({"record", "--seal"}).code, 2);
}

TEST_F(CliRecord, SealingTakesNoSession) {
  for (const auto& more : std::vector<std::vector<std::string>>{
           {"-o", in_dir("x.json")}, {"--db", db}, {"--session", "1"}, {"--force"}, {"--dtype", "fp32"}}) {
    std::vector<std::string> words = {"record", "--seal", recording};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(cli.run(words).code, 2) << more.front();
  }
  EXPECT_EQ(cli.run({"record", "scale", "--seal", recording}).code, 2);
}

TEST_F(CliRecord, ARecordingOfAReplayKeepsTheRoofsAndTheTimeOfTheMeasurement) {
  const auto measured = [&](const std::string& name, const std::string& time, double gbs) {
    Recording r = scale_recording();
    r.recorded_at = time;
    r.device.roofs.dram_read_gbs = r.device.roofs.dram_copy_gbs = r.device.roofs.dram_write_gbs = gbs;
    r.device.roofs.measured = true;
    EXPECT_TRUE(save_recording(r, in_dir(name)));
    return in_dir(name);
  };
  const auto tuned = [&](const std::string& from, const std::string& database) {
    return parsed({"tune", "scale", "--shape", kScaleShape, "--device", "recorded:" + from, "--db", database});
  };
  const nlohmann::json first = tuned(measured("first.json", "2025-01-01T00:00:00Z", 4000), db);
  // Later measurements on the same model of GPU: other roofs, and the same roofs again.
  tuned(measured("second.json", "2025-02-02T00:00:00Z", 2000), db);
  tuned(measured("third.json", "2025-03-03T00:00:00Z", 4000), db);
  const auto recorded = [&](const char* session, const std::string& name) {
    const CliResult result = cli.run({"record", "--db", db, "--session", session, "-o", in_dir(name)});
    EXPECT_EQ(result.code, 0) << result.err;
    return result.out;
  };
  EXPECT_THAT(recorded("1", "again.json"),
              HasSubstr("its times come from that recording: NVIDIA H200, 2025-01-01T00:00:00Z"));
  recorded("2", "other.json");
  const auto again = load_recording(in_dir("again.json")), other = load_recording(in_dir("other.json"));
  ASSERT_TRUE(again && other);
  EXPECT_EQ(again->recorded_at, "2025-01-01T00:00:00Z");
  EXPECT_EQ(again->device.roofs.dram_read_gbs, 4000);
  EXPECT_EQ(other->recorded_at, "2025-02-02T00:00:00Z");
  EXPECT_EQ(other->device.roofs.dram_read_gbs, 2000);
  const nlohmann::json replayed = tuned(in_dir("again.json"), in_dir("again.db"));
  EXPECT_EQ(replayed["roofline"], first["roofline"]);
  EXPECT_THAT(replayed["notes"].dump(), HasSubstr("the times come from NVIDIA H200, 2025-01-01T00:00:00Z"));
}

// An imported recording may have no time. That of its replay must not be taken for it.
TEST_F(CliRecord, ATimeThatIsNotKnownStaysUnknown) {
  Recording r = scale_recording();
  r.recorded_at.clear();
  ASSERT_TRUE(save_recording(r, recording));
  for (const char* name : {"b", "c"}) { // the second recording is made from the first one
    const std::string database = in_dir(std::string(name) + ".db");
    const CliResult tuned = tune({"--db", database});
    EXPECT_EQ(tuned.code, 0) << tuned.err;
    EXPECT_THAT(tuned.out, HasSubstr("the times come from NVIDIA H200, measured at an unknown time"));
    ASSERT_EQ(cli.run({"record", "--db", database, "-o", recording}).code, 0);
    EXPECT_EQ(load_recording(recording)->recorded_at, "");
  }
}

} // namespace
} // namespace warptune
