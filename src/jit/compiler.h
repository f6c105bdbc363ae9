// CompileRequest -> Cubin, through NVRTC (found with dlopen when first needed). Needs no device and no driver.
// Runs in compile worker processes; does not depend on trials or spaces.
#pragma once

#include "core/result.h"
#include "core/trial.h"
#include "plan/compile_request.h"

#include <string>
#include <vector>

namespace warptune {

// A compiled program. Its hash covers everything that it was made from.
struct Cubin {
  std::string hash;                       // hash of the request, the compiler's version and the format
  std::string image;                      // the ELF bytes
  std::vector<std::string> lowered_names; // one per name expression of the request; if built: see program_symbol.h
  std::vector<KernelResources> resources; // in the same order, from the ptxas log; occupancy is not set
  std::string log;                        // compiler output, including warnings
};

// A failure of the user's source: the log has line numbers of the user's file.
struct CompileFailure {
  std::string log;
  bool timed_out = false;
  bool passing = false; // whether the machine may be the cause, not the source: try again next time
  bool crashed = false; // a build command was killed
};

struct NvrtcInfo {
  int major = 0, minor = 0;
  std::string path;
};
Result<NvrtcInfo> find_nvrtc(); // the error says which paths were tried and how to install it
std::string compiler_name();    // "NVRTC 13.0" or empty

// Returns the hash under which the result of `request` is cached. It covers everything that matters: source, headers,
// options, names, compiler version.
std::string compile_key(const CompileRequest& request);
// Returns the key for another compiler, given by its compiler_name, to find that compiler's results.
std::string compile_key(const CompileRequest& request, const std::string& compiler);

// Returns the key of the last cubin that a build command made for the request, with any compiler version.
std::string last_build_key(const CompileRequest& request);

using CompileResult = tl::expected<Cubin, CompileFailure>;
// Error: no usable NVRTC. `timeout_s` <= 0: no limit; otherwise the compile is cancelled through nvrtcSetFlowCallback.
Result<CompileResult> compile(const CompileRequest& request, double timeout_s);

} // namespace warptune
