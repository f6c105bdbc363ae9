#include "core/random.h"
#include "space/space.h"
#include "support/spec_text.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <random>
#include <span>

namespace warptune {
namespace {

using ::testing::HasSubstr;
using testing::problem_of;
using testing::SpecText;

// The Cartesian product in order; each element is checked separately.
std::vector<Config> enumerate(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device) {
  std::vector<Config> valid;
  Config config(spec.params.size());
  const auto descend = [&](const auto& self, std::size_t level) -> void {
    if (level == config.size()) {
      if (!check_config(spec, problem, device, config)) valid.push_back(config);
      return;
    }
    for (const std::int64_t value : spec.params[level].values) {
      config[level] = value;
      self(self, level + 1);
    }
  };
  descend(descend, 0);
  return valid;
}

void expect_same(const KernelSpec& spec, const Problem& problem, const std::string& label) {
  const DeviceInfo device = h200_device();
  const std::vector<Config> valid = enumerate(spec, problem, device);
  const auto space = SearchSpace::build(spec, problem, device);
  if (valid.empty()) {
    ASSERT_FALSE(space.has_value()) << label;
    return;
  }
  ASSERT_TRUE(space.has_value()) << label << space.error().message;
  ASSERT_EQ(space->size(), static_cast<std::int64_t>(valid.size())) << label;
  for (std::size_t i = 0; i < valid.size(); ++i) {
    ASSERT_EQ(space->config(static_cast<ConfigIndex>(i)), valid[i]) << label;
    ASSERT_EQ(space->find(valid[i]), static_cast<ConfigIndex>(i)) << label;
  }
  ConfigIndex index = 0;
  for (SpaceCursor at(*space); !at.done(); at.next(), ++index) {
    ASSERT_EQ(at.index(), index) << label;
    ASSERT_EQ(at.config(), valid[static_cast<std::size_t>(index)]) << label;
  }
  ASSERT_EQ(index, space->size()) << label;
}

// Checks for each other configuration whether it is a neighbour.
std::vector<ConfigIndex> find_neighbours(const SearchSpace& space, ConfigIndex index, SearchSpace::Neighbours kind) {
  Positions here, there;
  space.positions(index, here);
  // The nearest values below and above, by param.
  std::vector<ConfigIndex> below(here.size(), -1), above(here.size(), -1), found;
  for (ConfigIndex other = 0; other < space.size(); ++other) {
    space.positions(other, there);
    const auto [a, b] = std::mismatch(here.begin(), here.end(), there.begin());
    if (a == here.end() || !std::equal(a + 1, here.end(), b + 1)) continue;
    const auto p = static_cast<std::size_t>(a - here.begin());
    if (kind == SearchSpace::Neighbours::hamming)
      found.push_back(other);
    else if (*b < *a)
      below[p] = other; // indices increase with the value
    else if (above[p] < 0)
      above[p] = other;
  }
  for (const auto& side : {below, above})
    for (const ConfigIndex other : side)
      if (other >= 0) found.push_back(other);
  std::sort(found.begin(), found.end());
  return found;
}

void expect_neighbours(const SearchSpace& space, ConfigIndex index, const std::string& label) {
  for (const auto kind : {SearchSpace::Neighbours::hamming, SearchSpace::Neighbours::adjacent}) {
    std::vector<ConfigIndex> near;
    space.neighbours(index, kind, near);
    std::sort(near.begin(), near.end());
    ASSERT_EQ(near, find_neighbours(space, index, kind)) << label;
  }
}

// The parts of a constraint and its straight line agree with the constraint.
void expect_same_truth(const Expr& expr, std::vector<std::int64_t> slots, std::size_t first_param) {
  std::int64_t whole = 0;
  const bool evaluated = expr.try_evaluate(slots, whole);
  const std::vector<Expr> parts = expr.conjuncts();
  const bool all = std::all_of(parts.begin(), parts.end(), [&](const Expr& part) {
    std::int64_t value = 0;
    return part.try_evaluate(slots, value) && value != 0;
  });
  EXPECT_EQ(all, evaluated && whole != 0) << expr.text();
  IntegerProgram program;
  const auto last = expr.slots().empty() ? -1 : expr.slots().back();
  program.finish(expr.compile(program, std::span(slots).first(first_param)), last);
  ASSERT_TRUE(program.usable()) << expr.text();
  const auto truth = program.begin_row(slots.data()) ? program.test(slots.data()) : IntegerProgram::Truth::unknown;
  if (truth == IntegerProgram::Truth::unknown) return;
  EXPECT_TRUE(evaluated) << expr.text();
  EXPECT_EQ(truth == IntegerProgram::Truth::yes, whole != 0) << expr.text();
}

class RandomSpec {
 public:
  explicit RandomSpec(std::uint32_t seed) : random_(seed) {}

