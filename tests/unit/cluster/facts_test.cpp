// JSON in the files of a run folder: any bytes can be written, and reading never fails.
#include "cluster/facts.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace warptune {
namespace {

TEST(Facts, AreReadAsWritten) {
  const std::string text = facts_text({{"error", "a\nb"}, {"best_us", 2.5}, {"session", 7}});
  EXPECT_EQ(text.find('\n'), std::string::npos) << "one line";
  EXPECT_EQ(fact_text(text, "error"), "a\nb");
  EXPECT_EQ(fact_number(text, "best_us"), 2.5);
  EXPECT_EQ(fact_number(text, "session"), 7);
  EXPECT_EQ(fact_integer(text, "session"), 7);
}

TEST(Facts, OfAnotherTypeAreNone) {
  const std::string text = facts_text({{"error", 5}, {"best_us", "x"}, {"session", 1e300}});
  EXPECT_EQ(fact_text(text, "error"), "");
  EXPECT_EQ(fact_number(text, "best_us"), 0);
  EXPECT_EQ(fact_integer(text, "session"), 0);
  for (const char* other : {"", "[]", "5", "{\"error\": "}) EXPECT_EQ(fact_text(std::string(other), "error"), "");
  EXPECT_EQ(fact_text(std::nullopt, "error"), "");
}

// As deep as this, a copy would overflow the stack.
TEST(Facts, AMemberWithAnythingInItIsNone) {
  constexpr std::size_t kDeep = 3'000'000;
  const std::string text = "{\"results\":" + std::string(kDeep, '[') + std::string(kDeep, ']') + ",\"error\":\"x\"}";
  EXPECT_EQ(fact_text(text, "results"), "");
  EXPECT_EQ(fact_text(text, "error"), "x");
}

TEST(Facts, TextsMayHaveAnyBytes) { EXPECT_EQ(fact_text(facts_text({{"error", "a\xff"}}), "error"), "a\xEF\xBF\xBD"); }

} // namespace
} // namespace warptune
