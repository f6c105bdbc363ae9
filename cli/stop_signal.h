// Ctrl-C for a command that has something to save: the first SIGINT or SIGTERM sets a flag, the second ends the program
// at once.
#pragma once

#include <atomic>

namespace warptune::cli {

// Installs the handlers on the first call; the flag lives as long as the program.
const std::atomic<bool>& stop_on_signal();
void request_stop(); // the same without a signal

} // namespace warptune::cli
