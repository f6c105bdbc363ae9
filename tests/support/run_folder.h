// A run folder that several processes of the command line share: starts them, and reads their files there. The base of
// the fixtures for sweeps (shared_run.h) and for split problems (split_run.h).
#pragma once

#include "db/reader.h"
#include "support/run_cli.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <sys/mount.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace warptune::test {

// Run folders are in memory, because the tests sync many small files, which is slow on a busy disk. No test needs a
// run folder after a power failure.
inline const bool kRunsInMemory = ::access("/dev/shm", W_OK) == 0 && ::setenv("TMPDIR", "/dev/shm", 1) == 0;

// Trials identified by kernel, problem and configuration, without times of day.
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

// A separate disk for a folder, which can be filled. false: mounting is not permitted.
class SmallDisk {
 public:
  SmallDisk(std::string folder, const char* size) : folder_(std::move(folder)) {
    std::filesystem::create_directory(folder_);
    is_mounted_ = ::mount("none", folder_.c_str(), "tmpfs", 0, (std::string("size=") + size).c_str()) == 0;
  }
  ~SmallDisk() {
    if (is_mounted_) ::umount2(folder_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  explicit operator bool() const { return is_mounted_; }
  // Writes to logs/, which a run folder may have before anything else.
  void fill() const {
    std::filesystem::create_directory(folder_ + "/logs");
    std::ofstream(folder_ + "/logs/full") << std::string(64 << 20, 'x');
  }
  void free() const { std::filesystem::remove_all(folder_ + "/logs"); }

 private:
  std::string folder_;
  bool is_mounted_ = false;
};

// A process on another machine that lives as long as this object, and never ends its claims.
class FarProcess {
 public:
  explicit FarProcess(std::filesystem::path file)
      : file_(std::move(file)), thread_([this](const std::stop_token& stop) {
          for (; !stop.stop_requested(); ::usleep(50'000)) std::ofstream(file_) << "{}";
        }) {
    while (!std::filesystem::exists(file_)) ::usleep(1000);
  }
  std::string id() const { return file_.filename().string(); }

 private:
  const std::filesystem::path file_;
  std::jthread thread_;
};

struct RunFolder : testing::Test {
  CliRunner cli;
  const std::string run = (cli.dir() / "run").string();

  // The command line of a process of this run.
  virtual std::vector<std::string> words(const std::vector<std::string>& more = {}) const = 0;

  // Starts a process in its own process group, so that a kill reaches all of the group.
  pid_t start(const std::vector<std::string>& more = {}, const std::function<void()>& before = {}) const {
    return start_child([&] {
      ::setpgid(0, 0);
      const int out = ::open((cli.dir() / "out.txt").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
      ::dup2(out, STDOUT_FILENO);
      ::dup2(out, STDERR_FILENO);
      return cli.execute(words(more), before);
    });
  }
  static std::vector<std::string> shard(std::size_t number, std::size_t of) {
    return {"--shard", std::to_string(number) + "/" + std::to_string(of)};
  }
  std::vector<pid_t> start_all(std::size_t count) const {
    std::vector<pid_t> processes;
    for (std::size_t i = 0; i < count; ++i) processes.push_back(start(shard(i, count)));
    return processes;
  }
  std::string said() const { return read_text(cli.dir() / "out.txt"); }

  std::filesystem::path folder(const char* name) const { return std::filesystem::path(run) / name; }
  std::vector<std::string> files_in(const char* name) const {
    std::vector<std::string> names;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(folder(name), none))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }
  // Returns the claims without temporary files of processes; a killed process leaves such a file.
  std::vector<std::string> claims() const {
    auto names = files_in("claims");
    std::erase_if(names, [](const std::string& name) { return name.ends_with(".tmp"); });
    return names;
  }
  std::size_t count_claims(const std::string& begin, const std::string& end) const {
    const auto names = claims();
    return static_cast<std::size_t>(std::count_if(names.begin(), names.end(), [&](const std::string& name) {
      return name.starts_with(begin) && name.ends_with(end);
    }));
  }
  std::size_t count_claims(const std::string& end) const { return count_claims("", end); }
  // Removes the result of a finished job, as if `process` had claimed the job and were still working on it.
  void give_to(const FarProcess& process, const std::string& begin) const {
    const std::string end = ".1.finished";
    for (const std::string& name : claims())
      if (name.starts_with(begin) && name.ends_with(end)) {
        const std::filesystem::path finished = folder("claims") / name;
        std::filesystem::path claim = finished;
        claim.replace_extension();
        std::filesystem::remove(finished);
        std::filesystem::remove(claim); // other claims are hard links to the same file
        std::ofstream(claim) << nlohmann::json{{"process", process.id()}};
        return;
      }
    ADD_FAILURE() << "no job " << begin << " is finished";
  }
  // Waits until the folder has `count` claims whose names end in `end`.
  void wait_for_claims(const std::string& end, std::size_t count) const {
    while (count_claims(end) < count) ::usleep(2000);
  }
  // Returns the folders in which processes keep databases that they work on. Every process removes its own folder,
  // unless it could not publish.
  std::vector<std::string> left_locally() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(cli.dir().path()))
      if (std::string name = entry.path().filename().string(); name.starts_with("warptune-run-")) names.push_back(name);
    return names;
  }

  std::string merged_database() const {
    const std::string all = (cli.dir() / "merged.db").string();
    std::filesystem::remove(all);
    const CliResult result = cli.run({"merge", "-o", all, run});
    EXPECT_EQ(result.code, 0) << result.err;
    return all;
  }
  nlohmann::json status() const {
    const CliResult result = cli.run({"sweep", "--status", run, "--json"});
    EXPECT_EQ(result.code, 0) << result.err;
    return nlohmann::json::parse(result.out, nullptr, false);
  }
};

} // namespace warptune::test
