// The table of selections: readers find each value under exactly its key while the writer runs.
#include "runtime/operation_table.h"

#include <gtest/gtest.h>
#include <thread>

namespace warptune::test {
namespace {

TEST(OperationTable, EveryPartOfTheKeyTellsApart) {
  OperationTable<const int> table;
  const std::array<std::int64_t, 2> a{128, 64}, b{64, 128};
  const int first = 1, second = 2, third = 3, fourth = 4;
  table.put({a, 16, 7}, &first);
  table.put({b, 16, 7}, &second);
  table.put({a, 8, 7}, &third);
  table.put({a, 16, 8}, &fourth);
  EXPECT_EQ(table.find({a, 16, 7}), &first);
  EXPECT_EQ(table.find({b, 16, 7}), &second);
  EXPECT_EQ(table.find({a, 8, 7}), &third);
  EXPECT_EQ(table.find({a, 16, 8}), &fourth);
  EXPECT_EQ(table.find({b, 8, 7}), nullptr);
  EXPECT_EQ(table.size(), 4u);
}

TEST(OperationTable, WithdrawnAndPutAgain) {
  OperationTable<const int> table;
  const std::array<std::int64_t, 1> n{5};
  const int first = 1, second = 2;
  table.withdraw({n, 16, 1}); // it is not there: no effect
  table.put({n, 16, 1}, &first);
  table.withdraw({n, 16, 1});
  table.withdraw({n, 16, 1});
  EXPECT_EQ(table.find({n, 16, 1}), nullptr);
  EXPECT_EQ(table.find_withdrawn({n, 16, 1}), &first);
  table.put({n, 16, 1}, &second);
  EXPECT_EQ(table.find({n, 16, 1}), &second);
  EXPECT_EQ(table.size(), 1u);
}

TEST(OperationTable, AKernelWithMoreDimsThanUsual) {
  OperationTable<const int> table;
  std::vector<std::int64_t> dims(40, 3);
  const int first = 1, second = 2;
  table.put({dims, 16, 1}, &first);
  dims.back() = 4;
  EXPECT_EQ(table.find({dims, 16, 1}), nullptr);
  table.put({dims, 16, 1}, &second);
  EXPECT_EQ(table.find({dims, 16, 1}), &second);
  dims.back() = 3;
  EXPECT_EQ(table.find({dims, 16, 1}), &first);
}

TEST(OperationTable, AKernelWithoutDims) {
  OperationTable<const int> table;
  const int value = 1;
  EXPECT_EQ(table.find({{}, 16, 1}), nullptr);
  table.put({{}, 16, 1}, &value);
  EXPECT_EQ(table.find({{}, 16, 1}), &value);
}

TEST(OperationTable, ReadersBesideAWriter) {
  OperationTable<const int> table;
  constexpr std::int64_t kCount = 5000;
  const std::vector<int> values(kCount);
  std::atomic<std::int64_t> put{0};
  std::vector<std::thread> readers;
  for (int t = 0; t < 3; ++t)
    readers.emplace_back([&] {
      for (std::int64_t seen = 0; seen < kCount; seen = put.load(std::memory_order_acquire))
        for (std::int64_t i = 0; i < seen; i += 1 + seen / 50) {
          const std::array<std::int64_t, 3> dims{i, i * 4096, 1};
          ASSERT_EQ(table.find({dims, 16, 3}), &values[static_cast<std::size_t>(i)]);
        }
    });
  for (std::int64_t i = 0; i < kCount; ++i) {
    const std::array<std::int64_t, 3> dims{i, i * 4096, 1};
    table.put({dims, 16, 3}, &values[static_cast<std::size_t>(i)]);
    put.store(i + 1, std::memory_order_release);
  }
  for (std::thread& reader : readers) reader.join();
}

} // namespace
} // namespace warptune::test
