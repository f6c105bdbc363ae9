// A guard is a child process between a process and a command that it runs; it never executes another program. It kills
// the command and all its descendants when the command has ended, when the parent requests it, or when the parent dies,
// which closes a pipe that only the parent writes. Descendants that leave the command's process group or session become
// children of the guard when their parent ends.
#pragma once

namespace warptune {

struct GuardReport {
  int error = 0;  // errno, if the command was not started
  int status = 0; // exit status of the command, as from waitpid
};

// The ends of pipes: the guard reads `life` and writes a GuardReport into `report`; the command uses the others.
struct GuardEnds {
  int life, report, standard_output, standard_error;
};

// Call it after fork. The process may have had threads, so this function makes only system calls. Removes `temporary`
// if the parent has died.
[[noreturn]] void become_guard(const GuardEnds& ends, char* const* argv, const char* folder, const char* temporary);

} // namespace warptune
