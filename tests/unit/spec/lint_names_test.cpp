// Names that do not match or have no effect: the findings and their places; sound kernels have none.
#include "jit/template_store.h"
#include "spec/lint_names.h"
#include "spec/spec_json.h"
#include "spec/spec_json_reader.h"
#include "support/paths.h"
#include "support/spec_text.h"

#include <gmock/gmock.h>

namespace warptune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SpecText;

constexpr const char* kDefines = R"({"defines": {"UNROLL_BY": "VEC"}})";

std::vector<std::string> sentences(const std::vector<Finding>& findings) {
  std::vector<std::string> all;
  for (const Finding& finding : findings) all.push_back(finding.sentence);
  return all;
}

std::vector<std::string> notes(const std::string& compile, const std::string& kernel, const std::string& header = "") {
  SpecText text;
  text.set("compile", compile);
  const auto spec = parse_spec(text.text(), "test");
  EXPECT_TRUE(spec) << spec.error().message;
  return sentences(lint_names(*spec, SourceFiles{{{"spec.json", text.text()},
                                                  {"kernel.cu", kernel},
                                                  {"part.cuh", header},
                                                  {"reference.cu", "int wanted = MODE;"}}}));
}

TEST(LintNames, AMacroThatIsSpelledOtherwise) {
  EXPECT_THAT(notes(kDefines, "int x = UNROLL_BY;"), IsEmpty());
  EXPECT_THAT(
      notes(kDefines, "// UNROLL_BY\n#ifndef UNROL_BY\n#define UNROL_BY 1\n#endif\nint x = UNROL_BY;"),
      ElementsAre("the macro 'UNROLL_BY' of 'defines' is not read by kernel.cu or the files that it includes; did "
                  "you mean 'UNROL_BY'?",
                  HasSubstr("the param 'VEC' has 3 values but changes neither")));
  EXPECT_THAT(notes(kDefines, "#if UNROL_BY > 1\n#endif\nint x = UNROLL_BY;"),
              ElementsAre("kernel.cu:1 tests the macro 'UNROL_BY', which nothing defines; did you mean 'UNROLL_BY'?"));
  EXPECT_THAT(notes(kDefines, "#include \"part.cuh\"\n", "\n#elif defined(UNROLL_BY)\n"), IsEmpty()) << "in a header";
  EXPECT_THAT(notes(R"({"defines": {"MODE": "VEC"}})", "int x;"), IsEmpty()) << "the reference reads it";
}

TEST(LintNames, WhatIsNotMeantToBeDefined) {
  EXPECT_THAT(
      notes(kDefines,
            "int x = UNROLL_BY;\n#if __CUDA_ARCH__ >= 900 && CUDART_VERSION > 12000u && !defined(NDEBUG)\n#endif\n"),
      IsEmpty());
  EXPECT_THAT(notes(kDefines, "int x = UNROLL_BY;\n#if defined(__has_include) && __has_include(<a.h>)\n#endif\n"),
              IsEmpty());
  EXPECT_THAT(notes(kDefines, "int x = UNROLL_BY;\n#ifndef PART_H\n#define PART_H\n#endif\n"), IsEmpty())
      << "an include guard";
  EXPECT_THAT(notes(kDefines, "int x = UNROLL_BY;\n#ifdef DEBUG_PRINTS\n#endif\n"),
              ElementsAre(HasSubstr("'DEBUG_PRINTS', which nothing defines")));
}

TEST(LintNames, ManyAreCountedAndQueriesWithoutEndAreReadOnce) {
  std::string kernel = "int x = UNROLL_BY;\n#if ";
  for (int i = 0; i < 100'000; ++i) kernel += "__has_ ";
  kernel += "\n#endif\n";
  EXPECT_THAT(notes(kDefines, kernel), IsEmpty());
  for (int i = 0; i < 150; ++i) kernel += "#ifdef A" + std::to_string(i) + "\n#endif\n";
  const auto many = notes(kDefines, kernel);
  EXPECT_EQ(many.size(), 101U);
  EXPECT_EQ(many.back(), "and 50 more findings about names");
}

TEST(LintNames, AParamThatNothingUses) {
  SpecText text;
  text.set("compile", kDefines)
      .set("params", R"({"WARPS": {"values": [4], "default": 4}, "VEC": {"values": [1, 2], "default": 1},
                         "IDLE": {"values": [1, 2, 3], "default": 1}})");
  const auto spec = parse_spec(text.text(), "test");
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_THAT(sentences(lint_names(*spec, SourceFiles{{{"kernel.cu", "int x = UNROLL_BY;"}}})),
              ElementsAre(HasSubstr("the param 'IDLE' has 3 values but changes neither a cubin nor a launch")));
}

