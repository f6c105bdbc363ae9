#include "db/member_columns.h"

#include <fmt/format.h>
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

// The CHECK for the range that the member's traits declare. NULL passes a CHECK.
template <class Value> std::string range_check(const std::string& column, const MemberTraits& traits) {
  if constexpr (std::is_same_v<Value, bool>) return "CHECK (" + column + " IN (0, 1))";
  if constexpr (!std::is_arithmetic_v<Value>) return {};
  if (traits.steps > 0)
    return fmt::format("CHECK ({} BETWEEN {} AND {})", column, static_cast<double>(traits.least) / traits.steps,
                       static_cast<double>(traits.most) / traits.steps);
  return traits.unknown_at_0 && traits.least == 0 ? "CHECK (" + column + " >= 0)" : std::string();
}

} // namespace

std::vector<MemberColumn> member_columns() {
  std::vector<MemberColumn> columns;
  for_each_stored([&columns]<class T>(const char* table) {
    for_each_scalar<T>([&](const auto& m) {
      // Never NOT NULL: older rows, and rows without such a value, hold NULL.
      if (!m.has_column() || m.traits.since <= kColumnsByScript) return;
      using Value = MemberValue<decltype(m)>;
      const std::string name = m.column();
      columns.push_back(
          {m.traits.since, table, name, name + " " + sql_type<Value>(), range_check<Value>(name, m.traits)});
    });
  });
  return columns;
}

} // namespace warptune::db
