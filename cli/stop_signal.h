// Ctrl-C for a command that has something to save: the first SIGINT or SIGTERM sets a flag, a SIGINT after it ends the
// program at once.
#pragma once

#include <atomic>

namespace warptune::cli {

inline constexpr const char* kWillBeStored = "the current measurement is finished and stored";

// Installs the handlers; the flag lives as long as the program. `what` is said at the first signal: what becomes of the
// work; it must live as long.
const std::atomic<bool>& stop_on_signal(const char* what = kWillBeStored);
void request_stop(); // the same without a signal

} // namespace warptune::cli
