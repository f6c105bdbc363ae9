// A kernel with a list and a fixed size as dims, and a database with two of its problems.
#pragma once

#include "unit/runtime/fixture.h"

namespace warptune::test {

// The kernel's name is that of fixture.h.
inline constexpr const char* kGroupedSpec = R"json({
  "format": 2, "name": "blend", "summary": "y = x by groups",
  "problem": {"dims": {"rows": {"list": true, "min": 0}, "taps": {"value": 5}, "cols": {"default": 64}}, "dtypes": ["fp32"]},
  "params": {"WIDTH": {"values": [1, 2, 4], "default": 1}},
  "arguments": {"x": {"buffer": "fp32", "count": "rows_sum * cols", "role": "input"},
                "offsets": {"buffer": "int32", "count": "rows_count + 1", "role": "input", "fill": {"offsets": "rows"}},
                "y": {"buffer": "fp32", "count": "rows_sum * cols", "role": "output"}},
  "launches": [{"kernel": "blend", "grid": ["rows_count"], "block": [256], "args": ["x", "offsets", "y"]}],
  "reference": {"launches": [{"kernel": "r", "grid": [1], "block": [32], "args": ["x", "offsets", "y"]}]},
  "cost": {"bytes_read": "rows_sum", "bytes_written": "rows_sum"},
  "tolerance": {"default": {"rtol": 1e-6}}
})json";

inline KernelRecord grouped_record() {
  KernelRecord record = blend_record();
  record.files.back().second = kGroupedSpec;
  return with_own_hash(std::move(record));
}

inline void add_grouped(const std::filesystem::path& path) {
  add_tuned(
      path,
      {{"rows=equal(8,512),taps=5,cols=64;fp32", "WIDTH=2"}, {"rows=zipf(8,1000,1),taps=5,cols=64;fp32", "WIDTH=4"}},
      grouped_record());
}

} // namespace warptune::test
