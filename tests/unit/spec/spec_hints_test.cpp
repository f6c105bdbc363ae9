// Mistakes of new users of spec.json: keys in the wrong file, labels used as numbers, keys of the other format.
#include "support/implementations.h"
#include "support/spec_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptune::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// In format 2, with a labelled param HINT.
SpecText labelled() {
  return SpecText().set("format", "2").set("params", R"({"WARPS": {"values": [1, 2, 4, 8], "default": 4},
      "VEC": {"values": [1, 2, 4], "default": 2}, "HINT": {"values": ["none", "stream"], "default": "none"}})");
}

std::string error_with_key(const std::string& key) {
  SourceFiles files = test::two_implementation_files();
  files.files.front().second.replace(0, 1, "{" + key + ", ");
  const auto spec = parse_spec(files, "op/spec.json");
  return spec ? "read" : spec.error().message;
}

std::string constraint_error(const std::string& formula) {
  return labelled().set("constraints", R"([{"expr": ")" + formula + R"(", "why": "x"}])").error();
}

TEST(SpecHints, KeysOfAnImplementationStandInItsFile) {
  for (const char* key :
       {"params", "constraints", "compile", "source", "build", "symbols", "formerly", "implementation"})
    EXPECT_THAT(error_with_key("\"" + std::string(key) + "\": {}"),
                AllOf(HasSubstr("at /" + std::string(key) + ": \"" + key + "\" belongs to an implementation"),
                      HasSubstr("move this key to implementation.json")));
  EXPECT_EQ(error_with_key("\"include\": []"), "read");
}

TEST(SpecHints, ABuiltImplementationIsTheDefaultOnlyWhereAllNeedMore) {
  const auto default_with = [](const std::string& in_fast, const std::string& in_plain) {
    SourceFiles files = test::two_implementation_files();
    auto& spec_text = files.files[0].second;
    const std::string named = R"("default_implementation": "plain",)";
    spec_text.replace(spec_text.find(named), named.size(), "");
    for (auto& [name, text] : files.files) {
      if (name == "fast/implementation.json") text.replace(0, 1, "{" + in_fast);
      if (name == "plain/implementation.json") text.replace(0, 1, "{" + in_plain);
    }
    const auto spec = parse_spec(files, "op/spec.json");
    return spec ? spec->implementations.front().name : spec.error().message;
  };
  const std::string built = R"("build": {"command": ["x"], "inputs": ["kernel.cu"]}, )";
  EXPECT_EQ(default_with("", ""), "fast");
  EXPECT_EQ(default_with(built, ""), "plain");
  EXPECT_EQ(default_with(built, built), "fast");
}

TEST(SpecHints, ALabelIsNoMacroAndNoTemplateArgument) {
  const auto defines = [](const std::string& value) {
    return labelled().set("compile", R"({"defines": {"MODE": )" + value + "}}");
  };
  EXPECT_THAT(defines(R"("HINT")").error(),
              HasSubstr("at /compile/defines/MODE: 'HINT' has labels, which are not numbers; write a formula such as "
                        "\"HINT == 'none'\""));
  EXPECT_THAT(defines(R"("layout")").error(), HasSubstr(R"({"text": {"layout": {"nt": "...", ...}}})"));
  EXPECT_TRUE(defines(R"("HINT == 'stream'")").try_parse());
  EXPECT_TRUE(defines(R"("log")").try_parse()) << "a flag of integers";
  EXPECT_TRUE(defines(R"("WARPS")").try_parse());
  EXPECT_THAT(labelled()
                  .set("launches", R"([{"kernel": "k", "template": ["HINT"], "grid": [1], "block": [1],
                                        "args": ["x", "y"]}])")
                  .error(),
              HasSubstr("at /launches/0/template/0: 'HINT' has labels"));
}

TEST(SpecHints, ALabelNeverEqualsANumber) {
  EXPECT_THAT(constraint_error("VEC > 1 || HINT == 1"),
              HasSubstr("'HINT' has labels and never equals 1; compare it with a label, such as \"HINT == 'none'\""));
  EXPECT_THAT(constraint_error("0 != layout"), HasSubstr("'layout' has labels and never equals 0"));
  EXPECT_TRUE(labelled()
                  .set("constraints", R"([{"expr": "HINT == 'stream' && VEC == 1 || log == 1", "why": "x"}])")
                  .try_parse());
}

