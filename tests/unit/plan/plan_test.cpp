#include "plan/compile_request.h"
#include "plan/program_key.h"
#include "space/space.h"
#include "spec/source_hash.h"
#include "support/spec_text.h"

#include <gmock/gmock.h>

namespace warptune {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::problem_of;
using testing::SpecText;

SourceFiles sources() {
  return {{{"kernel.cu", "#include \"common/prelude.cuh\"\n  # include <own.cuh>\n#include <cuda_fp16.h>\n"},
           {"reference.cu", "// no includes\n"},
           {"spec.json", "{}"},
           {"own.cuh", "int own;"},
           {"common/prelude.cuh", "#include \"math.cuh\"\n"},
           {"common/math.cuh", "int math;"},
           {"common/unused.cuh", "int unused;"}}};
}

Result<LaunchPlan> plan_of(const SpecText& text, const std::string& shape = "rows=100,cols=1024", Config config = {},
                           const DeviceInfo& device = h200_device()) {
  const KernelSpec spec = text.parse();
  if (config.empty()) config = default_config(spec);
  return make_plan(spec, problem_of(spec, shape), config, device);
}

Result<CompileRequest> request_of(const SpecText& text, const std::string& shape = "rows=100,cols=1024") {
  const KernelSpec spec = text.parse();
  const Problem problem = problem_of(spec, shape);
  WT_TRY(const auto plan, make_plan(spec, problem, default_config(spec), h200_device()));
  return make_compile_request(spec, sources(), problem, default_config(spec), h200_device(), plan);
}

std::vector<std::string> header_names(const CompileRequest& request) {
  std::vector<std::string> names;
  for (const auto& header : request.headers) names.push_back(header.first);
  return names;
}

TEST(Plan, Kernel) {
  const auto plan = plan_of(SpecText());
  ASSERT_TRUE(plan.has_value()) << plan.error().message;
  const auto request = request_of(SpecText());
  ASSERT_TRUE(request.has_value()) << request.error().message;
  EXPECT_EQ(request->source_name, "kernel.cu");
  EXPECT_THAT(header_names(*request), ElementsAre("own.cuh", "common/prelude.cuh", "common/math.cuh"));
  EXPECT_THAT(request->options, ElementsAre("-arch=sm_90a", "--std=c++17", "--ptxas-options=-v", "-default-device",
                                            "--use_fast_math", "-DTILE=4", "-DT=__nv_bfloat16"));
  EXPECT_EQ(request->name_expressions, plan->name_expressions);
  EXPECT_THAT(plan->name_expressions, ElementsAre("demo_kernel<__nv_bfloat16, 4, 1>"));
  ASSERT_EQ(plan->buffers.size(), 3u);
  EXPECT_EQ(plan->buffers[0].bytes(), 100 * 1024 * 2);
  EXPECT_EQ(plan->buffers[2].dtype, DType::fp32);
  EXPECT_EQ(plan->buffers[2].count, 400);
  EXPECT_TRUE(plan->buffers[2].zero);
  ASSERT_EQ(plan->scalars.size(), 2u);
  EXPECT_EQ(plan->scalars[0].integer, 1024);
  EXPECT_TRUE(plan->scalars[1].is_parameter);
  ASSERT_EQ(plan->launches.size(), 1u);
  const KernelLaunch& launch = plan->launches[0];
  EXPECT_EQ(launch.grid.x, 25u);
  EXPECT_EQ(launch.block.x, 128u);
  EXPECT_EQ(launch.shared_bytes, 512u);
  ASSERT_EQ(launch.args.size(), 5u);
  EXPECT_EQ(launch.args[3].kind, ArgRef::Kind::scalar);
  EXPECT_EQ(launch.args[3].index, 0);
}

TEST(Plan, Reference) {
  const KernelSpec spec = SpecText().parse();
  const Problem problem = problem_of(spec, "rows=100,cols=1024");
  const auto plan = make_reference_plan(spec, problem, h200_device());
  ASSERT_TRUE(plan.has_value()) << plan.error().message;
  const auto request = make_reference_request(spec, sources(), problem, h200_device(), *plan);
  ASSERT_TRUE(request.has_value()) << request.error().message;
  EXPECT_EQ(request->source_name, "reference.cu");
  EXPECT_THAT(request->headers, ::testing::IsEmpty());
  // Neither fast math nor macros that depend on a param.
  EXPECT_THAT(request->options, Not(Contains("--use_fast_math")));
  EXPECT_THAT(request->options, Not(Contains("-DTILE=4")));
  EXPECT_THAT(request->options, Contains("-DT=__nv_bfloat16"));
  EXPECT_THAT(request->name_expressions, ElementsAre("demo_reference"));
  ASSERT_EQ(plan->buffers.size(), 2u);
  EXPECT_EQ(plan->buffers[0].dtype, DType::bf16);
  EXPECT_EQ(plan->buffers[1].dtype, DType::fp32);
}

TEST(Plan, ReferenceDtypes) {
  const auto dtype = [](const std::string& own, const std::string& role, const std::string& types) {
    SpecText text;
    text.set("arguments", R"({"y": {"buffer": ")" + own + R"(", "count": "rows", "role": ")" + role + R"("}})");
    text.set("launches", R"([{"kernel": "k", "grid": [1], "block": [1], "args": ["y"]}])");
    text.set("reference", R"({"types": {)" + types +
                              R"(}, "launches": [{"kernel": "r", "grid": [1], "block": [1], "args": ["y"]}]})");
    const KernelSpec spec = text.parse();
    return make_reference_plan(spec, problem_of(spec, "rows=1,cols=8"), h200_device())->buffers[0].dtype;
  };
  EXPECT_EQ(dtype("fp16", "output", ""), DType::fp32);
  EXPECT_EQ(dtype("fp64", "output", ""), DType::fp64);
  EXPECT_EQ(dtype("int8", "output", ""), DType::int8);
  EXPECT_EQ(dtype("bf16", "inout", ""), DType::bf16);
  EXPECT_EQ(dtype("bf16", "output", R"("y": "fp64")"), DType::fp64);
}

TEST(Plan, ConfigsThatDoNotFitAreNoCandidates) {
  const auto refused = [](const std::string& launch, const std::string& shape = "rows=100,cols=1024") {
    const auto plan = plan_of(SpecText().set("launches", R"([{"kernel": "k", "args": ["y"], )" + launch + "}]"), shape);
    EXPECT_FALSE(plan.has_value()) << launch;
    if (plan) return std::string();
    EXPECT_EQ(plan.error().kind, ErrorKind::no_candidate) << plan.error().message;
    return plan.error().message;
  };
  EXPECT_THAT(refused(R"("grid": ["rows"], "block": [1])", "rows=2147483648,cols=8"),
              HasSubstr("the grid x of 'k' is 2147483648"));
  EXPECT_THAT(refused(R"("grid": [1, 65536], "block": [1])"), HasSubstr("outside 1 to 65535"));
  EXPECT_THAT(refused(R"("grid": [1, 1, 65536], "block": [1])"), HasSubstr("the grid z of 'k'"));
  EXPECT_THAT(refused(R"("grid": ["rows - 100"], "block": [1])"), HasSubstr("is 0 ('rows - 100'), outside 1 to"));
  EXPECT_THAT(refused(R"("grid": [1], "block": [1025])"), HasSubstr("outside 1 to 1024"));
  EXPECT_THAT(refused(R"("grid": [1], "block": [512, 4])"), HasSubstr("has 2048 threads, more than the device's 1024"));
  EXPECT_THAT(refused(R"("grid": [1], "block": [1, 1, 65])"), HasSubstr("outside 1 to 64"));
  EXPECT_THAT(refused(R"("grid": [1], "block": [1], "shared": 232449)"), HasSubstr("outside 0 to 232448"));
  EXPECT_THAT(refused(R"("grid": [1], "block": [1], "shared": -1)"), HasSubstr("is -1"));
  EXPECT_THAT(refused(R"("grid": [3], "block": [1], "cluster": [2])"), HasSubstr("not a multiple of the cluster's 2"));
  EXPECT_THAT(refused(R"("grid": [2, 2, 3], "block": [1], "cluster": [2, 2, 2])"),
              HasSubstr("the grid z of 'k' is 3, not a multiple of the cluster's 2"));
  EXPECT_THAT(refused(R"("grid": [32, 32], "block": [1], "cluster": [8, 4])"),
              HasSubstr("has 32 blocks, more than the 16"));
  EXPECT_THAT(refused(R"("grid": [1], "block": [1], "when": "rows < 5")"), HasSubstr("nothing is launched"));
  EXPECT_THAT(refused(R"json("grid": ["rows / (VEC - 2)"], "block": [1])json"), HasSubstr("division by zero"));
  EXPECT_TRUE(
      plan_of(SpecText().set("launches",
                             R"([{"kernel": "k", "args": ["y"], "grid": [16], "block": [1], "cluster": [16]}])"))
          .has_value());
}

TEST(Plan, KindsOfLaunchesAreKeptApart) {
  const auto launch_of = [](const std::string& kind) {
    const auto plan = plan_of(SpecText().set(
        "launches", R"([{"kernel": "k", "args": ["y"], "grid": [1], "block": [1], ")" + kind + R"(": true},)" +
                        R"({"kernel": "k", "args": ["y"], "grid": [1], "block": [1], ")" + kind + R"(": true}])"));
    EXPECT_TRUE(plan.has_value()) << plan.error().message;
    EXPECT_FALSE(plan->launches.at(0).programmatic) << "what comes before it is another program's";
    return plan->launches.at(1);
  };
  EXPECT_TRUE(launch_of("cooperative").cooperative);
  EXPECT_FALSE(launch_of("cooperative").programmatic);
  EXPECT_TRUE(launch_of("programmatic").programmatic);
  EXPECT_FALSE(launch_of("programmatic").cooperative);
}

TEST(Plan, ClustersNeedHopper) {
  DeviceInfo device = h200_device();
  device.limits.compute_capability = 80;
  const auto plan = plan_of(
      SpecText().set("launches", R"([{"kernel": "k", "args": ["y"], "grid": [2], "block": [1], "cluster": [2]}])"),
      "rows=100,cols=1024", {}, device);
  ASSERT_FALSE(plan.has_value());
  EXPECT_THAT(plan.error().message, HasSubstr("need compute capability 9.0"));
}

TEST(Plan, InvalidConfig) {
  const auto plan = plan_of(SpecText(), "rows=100,cols=6", {4, 4});
  ASSERT_FALSE(plan.has_value());
  EXPECT_EQ(plan.error().kind, ErrorKind::no_candidate);
  EXPECT_EQ(plan.error().message,
            "demo rows=100,cols=6;bf16;log=0,layout=nt with WARPS=4,VEC=4 is not a valid configuration: "
            "cols % VEC == 0 does not hold: whole vectors");
}

TEST(Plan, BadBuffersAndScalars) {
  const auto error = [](const std::string& arguments, ErrorKind kind) {
    SpecText text;
    text.set("arguments", R"({"y": {"buffer": "dtype", "count": "rows", "role": "output"}, )" + arguments + "}");
    text.set("launches", R"([{"kernel": "k", "grid": [1], "block": [1], "args": ["y", "a"]}])");
    text.set("reference", R"({"launches": [{"kernel": "r", "grid": [1], "block": [1], "args": ["y"]}]})");
    const auto plan = plan_of(text);
    EXPECT_FALSE(plan.has_value()) << arguments;
    if (plan) return std::string();
    EXPECT_EQ(plan.error().kind, kind) << plan.error().message;
    return plan.error().message;
  };
  const auto bad = ErrorKind::bad_input, none = ErrorKind::no_candidate;
  EXPECT_THAT(error(R"("a": {"buffer": "dtype", "count": "rows - 101", "role": "input"})", bad),
              HasSubstr("is -1 ('rows - 101'), below zero"));
  EXPECT_THAT(error(R"("a": {"buffer": "dtype", "count": "VEC - 101", "role": "workspace"})", none),
              HasSubstr("below zero"));
  EXPECT_THAT(error(R"("a": {"buffer": "dtype", "count": 9223372036854775807, "role": "input"})", bad),
              HasSubstr("more bytes than any device has; use smaller sizes"));
  EXPECT_THAT(error(R"("a": {"buffer": "dtype", "count": 4000000000000000000, "role": "input"})", bad),
              HasSubstr("more bytes than any device has; use smaller sizes"));
  EXPECT_THAT(
      error(R"("a": {"buffer": "dtype", "count": "cols * cols * cols * cols * cols * cols * cols", "role": "input"})",
            bad),
      HasSubstr("overflow"));
  EXPECT_THAT(error(R"("a": {"buffer": "rows", "count": 1, "role": "input"})", bad), HasSubstr("not a dtype"));
  EXPECT_THAT(error(R"("a": {"scalar": "int32", "value": "rows * 100000000"})", bad), HasSubstr("does not fit int32"));
  EXPECT_THAT(error(R"("a": {"scalar": "uint8", "value": -1})", bad), HasSubstr("does not fit uint8"));
  EXPECT_THAT(error(R"("a": {"scalar": "bool", "value": 2})", bad), HasSubstr("does not fit bool"));
}

TEST(Plan, WorkspacesOfSkippedLaunchesAreNotAllocated) {
  SpecText text;
  text.set("launches", R"([{"kernel": "k", "grid": [1], "block": [1], "args": ["x", "y"]},
                           {"kernel": "k2", "when": "WARPS > 4", "grid": [1], "block": [1], "args": ["tmp", "y", "cols"]}])");
  const auto without = plan_of(text);
  ASSERT_TRUE(without.has_value());
  EXPECT_EQ(without->buffers.size(), 2u);
  EXPECT_EQ(without->launches.size(), 1u);
  const auto with = plan_of(text, "rows=100,cols=1024", {8, 2});
  ASSERT_TRUE(with.has_value());
  EXPECT_EQ(with->buffers.size(), 3u);
  ASSERT_EQ(with->launches.size(), 2u);
  EXPECT_EQ(with->launches[1].args[0].index, 2);
  EXPECT_THAT(with->name_expressions, ElementsAre("k", "k2"));
}

