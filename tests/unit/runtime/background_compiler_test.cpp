// A prefetch waits until nothing is being compiled: the program in the compiler counts, not only those in line.
#include "jit/compiler.h"
#include "runtime/background_compiler.h"
#include "support/temp_dir.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <future>
#include <gtest/gtest.h>

namespace warptune {
namespace {

using namespace std::chrono_literals;

TEST(BackgroundCompiler, WaitsForTheProgramThatIsBeingCompiled) {
  if (!find_nvrtc()) GTEST_SKIP() << "no NVRTC";
  const test::TempDir cache;
  setenv("XDG_CACHE_HOME", cache.path().c_str(), 1);
  CompileRequest request;
  request.source_name = "kernel.cu";
  request.source = "#error not today\n";
  request.options = {"-arch=sm_90a"};
  std::promise<void> taken, returned;
  std::atomic<bool> is_done = false;
  BackgroundCompiler compiler;
  // Called while the program still counts: it ends when whoever waits came back, or did not for long enough.
  ASSERT_TRUE(compiler.request("a key", "sm_90a", request, {}, [&] {
    taken.set_value();
    returned.get_future().wait_for(200ms);
    is_done = true;
  }));
  taken.get_future().wait();
  compiler.wait();
  EXPECT_TRUE(is_done);
  returned.set_value();
  compiler.stop(); // before the promises go
}

} // namespace
} // namespace warptune
