// Examination: a way to launch a configuration that reveals defects which a single launch on usual inputs may hide.
// `check` requests examinations from a device process; a Backend carries them out.
#pragma once

#include <string_view>
#include <vector>

namespace warptune {

enum class Examination {
  usual,        // the inputs of the spec
  twice,        // the same inputs twice; the outputs must have the same bits
  nan,          // a few elements of each random floating-point input are NaN
  infinity,     // a few are infinite
  denormals,    // all are denormal
  zeros,        // all are 0
  large,        // all are so large that their squares are just within the type's range
  offset,       // buffers begin at the smallest offset that the spec allows
  dirty_shared, // shared memory holds NaNs before the launch
  bare,         // no guards, poison or verdict: for compute-sanitizer, which examines the launch
};

struct ExaminationName {
  Examination what;
  std::string_view name; // "nan": for messages between processes
  std::string_view kind; // the kind of its findings: "nan-input"
  std::string_view with; // "with a NaN in its inputs"
  std::string_view remedy;
};
// In the order in which `check` runs them; `bare` is last.
const std::vector<ExaminationName>& examinations();
const ExaminationName& name_of(Examination what);

} // namespace warptune
