// NVRTC as a table of functions that is loaded at run time. Only this code includes nvrtc.h, and the rest of the folder
// calls NVRTC through the table. So no program links to the toolkit, and every program starts without it.
#pragma once

#include "core/result.h"
#include "jit/compiler.h"

#include <nvrtc.h>
#include <string>
#include <vector>

namespace warptune {

#define WT_NVRTC_FUNCTIONS(X)                                                                                          \
  X(nvrtcVersion)                                                                                                      \
  X(nvrtcGetErrorString)                                                                                               \
  X(nvrtcCreateProgram)                                                                                                \
  X(nvrtcDestroyProgram)                                                                                               \
  X(nvrtcCompileProgram)                                                                                               \
  X(nvrtcGetProgramLogSize)                                                                                            \
  X(nvrtcGetProgramLog)                                                                                                \
  X(nvrtcAddNameExpression)                                                                                            \
  X(nvrtcGetLoweredName)                                                                                               \
  X(nvrtcGetCUBINSize)                                                                                                 \
  X(nvrtcGetCUBIN)                                                                                                     \
  X(nvrtcGetNumSupportedArchs)                                                                                         \
  X(nvrtcGetSupportedArchs)

struct NvrtcLibrary {
#define X(name) decltype(&::name) name = nullptr; // NOLINT(bugprone-macro-parentheses): declares a member
  WT_NVRTC_FUNCTIONS(X)
#undef X
  decltype(&::nvrtcSetFlowCallback) nvrtcSetFlowCallback = nullptr; // absent before 12.9
  NvrtcInfo info;
  std::vector<std::string> include_directories; // where the toolkit has cuda_fp16.h, then where it has cuda/std
};

// Loads NVRTC once per process and never unloads it, because NVRTC keeps its own threads and thread-local state.
const Result<const NvrtcLibrary*>& load_nvrtc();

} // namespace warptune
