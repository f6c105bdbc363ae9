// A guard is a child process between this process and a command that this process runs. The guard executes no other
// program. It kills the command and all its descendants when the command has ended, when its parent requests it, or
// when its parent dies. When the parent dies, a pipe to which only the parent writes is closed; the guard detects this.
// A descendant that left the command's process group or session becomes a child of the guard when its own parent ends.
#pragma once

namespace warptune {

struct GuardReport {
  int error = 0;  // errno if the command could not be started; else 0
  int status = 0; // the command's exit status, as from waitpid
};

// Ends of pipes. The guard reads `life` and writes a GuardReport to `report`; the command writes to the other two ends.
struct GuardEnds {
  int life, report, standard_output, standard_error;
};

// Call it in the child after fork. The guard makes only system calls, because other threads may have existed at the
// fork. If the parent dies, the guard removes the folder `temporary`.
[[noreturn]] void become_guard(const GuardEnds& ends, char* const* argv, const char* folder, const char* temporary);

} // namespace warptune
