#include "interchange/t1.h"
#include "support/paths.h"

#include <cmath>
#include <fstream>
#include <gmock/gmock.h>
#include <iterator>
#include <random>

namespace warptune {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Given {
  std::string name, values, standard;
};

std::string t1_text(const std::vector<Given>& params, const std::vector<std::string>& conditions) {
  std::string text = R"({"General": {"BenchmarkName": "demo"}, "ConfigurationSpace": {"TuningParameters": [)";
  for (std::size_t p = 0; p < params.size(); ++p)
    text += (p ? "," : "") + ("{\"Name\": \"" + params[p].name) + R"(", "Type": "int", "Values": )" + params[p].values +
            ", \"Default\": " + params[p].standard + "}";
  text += R"(], "Conditions": [)";
  for (std::size_t c = 0; c < conditions.size(); ++c)
    text += (c ? "," : "") + (R"({"Expression": ")" + conditions[c]) + R"(", "Parameters": []})";
  return text + R"(]}, "KernelSpecification": {"KernelName": "k", "Language": "CUDA"}})";
}

std::string error(const std::string& text) {
  const auto t1 = parse_t1(text, "demo.json");
  return t1 ? "accepted" : t1.error().message;
}

TEST(T1, ValuesOfEveryKind) {
  const auto t1 = parse_t1(t1_text({{"block", "\"[16, 32] + [2 ** i for i in range(6, 8)]\"", "[32]"},
                                    {"factor", "\"[0.5, 1, 2]\"", "2.0"},
                                    {"mode", "[\"fast\", \"exact\"]", "\"exact\""},
                                    {"pad", "[true, false]", "1"}},
                                   {"mode == 'fast' or factor >= 1", "not pad or block % 64 == 0"}),
                           "demo.json");
  ASSERT_TRUE(t1.has_value()) << t1.error().message;
  EXPECT_EQ(t1->name, "demo");
  EXPECT_EQ(t1->kernel, "k");
  EXPECT_THAT(t1->params[0].labels, ElementsAre("16", "32", "64", "128"));
  EXPECT_THAT(t1->params[1].labels, ElementsAre("0.5", "1", "2"));
  EXPECT_THAT(t1->params[3].labels, ElementsAre("True", "False"));
  EXPECT_EQ(default_positions(*t1), (Positions{1, 2, 1, 0}));
  const auto space = SearchSpace::build(make_space_model(*t1));
  ASSERT_TRUE(space.has_value()) << space.error().message;
  EXPECT_EQ(space->size(), (4 + 2) * 5); // (pad, block) pairs times (mode, factor) pairs
  EXPECT_EQ(space->values()[0], (std::vector<std::int64_t>{16, 32, 64, 128}));
  EXPECT_EQ(space->values()[1], (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_THAT(space->coordinates()[1], ElementsAre(0.5, 1, 2));
  EXPECT_TRUE(std::isnan(space->coordinates()[2][0]));
  EXPECT_EQ(space->values()[3], (std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(config_text(*t1, {0, 0, 0, 1}), "block=16,factor=0.5,mode=fast,pad=False");
}

TEST(T1, DefaultsMayBeMissing) {
  const auto t1 = parse_t1(t1_text({{"a", "[1, 2]", "3"}}, {}), "demo.json");
  ASSERT_TRUE(t1.has_value()) << t1.error().message;
  EXPECT_FALSE(default_positions(*t1).has_value());
  EXPECT_EQ(t1->params[0].default_label, "3");
}

TEST(T1, ConditionsThatCannotBeEvaluatedAreCountedAndTold) {
  const auto t1 = parse_t1(
      t1_text({{"a", "[0, 1, 2, 3]", "1"}, {"b", "[1, 9223372036854775807]", "1"}}, {"6 % a == 0", "a * b > 0"}),
      "demo.json");
  const auto space = SearchSpace::build(make_space_model(*t1));
  ASSERT_TRUE(space.has_value()) << space.error().message;
  EXPECT_EQ(space->size(), 4); // for a = 2, 3 the product with the large b overflows 64 bits
  ASSERT_EQ(space->rejections().size(), 2u);
  EXPECT_EQ(space->rejections()[0].expr, "a * b > 0");
  EXPECT_EQ(space->rejections()[0].count, 2);
  EXPECT_EQ(space->rejections()[0].why, "an integer beyond 64 bits at column 3 of 'a * b > 0'");
  EXPECT_EQ(space->rejections()[1].why, "division by zero at column 3 of '6 % a == 0'");
}

TEST(T1, ConditionsWithoutParams) {
  const auto outcome = [](const std::string& condition) {
    const auto t1 = parse_t1(t1_text({{"a", "[1, 2]", "1"}}, {condition}), "demo.json");
    const auto space = SearchSpace::build(make_space_model(*t1));
    return space ? std::to_string(space->size()) : space.error().message;
  };
  EXPECT_EQ(outcome("1 < 2"), "2");
  EXPECT_THAT(outcome("1 > 2"), HasSubstr("the space of demo is empty"));
  EXPECT_THAT(outcome("1 // 0 > 2"), HasSubstr("cannot be evaluated: division by zero at column 3"));
  EXPECT_THAT(outcome("a > 1 and 1 // 0 > 2"), HasSubstr("is empty"));
}

// The published numbers for the Gaussian convolution of two other tuners (4096 x 4096 results, powers of two, work
// groups of at most 1024): too many configurations to list.
TEST(T1, GaussianConvolution) {
  std::ifstream in(test::data_dir() / "t1" / "gaussian_convolution.json");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  EXPECT_TRUE(is_t1(text));
  const auto t1 = parse_t1(text, "gaussian_convolution.json");
  ASSERT_TRUE(t1.has_value()) << t1.error().message;
  const auto space = SearchSpace::build(make_space_model(*t1));
  ASSERT_TRUE(space.has_value()) << space.error().message;
  EXPECT_EQ(space->cartesian_size(), 117465223824.0);
  EXPECT_EQ(space->size(), 149281440);
  for (const ConfigIndex index : {ConfigIndex{0}, space->size() / 3, space->size() - 1})
    EXPECT_EQ(space->find(space->config(index)), index);
}

TEST(T1, BadFilesGetOneSentence) {
  const std::vector<Given> one = {{"a", "[1, 2]", "1"}};
  EXPECT_THAT(error("{"), HasSubstr("demo.json"));
  EXPECT_THAT(error("[]"), HasSubstr("demo.json"));
  EXPECT_THAT(error("{}"), HasSubstr("ConfigurationSpace"));
  EXPECT_THAT(error(t1_text({}, {})), HasSubstr("at /ConfigurationSpace/TuningParameters"));
  EXPECT_THAT(error(t1_text({{"a b", "[1]", "1"}}, {})),
              HasSubstr("/TuningParameters/0/Name: 'a b' is not a valid name"));
  EXPECT_THAT(error(t1_text({{"a", "[1]", "1"}, {"a", "[1]", "1"}}, {})), HasSubstr("'a' is already a param"));
  EXPECT_THAT(error(t1_text({{"a", "[]", "1"}}, {})), HasSubstr("/TuningParameters/0/Values: a param without values"));
  EXPECT_THAT(error(t1_text({{"a", "[1, 2, 1.0]", "1"}}, {})), HasSubstr("listed twice"));
  EXPECT_THAT(error(t1_text({{"a", "[[1]]", "1"}}, {})), HasSubstr("/TuningParameters/0/Values/0"));
  EXPECT_THAT(error(t1_text({{"a", "3", "1"}}, {})), HasSubstr("a string with a Python list such as"));
  EXPECT_THAT(error(t1_text({{"a", "\"16\"", "1"}}, {})), HasSubstr("expected a list such as [1, 2, 4]"));
  EXPECT_THAT(error(t1_text({{"a", "\"[1, b]\"", "1"}}, {})), HasSubstr("unknown name 'b' at column 5 of '[1, b]'"));
  EXPECT_THAT(error(t1_text({{"a", "\"[1e308 * 10]\"", "1"}}, {})), HasSubstr("not a finite number"));
  EXPECT_THAT(error(t1_text({{"a", "\"range(10 ** 12)\"", "1"}}, {})), HasSubstr("a list of more than 65536 values"));
  EXPECT_THAT(error(t1_text(one, {"a >"})),
              HasSubstr("at /ConfigurationSpace/Conditions/0/Expression: the formula ends"));
  EXPECT_THAT(error(t1_text(one, {"ab > 1"})), HasSubstr("unknown name 'ab'"));
  EXPECT_THAT(error(t1_text(one, {"[a]"})), HasSubstr("expected a condition, not a list"));
}

TEST(T1, HostileSizesAreRefused) {
  std::vector<Given> many;
  for (int p = 0; p < 300; ++p) many.push_back({"p" + std::to_string(p), "[1]", "1"});
  EXPECT_THAT(error(t1_text(many, {})), HasSubstr("300 params, more than the 256 allowed"));
  EXPECT_THAT(error(t1_text({{"a", "[1]", "1"}}, std::vector<std::string>(1025, "a > 0"))),
              HasSubstr("1025 conditions, more than the 1024 allowed"));
  EXPECT_THAT(error(std::string(std::size_t{2} << 20, ' ')), HasSubstr("demo.json"));
  many.resize(30);
  for (Given& given : many) given.values = "\"range(1000)\"";
  EXPECT_THAT(error(t1_text(many, {})), ::testing::Eq("accepted"));
  const auto t1 = parse_t1(t1_text(many, {}), "demo.json");
  const auto space = SearchSpace::build(make_space_model(*t1));
  ASSERT_FALSE(space.has_value());
  EXPECT_THAT(space.error().message, HasSubstr("too large: it has more than 9e18 configurations"));
}

TEST(T1, LongListsOfInCountAsManyOperations) {
  std::vector<Given> given;
  for (const char* name : {"a", "b", "c", "d"}) given.push_back({name, "\"range(1, 100)\"", "1"});
  const auto t1 = parse_t1(t1_text(given, {"a * b * c * d in [x for x in range(1000)]"}), "demo.json");
  ASSERT_TRUE(t1.has_value());
  const auto space = SearchSpace::build(make_space_model(*t1));
  ASSERT_FALSE(space.has_value()) << "1e8 products, each compared with 1000 values";
  EXPECT_THAT(space.error().message, HasSubstr("more than 2e8 operations"));
}

// Random params and conditions; each configuration of the product is checked separately.
TEST(T1Random, AgreesWithNaiveEnumeration) {
  std::mt19937 random(20260606);
  const auto pick = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };
  int built = 0;
  for (int round = 0; round < 400; ++round) {
    const int count = 1 + pick(5);
    const auto param = [&] { return "p" + std::to_string(pick(count)); };
    const auto term = [&]() -> std::string {
      switch (pick(7)) {
      case 0:
        return std::to_string(pick(7));
      case 1:
        return param() + " * " + param();
      case 2:
        return param() + " // " + param();
      case 3:
        return param() + " / " + param();
      case 4:
        return "(" + param() + " + " + param() + ")";
      default:
        return param();
      }
    };
    std::vector<Given> params;
    for (int p = 0; p < count; ++p) {
      static const char* const kLists[] = {"[0, 1, 2, 3]",  "[4, 2, 1]", "[0.5, 2, 8]", "[true, false]",
                                           "[\"a\", 1, 2]", "[7]",       "[-2, 3, 6]",  "\"list(range(1, 70))\""};
      params.push_back({"p" + std::to_string(p), kLists[pick(count > 3 ? 7 : 8)], "1"});
    }
    std::vector<std::string> conditions;
    for (int c = pick(4); c > 0; --c) {
      static const char* const kSigns[] = {" < ", " <= ", " == ", " != ", " % 2 == "};
      std::string text = term() + kSigns[pick(5)] + term();
      if (pick(3) == 0) text += (pick(2) ? " and " : " or ") + term() + " in [1, 2, " + param() + "]";
      conditions.push_back(text);
    }
    const auto t1 = parse_t1(t1_text(params, conditions), "demo.json");
    ASSERT_TRUE(t1.has_value()) << t1.error().message;
    const SpaceModel model = make_space_model(*t1);
    std::vector<Config> valid;
    Config config(model.values.size());
    const auto descend = [&](const auto& self, std::size_t level) -> void {
      if (level < config.size()) {
        for (const std::int64_t value : model.values[level]) {
          config[level] = value;
          self(self, level + 1);
        }
        return;
      }
      for (const PythonExpr& condition : t1->conditions) {
        PyValue value;
        if (condition.evaluate(config.data(), value) || !value.truthy()) return;
      }
      valid.push_back(config);
    };
    descend(descend, 0);
    const auto space = SearchSpace::build(model);
    if (valid.empty()) {
      EXPECT_FALSE(space.has_value()) << t1_text(params, conditions);
      continue;
    }
    ++built;
    ASSERT_TRUE(space.has_value()) << t1_text(params, conditions) << space.error().message;
    ASSERT_EQ(space->size(), static_cast<std::int64_t>(valid.size())) << t1_text(params, conditions);
    for (SpaceCursor at(*space); !at.done(); at.next())
      ASSERT_EQ(at.config(), valid[static_cast<std::size_t>(at.index())]) << t1_text(params, conditions);
  }
  EXPECT_GT(built, 150);
}

} // namespace
} // namespace warptune
