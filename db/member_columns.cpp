#include "db/member_columns.h"

#include <type_traits>

namespace warptune::db {
namespace {

template <class Value> constexpr const char* sql_type() {
  if constexpr (std::is_integral_v<Value>)
    return "INTEGER";
  else if constexpr (std::is_floating_point_v<Value>)
    return "REAL";
  else
    return "TEXT";
}

} // namespace

std::vector<MemberColumn> member_columns() {
  std::vector<MemberColumn> columns;
  for_each_stored([&columns]<class T>(const char* table) {
    for_each_scalar<T>([&](const auto& m) {
      // NULL where rows are older, or have no such value: never NOT NULL.
      if (m.has_column() && m.traits.since > kColumnsByScript)
        columns.push_back(
            {m.traits.since, table, std::string(m.column()) + " " + sql_type<MemberValue<decltype(m)>>()});
    });
  });
  return columns;
}

} // namespace warptune::db
