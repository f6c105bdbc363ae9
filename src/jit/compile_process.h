// compile() in a separate process: `warptune __compile`. A source that crashes the compiler (deep nesting, endless
// templates) ends only that process. For code outside workers that compiles third-party sources: `pack`, and the
// runtime library in an application. Does not depend on where the sources come from.
#pragma once

#include "jit/cubin_cache.h"

#include <filesystem>
#include <optional>

namespace warptune {

// Returns $WARPTUNE_PROGRAM if it is set; otherwise this program if it is warptune; otherwise PREFIX/bin/warptune for
// the library that contains this code. nullopt: this is not a program.
std::optional<std::filesystem::path> find_compile_program();

// Returns the cubin from the cache if possible, otherwise compiles it in a separate process and stores it. A compiler
// crash is a failure of the source and is not cached. Errors: the process cannot be started; the program has another
// version; no usable NVRTC. Precondition: no command builds the request.
Result<CompileResult> compile_apart(const std::filesystem::path& program, const CubinCache& cache,
                                    const CompileRequest& request);

// Compiles in a separate process if `program` is given, otherwise in this process.
Result<CompileResult> compile_where(const std::optional<std::filesystem::path>& program, const CubinCache& cache,
                                    const CompileRequest& request);

// The main function of the compile process: reads the order from standard input, writes the answer to standard output.
// Returns the exit code.
int compile_process_main();

} // namespace warptune
