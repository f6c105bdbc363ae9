// Between a process and a command that it runs is a guard: a child that never executes another program. It ends the
// command with all of its descendants when the command has ended, when it is told to, and when its parent is gone,
// which it sees by the end of a pipe that only the parent writes. Descendants that leave the command's process group or
// session become children of the guard when their parent ends.
#pragma once

namespace warptune {

struct GuardReport {
  int error = 0;  // errno: nothing was started
  int status = 0; // of the command, as from waitpid
};

// The ends of pipes: the guard reads `life` and writes a GuardReport into `report`; the others are the command's.
struct GuardEnds {
  int life, report, standard_output, standard_error;
};

// Runs after fork in a process that may have threads: system calls only. `temporary` is removed when the parent is
// gone.
[[noreturn]] void become_guard(const GuardEnds& ends, char* const* argv, const char* folder, const char* temporary);

} // namespace warptune
