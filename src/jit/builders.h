// The compilers, other than NVRTC, that build implementations; the output of their `version` commands identifies them.
// This output is a part of the key of a built cubin, and of the compiler's name that is stored with a session.
#pragma once

#include "core/result.h"
#include "jit/template_store.h"
#include "plan/compile_request.h"

#include <atomic>
#include <map>
#include <string>

namespace warptune {

// Whether commands of a description may run, and the versions of their compilers.
struct Builders {
  bool is_allowed = false;
  std::map<std::string, std::string> versions = {}; // by implementation; one line each, may be empty
};

bool has_built(const KernelSpec& spec); // whether an implementation is built

// Runs the `version` commands of a kernel, each once per process. Call it only if the user allows commands. Errors:
// bad_input if a command fails; interrupted if `stop` (may be null) becomes true meanwhile.
Result<Builders> find_builders(const Kernel& kernel, const std::atomic<bool>* stop = nullptr);

// Converts "NVRTC 13.0" to "NVRTC 13.0; triton: 3.2.0", and back. The name may also list libraries ("NVRTC 13.0;
// cublaslt 13.1").
std::string with_builders(const std::string& compiler, const Builders& builders);
std::string without_builders(const std::string& compiler);
Builders builders_of(const std::string& compiler); // the returned builders do not allow commands to run

// Returns the compile_key of the cubin that a session made for the request; `compiler`: the session's, which may name
// builders and libraries.
std::string session_key(const CompileRequest& request, const std::string& compiler);

// Sets the name of the request's compiler, and whether it is allowed to run.
void set_builder(CompileRequest& request, const Builders& builders);
// Like set_builder without a kernel; allows the command to run.
Result<void> allow_builder(CompileRequest& request);

} // namespace warptune
