#include "interchange/python_expr.h"
#include "support/paths.h"

#include <fstream>
#include <gmock/gmock.h>
#include <random>

namespace warptune {
namespace {

using ::testing::HasSubstr;

std::shared_ptr<PyNames> names_of_table() {
  auto names = std::make_shared<PyNames>();
  const auto add = [&](const char* name, PyValue value, bool by_position) {
    names->params.push_back({name, {value}, by_position});
  };
  add("a", PyValue::of(std::int64_t{7}), false);
  add("b", PyValue::of(std::int64_t{-3}), false);
  add("c", PyValue::of(std::int64_t{0}), false);
  add("n", PyValue::of(std::int64_t{4096}), false);
  add("x", PyValue::of(2.5), true);
  add("y", PyValue::of(-0.75), true);
  add("s", PyValue::of(&*names->texts.insert("fast").first), true);
  add("t", PyValue::of(true), true);
  return names;
}
const std::vector<std::int64_t> kSlots = {7, -3, 0, 4096, 0, 0, 0, 0};

std::string outcome(const std::string& text) {
  const auto expr = PythonExpr::parse(text, names_of_table());
  if (!expr || expr->is_list()) return "error";
  PyValue value;
  const PyFault fault = expr->evaluate(kSlots.data(), value);
  EXPECT_EQ(fault == nullptr, expr->explain(kSlots.data()).empty()) << text;
  if (fault != nullptr) return "error";
  return value.is_text() ? "'" + *value.text + "'" : py_text(value);
}

// Values that CPython 3.11 computed with a=7, b=-3, c=0, n=4096, x=2.5, y=-0.75, s='fast', t=True. "error" means an
// exception, or a feature that is intentionally missing: integers beyond 64 bits, bit operators, None, string
// concatenation.
TEST(PythonExpr, AgreesWithPython) {
  std::ifstream in(test::data_dir() / "t1" / "python_values.tsv");
  ASSERT_TRUE(in.is_open());
  int lines = 0;
  for (std::string line; std::getline(in, line); ++lines) {
    const std::size_t tab = line.find('\t');
    const std::string text = line.substr(0, tab), expected = line.substr(tab + 1), got = outcome(text);
    const bool number = expected != "error" && got != "error" && expected.find_first_of("'TF") == std::string::npos;
    if (number && expected.find_first_of(".en") != std::string::npos)
      EXPECT_EQ(std::stod(got), std::stod(expected)) << text << ": " << got << " for " << expected;
    else
      EXPECT_EQ(got, expected) << text;
  }
  EXPECT_GT(lines, 400);
}

TEST(PythonExpr, WhatIsLeftOfConjunctions) {
  const auto parts = [](const std::string& text) {
    std::vector<std::vector<int>> params;
    for (const PythonExpr& part : PythonExpr::parse(text, names_of_table()).value().conjuncts())
      params.push_back(part.params());
    return params;
  };
  EXPECT_EQ(parts("a > 1 and (b > 2 and c > 3) and n > 4"), (std::vector<std::vector<int>>{{0}, {1}, {2}, {3}}));
  EXPECT_EQ(parts("a > 1 and b > 2 or c > 3"), (std::vector<std::vector<int>>{{0, 1, 2}}));
  EXPECT_EQ(parts("not (a and b)"), (std::vector<std::vector<int>>{{0, 1}}));
  EXPECT_EQ(parts("1 < 2"), (std::vector<std::vector<int>>{{}}));
}

// If a formula has a straight-line form, that form gives the same truth or defers to the formula.
TEST(PythonExpr, StraightLinesAgree) {
  std::ifstream in(test::data_dir() / "t1" / "python_values.tsv");
  auto names = names_of_table();
  std::mt19937 random(1);
  int usable = 0;
  for (std::string line; std::getline(in, line);) {
    const auto expr = PythonExpr::parse(line.substr(0, line.find('\t')), names);
    if (!expr || expr->is_list()) continue;
    IntegerProgram program;
    program.finish(expr->compile(program, 0), 1);
    if (!program.usable()) continue;
    ++usable;
    for (int i = 0; i < 50; ++i) {
      std::vector<std::int64_t> slots(8);
      for (std::size_t p = 0; p < 4; ++p) slots[p] = std::uniform_int_distribution<std::int64_t>(-9, 9)(random);
      if (!program.begin_row(slots.data())) continue;
      for (slots[1] = -3; slots[1] <= 3; ++slots[1]) {
        const auto truth = program.test(slots.data());
        PyValue value;
        if (truth == IntegerProgram::Truth::unknown) continue;
        const PyFault fault = expr->evaluate(slots.data(), value);
        ASSERT_TRUE(fault == nullptr) << line << ": " << fault;
        EXPECT_EQ(truth == IntegerProgram::Truth::yes, value.truthy()) << line;
      }
    }
  }
  EXPECT_GT(usable, 60);
}

TEST(PythonExpr, ErrorsSayWhere) {
  const auto error = [](const std::string& text) {
    const auto expr = PythonExpr::parse(text, names_of_table());
    return expr ? std::string("accepted") : expr.error().message;
  };
  EXPECT_EQ(error("a + nn"), "unknown name 'nn'; did you mean 'n'? (column 5 of 'a + nn')");
  EXPECT_EQ(error("a + "), "the formula ends where a number, a name, a list or '(' is expected at column 5 of 'a + '");
  EXPECT_EQ(error("a b"), "unexpected 'b' where the end or an operator is expected at column 3 of 'a b'");
  EXPECT_THAT(error("mni(a, 1)"), HasSubstr("unknown function 'mni'; did you mean 'min'?"));
  EXPECT_THAT(error("a & 1"), HasSubstr("'&' is not an operator that warptune supports in tuning files at column 3"));
  EXPECT_THAT(error("99999999999999999999 > a"), HasSubstr("does not fit 64 bits"));
  EXPECT_THAT(error("'abc"), HasSubstr("has no closing quote"));
  EXPECT_THAT(error("[a, 2] > 1"), HasSubstr("a list where a value is expected"));
  EXPECT_THAT(error("a in b in [1]"), HasSubstr("'in' inside a chain"));
  const auto expr = PythonExpr::parse("n // (a - 7) > 1", names_of_table());
  EXPECT_EQ(expr->explain(kSlots.data()), "division by zero at column 3 of 'n // (a - 7) > 1'");
}

TEST(PythonExpr, HostileTextsAreRefused) {
  const auto refused = [](const std::string& text) {
    const auto expr = PythonExpr::parse(text, names_of_table());
    if (!expr) return expr.error().message;
    if (expr->is_list()) return expr->list() ? std::string() : expr->list().error().message;
    return expr->explain(kSlots.data());
  };
  const auto repeat = [](const std::string& text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
  };
  EXPECT_THAT(refused(repeat("(", 30'000)), HasSubstr("nested more than 100 deep"));
  EXPECT_THAT(refused(repeat("not ", 16'000) + "a"), HasSubstr("nested more than 100 deep"));
  EXPECT_THAT(refused(repeat("-", 60'000) + "a"), HasSubstr("nested more than 100 deep"));
  EXPECT_THAT(refused(repeat("a ** ", 10'000) + "a"), HasSubstr("nested more than 100 deep"));
  EXPECT_THAT(refused(repeat("a + ", 10'000) + "a"), HasSubstr("more than 400 operators"));
  EXPECT_THAT(refused(repeat("a", 100'000)), HasSubstr("longer than 64 KiB"));
  EXPECT_THAT(refused("list(range(10 ** 18))"), HasSubstr("a list of more than 65536 values"));
  EXPECT_THAT(refused("[sum([i * j for i in range(60000)]) for j in range(60000)]"), HasSubstr("too many loop steps"));
  EXPECT_THAT(refused("sum([i for i in range(a * 10 ** 17)]) > 0"), HasSubstr("more than 65536 values"));
}

} // namespace
} // namespace warptune
