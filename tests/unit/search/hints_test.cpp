#include "search/hints.h"
#include "search/strategy.h"
#include "spec/nearest_config.h"
#include "support/spec_text.h"

#include <cmath>
#include <gmock/gmock.h>

namespace warptune {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::problem_of;
using testing::SpecText;

// VEC divides cols.
class Hints : public ::testing::Test {
 protected:
  HintTarget here() { return {spec_, space_, problem_, "NVIDIA H200", "sm_90a", "abc", true, {}}; }
  TunedElsewhere there(const std::string& shape, std::vector<TunedElsewhere::Good> good = {}) {
    return {problem_of(spec_, shape), "NVIDIA H200", "sm_90a", "abc", true, std::move(good)};
  }
  TunedElsewhere::Good good(const std::string& config, double relative_time) {
    return {nearest_config(spec_, config), relative_time};
  }
  std::string text(ConfigIndex index) { return config_text(spec_, space_.config(index)); }
  std::string nearest(const std::string& config) {
    const auto index = nearest_valid(nearest_config(spec_, config), here());
    return index ? text(*index) : "none";
  }
  std::vector<std::string> texts(const std::vector<Hint>& hints) {
    std::vector<std::string> all;
    for (const Hint& hint : hints) all.push_back(text(hint.index));
    return all;
  }

  KernelSpec spec_ = SpecText().parse();
  Problem problem_ = problem_of(spec_, "rows=64,cols=1026");
  SearchSpace space_ = SearchSpace::build(spec_, problem_, h200_device()).value();
};

TEST_F(Hints, NearestValidConfiguration) {
  EXPECT_EQ(nearest("WARPS=8,VEC=2"), "WARPS=8,VEC=2") << "valid here, too";
  EXPECT_EQ(nearest("WARPS=8,VEC=4"), "WARPS=8,VEC=2") << "4 does not divide 1026; 2 is one step away, 1 two";
  EXPECT_EQ(nearest("WARPS=64,VEC=1"), "WARPS=8,VEC=1") << "the nearest value that there is";
  EXPECT_EQ(nearest("OLD=3,WARPS=2"), "WARPS=2,VEC=2")
      << "what was another param then is left out, what is new has its default";
  EXPECT_EQ(nearest(""), "WARPS=4,VEC=2");
  EXPECT_EQ(nearest("WARPS=x,=,,VEC"), "WARPS=4,VEC=2") << "nonsense is no value";
}

TEST_F(Hints, WhatIsFarFromAllValidGivesNone) {
  SpecText text;
  text.set("params", R"({"A": {"values": [1, 2, 3, 4], "default": 1}, "B": {"values": [1, 2, 3, 4], "default": 1},
                         "C": {"values": [1, 2, 3, 4], "default": 1}, "WARPS": {"values": [1], "default": 1},
                         "VEC": {"values": [1], "default": 1}})");
  text.set("constraints", R"([{"expr": "A + B + C >= 11", "why": "w"}])");
  spec_ = text.parse();
  space_ = SearchSpace::build(spec_, problem_, h200_device()).value();
  EXPECT_EQ(nearest("A=4,B=1,C=1,WARPS=1,VEC=1"), "A=4,B=3,C=4,WARPS=1,VEC=1");
  EXPECT_EQ(nearest("A=3,B=3,C=3,WARPS=1,VEC=1"), "A=4,B=4,C=3,WARPS=1,VEC=1") << "of equals the first params change";
  EXPECT_EQ(nearest("A=1,B=1,C=1,WARPS=1,VEC=1"), "none") << "three params by more than a step";
}

