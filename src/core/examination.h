// Examination: a way to launch a configuration. It can reveal defects that one launch with the usual inputs may hide.
// `check` requests examinations from a device process, where a Backend runs them.
#pragma once

#include <string_view>
#include <vector>

namespace warptune {

enum class Examination {
  usual,        // inputs as the spec describes them
  twice,        // two launches with the same inputs must give bit-identical outputs
  nan,          // a few elements of each random floating-point input are NaN
  infinity,     // a few elements of each random floating-point input are infinite
  denormals,    // all elements of each random floating-point input are denormal
  zeros,        // all elements are 0
  large,        // all elements are so large that their squares are just within the type's range
  offset,       // buffers begin at the smallest offset that the spec allows
  dirty_shared, // shared memory is filled with NaNs before the launch
  bare,         // no guard zones, poisoned outputs or verdict: for compute-sanitizer, which examines the launch itself
};

struct ExaminationName {
  Examination what;
  std::string_view name; // "nan"; used in messages between processes
  std::string_view kind; // the kind of its findings: "nan-input"
  std::string_view with; // "with a NaN in its inputs"; for sentences
  std::string_view remedy;
};
// All examinations in the order in which `check` runs them; `bare` is last.
const std::vector<ExaminationName>& examinations();
const ExaminationName& name_of(Examination what);

} // namespace warptune
