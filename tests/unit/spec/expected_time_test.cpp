// `expected_us`: how it is read; the source hash does not include it.
#include "predict/expected_time.h"
#include "spec/source_hash.h"
#include "support/implementations.h"
#include "support/spec_text.h"

#include <cmath>
#include <gmock/gmock.h>

namespace warptune {
namespace {

using ::testing::HasSubstr;
using testing::problem_of;
using testing::SpecText;

SpecText format2() { return SpecText().set("format", "2"); }
SpecText with(const std::string& expected) { return format2().set("expected_us", expected); }

DeviceInfo device_with_roofs() {
  DeviceInfo device = h200_device();
  device.roofs.dram_read_gbs = device.roofs.dram_write_gbs = 4000;
  return device;
}

double expected(const KernelSpec& spec, const Config& config, const std::string& shape = "rows=64,cols=1024") {
  const Problem problem = problem_of(spec, shape);
  return std::exp(TimeModel(spec, problem, device_with_roofs()).expected_log_time(config));
}

TEST(ExpectedUs, IsAFormulaOfDimsParamsDerivedNamesAndTheDevice) {
  EXPECT_NEAR(expected(with("\"rows + 1000 * WARPS + 0.5 * VEC\"").parse(), {4, 2}), 64 + 4000 + 1, 1e-6);
  EXPECT_NEAR(expected(with("\"rows + 1000 * WARPS + 0.5 * VEC\"").parse(), {8, 1}, "rows=2,cols=1024"), 8002.5, 1e-6);
  EXPECT_NEAR(expected(with("\"threads / 3\"").parse(), {4, 2}), 128 / 3.0, 1e-9) << "real, not rounded";
  EXPECT_NEAR(expected(with("\"1.0 * sm_count\"").parse(), {4, 2}), static_cast<double>(h200_device().limits.sm_count),
              1e-9);
  EXPECT_NEAR(expected(with("7.25").parse(), {4, 2}), 7.25, 1e-9);
}

TEST(ExpectedUs, MistakesInIt) {
  EXPECT_THAT(with("\"1.0 * WRAPS\"").error(),
              HasSubstr("at /expected_us: unknown name 'WRAPS'; did you mean 'WARPS'?"));
  EXPECT_THAT(with("true").error(), HasSubstr("at /expected_us: expected a number or a formula"));
  for (const char* no_time : {"0", "-3", "\"-1\"", "\"2 - 2.0\""})
    EXPECT_THAT(with(no_time).error(), HasSubstr("at /expected_us: expected a time in microseconds above 0"))
        << no_time;
  EXPECT_THAT(SpecText().set("expected_us", "7").error(),
              HasSubstr("unknown key 'expected_us' in format 1; it needs \"format\": 2"));
}

TEST(ExpectedUs, NullSaysThatNothingIsKnown) {
  EXPECT_TRUE(std::isnan(expected(with("null").parse(), {4, 2})));
  EXPECT_THAT(SpecText().set("expected_us", "null").error(), HasSubstr("unknown key 'expected_us' in format 1"));
}

// If the formula gives no possible time, the roofline is used, as if there were no formula.
TEST(ExpectedUs, TheRooflineIsAskedWhereItHasNoValue) {
  const double roofline = expected(format2().parse(), {4, 2});
  ASSERT_TRUE(std::isfinite(roofline));
  for (const char* nothing : {"\"0.0 * WARPS\"", "\"1.0 * WARPS - 7\"", "\"1 / (WARPS - 4)\"", "\"log(0 * WARPS)\""})
    EXPECT_EQ(expected(with(nothing).parse(), {4, 2}), roofline) << nothing;
  const KernelSpec spec = with("\"1.0 * WARPS - 2\"").parse();
  const Problem problem = problem_of(spec, "rows=64,cols=1024");
  const TimeModel model(spec, problem, device_with_roofs());
  EXPECT_TRUE(model.is_by_author({4, 2}));
  EXPECT_FALSE(model.is_by_author({2, 2}));
  const auto floor = [&](const Config& config) {
    return model.expected_log_time(config) - model.expected_log_slowdown(config);
  };
  EXPECT_NEAR(floor({4, 2}), floor({2, 2}), 1e-9) << "the roofline's, whoever tells the time";
}

// Each implementation has its own; `fast` can use its params, the operator's derived names and the dims.
SourceFiles files_with(const std::string& member, const std::string& file = "fast/implementation.json") {
  SourceFiles files = test::two_implementation_files();
  for (auto& [name, text] : files.files)
    if (name == file) text.insert(text.find("\"summary\""), member);
  return files;
}

TEST(ExpectedUs, BelongsToOneImplementation) {
  const auto spec = parse_spec(files_with(R"("expected_us": "VEC * 100.0 + quarter", )"), "op/spec.json");
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_FALSE(spec->implementations[0].expected_us);
  const Problem problem = *make_problem(*spec, {64}, DType::fp32, {});
  const TimeModel model(*spec, problem, device_with_roofs());
  const Config fast = *parse_config(*spec, "implementation=fast,VEC=4,HINT=none");
  const Config plain = *parse_config(*spec, "implementation=plain,VEC=2");
  EXPECT_NEAR(std::exp(model.expected_log_time(fast)), 416, 1e-6);
  EXPECT_TRUE(model.is_by_author(fast));
  EXPECT_FALSE(model.is_by_author(plain));
  const KernelSpec none = test::two_implementations();
  EXPECT_EQ(model.expected_log_time(plain), TimeModel(none, problem, device_with_roofs()).expected_log_time(plain));
}

TEST(ExpectedUs, SpecJsonHasItWhereItIsAnImplementation) {
  const auto spec = parse_spec(files_with("\"expected_us\": 3, ", "spec.json"), "op/spec.json");
  ASSERT_FALSE(spec);
  EXPECT_THAT(spec.error().message, HasSubstr("at /expected_us: \"expected_us\" belongs to an implementation"));
}

std::string hash_of(const std::string& text) {
  const auto spec = parse_spec(text, "test");
  EXPECT_TRUE(spec) << spec.error().message << "\n" << text;
  return spec ? source_hash(*spec, SourceFiles{{{"spec.json", text}, {"kernel.cu", "x"}}}) : "";
}

TEST(ExpectedUs, IsNoPartOfTheSourceHash) {
  // A real-valued formula for a tolerance is not valid in format 1.
  for (const char* tolerance : {R"({"default": {"rtol": 1e-3}})", R"({"default": {"rtol": "1e-3 / 2"}})"}) {
    const std::string without = format2().set("tolerance", tolerance).text(), hash = hash_of(without);
    for (const char* value : {"7", "0.25", "1e3", "2.5E-1", "4", "null", "\"rows / 3.0 + WARPS\""}) {
      const std::string member = std::string("\"expected_us\": ") + value;
      const std::size_t end = without.rfind('}'), middle = without.find("\"types\"");
      EXPECT_EQ(hash_of(without.substr(0, end) + ", " + member + without.substr(end)), hash) << member << " at the end";
      EXPECT_EQ(hash_of(without.substr(0, middle) + member + ",\n" + without.substr(middle)), hash) << "between";
      const std::size_t first = without.find('"');
      EXPECT_EQ(hash_of(without.substr(0, first) + member + " ,\n" + without.substr(first)), hash) << "first";
    }
    std::string other = without;
    other.replace(other.find("cols % VEC == 0"), 4, "rows");
    const std::size_t end = other.rfind('}');
    EXPECT_NE(hash_of(other), hash);
    EXPECT_EQ(hash_of(other.substr(0, end) + ", \"expected_us\": 7" + other.substr(end)), hash_of(other));
  }
}

TEST(ExpectedUs, AFolderOfFormat1KeepsItsResultsWhenItGetsOne) {
  EXPECT_EQ(hash_of(with("\"rows / 3.0\"").text()), hash_of(SpecText().set("format", "1").text()));
}

TEST(ExpectedUs, IsLeftOutBesideAlignments) {
  const std::string arguments = R"({"x": {"buffer": "dtype", "count": "rows * cols", "role": "input", "align": 2},
      "y": {"buffer": "dtype", "count": "rows * cols", "role": "output"},
      "tmp": {"buffer": "acc", "count": "WARPS * rows", "role": "workspace", "zero": true},
      "cols": {"scalar": "int32", "value": "cols"}, "alpha": {"scalar": "fp32", "value": 1.5, "role": "parameter"}})";
  std::string plain = arguments;
  plain.erase(plain.find(", \"align\": 2"), 12);
  EXPECT_EQ(hash_of(with("3").set("arguments", arguments).text()), hash_of(format2().set("arguments", plain).text()));
}

