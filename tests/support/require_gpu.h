// For tests with the label gpu: WT_REQUIRE_GPU() at the start of a test (or of SetUp) skips it on a machine without a
// CUDA device, or fails it if WARPTUNE_REQUIRE_GPU=1 says that there must be one.
#pragma once

#include <cstdlib>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

namespace warptune::test {

// Asks the driver in a child process, so that the test's own process uses CUDA only when the test does.
inline bool gpu_present() {
  static const bool present = [] {
    const pid_t child = fork();
    if (child == 0) {
      void* driver = dlopen("libcuda.so.1", RTLD_NOW);
      if (driver == nullptr) _exit(1);
      auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
      auto count_devices = reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuDeviceGetCount"));
      int count = 0;
      const bool usable =
          init != nullptr && count_devices != nullptr && init(0) == 0 && count_devices(&count) == 0 && count > 0;
      _exit(usable ? 0 : 1);
    }
    int status = 1;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
  }();
  return present;
}

inline bool gpu_required() {
  const char* value = std::getenv("WARPTUNE_REQUIRE_GPU");
  return value != nullptr && std::string_view(value) == "1";
}

} // namespace warptune::test

#define WT_REQUIRE_GPU()                                                                                               \
  do {                                                                                                                 \
    if (!::warptune::test::gpu_present()) {                                                                            \
      if (::warptune::test::gpu_required()) FAIL() << "WARPTUNE_REQUIRE_GPU=1, but no CUDA device is usable";          \
      GTEST_SKIP() << "no CUDA device";                                                                                \
    }                                                                                                                  \
  } while (false)
