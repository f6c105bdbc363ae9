// `check` as a user runs it, without a GPU: what compiles, and what does not, with its place.
#include "jit/compiler.h"
#include "support/run_cli.h"

#include <fstream>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace warptune {
namespace {

using namespace test;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kSound = R"(#include <cuda_fp16.h>

template <class T, int THREADS, int VEC>
__global__ void __launch_bounds__(THREADS) scale(const T* x, T* y, long long n) {
  HERE
  const long long first = (static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x) * VEC;
  for (long long i = first; i < first + VEC && i < n; ++i) y[i] = static_cast<T>(2.0F * static_cast<float>(x[i]));
}
)";

class CliCheck : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_nvrtc()) GTEST_SKIP() << "no NVRTC";
    std::filesystem::copy(data_dir() / "specs" / "scale", folder());
    std::string text = read_text(folder() / "spec.json");
    const std::string unused = ", 2048"; // more threads than a block can have: a finding
    write("spec.json", text.erase(text.find(unused), unused.size()));
  }
  std::filesystem::path folder() const { return cli.dir() / "mine"; }
  void write(const std::string& file, const std::string& text) const { std::ofstream(folder() / file) << text; }
  // The sound kernel with an additional line, the fifth.
  void add_line(const std::string& line) const {
    std::string text = kSound;
    write("kernel.cu", text.replace(text.find("HERE"), 4, line));
  }
  CliResult check(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"check", folder().string(), "--arch", "sm_90a", "--device", "none"};
    words.insert(words.end(), more.begin(), more.end());
    return cli.run(words);
  }
  json checked(int code, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = more;
    words.emplace_back("--json");
    const CliResult result = check(words);
    EXPECT_EQ(result.code, code) << result.err << result.out;
    return json::parse(result.out);
  }

  CliRunner cli;
};

// A fault in a launch is reported for the launch, once for all configurations.
TEST_F(CliCheck, AKernelOfAnotherNameAndAGridOfNothing) {
  const std::string spec = read_text(folder() / "spec.json");
  const auto with = [&](const std::string& was, const std::string& now) {
    std::string text = spec;
    write("spec.json", text.replace(text.find(was), was.size(), now));
    return check({"--dtype", "fp32"});
  };
  const std::string kernel = "\"kernel\": \"scale\"";
  const CliResult name = with(kernel, "\"kernel\": \"scael\"");
  EXPECT_EQ(name.code, 1) << name.err;
  EXPECT_THAT(name.out, AllOf(HasSubstr("the kernel's name in 'launches': error"), Not(HasSubstr("__nv_name_map"))));
  const std::size_t grid = spec.find("\"grid\": [\"") + 10;
  const CliResult nothing = with(spec.substr(grid, spec.find('"', grid) - grid), "0 * rows");
  EXPECT_EQ(nothing.code, 4) << nothing.err;
  EXPECT_THAT(nothing.out,
              AllOf(HasSubstr("9 refused, the first"), HasSubstr("the grid x of"), Not(HasSubstr("more; --json"))));
}