// The source hash includes other members with this name, also beside an `expected_us`.
TEST(ExpectedUs, ADerivedNameOfThatNameCounts) {
  const auto hash = [](SpecText text, const std::string& value) {
    return hash_of(text.set("derived", R"({"threads": "WARPS * warp_size", "expected_us": ")" + value + "\"}").text());
  };
  EXPECT_NE(hash(format2(), "VEC"), hash(format2(), "VEC * 2"));
  EXPECT_NE(hash(with("5"), "VEC"), hash(with("5"), "VEC * 2"));
}

// The reader recognises a member by its place, not by its text: a comment beside it makes no difference.
TEST(ExpectedUs, ADerivedNameCountsWhateverStandsBesideIt) {
  const auto hash = [](const std::string& value, const std::string& member) {
    SpecText text = format2();
    text.set("derived", "{\"threads\": \"WARPS * warp_size\", \"expected_us\": \"" + value + "\"}");
    std::string json = text.text();
    return hash_of(json.insert(json.rfind('}'), member));
  };
  for (const char* member : {", /* a guess */ \"expected_us\": 5", ", // a guess\n \"expected_us\" /* us */ : 5"}) {
    EXPECT_NE(hash("VEC", member), hash("VEC * 2", member)) << member;
    EXPECT_EQ(hash("VEC", member), hash("VEC", "")) << member;
  }
}

