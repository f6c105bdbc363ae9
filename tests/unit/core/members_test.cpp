#include "core/device.h"
#include "core/members.h"
#include "core/trial.h"

#include <gtest/gtest.h>
#include <set>
#include <string>

namespace warptune {
namespace {

struct Pair {
  int left = 0;
  std::string right;
};

TEST(Members, AForgottenRowDoesNotCompile) {
  static_assert(field_count<Pair>() == 2);
  static_assert(!HasMembers<Pair>);
  static_assert(HasMembers<const Timing>);
  static_assert(field_count<Trial>() == 13, "maps, lists and optional values count once");
}

template <class... T> void expect_names_differ() {
  std::multiset<std::string> columns;
  const auto collect = [&]<class One>(const One*) {
    std::set<std::string> names;
    for_each_member<One>([&](const auto& m) {
      EXPECT_TRUE(names.insert(m.name).second) << m.name << " stands twice";
      if (m.has_column()) columns.insert(m.column());
    });
  };
  (collect(static_cast<const T*>(nullptr)), ...);
  for (const std::string& column : columns) EXPECT_EQ(columns.count(column), 1U) << column;
}

TEST(Members, NamesAndColumnsOfARowDiffer) {
  expect_names_differ<Trial, KernelResources, Verdict, Timing>();
  expect_names_differ<DeviceInfo, DeviceLimits>();
  expect_names_differ<Profile>();
  expect_names_differ<PowerReading>();
}

TEST(Members, AreFoundByTheirPlace) {
  EXPECT_STREQ(member_name(&Timing::sm_clock_mhz), "sm_clock_mhz");
  EXPECT_STREQ(member_name(&Verdict::detail), "detail");
}

} // namespace
} // namespace warptune