// The kernel would silently keep the default of its source, although the param changes the grid.
TEST(LintNames, AParamThatDoesNotReachItsMacro) {
  SpecText text;
  text.set("params", R"({"WARPS": {"values": [4], "default": 4}, "VEC": {"values": [1, 2], "default": 1},
                         "DEEP": {"values": [1, 2], "default": 1}})");
  const auto found = [&](const std::string& defines, const std::string& kernel, const std::string& grid = "DEEP") {
    text.set("compile", R"({"defines": {"UNROLL_BY": "VEC")" + defines + "}}")
        .set("launches", R"([{"kernel": "k", "grid": [")" + grid + R"("], "block": [32], "args": ["x", "y"]}])");
    const auto spec = parse_spec(text.text(), "test");
    EXPECT_TRUE(spec) << spec.error().message;
    return sentences(lint_names(*spec, SourceFiles{{{"kernel.cu", "int x = UNROLL_BY;\n" + kernel}}}));
  };
  const std::string guarded = "#ifndef DEEP\n#define DEEP 1\n#endif\nint y = DEEP;\n";
  const auto unpassed = ElementsAre("the param 'DEEP' has the name of a macro of kernel.cu or the files that it "
                                    "includes, but no macro and no template argument passes its value; add \"DEEP\": "
                                    "\"DEEP\" to compile.defines, or rename the param");
  EXPECT_THAT(found("", guarded), unpassed);
  EXPECT_THAT(found("", "#if DEEP > 1\n#endif\n"), unpassed);
  EXPECT_THAT(found("", guarded, "1"), unpassed) << "the same finding if nothing else uses the param";
  EXPECT_THAT(found(R"(, "DEEP": "DEEP")", guarded), IsEmpty());
  EXPECT_THAT(found(R"(, "DEPTH": "2 * DEEP")", "#define DEEP (DEPTH / 2)\nint y = DEEP;\n"), IsEmpty());
  EXPECT_THAT(found("", "int y;\n"), IsEmpty()) << "no macro";
  text.set("derived", R"({"threads": "32", "both": "DEEP + 1"})");
  EXPECT_THAT(found(R"(, "BOTH": "both")", "#define DEEP (BOTH - 1)\nint y = DEEP;\n"), IsEmpty());
}

// If only a macro uses a param, and no source reads the macro, the param has no effect either.
TEST(LintNames, AMacroThatIsOnlyGivenADefaultIsNotRead) {
  SpecText text;
  text.set("params", R"({"WARPS": {"values": [4], "default": 4}, "VEC": {"values": [1, 2], "default": 1},
                         "DEEP": {"values": [1, 2], "default": 1}})")
      .set("compile", R"({"defines": {"UNROLL_BY": "VEC", "DEPTH": "DEEP"}})");
  const auto spec = parse_spec(text.text(), "test");
  ASSERT_TRUE(spec) << spec.error().message;
  const auto found = [&](const std::string& kernel) {
    return sentences(lint_names(*spec, SourceFiles{{{"kernel.cu", "int x = UNROLL_BY;\n" + kernel}}}));
  };
  EXPECT_THAT(found("#ifndef DEPTH\n\n#define DEPTH 1\n#endif\n"),
              ElementsAre(HasSubstr("the macro 'DEPTH' of 'defines' is not read"),
                          HasSubstr("the param 'DEEP' has 2 values but changes neither")));
  EXPECT_THAT(found("#ifndef DEPTH\n#define DEPTH 1\n#endif\nint y = DEPTH;"), IsEmpty());
  EXPECT_THAT(found("#ifndef DEPTH\n#error give it\n#endif\n"), IsEmpty()) << "this reads it";
  EXPECT_THAT(found("#ifdef DEPTH\nint y;\n#endif\n"), IsEmpty());
}

TEST(LintNames, ADimThatNothingUses) {
  SpecText text;
  text.set("problem", R"({"dims": {"rows": {}, "cols": {},
    "layers": {"meaning": "no effect"}, "limit": {"meaning": "only a constraint"}}, "dtypes": ["fp32"],
    "flags": {"log": {"values": [0, 1]}, "layout": {"values": ["nt", "nn"]}}})")
      .set("constraints", R"([{"expr": "VEC <= limit", "why": "small"}])")
      .set("compile", kDefines)
      .set("suites", "{}");
  const auto spec = parse_spec(text.text(), "test");
  ASSERT_TRUE(spec) << spec.error().message;
  const auto found = lint_names(*spec, SourceFiles{{{"spec.json", text.text()}, {"kernel.cu", "int x = UNROLL_BY;"}}});
  ASSERT_EQ(found.size(), 1U) << found.back().sentence;
  EXPECT_EQ(found[0].kind, "idle-dim");
  EXPECT_EQ(found[0].place.pointer, "/problem/dims/layers");
  EXPECT_EQ(found[0].place.line, json_line(text.text(), "/problem/dims/layers"));
  EXPECT_THAT(found[0].sentence, HasSubstr("the dim 'layers' has no effect"));
}

TEST(LintNames, LinesOfJson) {
  const std::string text = "{ // first\n \"a\": {\n  \"b\": [1,\n 22\n, {\"c/d\": 3}],\n  \"e\":\n 5}}";
  EXPECT_EQ(json_line(text, ""), 1);
  EXPECT_EQ(json_line(text, "/a"), 2);
  EXPECT_EQ(json_line(text, "/a/b"), 3);
  EXPECT_EQ(json_line(text, "/a/b/0"), 3);
  EXPECT_EQ(json_line(text, "/a/b/1"), 4) << "behind the number comes the end of its line";
  EXPECT_EQ(json_line(text, "/a/b/2/c~1d"), 5);
  EXPECT_EQ(json_line(text, "/a/b/2/none"), 5) << "the nearest that exists";
  EXPECT_EQ(json_line(text, "/a/e"), 6) << "of the key";
  EXPECT_EQ(json_line("{", "/a"), 0);
}

TEST(LintNames, ShippedKernelsHaveNone) {
  const TemplateStore store({test::share_dir() / "kernel_templates"});
  ASSERT_FALSE(store.names().empty());
  for (const std::string& name : store.names()) {
    const auto kernel = store.load(name);
    ASSERT_TRUE(kernel) << kernel.error().message;
    EXPECT_THAT(sentences(lint_names(kernel->spec, kernel->sources)), IsEmpty()) << name;
  }
}

} // namespace
} // namespace warptune