TEST_F(Hints, LikenessFallsWithDistanceAndWithEveryDifference) {
  EXPECT_EQ(likeness(there("rows=64,cols=1026"), here()), 1);
  EXPECT_DOUBLE_EQ(likeness(there("rows=512,cols=1026"), here()), 0.5) << "three doublings";
  EXPECT_DOUBLE_EQ(likeness(there("rows=8,cols=1026"), here()), 0.5) << "or halvings";
  TunedElsewhere other = there("rows=64,cols=1026");
  double last = 1;
  const auto falls = [&](const char* what) {
    const double like = likeness(other, here());
    EXPECT_LT(like, last) << what;
    last = like;
  };
  other.cold_l2 = false, falls("cache");
  other.source_hash = "def", falls("source");
  other.device = "NVIDIA H100", falls("device");
  other.arch = "sm_80", falls("architecture");
  other.problem.flags[1] = spec_.flags[1].values[1], falls("flag");
  other.problem.dtype = DType::fp32, falls("dtype");
  EXPECT_GT(last, 0);
}

TEST_F(Hints, TheMoreAlikeAndTheFasterComeFirst) {
  const auto hints = make_hints({there("rows=64,cols=1026", {good("WARPS=4,VEC=1", 1), good("WARPS=2,VEC=1", 1.3)}),
                                 there("rows=512,cols=1026", {good("WARPS=8,VEC=1", 1)})},
                                here());
  EXPECT_THAT(texts(hints), ElementsAre("WARPS=4,VEC=1", "WARPS=8,VEC=1", "WARPS=2,VEC=1"));
  EXPECT_EQ(hints[0].weight, 1);
  EXPECT_EQ(hints[0].relative_time, 1);
  EXPECT_DOUBLE_EQ(hints[1].weight, 0.5);
  EXPECT_DOUBLE_EQ(hints[2].relative_time, 1.3);
}

TEST_F(Hints, WhatIsGoodInManyPlacesCountsMore) {
  const auto hints = make_hints({there("rows=512,cols=1026", {good("WARPS=8,VEC=4", 1), good("WARPS=8,VEC=2", 1.1)}),
                                 there("rows=8,cols=1026", {good("WARPS=8,VEC=2", 1.2)}),
                                 there("rows=32,cols=1026", {good("WARPS=1,VEC=1", 1.2)})},
                                here());
  EXPECT_THAT(texts(hints), ElementsAre("WARPS=8,VEC=2", "WARPS=1,VEC=1"));
  EXPECT_DOUBLE_EQ(hints[0].weight, 0.75) << "two halves";
  EXPECT_DOUBLE_EQ(hints[0].relative_time, 1.1)
      << "the better of two that are nearest to the same, and the other place";
}

TEST_F(Hints, AModelKeepsDownWhatSuitsOnlyElsewhere) {
  HintTarget target = here();
  const std::vector<TunedElsewhere> elsewhere = {
      there("rows=512,cols=1026", {good("WARPS=8,VEC=1", 1), good("WARPS=1,VEC=1", 1.05)})};
  EXPECT_THAT(texts(make_hints(elsewhere, target)), ElementsAre("WARPS=8,VEC=1", "WARPS=1,VEC=1"));
  target.expected_log_slowdown = [&](ConfigIndex index) { return space_.config(index)[0] == 8 ? std::log(2.0) : 0; };
  EXPECT_THAT(texts(make_hints(elsewhere, target)), ElementsAre("WARPS=1,VEC=1", "WARPS=8,VEC=1"));
  target.expected_log_slowdown = [](ConfigIndex) { return std::nan(""); };
  EXPECT_THAT(texts(make_hints(elsewhere, target)), ElementsAre("WARPS=8,VEC=1", "WARPS=1,VEC=1"))
      << "a model that cannot say changes nothing";
}

TEST(KnowledgeParts, Texts) {
  EXPECT_EQ(knowledge_text(*parse_knowledge("all")), "all");
  EXPECT_EQ(knowledge_text(*parse_knowledge("none")), "none");
  EXPECT_EQ(knowledge_text(*parse_knowledge(" hints")), "hints");
  EXPECT_EQ(knowledge_text(*parse_knowledge("hints, prior")), "all");
  for (const char* wrong : {"", "hint", "all,none", "prior,", "features,"}) {
    const auto parts = parse_knowledge(wrong);
    ASSERT_FALSE(parts) << wrong;
    EXPECT_EQ(parts.error().kind, ErrorKind::bad_input);
    EXPECT_THAT(parts.error().message, HasSubstr("write prior, hints, all (both) or none"));
  }
}

