// A sweep of many small recorded jobs that several processes of the command line share, and its trials.
#pragma once

#include "support/run_folder.h"
#include "support/scale_recording.h"

namespace warptune::test {

struct SharedRun : RunFolder {
  const std::string file = (cli.dir() / "some.json").string();
  const std::filesystem::path recordings = cli.dir() / "recordings";
  const std::size_t jobs;

  // `scale` for many shapes. The search is exhaustive, so the trials do not depend on which process does a job.
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

  std::vector<std::string> words(const std::vector<std::string>& more = {}) const override {
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
  MeasuredTrials merged() const { return trials_of(merged_database()); }
  MeasuredTrials undisturbed() const {
    const std::string db = (cli.dir() / "undisturbed.db").string();
    const CliResult result = cli.run({"sweep", file, "--devices", "replay:" + recordings.string(), "--db", db, "-q"});
    EXPECT_EQ(result.code, 0) << result.err;
    MeasuredTrials all = trials_of(db);
    EXPECT_EQ(all.size(), jobs * 9);
    return all;
  }
};

} // namespace warptune::test
