// SIGKILL at random moments, of the coordinator and of its workers: the database stays intact, no process is left
// behind, and the resumed run has the trials of an undisturbed one. The moments are random counts of progress lines,
// not times.
#include "db/reader.h"
#include "support/temp_dir.h"
#include "support/toy.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstdio>
#include <dirent.h>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace warptune {
namespace {

// The coordinator as a child process; its progress lines come through a pipe.
class Coordinator {
 public:
  Coordinator(const std::string& device, const std::filesystem::path& dir, const char* resume) {
    const std::string program = (test::program_dir() / "test_worker").string(), database = (dir / "t.db").string();
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) std::abort();
    pid = ::fork();
    if (pid == 0) {
      ::dup2(ends[1], 1);
      ::setpgid(0, 0); // with its workers
      ::execl(program.c_str(), "test_worker", "session", device.c_str(), database.c_str(), dir.c_str(), resume,
              "random", nullptr);
      ::_exit(127);
    }
    ::close(ends[1]);
    out_ = ::fdopen(ends[0], "r");
  }
  ~Coordinator() {
    std::fclose(out_);
    if (!waited_) ::kill(pid, SIGKILL), wait();
  }
  // Empty at the end.
  std::string line() {
    char text[4096];
    return std::fgets(text, sizeof text, out_) ? text : "";
  }
  std::string last_line() {
    std::string last;
    for (std::string l = line(); !l.empty(); l = line()) last = l;
    return last;
  }
  void wait() {
    int status = 0;
    ::waitpid(pid, &status, 0);
    waited_ = true;
  }
  // The pids of its workers, from /proc.
  std::vector<pid_t> workers() const {
    std::vector<pid_t> found;
    DIR* proc = ::opendir("/proc");
    while (const dirent* entry = ::readdir(proc)) {
      if (!std::isdigit(static_cast<unsigned char>(entry->d_name[0]))) continue;
      std::ifstream stat(std::string("/proc/") + entry->d_name + "/stat");
      std::string text;
      std::getline(stat, text);
      const std::size_t end = text.rfind(')'); // the name before it may contain any characters
      if (end == std::string::npos) continue;
      std::istringstream rest(text.substr(end + 1));
      char state = 0;
      pid_t parent = 0;
      rest >> state >> parent;
      if (parent == pid && state != 'Z') found.push_back(std::atoi(entry->d_name));
    }
    ::closedir(proc);
    return found;
  }
  pid_t pid = -1;

 private:
  std::FILE* out_ = nullptr;
  bool waited_ = false;
};

class Kill : public ::testing::Test {
 protected:
  void expect_whole() {
    if (!std::filesystem::exists(dir_ / "t.db")) return; // killed before the database was created
    SQLite::Database db((dir_ / "t.db").string(), SQLite::OPEN_READWRITE);
    EXPECT_EQ(db.execAndGet("PRAGMA integrity_check").getString(), "ok");
  }
  std::map<std::string, TrialStatus> trials() {
    std::map<std::string, TrialStatus> all;
    auto reader = Reader::open(dir_ / "t.db");
    EXPECT_TRUE(reader);
    if (!reader) return all;
    auto sessions = reader->sessions();
    EXPECT_TRUE(sessions);
    if (!sessions) return all;
    EXPECT_EQ(sessions->size(), 1u);
    for (const SessionRecord& s : *sessions) {
      const auto rows = reader->trials(s.id);
      EXPECT_TRUE(rows);
      for (const TrialRow& row : *rows) EXPECT_TRUE(all.emplace(row.config, row.trial.status).second) << row.config;
    }
    return all;
  }
  std::map<std::string, TrialStatus> undisturbed() {
    Coordinator coordinator(device_, dir_.path(), "new");
    EXPECT_EQ(coordinator.last_line(), "end finished A=4,B=4,C=0\n");
    const auto all = trials();
    for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove((dir_ / "t.db").string() + suffix);
    return all;
  }
  // Evaluations of all runs in this folder; the toy device writes each one down.
  std::uintmax_t evaluations() {
    std::error_code none;
    const auto size = std::filesystem::file_size(dir_ / "evaluations", none);
    return none ? 0 : size;
  }
  const std::string device_ = "toy:compile/fail/A=1,B=2,C=0;evaluate/segv/A=2,B=5,C=1;evaluate/wrong/A=8,B=1,C=1";
  test::TempDir dir_;
};

