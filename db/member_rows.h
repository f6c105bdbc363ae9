// Stores the members of a value type as columns: lists the columns, and binds and reads them in the same order. Throws
// SQLite::Exception.
#pragma once

#include "core/members.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <limits>
#include <set>
#include <string>
#include <type_traits>

namespace warptune::db {

template <class T, class F> void for_each_column(F&& f) {
  for_each_scalar<T>([&f](const auto& m) {
    if (m.has_column()) f(m);
  });
}

using ColumnNames = std::set<std::string>;
inline ColumnNames columns_in(SQLite::Database& db, const std::string& table) {
  ColumnNames names;
  const SQLite::Statement all(db, "SELECT * FROM " + table);
  for (int i = 0; i < all.getColumnCount(); ++i) names.emplace(all.getColumnName(i));
  return names;
}

// Returns ", a, b", to be appended to the other columns of an INSERT.
template <class T> std::string columns_of() {
  std::string out;
  for_each_column<T>([&](const auto& m) { out += std::string(", ") + m.column(); });
  return out;
}

// Returns ", t.a, t.b", for a SELECT from a file of any schema version. If the table lacks the column of a newer
// member, NULL is selected in its place.
template <class T> std::string columns_of(const std::string& alias, const ColumnNames& present) {
  std::string out;
  for_each_column<T>([&](const auto& m) {
    const bool is_there = m.traits.since <= 1 || present.contains(m.column());
    out += ", " + (is_there ? alias + m.column() : "NULL");
  });
  return out;
}

// Returns ", ?, ?": one parameter for each column of columns_of<T>(). `null_at_0`: store NULL for a 0 that means "not
// known".
template <class T> std::string places_of(bool null_at_0 = false) {
  std::string out;
  for_each_column<T>([&](const auto& m) { out += null_at_0 && m.traits.unknown_at_0 ? ", nullif(?, 0.0)" : ", ?"; });
  return out;
}

// Returns "a = ? AND b = ?".
template <class T> std::string matches_of() {
  std::string out;
  for_each_column<T>([&](const auto& m) { out += std::string(out.empty() ? "" : " AND ") + m.column() + " = ?"; });
  return out;
}

// Returns ", a = ?, b = ?".
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

// Binds the parameters from number `i` on, and sets `i` to the next free one.
template <class T> void bind_members(SQLite::Statement& row, int& i, const T& value) {
  for_each_column<T>([&](const auto& m) {
    using Type = MemberValue<decltype(m)>;
    if constexpr (std::is_integral_v<Type>)
      row.bind(i++, static_cast<std::int64_t>(value.*m.at));
    else
      row.bind(i++, value.*m.at);
  });
}

// Reads the columns from number `i` on. SQLite stores NaN as NULL, so NULL is read as NaN. Exception: for a member that
// may be unknown or was added later, NULL means its default.
template <class T> void read_members(SQLite::Statement& row, int& i, T& value) {
  for_each_column<T>([&](const auto& m) {
    using Type = MemberValue<decltype(m)>;
    const SQLite::Column column = row.getColumn(i++);
    if (column.isNull() && (m.traits.unknown_at_0 || m.traits.since > 1)) return;
    if constexpr (std::is_same_v<Type, bool>)
      value.*m.at = column.getInt() != 0;
    else if constexpr (std::is_integral_v<Type>)
      value.*m.at = static_cast<Type>(column.getInt64());
    else if constexpr (std::is_floating_point_v<Type>)
      value.*m.at = column.isNull() ? std::numeric_limits<Type>::quiet_NaN() : column.getDouble();
    else
      value.*m.at = column.getString();
  });
}

} // namespace warptune::db
