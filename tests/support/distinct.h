// Values whose members all differ from each other and from their defaults, and a comparison member by member: for tests
// that check that a value is stored completely. The values and the comparison both use kMembers, so they include every
// new member.
#pragma once

#include "core/device.h"
#include "core/members.h"
#include "core/trial.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warptune::test {

class Distinct {
 public:
  template <class T> T make() {
    T value;
    fill(value);
    return value;
  }

 private:
  void fill(bool& value) { value = !value; }
  void fill(std::string& value) { value = "text " + std::to_string(++last_); }
  void fill(TrialStatus& value) { value = TrialStatus::ok; } // ok, because trials with another status have no timing
  void fill(std::vector<float>& value) { value = {static_cast<float>(++last_), static_cast<float>(++last_)}; }
  void fill(Config& value) { value = {++last_, ++last_}; }
  void fill(std::map<std::string, double>& value) { value = {{"a metric", static_cast<double>(++last_)}}; }
  void fill(Roofs& value) {
    for (const RoofName& roof : roof_names()) value.*roof.member = static_cast<double>(++last_);
  }
  template <class T> void fill(std::optional<T>& value) { fill(value.emplace()); }
  template <class T> void fill(T& value) {
    if constexpr (HasMembers<T>)
      for_each_member<T>([&](const auto& m) { fill(value.*m.at); });
    else
      value = static_cast<T>(++last_);
  }

  int last_ = 0;
};

// `left_out`: names of members that the code under test does not store.
template <class T>
void expect_same(const T& got, const T& want, const std::vector<std::string>& left_out = {},
                 const std::string& name = "value") {
  if constexpr (HasMembers<T>) {
    for_each_member<T>([&](const auto& m) {
      if (std::find(left_out.begin(), left_out.end(), m.name) == left_out.end())
        expect_same(got.*m.at, want.*m.at, left_out, name + "." + m.name);
    });
  } else if constexpr (requires { want.has_value(); }) {
    ASSERT_EQ(got.has_value(), want.has_value()) << name;
    if (got) expect_same(*got, *want, left_out, name);
  } else if constexpr (std::is_floating_point_v<T>) {
    EXPECT_DOUBLE_EQ(static_cast<double>(got), static_cast<double>(want)) << name;
  } else if constexpr (std::is_same_v<T, Roofs>) {
    for (const RoofName& roof : roof_names()) EXPECT_EQ(got.*roof.member, want.*roof.member) << roof.name;
  } else {
    EXPECT_EQ(got, want) << name;
  }
}
} // namespace warptune::test
