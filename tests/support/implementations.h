// An operator with two implementations, in memory.
#pragma once

#include "spec/config.h"
#include "spec/spec_json.h"

#include <stdexcept>
#include <string>

namespace warptune::test {

inline SourceFiles two_implementation_files(const std::string& standard = "plain") {
  return {{{"spec.json", R"({"format": 2, "name": "op", "summary": "y = x",
      "default_implementation": ")" +
                             standard + R"(",
      "problem": {"dims": {"n": {"meaning": "elements"}}, "dtypes": ["fp32"]},
      "derived": {"quarter": "n / 4"},
      "arguments": {"x": {"buffer": "fp32", "count": "n", "role": "input"},
                    "y": {"buffer": "fp32", "count": "n", "role": "output"}},
      "reference": {"launches": [{"kernel": "r", "grid": ["n"], "block": [1], "args": ["x", "y"]}]},
      "cost": {"bytes_read": "4 * n", "bytes_written": "4 * n", "flops": {"fp32": "n"}},
      "tolerance": {"default": {"rtol": 1e-6}}})"},
           {"plain/implementation.json", R"({"summary": "one by one",
      "params": {"VEC": {"values": [1, 2], "default": 1}},
      "launches": [{"kernel": "k", "grid": ["n / VEC"], "block": [32], "args": ["x", "y"]}],
      "formerly": {"MODE": 0, "CHUNK": null}})"},
           {"fast/implementation.json", R"({"summary": "in vectors",
      "params": {"VEC": {"values": [2, 4], "default": 4},
                 "HINT": {"values": ["none", "stream"], "default": "none", "when": "VEC == 4"}},
      "constraints": [{"expr": "quarter % VEC == 0", "why": "whole vectors"}],
      "align": {"x": "4 * VEC"},
      "launches": [{"kernel": "k", "grid": ["quarter"], "block": [32], "args": ["x", "y"]}],
      "formerly": {"MODE": 1}})"},
           {"plain/kernel.cu", "// plain"},
           {"fast/kernel.cu", "// fast"},
           {"reference.cu", "// reference"}}};
}

inline KernelSpec two_implementations(const std::string& standard = "plain") {
  auto spec = parse_spec(two_implementation_files(standard), "op/spec.json");
  if (!spec) throw std::runtime_error(spec.error().message);
  return std::move(*spec);
}

} // namespace warptune::test