// The timer modifies as many bytes of the L2 as the outputs have. If workspaces counted, a library with a large
// workspace would be timed with more write-backs than a kernel that computes the same outputs.
TEST(Plan, OutputBytesAreThoseOfOutputsAndInouts) {
  SpecText text;
  EXPECT_EQ(plan_of(text, "rows=100,cols=1024", {8, 2})->output_bytes(), 100 * 1024 * 2);
  text.set("arguments", R"({"x": {"buffer": "dtype", "count": "rows * cols", "role": "inout"},
                            "y": {"buffer": "fp32", "count": "rows", "role": "output"},
                            "tmp": {"buffer": "fp32", "count": "WARPS * rows", "role": "workspace"},
                            "cols": {"scalar": "int32", "value": "cols"},
                            "alpha": {"scalar": "fp32", "value": 1.5, "role": "parameter"}})");
  const auto plan = plan_of(text, "rows=100,cols=1024", {8, 2});
  ASSERT_TRUE(plan.has_value()) << plan.error().message;
  EXPECT_EQ(plan->buffers.size(), 3U);
  EXPECT_EQ(plan->output_bytes(), 100 * 1024 * 2 + 100 * 4);
}

SpecText with_map(const std::string& map) {
  SpecText text;
  text.set("arguments", R"({"m": {"tensor_map": "y", )" + map +
                            R"(}, "y": {"buffer": "dtype", "count": "rows * cols", "role": "output"}})");
  text.set("launches", R"([{"kernel": "k", "grid": [1], "block": [1], "args": ["m"]}])");
  text.set("reference", R"({"launches": [{"kernel": "r", "grid": [1], "block": [1], "args": ["y"]}]})");
  return text;
}

