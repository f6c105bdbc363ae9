// compile() in a process of its own: `warptune __compile`. A source that ends the compiler (nested too deeply, endless
// templates) ends that process and nothing else. For programs that compile sources of strangers and are no worker:
// `pack`, and the runtime library in somebody's application. Knows nothing of where the sources come from.
#pragma once

#include "jit/cubin_cache.h"

#include <filesystem>
#include <optional>

namespace warptune {

// $WARPTUNE_PROGRAM, else this program if it is warptune, else PREFIX/bin/warptune beside the library that this code is
// in. Nothing: there is none.
std::optional<std::filesystem::path> find_compile_program();

// From the cache where it can be, else compiled apart and stored. A process that the compiler took down is a failure of
// the source that is not cached. Errors: the process cannot be started, or the program is of another version; no usable
// NVRTC. Precondition: no command builds the request.
Result<CompileResult> compile_apart(const std::filesystem::path& program, const CubinCache& cache,
                                    const CompileRequest& request);

// The same apart where a program is given, else in this process.
Result<CompileResult> compile_where(const std::optional<std::filesystem::path>& program, const CubinCache& cache,
                                    const CompileRequest& request);

// The life of such a process: the order on its standard input, the answer on its standard output. Its exit code.
int compile_process_main();

} // namespace warptune