TEST(KnowledgeParts, AllAndNoneStandForThemselves) {
  EXPECT_THAT(parse_knowledge("all,none").error().message,
              HasSubstr("'all' cannot be combined with other knowledge, as in 'all,none'"));
  EXPECT_THAT(parse_knowledge("prior,none").error().message, HasSubstr("'none' cannot be combined"));
  EXPECT_THAT(parse_knowledge("hint").error().message, HasSubstr("unknown knowledge 'hint'"));
}

TEST(KnowledgeParts, FormerWordsAreReadAndIgnoredWithANote) {
  EXPECT_EQ(knowledge_text(*parse_knowledge("features,prior,hints,counters")), "all");
  EXPECT_EQ(knowledge_text(*parse_knowledge("counters,prior")), "prior");
  EXPECT_EQ(knowledge_text(*parse_knowledge("features")), "none");
  EXPECT_THAT(former_knowledge_note("prior, features"),
              HasSubstr("`features` and `counters` of knowledge no longer exist"));
  for (const char* today : {"all", "none", "prior", "prior,hints"})
    EXPECT_EQ(former_knowledge_note(today), "") << today;
}

TEST(KnowledgeParts, AsTheyWereStoredWithFormerOnes) {
  EXPECT_THAT(former_knowledge_texts({}), ElementsAre("features,prior,hints", "prior,hints,counters", "prior,hints"));
  EXPECT_THAT(former_knowledge_texts({true, false}),
              ElementsAre("features,prior,counters", "features,prior", "prior,counters"));
  EXPECT_THAT(former_knowledge_texts(kNothingKnown), ElementsAre("features,counters", "features", "counters"));
}

TEST(StrategyText, NamesAndOptions) {
  EXPECT_EQ(strategy_text(*parse_strategy(" random ")), "random");
  for (const StrategyEntry& entry : strategies()) {
    std::string text(entry.name);
    char separator = ':';
    for (const StrategyOption& option : entry.options) {
      text += separator + std::string(option.name) + "=" +
              (option.whole ? std::to_string(static_cast<long>(option.max)) : std::to_string(option.max));
      separator = ',';
    }
    const auto choice = parse_strategy(text);
    ASSERT_TRUE(choice) << text << ": " << choice.error().message;
    EXPECT_EQ(choice->options.size(), entry.options.size());
    const auto again = parse_strategy(strategy_text(*choice));
    ASSERT_TRUE(again);
    EXPECT_EQ(again->options, choice->options) << text;
  }
  EXPECT_THAT(parse_strategy("randm").error().message, HasSubstr("did you mean 'random'?"));
  EXPECT_THAT(parse_strategy("random:a=1").error().message, HasSubstr("it has no options, so remove 'a'"));
  for (const char* wrong : {"random:", "random:a", "random:a=", "random:=1", "random:a=1x"})
    EXPECT_THAT(parse_strategy(wrong).error().message, HasSubstr("is not an option; write NAME=NUMBER")) << wrong;
  EXPECT_THAT(parse_strategy("random:a=1,a=2").error().message, HasSubstr("given twice"));
}

TEST(StrategyText, Lists) {
  const auto texts = [](std::string_view list) {
    std::vector<std::string> out;
    const auto choices = parse_strategies(list);
    EXPECT_TRUE(choices) << list << ": " << choices.error().message;
    if (choices)
      for (const StrategyChoice& choice : *choices) out.push_back(strategy_text(choice));
    return out;
  };
  EXPECT_THAT(texts("random, genetic:population=30,crossover=0.5,random,annealing:temperature=1,random"),
              ElementsAre("random", "genetic:crossover=0.5,population=30", "annealing:temperature=1"));
  EXPECT_EQ(texts("all").size(), strategies().size());
  EXPECT_EQ(texts("all,genetic:population=30").size(), strategies().size() + 1);
  for (const char* wrong : {"", "random,", "crossover=1,random", "genetic,crossover", "random:a=1"})
    EXPECT_FALSE(parse_strategies(wrong)) << wrong;
}

} // namespace
} // namespace warptune
