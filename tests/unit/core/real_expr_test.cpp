#include "core/real_expr.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>

namespace warptune {
namespace {

using ::testing::HasSubstr;

Scope real_scope() {
  Scope scope;
  for (const char* name : {"d", "rows", "log"}) scope.add_slot(name);
  scope.add_constant("fp32", 0);
  scope.add_string("nt", 1000);
  scope.add_derived("half", std::make_shared<const Expr>(*Expr::parse("d / 2", scope)));
  return scope;
}

Result<double> real_value(const std::string& text, std::int64_t d = 64, std::int64_t rows = 7) {
  WT_TRY(const RealExpr expr, RealExpr::parse(text, real_scope()));
  return expr.evaluate(std::vector<std::int64_t>{d, rows, 1000});
}

double real(const std::string& text, std::int64_t d = 64) {
  const auto value = real_value(text, d);
  EXPECT_TRUE(value.has_value()) << text << ": " << value.error().message;
  return value.value_or(-999);
}

std::string error_of(const std::string& text, std::int64_t d = 64) {
  const auto value = real_value(text, d);
  EXPECT_FALSE(value.has_value()) << text;
  if (value) return {};
  EXPECT_EQ(value.error().kind, ErrorKind::bad_input);
  return value.error().message;
}

TEST(RealExpr, NumbersAndOperators) {
  EXPECT_DOUBLE_EQ(real("1.5e-3"), 1.5e-3);
  EXPECT_DOUBLE_EQ(real(".5 + 2"), 2.5);
  EXPECT_DOUBLE_EQ(real("2 + 3 * 4 - 6 / 4"), 12.5);
  EXPECT_DOUBLE_EQ(real("(2 + 3) * -4"), -20);
  EXPECT_DOUBLE_EQ(real("10 - 2 - 3"), 5);
  EXPECT_DOUBLE_EQ(real("--2"), 2);
}

TEST(RealExpr, Names) {
  EXPECT_DOUBLE_EQ(real("1 / sqrt(d)"), 0.125);
  EXPECT_DOUBLE_EQ(real("half / 2", 65), 16) << "a derived name is an integer formula";
  EXPECT_DOUBLE_EQ(real("log == 'nt' ? 2 : 3"), 2) << "a name may be that of a function";
  EXPECT_DOUBLE_EQ(real("fp32 + 1"), 1);
  const auto expr = RealExpr::parse("half * rows", real_scope());
  ASSERT_TRUE(expr.has_value());
  EXPECT_EQ(expr->slots(), (std::vector<int>{0, 1}));
  EXPECT_EQ(expr->text(), "half * rows");
}

TEST(RealExpr, Functions) {
  EXPECT_DOUBLE_EQ(real("exp(1)"), std::exp(1.0));
  EXPECT_DOUBLE_EQ(real("log(exp(2))"), 2);
  EXPECT_DOUBLE_EQ(real("log2(d) + abs(-1)"), 7);
  EXPECT_DOUBLE_EQ(real("pow(d, 0.5)"), 8);
  EXPECT_DOUBLE_EQ(real("min(d, 3, 1.5) + max(4)"), 5.5);
}

TEST(RealExpr, OnlyTheChosenBranchIsEvaluated) {
  EXPECT_DOUBLE_EQ(real("d > 0 ? 1 / d : 0", 0), 0);
  EXPECT_DOUBLE_EQ(real("d > 0 ? 1 / d : 0", 4), 0.25);
  EXPECT_DOUBLE_EQ(real("d < 0 ? 1 : d >= 64 ? 2 : 3"), 2);
}

TEST(RealExpr, ValuesThatDoNotExist) {
  EXPECT_THAT(error_of("1 / (d - 64)"), HasSubstr("division by zero at column 3 of '1 / (d - 64)'"));
  EXPECT_THAT(error_of("1 / 0"), HasSubstr("division by zero at column 3"));
  EXPECT_THAT(error_of("sqrt(-d)"), HasSubstr("sqrt of a negative number at column 1"));
  EXPECT_THAT(error_of("log(d)", 0), HasSubstr("logarithm of a number that is not above 0"));
  EXPECT_THAT(error_of("exp(d * 1000)"), HasSubstr("the result is not finite at column 1"));
  EXPECT_THAT(error_of("pow(0 - d, 0.5)"), HasSubstr("not finite"));
}

TEST(RealExpr, Mistakes) {
  EXPECT_THAT(error_of("1 / sqrt(rowz)"), HasSubstr("unknown name 'rowz'; did you mean 'rows'? (column 10 of"));
  EXPECT_THAT(error_of("sqr(d)"), HasSubstr("unknown function 'sqr'; did you mean 'sqrt'?"));
  EXPECT_THAT(error_of("sqrt + 1"), HasSubstr("the function 'sqrt' must be followed by '(' at column 1"));
  EXPECT_THAT(error_of("pow(1)"), HasSubstr("'pow' takes 2 arguments"));
  EXPECT_THAT(error_of("sqrt(1, 2)"), HasSubstr("'sqrt' takes 1 argument"));
  EXPECT_THAT(error_of("min()"), HasSubstr("'min' takes 1 or more arguments"));
  EXPECT_THAT(error_of("1 +"), HasSubstr("the formula ends where a number, a name or '(' is expected at column 4"));
  EXPECT_THAT(error_of("(1"), HasSubstr("')' is expected"));
  EXPECT_THAT(error_of("1 2"), HasSubstr("unexpected '2' where the end or an operator is expected at column 3"));
  EXPECT_THAT(error_of("1.2.3"), HasSubstr("'1.2.3' is not a number"));
  EXPECT_THAT(error_of("0x10"), HasSubstr("'0x10' is not a number"));
  EXPECT_THAT(error_of("1e999"), HasSubstr("'1e999' does not fit a double"));
  EXPECT_THAT(error_of("d < 1 < 2"), HasSubstr("comparisons cannot be chained"));
  EXPECT_THAT(error_of("d ? 1"), HasSubstr("':' of the '?'"));
  EXPECT_THAT(error_of("log == 'nx'"), HasSubstr("unknown text 'nx'"));
  EXPECT_THAT(error_of("'nt"), HasSubstr("a quoted string without its closing quote"));
  EXPECT_THAT(error_of(""), HasSubstr("the formula ends"));
}

TEST(RealExpr, HostileTexts) {
  EXPECT_THAT(error_of(std::string(10000, '(')), HasSubstr("nested more than 200 deep"));
  EXPECT_THAT(error_of(std::string(10000, '-') + "1"), HasSubstr("nested more than 200 deep"));
  EXPECT_THAT(error_of(std::string(70000, ' ')), HasSubstr("longer than 64 KiB"));
  EXPECT_THAT(error_of(std::string("1\0", 2)), HasSubstr("unexpected"));
}

} // namespace
} // namespace warptune
