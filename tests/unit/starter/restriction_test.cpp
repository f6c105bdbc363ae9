// Restrictions of Kernel Tuner scripts as formulas. Each converted formula is compared with Python's result.
#include "core/expr.h"
#include "starter/restriction.h"

#include <gmock/gmock.h>

namespace warptune {
namespace {

using testing::HasSubstr;

const Entries kParams = {{"A", "1,2,3"}, {"B", "1,2"}, {"flag", "0,1"}, {"D", "-1,2"}};

std::string converted(std::string_view restriction) {
  const auto formula = formula_of_restriction(restriction, kParams);
  return formula ? *formula : "refused: " + formula.error().message;
}

std::int64_t value(std::string_view restriction, std::int64_t a, std::int64_t b, std::int64_t flag) {
  Scope scope;
  for (const auto& [name, values] : kParams) scope.add_slot(name);
  const auto expr = Expr::parse(converted(restriction), scope);
  const std::int64_t slots[] = {a, b, flag, 2};
  return expr ? expr->evaluate(slots).value_or(-1) : -1;
}

TEST(StarterRestrictions, FormulasWithTheSameMeaningAreCopied) {
  for (const char* same :
       {"A * B >= 2", "not flag or (A * B + 32) * 4 <= 16384", "A % B == 0 and A != 3", "min(A, B, 2) == 2",
        "abs(A - B) < 2", "(A == 2) + (B == 2) == 1", "(flag or A == 2) == 1", "-A + B < 0", "A or B", "not (A == 2)",
        "(A > B) == (B > 1)", "abs(A - B) % 2 == 1", "not not flag"})
    EXPECT_EQ(converted(same), same);
}

TEST(StarterRestrictions, NotAppliesToTheWholeComparison) {
  EXPECT_EQ(converted("not A == 2"), "not (A == 2)");
  EXPECT_EQ(converted("not A > 2 and B > 1"), "not (A > 2) and B > 1");
  EXPECT_EQ(converted("not A % 2"), "not (A % 2)");
  EXPECT_EQ(converted("flag or not (A) + 1 == B"), "flag or not ((A) + 1 == B)");
  EXPECT_EQ(converted("not not A == 1"), "not not (A == 1)");
  EXPECT_EQ(value("not A == 2", 1, 1, 0), 1);
  EXPECT_EQ(value("not A == 2", 2, 1, 0), 0);
  EXPECT_EQ(value("not A > 2 and B > 1", 1, 2, 0), 1);
  EXPECT_EQ(value("not A % 2", 2, 1, 0), 1);
}

TEST(StarterRestrictions, OtherMeaningsAreRefused) {
  const char* const negative = "% of negative numbers";
  const char* const choice = "the result of `and` or `or` as a number";
  for (const auto& [restriction, why] :
       std::vector<std::pair<std::string, std::string>>{{"-A % 3 == 1", negative},
                                                        {"(A - B) % 4 == 1", negative},
                                                        {"A % (B - 4) == 1", negative},
                                                        {"D % 3 == 1", negative},
                                                        {"(A or B) == 2", choice},
                                                        {"2 * (A and flag) == 2", choice},
                                                        {"max(A or B, 1) == 2", choice},
                                                        {"-(A or B) < 0", choice},
                                                        {"A ** 2 > 4", "no **"},
                                                        {"A // 2 > 4", "truncates"},
                                                        {"A in [1, 2]", "no lists"},
                                                        {"A < B < 3", "a < b && b < c"},
                                                        {"A == B != 3", "a < b && b < c"}})
    EXPECT_THAT(converted(restriction), HasSubstr(why)) << restriction;
}

TEST(StarterRestrictions, OtherSyntaxIsRefused) {
  for (const auto& [restriction, why] :
       std::vector<std::pair<std::string, std::string>>{{"A in (1, 2)", "cannot have 'in' at column 3"},
                                                        {"A == True", "'True' is not in tune_params"},
                                                        {"A * 1.5 > B", "'1.5' is not an integer"},
                                                        {"A == 2.0", "'2.0' is not an integer"},
                                                        {"A & 1", "cannot have '&'"},
                                                        {"A is 2", "cannot have 'is'"},
                                                        {"+A > 2", "cannot have '+' at column 1"},
                                                        {"pow(A, 2) > 4", "it calls 'pow'"},
                                                        {"len('abc') == A", "it calls 'len'"},
                                                        {"A == 'x'", "cannot have 'x'"},
                                                        {"min(A) == 2", "number of arguments"},
                                                        {"max() == 2", "cannot have ')'"},
                                                        {"A == not B", "cannot have"},
                                                        {"A ==", "incomplete"},
                                                        {"(A == 2", "incomplete"},
                                                        {"", "incomplete"},
                                                        {"A % 0 == 1", "division by zero"},
                                                        {"other > 2", "'other' is not in tune_params"},
                                                        {std::string(100'000, '(') + "A", "nested too deeply"},
                                                        {std::string(100'000, '-') + "A", "nested too deeply"}})
    EXPECT_THAT(converted(restriction), HasSubstr(why)) << restriction.substr(0, 100);
}

} // namespace
} // namespace warptune
