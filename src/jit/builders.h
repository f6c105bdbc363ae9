// Which compilers build the implementations that NVRTC does not: what the `version` command of each prints. A part of
// the key of a built cubin, and of the compiler's name that is stored with a session.
#pragma once

#include "core/result.h"
#include "jit/template_store.h"
#include "plan/compile_request.h"

#include <atomic>
#include <map>
#include <string>

namespace warptune {

// Which commands of a description may run, and what is known of their compilers.
struct Builders {
  bool is_allowed = false;
  std::map<std::string, std::string> versions = {}; // by the implementation's name; one line each, may be empty
};

bool has_built(const KernelSpec& spec); // an implementation that is

// Runs the `version` commands of a kernel, each once in this process. To be called only where the user allows it. Error
// (bad_input): one fails; (interrupted): `stop`, which may be null, became true meanwhile.
Result<Builders> find_builders(const Kernel& kernel, const std::atomic<bool>* stop = nullptr);

// "NVRTC 13.0" -> "NVRTC 13.0; triton: 3.2.0"; and back, also without libraries ("NVRTC 13.0; cublaslt 13.1").
std::string with_builders(const std::string& compiler, const Builders& builders);
std::string without_builders(const std::string& compiler);
Builders builders_of(const std::string& compiler); // not allowed to run

// compile_key of what a session made of the request; `compiler`: the session's, which may name builders and libraries.
std::string session_key(const CompileRequest& request, const std::string& compiler);

// What the request's compiler is called, and whether it may run.
void set_builder(CompileRequest& request, const Builders& builders);
// The same where no kernel is at hand: the command may run.
Result<void> allow_builder(CompileRequest& request);

} // namespace warptune