TEST_F(CliCheck, LaunchesGiveWhatTheirKernelsTake) {
  const std::string spec = read_text(folder() / "spec.json");
  const auto with = [&](const std::string& was, const std::string& now, std::size_t from = 0) {
    std::string text = spec;
    write("spec.json", text.replace(text.find(was, from), was.size(), now));
    return check({"--dtype", "fp32"});
  };
  const std::string args = R"("args": ["x", "y", "n"])";
  const CliResult few = with(args, R"("args": ["x", "y"])");
  EXPECT_EQ(few.code, 1) << few.err;
  EXPECT_THAT(few.out, AllOf(HasSubstr("9 compile failed, the first THREADS=128,VEC=1"),
                             HasSubstr("takes 3 parameters, but 'args' of its launch gives 2 arguments (x, y)")));
  const CliResult many = with(args, R"("args": ["x", "y", "n", "n"])");
  EXPECT_EQ(many.code, 1) << many.err;
  EXPECT_THAT(many.out, HasSubstr("takes 3 parameters, but 'args' of its launch gives 4 arguments (x, y, n, n)"));
  const CliResult swapped = with(args, R"("args": ["x", "n", "y"])");
  EXPECT_EQ(swapped.code, 0) << "the sizes are equal: " << swapped.out;
  const CliResult narrow = with("\"scalar\": \"int64\"", "\"scalar\": \"int32\"");
  EXPECT_EQ(narrow.code, 1) << narrow.err;
  EXPECT_THAT(narrow.out, AllOf(HasSubstr("parameter 3 of scale has 8 bytes, but the argument 'n' of its "
                                          "launch is int32 of 4 bytes")));
  const std::size_t n = spec.find("\"n\": {\"scalar\"");
  const CliResult floating = with(spec.substr(n, spec.find('}', n) + 1 - n), R"("n": {"scalar": "fp64", "value": 7})");
  EXPECT_EQ(floating.code, 1) << floating.err;
  EXPECT_THAT(floating.out, HasSubstr("parameter 3 of scale is of type long long, but the argument 'n' of its launch "
                                      "is fp64; make their types equal"));
  // A kernel may take the bits of a number whose C++ type is a class as an integer, but never an integer as a number.
  const auto of_type = [&](const std::string& parameter, const std::string& dtype) {
    std::string text = kSound, with_m = spec;
    text.replace(text.find("HERE"), 4, "").replace(text.find("long long n"), 11, "long long n, " + parameter);
    write("kernel.cu", text);
    with_m.replace(with_m.find(args), args.size(), R"("args": ["x", "y", "n", "m"])");
    write("spec.json", with_m.insert(n, R"("m": {"scalar": ")" + dtype + R"(", "value": 7}, )"));
    return check({"--dtype", "fp32"});
  };
  const CliResult bits = of_type("unsigned short m", "fp16");
  EXPECT_EQ(bits.code, 0) << bits.out;
  const CliResult whole = of_type("float m", "int32");
  EXPECT_EQ(whole.code, 1) << whole.err;
  EXPECT_THAT(whole.out, HasSubstr("parameter 4 of scale is of type float, but the argument 'm' of its launch is "
                                   "int32; make their types equal"));
  write("kernel.cu", read_text(data_dir() / "specs" / "scale" / "kernel.cu"));
  const CliResult reference = with(args, R"("args": ["x", "y"])", spec.find("\"reference\""));
  EXPECT_EQ(reference.code, 1) << reference.err;
  EXPECT_THAT(reference.out, HasSubstr("takes 3 parameters, but 'args' of its launch gives 2 arguments (x, y)"));
}

TEST_F(CliCheck, AllIsWell) {
  const CliResult result = check();
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("scale from " + folder().string()), HasSubstr("9 of 9"),
                                HasSubstr("all sampled configurations compile\n")));
  const json out = checked(0);
  EXPECT_EQ(out["ok"], true);
  ASSERT_EQ(out["problems"].size(), 2U) << "each dtype";
  EXPECT_EQ(out["problems"][0]["problem"]["dims"]["cols"], 1024) << "of the suite";
  EXPECT_EQ(out["problems"][1]["compiled"], 9);
  EXPECT_GT(out["problems"][0]["registers"]["min"], 0);
  EXPECT_THAT(out["problems"][0]["failures"], IsEmpty());
}

TEST_F(CliCheck, FlagsAreThoseOfTheSuiteUnlessTheyAreGiven) {
  std::string text = read_text(folder() / "spec.json");
  const std::string format = "\"format\": 1", entry = "{\"rows\": 64, \"cols\": 1024}";
  text.replace(text.find(format), format.size(), "\"format\": 2");
  text.replace(text.find(entry), entry.size(), "{\"rows\": 64, \"cols\": 1024, \"mode\": \"fancy\"}");
  write("spec.json", text);
  const auto mode = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"--dtype", "fp32", "--sample", "1"};
    words.insert(words.end(), more.begin(), more.end());
    return checked(0, words)["problems"][0]["problem"]["flags"]["mode"];
  };
  EXPECT_EQ(mode({}), "fancy");
  EXPECT_EQ(mode({"--set", "mode=plain"}), "plain");
}

TEST_F(CliCheck, WhatIsNoCudaIsFound) {
  write("kernel.cu", "\nthis is not CUDA\n");
  EXPECT_EQ(cli.run({"kernels", folder().string()}).code, 0) << "looks at spec.json alone";
  const CliResult result = check({"--dtype", "fp32"});
  EXPECT_EQ(result.code, 1) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("for sm_90a: 9 compile failed, the first THREADS=128,VEC=1"),
                                HasSubstr("kernel.cu(2): error"), HasSubstr("2 | this is not CUDA"),
                                HasSubstr("9 of 9 sampled configurations do not compile")));
}