TEST(Plan, TensorMaps) {
  const auto plan = plan_of(with_map(
      R"("dims": ["cols", "rows"], "strides": ["cols * dtype_bytes"], "box": [64, "VEC"], "swizzle": "128B", "fill": "nan")"));
  ASSERT_TRUE(plan.has_value()) << plan.error().message;
  ASSERT_EQ(plan->tensor_maps.size(), 1u);
  const TensorMapPlan& map = plan->tensor_maps[0];
  EXPECT_EQ(map.buffer, 0);
  EXPECT_EQ(map.dtype, DType::bf16);
  EXPECT_THAT(map.dims, ElementsAre(1024u, 100u));
  EXPECT_THAT(map.strides, ElementsAre(2048u));
  EXPECT_THAT(map.box, ElementsAre(64u, 2u));
  EXPECT_THAT(map.element_strides, ElementsAre(1u, 1u));
  EXPECT_EQ(map.swizzle_bytes, 128);
  EXPECT_TRUE(map.fill_nan);
  EXPECT_EQ(plan->launches[0].args[0].kind, ArgRef::Kind::tensor_map);

  const auto swizzled = [](const std::string& formula) {
    SpecText text =
        with_map(R"("dims": ["cols", "rows"], "strides": ["cols * 2"], "box": [8, 1], "swizzle": ")" + formula + "\"");
    return plan_of(text.set("format", "2"));
  };
  EXPECT_EQ(swizzled("VEC * 16")->tensor_maps[0].swizzle_bytes, 32);
  EXPECT_EQ(swizzled("none")->tensor_maps[0].swizzle_bytes, 0);
  EXPECT_THAT(swizzled("VEC * 8").error().message, HasSubstr("is 16 bytes; allowed are 0, 32, 64 and 128"));

  const auto error = [](const std::string& map_json, const std::string& shape = "rows=100,cols=1024") {
    const auto refused = plan_of(with_map(map_json), shape);
    EXPECT_FALSE(refused.has_value()) << map_json;
    return refused ? std::string() : refused.error().message;
  };
  EXPECT_THAT(error(R"("dims": ["cols", "rows"], "strides": ["cols * 2"], "box": [257, 1])"),
              HasSubstr("outside 1 to 256"));
  EXPECT_THAT(error(R"("dims": ["cols", "rows"], "strides": ["cols * 2"], "box": [4, 1])"),
              HasSubstr("not a multiple of 16"));
  EXPECT_THAT(error(R"("dims": ["cols", "rows"], "strides": ["cols * 2"], "box": [64, 1], "swizzle": "64B")"),
              HasSubstr("more than the swizzle's 64"));
  EXPECT_THAT(error(R"("dims": ["cols", "rows"], "strides": ["cols * 2"], "box": [64, 1])", "rows=100,cols=1022"),
              HasSubstr("a stride of the tensor map 'm' is 2044 bytes, not a multiple of 16"));
  EXPECT_THAT(error(R"("dims": ["cols", "rows"], "strides": ["cols * 2"], "box": [64, 1])", "rows=100,cols=1028"),
              HasSubstr("a stride of the tensor map 'm' is 2056 bytes, not a multiple of 16"));
  EXPECT_THAT(error(R"("dims": [0], "box": [64])"), HasSubstr("outside 1 to 4294967296"));
  EXPECT_THAT(error(R"("dims": [64], "box": [64], "element_strides": [9])"), HasSubstr("outside 1 to 8"));
}

