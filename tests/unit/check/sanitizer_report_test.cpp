// The formats of compute-sanitizer, from its manual and from the output of its releases.
#include "tuner/sanitizer_report.h"

#include <gmock/gmock.h>

namespace warptune {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// CUDA 12 and 13: the function with its offset, then the line.
constexpr const char* kMemcheck = R"(========= COMPUTE-SANITIZER
scale from ./scale, NVRTC 13.0
========= Invalid __global__ read of size 4 bytes
=========     at void bench::<unnamed>::scale<(int)4>(float, const float *, float *)+0x100 in kernel.cu:33
=========     by thread (255,0,0) in block (4095,0,0)
=========     Access to 0xd67bffffc is out of bounds
=========     and is 1 bytes after the nearest allocation at 0xd67800000 of size 4,194,300 bytes
=========     Saved host backtrace up to driver entry point at kernel launch time
=========         Host Frame: main [0xabeb] in warptune
========= 
========= Invalid __global__ read of size 4 bytes
=========     at void bench::<unnamed>::scale<(int)4>(float, const float *, float *)+0x100 in kernel.cu:33
=========     by thread (254,0,0) in block (4095,0,0)
=========     Access to 0xd67bffff8 is out of bounds
========= 
========= Program hit CUDA_ERROR_LAUNCH_FAILED (error 719) due to "unspecified launch failure" on CUDA API call to cuEventQuery.
=========     Saved host backtrace up to driver entry point at error
========= 
========= Target application returned an error
========= ERROR SUMMARY: 769 errors
========= ERROR SUMMARY: 669 errors were not printed. Use --print-limit option to adjust the number of printed errors
)";

TEST(SanitizerReport, AnInvalidAccess) {
  const SanitizerReport report = parse_sanitizer_report(kMemcheck);
  EXPECT_TRUE(report.is_complete);
  EXPECT_EQ(report.unprinted, 669);
  ASSERT_EQ(report.errors.size(), 1U) << "one line, two threads";
  const SanitizerError& error = report.errors[0];
  EXPECT_EQ(error.what, "Invalid __global__ read of size 4 bytes");
  EXPECT_EQ(error.count, 2);
  ASSERT_EQ(error.places.size(), 1U);
  EXPECT_EQ(error.places[0].function, "void bench::<unnamed>::scale<(int)4>(float, const float *, float *)");
  EXPECT_EQ(error.places[0].file, "kernel.cu");
  EXPECT_EQ(error.places[0].line, 33);
  EXPECT_EQ(error.detail, "Access to 0xd67bffffc is out of bounds; and is 1 bytes after the nearest allocation at "
                          "0xd67800000 of size 4,194,300 bytes");
}

TEST(SanitizerReport, ARaceHasAllItsSides) {
  const SanitizerReport report = parse_sanitizer_report(R"(========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at blockReduce(int *, int *)+0xf0 in racecheck.cu:12
=========     and Read access at blockReduce(int *, int *)+0xd0 in racecheck.cu:14 [32 hazards]
=========     and Write access at blockReduce(int *, int *)+0xf0 in racecheck.cu:12 [4 hazards]
========= 
========= Warning: Race reported between Read access at other()+0x10 in racecheck.cu:40
=========     and Write access at other()+0x20 in racecheck.cu:41 [1 hazards]
========= 
========= RACECHECK SUMMARY: 2 hazards displayed (1 error, 1 warning)
)");
  EXPECT_TRUE(report.is_complete);
  ASSERT_EQ(report.errors.size(), 2U);
  EXPECT_EQ(report.errors[0].what, "Race between a write and a read");
  EXPECT_EQ(report.errors[0].count, 36);
  ASSERT_EQ(report.errors[0].places.size(), 3U);
  EXPECT_EQ(report.errors[0].places[0].line, 12);
  EXPECT_EQ(report.errors[0].places[1].line, 14);
  EXPECT_EQ(report.errors[1].what, "Race between a read and a write");
  EXPECT_EQ(report.errors[1].places[0].line, 40);
}

TEST(SanitizerReport, AnUninitialisedRead) {
  const SanitizerReport report = parse_sanitizer_report(R"(========= COMPUTE-SANITIZER
========= Uninitialized __global__ memory read of size 4 bytes
=========     at vectorAdd(int *)+0x70 in memset_error.cu:41
=========     by thread (31,0,0) in block (1,0,0)
=========     Address 0x7f3c7ec000fc
========= 
========= ERROR SUMMARY: 1 error
)");
  ASSERT_EQ(report.errors.size(), 1U);
  EXPECT_EQ(report.errors[0].what, "Uninitialized __global__ memory read of size 4 bytes");
  EXPECT_EQ(report.errors[0].places[0].line, 41);
  EXPECT_EQ(report.errors[0].detail, "Address 0x7f3c7ec000fc");
}

