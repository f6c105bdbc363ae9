// One recorded problem that several processes of the command line split, and what they measure.
#pragma once

#include "support/shared_run.h"

namespace warptune::test {

struct SplitRun : testing::Test {
  CliRunner cli;
  const std::string run = (cli.dir() / "run").string();
  const std::string recording =
      "replay:" + (share_dir() / "recordings" / "axpy__n_65536__fp32.json").string(); // 540 configurations
  std::vector<std::string> search = {"--strategy", "portfolio", "--budget", "100", "--seed", "3"};

  std::vector<std::string> problem(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all = {"tune", "axpy", "--shape", "n=65536", "--device", recording, "-q"};
    all.insert(all.end(), {"--compile-workers", "1"});
    all.insert(all.end(), search.begin(), search.end());
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  std::vector<std::string> words(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all =
        problem({"--run", run, "--split", "4", "--lease", "1s", "--local", cli.dir().path().string()});
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  pid_t start(const std::vector<std::string>& more = {}, const std::function<void()>& before = {}) const {
    return start_child([&] {
      ::setpgid(0, 0);
      const int out = ::open((cli.dir() / "out.txt").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
      ::dup2(out, STDOUT_FILENO);
      ::dup2(out, STDERR_FILENO);
      return cli.execute(words(more), before);
    });
  }
  std::vector<pid_t> start_all(int count) const {
    std::vector<pid_t> processes;
    for (int i = 0; i < count; ++i)
      processes.push_back(start({"--shard", std::to_string(i) + "/" + std::to_string(count)}));
    return processes;
  }
  std::string said() const { return read_text(cli.dir() / "out.txt"); }

  std::vector<std::string> files_in(const char* folder) const {
    std::vector<std::string> names;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(run) / folder, none))
      names.push_back(entry.path().filename().string());
    return names;
  }
  // Trials; a file has one on each line.
  std::size_t published() const {
    std::size_t trials = 0;
    for (const std::string& name : files_in("trials")) {
      if (name.ends_with(".left") || name.ends_with(".tmp")) continue;
      const std::string text = read_text(std::filesystem::path(run) / "trials" / name);
      trials += static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    }
    return trials;
  }
  void wait_for_trials(std::size_t trials) const {
    while (published() < trials) ::usleep(2000);
  }
  std::size_t count_claims(const std::string& begin, const std::string& end) const {
    const auto names = files_in("claims");
    return static_cast<std::size_t>(std::count_if(names.begin(), names.end(), [&](const std::string& name) {
      return name.starts_with(begin) && name.ends_with(end);
    }));
  }
  // Also checks that there is one session, with a winner.
  MeasuredTrials merged() const {
    const std::string all = (cli.dir() / "merged.db").string();
    std::filesystem::remove(all);
    const CliResult result = cli.run({"merge", "-o", all, run});
    EXPECT_EQ(result.code, 0) << result.err;
    const auto reader = Reader::open(all);
    if (!reader) return {};
    EXPECT_EQ(reader->sessions()->size(), 1u);
    EXPECT_EQ(reader->best()->size(), 1u);
    return trials_of(all);
  }
  // By one process with one device.
  MeasuredTrials alone(std::size_t count) const {
    const std::string db = (cli.dir() / "alone.db").string();
    std::filesystem::remove(db);
    const CliResult result = cli.run(problem({"--db", db}));
    EXPECT_EQ(result.code, 0) << result.err;
    MeasuredTrials all = trials_of(db);
    EXPECT_EQ(all.size(), count);
    return all;
  }
  nlohmann::json status() const {
    const CliResult result = cli.run({"sweep", "--status", run, "--json"});
    EXPECT_EQ(result.code, 0) << result.err;
    return nlohmann::json::parse(result.out, nullptr, false);
  }
};

struct SplitRange : SplitRun {
  SplitRange() { search.clear(); } // all configurations
};

} // namespace warptune::test
