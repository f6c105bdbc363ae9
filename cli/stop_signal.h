// Handles Ctrl-C in commands that have results to save. The first SIGINT, SIGTERM or SIGHUP (the terminal was closed)
// sets a flag; another SIGINT ends the program at once.
#pragma once

#include <atomic>

namespace warptune::cli {

inline constexpr const char* kWillBeStored = "the current measurement will be finished and stored";

// Installs the handlers, and returns the flag, which lives as long as the program. `what` is printed at the first
// signal, and says what happens to the work; this string must live as long as the program.
const std::atomic<bool>& stop_on_signal(const char* what = kWillBeStored);
void request_stop(); // does the same as a first signal

} // namespace warptune::cli