// The innermost place is in a header of the toolkit; its caller is in the kernel.
TEST(SanitizerReport, ABarrierWithTheFramesAroundIt) {
  const SanitizerReport report = parse_sanitizer_report(R"(========= COMPUTE-SANITIZER
========= Barrier error detected. Invalid arguments.
=========     at __syncwarp(unsigned int)+0xe0 in sm_30_intrinsics.hpp:110
=========     by thread (0,0,0) in block (0,0,0)
=========         Device Frame: broken_sync(float *, unsigned long)+0xb0 in kernel.cu:12
========= Target application returned an error
========= ERROR SUMMARY: 17 errors
)");
  ASSERT_EQ(report.errors.size(), 1U);
  EXPECT_EQ(report.errors[0].what, "Barrier error detected. Invalid arguments.");
  ASSERT_EQ(report.errors[0].places.size(), 2U);
  EXPECT_EQ(report.errors[0].places[1].function, "broken_sync(float *, unsigned long)");
  EXPECT_EQ(report.errors[0].places[1].file, "kernel.cu");
  EXPECT_EQ(report.errors[0].places[1].line, 12);
  EXPECT_EQ(report.errors[0].detail, "");
}

// CUDA 11 and 12.0: an offset, then the file, the line and the function; also without line information.
TEST(SanitizerReport, PlacesOfOlderTools) {
  const SanitizerReport report = parse_sanitizer_report(R"(========= COMPUTE-SANITIZER
========= Invalid __shared__ write of size 8 bytes
=========     at 0x270 in /kernels/add.cu:34:std::add_kernel(int *)
=========     Address 0x7fa158380388 is out of bounds
=========
========= Invalid __global__ write of size 4 bytes
=========     at 0x90 in a::my_kernel
=========
========= Invalid __local__ read of size 4 bytes
=========     at gather+0x110
========= ERROR SUMMARY: 3 errors
)");
  ASSERT_EQ(report.errors.size(), 3U);
  EXPECT_EQ(report.errors[0].places[0].file, "/kernels/add.cu");
  EXPECT_EQ(report.errors[0].places[0].line, 34);
  EXPECT_EQ(report.errors[0].places[0].function, "std::add_kernel(int *)");
  EXPECT_EQ(report.errors[1].places[0].function, "a::my_kernel");
  EXPECT_EQ(report.errors[1].places[0].file, "");
  EXPECT_EQ(report.errors[2].places[0].function, "gather");
}

TEST(SanitizerReport, AHazardOfTheOtherReportMode) {
  const SanitizerReport report = parse_sanitizer_report(R"(========= COMPUTE-SANITIZER
========= ERROR: Potential WAW hazard detected at __shared__ 0x0 in block (0,0,0) :
=========     Write Thread (0,0,0) at WAW()+0x2f0 in raceWAW.cu:20
=========     Write Thread (1,0,0) at WAW()+0x2f0 in raceWAW.cu:20
=========     Current Value : 1, Incoming Value : 2
========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
)");
  ASSERT_EQ(report.errors.size(), 1U);
  EXPECT_THAT(report.errors[0].what, HasSubstr("Potential WAW hazard"));
  EXPECT_EQ(report.errors[0].places[0].line, 20);
}

TEST(SanitizerReport, NothingFoundAndNothingSaid) {
  const SanitizerReport clean =
      parse_sanitizer_report("========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n");
  EXPECT_TRUE(clean.is_complete);
  EXPECT_THAT(clean.errors, IsEmpty());
  const SanitizerReport race = parse_sanitizer_report(
      "========= COMPUTE-SANITIZER\r\n========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\r\n");
  EXPECT_TRUE(race.is_complete);
  EXPECT_THAT(race.errors, IsEmpty());
  const SanitizerReport broken = parse_sanitizer_report("========= COMPUTE-SANITIZER\n========= Error: Target "
                                                        "application terminated before first instrumented API call\n");
  EXPECT_FALSE(broken.is_complete);
  EXPECT_THAT(broken.problems,
              testing::ElementsAre("Target application terminated before first instrumented API call"));
  EXPECT_FALSE(parse_sanitizer_report("").is_complete);
}

} // namespace
} // namespace warptune
