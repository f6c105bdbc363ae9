// Compiles a CompileRequest to a Cubin with NVRTC, which is loaded with dlopen at its first use. Needs no device and no
// driver. Runs in compile worker processes. Independent of trials and spaces.
#pragma once

#include "core/result.h"
#include "core/trial.h"
#include "plan/compile_request.h"

#include <string>
#include <vector>

namespace warptune {

// A compiled program. `hash` covers everything that the cubin was made from, so `hash` is the key in the cubin cache.
struct Cubin {
  std::string hash;  // hash over the request, the compiler's version and the format
  std::string image; // the ELF bytes
  std::vector<std::string>
      lowered_names; // one per name expression of the request; for a built cubin, texts as in plan/program_symbol.h
  std::vector<KernelResources> resources; // in the order of lowered_names, from ptxas's log; without occupancy
  std::string log;                        // the compiler's output, including warnings
};

// A failure of the user's source. The log has the line numbers of the user's file.
struct CompileFailure {
  std::string log;
  bool timed_out = false;
  bool passing = false; // whether the machine may have caused the failure; the next run then tries again
  bool crashed = false; // whether a build command was killed by a signal
};

struct NvrtcInfo {
  int major = 0, minor = 0;
  std::string path;
};
Result<NvrtcInfo> find_nvrtc(); // the error says which paths were tried and how to install NVRTC
std::string compiler_name();    // "NVRTC 13.0"; empty if there is none

// Returns the key under which the request's result is cached: a hash over source, headers, options, names and compiler
// version.
std::string compile_key(const CompileRequest& request);
// Returns the key that the request has with another compiler (a compiler_name), to find results of that compiler.
std::string compile_key(const CompileRequest& request, const std::string& compiler);

// Returns the key under which the newest cubin of a build command is cached, whatever the version of its compiler.
std::string last_build_key(const CompileRequest& request);

using CompileResult = tl::expected<Cubin, CompileFailure>;
// Error: there is no usable NVRTC. `timeout_s` <= 0: no limit; otherwise nvrtcSetFlowCallback cancels the compile.
Result<CompileResult> compile(const CompileRequest& request, double timeout_s);

} // namespace warptune
