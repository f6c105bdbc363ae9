// CompileRequest -> Cubin, through NVRTC (found with dlopen when first needed). Needs no device and no driver.
// Runs in compile worker processes; knows nothing of trials or spaces.
#pragma once

#include "core/result.h"
#include "core/trial.h"
#include "plan/compile_request.h"

#include <string>
#include <vector>

namespace warptune {

// A compiled program: content-addressed by what it was made from.
struct Cubin {
  std::string hash;                       // of the request, the compiler's version and the format
  std::string image;                      // the ELF bytes
  std::vector<std::string> lowered_names; // one per name expression of the request; of a built one: program_symbol.h
  std::vector<KernelResources> resources; // the same order; from the ptxas log, occupancy not filled in
  std::string log;                        // compiler output, warnings included
};

// A failure of the user's source: the log, with line numbers of the user's file.
struct CompileFailure {
  std::string log;
  bool timed_out = false;
  bool passing = false; // of the machine and not of the source, perhaps: not to be believed next time
  bool crashed = false; // a build command that was killed
};

struct NvrtcInfo {
  int major = 0, minor = 0;
  std::string path;
};
Result<NvrtcInfo> find_nvrtc(); // says where it looked and how to get it
std::string compiler_name();    // "NVRTC 13.0" or empty

// Hash under which the result of `request` is cached (all that matters: source, headers, options, names, compiler
// version).
std::string compile_key(const CompileRequest& request);
// The same for another compiler, by its compiler_name: to find what it made.
std::string compile_key(const CompileRequest& request, const std::string& compiler);

// Under which the last cubin that a build command made of the request lies, whatever its compiler was called then.
std::string last_build_key(const CompileRequest& request);

using CompileResult = tl::expected<Cubin, CompileFailure>;
// Error: no usable NVRTC. `timeout_s` <= 0: none; otherwise the compile is cancelled through nvrtcSetFlowCallback.
Result<CompileResult> compile(const CompileRequest& request, double timeout_s);

} // namespace warptune
