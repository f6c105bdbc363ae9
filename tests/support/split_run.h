// One recorded problem that several processes of the command line split, and its trials.
#pragma once

#include "support/run_folder.h"

#include <csignal>

namespace warptune::test {

struct SplitRun : RunFolder {
  const std::string recording =
      "replay:" + (share_dir() / "recordings" / "axpy__n_65536__fp32.json").string(); // 540 configurations
  std::string lease = "1s";
  std::vector<std::string> search = {"--strategy", "portfolio", "--budget", "100", "--seed", "3"};

  std::vector<std::string> problem(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all = {"tune", "axpy", "--shape", "n=65536", "--device", recording, "-q"};
    all.insert(all.end(), {"--compile-workers", "1"});
    all.insert(all.end(), search.begin(), search.end());
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  std::vector<std::string> words(const std::vector<std::string>& more = {}) const override {
    std::vector<std::string> all =
        problem({"--run", run, "--split", "4", "--lease", lease, "--local", cli.dir().path().string()});
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  // Trials; a file has one on each line.
  std::size_t published() const {
    std::size_t trials = 0;
    for (const std::string& name : files_in("trials")) {
      if (name.ends_with(".left") || name.ends_with(".tmp")) continue;
      const std::string text = read_text(folder("trials") / name);
      trials += static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    }
    return trials;
  }
  void wait_for_trials(std::size_t trials) const {
    while (published() < trials) ::usleep(2000);
  }
  // Starts a process, and pauses it after it has published `trials` trials and before its last trial, so that the
  // test's next steps do not race with it.
  pid_t start_and_pause(std::size_t trials) const {
    const pid_t process = start();
    wait_for_trials(trials);
    ::kill(-process, SIGSTOP);
    return process;
  }
  // Returns the merged trials. Also checks that there is a winner, and one session for each process that published
  // the finals.
  MeasuredTrials merged(std::size_t sessions = 1) const {
    const std::string all = merged_database();
    const auto reader = Reader::open(all);
    if (!reader) return {};
    EXPECT_EQ(reader->sessions()->size(), sessions);
    EXPECT_EQ(reader->best()->size(), 1u);
    return trials_of(all);
  }
  // Returns the trials of one process with one device.
  MeasuredTrials alone(std::size_t count) const {
    const std::string db = (cli.dir() / "alone.db").string();
    std::filesystem::remove(db);
    const CliResult result = cli.run(problem({"--db", db}));
    EXPECT_EQ(result.code, 0) << result.err;
    MeasuredTrials all = trials_of(db);
    EXPECT_EQ(all.size(), count);
    return all;
  }
};

struct SplitRange : SplitRun {
  SplitRange() { search.clear(); } // all configurations
};

} // namespace warptune::test
