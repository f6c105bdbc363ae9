// A kernel with arguments that exist only for some problems, and a database of one problem with and one without them.
#pragma once

#include "unit/runtime/fixture.h"

namespace warptune::test {

inline constexpr const char* kMixedSpec = R"json({
  "format": 2, "name": "mix", "summary": "y = x + bias",
  "problem": {"dims": {"n": {}}, "dtypes": ["fp32"]},
  "params": {"WIDTH": {"values": [1, 2], "default": 1}},
  "arguments": {
    "x": {"buffer": "dtype", "count": "n", "role": "input"},
    "bias": {"buffer": "dtype", "count": "n", "role": "input", "when": "n > 64"},
    "beta": {"scalar": "fp32", "value": 1, "role": "parameter", "when": "n > 64"},
    "y": {"buffer": "dtype", "count": "n", "role": "output"}
  },
  "launches": [{"kernel": "mix", "grid": [1], "block": [32], "args": ["x", "bias", "beta", "y"]}],
  "reference": {"launches": [{"kernel": "r", "grid": [1], "block": [32], "args": ["x", "bias", "beta", "y"]}]},
  "cost": {"bytes_read": "n", "bytes_written": "n", "flops": {}},
  "tolerance": {"default": {"rtol": 1e-6}}
})json";

inline void add_mixed(const std::filesystem::path& path) {
  KernelRecord record = blend_record();
  record.name = "mix";
  record.files.back().second = kMixedSpec;
  add_tuned(path,
            {{"n=64;fp32", "WIDTH=1", "Fake H200", "fake mix"}, {"n=128;fp32", "WIDTH=1", "Fake H200", "fake mix"}},
            with_own_hash(std::move(record)));
}

} // namespace warptune::test
