// The file format of recordings, shared by writer and reader. The format stores columns, because rows would repeat
// every key. A column of equal values is stored as one value. Times are whole numbers of `unit_us`. Values that are
// close to each other are stored as differences.
#pragma once

#include "core/device.h"

#include <string_view>

namespace warptune::recording_format {

inline constexpr int kFormat = 1;
inline constexpr const char* kType = "warptune recording";
inline constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
enum Has : unsigned {
  kTiming = 1,
  kComplete = 2,
  kVerdict = 4,
  kCorrect = 8
}; // flags of a trial, stored together as one digit

// `later`: visit the members that the oldest recordings lack, which come last; otherwise visit the others.
template <class F> void for_each_device_scalar(bool later, F&& f) {
  for_each_scalar<DeviceInfo>([&](const auto& m) {
    if (m.name != std::string_view("uuid") && (m.traits.since > 1) == later) f(m);
  });
}

// A correct result records only worst_ratio; a wrong result records all members. Two of these members are in columns
// that all trials have: `correct` is in the column `has`, and `detail` in the column `evidence`.
inline bool is_recorded(const char* member, bool correct) {
  const std::string_view name = member;
  return name == "worst_ratio" || (!correct && name != "correct" && name != "detail");
}

} // namespace warptune::recording_format