  SpecText make() {
    params_ = 1 + pick(6);
    std::string params = "{";
    for (int p = 0; p < params_; ++p) {
      std::string values;
      const int count = 1 + pick(5);
      for (int v = 0; v < count; ++v) values += (v ? "," : "") + std::to_string((v * 7 + p * 3) % 11 - 2);
      params += (p ? "," : "") + ("\"P" + std::to_string(p)) + "\": {\"values\": [" + values +
                "], \"default\": " + values.substr(0, values.find(',')) + "}";
    }
    std::string constraints = "[";
    const int count = pick(5);
    for (int c = 0; c < count; ++c)
      constraints += (c ? "," : "") + (R"({"expr": ")" + constraint()) + R"(", "why": "c)" + std::to_string(c) + "\"}";
    SpecText text;
    text.set("params", params + "}").set("constraints", constraints + "]").set("compile", "{}");
    text.set("derived", R"({"d": ")" + term() + " * 2 + " + term() + "\"}");
    text.set("arguments", R"({"y": {"buffer": "dtype", "count": "rows", "role": "output"}})");
    text.set("launches", R"([{"kernel": "k", "grid": ["rows"], "block": [64], "args": ["y"]}])");
    text.set("reference", R"({"launches": [{"kernel": "r", "grid": [1], "block": [1], "args": ["y"]}]})");
    return text;
  }

