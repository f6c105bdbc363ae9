// Runs a command of a kernel's description, which may hang, crash, print endlessly or leave processes behind. The
// command gets its own process group, no input, and a time limit. None of its descendants outlives the call or the
// calling process, unless it kills the guard (command_guard.h). Does not depend on what the command does.
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace warptune {

struct CommandEnd {
  enum class Kind { exited, killed, timed_out, stopped, not_started } kind = Kind::not_started;
  int code = 0;              // the exit code, the signal or errno
  std::string output;        // the last KiB of stdout and stderr, or only of stderr if printed_bytes is set
  std::string printed = {};  // the first printed_bytes of stdout
  bool printed_more = false; // whether stdout was longer than printed_bytes

  bool succeeded() const { return kind == Kind::exited && code == 0; }
  std::string sentence() const; // "exited with code 2; its last output:\n..."
};

struct CommandOptions {
  double timeout_s = 0;                    // <= 0: none
  std::size_t printed_bytes = 0;           // above 0: keeps up to this many bytes of stdout, separate from stderr
  const std::atomic<bool>* stop = nullptr; // ends the command when it becomes true
};

// `words`: the program, found as a shell would find it, and its arguments; no shell is used. `folder`: the working
// folder. `temporary`: this folder or one above it; it is removed if this process dies meanwhile.
CommandEnd run_command(const std::vector<std::string>& words, const std::filesystem::path& folder,
                       const std::filesystem::path& temporary, const CommandOptions& options);

} // namespace warptune
