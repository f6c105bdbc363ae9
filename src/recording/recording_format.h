// The recording's file format, shared by its writer and its reader. It stores columns, because JSON rows would repeat
// every key. A scalar represents a column of equal values. Times are whole numbers of `unit_us`. Close values are
// stored as differences.
#pragma once

#include "core/device.h"

#include <string_view>

namespace warptune::recording_format {

inline constexpr int kFormat = 1;
inline constexpr const char* kType = "warptune recording";
inline constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
enum Has : unsigned { kTiming = 1, kComplete = 2, kVerdict = 4, kCorrect = 8 }; // flags of a trial, stored as one digit

// `later`: the members that the oldest recordings lack; they come last.
template <class F> void for_each_device_scalar(bool later, F&& f) {
  for_each_scalar<DeviceInfo>([&](const auto& m) {
    if (m.name != std::string_view("uuid") && (m.traits.since > 1) == later) f(m);
  });
}

// A correct result records only worst_ratio; a wrong one also records what was wrong. The column `has` stores whether
// the result was correct; the column `evidence` stores the sentence (`detail`).
inline bool is_recorded(const char* member, bool correct) {
  const std::string_view name = member;
  return name == "worst_ratio" || (!correct && name != "correct" && name != "detail");
}

} // namespace warptune::recording_format