// The kernel compiles, because an undefined macro is 0.
TEST_F(CliCheck, AMacroThatTheSourceSpellsOtherwiseIsNoted) {
  add_line("#if VECTOR_LOADS\n  int x;\n#endif");
  std::string text = read_text(folder() / "spec.json");
  const std::string launches = "\"launches\"";
  text.insert(text.find(launches), "\"compile\": {\"defines\": {\"VECTOR_LOAD\": \"VEC\"}}, ");
  write("spec.json", text);
  const CliResult result = check({"--dtype", "fp32", "--sample", "1"});
  EXPECT_EQ(result.code, 1) << result.err << result.out;
  EXPECT_THAT(
      result.out,
      AllOf(HasSubstr("warning: the macro 'VECTOR_LOAD' of 'defines' is not read by kernel.cu or the files that "
                      "it includes; did you mean 'VECTOR_LOADS'? [unread-macro]"),
            HasSubstr("kernel.cu:5: warning: kernel.cu:5 tests the macro 'VECTOR_LOADS', which nothing defines")));
  EXPECT_EQ(check({"--dtype", "fp32", "--sample", "1", "--allow", "unread-macro,undefined-macro"}).code, 0);
}

TEST_F(CliCheck, ArchitecturesByTheNamesOfGpus) {
  const CliResult h100 =
      cli.run({"check", folder().string(), "--arch", "h100,RTX 4090", "--sample", "1", "--dtype", "fp32"});
  EXPECT_EQ(h100.code, 0) << h100.err;
  EXPECT_THAT(h100.out, AllOf(HasSubstr("sm_90a"), HasSubstr("sm_89")));
  const CliResult unknown = cli.run({"check", folder().string(), "--arch", "h1000"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("unknown architecture or GPU 'h1000'; use sm_70, "));
}

TEST_F(CliCheck, OneBrokenConfigurationOfManyIsNamedWithItsLine) {
  add_line("static_assert(THREADS != 256 || VEC != 4, \"too wide\");");
  const CliResult text = check({"--dtype", "fp32"});
  EXPECT_EQ(text.code, 1) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("1 compile failed, THREADS=256,VEC=4"), HasSubstr("too wide"),
                              HasSubstr("5 | static_assert("), HasSubstr("1 of 9 sampled")));
  const json out = checked(1, {"--dtype", "fp32"});
  EXPECT_EQ(out["ok"], false);
  const json& problem = out["problems"][0];
  EXPECT_EQ(problem["compiled"], 8);
  EXPECT_GT(problem["registers"]["min"], 0) << "of those that compile";
  ASSERT_EQ(problem["failures"].size(), 1U);
  EXPECT_EQ(problem["failures"][0]["config"], (json{{"THREADS", 256}, {"VEC", 4}}));
  EXPECT_EQ(problem["failures"][0]["file"], "kernel.cu");
  EXPECT_EQ(problem["failures"][0]["line"], 5);
}

TEST_F(CliCheck, WhatTheDeviceCannotHoldIsRefusedAndNoFailure) {
  add_line("__shared__ volatile char big[VEC * 100000]; big[threadIdx.x] = 1; y[0] = static_cast<T>(big[0] * 1.0F);");
  const json out = checked(0, {"--dtype", "fp32"});
  EXPECT_EQ(out["problems"][0]["refused"], 3) << out;
  EXPECT_EQ(out["problems"][0]["compiled"], 6);
  EXPECT_EQ(out["problems"][0]["shared_bytes"]["max"], 200000);
  EXPECT_THAT(check({"--dtype", "fp32"}).out, HasSubstr("compile, or are refused"));
}

