// Runs a command of a kernel's description, which may hang, crash, talk without end and leave processes behind: it has
// a process group of its own, no input, a time limit, and none of its descendants outlives the call or the process that
// made it, unless it kills the guard (command_guard.h). Knows nothing of what the command does.
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
  std::string output;        // the last KiB of stdout and stderr, or of stderr where `printed` is asked for
  std::string printed = {};  // stdout, up to the bytes that are asked for
  bool printed_more = false; // than these

  bool succeeded() const { return kind == Kind::exited && code == 0; }
  std::string sentence() const; // "exited with code 2; its last output:\n..."
};

struct CommandOptions {
  double timeout_s = 0;                    // <= 0: none
  std::size_t printed_bytes = 0;           // above 0: stdout is kept apart from stderr, up to so many bytes
  const std::atomic<bool>* stop = nullptr; // ends the command when it becomes true
};

// `words`: the program, found as a shell would, and its arguments; there is no shell. `folder`: where it begins to
// work. `temporary`: removed if this process dies meanwhile; the folder or one above it.
CommandEnd run_command(const std::vector<std::string>& words, const std::filesystem::path& folder,
                       const std::filesystem::path& temporary, const CommandOptions& options);

} // namespace warptune
