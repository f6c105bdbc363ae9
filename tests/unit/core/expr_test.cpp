#include "core/dtype.h"
#include "core/expr.h"

#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

namespace warptune {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

Scope test_scope() {
  Scope scope;
  for (const char* name : {"a", "b", "rows", "WARPS"}) scope.add_slot(name);
  scope.add_constant("fp32", static_cast<std::int64_t>(DType::fp32));
  scope.add_constant("bf16", static_cast<std::int64_t>(DType::bf16));
  scope.add_string("nt", 1000);
  scope.add_string("nn", 1001);
  return scope;
}

Result<std::int64_t> value_of(const std::string& text, std::int64_t a = 0, std::int64_t b = 0) {
  const Result<Expr> expr = Expr::parse(text, test_scope());
  if (!expr) return tl::make_unexpected(expr.error());
  const std::vector<std::int64_t> slots = {a, b, 4096, 8};
  return expr->evaluate(slots);
}

std::int64_t number(const std::string& text, std::int64_t a = 0, std::int64_t b = 0) {
  const auto value = value_of(text, a, b);
  EXPECT_TRUE(value.has_value()) << text << ": " << value.error().message;
  return value.value_or(-999);
}

std::string parse_error(const std::string& text) {
  const Result<Expr> expr = Expr::parse(text, test_scope());
  EXPECT_FALSE(expr.has_value()) << text;
  if (expr) return {};
  EXPECT_EQ(expr.error().kind, ErrorKind::bad_input);
  return expr.error().message;
}

// The error of evaluating a formula that parses.
std::string evaluation_error(const std::string& text, std::int64_t a = 0, std::int64_t b = 0) {
  const Result<Expr> expr = Expr::parse(text, test_scope());
  EXPECT_TRUE(expr.has_value()) << text << ": " << (expr ? "" : expr.error().message);
  if (!expr) return {};
  const std::vector<std::int64_t> slots = {a, b, 4096, 8};
  const auto value = expr->evaluate(slots);
  EXPECT_FALSE(value.has_value()) << text;
  std::int64_t ignored = 0;
  EXPECT_FALSE(expr->try_evaluate(slots, ignored));
  return value ? std::string() : value.error().message;
}

TEST(Expr, PrecedenceAndAssociativity) {
  EXPECT_EQ(number("1 + 2 * 3"), 7);
  EXPECT_EQ(number("(1 + 2) * 3"), 9);
  EXPECT_EQ(number("10 - 4 - 3"), 3);
  EXPECT_EQ(number("100 / 7 / 2"), 7);
  EXPECT_EQ(number("17 % 10 * 2"), 14);
  EXPECT_EQ(number("1 < 2 == 1"), 1);
  EXPECT_EQ(number("1 || 0 && 0"), 1);
  EXPECT_EQ(number("!0 + 1"), 2);
  EXPECT_EQ(number("-2 * -3"), 6);
  EXPECT_EQ(number("- - 2"), 2);
  EXPECT_EQ(number("0 ? 1 : 0 ? 2 : 3"), 3);
  EXPECT_EQ(number("1 ? 0 ? 5 : 6 : 7"), 6);
  EXPECT_EQ(number("not 1 or 2 and 3"), 1);
}

TEST(Expr, DivisionTruncates) {
  EXPECT_EQ(number("a / b", -7, 2), -3);
  EXPECT_EQ(number("a % b", -7, 2), -1);
  EXPECT_EQ(number("a / b", 7, -2), -3);
}

TEST(Expr, LogicYieldsZeroOrOne) {
  EXPECT_EQ(number("a && b", 5, 7), 1);
  EXPECT_EQ(number("a || b", 5, 0), 1);
  EXPECT_EQ(number("a || b", 0, 9), 1);
  EXPECT_EQ(number("a and b", 5, 0), 0);
  EXPECT_EQ(number("a or b", 0, 0), 0);
  EXPECT_EQ(number("!a", 5), 0);
  EXPECT_EQ(number("a >= b", 5, 5), 1);
}

TEST(Expr, EvaluatesOnlyWhatItNeeds) {
  EXPECT_EQ(number("b != 0 && a / b > 1", 5, 0), 0);
  EXPECT_EQ(number("b == 0 || a / b > 1", 5, 0), 1);
  EXPECT_EQ(number("b ? a / b : -1", 5, 0), -1);
  EXPECT_EQ(number("1 ? 2 : 1 / 0"), 2);
  EXPECT_EQ(number("0 && 1 / 0"), 0);
}

TEST(Expr, Functions) {
  EXPECT_EQ(number("min(3, a, 2)", 9), 2);
  EXPECT_EQ(number("max(3, a, 2)", 9), 9);
  EXPECT_EQ(number("min(7)"), 7);
  EXPECT_EQ(number("ceil_div(7, 2)"), 4);
  EXPECT_EQ(number("ceil_div(8, 2)"), 4);
  EXPECT_EQ(number("ceil_div(a, b)", -7, 2), -3);
  EXPECT_EQ(number("ceil_div(a, b)", 7, -2), -3);
  EXPECT_EQ(number("ceil_div(a, b)", -7, -2), 4);
  EXPECT_EQ(number("round_up(13, 8)"), 16);
  EXPECT_EQ(number("is_pow2(64) + is_pow2(0) + is_pow2(-8) + is_pow2(1)"), 2);
  EXPECT_EQ(number("log2(a)", 1025), 10);
  EXPECT_EQ(number("log2(1)"), 0);
  EXPECT_EQ(number("abs(a)", -4), 4);
  EXPECT_EQ(number("bytes(bf16) * 10 + bytes(fp32)"), 24);
}

TEST(Expr, NamesAndTexts) {
  EXPECT_EQ(number("rows / WARPS"), 512);
  EXPECT_EQ(number("a == 'nt'", 1000), 1);
  EXPECT_EQ(number("a == \"nn\"", 1000), 0);
  const auto expr = Expr::parse("WARPS * a + a", test_scope());
  ASSERT_TRUE(expr.has_value());
  EXPECT_EQ(expr->slots(), (std::vector<int>{0, 3}));
  EXPECT_FALSE(expr->is_constant());
  EXPECT_EQ(expr->text(), "WARPS * a + a");
  EXPECT_EQ(Expr().text(), "0");
  EXPECT_EQ(Expr::constant(-5).evaluate({}).value(), -5);
}

TEST(Expr, EdgesOfTheIntegers) {
  EXPECT_EQ(number("-9223372036854775808"), kMin);
  EXPECT_EQ(number("9223372036854775807"), kMax);
  EXPECT_EQ(number("a % b", kMin, -1), 0);
  EXPECT_THAT(evaluation_error("a / b", kMin, -1),
              HasSubstr("overflow of 64-bit integers at column 3 of 'a / b'; use smaller sizes"));
  EXPECT_THAT(evaluation_error("ceil_div(a, b)", kMin, -1), HasSubstr("overflow"));
  EXPECT_THAT(evaluation_error("round_up(a, b)", kMax, 2), HasSubstr("overflow"));
  EXPECT_THAT(evaluation_error("a + b", kMax, 1), HasSubstr("overflow"));
  EXPECT_THAT(evaluation_error("a - b", kMin, 1), HasSubstr("overflow"));
  EXPECT_THAT(evaluation_error("a * b", kMax, 2), HasSubstr("overflow"));
  EXPECT_THAT(evaluation_error("a * b", kMin, -1), HasSubstr("overflow"));
  EXPECT_THAT(evaluation_error("-a", kMin), HasSubstr("overflow"));
  EXPECT_THAT(evaluation_error("abs(a)", kMin), HasSubstr("overflow"));
  EXPECT_THAT(parse_error("9223372036854775808"), HasSubstr("does not fit 64 bits"));
  EXPECT_THAT(parse_error("9223372036854775807 + 1"), HasSubstr("overflow"));
}

TEST(Expr, DivisionByZero) {
  EXPECT_THAT(evaluation_error("a / b", 1, 0), HasSubstr("division by zero at column 3 of 'a / b'"));
  EXPECT_THAT(evaluation_error("a % b", 1, 0), HasSubstr("division by zero"));
  EXPECT_THAT(evaluation_error("ceil_div(a, b)", 1, 0), HasSubstr("division by zero"));
  EXPECT_THAT(evaluation_error("round_up(a, b)", 1, 0), HasSubstr("division by zero"));
  EXPECT_THAT(parse_error("a / 0"), HasSubstr("division by zero at column 3"));
  EXPECT_THAT(parse_error("a % (2 - 2)"), HasSubstr("division by zero"));
  EXPECT_THAT(parse_error("ceil_div(rows, 0)"), HasSubstr("division by zero"));
}

TEST(Expr, ArgumentsWithoutMeaning) {
  EXPECT_THAT(evaluation_error("log2(a)", 0), HasSubstr("log2 of a number below 1"));
  EXPECT_THAT(evaluation_error("bytes(a)", 99), HasSubstr("not a dtype"));
  EXPECT_THAT(evaluation_error("bytes(a)", -1), HasSubstr("not a dtype"));
  EXPECT_THAT(parse_error("log2(0)"), HasSubstr("log2"));
}

TEST(Expr, UnknownNamesSuggestTheNearest) {
  EXPECT_EQ(parse_error("2 * WARSP"), "unknown name 'WARSP'; did you mean 'WARPS'? (column 5 of '2 * WARSP')");
  EXPECT_EQ(parse_error("warps"), "unknown name 'warps'; did you mean 'WARPS'? (column 1 of 'warps')");
  EXPECT_EQ(parse_error("completely"), "unknown name 'completely' at column 1 of 'completely'");
  EXPECT_THAT(parse_error("mix(1, 2)"), HasSubstr("unknown function 'mix'; did you mean 'min'?"));
  EXPECT_THAT(parse_error("a == 'tn'"), HasSubstr("unknown text 'tn'; did you mean 'nt'?"));
  EXPECT_THAT(parse_error("min"), HasSubstr("function 'min' must be followed by '('"));
}

TEST(Expr, SyntaxErrorsSayWhere) {
  EXPECT_THAT(parse_error(""), HasSubstr("ends where a number, a name or '(' is expected at column 1"));
  EXPECT_THAT(parse_error("1 +"), HasSubstr("ends where"));
  EXPECT_THAT(parse_error("(1"), HasSubstr("')'"));
  EXPECT_THAT(parse_error("1 2"), HasSubstr("unexpected '2' where the end or an operator is expected at column 3"));
  EXPECT_THAT(parse_error("1 ? 2"), HasSubstr("':'"));
  EXPECT_THAT(parse_error("a < b < 3"), HasSubstr("chain of comparisons; join two"));
  EXPECT_THAT(parse_error("a < b < 3"), HasSubstr("or use parentheses (column 7 of 'a < b < 3')"));
  EXPECT_THAT(parse_error("a == b == 3"), HasSubstr("chain of comparisons"));
  EXPECT_THAT(parse_error("1.5"), HasSubstr("'1.5' is not an integer"));
  EXPECT_THAT(parse_error("0x10"), HasSubstr("not an integer"));
  EXPECT_THAT(parse_error("a = b"), HasSubstr("unexpected '='"));
  EXPECT_THAT(parse_error("a & b"), HasSubstr("unexpected '&'"));
  EXPECT_THAT(parse_error("a // b"),
              HasSubstr("formulas have no '//'; '/' already divides integers and truncates (column 3 of 'a // b')"));
  EXPECT_THAT(parse_error("a / / b"), HasSubstr("unexpected '/'"));
  EXPECT_THAT(parse_error("'nt"), HasSubstr("without its closing quote"));
  EXPECT_THAT(parse_error("ceil_div(1)"), HasSubstr("'ceil_div' takes 2 arguments"));
  EXPECT_THAT(parse_error("ceil_div(1, 2, 3)"), HasSubstr("takes 2 arguments"));
  EXPECT_THAT(parse_error("abs(1, 2)"), HasSubstr("takes 1 argument"));
  EXPECT_THAT(parse_error("min()"), HasSubstr("takes 1 or more arguments"));
  EXPECT_THAT(parse_error("and"), HasSubstr("unexpected 'and'"));
  EXPECT_THAT(parse_error(std::string("1 \xff")), HasSubstr("unexpected '?'"));
}

TEST(Expr, HostileSizesAreRefused) {
  EXPECT_THAT(parse_error(std::string(10000, '(') + "1"), HasSubstr("nested more than 200 deep"));
  EXPECT_THAT(parse_error(std::string(10000, '!') + "1"), HasSubstr("nested more than 200 deep"));
  EXPECT_THAT(parse_error(std::string(100000, ' ')), HasSubstr("longer than 64 KiB"));
  std::string deep = "a";
  for (int i = 0; i < 150; ++i) deep = "(1 + a * (2 < " + deep + "))";
  EXPECT_THAT(parse_error(deep), HasSubstr("nested"));
  std::string chain = "1";
  for (int i = 0; i < 150; ++i) chain = "a ? 1 : " + chain;
  EXPECT_EQ(number(chain), 1);
}

TEST(Expr, DerivedNamesAreEvaluatedWhereUsed) {
  Scope scope = test_scope();
  scope.add_derived("ratio", std::make_shared<const Expr>(*Expr::parse("rows / a", scope)));
  scope.add_derived("two", std::make_shared<const Expr>(Expr::constant(2)));
  const auto guarded = Expr::parse("a ? ratio : -1", scope);
  ASSERT_TRUE(guarded.has_value());
  EXPECT_EQ(guarded->slots(), (std::vector<int>{0, 2}));
  EXPECT_EQ(guarded->evaluate(std::vector<std::int64_t>{0, 0, 4096, 8}).value(), -1);
  EXPECT_EQ(guarded->evaluate(std::vector<std::int64_t>{4, 0, 4096, 8}).value(), 1024);
  const auto plain = Expr::parse("ratio * two", scope);
  ASSERT_TRUE(plain.has_value());
  EXPECT_THAT(plain->evaluate(std::vector<std::int64_t>{0, 0, 4096, 8}).error().message,
              HasSubstr("division by zero at column 6 of 'rows / a'"));
  EXPECT_FALSE(Expr::parse("rows / (two - 2)", scope).has_value());
}

TEST(Expr, ExplodingDerivedNamesAreRefused) {
  Scope scope = test_scope();
  std::string last = "a";
  std::string message;
  for (int i = 0; i < 60 && message.empty(); ++i) {
    const auto expr = Expr::parse(last + " + " + last, scope);
    if (!expr)
      message = expr.error().message;
    else
      scope.add_derived(last = "d" + std::to_string(i), std::make_shared<const Expr>(*expr));
  }
  EXPECT_THAT(message, HasSubstr("more than 100000 operations"));
}

TEST(Expr, TooFewValuesAreAnInternalError) {
  const auto expr = Expr::parse("WARPS", test_scope());
  ASSERT_TRUE(expr.has_value());
  const std::vector<std::int64_t> slots = {1, 2};
  EXPECT_EQ(expr->evaluate(slots).error().kind, ErrorKind::internal);
}

TEST(Expr, NamesOfAText) {
  EXPECT_EQ(expression_names("min(a, b) + a and 'x' == tile"), (std::vector<std::string>{"a", "b", "tile"}));
  EXPECT_TRUE(is_expression_keyword("ceil_div"));
  EXPECT_TRUE(is_expression_keyword("not"));
  EXPECT_FALSE(is_expression_keyword("rows"));
}

TEST(Scope, Names) {
  Scope scope = test_scope();
  EXPECT_EQ(scope.slot_count(), 4);
  EXPECT_EQ(scope.find_slot("b"), 1);
  EXPECT_EQ(scope.find_slot("fp32"), -1);
  EXPECT_EQ(scope.find_slot("nothing"), -1);
  EXPECT_TRUE(scope.contains("bf16"));
  EXPECT_EQ(scope.nearest("row"), "rows");
  EXPECT_EQ(scope.nearest("utterly_different"), "");
  EXPECT_EQ(*scope.find_string("nn"), 1001);
  EXPECT_EQ(scope.find_string("tt"), nullptr);
}

} // namespace
} // namespace warptune
