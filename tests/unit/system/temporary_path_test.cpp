// Removes files that killed processes left beside an output, and keeps files that live processes work on.
#include "support/temp_dir.h"
#include "system/temporary_path.h"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace warptune {
namespace {

namespace fs = std::filesystem;

// A process that has claimed a temporary name for `target`, and runs until it is killed.
class NamingProcess {
 public:
  explicit NamingProcess(const fs::path& target) {
    int ends[2];
    if (::pipe(ends) != 0) std::abort();
    pid_ = ::fork();
    if (pid_ == 0) {
      const std::string name = temporary_path(target).string();
      if (::write(ends[1], name.data(), name.size()) < 0) ::_exit(1);
      ::close(ends[1]);
      while (true) ::pause();
    }
    ::close(ends[1]);
    std::string text(4096, '\0');
    text.resize(static_cast<std::size_t>(::read(ends[0], text.data(), text.size())));
    ::close(ends[0]);
    path = text;
  }
  ~NamingProcess() { kill(); }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  fs::path path;

 private:
  pid_t pid_;
};

TEST(TemporaryPath, IsBesideTheTargetAndAnotherOneEachTime) {
  const fs::path first = temporary_path("/a/b.json"), second = temporary_path("/a/b.json");
  EXPECT_NE(first, second);
  EXPECT_EQ(first.parent_path(), "/a");
  EXPECT_TRUE(first.filename().string().starts_with("b.json." + std::to_string(::getpid()) + "-")) << first;
  EXPECT_EQ(first.extension(), ".tmp");
}

TEST(TemporaryPath, OnlyWhatAnEndedProcessLeftIsRemoved) {
  test::TempDir dir;
  const fs::path target = dir / "out.wtpack";
  NamingProcess killed(target), killed_in_a_folder(target), alive(target), of_another_target(dir / "other.wtpack");
  const fs::path own = temporary_path(target);
  std::string name = killed.path.filename().string();
  const std::size_t machine = name.find('-') + 1;
  name[machine] = name[machine] == '0' ? '1' : '0';
  const fs::path of_another_machine = dir / name, of_the_user = dir / "out.wtpack.1-2-3.tmp",
                 plain = dir / "out.wtpack.tmp";
  for (const fs::path& path :
       {killed.path, alive.path, of_another_target.path, own, of_another_machine, of_the_user, plain, target})
    std::ofstream(path) << "x";
  fs::create_directory(killed_in_a_folder.path);
  std::ofstream(killed_in_a_folder.path / "merged.db") << "x";
  killed.kill();
  killed_in_a_folder.kill();
  of_another_target.kill();

  remove_left_behind(target);
  EXPECT_FALSE(fs::exists(killed.path));
  EXPECT_FALSE(fs::exists(killed_in_a_folder.path));
  for (const fs::path& path : {alive.path, of_another_target.path, own, of_another_machine, of_the_user, plain, target})
    EXPECT_TRUE(fs::exists(path)) << path;
}

} // namespace
} // namespace warptune