TEST(ExpectedUs, OfAnImplementationIsNoPartOfTheSourceHash) {
  const auto hash = [](const SourceFiles& files) {
    const auto spec = parse_spec(files, "op/spec.json");
    EXPECT_TRUE(spec) << spec.error().message;
    return spec ? source_hash(*spec, files) : "";
  };
  const std::string none = hash(test::two_implementation_files());
  EXPECT_EQ(hash(files_with(R"("expected_us": "VEC * 100.0", )")), none);
  EXPECT_EQ(hash(files_with(R"("expected_us": 1e2, )", "plain/implementation.json")), none);
  SourceFiles both = files_with(R"("expected_us": 8, )");
  for (auto& [name, text] : both.files)
    if (name == "plain/implementation.json") text.insert(text.rfind('}'), R"(, "expected_us": "n / 2.0")");
  EXPECT_EQ(hash(both), none);
  for (auto& [name, text] : both.files)
    if (name == "fast/implementation.json") text.replace(text.find("4 * VEC"), 1, "2");
  EXPECT_NE(hash(both), none) << "alignments of implementations count";
}

// A spec.json with launches beside folders is an implementation, too; only each file's own member is left out.
TEST(ExpectedUs, OfTheOperatorsOwnImplementationBesideOthers) {
  const auto files = [](const std::string& own, const std::string& other) {
    SourceFiles all = files_with(other);
    for (auto& [name, text] : all.files) {
      if (name != "spec.json") continue;
      text.replace(text.find(R"("default_implementation": "plain")"), 33, R"("implementation": "own")");
      text.insert(text.find("\"reference\""),
                  (own.empty() ? "" : own + "\n      ") +
                      R"("launches": [{"kernel": "k", "grid": ["n"], "block": [32], "args": ["x", "y"]}],
      )");
    }
    all.files.emplace_back("kernel.cu", "// own");
    return all;
  };
  const auto hash = [&](const std::string& own, const std::string& other) {
    const SourceFiles all = files(own, other);
    const auto spec = parse_spec(all, "op/spec.json");
    EXPECT_TRUE(spec) << spec.error().message;
    return spec ? source_hash(*spec, all) : "";
  };
  const std::string none = hash("", "");
  EXPECT_EQ(hash("\"expected_us\": 5,", ""), none);
  EXPECT_EQ(hash("", "\"expected_us\": \"VEC * 2.0\", "), none);
  EXPECT_EQ(hash("\"expected_us\": \"n / 8.0\",", "\"expected_us\": \"VEC * 2.0\", "), none);
}

} // namespace
} // namespace warptune
