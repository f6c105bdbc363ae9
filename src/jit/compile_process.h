// Runs compile() in a separate process, `warptune __compile`. A source that crashes the compiler (by deep nesting or
// endless templates) then ends only that process. Used outside of workers to compile third-party sources: by `pack`,
// and by the runtime library in an application.
#pragma once

#include "jit/cubin_cache.h"

#include <filesystem>
#include <optional>
#include <string_view>

namespace warptune {

// Returns the path of the warptune program: $WARPTUNE_PROGRAM if it is set; else the running program if it is warptune;
// else PREFIX/bin/warptune. PREFIX is where the library with this code is installed. nullopt: there is none.
std::optional<std::filesystem::path> find_compile_program();

// Returns the cubin from the cache if possible. Otherwise compiles it in a separate process and stores it. A crash of
// the compiler counts as a failure of the source, and is not cached. Errors: the process cannot be started; the program
// has another version; there is no usable NVRTC. Precondition: request.build is not set.
Result<CompileResult> compile_apart(const std::filesystem::path& program, const CubinCache& cache,
                                    const CompileRequest& request);

// Compiles in a separate process if `program` is set, otherwise in this process.
Result<CompileResult> compile_where(const std::optional<std::filesystem::path>& program, const CubinCache& cache,
                                    const CompileRequest& request);

// The main function of the compile process: reads the request from standard input, and writes the answer to standard
// output. `parent`: the id of the process that started this one; if that process has ended, nothing is compiled.
// Returns the exit code.
int compile_process_main(std::string_view parent);

} // namespace warptune
