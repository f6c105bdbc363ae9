// record --seal: older recordings, which have no checksum, get one.
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

} // namespace
} // namespace warptune
