// `capture` with the real driver, CUPTI and NVRTC: the folders that it writes are checked and run on the device.
#include "support/require_gpu.h"
#include "support/run_cli.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace warptune::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using Words = std::vector<std::string>;
using nlohmann::json;
namespace fs = std::filesystem;

class CaptureGpu : public testing::Test {
 protected:
  void SetUp() override { WT_REQUIRE_GPU(); }
  static std::string app() { return (program_dir() / "support" / "capture_app").string(); }
  fs::path out() const { return cli_.dir() / "out"; }
  CliResult capture(const Words& mode, Words options = {}) const {
    Words words = {"capture", "-o", out().string()};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", app()});
    words.insert(words.end(), mode.begin(), mode.end());
    return cli_.run(words);
  }
  json list(const std::string& mode) const {
    const CliResult shown = cli_.run({"capture", "--list", "--json", "--", app(), mode});
    EXPECT_EQ(shown.code, 0) << shown.err << shown.out;
    return json::parse(shown.out).at("kernels");
  }
  std::string spec(const char* kernel) const { return read_text(out() / kernel / "spec.json"); }
  std::string records() const {
    std::string all;
    for (const auto& file : fs::directory_iterator(out() / "records"))
      if (file.path().extension() == ".jsonl") all += read_text(file.path());
    return all;
  }
  void expect_runs(const char* kernel, const std::string& shape) const {
    const CliResult ran = cli_.run({"tune", (out() / kernel).string(), "--shape", shape, "--budget", "4", "--db",
                                    (cli_.dir() / "tuned.db").string()});
    EXPECT_EQ(ran.code, 0) << ran.err << ran.out;
  }

  CliRunner cli_;
};

TEST_F(CaptureGpu, AnApplicationsLaunchesBecomeATunedKernel) {
  const CliResult made = capture({"shapes"});
  ASSERT_EQ(made.code, 0) << made.err << made.out << records();
  EXPECT_THAT(made.out, AllOf(StartsWith("sum 13631488.0\nsum 800024.0\nsum 5767168.0\n"), HasSubstr("in 7 calls")));
  EXPECT_THAT(spec("saxpy"), AllOf(HasSubstr(R"x("grid": ["ceil_div(n, BLOCK)"], "block": ["BLOCK"])x"),
                                   HasSubstr(R"("count": "n", "role": "inout")"),
                                   HasSubstr(R"("default": [{"n": 1048576}, {"n": 100003}])")));
  expect_runs("saxpy", "n=1048576");
}

TEST_F(CaptureGpu, IndicesStayInTheirTable) {
  const CliResult made = capture({"gather"});
  ASSERT_EQ(made.code, 0) << made.err << made.out << records();
  EXPECT_THAT(spec("gather"), HasSubstr(R"("fill": {"integers": [0, 63]})"));
  expect_runs("gather", "n=5000");
}

TEST_F(CaptureGpu, GraphsContextsLibrariesAndForks) {
  for (const auto& [mode, calls] :
       {std::pair{"graph", "in 5 calls"}, std::pair{"contexts", "in 2 calls"}, std::pair{"library", "in 1 call\n"},
        std::pair{"fork", "in 2 calls"}, std::pair{"moving", "1 problem, "}}) {
    const CliResult made = capture({mode});
    EXPECT_EQ(made.code, 0) << mode << made.err << made.out << records();
    EXPECT_THAT(made.out, HasSubstr(calls)) << mode << records();
    fs::remove_all(out());
  }
}

TEST_F(CaptureGpu, KernelsWithoutASourceAreListed) {
  const json foreign = list("foreign");
  ASSERT_EQ(foreign.size(), 2U);
  for (const json& kernel : foreign) EXPECT_EQ(kernel.at("source_known"), kernel.at("name") == "saxpy") << kernel;
  if (dlopen("/usr/local/cuda/lib64/libcublas.so", RTLD_LAZY) == nullptr) return;
  bool has_blas = false;
  for (const json& kernel : list("cublas")) {
    has_blas = has_blas || kernel.at("calls") == 4;
    EXPECT_GT(kernel.at("device_us"), 0);
  }
  EXPECT_TRUE(has_blas);
}

TEST_F(CaptureGpu, WhatACrashLeavesIsUsed) {
  for (const char* mode : {"crash", "kill"}) {
    const CliResult ended = capture({mode});
    EXPECT_EQ(ended.code, 1) << ended.err << ended.out;
    EXPECT_THAT(ended.out, AllOf(HasSubstr("in 3 calls"), HasSubstr("signal"))) << mode << records();
    EXPECT_TRUE(fs::exists(out() / "saxpy" / "spec.json"));
    fs::remove_all(out());
  }
}

// Prints the cost of a launch without capture, with device times, and with arguments; the cost of `capture` is limited.
TEST_F(CaptureGpu, TheCostOfALaunch) {
  const auto us = [](const std::string& text) {
    return std::stod(text.substr(text.rfind('\n', text.find(" us per")) + 1));
  };
  const std::string file = (cli_.dir() / "bare.txt").string();
  ASSERT_EQ(std::system((app() + " many 100000 2> " + file).c_str()), 0);
  const double bare = us(read_text(file));
  const double times = us(cli_.run({"capture", "--list", "--", app(), "many", "100000"}).err);
  const double all = us(capture({"many", "100000"}).err);
  std::cout << "a launch takes " << bare << " us; " << times << " us with device times; " << all
            << " us with device times and arguments\n";
  EXPECT_LT(all, bare + 50);
}

} // namespace
} // namespace warptune::test
