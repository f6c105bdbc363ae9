// The handler of Ctrl-C, which may interrupt any code.
#include "cli/stop_signal.h"
#include "support/child.h"

#include <cerrno>
#include <gtest/gtest.h>

namespace warptune::test {
namespace {

TEST(StopSignal, KeepsTheErrorCodeOfTheInterruptedCode) {
  const int code = run_child([] {
    const std::atomic<bool>& stop = cli::stop_on_signal();
    ::close(STDERR_FILENO); // so that the handler's write fails
    errno = EAGAIN;
    ::raise(SIGTERM);
    return errno == EAGAIN && stop ? 0 : 1;
  });
  EXPECT_EQ(code, 0);
}

} // namespace
} // namespace warptune::test
