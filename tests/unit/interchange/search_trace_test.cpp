#include "interchange/search_trace.h"

#include <cmath>
#include <gmock/gmock.h>

namespace warptune {
namespace {

using testing::HasSubstr;

TEST(SearchTrace, WrittenAsOtherToolsReadIt) {
  SearchTrace trace{"gemm__A100", "random", 7, {{1, 2.5, 0.5}, {4, 1.25, 3}}, 9};
  EXPECT_EQ(write_search_trace(trace),
            R"({"space": "gemm__A100", "strategy": "random", "seed": 7, )"
            R"("trace": [[1, 2.5], [4, 1.25]], "spent_s": [0.500, 3.000], "total_s": 9.000})");
  for (auto& i : trace.improvements) i.spent_s = NAN;
  EXPECT_EQ(write_search_trace(trace),
            R"({"space": "gemm__A100", "strategy": "random", "seed": 7, "trace": [[1, 2.5], [4, 1.25]]})");
}

TEST(SearchTrace, ReadsWhatIsWrittenAndSkipsEmptyLines) {
  const SearchTrace trace{"s", "a \"b\"", 0, {{3, 0.1, 1.5}}, 2};
  const auto read =
      read_search_traces(write_search_trace(trace) + "\n\n" + write_search_trace({"t", "b", 1, {}}) + "\n");
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ((*read)[0].strategy, "a \"b\"");
  EXPECT_EQ((*read)[0].improvements[0].evaluations, 3);
  EXPECT_EQ((*read)[0].improvements[0].best_ms, 0.1);
  EXPECT_EQ((*read)[0].improvements[0].spent_s, 1.5);
  EXPECT_EQ((*read)[0].spent_s, 2);
  EXPECT_TRUE((*read)[1].improvements.empty());
}

TEST(SearchTrace, OtherLinesAreNamed) {
  for (const char* line : {"x", "[]", "{}", R"({"space": "s", "strategy": "a", "seed": 0, "trace": [[1]]})",
                           R"({"space": "s", "strategy": "a", "seed": 0, "trace": [[2, 5], [1, 4]]})",
                           R"({"space": "s", "strategy": "a", "seed": 0, "trace": [[0, 5]]})",
                           R"({"space": "s", "strategy": "a", "seed": 0, "trace": [[1, -5]]})"}) {
    const auto read = read_search_traces("\n" + std::string(line));
    ASSERT_FALSE(read) << line;
    EXPECT_THAT(read.error().message, HasSubstr("line 2 is not a trace")) << line;
  }
}

} // namespace
} // namespace warptune
