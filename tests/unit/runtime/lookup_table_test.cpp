#include "runtime/lookup_table.h"

#include <gtest/gtest.h>
#include <thread>

namespace warptune {
namespace {

TEST(LookupTable, TellsTheBordersOfTheTextsApart) {
  LookupTable<const int> table;
  const int value = 1;
  table.insert({"ab", "c", "", "", 7}, &value);
  EXPECT_EQ(table.find({"ab", "c", "", "", 7}), &value);
  EXPECT_EQ(table.find({"a", "bc", "", "", 7}), nullptr);
  EXPECT_EQ(table.find({"ab", "", "c", "", 7}), nullptr);
  EXPECT_EQ(table.find({"ab", "c", "", "", 8}), nullptr);
}

TEST(LookupTable, GrowsUnderReaders) {
  constexpr int kEntries = 3000;
  std::vector<int> values(kEntries);
  LookupTable<const int> table;
  std::atomic<int> inserted{0};
  std::vector<std::thread> readers;
  for (int r = 0; r < 3; ++r)
    readers.emplace_back([&] {
      for (int seen = 0; seen < kEntries; seen = inserted.load(std::memory_order_acquire))
        for (int i = 0; i < seen; i += 1 + seen / 50) {
          const std::string shape = "n=" + std::to_string(i);
          ASSERT_EQ(table.find({"kernel", shape, "fp32", "", 1}), &values[static_cast<std::size_t>(i)]);
        }
    });
  for (int i = 0; i < kEntries; ++i) {
    const std::string shape = "n=" + std::to_string(i);
    table.insert({"kernel", shape, "fp32", "", 1}, &values[static_cast<std::size_t>(i)]);
    inserted.store(i + 1, std::memory_order_release);
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(table.size(), static_cast<std::size_t>(kEntries));
}

} // namespace
} // namespace warptune
