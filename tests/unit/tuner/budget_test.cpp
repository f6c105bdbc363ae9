#include "tuner/budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptune {
namespace {

Budget budget(const std::string& text) {
  auto b = parse_budget(text);
  EXPECT_TRUE(b) << text;
  return b.value_or(Budget{});
}

TEST(Budget, Kinds) {
  EXPECT_EQ(budget("").kind, Budget::Kind::all);
  EXPECT_EQ(budget("all").kind, Budget::Kind::all);
  EXPECT_EQ(budget("200").kind, Budget::Kind::evaluations);
  EXPECT_EQ(budget("30s").kind, Budget::Kind::seconds);
  EXPECT_DOUBLE_EQ(budget("2.5s").amount, 2.5);
  EXPECT_EQ(budget("10%").kind, Budget::Kind::percent);
  EXPECT_EQ(budget("10%").text, "10%");
}

TEST(Budget, WhatIsNoBudgetSaysHowToWriteOne) {
  for (const char* text :
       {"x", "-1", "0", "0s", "1.5", "200 ", "101%", "nan", "inf", "s", "%", "10m", "1e999", "--5"}) {
    const auto b = parse_budget(text);
    ASSERT_FALSE(b) << text;
    EXPECT_EQ(b.error().kind, ErrorKind::bad_input);
    EXPECT_THAT(b.error().message, ::testing::HasSubstr("write 200"));
  }
}

TEST(BudgetMeter, Limits) {
  EXPECT_EQ(BudgetMeter(budget(""), 400, 0).limit(), 400);
  EXPECT_EQ(BudgetMeter(budget("200"), 400, 0).limit(), 200);
  EXPECT_EQ(BudgetMeter(budget("1000"), 400, 0).limit(), 400);
  EXPECT_EQ(BudgetMeter(budget("10%"), 401, 0).limit(), 41);
  EXPECT_EQ(BudgetMeter(budget("0.01%"), 401, 0).limit(), 1);
  EXPECT_EQ(BudgetMeter(budget("5s"), 400, 0).limit(), 400);
}

TEST(BudgetMeter, SecondsGoOnWhereTheInterruptedRunStopped) {
  EXPECT_FALSE(BudgetMeter(budget("5s"), 400, 0).out_of_time(4));
  EXPECT_TRUE(BudgetMeter(budget("5s"), 400, 0).out_of_time(5));
  EXPECT_TRUE(BudgetMeter(budget("5s"), 400, 3).out_of_time(2));
  EXPECT_FALSE(BudgetMeter(budget("200"), 400, 0).out_of_time(1e9));
}

} // namespace
} // namespace warptune