TEST_F(Kill, CoordinatorAtTwentyMoments) {
  const auto expected = undisturbed();
  ASSERT_EQ(expected.size(), 42u);
  std::mt19937 random(20240607);
  for (int round = 0; round < 4; ++round) {
    const char* resume = "new";
    std::filesystem::remove(dir_ / "evaluations");
    for (int kills = 0; kills < 5; ++kills) {
      Coordinator coordinator(device_, dir_.path(), resume);
      const int lines = std::uniform_int_distribution<int>(0, 18)(random);
      for (int i = 0; i < lines; ++i) coordinator.line();
      const auto workers = coordinator.workers();
      ::kill(coordinator.pid, SIGKILL);
      coordinator.wait();
      // Workers end with their coordinator: each disappears from /proc, or is a zombie of its new parent.
      for (const pid_t worker : workers)
        for (std::string state = "?"; !state.empty() && state[0] != 'Z';) {
          std::ifstream stat("/proc/" + std::to_string(worker) + "/stat");
          std::string text;
          std::getline(stat, text);
          const std::size_t end = text.rfind(") ");
          state = end == std::string::npos ? "" : text.substr(end + 2);
        }
      expect_whole();
      resume = "resume";
    }
    Coordinator last(device_, dir_.path(), "resume");
    EXPECT_EQ(last.last_line(), "end finished A=4,B=4,C=0\n");
    last.wait();
    expect_whole();
    EXPECT_EQ(trials(), expected);
    // No recorded trial is evaluated again. A kill loses at most the candidate under evaluation and the one before it,
    // which is recorded while the device works on the next; one of the 42 does not compile.
    EXPECT_GE(evaluations(), 41u);
    EXPECT_LE(evaluations(), 41u + 2 * 5);
    for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove((dir_ / "t.db").string() + suffix);
  }
}

TEST_F(Kill, WorkersAtTwentyMoments) {
  const auto expected = undisturbed();
  std::mt19937 random(7);
  for (int killed = 0; killed < 20;) {
    Coordinator coordinator(device_, dir_.path(), "new");
    // One kill per run, because another test covers candidates whose workers are killed repeatedly.
    std::string line = coordinator.line(), last = line;
    for (int until = std::uniform_int_distribution<int>(0, 60)(random); !line.empty(); line = coordinator.line()) {
      last = line;
      if (until-- != 0) continue;
      const auto workers = coordinator.workers();
      if (workers.empty()) continue;
      ::kill(workers[std::uniform_int_distribution<std::size_t>(0, workers.size() - 1)(random)], SIGKILL);
      ++killed;
    }
    coordinator.wait();
    expect_whole();
    EXPECT_EQ(last, "end finished A=4,B=4,C=0\n");
    EXPECT_EQ(trials(), expected);
    for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove((dir_ / "t.db").string() + suffix);
  }
}

// The living process is busy with a candidate that never ends.
TEST_F(Kill, AResumedSessionIsNotTakenFromALivingProcess) {
  Coordinator first("toy:evaluate/hang", dir_.path(), "new");
  std::error_code none_yet;
  while (std::filesystem::file_size(dir_ / "t.db.session-1.lock", none_yet) == 0 || none_yet) ::usleep(1000);
  {
    Coordinator second("toy:", dir_.path(), "resume");
    EXPECT_EQ(second.last_line(), "error session 1 is in use by process " + std::to_string(first.pid) +
                                      "; wait for it or start without --resume\n");
  }
  ::kill(first.pid, SIGKILL);
  first.wait();
  Coordinator third("toy:", dir_.path(), "resume");
  EXPECT_EQ(third.last_line(), "end finished A=4,B=4,C=0\n");
  third.wait();
  EXPECT_EQ(trials().size(), 42u);
  SQLite::Database db((dir_ / "t.db").string());
  EXPECT_EQ(db.execAndGet("SELECT count(*) FROM best").getInt(), 1);
  EXPECT_FALSE(std::filesystem::exists(dir_ / "t.db.session-1.lock"));
}

// SIGTERM to the coordinator only, and to its process group, as timeout(1) and batch systems send it. The coordinator
// stops on its own, so the candidate under evaluation does not count as crashed.
TEST_F(Kill, TermStopsAndSaves) {
  const auto expected = undisturbed();
  for (const bool group : {false, true}) {
    for (const int lines : {2, 8, 20}) {
      Coordinator coordinator(device_, dir_.path(), "new");
      for (int i = 0; i < lines; ++i) coordinator.line();
      ::kill(group ? -coordinator.pid : coordinator.pid, SIGTERM);
      EXPECT_EQ(coordinator.last_line().rfind("end interrupted", 0), 0u);
      coordinator.wait();
      Coordinator resumed(device_, dir_.path(), "resume");
      EXPECT_EQ(resumed.last_line(), "end finished A=4,B=4,C=0\n");
      EXPECT_EQ(trials(), expected);
      for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove((dir_ / "t.db").string() + suffix);
    }
  }
}

} // namespace
} // namespace warptune
