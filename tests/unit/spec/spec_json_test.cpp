#include "spec/spec_json.h"
#include "support/spec_text.h"

#include <gmock/gmock.h>

namespace warptune {
namespace {

using ::testing::HasSubstr;
using testing::problem_of;
using testing::SpecText;
using ::testing::StartsWith;

std::string error_after(const std::string& section, const std::string& json) {
  return SpecText().set(section, json).error();
}

std::string json_error(const std::string& text) {
  const auto spec = parse_spec(text, "demo/spec.json");
  EXPECT_FALSE(spec.has_value());
  return spec ? std::string() : spec.error().message;
}

TEST(SpecJson, ReadsEverySection) {
  const KernelSpec spec = SpecText().parse();
  EXPECT_EQ(spec.name, "demo");
  EXPECT_EQ(spec.implementations[0].source, "kernel.cu");
  EXPECT_EQ(spec.implementations[0].cpp_standard, "c++17");
  ASSERT_EQ(spec.dims.size(), 2u);
  EXPECT_EQ(spec.dims[0].max, std::int64_t{1} << 40);
  EXPECT_EQ(spec.dims[1].max, 1048576);
  EXPECT_EQ(spec.dtypes, (std::vector<DType>{DType::bf16, DType::fp32}));
  ASSERT_EQ(spec.flags.size(), 2u);
  EXPECT_EQ(spec.flags[0].values, (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(spec.flags[1].labels, (std::vector<std::string>{"nt", "nn"}));
  EXPECT_NE(spec.flags[1].values[0], spec.flags[1].values[1]);
  ASSERT_EQ(spec.params.size(), 2u);
  EXPECT_EQ(spec.params[0].default_value, 4);
  EXPECT_EQ(spec.types.size(), 1u);
  EXPECT_EQ(spec.implementations[0].derived.size(), 1u);
  EXPECT_EQ(spec.implementations[0].constraints[0].why, "whole vectors");
  EXPECT_EQ(spec.implementations[0].defines.size(), 2u);
  EXPECT_EQ(spec.arguments.size(), 5u);
  EXPECT_EQ(spec.find_argument("tmp"), 2);
  EXPECT_EQ(spec.find_argument("none"), -1);
  EXPECT_TRUE(std::get<BufferArg>(spec.arguments[2].value).zero);
  EXPECT_TRUE(std::get<ScalarArg>(spec.arguments[4].value).is_parameter);
  EXPECT_DOUBLE_EQ(std::get<ScalarArg>(spec.arguments[4].value).number, 1.5);
  EXPECT_EQ(spec.implementations[0].launches[0].args, (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_EQ(spec.cost.flops[0].first, "fp32");
  EXPECT_DOUBLE_EQ(tolerance_of(spec, problem_of(spec, "rows=1,cols=1", "bf16"), "y")->rms, 1e-3);
  EXPECT_DOUBLE_EQ(tolerance_of(spec, problem_of(spec, "rows=1,cols=1", "fp32"), "y")->rtol, 1e-5);
  EXPECT_EQ(spec.suites.at("default"), (std::vector<SuiteEntry>{{{64, 1024}}}));
  EXPECT_EQ(spec.first_param_slot, spec.implementations[0].scope.find_slot("WARPS"));
  EXPECT_EQ(spec.scope.find_slot("sm_count"), 0);
}

TEST(SpecJson, OptionalSections) {
  SpecText text;
  for (const char* key : {"types", "derived", "constraints", "compile", "suites"}) text.drop(key);
  text.set("params", "{}").set("arguments", R"({"y": {"buffer": "dtype", "count": "rows", "role": "output"}})");
  text.set("launches", R"([{"kernel": "ns::k", "grid": ["rows"], "block": [64], "args": ["y"]}])");
  text.set("reference", R"({"launches": [{"kernel": "r", "grid": [1], "block": [1], "args": ["y"]}]})");
  const KernelSpec spec = text.parse();
  EXPECT_TRUE(spec.params.empty());
  EXPECT_FALSE(spec.implementations[0].launches[0].has_template);
}

TEST(SpecJson, CommentsAreSkipped) {
  EXPECT_TRUE(parse_spec("// a comment\n" + SpecText().text() + " /* end */", "x").has_value());
}

TEST(SpecJson, NotJson) {
  EXPECT_THAT(json_error(""), StartsWith("demo/spec.json: invalid JSON at line 1"));
  EXPECT_EQ(
      json_error("{\"a\": 1,\n \"b\": [2, 1e400]}"),
      "demo/spec.json: invalid JSON at line 2, column 11: the number 1e400 is too large; give a number below 1e308");
  EXPECT_THAT(json_error("{\"a\": }"), HasSubstr("line 1, column 7"));
  EXPECT_THAT(json_error("{\"a\": 1"), HasSubstr("fix the syntax"));
  EXPECT_THAT(json_error("{\"a\": 1, \"a\": 2}"), HasSubstr("the key 'a' appears twice"));
  EXPECT_THAT(json_error("{\"a\": \"\xff\"}"), HasSubstr("invalid UTF-8 at byte 8"));
  EXPECT_THAT(json_error("{\"a\": \"\xed\xa0\x80\"}"), HasSubstr("invalid UTF-8"));
  EXPECT_THAT(json_error("{\"a\": 1e999}"), HasSubstr("demo/spec.json: "));
  EXPECT_THAT(json_error("[]"), HasSubstr("demo/spec.json: at /: expected an object, got an empty list"));
  EXPECT_THAT(json_error("null"), HasSubstr("expected an object, got null"));
}

TEST(SpecJson, HostileSizes) {
  EXPECT_THAT(json_error(std::string((1 << 20) + 1, ' ')), HasSubstr("more than the 1 MiB allowed"));
  EXPECT_THAT(json_error(std::string(100000, '[')),
              HasSubstr("nested more than 64 levels deep; valid files have fewer levels"));
  std::string params = "{";
  for (int i = 0; i < 300; ++i)
    params += (i ? "," : "") + ("\"P" + std::to_string(i)) + R"(": {"values": [1], "default": 1})";
  EXPECT_THAT(error_after("params", params + "}"), HasSubstr("300 entries, more than the 256 allowed"));
}

TEST(SpecJson, Header) {
  EXPECT_THAT(error_after("extra", "1"), HasSubstr("at /: unknown key 'extra'"));
  EXPECT_THAT(error_after("parms", "1"), HasSubstr("unknown key 'parms'; did you mean 'params'?"));
  EXPECT_THAT(SpecText().drop("format").error(), HasSubstr("at /: the key 'format' is missing"));
  EXPECT_THAT(SpecText().drop("cost").drop("summary").drop("tolerance").error(),
              HasSubstr("at /: the keys 'summary', 'cost' and 'tolerance' are missing; add them"));
  EXPECT_THAT(error_after("format", "3"), HasSubstr("at /format: this program reads the formats 1 and 2"));
  EXPECT_THAT(error_after("format", "\"1\""), HasSubstr("at /format: expected an integer, got the string '1'"));
  EXPECT_THAT(error_after("name", "\"Bad\""), HasSubstr("at /name: expected a name of small letters"));
  EXPECT_THAT(error_after("name", "\"\""), HasSubstr("at /name"));
  EXPECT_THAT(error_after("summary", "5"), HasSubstr("at /summary: expected a string, got the number 5"));
  EXPECT_THAT(error_after("source", "\"../x.cu\""), HasSubstr("at /source: expected the name of a file"));
  for (const char* key :
       {"name", "summary", "problem", "params", "arguments", "launches", "reference", "cost", "tolerance"})
    EXPECT_THAT(SpecText().drop(key).error(), HasSubstr("the key '" + std::string(key) + "' is missing"));
}

TEST(SpecJson, Problem) {
  const auto problem = [](const std::string& dims, const std::string& dtypes, const std::string& flags) {
    return error_after("problem", R"({"dims": )" + dims + R"(, "dtypes": )" + dtypes + R"(, "flags": )" + flags + "}");
  };
  const std::string n = R"({"n": {}})", t = R"(["fp32"])";
  EXPECT_THAT(problem("{}", t, "{}"), HasSubstr("at /problem/dims: no dims"));
  EXPECT_THAT(problem(R"({"n": {"min": 0}})", t, "{}"),
              HasSubstr("at /problem/dims/n/min: expected an integer of at least 1"));
  EXPECT_THAT(problem(R"({"n": {"min": 5, "max": 4}})", t, "{}"), HasSubstr("max 4 is below min 5"));
  EXPECT_THAT(problem(R"({"n": {"mni": 5}})", t, "{}"), HasSubstr("unknown key 'mni'; did you mean 'min'?"));
  EXPECT_THAT(problem(R"({"2n": {}})", t, "{}"), HasSubstr("'2n' is not a valid name"));
  EXPECT_THAT(problem(n, "[]", "{}"), HasSubstr("no dtypes"));
  EXPECT_THAT(problem(n, R"(["fp33"])", "{}"), HasSubstr("unknown dtype 'fp33'; did you mean 'fp32'?"));
  EXPECT_THAT(problem(n, R"(["fp32", "fp32"])", "{}"), HasSubstr("listed twice"));
  EXPECT_THAT(problem(n, "[1]", "{}"), HasSubstr("at /problem/dtypes/0: expected a string"));
  EXPECT_THAT(problem(n, t, R"({"f": {"values": []}})"), HasSubstr("at /problem/flags/f/values: no values"));
  EXPECT_THAT(problem(n, t, R"({"f": {"values": [1, 1]}})"), HasSubstr("appears twice"));
  EXPECT_THAT(problem(n, t, R"({"f": {"values": ["a", 1]}})"), HasSubstr("expected a string, like the first value"));
  EXPECT_THAT(problem(n, t, R"({"f": {"values": [1, "a"]}})"), HasSubstr("expected an integer"));
  EXPECT_THAT(problem(n, t, R"({"f": {"values": ["a=b"]}})"), HasSubstr("remove them"));
}

TEST(SpecJson, NameClashes) {
  const auto param = [](const std::string& name) {
    return error_after("params", "{\"" + name + R"(": {"values": [1], "default": 1}})");
  };
  EXPECT_THAT(param("rows"), HasSubstr("at /params/rows: 'rows' is already the name of a dim"));
  EXPECT_THAT(param("sm_count"), HasSubstr("already the name of a device limit"));
  EXPECT_THAT(param("bf16"), HasSubstr("already the name of a dtype"));
  EXPECT_THAT(param("dtype"), HasSubstr("already the name of the dtype of the problem"));
  EXPECT_THAT(param("log"), HasSubstr("already the name of a flag"));
  EXPECT_THAT(param("i"), HasSubstr("element index"));
  EXPECT_THAT(param("min"), HasSubstr("a word of the expression language"));
  EXPECT_THAT(param("and"), HasSubstr("a word of the expression language"));
  EXPECT_THAT(param("a b"), HasSubstr("is not a valid name"));
  EXPECT_THAT(error_after("derived", R"({"WARPS": "1"})"), HasSubstr("already the name of a param"));
  EXPECT_THAT(error_after("types", R"({"VEC": "fp32"})"), HasSubstr("already the name of a type"));
}

TEST(SpecJson, Params) {
  const auto param = [](const std::string& body) { return error_after("params", R"({"P": )" + body + "}"); };
  EXPECT_THAT(param(R"({"values": [], "default": 1})"), HasSubstr("at /params/P/values: no values"));
  EXPECT_THAT(param(R"({"values": [1, 2, 1], "default": 1})"),
              HasSubstr("at /params/P/values/2: the value 1 appears twice"));
  EXPECT_THAT(param(R"({"values": [1, 2], "default": 3})"),
              HasSubstr("at /params/P/default: the default 3 is not one of the values; choose 1 or 2"));
  EXPECT_THAT(param(R"({"values": [1]})"), HasSubstr("the key 'default' is missing"));
  EXPECT_THAT(param(R"({"values": [1.5], "default": 1})"),
              HasSubstr("at /params/P/values/0: expected an integer, got the number 1.5"));
  EXPECT_THAT(param(R"({"values": 4, "default": 4})"),
              HasSubstr("at /params/P/values: expected a list, got the number 4"));
  EXPECT_THAT(param(R"({"values": [99999999999999999999], "default": 4})"), HasSubstr("beyond 64 bits"));
  EXPECT_THAT(param("3"), HasSubstr("at /params/P: expected an object"));
}

TEST(SpecJson, DerivedNames) {
  const auto spec = SpecText()
                        .set("derived", R"json({"threads": "c + 1", "b": "WARPS", "c": "b * bytes(t)"})json")
                        .set("types", R"({"t": "b > 1 ? fp32 : acc", "acc": "fp32"})")
                        .parse();
  EXPECT_EQ(spec.implementations[0].derived[0].name, "threads");
  EXPECT_THAT(error_after("derived", R"({"a": "b + 1", "b": "c", "c": "2 * a"})"),
              HasSubstr("derived names depend on each other in a cycle: a -> b -> c -> a; break it"));
  EXPECT_THAT(error_after("derived", R"({"a": "a + 1"})"),
              HasSubstr("at /derived/a: derived names depend on each other in a cycle: a -> a"));
  EXPECT_THAT(error_after("derived", R"({"x0": "a", "a": "b", "b": "a"})"), HasSubstr("cycle: a -> b -> a"));
  EXPECT_THAT(error_after("derived", R"({"threads": "WARP * 32"})"),
              HasSubstr("at /derived/threads: unknown name 'WARP'; did you mean 'WARPS'?"));
  EXPECT_THAT(error_after("derived", R"({"threads": "WARPS / 0"})"), HasSubstr("division by zero"));
  EXPECT_THAT(error_after("derived", R"({"threads": "1 ? 1 / 0 : 2"})"), HasSubstr("division by zero"));
  EXPECT_THAT(error_after("derived", R"({"threads": 1.5})"), HasSubstr("expected a formula"));
  EXPECT_THAT(error_after("types", R"({"acc": "99"})"), HasSubstr("expected a formula that yields a dtype"));
  EXPECT_THAT(error_after("types", R"({"acc": 1})"), HasSubstr("expected a formula that yields a dtype"));
  std::string chain = R"({"threads": "d299")";
  for (int i = 299; i > 0; --i) chain += ",\"d" + std::to_string(i) + "\": \"d" + std::to_string(i - 1) + "\"";
  EXPECT_THAT(error_after("derived", chain + R"(, "d0": "WARPS"})"), HasSubstr("nested more than 200 deep"));
}

// The JSON parser takes a zero byte as the end of the text.
TEST(SpecJson, ZeroBytesAreRefused) {
  std::string text = SpecText().text();
  const std::size_t end = text.size();
  text += '\0';
  text += "whatever stands behind it";
  EXPECT_THAT(json_error(text), HasSubstr("a zero byte at byte " + std::to_string(end + 1)));
  EXPECT_THAT(error_after("source", R"("kernel.cu\u0000.txt")"),
              HasSubstr("expected the name of a file in the folder"));
  EXPECT_THAT(error_after("compile", R"({"options": ["-w\u0000"]})"), HasSubstr("zero character"));
}

TEST(SpecJson, ConstraintsAndCompile) {
  EXPECT_THAT(error_after("constraints", R"([{"expr": "1"}])"),
              HasSubstr("at /constraints/0: the key 'why' is missing"));
  EXPECT_THAT(error_after("constraints", R"([{"expr": "1 +", "why": "x"}])"),
              HasSubstr("at /constraints/0/expr: the formula ends"));
  EXPECT_THAT(error_after("constraints", R"([{"expr": "1", "why": ""}])"), HasSubstr("the reason"));
  EXPECT_THAT(error_after("constraints", "{}"), HasSubstr("at /constraints: expected a list"));
  EXPECT_THAT(error_after("compile", R"({"options": ["-arch=sm_80"]})"), HasSubstr("at /compile/options/0"));
  EXPECT_THAT(error_after("compile", R"({"options": ["fast"]})"), HasSubstr("begins with '-'"));
  // Options can read and write files, or give empty cubins; a list of forbidden options can never be complete.
  for (const char* bad : {"--create-pch=/tmp/x",
                          "--use-pch=x",
                          "--pch",
                          "--pch-dir=/tmp",
                          "--time=/tmp/x",
                          "-time=/tmp/x",
                          "--fdevice-time-trace=/tmp/x",
                          "--fdevice-syntax-only",
                          "-U__CUDACC__",
                          "--undefine-macro=X",
                          "-dlto",
                          "--dlink-time-opt",
                          "--gen-opt-lto",
                          "--optix-ir",
                          "-optix-ir",
                          "-rdc=true",
                          "--device-c",
                          "--ewp",
                          "--options-file=/etc/passwd",
                          "-optf=/etc/passwd",
                          "@/etc/passwd",
                          "--jobserver",
                          "--keep",
                          "-",
                          "--",
                          "--=",
                          "--ftz=/tmp/x",
                          "--ftz",
                          "--use_fast_math=x",
                          "--maxrregcount=",
                          "--maxrregcount=-1",
                          "--frandom-seed=/tmp/x",
                          "--ptxas-options=--output-file=x",
                          "--ptxas-options=-o,x",
                          "-Xptxas=-v,--output-file=x",
                          "--ptxas-options=",
                          "--diag-suppress=x",
                          "--fmad=false,--time=x"}) {
    const std::string error = error_after("compile", R"({"options": [")" + std::string(bad) + R"("]})");
    EXPECT_THAT(error, HasSubstr("at /compile/options/0")) << bad;
    if (bad[0] != '-') continue;
    EXPECT_THAT(error, HasSubstr("allowed are --use_fast_math")) << bad;
    EXPECT_THAT(error, HasSubstr("--maxrregcount=")) << bad;
  }
  for (const char* good :
       {"--use_fast_math", "-use_fast_math", "--ftz=true", "-fmad=false", "--maxrregcount=64", "-maxrregcount=64",
        "-lineinfo", "-G", "-w", "--diag-suppress=177,550", "--ptxas-options=-O1", "-Xptxas=-v,-dlcm=cg", "-restrict",
        "--extra-device-vectorization", "--ptxas-options=--warn-on-spills", "-default-device", "--dopt=on"})
    EXPECT_EQ(SpecText()
                  .set("compile", R"({"options": [")" + std::string(good) + R"("]})")
                  .parse()
                  .implementations[0]
                  .compile_options,
              std::vector<std::string>{good});
  EXPECT_THAT(error_after("compile", R"({"std": "c++03"})"), HasSubstr("expected one of c++14, c++17 or c++20"));
  EXPECT_THAT(error_after("compile", R"({"defines": {"A B": "1"}})"), HasSubstr("not a valid name of a macro"));
  EXPECT_THAT(error_after("compile", R"({"defines": {"A": {"type": "dtype", "text": "x"}}})"), HasSubstr("either"));
  EXPECT_THAT(error_after("compile", R"({"defines": {"A": {}}})"), HasSubstr("either"));
}

std::string argument_error(const std::string& body) {
  return error_after("arguments", R"({"y": {"buffer": "dtype", "count": 1, "role": "output"}, "a": )" + body + "}");
}

TEST(SpecJson, Arguments) {
  EXPECT_THAT(error_after("arguments", "{}"), HasSubstr("no arguments"));
  EXPECT_THAT(error_after("arguments", R"({"x": {"buffer": "dtype", "count": 1, "role": "input"}})"),
              HasSubstr("nothing could be verified"));
  EXPECT_THAT(argument_error(R"({"bufer": "dtype"})"),
              HasSubstr("expected an object with the key 'buffer', 'scalar' or"));
  EXPECT_THAT(
      argument_error(R"({"buffer": "dtype", "count": 1, "role": "in"})"),
      HasSubstr("at /arguments/a/role: expected one of input, output, inout or workspace, got the string 'in'"));
  EXPECT_THAT(argument_error(R"({"buffer": "dtype", "count": "WARPS", "role": "input"})"),
              HasSubstr("may not depend on a param"));
  EXPECT_THAT(argument_error(R"({"buffer": "dtype", "count": 1, "role": "output", "fill": {"constant": 1}})"),
              HasSubstr("only buffers with the role input or inout have a fill"));
  EXPECT_THAT(argument_error(R"({"buffer": "dtype", "count": 1, "role": "input", "zero": true})"),
              HasSubstr("only a workspace"));
  const auto fill = [](const std::string& json) {
    return argument_error(R"({"buffer": "dtype", "count": 1, "role": "input", "fill": )" + json + "}");
  };
  EXPECT_THAT(fill("{}"), HasSubstr("exactly one of"));
  EXPECT_THAT(fill(R"({"uniform": [1]})"), HasSubstr("expected [low, high]"));
  EXPECT_THAT(fill(R"({"uniform": [2, 1]})"), HasSubstr("low is above high"));
  EXPECT_THAT(fill(R"({"normal": [0, -1]})"), HasSubstr("standard deviation"));
  EXPECT_THAT(fill(R"({"integers": [0.5, 1]})"), HasSubstr("expected an integer"));
  EXPECT_THAT(fill(R"({"formula": "j"})"), HasSubstr("unknown name 'j'"));
  EXPECT_THAT(fill(R"({"formula": "i + VEC"})"), HasSubstr("may not depend on a param"));
  EXPECT_THAT(argument_error(R"({"scalar": "int33", "value": 1})"), HasSubstr("expected the name of a dtype"));
  EXPECT_THAT(argument_error(R"({"scalar": "fp32", "value": "rows"})"), HasSubstr("expected a number"));
  EXPECT_THAT(argument_error(R"({"scalar": "int32", "value": 1, "role": "input"})"),
              HasSubstr("expected one of parameter"));
}

TEST(SpecJson, FillFormulaSeesTheElementIndexInItsLastSlot) {
  const KernelSpec spec =
      SpecText()
          .set("arguments", R"({"x": {"buffer": "dtype", "count": 1, "role": "input", "fill": {"formula": "i % rows"}},
        "y": {"buffer": "dtype", "count": 1, "role": "output"}, "tmp": {"buffer": "acc", "count": 1, "role": "workspace"},
        "cols": {"scalar": "int32", "value": "cols"}, "alpha": {"scalar": "fp32", "value": 1}})")
          .parse();
  const Fill& fill = std::get<BufferArg>(spec.arguments[0].value).fill;
  EXPECT_EQ(fill.formula.slots().back(), spec.scope.slot_count());
}

TEST(SpecJson, TensorMaps) {
  const auto map = [](const std::string& rest) { return argument_error(R"({"tensor_map": "y", )" + rest + "}"); };
  const std::string good = R"("dims": ["cols", "rows"], "strides": ["cols * 2"], "box": [64, "VEC"])";
  EXPECT_THAT(argument_error(R"({"tensor_map": "z", )" + good + "}"),
              HasSubstr("at /arguments/a/tensor_map: 'z' is not a buffer among the arguments; known: y"));
  EXPECT_THAT(argument_error(R"({"tensor_map": "a", )" + good + "}"), HasSubstr("'a' is not a buffer"));
  EXPECT_THAT(map(good + R"(, "swizle": "32B")"), HasSubstr("unknown key 'swizle'; did you mean 'swizzle'?"));
  EXPECT_THAT(map(good + R"(, "swizzle": "48B")"), HasSubstr("expected one of none, 32B, 64B or 128B"));
  EXPECT_THAT(map(R"("dims": ["cols", "rows"], "strides": [], "box": [1, 1])"),
              HasSubstr("expected 1 formulas, got 0"));
  EXPECT_THAT(map(R"("dims": [1, 1, 1, 1, 1, 1], "strides": [], "box": [1])"),
              HasSubstr("expected 1 to 5 formulas, got 6"));
  EXPECT_THAT(map(good + R"(, "lower": [0])"), HasSubstr("only a map of mode im2col"));
  EXPECT_THAT(map(good + R"(, "mode": "im2col")"), HasSubstr("expected 3 to 5 formulas"));
  EXPECT_THAT(map(R"("mode": "im2col", "dims": [1, 1, 1, 1], "strides": [16, 16, 16], "lower": [0], "upper": [0, 0],
                     "channels_per_pixel": 8, "pixels_per_column": 8)"),
              HasSubstr("at /arguments/a/lower: expected 2 formulas, got 1"));
}

TEST(SpecJson, Launches) {
  const auto launch = [](const std::string& rest) {
    return error_after("launches", R"([{"kernel": "k", )" + rest + "}]");
  };
  EXPECT_THAT(error_after("launches", "[]"), HasSubstr("at /launches: no launches"));
  EXPECT_THAT(launch(R"("grid": [], "block": [1], "args": [])"),
              HasSubstr("at /launches/0/grid: expected 1 to 3 formulas, got 0"));
  EXPECT_THAT(launch(R"("grid": [1, 1, 1, 1], "block": [1], "args": [])"), HasSubstr("got 4"));
  EXPECT_THAT(launch(R"("grid": [1], "block": [1], "args": ["x", "z"])"),
              HasSubstr("at /launches/0/args/1: unknown argument 'z'; known: x, y, tmp, cols, alpha"));
  EXPECT_THAT(launch(R"("grid": [1], "block": [1])"), HasSubstr("the key 'args' is missing"));
  EXPECT_THAT(launch(R"("grid": [1], "block": [1], "args": [], "cooperative": 1)"),
              HasSubstr("expected true or false"));
  EXPECT_THAT(launch(R"("grid": [1], "block": [1], "args": [], "cooperative": true, "early": true)"),
              HasSubstr("at /launches/0/early: a cooperative launch cannot start early"));
  EXPECT_THAT(error_after("launches", R"([{"kernel": "a b", "grid": [1], "block": [1], "args": []}])"),
              HasSubstr("__global__"));
}

TEST(SpecJson, Reference) {
  const auto reference = [](const std::string& launch, const std::string& rest = "") {
    return error_after("reference", R"({"launches": [{"kernel": "r", "block": [1], )" + launch + "}]" + rest + "}");
  };
  EXPECT_THAT(reference(R"("grid": [1], "args": ["x"])"), HasSubstr("no launch takes the output 'y'"));
  EXPECT_THAT(reference(R"("grid": [1], "args": ["y"], "early": true)"), HasSubstr("by warptune only"));
  EXPECT_THAT(reference(R"("grid": ["WARPS"], "args": ["y"])"), HasSubstr("the reference may not depend on a param"));
  EXPECT_THAT(reference(R"("grid": ["threads"], "args": ["y"])"), HasSubstr("this formula uses 'WARPS'"));
  EXPECT_THAT(reference(R"("grid": [1], "args": ["y", "tmp"])"), HasSubstr("'tmp' is a workspace of the kernel"));
  EXPECT_THAT(reference(R"("grid": [1], "args": ["y", "zz"])"), HasSubstr("unknown argument 'zz'"));
  EXPECT_THAT(reference(R"("grid": [1], "args": ["y"])", R"(, "types": {"x": "fp64"})"),
              HasSubstr("'x' is not an output"));
  EXPECT_THAT(reference(R"("grid": [1], "args": ["y"])", R"(, "arguments": {"x": {"scalar": "int32", "value": 1}})"),
              HasSubstr("already one of the arguments"));
  EXPECT_THAT(reference(R"("grid": [1], "args": ["y"])",
                        R"(, "arguments": {"z": {"buffer": "fp32", "count": 1, "role": "output"}})"),
              HasSubstr("at /reference/arguments/z/role"));
}

TEST(SpecJson, CostToleranceSuites) {
  EXPECT_THAT(error_after("cost", R"({"bytes_read": 1})"), HasSubstr("the key 'bytes_written' is missing"));
  EXPECT_THAT(error_after("cost", R"({"bytes_read": "WARPS", "bytes_written": 1})"),
              HasSubstr("may not depend on a param"));
  EXPECT_THAT(error_after("cost", R"({"bytes_read": 1, "bytes_written": 1, "flops": {"fp33": 1}})"),
              HasSubstr("did you mean 'fp32'?"));
  EXPECT_THAT(error_after("tolerance", R"({"default": {"rtol": -1}})"), HasSubstr("at /tolerance/default/rtol"));
  EXPECT_THAT(error_after("tolerance", R"({"default": {"rtol": 1}})"),
              AllOf(HasSubstr("at /tolerance/default/rtol"), HasSubstr("must be below 1")));
  EXPECT_THAT(error_after("tolerance", R"({"bf17": {}})"), HasSubstr("unknown dtype 'bf17'; did you mean 'bf16'?"));
  EXPECT_THAT(error_after("tolerance", R"({"bf16": {}})"), HasSubstr("no tolerance for fp32"));
  EXPECT_THAT(error_after("suites", R"({"a": []})"), HasSubstr("at /suites/a: no shapes"));
  EXPECT_THAT(error_after("suites", R"({"a": [{"rows": 1}]})"), HasSubstr("at /suites/a/0: the key 'cols' is missing"));
  EXPECT_THAT(error_after("suites", R"({"a": [{"rows": 1, "cols": 0}]})"),
              HasSubstr("expected a size from 1 to 1048576"));
  EXPECT_THAT(error_after("suites", R"({"a": [{"rows": 1, "cols": 1, "colz": 1}]})"), HasSubstr("unknown dim 'colz'"));
}

} // namespace
} // namespace warptune
