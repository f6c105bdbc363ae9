// Runs a command of a kernel's description, which may hang, crash, talk without end and leave processes behind: it has
// a process group of its own, no input, a time limit, and nobody of the group outlives the call, nor the process that
// made it. Knows nothing of what the command does.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warptune {

struct CommandEnd {
  enum class Kind { exited, killed, timed_out, not_started } kind = Kind::not_started;
  int code = 0;       // the exit code, the signal or errno
  std::string output; // the last KiB of stdout and stderr

  bool succeeded() const { return kind == Kind::exited && code == 0; }
  std::string sentence() const; // "exited with code 2; its last output:\n..."
};

// `words`: the program, found as a shell would, and its arguments; there is no shell. `folder`: where it begins to
// work. `timeout_s` <= 0: no limit. `temporary`: removed if this process dies meanwhile; the folder or one above it.
CommandEnd run_command(const std::vector<std::string>& words, const std::filesystem::path& folder, double timeout_s,
                       const std::filesystem::path& temporary);

} // namespace warptune
