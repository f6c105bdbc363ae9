// check with compute-sanitizer: the command that the tool runs, and the findings from the tool's text. A script
// replaces the tool, and no GPU is needed: the script only records the command.
#include "cli/check_device.h"
#include "cli/check_sanitizer.h"
#include "support/paths.h"
#include "support/run_cli.h"
#include "support/temp_dir.h"

#include <fstream>
#include <gmock/gmock.h>

namespace warptune::cli {
namespace {

using test::read_text;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
namespace fs = std::filesystem;

int line_with(const std::string& text, const std::string& words) {
  return 1 +
         static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find(words)), '\n'));
}

class CheckSanitizer : public testing::Test {
 protected:
  void TearDown() override { ::unsetenv("WARPTUNE_COMPUTE_SANITIZER"); }
  // Installs a tool that records its arguments, and prints `text` when asked for `tool`.
  void install(const std::string& tool, const std::string& text, const std::string& end = "exit 0") {
    std::ofstream(dir_ / "text") << text;
    const fs::path script = dir_ / "compute-sanitizer";
    std::ofstream(script)
        << "#!/bin/sh\necho \"$@\" >> '" << (dir_ / "arguments").string() << "'\n"
        << "echo 'launched once'\nif [ \"$2\" = " << tool << " ]; then cat '" << (dir_ / "text").string()
        << "'; else echo '========= COMPUTE-SANITIZER'; echo '========= ERROR SUMMARY: 0 errors'; fi\n"
        << end << "\n";
    fs::permissions(script, fs::perms::owner_all);
    ::setenv("WARPTUNE_COMPUTE_SANITIZER", script.c_str(), 1);
  }
  // The report on one configuration of a folder of tests/data/check.
  CheckReport& sanitize(const std::string& folder, const std::string& tools = "all") {
    const std::string path = (test::data_dir() / "check" / folder).string();
    kernel_ = TemplateStore({}).load(path).value();
    report_ = std::make_unique<CheckReport>(CheckReport{kernel_, {}, {}, {}, {}});
    CheckArgs options;
    options.problem.kernel = path;
    options.tools = tools;
    options.quiet = true;
    const Problem problem = make_problem(kernel_.spec, "n=1000000", "", {}).value();
    const auto done = sanitize_on_gpu(options, problem, {default_config(kernel_.spec)}, h200_device(), *report_, stop_);
    EXPECT_TRUE(done) << done.error().message;
    return *report_;
  }

  test::TempDir dir_;
  Kernel kernel_;
  std::unique_ptr<CheckReport> report_;
  std::atomic<bool> stop_ = false;
};

TEST_F(CheckSanitizer, EveryToolWatchesTheSmallestProblem) {
  install("none", "");
  EXPECT_THAT(sanitize("race").findings, IsEmpty());
  std::istringstream lines(read_text(dir_ / "arguments"));
  std::vector<std::string> calls;
  for (std::string line; std::getline(lines, line);) calls.push_back(line);
  ASSERT_EQ(calls.size(), 4U);
  EXPECT_THAT(calls[1],
              AllOf(HasSubstr("--tool racecheck --target-processes all"), HasSubstr("--racecheck-report hazard"),
                    HasSubstr("--kernel-name kernel_substring=reversed"), HasSubstr(" run /"),
                    HasSubstr("data/check/race --shape n=4096 --dtype fp32 --config PLANTED=1"),
                    HasSubstr("--device auto --once")));
  EXPECT_THAT(calls[0], HasSubstr("--tool memcheck --target-processes all --show-backtrace device --padding 512"));
  EXPECT_THAT(calls[2], AllOf(HasSubstr("--tool initcheck"), Not(HasSubstr("--kernel-name"))));
  EXPECT_THAT(calls[3], HasSubstr("--tool synccheck"));
  EXPECT_THAT(report_->notes, IsEmpty());
}

TEST_F(CheckSanitizer, ARaceIsAFindingAtItsLine) {
  install("racecheck",
          "========= COMPUTE-SANITIZER\n"
          "========= Error: Race reported between Write access at void reversed<(int)1>(const float *, float "
          "*, int)+0x120 in kernel.cu:5\n"
          "=========     and Read access at void reversed<(int)1>(const float *, float *, int)+0x150 in "
          "kernel.cu:8 [4000 hazards]\n=========\n"
          "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n");
  const auto& findings = sanitize("race").findings;
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].kind, "race");
  EXPECT_EQ(place_text(findings[0].place), "kernel.cu:5");
  EXPECT_EQ(findings[0].config, "PLANTED=1");
  EXPECT_EQ(findings[0].problem, "n=4096;fp32") << "what was watched";
  EXPECT_EQ(findings[0].sentence, "compute-sanitizer racecheck: Race between a write and a read with kernel.cu:8, 4000 "
                                  "times; put a __syncthreads() or __syncwarp() between the accesses");
}

