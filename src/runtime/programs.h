// Loads programs and makes launch sequences from them. A program is taken from the first of these places that has the
// program: the programs already loaded, the file, the background compiler. If compiling is allowed, the next places are
// the cubin cache and NVRTC. All operations of this process that need the same program in the same context share one
// loaded program. Files share a program only if their cubins are equal: two files may have different cubins of one
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
  const NeededProgram& program; // the program of the plan
  std::string arch;             // the device's architecture
  std::uint64_t context = 0;    // id of the current context
  bool may_compile = false;     // whether load_program may compile the program
  std::optional<std::filesystem::path> compile_program =
      {}; // the executable that compiles; nullopt: this process compiles
  std::function<Result<std::optional<CubinRecord>>(const std::string& hash)> read_stored;
  std::optional<CubinRecord> compiled; // the background compiler's result
};

// Whether this process compiled the program and loaded it. Programs from a file do not count: they are only for
// operations of that file.
bool is_compiled_loaded(std::uint64_t context, const std::string& key);

// Loads a program into the current context, where it stays. Errors: no_candidate if it cannot be loaded, does not
// compile, or is not stored and must not be compiled; no_device if a fault has broken the context.
Result<const LoadedKernels*> load_program(const Driver& driver, const ProgramRequest& request);

// `buffers`: as in LaunchSequence::make.
Result<LaunchSequence> make_sequence(const Driver& driver, const LaunchPlan& plan, const LoadedKernels& program,
                                     std::span<const CUdeviceptr> buffers);

} // namespace warptune
