// Examination: one way to launch a configuration that shows a defect which a single launch on usual inputs may hide.
// `check` asks a device process for them; a Backend carries them out.
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
  large,        // all are so large that their squares almost leave the type's range
  offset,       // buffers begin at the smallest offset that the spec allows
  dirty_shared, // shared memory holds NaNs before the launch
  bare,         // no guards and no poison around the launch, and no verdict: for compute-sanitizer, which examines it
};

struct ExaminationName {
  Examination what;
  std::string_view name; // "nan": for messages between processes
  std::string_view kind; // the kind of its findings: "nan-input"
  std::string_view with; // "with a NaN in its inputs"
  std::string_view remedy;
};
// In the order in which `check` makes them; `bare` is the last.
const std::vector<ExaminationName>& examinations();
const ExaminationName& name_of(Examination what);

} // namespace warptune
