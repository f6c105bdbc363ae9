// The thread that compiles in the background: who waits for it, and that it ends no application.
#include "jit/compiler.h"
#include "runtime/background_compiler.h"
#include "support/count_allocations.h"
#include "support/temp_dir.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <future>
#include <gtest/gtest.h>
#include <new>
#include <string>
#include <thread>

namespace warptune {
namespace {

using namespace std::chrono_literals;

class BackgroundCompilerTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_nvrtc()) GTEST_SKIP() << "no NVRTC";
    setenv("XDG_CACHE_HOME", cache_.path().c_str(), 1);
    request_.source_name = "kernel.cu";
    request_.source = "#error not today\n";
    request_.options = {"-arch=sm_90a"};
  }
  Result<void> request(BackgroundCompiler& compiler, const std::string& key, BackgroundCompiler::Done done) const {
    return compiler.request(key, "sm_90a", request_, {}, std::move(done));
  }

  const test::TempDir cache_;
  CompileRequest request_;
};

TEST_F(BackgroundCompilerTest, TheCubinIsThatOfItsRequest) {
  request_.source = "extern \"C\" __global__ void nothing() {}\n";
  BackgroundCompiler compiler;
  ASSERT_TRUE(request(compiler, "a key", [] {}));
  compiler.wait();
  const auto cubin = compiler.find("a key");
  ASSERT_TRUE(cubin) << compiler.failure("a key");
  EXPECT_EQ(cubin->hash, "a key");
  EXPECT_EQ(cubin->arch, "sm_90a");
  EXPECT_FALSE(cubin->image.empty());
  EXPECT_FALSE(compiler.find("another key"));
}

// The running compilation counts, not only the queue.
TEST_F(BackgroundCompilerTest, WaitsForTheProgramThatIsBeingCompiled) {
  std::promise<void> taken, returned;
  std::atomic<bool> is_done = false;
  BackgroundCompiler compiler;
  // Called while the compilation still counts. It returns when wait() has returned too early, or has not for 200 ms.
  ASSERT_TRUE(request(compiler, "a key", [&] {
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

// An exit handler and wt_close may stop the same compiler at the same time.
TEST_F(BackgroundCompilerTest, EveryCallOfStopWaits) {
  std::promise<void> taken, returned;
  std::atomic<bool> is_done = false;
  BackgroundCompiler compiler;
  ASSERT_TRUE(request(compiler, "a key", [&] {
    taken.set_value();
    returned.get_future().wait_for(200ms);
    is_done = true;
  }));
  taken.get_future().wait();
  std::thread first([&] { compiler.stop(); });
  while (request(compiler, "a key", [] {})) std::this_thread::sleep_for(1ms); // refused after stop() was called
  std::this_thread::sleep_for(20ms);                                          // the first call waits now
  compiler.stop();
  EXPECT_TRUE(is_done);
  returned.set_value();
  first.join();
  compiler.stop();
}

TEST_F(BackgroundCompilerTest, WithoutMemoryTheProgramFailsAndTheThreadContinues) {
  const std::string starved = "a key that is too long to be stored without an allocation";
  for (long after = 0; after < 3; ++after) {
    std::promise<void> queued;
    BackgroundCompiler compiler;
    ASSERT_TRUE(request(compiler, "before", [&] {
      queued.get_future().wait();
      test::fail_allocations(after); // on the compiling thread
    }));
    ASSERT_TRUE(request(compiler, starved, [] { test::fail_allocations(-1); }));
    ASSERT_TRUE(request(compiler, "after", [] {}));
    queued.set_value();
    compiler.wait();
    EXPECT_EQ(compiler.state(starved), BackgroundCompiler::State::failed);
    EXPECT_EQ(compiler.failure(starved), "out of memory");
    EXPECT_NE(compiler.failure("after").find("not today"), std::string::npos) << compiler.failure("after");
  }
}

TEST_F(BackgroundCompilerTest, ACallbackThatThrowsDoesNotEndTheThread) {
  BackgroundCompiler compiler;
  ASSERT_TRUE(request(compiler, "a key", [] { throw std::bad_alloc(); }));
  compiler.wait();
  EXPECT_EQ(compiler.state("a key"), BackgroundCompiler::State::failed);
}

} // namespace
} // namespace warptune
