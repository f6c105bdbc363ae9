// The folder of a small operator, y = 2 x, for tests of reading folders: its description, and the given sources.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace warptune::test {

inline void write_file(const std::filesystem::path& file, const std::string& text) { std::ofstream(file) << text; }

// `keys`: further keys of spec.json, each followed by a comma. `kernel`: kernel.cu, which defines k.
inline void write_twice_kernel(const std::filesystem::path& folder, const std::string& name, const std::string& keys,
                               const std::string& kernel) {
  std::filesystem::create_directories(folder);
  write_file(folder / "spec.json", R"({"name": ")" + name + R"(", "summary": "y = 2 x", )" + keys + R"(
    "problem": {"dims": {"n": {"meaning": "elements"}}, "dtypes": ["fp32"]},
    "params": {},
    "arguments": {"x": {"buffer": "fp32", "count": "n", "role": "input"},
                  "y": {"buffer": "fp32", "count": "n", "role": "output"}},
    "launches": [{"kernel": "k", "grid": ["n"], "block": [1], "args": ["x", "y"]}],
    "reference": {"launches": [{"kernel": "r", "grid": ["n"], "block": [1], "args": ["x", "y"]}]},
    "cost": {"bytes_read": "4 * n", "bytes_written": "4 * n", "flops": {"fp32": "n"}},
    "tolerance": {"default": {"rtol": 1e-6}}})");
  write_file(folder / "kernel.cu", kernel);
  write_file(folder / "reference.cu", "__global__ void r(float* x, float* y) {}\n");
}

} // namespace warptune::test
