// Runs a command of a kernel folder. The command may hang, crash, print endlessly or leave processes behind. Therefore
// it gets its own process group, no input, and a time limit. None of its descendants outlives the call or the calling
// process, unless the command kills the guard (command_guard.h).
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace warptune {

struct CommandEnd {
  enum class Kind { exited, killed, timed_out, stopped, not_started } kind = Kind::not_started;
  int code = 0;              // the exit code, the signal, or errno
  std::string output;        // the last KiB of stdout and stderr together; only of stderr if printed_bytes is set
  std::string printed = {};  // the first printed_bytes bytes of stdout
  bool printed_more = false; // whether stdout was longer than `printed`

  bool succeeded() const { return kind == Kind::exited && code == 0; }
  std::string sentence() const; // "exited with code 2; its last output:\n..."
};

struct CommandOptions {
  double timeout_s = 0;                    // <= 0: no limit
  std::size_t printed_bytes = 0;           // if > 0: up to this many bytes of stdout are kept, separate from stderr
  const std::atomic<bool>* stop = nullptr; // when it becomes true, the command is killed
};

// `words`: the program and its arguments. The program is found through $PATH; no shell runs. `folder`: the working
// folder. `temporary`: `folder` or a folder that contains it; removed if this process dies during the call.
CommandEnd run_command(const std::vector<std::string>& words, const std::filesystem::path& folder,
                       const std::filesystem::path& temporary, const CommandOptions& options);

} // namespace warptune
