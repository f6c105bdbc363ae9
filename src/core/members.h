// Members: the fields of a value type, listed once and beside it. Whatever copies such values field by field (messages
// to workers, recordings, databases, --json, the report) walks the list, so a new field is one row of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>

namespace warptune {

inline constexpr std::int64_t kMaxSteps = 1'000'000'000'000'000;

struct MemberTraits {
  bool unknown_at_0 = false;      // 0 says "not known": null in JSON, an empty cell in a table
  int since = 1;                  // the first schema with the member; older files lack it, and it keeps its default
  const char* column = nullptr;   // in the database; nullptr: as the name; "": not in the row of its type
  const char* recorded = nullptr; // in a recording; nullptr: as the name
  double steps = 0; // a recording keeps whole multiples of 1 / steps; 0: it has a code of its own for the member
  std::int64_t least = 0, most = kMaxSteps; // of the multiples that a recording may hold
};

// Names are stored in databases and recordings: never change one.
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

// Of the member that a visitor is given.
template <class M> using MemberValue = typename std::remove_cvref_t<M>::Value;

// The list of a type, a tuple of Member; specialised beside each type that has one.
template <class T> inline constexpr auto kMembers = nullptr;
template <class T>
concept HasMembers = !std::is_null_pointer_v<std::remove_const_t<decltype(kMembers<std::remove_const_t<T>>)>>;

// Numbers and texts: what fits a cell. The other members are lists, maps and values with members of their own.
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

// How many fields an aggregate has: as many as it takes initializers.
struct AnyField {
  template <class T> operator T() const; // NOLINT(google-explicit-constructor): it stands for any initialiser
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
