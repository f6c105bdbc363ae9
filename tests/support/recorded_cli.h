// The command line with a sweep to replay (scale_recording.h) and a path for a database, as most tests of the command
// line need them.
#pragma once

#include "support/run_cli.h"
#include "support/scale_recording.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace warptune::test {

struct RecordedCli : testing::Test {
  CliRunner cli;
  const std::string recording = in_dir("scale.json"), db = in_dir("w.db");

  RecordedCli() { save_scale_recording(recording); }

  std::string in_dir(const std::string& name) const { return (cli.dir() / name).string(); }
  // The command that replays the sweep.
  std::vector<std::string> tuning(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"tune", "scale", "--shape", kScaleShape, "--device", "replay:" + recording};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  CliResult tune(const std::vector<std::string>& more = {}) const { return cli.run(tuning(more)); }
  // The output of a command with --json.
  nlohmann::json parsed(std::vector<std::string> words, int code = 0) const {
    words.emplace_back("--json");
    const CliResult result = cli.run(words);
    EXPECT_EQ(result.code, code) << result.err;
    return nlohmann::json::parse(result.out, nullptr, false);
  }
};

} // namespace warptune::test
