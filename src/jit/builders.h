// Builders: the compilers other than NVRTC that build implementations. A builder is identified by the output of its
// `version` command. This output is part of the key of a built cubin, and of the compiler name that a session stores.
#pragma once

#include "core/result.h"
#include "jit/template_store.h"
#include "plan/compile_request.h"

#include <atomic>
#include <map>
#include <string>

namespace warptune {

// Whether a kernel folder's commands may run, and the versions of their compilers.
struct Builders {
  bool is_allowed = false;
  std::map<std::string, std::string> versions = {}; // keyed by implementation; one line each, may be empty
};

bool has_built(const KernelSpec& spec); // whether a command builds some implementation

// Runs the kernel's `version` commands, each once per process. Call it only if the user allows commands. Errors:
// bad_input if a command fails; interrupted if `stop` (may be null) becomes true meanwhile.
Result<Builders> find_builders(const Kernel& kernel, const std::atomic<bool>* stop = nullptr);

// These functions add the builders to a compiler's name ("NVRTC 13.0" -> "NVRTC 13.0; triton: 3.2.0"), or remove them.
// The name may also list vendor libraries ("NVRTC 13.0; cublaslt 13.1").
std::string with_builders(const std::string& compiler, const Builders& builders);
std::string without_builders(const std::string& compiler);
Builders builders_of(const std::string& compiler); // the builders that the compiler's name lists; is_allowed is false

// Returns the compile_key that a session used for the request. `compiler`: the compiler name that the session stored,
// which may name builders and libraries.
std::string session_key(const CompileRequest& request, const std::string& compiler);

// Sets the request's compiler name, and whether its command may run.
void set_builder(CompileRequest& request, const Builders& builders);
// Like set_builder, but without the kernel: runs the `version` command itself, and allows the build command.
Result<void> allow_builder(CompileRequest& request);

} // namespace warptune