TEST(Plan, Im2colMap) {
  const auto plan =
      plan_of(with_map(R"("mode": "im2col", "dims": [64, 8, 8, 2], "strides": [128, 1024, 8192], "lower": [-1, -1],
      "upper": [-1, -1], "channels_per_pixel": 64, "pixels_per_column": 32)"));
  ASSERT_TRUE(plan.has_value()) << plan.error().message;
  EXPECT_TRUE(plan->tensor_maps[0].im2col);
  EXPECT_THAT(plan->tensor_maps[0].lower, ElementsAre(-1, -1));
  EXPECT_EQ(plan->tensor_maps[0].channels_per_pixel, 64u);
}

// The corners of a window have 16, 8 or 5 bits with one, two or three spatial dims.
TEST(Plan, Im2colCornersAreSmallerWithMoreDims) {
  const auto corner = [](const std::string& dims, const std::string& strides, const std::string& lower) {
    return plan_of(with_map(R"("mode": "im2col", "dims": )" + dims + R"(, "strides": )" + strides + R"(, "lower": )" +
                            lower + R"(, "upper": )" + lower +
                            R"(, "channels_per_pixel": 64, "pixels_per_column": 32)"));
  };
  const auto one = [&](const std::string& value) { return corner("[64, 8, 2]", "[128, 1024]", "[" + value + "]"); };
  const auto two = [&](const std::string& value) {
    return corner("[64, 8, 8, 2]", "[128, 1024, 8192]", "[0, " + value + "]");
  };
  const auto three = [&](const std::string& value) {
    return corner("[64, 8, 8, 8, 2]", "[128, 1024, 8192, 65536]", "[0, 0, " + value + "]");
  };
  for (const auto& [plan, fits] :
       {std::pair(one("32767"), true), std::pair(one("-32769"), false), std::pair(two("127"), true),
        std::pair(two("128"), false), std::pair(three("-16"), true), std::pair(three("16"), false)}) {
    EXPECT_EQ(plan.has_value(), fits) << (plan ? "" : plan.error().message);
    EXPECT_THAT(plan ? "lower corner" : plan.error().message, HasSubstr("lower corner"));
  }
}

TEST(Plan, InterleavedMapsHaveStridesOf32Bytes) {
  const auto with_stride = [](const std::string& interleave) {
    return plan_of(
        with_map(R"("dims": [8, 8, 8], "strides": [48, 384], "box": [8, 1, 1], "interleave": ")" + interleave + "\""));
  };
  EXPECT_TRUE(with_stride("16B").has_value());
  EXPECT_THAT(with_stride("32B").error().message, HasSubstr("is 48 bytes, not a multiple of 32"));
}