TEST_F(CliCheck, SeveralArchitecturesAndOneThatThereIsNot) {
  add_line("static_assert(__CUDA_ARCH__ != 800 || VEC < 4, \"not there\");");
  const json out = json::parse(
      cli.run({"check", folder().string(), "--dtype", "fp32", "--arch", "sm_80,sm_90a,sm_90a", "--json"}).out);
  ASSERT_EQ(out["problems"].size(), 2U);
  EXPECT_EQ(out["problems"][0]["arch"], "sm_80");
  EXPECT_EQ(out["problems"][0]["failed"], 3) << out;
  EXPECT_EQ(out["problems"][1]["failed"], 0);
  const CliResult unknown = cli.run({"check", folder().string(), "--arch", "sm_90a,sm_999"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, AllOf(HasSubstr("sm_999"), HasSubstr("sm_80")));
  EXPECT_THAT(unknown.out, IsEmpty());
}

TEST_F(CliCheck, AFormulaThatNoConfigurationCanUseIsNoFailureToCompile) {
  const std::string sound = read_text(folder() / "spec.json");
  const auto with = [&](const char* from, const char* to) {
    std::string text = sound;
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    write("spec.json", text.replace(at, std::string(from).size(), to));
  };
  const auto expect_unusable = [&](const char* why) {
    const CliResult result = check({"--dtype", "fp32"});
    EXPECT_EQ(result.code, 1) << result.err << result.out;
    EXPECT_THAT(result.out, AllOf(HasSubstr(why), HasSubstr("1 of 1 problems cannot be tuned, so nothing was compiled"),
                                  Not(HasSubstr("not compile")), Not(HasSubstr("all sampled"))));
    const json out = checked(1, {"--dtype", "fp32"});
    EXPECT_EQ(out["ok"], false);
    EXPECT_EQ(out["problems"][0]["compiled"], 0);
    EXPECT_THAT(out["problems"][0]["error"].get<std::string>(), HasSubstr(why));
    EXPECT_EQ(out["problems"][0]["reference"], nullptr);
  };
  with(R"("count": "rows * cols")", R"("count": "9223372036854775807")");
  expect_unusable("need more bytes than any device has");
  with(R"("count": "rows * cols")", R"("count": "0-1")");
  expect_unusable("below zero");
  with(R"("bytes_read": ")", R"("bytes_read": "0-)");
  expect_unusable("cost/bytes_read is below zero");
}

TEST_F(CliCheck, TheReferenceHasToCompileToo) {
  write("reference.cu", "no CUDA either\n");
  const CliResult result = check({"--dtype", "fp32"});
  EXPECT_EQ(result.code, 1) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("the reference does not compile"), HasSubstr("reference.cu(1): error")));
}

TEST_F(CliCheck, WhatMakesInputsHasToCompileToo) {
  const std::filesystem::path made = cli.dir() / "made";
  std::filesystem::copy(data_dir() / "kernels" / "small_convolution", made);
  const std::vector<std::string> words = {"check",  made.string(), "--shape",  "n=64",
                                          "--arch", "sm_90a",      "--sample", "1"};
  EXPECT_EQ(cli.run(words).code, 0);
  std::string text = read_text(made / "reference.cu");
  text.replace(text.find("forward("), 8, "for_word("); // the kernel of 'prepare', which the reference does not use
  std::ofstream(made / "reference.cu") << text;
  const CliResult result = cli.run(words);
  EXPECT_EQ(result.code, 1) << result.err;
  EXPECT_THAT(result.out, HasSubstr("forward"));
}

TEST_F(CliCheck, TheSampleHoldsTheDefaultAndAllValues) {
  const json out = checked(0, {"--dtype", "fp32", "--sample", "4"});
  EXPECT_EQ(out["problems"][0]["sampled"], 4);
  EXPECT_EQ(out["problems"][0]["valid"], 9);
  EXPECT_EQ(checked(0, {"--dtype", "fp32", "--sample", "all"})["problems"][0]["sampled"], 9);
  for (const char* wrong : {"0", "-1", "some"}) EXPECT_EQ(check({"--sample", wrong}).code, 2) << wrong;
}

TEST_F(CliCheck, NothingValidIsNoCandidate) {
  const CliResult result = cli.run({"check", "nothing_left", "--shape", "rows=64,cols=64", "--dtype", "fp32"});
  EXPECT_EQ(result.code, 4) << result.err;
  EXPECT_THAT(result.out, HasSubstr("a thread has more than a row"));
}

TEST_F(CliCheck, ABrokenDescriptionIsAnErrorBeforeAnythingIsCompiled) {
  const CliResult result = cli.run({"check", "unknown_name"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("THREDS"));
}

// As in every command that compiles.
TEST_F(CliCheck, WithoutACompilerTheCodeIsThree) {
  cli.set("WARPTUNE_NVRTC", "/nonexistent/libnvrtc.so");
  const CliResult result = check({"--dtype", "fp32"});
  EXPECT_EQ(result.code, 3) << result.out;
  EXPECT_THAT(result.err, HasSubstr("no usable NVRTC was found"));
}

} // namespace
} // namespace warptune
