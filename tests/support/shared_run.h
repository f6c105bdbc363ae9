// A sweep of many small recorded jobs that several processes of the command line share, and what is measured by
// it.
#pragma once

#include "db/reader.h"
#include "support/run_cli.h"
#include "support/scale_recording.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

namespace warptune::test {

// By kernel, problem and configuration, without times of day.
using MeasuredTrials = std::set<std::string>;

inline MeasuredTrials trials_of(const std::filesystem::path& database) {
  MeasuredTrials all;
  const auto reader = Reader::open(database);
  if (!reader) {
    ADD_FAILURE() << reader.error().message;
    return all;
  }
  const auto sessions = reader->sessions();
  for (const SessionRecord& session : *sessions) {
    const auto rows = reader->trials(session.id);
    for (const TrialRow& row : *rows)
      all.insert(session.identity.kernel + " " + session.identity.problem + " " + row.config + " " +
                 std::string(status_name(row.trial.status)) + " " +
                 std::to_string(row.trial.timing ? row.trial.timing->median_us : 0));
  }
  return all;
}

struct SharedRun : testing::Test {
  CliRunner cli;
  const std::string file = (cli.dir() / "some.json").string();
  const std::string run = (cli.dir() / "run").string();
  const std::filesystem::path recordings = cli.dir() / "recordings";
  const std::size_t jobs;

  // `scale` for many shapes. The search is exhaustive, so the trials do not depend on who does which job.
  explicit SharedRun(std::size_t count = 24) : jobs(count) {
    std::filesystem::create_directory(recordings);
    nlohmann::json shapes = nlohmann::json::array();
    Recording recording = scale_recording();
    const std::string problem = recording.problem;
    for (std::size_t i = 0; i < jobs; ++i) {
      const std::string rows = "rows=" + std::to_string(64 + i);
      shapes.push_back(rows + ",cols=1024");
      recording.problem = problem;
      recording.problem.replace(recording.problem.find("rows=64"), 7, rows);
      if (!save_recording(recording, recordings / (rows + ".json"))) throw std::runtime_error("cannot save");
    }
    std::ofstream(file) << nlohmann::json{{"warptune_sweep", 1}, {"jobs", {{{"kernel", "scale"}, {"shapes", shapes}}}}};
  }

  std::vector<std::string> words(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all = {"sweep",
                                    file,
                                    "--devices",
                                    "replay:" + recordings.string(),
                                    "--run",
                                    run,
                                    "--lease",
                                    "1s",
                                    "--local",
                                    cli.dir().path().string(),
                                    "--compile-workers",
                                    "1",
                                    "-q"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  pid_t start(const std::vector<std::string>& more = {}, const std::function<void()>& before = {}) const {
    return start_child([&] {
      ::setpgid(0, 0);
      const int null = ::open((cli.dir() / "out.txt").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
      ::dup2(null, STDOUT_FILENO);
      ::dup2(null, STDERR_FILENO);
      return cli.execute(words(more), before);
    });
  }
  std::string said() const { return read_text(cli.dir() / "out.txt"); }

  MeasuredTrials merged() const {
    const std::string all = (cli.dir() / "merged.db").string();
    std::filesystem::remove(all);
    const CliResult result = cli.run({"merge", "-o", all, run});
    EXPECT_EQ(result.code, 0) << result.err;
    return trials_of(all);
  }
  MeasuredTrials undisturbed() const {
    const std::string db = (cli.dir() / "undisturbed.db").string();
    const CliResult result = cli.run({"sweep", file, "--devices", "replay:" + recordings.string(), "--db", db, "-q"});
    EXPECT_EQ(result.code, 0) << result.err;
    MeasuredTrials all = trials_of(db);
    EXPECT_EQ(all.size(), jobs * 9);
    return all;
  }
  nlohmann::json status() const {
    const CliResult result = cli.run({"sweep", "--status", run, "--json"});
    EXPECT_EQ(result.code, 0) << result.err;
    return nlohmann::json::parse(result.out, nullptr, false);
  }
  std::vector<std::string> claims() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(run) / "claims"))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }
  std::size_t count_claims(const std::string& end) const {
    const auto names = claims();
    return static_cast<std::size_t>(
        std::count_if(names.begin(), names.end(), [&](const std::string& name) { return name.ends_with(end); }));
  }
  // Waits until the folder holds so many of these.
  void wait_for_claims(const std::string& end, std::size_t count) const {
    std::error_code none;
    while (!std::filesystem::exists(std::filesystem::path(run) / "claims", none) || count_claims(end) < count)
      ::usleep(2000);
  }
};

} // namespace warptune::test