// Names and texts that are equal only when concatenated give different cubins.
TEST(ProgramKey, KeepsItsPartsApart) {
  CompileRequest a, b;
  a.source_name = "ab";
  a.source = "c";
  b.source_name = "a";
  b.source = "bc";
  EXPECT_NE(program_key(a), program_key(b));
  b = a;
  EXPECT_EQ(program_key(a), program_key(b));
  a.options = {"-DN=1"};
  b.options = {"-D", "N=1"};
  EXPECT_NE(program_key(a), program_key(b));
}

// A changed header gives another cubin.
TEST(ProgramKey, KnowsNamesAndTextsOfHeaders) {
  CompileRequest a;
  a.headers = {{"a.cuh", "int a;"}, {"b.cuh", "int b;"}};
  CompileRequest text = a, name = a, fewer = a;
  text.headers[1].second = "int c;";
  name.headers[1].first = "c.cuh";
  fewer.headers.pop_back();
  for (const CompileRequest& other : {text, name, fewer}) EXPECT_NE(program_key(a), program_key(other));
}

TEST(Plan, MissingSource) {
  const KernelSpec spec = SpecText().set("source", "\"other.cu\"").parse();
  const Problem problem = problem_of(spec, "rows=1,cols=8");
  const auto plan = make_plan(spec, problem, default_config(spec), h200_device());
  ASSERT_TRUE(plan.has_value()) << plan.error().message;
  const auto request = make_compile_request(spec, sources(), problem, default_config(spec), h200_device(), *plan);
  ASSERT_FALSE(request.has_value());
  EXPECT_EQ(request.error().kind, ErrorKind::bad_input);
  EXPECT_THAT(request.error().message, HasSubstr("the source 'other.cu' is missing"));
}

