// The columns for members of value types (core/members.h) in the tables of databases and packs. Up to schema
// kColumnsByScript, the SQL scripts create these columns. The column of a newer member is made from its row in the list
// of members, so a new field needs no SQL.
#pragma once

#include "core/device.h"
#include "core/trial.h"
#include "db/record_members.h"

#include <algorithm>
#include <string>
#include <vector>

namespace warptune::db {

inline constexpr int kColumnsByScript = 4; // the newest schema whose columns the scripts and pack.sql create
inline constexpr int kNewestScript = 9;    // number of the newest script in schema/

// Calls `f` for each value type that is stored with one column per member, with the name of its table.
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
// The version of the newest script or of the newest member, whichever is higher.
inline constexpr int kSchemaVersion = newest_schema();

struct MemberColumn {
  int since;
  std::string table, name, definition; // such as "trials", "sm_clock_min_mhz", "sm_clock_min_mhz REAL"
  std::string check;                   // "CHECK (...)" for new databases if the member has a range; else empty
};
// Returns the columns that no script creates, in the order of the lists of members.
std::vector<MemberColumn> member_columns();

} // namespace warptune::db
