// The key `build` of a description: its valid content, and the command for a configuration.
#include "plan/compile_request.h"
#include "plan/program_key.h"
#include "plan/program_symbol.h"
#include "spec/config.h"
#include "spec/source_hash.h"
#include "spec/spec_json.h"

#include <gmock/gmock.h>

namespace warptune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

std::string description(const std::string& build) {
  return R"({"format": 2, "name": "op", "summary": "y = x",
    "problem": {"dims": {"n": {}}, "dtypes": ["bf16", "fp32"], "flags": {"mode": {"values": ["plain", "clamped"]}}},
    "types": {"acc": "fp32"},
    "params": {"BM": {"values": [64, 128], "default": 64}, "HINT": {"values": ["none", "stream"], "default": "stream"}},
    "derived": {"half": "BM / 2"},
    "arguments": {"x": {"buffer": "dtype", "count": "n", "role": "input"},
                  "y": {"buffer": "dtype", "count": "n", "role": "output"}},
    )" + build +
         R"(,
    "launches": [{"kernel": "op", "grid": ["n"], "block": [32], "args": ["x", "y"]}],
    "reference": {"launches": [{"kernel": "r", "grid": ["n"], "block": [1], "args": ["x", "y"]}]},
    "cost": {"bytes_read": "n", "bytes_written": "n", "flops": {"fp32": "n"}},
    "tolerance": {"default": {"rtol": 1e-6}}})";
}

SourceFiles files(const std::string& build) {
  return {{{"spec.json", description(build)},
           {"build.py", "import sys"},
           {"kernel.cu", "// built"},
           {"reference.cu", "// reference"}}};
}

struct Asked {
  KernelSpec spec;
  CompileRequest request;
};
Asked ask(const SourceFiles& sources, const std::string& config = "BM=64,HINT=stream",
          const std::string& arch = "sm_90a") {
  Asked asked{parse_spec(sources, "op/spec.json").value(), {}};
  DeviceInfo device = h200_device();
  device.arch = arch;
  const Problem problem = make_problem(asked.spec, "n=100", "", {"mode=clamped"}).value();
  const Config chosen = parse_config(asked.spec, config).value();
  const LaunchPlan plan = make_plan(asked.spec, problem, chosen, device).value();
  asked.request = make_compile_request(asked.spec, sources, problem, chosen, device, plan).value();
  return asked;
}

constexpr const char* kBuild =
    R"("build": {"command": ["python3", "build.py", "--tile={BM}x{half}", "{HINT}", "{dtype}",
  "{acc}", "{mode}", "{n}", "{arch}", "{output}/x", "{folder}", "{{}}"], "inputs": ["build.py", "kernel.cu"],
  "version": ["nvcc", "--version"]})";

TEST(Build, ValuesStandInTheCommand) {
  const Asked asked = ask(files(kBuild));
  ASSERT_TRUE(asked.request.build);
  EXPECT_THAT(asked.request.build->command, ElementsAre("python3", "build.py", "--tile=64x32", "stream", "bf16", "fp32",
                                                        "clamped", "100", "sm_90a", "{output}/x", "{folder}", "{{}}"));
  EXPECT_THAT(asked.request.build->version, ElementsAre("nvcc", "--version"));
  EXPECT_THAT(asked.request.headers, ElementsAre(Pair("build.py", "import sys"), Pair("kernel.cu", "// built")));
  EXPECT_THAT(asked.request.name_expressions, ElementsAre("op"));
  EXPECT_EQ(asked.spec.implementations.front().source, "build.py");
  EXPECT_EQ(expand_build_word("{output}/x{{{folder}}}", "/out", "/in"), "/out/x{/in}");
}

TEST(Build, KeysCoverCommandInputsAndArchitecture) {
  const SourceFiles sources = files(kBuild);
  const std::string key = program_key(ask(sources).request);
  EXPECT_EQ(program_key(ask(sources).request), key);
  EXPECT_NE(program_key(ask(sources, "BM=128,HINT=stream").request), key);
  EXPECT_NE(program_key(ask(sources, "BM=64,HINT=stream", "sm_80").request), key);
  SourceFiles other = sources;
  other.files[2].second = "// changed";
  EXPECT_NE(program_key(ask(other).request), key);
  const KernelSpec spec = ask(sources).spec;
  EXPECT_NE(source_hash(spec, sources), source_hash(spec, other));
  CompileRequest another = ask(sources).request;
  another.build->version.back() = "-v";
  EXPECT_NE(program_key(another), key);
  CompileRequest allowed = ask(sources).request;
  allowed.build->is_allowed = true;
  allowed.build->compiler = "made by 2.0";
  EXPECT_EQ(program_key(allowed), key); // a pack finds it without a compiler
}