TEST(Cost, Estimate) {
  const KernelSpec spec = SpecText().parse();
  const auto cost = estimate_cost(spec, problem_of(spec, "rows=10,cols=10"), h200_device());
  ASSERT_TRUE(cost.has_value());
  EXPECT_DOUBLE_EQ(cost->bytes_read, 200);
  EXPECT_DOUBLE_EQ(cost->flops[0].second, 500);
  const auto with_cost = [](const std::string& json) { return SpecText().set("cost", json).parse(); };
  const KernelSpec negative = with_cost(R"({"bytes_read": "rows - 11", "bytes_written": 0})");
  EXPECT_THAT(estimate_cost(negative, problem_of(negative, "rows=10,cols=10"), h200_device()).error().message,
              HasSubstr("below zero"));
  const KernelSpec tensor = with_cost(R"({"bytes_read": 1, "bytes_written": 1, "flops": {"tensor": 8}})");
  EXPECT_EQ(estimate_cost(tensor, problem_of(tensor, "rows=1,cols=1"), h200_device())->flops[0].first, "tensor");
  EXPECT_EQ(estimate_cost(tensor, problem_of(tensor, "rows=1,cols=1", "fp32"), h200_device())->flops[0].first,
            "tensor fp32");
}

// Without tensor cores, the operations are fp32 operations, and the fp32 roof applies.
TEST(Cost, TensorCoresOnlyWhereTheConditionHolds) {
  const auto spec_of = [](const std::string& flops) {
    return SpecText().set("cost", R"({"bytes_read": 1, "bytes_written": 1, "flops": )" + flops + "}").parse();
  };
  const auto flops = [](const KernelSpec& spec, const char* dtype) {
    return estimate_cost(spec, problem_of(spec, "rows=2,cols=3", dtype), h200_device())->flops;
  };
  using Flops = std::vector<std::pair<std::string, double>>;
  const KernelSpec one = spec_of(R"({"tensor": "8 * rows"}, "tensor_when": "dtype != fp32 || log")");
  EXPECT_EQ(flops(one, "bf16"), (Flops{{"tensor", 16}}));
  EXPECT_EQ(flops(one, "fp32"), (Flops{{"fp32", 16}}));
  const KernelSpec both = spec_of(R"({"fp32": "cols", "tensor": 8}, "tensor_when": "dtype != fp32")");
  EXPECT_EQ(flops(both, "bf16"), (Flops{{"fp32", 3}, {"tensor", 8}}));
  EXPECT_EQ(flops(both, "fp32"), (Flops{{"fp32", 11}}));
  const auto error = [](const std::string& json) {
    return SpecText().set("cost", R"({"bytes_read": 1, "bytes_written": 1, )" + json + "}").error();
  };
  EXPECT_THAT(error(R"("flops": {"fp32": 1}, "tensor_when": "log")"),
              HasSubstr("at /cost/tensor_when: there are no tensor operations"));
  EXPECT_THAT(error(R"("flops": {"tensor": 1}, "tensor_when": "VEC > 1")"), HasSubstr("at /cost/tensor_when: "));
}