// As a condition a label would always be true, and in a sum it would be an arbitrary large number.
TEST(SpecHints, ALabelIsOnlyCompared) {
  for (const char* formula : {"layout", "HINT && VEC == 1", "VEC == 1 or (HINT)", "!layout", "HINT ? 1 : 0",
                              "VEC > 1 ? HINT : 1", "max(HINT, 1)", "VEC + HINT == 'stream'", "HINT < 'stream'"})
    EXPECT_THAT(constraint_error(formula), HasSubstr("has labels, not booleans or numbers")) << formula;
  EXPECT_THAT(constraint_error("layout"),
              HasSubstr("at /constraints/0/expr: 'layout' has labels, not booleans or numbers; "
                        "compare it with a label, such as \"layout == 'nt'\""));
  EXPECT_THAT(constraint_error("HINT == 'none' || 'stream'"),
              HasSubstr("the string 'stream' is not a value by itself"));
  EXPECT_THAT(labelled().set("derived", R"({"threads": "32", "is": "layout"})").error(), HasSubstr("at /derived/is"));
  EXPECT_THAT(labelled().set("tolerance", R"({"default": {"rtol": "layout ? 0.1 : 0.2"}})").error(),
              HasSubstr("'layout' has labels"));
  for (const char* formula : {"HINT == 'none'", "'none' != HINT", "(HINT) == ('none')", "!(HINT == 'none')",
                              "VEC == 1 && HINT == 'none' || layout != 'nt'", "min(HINT == 'none', 1) == 1",
                              "HINT == 'none' ? VEC > 1 : layout == 'nt'", "log", "!log"})
    EXPECT_TRUE(
        labelled().set("constraints", R"([{"expr": ")" + std::string(formula) + R"(", "why": "x"}])").try_parse())
        << formula;
}

// Such params would keep their defaults wherever one of them does, so configurations would be lost silently.
TEST(SpecHints, ConditionsOfParamsFormNoCircle) {
  const auto error = [](const std::string& a, const std::string& b, const std::string& derived = "VEC > 1") {
    const auto spec = labelled()
                          .set("derived", R"({"threads": "32", "wide": ")" + derived + "\"}")
                          .set("params", R"({"WARPS": {"values": [1, 2], "default": 1, "when": ")" + a +
                                             R"("}, "VEC": {"values": [1, 2], "default": 1, "when": ")" + b +
                                             R"("}, "DEEP": {"values": [1, 2], "default": 1, "when": "WARPS > 1"}})")
                          .try_parse();
    return spec ? std::string("read") : spec.error().message;
  };
  EXPECT_THAT(error("VEC > 1", "WARPS > 1"),
              HasSubstr("at /params/WARPS/when: conditions of params depend on each other in a cycle: WARPS -> VEC -> "
                        "WARPS;"));
  EXPECT_THAT(error("wide", "WARPS > 1"), HasSubstr("WARPS -> VEC -> WARPS"));
  EXPECT_THAT(error("1", "VEC > 1"), HasSubstr("at /params/VEC/when: conditions of params depend on each other in a "
                                               "cycle: VEC -> VEC;"));
  EXPECT_EQ(error("rows > 1", "WARPS > 1"), "read");
  EXPECT_EQ(error("wide", "rows > 1"), "read");
}

TEST(SpecHints, UnknownNamesSayWhatTheyCouldBe) {
  EXPECT_THAT(constraint_error("HINT == none"),
              HasSubstr("unknown name 'none'; did you forget the quotes of the label 'none'? (column 9"));
  EXPECT_THAT(constraint_error("sqrt(VEC) > 1"),
              HasSubstr("real formulas are for floating-point scalars and tolerances"));
  SourceFiles files = test::two_implementation_files();
  auto& text = files.files.front().second;
  const std::string count = R"("y": {"buffer": "fp32", )";
  text.replace(text.find(count), count.size(), R"("y": {"buffer": "fp32", "when": "VEC > 1", )");
  const auto spec = parse_spec(files, "op/spec.json");
  ASSERT_FALSE(spec);
  EXPECT_THAT(spec.error().message, HasSubstr("'VEC' in 'VEC > 1': it is a param, and a formula of the operator may "
                                              "not depend on a param"));
}