TEST(Build, WhatIsWrongIsSaidWhenTheSpecIsRead) {
  const auto error = [](const std::string& build) {
    const auto spec = parse_spec(files(build), "op/spec.json");
    return spec ? std::string("no error") : spec.error().message;
  };
  EXPECT_THAT(error(R"("build": {"command": ["x", "{BN}"], "inputs": ["build.py"]})"),
              HasSubstr("at /build/command/1: unknown name {BN}; did you mean 'BM'?"));
  EXPECT_THAT(error(R"("build": {"command": ["x", "{BM"], "inputs": ["build.py"]})"), HasSubstr("'{' without '}'"));
  EXPECT_THAT(error(R"("build": {"command": ["x", "a}"], "inputs": ["build.py"]})"), HasSubstr("'}' without '{'"));
  EXPECT_THAT(error(R"("build": {"command": ["x", ""], "inputs": ["build.py"]})"),
              HasSubstr("at /build/command/1: this word is empty"));
  EXPECT_THAT(error(R"("build": {"command": ["x"], "inputs": ["build.py"], "version": ["nvcc", ""]})"),
              HasSubstr("at /build/version/1: this word is empty"));
  EXPECT_THAT(error(R"("build": {"command": ["x"], "inputs": ["build.py"], "version": ["nvcc", "--v={BM}"]})"),
              HasSubstr("at /build/version/1: {BM} has no value here"));
  EXPECT_EQ(error(R"("build": {"command": ["x"], "inputs": ["build.py"], "version": ["awk", "{ print }"]})"),
            "no error");
  EXPECT_THAT(error(R"("build": {"command": [], "inputs": ["build.py"]})"), HasSubstr("no command"));
  EXPECT_THAT(error(R"("build": {"command": ["x"], "inputs": []})"), HasSubstr("no inputs"));
  EXPECT_THAT(error(R"("build": {"command": ["x"], "inputs": ["../secret"]})"), HasSubstr("the name of a file"));
  EXPECT_THAT(error(R"("build": {"command": ["x"], "inputs": ["a\u0000b"]})"), HasSubstr("the name of a file"));
  EXPECT_THAT(error(R"("build": {"command": ["x"], "inputs": ["build.py"], "version": ["a\u0000b"]})"),
              HasSubstr("must not contain a zero character"));
  EXPECT_THAT(error(R"("build": {"command": ["x"], "inputs": ["build.py"], "shell": 1})"), HasSubstr("shell"));
  EXPECT_THAT(error(R"("build": {"command": ["x"], "inputs": ["build.py", "build.py"]})"),
              HasSubstr("at /build/inputs/1: 'build.py' is listed twice"));
  for (const char* name : {"", "/etc/hosts", "folder/", "a/../../b"})
    EXPECT_THAT(error(R"("build": {"command": ["x"], "inputs": [")" + std::string(name) + R"("]})"),
                HasSubstr("the name of a file"));
  EXPECT_THAT(error(R"("build": {"command": ["x"], "inputs": ["build.py"], "version": []})"),
              HasSubstr("or leave 'version' out"));
  EXPECT_THAT(error(R"("compile": {}, "build": {"command": ["x"], "inputs": ["build.py"]})"),
              HasSubstr("\"compile\" is for NVRTC"));
  EXPECT_THAT(error(R"("source": "kernel.cu", "build": {"command": ["x"], "inputs": ["build.py"]})"),
              HasSubstr("\"source\" is for NVRTC"));
  std::string templated = description(R"("build": {"command": ["x"], "inputs": ["build.py"]})");
  templated.replace(templated.find(R"("grid": ["n"], "block": [32])"), 0, R"("template": [1], )");
  const auto spec = parse_spec(templated, "op/spec.json");
  ASSERT_FALSE(spec);
  EXPECT_THAT(spec.error().message, HasSubstr("cannot have template arguments"));
  std::string old = description(R"("build": {"command": ["x"], "inputs": ["build.py"]})");
  old.replace(old.find("\"format\": 2"), 11, "\"format\": 1");
  EXPECT_FALSE(parse_spec(old, "op/spec.json"));
}

TEST(Build, AProgramSaysWhatItsLaunchNeeds) {
  const ProgramSymbol symbol{"matmul_0d1d", 128, 49152};
  EXPECT_EQ(symbol_text(symbol), "matmul_0d1d threads=128 shared=49152");
  EXPECT_EQ(parse_symbol(symbol_text(symbol)).threads, 128u);
  EXPECT_EQ(parse_symbol("_Z5scalePf").name, "_Z5scalePf");
  EXPECT_EQ(parse_symbol("odd name").name, "odd name");
  LaunchPlan plan;
  plan.name_expressions = {"a", "b"};
  plan.launches = {{"b", {}, {64, 2, 1}, {}, 100, false, false, {}}, {"a", {}, {32, 1, 1}, {}, 200, false, false, {}}};
  adapt_launches(plan, {"a_sym", "b_sym threads=256", "&more"});
  EXPECT_EQ(plan.launches[0].block.x, 256u);
  EXPECT_EQ(plan.launches[0].block.y, 1u);
  EXPECT_EQ(plan.launches[0].shared_bytes, 100u);
  EXPECT_EQ(plan.launches[1].block.x, 32u);
}

} // namespace
} // namespace warptune