// The same line of another file is another place; each place is named once.
TEST_F(CheckSanitizer, EachPlaceOfAFindingIsNamedOnce) {
  Kernel kernel = TemplateStore({}).load((test::data_dir() / "check" / "race").string()).value();
  for (auto& [name, text] : kernel.sources.files)
    if (name == "kernel.cu") text.insert(0, "#include \"row.cuh\"\n");
  kernel.sources.files.emplace_back("row.cuh", "\n");
  SanitizerReport report;
  report.errors.push_back(
      {"Race",
       {{"f()", "kernel.cu", 5}, {"g()", "row.cuh", 5}, {"f()", "kernel.cu", 5}, {"f()", "kernel.cu", 55}},
       {},
       1});
  const Problem problem = make_problem(kernel.spec, "n=4096", "", {}).value();
  const auto findings =
      sanitizer_findings(sanitizer_tools().front(), report, kernel, problem, default_config(kernel.spec));
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(place_text(findings[0].place), "kernel.cu:5");
  EXPECT_THAT(findings[0].sentence, HasSubstr("Race with row.cuh:5, kernel.cu:55;"));
}

// One finding for all elements, although each has its own address, value and threads. The host frames do not matter.
TEST_F(CheckSanitizer, HazardsOfOneLineAreOneFinding) {
  std::string text = "========= COMPUTE-SANITIZER\n";
  for (const char* element : {"0x7fc in block (0,0,0)", "0x7f8 in block (3,0,0)"})
    text += std::string("========= Error: Potential RAW hazard detected at __shared__ ") + element +
            " :\n"
            "=========     Write Thread (255,0,0) at void reversed<(int)1>(const float *, float *, int)+0x130 in "
            "kernel.cu:5\n"
            "=========     Read Thread (0,0,0) at void reversed<(int)1>(const float *, float *, int)+0x170 in "
            "kernel.cu:8\n"
            "=========     Current Value : 209\n"
            "=========     Saved host backtrace up to driver entry point at kernel launch time\n"
            "=========         Host Frame: cuLaunchKernelEx [0x39fc2f] in libcuda.so.1\n"
            "=========         Host Frame:  [0x6fc05a] in warptune\n=========\n";
  install("racecheck", text + "========= RACECHECK SUMMARY: 2 hazards displayed (2 errors, 0 warnings)\n");
  const auto& findings = sanitize("race").findings;
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(place_text(findings[0].place), "kernel.cu:5");
  EXPECT_EQ(findings[0].sentence,
            "compute-sanitizer racecheck: Potential RAW hazard in shared memory with kernel.cu:8, 2 times (Current "
            "Value : 209); put a __syncthreads() or __syncwarp() between the accesses");
}

// The tool returns the exit code of the program, which fails because its kernel does.
TEST_F(CheckSanitizer, AnInvalidAccessIsAFindingAlthoughTheProgramFails) {
  install(
      "memcheck",
      "========= COMPUTE-SANITIZER\n========= Invalid __global__ read of size 4 bytes\n"
      "=========     at void copied<(int)1>(const float *, float *, int)+0x80 in kernel.cu:6\n"
      "=========     by thread (255,0,0) in block (15,0,0)\n=========     Access to 0x7f0000004000 is out of bounds\n"
      "========= Target application returned an error\n========= ERROR SUMMARY: 1 error\n",
      "exit 4");
  const auto& findings = sanitize("out_of_bounds").findings;
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].kind, "memory-error");
  EXPECT_EQ(findings[0].place.line, 6);
  EXPECT_THAT(findings[0].sentence, HasSubstr("(Access to 0x7f0000004000 is out of bounds)"));
}

// A finding without a place in the sources gets the kernel as its place.
TEST_F(CheckSanitizer, PlacesOutsideOfTheSourcesBecomeTheKernels) {
  install("synccheck", "========= COMPUTE-SANITIZER\n========= Barrier error detected. Invalid arguments.\n"
                       "=========     at __syncwarp(unsigned int)+0xe0 in sm_30_intrinsics.hpp:110\n"
                       "=========         Device Frame: void synced<(int)1>(const float *)+0xb0 in kernel.cu:4\n"
                       "========= Barrier error detected. Divergent thread(s) in warp.\n"
                       "=========     at synced+0xe0\n========= ERROR SUMMARY: 2 errors\n");
  const auto& findings = sanitize("barrier").findings;
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(place_text(findings[0].place), "kernel.cu:4") << "the caller of what is in a header of the toolkit";
  EXPECT_EQ(place_text(findings[1].place), "kernel.cu:2") << "the line of the kernel";
}

TEST_F(CheckSanitizer, WhatDoesNotRunIsANoteAndTheOtherToolsGoOn) {
  install("memcheck",
          "========= COMPUTE-SANITIZER\n========= Error: Target application terminated before first "
          "instrumented API call\n",
          "exit 1");
  const CheckReport& report = sanitize("uninitialised_read", "memcheck,initcheck");
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_THAT(report.notes, ElementsAre(AllOf(HasSubstr("compute-sanitizer --tool memcheck exited with code 1"),
                                              HasSubstr("Target application terminated before"))));
  ::setenv("WARPTUNE_COMPUTE_SANITIZER", "/nonexistent/compute-sanitizer", 1);
  EXPECT_THAT(sanitize("race").notes, ElementsAre(HasSubstr("names /nonexistent/compute-sanitizer, which is not an "
                                                            "executable file")));
}

