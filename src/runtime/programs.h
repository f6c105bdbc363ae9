// Program -> loaded kernels -> launch sequence. A program is taken from where it is: loaded already, stored in the
// file, compiled in the background, or, where that is allowed, the cubin cache and NVRTC. Loaded programs are shared by
// all operations of the process that need them in one context; one from a file only by those whose file holds the same
// image, because another file may hold another for the same source: what a newer compiler made of it.
#pragma once

#include "gpu/launch.h"
#include "plan/compile_request.h"
#include "runtime/catalog.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>

namespace warptune {

struct ProgramRequest {
  const CompileRequest& compile;
  const NeededProgram& program;                              // of the plan
  std::string arch;                                          // of the device
  std::uint64_t context = 0;                                 // id of the current context
  bool may_compile = false;                                  // now
  std::optional<std::filesystem::path> compile_program = {}; // that compiles it apart; nothing: this process does
  std::function<Result<std::optional<CubinRecord>>(const std::string& hash)> read_stored;
  std::optional<CubinRecord> compiled; // in the background
};

// Whether this process compiled and loaded it. Those from files are for the operations of their files.
bool is_compiled_loaded(std::uint64_t context, const std::string& key);

// Into the current context, where it stays. Kind no_candidate when what there is cannot be loaded, or the kernel does
// not compile, or is nowhere and may not be compiled; no_device when a fault has broken the context.
Result<const LoadedKernels*> load_program(const Driver& driver, const ProgramRequest& request);

// `buffers` as in LaunchSequence::make.
Result<LaunchSequence> make_sequence(const Driver& driver, const LaunchPlan& plan, const LoadedKernels& program,
                                     std::span<const CUdeviceptr> buffers);

} // namespace warptune