 private:
  int pick(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  std::string param() { return "P" + std::to_string(pick(params_)); }
  std::string term() { return pick(4) ? param() : pick(2) ? "cols" : std::to_string(pick(9)); }
  std::string constraint() {
    switch (pick(9)) {
    case 6:
      return constraint() + " && (" + constraint() + ")";
    case 7:
      return "(" + constraint() + ") && " + term() + " > -2 && " + param() + " / " + param() + " >= 0";
    case 8:
      return term() + " > 2 ? " + term() + " < 5 && " + param() + " > 0 : !(" + constraint() + ")";
    case 0:
      return term() + " + " + term() + " <= " + term() + " * 3";
    case 1:
      return term() + " % " + param() + " == 0"; // divides by zero for some values
    case 2:
      return param() + " != " + term() + " || " + term() + " > " + term();
    case 3:
      return "d >= " + term();
    case 4:
      return param() + " <= " + std::to_string(pick(9));
    default:
      return param() + " == 0 || " + term() + " / " + param() + " < 4";
    }
  }

  std::mt19937 random_;
  int params_ = 0;
};

TEST(SpaceRandom, AgreesWithNaiveEnumeration) {
  RandomSpec random(20260102);
  int specs = 0, spaces = 0;
  for (int i = 0; i < 600; ++i) {
    const SpecText text = random.make();
    const auto spec = text.try_parse();
    if (!spec) continue; // a derived name fails for all values
    ++specs;
    const Problem problem = problem_of(*spec, "rows=8,cols=" + std::to_string(1 + i % 13));
    expect_same(*spec, problem, text.text());
    if (HasFatalFailure()) return;
    const auto first_param = static_cast<std::size_t>(spec->first_param_slot);
    std::vector<std::int64_t> slots = make_slots(*spec, problem, h200_device().limits);
    for (std::uint64_t draw = 0; draw < 20; ++draw) {
      for (std::size_t p = 0; p < spec->params.size(); ++p) {
        const auto& values = spec->params[p].values;
        slots[first_param + p] = values[mix(draw * 100 + p) % values.size()];
      }
      for (const Constraint& constraint : spec->implementations[0].constraints)
        expect_same_truth(constraint.expr, slots, first_param);
    }
    const auto space = SearchSpace::build(*spec, problem, h200_device());
    if (!space || space->size() > 300) continue;
    ++spaces;
    for (ConfigIndex index = 0; index < space->size(); index += 1 + space->size() / 8)
      expect_neighbours(*space, index, text.text());
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(specs, 400);
  EXPECT_GT(spaces, 100);
}

std::string many_params(int params, int values, const std::string& name = "P") {
  std::string list;
  for (int v = 0; v < values; ++v) list += (v ? "," : "") + std::to_string(v + 1);
  std::string json = "{";
  for (int p = 0; p < params; ++p)
    json += (p ? ",\"" : "\"") + name + std::to_string(p) + "\": {\"values\": [" + list + "], \"default\": 1}";
  return json + "}";
}

KernelSpec wide_spec(int params, int values, const std::string& constraints) {
  SpecText text;
  text.set("params", many_params(params, values))
      .set("derived", "{}")
      .set("compile", "{}")
      .set("constraints", constraints);
  text.set("arguments", R"({"y": {"buffer": "dtype", "count": "rows", "role": "output"}})");
  text.set("launches", R"([{"kernel": "k", "grid": ["rows"], "block": [64], "args": ["y"]}])");
  text.set("reference", R"({"launches": [{"kernel": "r", "grid": [1], "block": [1], "args": ["y"]}]})");
  return text.parse();
}

TEST(Space, CursorStartsAnywhere) {
  const KernelSpec spec = SpecText().parse();
  const auto space = SearchSpace::build(spec, problem_of(spec, "rows=4096,cols=4096"), h200_device());
  for (ConfigIndex from = 0; from <= space->size(); ++from) {
    ConfigIndex index = from;
    for (SpaceCursor at(*space, from); !at.done(); at.next(), ++index) ASSERT_EQ(at.config(), space->config(index));
    ASSERT_EQ(index, space->size());
  }
}

TEST(Space, FromListIsWalkedLikeAnyOther) {
  const SearchSpace space =
      SearchSpace::from_list({{1, 2}, {3, 4, 5}, {6, 7}}, {}, {{0, 0, 0}, {0, 2, 1}, {0, 2, 0}, {1, 2, 0}});
  std::vector<Config> walked;
  for (SpaceCursor at(space); !at.done(); at.next()) walked.push_back(at.config());
  EXPECT_EQ(walked, (std::vector<Config>{{1, 3, 6}, {1, 5, 6}, {1, 5, 7}, {2, 5, 6}}));
  for (ConfigIndex index = 0; index < space.size(); ++index) expect_neighbours(space, index, "list");
  EXPECT_TRUE(SpaceCursor(SearchSpace::from_list({{1}}, {}, {})).done());
}

// Interleaved params of two independent groups: the tree shares each group's part.
TEST(Space, InterleavedGroupsStaySmall) {
  const KernelSpec spec = wide_spec(8, 30, R"([{"expr": "P0 + P2 + P4 + P6 == 40", "why": "a"},
                                              {"expr": "P1 + P3 + P5 + P7 == 50", "why": "b"}])");
  const auto space = SearchSpace::build(spec, problem_of(spec, "rows=1,cols=1"), h200_device());
  ASSERT_TRUE(space.has_value()) << space.error().message;
  const auto ways = [](int sum) { // of four numbers from 1 to 30
    std::int64_t count = 0;
    for (int a = 1; a <= 30; ++a)
      for (int b = 1; b <= 30; ++b)
        for (int c = 1; c <= 30; ++c) count += sum - a - b - c >= 1 && sum - a - b - c <= 30;
    return count;
  };
  EXPECT_EQ(space->size(), ways(40) * ways(50));
  EXPECT_EQ(space->find(space->config(space->size() / 2)), space->size() / 2);
}

TEST(Space, DemoSpec) {
  const KernelSpec spec = SpecText().parse();
  for (const char* shape : {"rows=1,cols=1", "rows=7,cols=6", "rows=4096,cols=4096"})
    expect_same(spec, problem_of(spec, shape), shape);
  const auto space = SearchSpace::build(spec, problem_of(spec, "rows=1,cols=6"), h200_device());
  EXPECT_EQ(space->size(), 8);
  EXPECT_DOUBLE_EQ(space->cartesian_size(), 12);
  EXPECT_EQ(space->param_count(), 2);
  EXPECT_EQ(space->values()[1], (std::vector<std::int64_t>{1, 2, 4}));
  ASSERT_EQ(space->rejections().size(), 1u);
  EXPECT_EQ(space->rejections()[0].why, "whole vectors");
}

TEST(Space, InvalidConfigsAreNotFound) {
  const KernelSpec spec = SpecText().parse();
  const auto space = SearchSpace::build(spec, problem_of(spec, "rows=1,cols=6"), h200_device());
  ASSERT_TRUE(space.has_value());
  EXPECT_FALSE(space->find({1, 4}).has_value());
  EXPECT_FALSE(space->find({3, 1}).has_value());
  EXPECT_FALSE(space->find({1}).has_value());
  EXPECT_FALSE(space->find({}).has_value());
  EXPECT_FALSE(space->find({1, 2, 3}).has_value());
}

TEST(Space, WithoutParams) {
  SpecText text;
  text.set("params", "{}").set("derived", "{}").set("constraints", "[]").set("compile", "{}");
  text.set("arguments", R"({"y": {"buffer": "dtype", "count": "rows", "role": "output"}})");
  text.set("launches", R"([{"kernel": "k", "grid": ["rows"], "block": [64], "args": ["y"]}])");
  text.set("reference", R"({"launches": [{"kernel": "r", "grid": [1], "block": [1], "args": ["y"]}]})");
  const KernelSpec spec = text.parse();
  const auto space = SearchSpace::build(spec, problem_of(spec, "rows=1,cols=1"), h200_device());
  ASSERT_TRUE(space.has_value());
  EXPECT_EQ(space->size(), 1);
  EXPECT_EQ(space->config(0), Config{});
  EXPECT_EQ(space->find(Config{}), 0);
  EXPECT_EQ(config_text(spec, {}), "");
  EXPECT_EQ(parse_config(spec, "").value(), Config{});
}

TEST(Space, NothingLeftNamesTheConstraints) {
  const KernelSpec spec = SpecText()
                              .set("constraints", R"([{"expr": "WARPS > 4", "why": "many warps"},
                                                      {"expr": "VEC > WARPS", "why": "wide vectors"},
                                                      {"expr": "VEC >= 1", "why": "never fails"}])")
                              .parse();
  const auto space = SearchSpace::build(spec, problem_of(spec, "rows=1,cols=1"), h200_device());
  ASSERT_FALSE(space.has_value());
  EXPECT_EQ(space.error().kind, ErrorKind::no_candidate);
  EXPECT_EQ(
      space.error().message,
      "the space of demo for rows=1,cols=1;bf16;log=0,layout=nt on NVIDIA H200 is empty: its constraints reject "
      "all configurations. Rejected combinations of values: 'WARPS > 4' (many warps): 3; 'VEC > WARPS' (wide "
      "vectors): 3. Choose another shape, dtype or flags; in a kernel of your own, relax a constraint or add values.");
}

TEST(Space, MessagesExplainDerivedNames) {
  std::string zeros = "0";
  for (int i = 0; i < 30; ++i) zeros += " + 0";
  const KernelSpec spec =
      SpecText()
          .set("derived", R"x({"threads": "WARPS * warp_size", "most": "min(rows, 8)", "far": ")x" + zeros + R"x("})x")
          .set("constraints", R"([{"expr": "WARPS > most * 100 + far", "why": "many warps"}])")
          .parse();
  const auto space = SearchSpace::build(spec, problem_of(spec, "rows=1,cols=1"), h200_device());
  ASSERT_FALSE(space.has_value());
  EXPECT_THAT(space.error().message,
              HasSubstr("'WARPS > most * 100 + far', where most is 'min(rows, 8)' (many warps): 4"));
}

TEST(Space, ConstraintsThatCannotBeEvaluated) {
  const auto build = [](const std::string& expr) {
    const KernelSpec spec = SpecText().set("constraints", R"([{"expr": ")" + expr + R"(", "why": "w"}])").parse();
    return SearchSpace::build(spec, problem_of(spec, "rows=1,cols=1"), h200_device());
  };
  const auto fixed = build("rows / (cols - 1)");
  ASSERT_FALSE(fixed.has_value());
  EXPECT_EQ(fixed.error().kind, ErrorKind::bad_input);
  EXPECT_THAT(fixed.error().message, HasSubstr("cannot be evaluated: division by zero"));
  const auto some = build("8 / (WARPS - 2) != 0");
  ASSERT_TRUE(some.has_value());
  EXPECT_EQ(some->size(), 9);
  EXPECT_THAT(some->rejections()[0].why, HasSubstr("division by zero"));
  const auto none = build("rows > 1");
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().kind, ErrorKind::no_candidate);
}

