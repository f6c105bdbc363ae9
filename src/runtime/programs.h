// Loads programs and makes launch sequences from them. A program is taken from the first of these places: already
// loaded, stored in the file, compiled in the background, or, if compiling is allowed, the cubin cache and NVRTC. All
// operations of the process that need a loaded program in the same context share it. A program from a file is shared
// only between files that hold the same cubin, because another file may hold a cubin of a newer compiler for the same
// source.
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
  std::uint64_t context = 0;                                 // the id of the current context
  bool may_compile = false;                                  // whether load_program may compile
  std::optional<std::filesystem::path> compile_program = {}; // nullopt: this process compiles
  std::function<Result<std::optional<CubinRecord>>(const std::string& hash)> read_stored;
  std::optional<CubinRecord> compiled; // by the background compiler
};

// Whether this process compiled and loaded the program. Programs from a file are used only by operations of that file.
bool is_compiled_loaded(std::uint64_t context, const std::string& key);

// Loads a program into the current context, where it stays. Kind no_candidate: the program cannot be loaded, does not
// compile, or is neither stored nor allowed to be compiled; kind no_device: a fault has broken the context.
Result<const LoadedKernels*> load_program(const Driver& driver, const ProgramRequest& request);

// `buffers` as in LaunchSequence::make.
Result<LaunchSequence> make_sequence(const Driver& driver, const LaunchPlan& plan, const LoadedKernels& program,
                                     std::span<const CUdeviceptr> buffers);

} // namespace warptune
