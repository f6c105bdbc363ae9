// Loads programs and makes launch sequences from them. A program is taken from the first of these places: already
// loaded, stored in the file, compiled in the background, or, if compiling is allowed, the cubin cache and NVRTC. All
// operations of the process that need a program in the same context share the loaded one. A program from a file is
// shared only between files with the same cubin, because another file's cubin for the same source may come from a newer
// compiler.
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
  const NeededProgram& program;                              // the plan's program
  std::string arch;                                          // the device's architecture
  std::uint64_t context = 0;                                 // the id of the current context
  bool may_compile = false;                                  // whether load_program may compile
  std::optional<std::filesystem::path> compile_program = {}; // nullopt: this process compiles
  std::function<Result<std::optional<CubinRecord>>(const std::string& hash)> read_stored;
  std::optional<CubinRecord> compiled; // the background compiler's result
};

// Whether this process compiled and loaded the program. Programs from a file are used only by operations of that file.
bool is_compiled_loaded(std::uint64_t context, const std::string& key);

// Loads a program into the current context, where it stays. Errors: no_candidate if the program cannot be loaded, does
// not compile, or is neither stored nor allowed to be compiled; no_device if a fault has broken the context.
Result<const LoadedKernels*> load_program(const Driver& driver, const ProgramRequest& request);

// `buffers`: as in LaunchSequence::make.
Result<LaunchSequence> make_sequence(const Driver& driver, const LaunchPlan& plan, const LoadedKernels& program,
                                     std::span<const CUdeviceptr> buffers);

} // namespace warptune
