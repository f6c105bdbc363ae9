// The errors without a driver, with an old one, and with one that has no device. Each in its own process, because the
// driver is opened once.
#include "gpu/devices.h"
#include "gpu/driver.h"
#include "support/paths.h"

#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <unistd.h>

namespace warptune {
namespace {

void say_what_is_missing(const std::string& library, const char* mode) {
  ::setenv("WARPTUNE_LIBCUDA", library.c_str(), 1);
  ::setenv("FAKE_DRIVER", mode, 1);
  auto devices = list_cuda_devices();
  if (devices)
    std::fputs("found devices", stderr);
  else
    std::fprintf(stderr, "kind %d: %s\n", static_cast<int>(devices.error().kind), devices.error().message.c_str());
  _exit(7);
}

std::string fake() { return (test::program_dir() / "libwt_fake_driver.so").string(); }

TEST(NoDriverDeathTest, missingLibrary) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      say_what_is_missing("/nowhere/libcuda.so.1", ""), testing::ExitedWithCode(7),
      "kind 3: no NVIDIA driver on this machine .*libcuda.*; install the driver, or use a machine with a GPU\n$");
}

TEST(NoDriverDeathTest, tooOld) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(say_what_is_missing(fake(), "old"), testing::ExitedWithCode(7),
              "kind 3: the NVIDIA driver is too old: .* supports CUDA 11.4, but 12.0 is needed");
}

TEST(NoDriverDeathTest, noDevice) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(say_what_is_missing(fake(), "empty"), testing::ExitedWithCode(7),
              "kind 3: the NVIDIA driver is installed but finds no device");
}

TEST(Driver, namesWhatExistsInsteadOfAnOrdinal) {
  EXPECT_EQ(no_such_device_text(3, 0), "no device cuda:3: this machine has no CUDA device");
  EXPECT_EQ(no_such_device_text(3, 1), "no device cuda:3: this machine has only cuda:0");
  EXPECT_EQ(no_such_device_text(8, 4), "no device cuda:8: this machine has cuda:0 to cuda:3");
}

} // namespace
} // namespace warptune
