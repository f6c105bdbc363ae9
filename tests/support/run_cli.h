// Runs the command line as a user does, with its own environment and folders, and captures the output. It neither sees
// nor changes the databases, caches and WARPTUNE_* of the user who runs the tests.
#pragma once

#include "support/child.h"
#include "support/paths.h"
#include "support/temp_dir.h"

#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

namespace warptune::test {

struct CliResult {
  int code = 0; // 128 + signal if killed
  std::string out, err;
};

inline std::string read_text(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class CliRunner {
 public:
  // Kernels given by name are those of tests/data/specs. `scale` is one without faults.
  CliRunner() { set("WARPTUNE_TEMPLATES", (data_dir() / "specs").string()); }

  void set(const std::string& name, const std::string& value) { environment_.emplace_back(name, value); }
  // Kernels given by name are the shipped ones, and `recorded` replays the shipped recordings.
  void use_shipped() {
    set("WARPTUNE_TEMPLATES", (share_dir() / "kernel_templates").string());
    set("WARPTUNE_RECORDINGS", (share_dir() / "recordings").string());
  }
  const TempDir& dir() const { return dir_; }

  // `before` runs in the child just before the program starts.
  CliResult run(const std::vector<std::string>& arguments, const std::function<void()>& before = {}) const {
    const std::filesystem::path out = dir_ / "stdout.txt", err = dir_ / "stderr.txt";
    CliResult result;
    result.code = run_child([&] {
      redirect(out, STDOUT_FILENO);
      redirect(err, STDERR_FILENO);
      return execute(arguments, before);
    });
    result.out = read_text(out);
    result.err = read_text(err);
    return result;
  }

  // In a child: becomes the program, with the environment of this runner and no input. Returns only if that fails.
  int execute(const std::vector<std::string>& arguments, const std::function<void()>& before) const {
    for (const char* name : {"WARPTUNE_DB", "WARPTUNE_RECORDINGS", "NO_COLOR"}) ::unsetenv(name);
    ::setenv("HOME", dir_.path().c_str(), 1);
    ::setenv("XDG_DATA_HOME", (dir_ / "data").c_str(), 1);
    ::setenv("XDG_CACHE_HOME", (dir_ / "cache").c_str(), 1);
    for (const auto& [name, value] : environment_) ::setenv(name.c_str(), value.c_str(), 1);
    const int null = ::open("/dev/null", O_RDONLY);
    ::dup2(null, STDIN_FILENO);
    const std::string program = cli().string();
    std::vector<char*> argv{const_cast<char*>(program.c_str())};
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    ::signal(SIGPIPE, SIG_DFL); // the default, with which a shell starts its children
    if (before) before();
    ::execv(program.c_str(), argv.data());
    return 97;
  }

  // Runs the command as the left side of `... | head -c 0`, whose reader has ended.
  CliResult run_into_closed_pipe(const std::vector<std::string>& arguments) const {
    const std::filesystem::path err = dir_ / "stderr.txt";
    CliResult result;
    result.code = run_child([&] {
      int fds[2];
      if (::pipe(fds) != 0) return 98;
      ::close(fds[0]);
      ::dup2(fds[1], STDOUT_FILENO);
      redirect(err, STDERR_FILENO);
      return execute(arguments, {});
    });
    result.err = read_text(err);
    return result;
  }

 private:
  static void redirect(const std::filesystem::path& file, int fd) {
    const int opened = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    ::dup2(opened, fd);
    ::close(opened);
  }

  TempDir dir_;
  std::vector<std::pair<std::string, std::string>> environment_;
};

} // namespace warptune::test
