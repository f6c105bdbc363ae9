// Features: the numbers that a model gets for a configuration.
#include "search/features.h"

#include <cmath>
#include <gmock/gmock.h>
#include <limits>

namespace warptune {
namespace {

using testing::ElementsAre;
using testing::FloatNear;

// The space of all combinations of the values.
SearchSpace full_space(const std::vector<std::vector<double>>& coordinates) {
  std::vector<std::vector<std::int64_t>> values;
  std::vector<Positions> valid{{}};
  for (const auto& of_param : coordinates) {
    values.emplace_back();
    std::vector<Positions> longer;
    for (std::int32_t v = 0; v < static_cast<std::int32_t>(of_param.size()); ++v) {
      values.back().push_back(v);
      for (const Positions& prefix : valid) {
        longer.push_back(prefix);
        longer.back().push_back(v);
      }
    }
    valid = std::move(longer);
  }
  return SearchSpace::from_list(std::move(values), coordinates, std::move(valid));
}

std::vector<float> encode(const Features& features, const SearchSpace& space, const Positions& at) {
  std::vector<float> out(features.size());
  features.encode(space.find_positions(at).value(), out);
  return out;
}

TEST(Features, WideParamsByTheirLogarithmAndWithTheirProduct) {
  const SearchSpace space = full_space({{16, 32, 64, 256}, {1, 2, 4, 8, 16}});
  const Features features(space, no_knowledge());
  EXPECT_EQ(features.plain(), 2u);
  // log2: 4..8 and 0..4; each value separately; the product covers the range of the wider one once.
  EXPECT_THAT(encode(features, space, {1, 2}),
              ElementsAre(0.25f, 0.5f, 0, 1, 0, 0, 0, 0, 1, 0, 0, FloatNear((5.f + 2.f) / 4.f, 1e-6f)));
  EXPECT_GT(features.scales()[11].log_mean, features.scales()[0].log_mean) << "it has to prove itself";
}

TEST(Features, NarrowParamsAndZeroes) {
  const SearchSpace space = full_space({{2, 3, 4}, {0, 1, 3, 7}, {5}});
  const Features features(space, no_knowledge());
  EXPECT_THAT(encode(features, space, {1, 1, 0}), ElementsAre(0.5f, FloatNear(1.f / 3.f, 1e-6f), 0, 1, 0, 0, 1, 0, 0));
}

TEST(Features, SingleValuesOfParamsWithAnOrder) {
  const auto columns = [](const std::vector<std::vector<double>>& coordinates) {
    const Features features(full_space(coordinates), no_knowledge());
    return features.size() - features.plain();
  };
  const auto steps = [](int count) { // small, so that no other feature is derived
    std::vector<double> values;
    for (int v = 0; v < count; ++v) values.push_back(1000 + v);
    return values;
  };
  EXPECT_EQ(columns({steps(2)}), 0U) << "the param itself says it";
  EXPECT_EQ(columns({steps(3)}), 3U);
  EXPECT_EQ(columns({steps(24)}), 24U);
  EXPECT_EQ(columns({steps(25)}), 0U);
  EXPECT_EQ(columns({{0, 1, 2, 3}}), 0U) << "a code has them already";
  const Features features(full_space({steps(3)}), no_knowledge());
  for (std::size_t f = 1; f < 4; ++f)
    EXPECT_GT(features.scales()[f].log_mean, features.scales()[0].log_mean) << "neighbours are alike until shown";
}

TEST(Features, CategoriesHaveOneCoordinateEach) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const SearchSpace space = full_space({{kNone, kNone, kNone}});
  const Features features(space, no_knowledge());
  EXPECT_THAT(encode(features, space, {1}), ElementsAre(0, 1, 0));
}

TEST(Features, NumberingsHaveOneCoordinateForEachValue) {
  EXPECT_EQ(Features(full_space({{0, 1, 2, 3}}), no_knowledge()).size(), 4U);
  EXPECT_EQ(Features(full_space({{2, 0, 1}}), no_knowledge()).size(), 3U) << "in any order";
  for (const auto& others : std::vector<std::vector<double>>{{0, 1}, {1, 2, 3}, {0, 1, 2, 4}, {0, 0.5, 1}})
    EXPECT_EQ(Features(full_space({others}), no_knowledge()).plain(), 1U) << others.size() << " from " << others[0];
}

TEST(Features, HalvingsOfWhatIsNoPowerOfTwo) {
  const SearchSpace space = full_space({{16, 32, 48, 64, 80, 96, 112, 128}});
  const Features features(space, no_knowledge());
  ASSERT_EQ(features.size(), 2u + 8u) << "and each value";
  EXPECT_EQ(features.plain(), 1u);
  EXPECT_EQ(encode(features, space, {2})[1], 0.f) << "48 = 16 * 3";
  EXPECT_EQ(encode(features, space, {7})[1], 1.f) << "128";
  EXPECT_FLOAT_EQ(encode(features, space, {5})[1], 1.f / 3.f) << "96 = 32 * 3";
}

TEST(Features, SingleValuesOfManyParamsEndAtALimit) {
  // 40 params with 3 values each; two configurations are valid.
  const std::vector<std::vector<double>> coordinates(40, {1000, 1001, 1002});
  const SearchSpace space = SearchSpace::from_list(std::vector<std::vector<std::int64_t>>(40, {0, 1, 2}), coordinates,
                                                   {Positions(40, 0), Positions(40, 2)});
  const Features features(space, no_knowledge());
  EXPECT_EQ(features.plain(), 40U);
  EXPECT_EQ(features.size(), 40U + 40U * 3);
  const std::vector<std::vector<double>> more(60, {1000, 1001, 1002});
  const SearchSpace larger = SearchSpace::from_list(std::vector<std::vector<std::int64_t>>(60, {0, 1, 2}), more,
                                                    {Positions(60, 0), Positions(60, 2)});
  EXPECT_EQ(Features(larger, no_knowledge()).size(), 60U + 159U);
}

TEST(Features, ManyCategoriesAndCodesGoByTheirOrder) {
  std::vector<double> codes, texts(1000, std::numeric_limits<double>::quiet_NaN());
  for (int v = 0; v < 1000; ++v) codes.push_back(v);
  EXPECT_EQ(Features(full_space({codes}), no_knowledge()).size(), 1U);
  const SearchSpace space = full_space({texts});
  const Features features(space, no_knowledge());
  ASSERT_EQ(features.size(), 1U);
  EXPECT_EQ(encode(features, space, {0})[0], 0.f);
  EXPECT_EQ(encode(features, space, {999})[0], 1.f);
}

TEST(Features, HugeAndInfiniteValuesStayNumbers) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const std::vector<double>& values : {std::vector<double>{-1.7e308, 0, 1.7e308},
                                            {1e-308, 1, 1e308},
                                            {5e-324, 1e-323},
                                            {0, 5e-324},
                                            {0, 1, kInfinity}}) {
    const SearchSpace space = full_space({values, {1, 2}});
    const Features features(space, no_knowledge());
    for (std::int32_t v = 0; v < static_cast<std::int32_t>(values.size()); ++v)
      for (const float at : encode(features, space, {v, 0})) EXPECT_TRUE(at >= 0 && at <= 1) << values[0] << " " << at;
  }
}

TEST(Features, TheExpectedTimeIsScaledAndGapsAreInTheMiddle) {
  const SearchSpace space = full_space({{1, 2, 3}});
  Knowledge knowledge;
  knowledge.expected_log_time = [](ConfigIndex index) {
    return index == 1 ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(index);
  };
  const Features features(space, knowledge);
  EXPECT_THAT(encode(features, space, {1}), ElementsAre(0.5f, 0, 1, 0, 0.5f));
  EXPECT_THAT(encode(features, space, {2}), ElementsAre(1, 0, 0, 1, 1));
}

} // namespace
} // namespace warptune
