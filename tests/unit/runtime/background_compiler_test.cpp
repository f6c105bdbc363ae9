// A prefetch waits until no compilation is left: the running one counts, not only the queue.
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
  // Called while the compilation still counts. It returns when wait() has returned too early, or has not for 200 ms.
  ASSERT_TRUE(compiler.request("a key", "sm_90a", request, {}, [&] {
    taken.set_value();
    returned.get_future().wait_for(200ms);
    is_done = true;
  }));
  taken.get_future().wait();
  compiler.wait();
  EXPECT_TRUE(is_done);
  returned.set_value();
  compiler.stop(); // before the promises are destroyed
}

} // namespace
} // namespace warptune
