// CompileRequest: the complete input of a compiler. The cubin depends on nothing else, except the compiler itself.
#pragma once

#include "core/config.h"
#include "core/device.h"
#include "core/result.h"
#include "plan/build_request.h"
#include "plan/plan.h"
#include "spec/problem.h"
#include "spec/source_files.h"

#include <compare>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warptune {

struct CompileRequest {
  std::string source_name, source;                          // "kernel.cu" and its text
  std::vector<std::pair<std::string, std::string>> headers; // include name -> text
  std::vector<std::string> options;                         // complete, with -arch and -D
  std::vector<std::string> name_expressions;                // C++ names: one per launched kernel, then one per symbol
  // If set, a command makes the cubin in place of NVRTC. Then `source` is empty, and `headers` are the command's
  // inputs.
  std::optional<BuildRequest> build = {};
};

std::string symbol_expression(const std::string& symbol); // the name expression of a symbol: "&d_filter"
// Returns the number of symbols among a request's name expressions.
std::size_t count_symbols(const std::vector<std::string>& name_expressions);

// Two cubins from the same files differ only in this data.
struct ProgramInstance {
  std::string source_name;
  std::vector<std::string> options, name_expressions;
  std::vector<std::string> command = {}; // the command that makes the cubin; empty: NVRTC
  auto operator<=>(const ProgramInstance&) const = default;
};
Result<ProgramInstance> instance_of(const KernelSpec& spec, const Problem& problem, const Config& config,
                                    const DeviceInfo& device, const LaunchPlan& plan);

// Makes the request for `plan`, which must be the plan of `config`. The request is empty if the plan launches no
// kernels. Error (bad_input): the source is not among the files, or a macro cannot be evaluated.
Result<CompileRequest> make_compile_request(const KernelSpec& spec, const SourceFiles& sources, const Problem& problem,
                                            const Config& config, const DeviceInfo& device, const LaunchPlan& plan);

// Makes the request for the reference. It leaves out the implementations' compile options, because they could reduce
// the reference's precision. It defines only those macros of the default implementation that do not depend on a param.
Result<CompileRequest> make_reference_request(const KernelSpec& spec, const SourceFiles& sources,
                                              const Problem& problem, const DeviceInfo& device, const LaunchPlan& plan);
// Makes the request for spec.prepare.
Result<CompileRequest> make_prepare_request(const KernelSpec& spec, const SourceFiles& sources, const Problem& problem,
                                            const DeviceInfo& device, const LaunchPlan& plan);

} // namespace warptune
