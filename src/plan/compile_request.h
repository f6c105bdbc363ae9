// CompileRequest: the complete input of a compiler. The cubin depends on nothing else.
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
  std::vector<std::string> name_expressions;                // one expression per launched kernel, then one per symbol
  // If set, a command makes the cubin in place of NVRTC; then `source` is empty and `headers` are the command's inputs.
  std::optional<BuildRequest> build = {};
};

std::string symbol_expression(const std::string& symbol); // "&d_filter"
// The number of a request's name expressions that name symbols.
std::size_t count_symbols(const std::vector<std::string>& name_expressions);

// The properties that distinguish a configuration's cubin from others made from the same files.
struct ProgramInstance {
  std::string source_name;
  std::vector<std::string> options, name_expressions;
  std::vector<std::string> command = {}; // the command that builds it
  auto operator<=>(const ProgramInstance&) const = default;
};
Result<ProgramInstance> instance_of(const KernelSpec& spec, const Problem& problem, const Config& config,
                                    const DeviceInfo& device, const LaunchPlan& plan);

// Makes the request for `plan`, which must belong to `config`; empty if the plan launches no kernels. Error
// (bad_input): the source is not among the files, or a macro cannot be evaluated.
Result<CompileRequest> make_compile_request(const KernelSpec& spec, const SourceFiles& sources, const Problem& problem,
                                            const Config& config, const DeviceInfo& device, const LaunchPlan& plan);

// Makes the request for the reference. It omits the implementations' compile options, because they could reduce the
// reference's precision. Of the default implementation's macros, it has those that do not depend on a param.
Result<CompileRequest> make_reference_request(const KernelSpec& spec, const SourceFiles& sources,
                                              const Problem& problem, const DeviceInfo& device, const LaunchPlan& plan);
// Makes the request for spec.prepare.
Result<CompileRequest> make_prepare_request(const KernelSpec& spec, const SourceFiles& sources, const Problem& problem,
                                            const DeviceInfo& device, const LaunchPlan& plan);

} // namespace warptune
