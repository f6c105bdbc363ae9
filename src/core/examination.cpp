#include "core/examination.h"

#include <algorithm>

namespace warptune {

const std::vector<ExaminationName>& examinations() {
  static const std::vector<ExaminationName> all = {
      {Examination::usual, "usual", "wrong-result", "on its usual inputs",
       "correct the kernel, the reference or the tolerance"},
      {Examination::twice, "twice", "nondeterminism", "in two launches on the same inputs",
       "look for races, for floating-point atomics, and for reads of memory that was never written"},
      {Examination::nan, "nan", "nan-input", "with a NaN in its inputs",
       "check that the kernel treats NaN in comparisons and min/max operations as the reference does; fast-math "
       "options assume that there is no NaN"},
      {Examination::infinity, "infinity", "infinite-input", "with an infinity in its inputs",
       "look for differences and products of infinities that the reference does not compute"},
      {Examination::denormals, "denormals", "denormal-input", "on denormal inputs",
       "look for --use_fast_math or -ftz=true, which make denormals 0"},
      {Examination::zeros, "zeros", "zero-input", "on zeros", "look for divisions by a sum, a norm or a variance of 0"},
      {Examination::large, "large", "large-input", "on large values",
       "look for intermediate results that exceed the range of their type"},
      {Examination::offset, "offset", "pointer-offset", "with buffers at the smallest offset that the spec allows",
       "state a larger `align` for the buffer, or load, one at a time, the elements that precede the first whole "
       "vector"},
      {Examination::dirty_shared, "dirty_shared", "dirty-shared-memory", "with NaNs in shared memory before the launch",
       "write shared memory before reading it, including at the ends of rows"},
      {Examination::bare, "bare", "crash", "alone", "run it with compute-sanitizer"},
  };
  return all;
}

const ExaminationName& name_of(Examination what) {
  return *std::find_if(examinations().begin(), examinations().end(),
                       [&](const ExaminationName& one) { return one.what == what; });
}

} // namespace warptune
