// Members as columns: the columns of a value's members, by name, and how they are bound and read in the same order.
// Throws SQLite::Exception.
#pragma once

#include "core/members.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <limits>
#include <string>
#include <type_traits>

namespace warptune::db {

template <class T, class F> void for_each_column(F&& f) {
  for_each_scalar<T>([&f](const auto& m) {
    if (m.has_column()) f(m);
  });
}

// ", a, b": behind other columns of an INSERT, or of a SELECT where `table` is "t.". A column that the schema of the
// file lacks is NULL.
template <class T> std::string columns_of(const std::string& table = "", int schema = std::numeric_limits<int>::max()) {
  std::string out;
  for_each_column<T>([&](const auto& m) { out += ", " + (m.traits.since <= schema ? table + m.column() : "NULL"); });
  return out;
}

// ", ?, ?": as many as the columns of columns_of<T>(). `null_at_0`: what is not known is NULL and not 0.
template <class T> std::string places_of(bool null_at_0 = false) {
  std::string out;
  for_each_column<T>([&](const auto& m) { out += null_at_0 && m.traits.unknown_at_0 ? ", nullif(?, 0.0)" : ", ?"; });
  return out;
}

// "a = ? AND b = ?"
template <class T> std::string matches_of() {
  std::string out;
  for_each_column<T>([&](const auto& m) { out += std::string(out.empty() ? "" : " AND ") + m.column() + " = ?"; });
  return out;
}

// ", a = ?, b = ?"
template <class T> std::string settings_of() {
  std::string out;
  for_each_column<T>([&](const auto& m) { out += std::string(", ") + m.column() + " = ?"; });
  return out;
}

template <class T> int column_count() {
  int count = 0;
  for_each_column<T>([&](const auto&) { ++count; });
  return count;
}

// From place `i` on, which moves behind them.
template <class T> void bind_members(SQLite::Statement& row, int& i, const T& value) {
  for_each_column<T>([&](const auto& m) {
    using Value = MemberValue<decltype(m)>;
    if constexpr (std::is_integral_v<Value>)
      row.bind(i++, static_cast<std::int64_t>(value.*m.at));
    else
      row.bind(i++, value.*m.at);
  });
}

// NULL stands for "not a number": SQLite stores NaN so. In a member that is not known, or that joined later, it is the
// default.
template <class T> void read_members(SQLite::Statement& row, int& i, T& value) {
  for_each_column<T>([&](const auto& m) {
    using Value = MemberValue<decltype(m)>;
    const SQLite::Column column = row.getColumn(i++);
    if (column.isNull() && (m.traits.unknown_at_0 || m.traits.since > 1)) return;
    if constexpr (std::is_same_v<Value, bool>)
      value.*m.at = column.getInt() != 0;
    else if constexpr (std::is_integral_v<Value>)
      value.*m.at = static_cast<Value>(column.getInt64());
    else if constexpr (std::is_floating_point_v<Value>)
      value.*m.at = column.isNull() ? std::numeric_limits<Value>::quiet_NaN() : column.getDouble();
    else
      value.*m.at = column.getString();
  });
}

} // namespace warptune::db
