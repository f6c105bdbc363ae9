// Ctrl-C for a command with results to save: the first SIGINT, SIGTERM or SIGHUP (the terminal was closed) sets a flag,
// a later SIGINT ends the program at once.
#pragma once

#include <atomic>

namespace warptune::cli {

inline constexpr const char* kWillBeStored = "the current measurement will be finished and stored";

// Installs the handlers. The flag lives as long as the program. `what` is printed at the first signal and says what
// happens to the work; the string must live as long as the program.
const std::atomic<bool>& stop_on_signal(const char* what = kWillBeStored);
void request_stop(); // the same without a signal

} // namespace warptune::cli
