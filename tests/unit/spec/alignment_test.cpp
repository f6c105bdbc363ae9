#include "plan/plan.h"
#include "predict/select.h"
#include "spec/alignment.h"
#include "spec/source_hash.h"
#include "support/spec_text.h"

#include <gmock/gmock.h>

namespace warptune {
namespace {

using ::testing::HasSubstr;
using testing::problem_of;
using testing::SpecText;

constexpr const char* kArguments =
    R"({"x": {"buffer": "dtype", "count": "rows * cols", "role": "input", "align": "VEC * dtype_bytes"},
        "y": {"buffer": "dtype", "count": "rows * cols", "role": "output", "align": 2},
        "tmp": {"buffer": "acc", "count": "WARPS * rows", "role": "workspace", "zero": true},
        "cols": {"scalar": "int32", "value": "cols"},
        "alpha": {"scalar": "fp32", "value": 1.5, "role": "parameter"}})";

TunedEntry tuned(const KernelSpec& spec, const std::string& shape, Config config) {
  TunedEntry entry;
  entry.problem = problem_of(spec, shape);
  entry.config = std::move(config);
  entry.device_name = h200_device().name;
  entry.arch = h200_device().arch;
  return entry;
}

TEST(Alignment, NarrowAccessesServeCallersThatWideOnesCannot) {
  const KernelSpec spec = SpecText().set("arguments", kArguments).parse();
  const Problem problem = problem_of(spec, "rows=64,cols=64");
  EXPECT_FALSE(check_alignment(spec, problem, h200_device(), {4, 4}, 8));
  EXPECT_EQ(check_alignment(spec, problem, h200_device(), {4, 4}, 4),
            "argument x requires 8-byte alignment, and only 4 bytes are guaranteed");
  const std::vector<TunedEntry> entries = {tuned(spec, "rows=64,cols=64", {4, 4}),
                                           tuned(spec, "rows=64,cols=128", {4, 2}),
                                           tuned(spec, "rows=64,cols=256", {4, 1})};
  SelectOptions options;
  EXPECT_EQ(select(spec, entries, problem, h200_device(), options)->config, (Config{4, 4}));
  options.alignment = 4;
  const auto four = select(spec, entries, problem, h200_device(), options);
  EXPECT_EQ(four->config, (Config{4, 2}));
  EXPECT_THAT(four->why, HasSubstr("argument x requires 8-byte alignment"));
  options.alignment = 2;
  EXPECT_EQ(select(spec, entries, problem, h200_device(), options)->config, (Config{4, 1}));
  options.alignment = 1;
  const auto none = select(spec, entries, problem, h200_device(), options);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::no_candidate);
  EXPECT_THAT(none.error().message,
              HasSubstr("may be launched here (the default: argument x requires 4-byte alignment"));
}

TEST(Alignment, SixteenBytesWhereTheSpecSaysNothing) {
  const KernelSpec spec = SpecText().parse();
  const Problem problem = problem_of(spec, "rows=64,cols=64");
  EXPECT_FALSE(check_alignment(spec, problem, h200_device(), {4, 1}, 16));
  EXPECT_THAT(*check_alignment(spec, problem, h200_device(), {4, 1}, 8), HasSubstr("16-byte alignment"));
}

TEST(Alignment, PlansCarryItAndRefuseWhatIsNoPowerOfTwo) {
  const auto text = [](const std::string& align) {
    return SpecText().set("arguments",
                          R"({"x": {"buffer": "dtype", "count": "rows * cols", "role": "input", "align": )" + align +
                              R"(}, "y": {"buffer": "dtype", "count": "rows * cols", "role": "output"},
                "tmp": {"buffer": "acc", "count": "WARPS * rows", "role": "workspace", "zero": true},
                "cols": {"scalar": "int32", "value": "cols"},
                "alpha": {"scalar": "fp32", "value": 1.5, "role": "parameter"}})");
  };
  const auto plan = [&](const std::string& align) {
    const KernelSpec spec = text(align).parse();
    return make_plan(spec, problem_of(spec, "rows=64,cols=64"), {4, 2}, h200_device());
  };
  const auto eight = plan("\"VEC * 4\"");
  ASSERT_TRUE(eight) << eight.error().message;
  EXPECT_EQ(eight->buffers[0].align, 8);
  EXPECT_EQ(eight->buffers[1].align, 16);
  EXPECT_FALSE(plan("\"VEC / (VEC - 2)\""));
  EXPECT_FALSE(plan("\"VEC + 1\""));
  for (const char* bad : {"0", "3", "512"})
    EXPECT_THAT(text(bad).error(), HasSubstr("at /arguments/x/align: the alignment is")) << bad;
}

TEST(Alignment, IsNoPartOfTheSourceHash) {
  const std::string with = SpecText().set("arguments", kArguments).text();
  std::string without = with;
  for (const std::string& member : {std::string(R"(, "align": "VEC * dtype_bytes")"), std::string(R"(, "align": 2)")}) {
    ASSERT_NE(without.find(member), std::string::npos);
    without.erase(without.find(member), member.size());
  }
  const auto hash = [](const std::string& text) {
    const auto spec = parse_spec(text, "test");
    EXPECT_TRUE(spec) << spec.error().message;
    return source_hash(*spec, SourceFiles{{{"spec.json", text}, {"kernel.cu", "x"}}});
  };
  EXPECT_EQ(hash(with), hash(without));
  for (const char* first : {R"("align": "VEC * dtype_bytes", )", "\n  \"align\" : 2 ,\n  "}) {
    std::string leading = without; // before the other keys of the buffer
    leading.insert(leading.find(R"("buffer": "dtype")"), first);
    if (*first == '\n') leading.erase(leading.find("{\n") + 1, 3);
    EXPECT_EQ(hash(leading), hash(without)) << leading;
  }
  std::string other = without;
  other.replace(other.find("cols % VEC == 0"), 4, "rows");
  EXPECT_NE(hash(other), hash(without));
}

TEST(Format, IsNoPartOfTheSourceHashWhereTheSpecMeansTheSame) {
  const auto hash = [](const std::string& text) {
    const auto spec = parse_spec(text, "test");
    EXPECT_TRUE(spec) << spec.error().message;
    return source_hash(*spec, SourceFiles{{{"spec.json", text}, {"kernel.cu", "x"}}});
  };
  const std::string first = SpecText().set("format", "1").text(), second = SpecText().set("format", "2").text();
  ASSERT_NE(first, second);
  EXPECT_EQ(hash(first), hash(second));
  const std::string labelled =
      SpecText().set("format", "2").set("tolerance", R"({"default": {"rtol": "1e-3 / 2"}})").text();
  EXPECT_EQ(labelled.find("\"format\": 1"), std::string::npos);
  const auto spec = parse_spec(labelled, "test");
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_FALSE(spec->reads_as_format_1);
  EXPECT_TRUE(parse_spec(second, "test")->reads_as_format_1);
}

// The source hash includes other members with this name.
TEST(Alignment, ADerivedNameOfThatNameCounts) {
  const auto hash = [](const std::string& value) {
    const std::string text =
        SpecText().set("derived", R"({"threads": "WARPS * warp_size", "align": ")" + value + "\"}").text();
    const auto spec = parse_spec(text, "test");
    EXPECT_TRUE(spec) << spec.error().message;
    return source_hash(*spec, SourceFiles{{{"spec.json", text}, {"kernel.cu", "x"}}});
  };
  EXPECT_NE(hash("VEC"), hash("VEC * 2"));
}

} // namespace
} // namespace warptune
