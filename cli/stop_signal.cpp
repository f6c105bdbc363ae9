#include "cli/stop_signal.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <initializer_list>
#include <unistd.h>

namespace warptune::cli {
namespace {

std::atomic<bool> stop{false};
std::atomic<const char*> becomes{kWillBeStored};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler writes it");

extern "C" void handle_stop(int signal) {
  if (stop.exchange(true)) {
    // timeout(1) sends SIGTERM twice: to its child, and to the process group of the child. A shell that ends sends
    // SIGHUP, as its terminal does.
    if (signal != SIGINT) return;
    struct sigaction by_default {};
    by_default.sa_handler = SIG_DFL;
    sigaction(signal, &by_default, nullptr);
    raise(signal);
    return;
  }
  const int before = errno; // of the code that the signal interrupted
  // Nothing can be done if this message cannot be written.
  for (const char* part : {"\nstopping: ", becomes.load(), "; press Ctrl-C again to end at once\n"})
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, part, std::strlen(part));
  errno = before;
}

} // namespace

const std::atomic<bool>& stop_on_signal(const char* what) {
  becomes = what;
  struct sigaction action {};
  action.sa_handler = handle_stop;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction hangup {};
  sigaction(SIGHUP, nullptr, &hangup);
  if (hangup.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr); // nohup(1) makes the program ignore it
  return stop;
}

void request_stop() { stop = true; }

} // namespace warptune::cli