TEST(Space, IndependentParamsShareTheirTree) {
  // 1e18 valid configurations from two coupled pairs and fourteen free params.
  const KernelSpec spec =
      wide_spec(18, 10, R"([{"expr": "P0 <= P1", "why": "a"}, {"expr": "P16 + P17 > 2", "why": "b"}])");
  const auto space = SearchSpace::build(spec, problem_of(spec, "rows=1,cols=1"), h200_device());
  ASSERT_TRUE(space.has_value()) << space.error().message;
  EXPECT_EQ(space->size(), std::int64_t{55} * 100'000'000'000'000 * 99);
  for (const ConfigIndex index : {ConfigIndex{0}, space->size() / 3, space->size() - 1})
    EXPECT_EQ(space->find(space->config(index)), index);
}

TEST(Space, TooManyConfigurationsAreRefused) {
  const auto error = [](const KernelSpec& spec) {
    const auto space = SearchSpace::build(spec, problem_of(spec, "rows=1,cols=1"), h200_device());
    return space ? std::string("accepted") : space.error().message;
  };
  EXPECT_THAT(error(wide_spec(64, 10, "[]")), HasSubstr("too large: it has more than 9e18 configurations"));
}

TEST(Config, TextRoundTripAndErrors) {
  const KernelSpec spec = SpecText().parse();
  EXPECT_EQ(config_text(spec, {8, 1}), "WARPS=8,VEC=1");
  EXPECT_EQ(parse_config(spec, "VEC=1, WARPS=8").value(), (Config{8, 1}));
  EXPECT_EQ(default_config(spec), (Config{4, 2}));
  const auto error = [&](const std::string& text) { return parse_config(spec, text).error().message; };
  EXPECT_THAT(error("WARPS=8"), HasSubstr("the param 'VEC' is missing"));
  EXPECT_THAT(error("WARPS=3,VEC=1"), HasSubstr("'3' is not a value of 'WARPS'; choose 1, 2, 4 or 8"));
  EXPECT_THAT(error("WARPS=x,VEC=1"), HasSubstr("'x' is not a value"));
  EXPECT_THAT(error("WARP=8,VEC=1"), HasSubstr("did you mean 'WARPS'?"));
  EXPECT_THAT(error("WARPS=8,WARPS=8,VEC=1"), HasSubstr("given twice"));
  EXPECT_THAT(error("WARPS"), HasSubstr("is not NAME=VALUE"));
  EXPECT_THAT(error(""), HasSubstr("missing"));
}

TEST(Config, Check) {
  const KernelSpec spec = SpecText().parse();
  const Problem problem = problem_of(spec, "rows=1,cols=6");
  EXPECT_FALSE(check_config(spec, problem, h200_device(), {4, 2}).has_value());
  EXPECT_EQ(check_config(spec, problem, h200_device(), {4, 4}).value(), "cols % VEC == 0 does not hold: whole vectors");
  EXPECT_EQ(check_config(spec, problem, h200_device(), {3, 2}).value(), "3 is not a value of WARPS");
  EXPECT_THAT(check_config(spec, problem, h200_device(), {4}).value(), HasSubstr("has 2 params"));
}

} // namespace
} // namespace warptune
