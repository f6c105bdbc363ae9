// A small valid spec.json whose sections a test replaces or drops: SpecText().set("params", "{}").parse().
#pragma once

#include "spec/problem.h"
#include "spec/spec_json.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace testing {} // namespace testing

namespace warptune::testing {

using namespace ::testing; // so that a file compiled after this one in a batch still finds testing::Test

class SpecText {
 public:
  SpecText() {
    sections_ = {
        {"format", "1"},
        {"name", R"("demo")"},
        {"summary", R"("a kernel for tests")"},
        {"problem", R"({"dims": {"rows": {"meaning": "rows"}, "cols": {"max": 1048576}},
                        "dtypes": ["bf16", "fp32"],
                        "flags": {"log": {"values": [0, 1]}, "layout": {"values": ["nt", "nn"]}}})"},
        {"types", R"({"acc": "dtype == fp64 ? fp64 : fp32"})"},
        {"params", R"({"WARPS": {"values": [1, 2, 4, 8], "default": 4}, "VEC": {"values": [1, 2, 4], "default": 2}})"},
        {"derived", R"({"threads": "WARPS * warp_size"})"},
        {"constraints", R"([{"expr": "cols % VEC == 0", "why": "whole vectors"}])"},
        {"compile", R"({"options": ["--use_fast_math"], "defines": {"TILE": "VEC * 2", "T": {"type": "dtype"}}})"},
        {"arguments", R"({"x": {"buffer": "dtype", "count": "rows * cols", "role": "input"},
                          "y": {"buffer": "dtype", "count": "rows * cols", "role": "output"},
                          "tmp": {"buffer": "acc", "count": "WARPS * rows", "role": "workspace", "zero": true},
                          "cols": {"scalar": "int32", "value": "cols"},
                          "alpha": {"scalar": "fp32", "value": 1.5, "role": "parameter"}})"},
        {"launches", R"json([{"kernel": "demo_kernel", "template": [{"type": "dtype"}, "WARPS", "cols % 8 == 0"],
                          "grid": ["ceil_div(rows, WARPS)"], "block": ["threads"], "shared": "WARPS * 128",
                          "args": ["x", "y", "tmp", "cols", "alpha"]}])json"},
        {"reference", R"({"launches": [{"kernel": "demo_reference", "grid": ["rows"], "block": [256],
                                        "args": ["x", "y", "cols", "alpha"]}]})"},
        {"cost", R"({"bytes_read": "rows * cols * dtype_bytes", "bytes_written": "rows * cols * dtype_bytes",
                     "flops": {"fp32": "5 * rows * cols"}})"},
        {"tolerance", R"({"default": {"rtol": 1e-5}, "bf16": {"rtol": 8e-3, "rms": 1e-3}})"},
        {"suites", R"({"default": [{"rows": 64, "cols": 1024}]})"},
    };
  }

  SpecText& set(const std::string& key, const std::string& json) {
    for (auto& [name, text] : sections_) {
      if (name != key) continue;
      text = json;
      return *this;
    }
    sections_.emplace_back(key, json);
    return *this;
  }

  SpecText& drop(const std::string& key) {
    std::erase_if(sections_, [&](const auto& section) { return section.first == key; });
    return *this;
  }

  std::string text() const {
    std::string json = "{";
    for (const auto& [name, value] : sections_) json += (json.size() > 1 ? ",\n\"" : "\"") + name + "\": " + value;
    return json + "}";
  }

  Result<KernelSpec> try_parse() const { return parse_spec(text(), "demo/spec.json"); }

  KernelSpec parse() const {
    Result<KernelSpec> spec = try_parse();
    EXPECT_TRUE(spec.has_value()) << spec.error().message;
    return spec ? std::move(*spec) : KernelSpec();
  }

  // The error message; empty (and a failure) if the text is accepted.
  std::string error() const {
    const Result<KernelSpec> spec = try_parse();
    EXPECT_FALSE(spec.has_value()) << "accepted: " << text();
    if (spec) return {};
    EXPECT_EQ(spec.error().kind, ErrorKind::bad_input);
    return spec.error().message;
  }

 private:
  std::vector<std::pair<std::string, std::string>> sections_;
};

inline Problem problem_of(const KernelSpec& spec, const std::string& shape, const std::string& dtype = "",
                          const std::vector<std::string>& sets = {}) {
  Result<Problem> problem = make_problem(spec, shape, dtype, sets);
  EXPECT_TRUE(problem.has_value()) << problem.error().message;
  return problem ? *problem : Problem();
}

} // namespace warptune::testing
