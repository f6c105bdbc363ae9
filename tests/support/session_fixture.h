// A whole session on a toy device or a replayed recording, with its own database.
#pragma once

#include "db/reader.h"
#include "support/temp_dir.h"
#include "support/toy.h"
#include "tuner/session.h"

#include <atomic>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

namespace warptune::test {

class SessionFixture : public ::testing::Test {
 protected:
  SessionFixture() {
    options_.worker_executable = program_dir() / "test_worker";
    options_.database = dir_ / "t.db";
    options_.cache_directory = dir_.path();
    options_.compile_workers = 2;
    options_.device = "toy:";
    options_.compile_timeout_s = options_.evaluate_timeout_s = 60;
  }
  Result<SessionResult> tune() {
    return run_session(
        kernel_, toy_problem(kernel_), options_, [this](const Progress& p) { on_progress(p); }, stop_);
  }
  SessionResult tuned() {
    auto result = tune();
    EXPECT_TRUE(result) << result.error().message;
    return result.value_or(SessionResult{});
  }
  void replay(const Recording& recording) {
    ASSERT_TRUE(save_recording(recording, dir_ / "toy.json"));
    options_.device = "replay:" + (dir_ / "toy.json").string();
  }
  std::map<std::string, Trial> trials(RowId session) {
    std::map<std::string, Trial> all;
    auto reader = Reader::open(options_.database);
    EXPECT_TRUE(reader);
    auto rows = reader->trials(session);
    EXPECT_TRUE(rows);
    for (const TrialRow& row : *rows) EXPECT_TRUE(all.emplace(row.config, row.trial).second) << row.config << " twice";
    return all;
  }
  SessionState state(RowId session) {
    const auto sessions = Reader::open(options_.database)->sessions();
    for (const SessionRecord& s : *sessions)
      if (s.id == session) return s.state;
    return SessionState::failed;
  }
  std::vector<BestRecord> best() { return *Reader::open(options_.database)->best(); }

  std::function<void(const Progress&)> on_progress = [](const Progress&) {};
  Kernel kernel_ = toy_kernel();
  TempDir dir_;
  SessionOptions options_;
  std::atomic<bool> stop_{false};
};

} // namespace warptune::test
