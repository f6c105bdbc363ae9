// An operator with two implementations; a script builds the second. The script counts its runs in $WT_BUILD_COUNT and
// returns the files in $WT_BUILD_CANNED.
#pragma once

#include "jit/template_store.h"
#include "support/paths.h"
#include "support/small_cubin.h"
#include "support/temp_dir.h"

#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>

namespace warptune::test {

inline void write_text(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}
inline std::string read_text(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline constexpr const char* kBuildDescription = R"json({
  "summary": "made elsewhere",
  "build": {"command": ["./build.sh", "tile={A}", "{arch}", "{output}"], "inputs": ["build.sh"],
            "version": ["sh", "-c", "cat \"$WT_BUILD_CANNED/version\""]},
  "params": {"A": {"values": [2, 4], "default": 2}, "B": {"values": [3, 4], "default": 3},
             "ROUND": {"values": [0, 1], "default": 0}},
  "launches": [{"kernel": "toy", "grid": ["ceil_div(n, A * 32)"], "block": [32], "shared": 16, "args": ["x", "y", "n"]}]
})json";
inline constexpr const char* kBuildScript = R"(#!/bin/sh
printf . >> "$WT_BUILD_COUNT"
cp "$WT_BUILD_CANNED/kernel.cubin" "$WT_BUILD_CANNED/build.json" "$3"
)";
inline constexpr const char* kBuildJson =
    R"({"kernels": {"toy": {"symbol": "toy_0d1d", "threads": 128, "shared_bytes": 4096}}})";

class BuiltKernel {
 public:
  BuiltKernel() {
    can(SmallCubin{90, {"toy_0d1d"}, {}, 40}.image(), kBuildJson);
    write_text(canned() / "version", "made by 1.0\n");
    write_text(folder() / "implementation.json", kBuildDescription);
    write_text(folder() / "build.sh", kBuildScript);
    ::setenv("WT_BUILD_CANNED", canned().c_str(), 1);
    ::setenv("WT_BUILD_COUNT", (dir_ / "runs").c_str(), 1);
  }
  std::filesystem::path folder() const { return dir_ / "elsewhere"; }
  std::filesystem::path canned() const { return dir_ / "canned"; }
  void can(const std::string& cubin, const std::string& description) const {
    write_text(canned() / "kernel.cubin", cubin);
    write_text(canned() / "build.json", description);
  }
  std::size_t runs() const { return read_text(dir_ / "runs").size(); }
  Kernel load() const {
    auto kernel = TemplateStore({}).load((data_dir() / "tuner" / "choice").string(), {folder().string()});
    if (!kernel) throw std::runtime_error(kernel.error().message);
    return std::move(*kernel);
  }

 private:
  TempDir dir_;
};

} // namespace warptune::test