// initcheck also checks the kernels that fill the buffers; errors in them are not findings.
TEST_F(CheckSanitizer, ReadsOfOtherKernelsAreLeftOut) {
  install("initcheck",
          "========= COMPUTE-SANITIZER\n========= Uninitialized __global__ memory read of size 16 bytes\n"
          "=========     at read_all+0x530\n=========     by thread (192,0,0) in block (116,0,0)\n=========\n"
          "========= Uninitialized __global__ memory read of size 4 bytes\n"
          "=========     at void kept<(int)1>(const float *, float *, float *, int)+0x90 in kernel.cu:7\n"
          "========= ERROR SUMMARY: 2 errors\n");
  const auto& findings = sanitize("uninitialised_read").findings;
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(place_text(findings[0].place), "kernel.cu:7");
}

// The racecheck summary of a crashed program counts no hazards; this is not a clean result.
TEST_F(CheckSanitizer, AProgramThatFailsWithoutAnErrorIsNotClean) {
  install("racecheck",
          "========= COMPUTE-SANITIZER\nwarptune: the worker process was killed by signal 11 (Segmentation fault)\n"
          "========= Target application returned an error\n"
          "========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n",
          "exit 4");
  const CheckReport& report = sanitize("race");
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_THAT(report.notes, ElementsAre(AllOf(HasSubstr("compute-sanitizer --tool racecheck exited with code 4"),
                                              HasSubstr("the worker process was killed by signal 11"))));
}

TEST_F(CheckSanitizer, IsFoundInAToolkitOrInThePath) {
  const std::string path = std::getenv("PATH");
  fs::create_directories(dir_ / "bin");
  const auto install_at = [](const fs::path& program) {
    std::ofstream(program) << "#!/bin/sh\n";
    fs::permissions(program, fs::perms::owner_all);
  };
  ::setenv("CUDA_HOME", (dir_ / "toolkit").c_str(), 1);
  ::setenv("PATH", ("/nonexistent:" + (dir_ / "bin").string()).c_str(), 1);
  install_at(dir_ / "bin" / "compute-sanitizer");
  if (!fs::exists("/usr/local/cuda/bin/compute-sanitizer")) {
    EXPECT_EQ(find_sanitizer().value(), dir_ / "bin" / "compute-sanitizer");
  }
  fs::create_directories(dir_ / "toolkit" / "bin");
  install_at(dir_ / "toolkit" / "bin" / "compute-sanitizer");
  EXPECT_EQ(find_sanitizer().value(), dir_ / "toolkit" / "bin" / "compute-sanitizer");
  ::setenv("PATH", path.c_str(), 1);
  ::unsetenv("CUDA_HOME");
}

TEST_F(CheckSanitizer, ToolsByName) {
  EXPECT_EQ(parse_tools("all").value().size(), 4U);
  EXPECT_THAT(parse_tools("none").value(), IsEmpty());
  EXPECT_EQ(parse_tools("synccheck,memcheck").value()[1].name, "memcheck");
  const auto unknown = parse_tools("racechek");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message, "--sanitize: compute-sanitizer has no tool 'racechek'; did you mean 'racecheck'?");
}

// The planted lines have the numbers that the tool's texts above contain.
TEST_F(CheckSanitizer, ThePlantedLines) {
  const auto text = [](const char* folder) { return read_text(test::data_dir() / "check" / folder / "kernel.cu"); };
  EXPECT_EQ(line_with(text("race"), "planted"), 8);
  EXPECT_EQ(line_with(text("out_of_bounds"), "planted"), 6);
  EXPECT_EQ(line_with(text("barrier"), "planted"), 4);
}

// Each cause has its own message: only one of them depends on --arch.
TEST(WhyNothingRan, NamesTheCause) {
  const Kernel kernel;
  CheckReport report{kernel, {}, {}, {}, {}};
  DeviceInfo gpu;
  gpu.name = "NVIDIA H200";
  gpu.arch = "sm_90a";
  report.problems.push_back({{}, "sm_80", {}, {}});
  EXPECT_EQ(why_nothing_ran(report, gpu),
            "nothing was launched on NVIDIA H200: --arch does not name the architecture of this GPU; add sm_90a to it");
  report.problems.push_back({{}, "sm_90a", {}, {}});
  EXPECT_EQ(why_nothing_ran(report, gpu),
            "nothing was launched on NVIDIA H200: no sampled configuration can be launched on sm_90a");
  report.problems.back().check.reference_error = "reference.cu(3): error: expected a declaration";
  EXPECT_EQ(why_nothing_ran(report, gpu), "nothing was launched on NVIDIA H200: the reference does not compile");
}

} // namespace
} // namespace warptune::cli