// The roof does not affect cubins and times, so results and recordings stay valid.
TEST(SourceHash, DoesNotCountWhichRoofOperationsHave) {
  const auto hash = [](const std::string& cost) {
    const std::string text = SpecText().set("cost", cost).text();
    const auto spec = parse_spec(text, "test");
    EXPECT_TRUE(spec) << spec.error().message;
    return source_hash(*spec, SourceFiles{{{"spec.json", text}, {"kernel.cu", "x"}}});
  };
  const std::string without = hash(R"({"bytes_read": 1, "bytes_written": 1, "flops": {"tensor": 8}})");
  EXPECT_EQ(without, hash(R"({"bytes_read": 1, "bytes_written": 1, "flops": {"tensor": 8}, "tensor_when": "log"})"));
  EXPECT_EQ(without, hash(R"({"tensor_when": "1", "bytes_read": 1, "bytes_written": 1, "flops": {"tensor": 8}})"));
  EXPECT_NE(without, hash(R"({"bytes_read": 1, "bytes_written": 1, "flops": {"tensor": 9}})"));
  // The parser also ends a comment at \r, so the text after it is not part of the condition.
  const auto behind_comment = [](const std::string& operations) {
    return "{\"bytes_read\": 1, \"bytes_written\": 1, \"tensor_when\": //\r \"1\", \"flops\": {\"tensor\": " +
           operations + "}\n}";
  };
  EXPECT_NE(hash(behind_comment("8")), hash(behind_comment("9")));
}

