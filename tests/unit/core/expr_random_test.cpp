// Random formulas, compared with an evaluator that walks the tree from which they were written.
#include "core/expr.h"

#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace warptune {
namespace {

__extension__ using Int = __int128;
constexpr std::array<std::int64_t, 6> kEdges = {0, 1, -1, 7, INT64_MAX, INT64_MIN};

struct Tree {
  std::string op; // "" for a leaf
  int slot = -1;
  std::int64_t value = 0;
  std::vector<Tree> args;
};

std::optional<std::int64_t> narrow(Int x) {
  if (x < INT64_MIN || x > INT64_MAX) return std::nullopt;
  return static_cast<std::int64_t>(x);
}

Int ceil_div(Int a, Int b) {
  const Int q = a / b;
  return a % b != 0 && ((a < 0) == (b < 0)) ? q + 1 : q;
}

std::optional<std::int64_t> naive(const Tree& t, const std::vector<std::int64_t>& slots) {
  if (t.op.empty()) return t.slot >= 0 ? slots[static_cast<std::size_t>(t.slot)] : t.value;
  const auto first = naive(t.args[0], slots);
  if (!first) return std::nullopt;
  const Int a = *first;
  if (t.op == "?") return naive(t.args[a != 0 ? 1 : 2], slots);
  if (t.op == "&&" && a == 0) return 0;
  if (t.op == "||" && a != 0) return 1;
  if (t.op == "-u") return narrow(-a);
  if (t.op == "!") return a == 0;
  if (t.op == "abs") return narrow(a < 0 ? -a : a);
  if (t.op == "is_pow2") return a > 0 && (a & (a - 1)) == 0;
  if (t.op == "log2") {
    if (a <= 0) return std::nullopt;
    std::int64_t bits = 0;
    for (Int x = a; x > 1; x /= 2) ++bits;
    return bits;
  }
  const auto second = naive(t.args[1], slots);
  if (!second) return std::nullopt;
  const Int b = *second;
  if (t.op == "&&" || t.op == "||") return b != 0;
  if (t.op == "+") return narrow(a + b);
  if (t.op == "-") return narrow(a - b);
  if (t.op == "*") return narrow(a * b);
  if (t.op == "min") return narrow(a < b ? a : b);
  if (t.op == "max") return narrow(a > b ? a : b);
  if (t.op == "<") return a < b;
  if (t.op == "<=") return a <= b;
  if (t.op == ">") return a > b;
  if (t.op == ">=") return a >= b;
  if (t.op == "==") return a == b;
  if (t.op == "!=") return a != b;
  if (b == 0) return std::nullopt;
  if (t.op == "/") return narrow(a / b);
  if (t.op == "%") return narrow(a % b);
  if (t.op == "ceil_div") return narrow(ceil_div(a, b));
  // round_up: the quotient must fit as well.
  return narrow(ceil_div(a, b)) ? narrow(ceil_div(a, b) * b) : std::nullopt;
}

class Generator {
 public:
  explicit Generator(std::uint32_t seed) : random_(seed) {}

  Tree tree(int depth) {
    static const std::vector<std::string> ops = {"+",        "-",        "*",  "/",  "%",  "<",   "<=",   ">",
                                                 ">=",       "==",       "!=", "&&", "||", "min", "max",  "abs",
                                                 "ceil_div", "round_up", "-u", "!",  "?",  "-u",  "log2", "is_pow2"};
    Tree t;
    if (depth == 0 || pick(5) == 0) {
      if (pick(2))
        t.slot = pick(3);
      else
        t.value = pick(4) ? pick(20) - 4 : kEdges[static_cast<std::size_t>(pick(6))];
      return t;
    }
    t.op = ops[static_cast<std::size_t>(pick(static_cast<int>(ops.size())))];
    const bool one = t.op == "-u" || t.op == "!" || t.op == "abs" || t.op == "log2" || t.op == "is_pow2";
    for (int i = 0; i < (t.op == "?" ? 3 : one ? 1 : 2); ++i) t.args.push_back(tree(depth - 1));
    return t;
  }

  int pick(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }

 private:
  std::mt19937 random_;
};

std::string written(const Tree& t) {
  if (t.op.empty())
    return t.slot >= 0 ? std::string(1, static_cast<char>('a' + t.slot)) : "(" + std::to_string(t.value) + ")";
  if (t.op == "?") return "(" + written(t.args[0]) + " ? " + written(t.args[1]) + " : " + written(t.args[2]) + ")";
  if (t.op == "-u") return "(-" + written(t.args[0]) + ")";
  if (t.op == "!") return "(not " + written(t.args[0]) + ")";
  if (t.op[0] >= 'a' && t.op[0] <= 'z') {
    std::string text = t.op + "(";
    for (std::size_t i = 0; i < t.args.size(); ++i) text += (i ? ", " : "") + written(t.args[i]);
    return text + ")";
  }
  return "(" + written(t.args[0]) + " " + t.op + " " + written(t.args[1]) + ")";
}

TEST(ExprRandom, AgreesWithATreeWalk) {
  Scope scope;
  for (const char* name : {"a", "b", "c"}) scope.add_slot(name);
  Generator generator(20260101);
  int values = 0, failures = 0, refused = 0;
  for (int i = 0; i < 20000; ++i) {
    const Tree tree = generator.tree(1 + generator.pick(6));
    const std::string text = written(tree);
    const auto expr = Expr::parse(text, scope);
    if (!expr) ++refused;
    for (int k = 0; k < 4; ++k) {
      std::vector<std::int64_t> slots;
      for (int s = 0; s < 3; ++s)
        slots.push_back(generator.pick(4) ? generator.pick(40) - 10
                                          : kEdges[static_cast<std::size_t>(generator.pick(6))]);
      const auto expected = naive(tree, slots);
      if (!expr) {
        // The parser refuses only formulas that fail for all values.
        ASSERT_FALSE(expected.has_value()) << text << ": " << expr.error().message;
        continue;
      }
      const auto value = expr->evaluate(slots);
      ASSERT_EQ(value.has_value(), expected.has_value()) << text;
      if (expected) {
        ASSERT_EQ(*value, *expected) << text;
        ++values;
      } else {
        ++failures;
      }
    }
  }
  EXPECT_GT(values, 10000);
  EXPECT_GT(failures, 1000);
  EXPECT_GT(refused, 10);
}

} // namespace
} // namespace warptune
