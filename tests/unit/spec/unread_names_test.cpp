// Names that miss each other: what a misspelled macro or an unused param is told as, and that sound kernels are not.
#include "jit/template_store.h"
#include "spec/spec_json.h"
#include "spec/unread_names.h"
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

std::vector<std::string> notes(const std::string& compile, const std::string& kernel, const std::string& header = "") {
  SpecText text;
  text.set("compile", compile);
  const auto spec = parse_spec(text.text(), "test");
  EXPECT_TRUE(spec) << spec.error().message;
  return unread_names(*spec, SourceFiles{{{"spec.json", text.text()},
                                          {"kernel.cu", kernel},
                                          {"part.cuh", header},
                                          {"reference.cu", "int wanted = MODE;"}}});
}

TEST(UnreadNames, AMacroThatIsSpelledOtherwise) {
  EXPECT_THAT(notes(kDefines, "int x = UNROLL_BY;"), IsEmpty());
  EXPECT_THAT(
      notes(kDefines, "// UNROLL_BY\n#ifndef UNROL_BY\n#define UNROL_BY 1\n#endif\nint x = UNROL_BY;"),
      ElementsAre("the macro 'UNROLL_BY' of 'defines' is not read by kernel.cu nor by what it includes; did you "
                  "mean 'UNROL_BY'?"));
  EXPECT_THAT(notes(kDefines, "#if UNROL_BY > 1\n#endif\nint x = UNROLL_BY;"),
              ElementsAre("kernel.cu:1 tests the macro 'UNROL_BY', which nothing defines; did you mean 'UNROLL_BY'?"));
  EXPECT_THAT(notes(kDefines, "#include \"part.cuh\"\n", "\n#elif defined(UNROLL_BY)\n"), IsEmpty()) << "in a header";
  EXPECT_THAT(notes(R"({"defines": {"MODE": "VEC"}})", "int x;"), IsEmpty()) << "the reference reads it";
}

TEST(UnreadNames, WhatIsNotMeantToBeDefined) {
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

TEST(UnreadNames, ManyAreCountedAndQueriesWithoutEndAreReadOnce) {
  std::string kernel = "int x = UNROLL_BY;\n#if ";
  for (int i = 0; i < 100'000; ++i) kernel += "__has_ ";
  kernel += "\n#endif\n";
  EXPECT_THAT(notes(kDefines, kernel), IsEmpty());
  for (int i = 0; i < 150; ++i) kernel += "#ifdef A" + std::to_string(i) + "\n#endif\n";
  const auto many = notes(kDefines, kernel);
  EXPECT_EQ(many.size(), 101U);
  EXPECT_EQ(many.back(), "and 50 more notes about names");
}

TEST(UnreadNames, AParamThatNothingUses) {
  SpecText text;
  text.set("compile", kDefines)
      .set("params", R"({"WARPS": {"values": [4], "default": 4}, "VEC": {"values": [1, 2], "default": 1},
                         "IDLE": {"values": [1, 2, 3], "default": 1}})");
  const auto spec = parse_spec(text.text(), "test");
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_THAT(unread_names(*spec, SourceFiles{{{"kernel.cu", "int x = UNROLL_BY;"}}}),
              ElementsAre(HasSubstr("the param 'IDLE' has 3 values but changes neither a cubin nor a launch")));
}

TEST(UnreadNames, ShippedKernelsHaveNone) {
  const TemplateStore store({test::share_dir() / "kernel_templates"});
  for (const std::string& name : store.names()) {
    const auto kernel = store.load(name);
    ASSERT_TRUE(kernel) << kernel.error().message;
    EXPECT_THAT(unread_names(kernel->spec, kernel->sources), IsEmpty()) << name;
  }
}

} // namespace
} // namespace warptune
