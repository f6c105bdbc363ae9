// The columns that members of values (core/members.h) add to the tables of a database and of a pack. Up to schema
// kColumnsByScript the scripts create them. The column of a later member is made from its entry in the list of members,
// so a new field needs no SQL.
#pragma once

#include "core/device.h"
#include "core/trial.h"
#include "db/record_members.h"

#include <algorithm>
#include <string>
#include <vector>

namespace warptune::db {

inline constexpr int kColumnsByScript = 4; // the schema whose columns pack.sql contains
inline constexpr int kNewestScript = 8;    // in schema/

// The values that are stored one column per member, each with its table.
template <class F> constexpr void for_each_stored(F&& f) {
  f.template operator()<Trial>("trials");
  f.template operator()<KernelResources>("trials");
  f.template operator()<Verdict>("trials");
  f.template operator()<Timing>("trials");
  f.template operator()<Profile>("profiles");
  f.template operator()<PowerReading>("power");
  f.template operator()<DeviceInfo>("devices");
  f.template operator()<DeviceLimits>("devices");
  f.template operator()<BestRecord>("best");
  f.template operator()<CheckRecord>("checks");
}

constexpr int newest_schema() {
  int newest = kNewestScript;
  for_each_stored([&newest]<class T>(const char*) {
    for_each_scalar<T>([&newest](const auto& m) {
      if (m.has_column()) newest = std::max(newest, m.traits.since);
    });
  });
  return newest;
}
// Returns the version of the newest script or of the newest member, whichever is later.
inline constexpr int kSchemaVersion = newest_schema();

struct MemberColumn {
  int since;
  std::string table, name, definition; // "trials", "sm_clock_min_mhz", "sm_clock_min_mhz REAL"
  std::string check; // the constraint "CHECK (...)" for new databases, if the member has a range; otherwise empty
};
// Returns the columns that no script creates, in the order of the lists.
std::vector<MemberColumn> member_columns();

} // namespace warptune::db