TEST(SourceHash, ChangesWithWhatIsIncludedOnly) {
  const KernelSpec spec = SpecText().parse();
  const std::string hash = source_hash(spec, sources());
  EXPECT_EQ(hash.size(), 64u);
  const SourceFiles original = sources();
  for (std::size_t i = 0; i < original.files.size(); ++i) {
    SourceFiles changed = original;
    changed.files[i].second += "\n// changed";
    EXPECT_EQ(source_hash(spec, changed) == hash, original.files[i].first == "common/unused.cuh")
        << original.files[i].first;
  }
  SourceFiles reordered = original;
  std::swap(reordered.files[2], reordered.files[5]);
  EXPECT_EQ(source_hash(spec, reordered), hash);
}

TEST(SourceHash, KnowsWhereAFileEnds) {
  const KernelSpec spec = SpecText().parse();
  const auto hash_with = [&](const std::string& a, const std::string& b) {
    SourceFiles files = sources();
    for (auto& [name, text] : files.files)
      if (name == "kernel.cu") text += "\n#include \"a.cuh\"\n#include \"b.cuh\"\n";
    files.files.emplace_back("a.cuh", a);
    files.files.emplace_back("b.cuh", b);
    return source_hash(spec, files);
  };
  EXPECT_NE(hash_with("1b.cuh2", "3"), hash_with("1", "2b.cuh3"));
}

TEST(SourceHash, Includes) {
  const auto names = [](const SourceFiles& files) {
    std::vector<std::string> all;
    for (const auto& file : included_files(files, "a.cu")) all.push_back(file.first);
    return all;
  };
  EXPECT_THAT(names({{{"a.cu", "#include \"x/b.cuh\""},
                      {"x/b.cuh", "#include \"../c.cuh\"\n#include \"b.cuh\""},
                      {"c.cuh", "#include \"a.cu\""}}}),
              ElementsAre("x/b.cuh", "c.cuh"));
  EXPECT_THAT(
      names({{{"a.cu", "#define H \"b.cuh\"\n#include H\n"}, {"b.cuh", ""}, {"other.cu", ""}, {"spec.json", ""}}}),
      ElementsAre("b.cuh"));
  EXPECT_THAT(names({{{"a.cu", "#include\n#include \"\n#includes \"b.cuh\"\n# pragma once\n#"}, {"b.cuh", ""}}}),
              ::testing::IsEmpty());
  EXPECT_THAT(names({{}}), ::testing::IsEmpty());
}

} // namespace
} // namespace warptune
