// Members: the fields of a value type, listed once, next to the type. Code that copies values field by field (messages
// to workers, recordings, databases, --json, the report) loops over this list. A new field therefore needs only one new
// row in the list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>

namespace warptune {

inline constexpr std::int64_t kMaxSteps = 1'000'000'000'000'000;

struct MemberTraits {
  bool unknown_at_0 = false; // 0 means "not known": null in JSON, an empty cell in a table
  int since = 1;             // the first database schema with the member; older files get its default value
  const char* column =
      nullptr; // name in the database; nullptr: same as `name`; "": not stored in the table of its type
  const char* recorded = nullptr; // name in a recording; nullptr: same as `name`
  // A recording stores the member as a whole multiple of 1 / steps. `steps` 0: a recording encodes the member in its
  // own way.
  double steps = 0;
  std::int64_t least = 0, most = kMaxSteps; // range of the multiple in a recording
};

// Databases and recordings store the names, so never change a name.
template <class Owner, class T> struct Member {
  using Value = T;
  const char* name;
  T Owner::*at;
  MemberTraits traits;

  constexpr const char* column() const { return traits.column ? traits.column : name; }
  constexpr const char* recorded() const { return traits.recorded ? traits.recorded : name; }
  constexpr bool has_column() const { return *column() != '\0'; }
};

template <class Owner, class T>
constexpr Member<Owner, T> member(const char* name, T Owner::*at, MemberTraits traits = {}) {
  return {name, at, traits};
}

// Inside a visitor: the type of the member's value.
template <class M> using MemberValue = typename std::remove_cvref_t<M>::Value;

// The list of a type's members: a tuple of Member. Specialised next to each type that has such a list.
template <class T> inline constexpr auto kMembers = nullptr;
template <class T>
concept HasMembers = !std::is_null_pointer_v<std::remove_const_t<decltype(kMembers<std::remove_const_t<T>>)>>;

// True for numbers and strings, which fit one table cell; false for lists, maps and types with members of their own.
template <class T>
concept Scalar = std::is_arithmetic_v<T> || std::is_same_v<T, std::string>;

template <class T, class F> constexpr void for_each_member(F&& f) {
  std::apply([&f](const auto&... members) { (f(members), ...); }, kMembers<std::remove_const_t<T>>);
}
template <class T, class F> constexpr void for_each_scalar(F&& f) {
  for_each_member<T>([&f](const auto& m) {
    if constexpr (Scalar<MemberValue<decltype(m)>>) f(m);
  });
}

// The stored name of a field.
template <class Owner, class T> constexpr const char* member_name(T Owner::*at) {
  const char* name = nullptr;
  for_each_member<Owner>([&](const auto& m) {
    if constexpr (std::is_same_v<MemberValue<decltype(m)>, T>)
      if (m.at == at) name = m.name;
  });
  return name;
}

// Counts the fields of an aggregate by finding how many initialisers it accepts.
struct AnyField {
  template <class T> operator T() const; // NOLINT(google-explicit-constructor): it must convert to any field's type
};
template <class T, class... Fields> constexpr std::size_t field_count() {
  if constexpr (requires { T{Fields{}..., AnyField{}}; })
    return field_count<T, Fields..., AnyField>();
  else
    return sizeof...(Fields);
}
template <class T> constexpr bool lists_every_field() {
  return field_count<T>() == std::tuple_size_v<std::remove_const_t<decltype(kMembers<T>)>>;
}

} // namespace warptune