TEST(SpecHints, TypesOfCppAreDtypesHere) {
  const auto error = [](const std::string& section, const std::string& json) {
    return SpecText().set(section, json).error();
  };
  const auto arguments = [&](const std::string& y, const std::string& n) {
    return error("arguments", R"({"x": {"buffer": "dtype", "count": "rows", "role": "input"},
        "y": {"buffer": ")" + y + R"(", "count": "rows", "role": "output"}, "n": {"scalar": ")" +
                                  n + R"(", "value": "rows"}})");
  };
  EXPECT_THAT(arguments("float", "int32"),
              HasSubstr("at /arguments/y/buffer: unknown dtype 'float'; did you mean 'fp32'?"));
  EXPECT_THAT(arguments("__half", "int32"), HasSubstr("did you mean 'fp16'?"));
  EXPECT_THAT(arguments("__nv_bfloat16", "int32"), HasSubstr("did you mean 'bf16'?"));
  EXPECT_THAT(arguments("unsigned char", "int32"), HasSubstr("did you mean 'uint8'?"));
  EXPECT_THAT(arguments("fp32", "int"),
              HasSubstr("at /arguments/n/scalar: unknown dtype 'int'; did you mean 'int32'?"));
  EXPECT_THAT(error("problem", R"({"dims": {"rows": {}}, "dtypes": ["double"]})"), HasSubstr("did you mean 'fp64'?"));
  EXPECT_THAT(error("tolerance", R"({"default": {"rtol": 0}, "half": {"rtol": 0}})"),
              HasSubstr("did you mean 'fp16'?"));
  EXPECT_THAT(error("types", R"({"acc": "dtype == float ? fp64 : fp32"})"),
              HasSubstr("unknown name 'float'; did you mean the dtype 'fp32'? (column 10"));
}

TEST(SpecHints, ATypeIsPassedAsAnObject) {
  const std::string hint =
      "'float' is a type; to pass a type, write {\"type\": \"fp32\"}, or {\"type\": \"dtype\"} for the "
      "dtype of the problem";
  EXPECT_THAT(SpecText()
                  .set("launches", R"([{"kernel": "k", "template": ["float"], "grid": [1], "block": [1],
                                        "args": ["x", "y"]}])")
                  .error(),
              HasSubstr("at /launches/0/template/0: " + hint));
  EXPECT_THAT(SpecText().set("compile", R"({"defines": {"T": "float"}})").error(),
              HasSubstr("at /compile/defines/T: " + hint));
  EXPECT_TRUE(SpecText()
                  .set("derived", R"({"threads": "WARPS * warp_size", "half": "cols / 2"})")
                  .set("compile", R"({"defines": {"HALF": "half"}})")
                  .try_parse());
}

TEST(SpecHints, KeysOfFormat2SaySoInFormat1) {
  const auto error = [](const std::string& section, const std::string& json) {
    return SpecText().set(section, json).error();
  };
  EXPECT_THAT(error("prepare", "{}"), HasSubstr("at /: unknown key 'prepare' in format 1; it needs \"format\": 2"));
  EXPECT_THAT(
      error("params", R"({"HINT": {"values": ["none"], "default": "none"}})"),
      HasSubstr("at /params/HINT/values/0: expected an integer, got the string 'none'; a param with labels needs "
                "\"format\": 2"));
  EXPECT_THAT(error("params", R"({"VEC": {"values": [1], "default": 1, "when": "1"}})"),
              HasSubstr("needs \"format\": 2"));
  EXPECT_THAT(error("tolerance", R"({"default": {"rtol": "1 / rows"}})"), HasSubstr("a formula of a tolerance needs"));
  EXPECT_THAT(error("tolerance", R"({"default": {}, "outputs": {}})"),
              HasSubstr("unknown dtype 'outputs' in format 1; it needs"));
  EXPECT_THAT(error("suites", R"({"default": [{"rows": 1, "cols": 1, "layout": "nt"}]})"),
              HasSubstr("at /suites/default/0: unknown dim 'layout' in format 1; it needs"));
  EXPECT_THAT(error("compile", R"({"defines": {"A": {"text": {"layout": {"nt": "a", "nn": "b"}}}}})"),
              HasSubstr("expected a string; one string for each value of a flag needs"));
}

} // namespace
} // namespace warptune::testing
