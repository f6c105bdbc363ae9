// CompileRequest: all that a compiler is given, and so all that its program depends on.
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
  std::vector<std::string> name_expressions;                // one per launched kernel, then one per symbol
  // A command makes it and not NVRTC: then the source is empty and the headers are the command's inputs.
  std::optional<BuildRequest> build = {};
};

std::string symbol_expression(const std::string& symbol); // "&d_filter"
// How many of a request's are of symbols.
std::size_t count_symbols(const std::vector<std::string>& name_expressions);

// What tells the program of a configuration from others made of the same files.
struct ProgramInstance {
  std::string source_name;
  std::vector<std::string> options, name_expressions;
  std::vector<std::string> command = {}; // that builds it
  auto operator<=>(const ProgramInstance&) const = default;
};
Result<ProgramInstance> instance_of(const KernelSpec& spec, const Problem& problem, const Config& config,
                                    const DeviceInfo& device, const LaunchPlan& plan);

// What has to be compiled for a plan of this very configuration; empty where the plan has no program. Error
// (bad_input): the source is not among the files, or a macro cannot be evaluated.
Result<CompileRequest> make_compile_request(const KernelSpec& spec, const SourceFiles& sources, const Problem& problem,
                                            const Config& config, const DeviceInfo& device, const LaunchPlan& plan);

// For the oracle: without the options of an implementation, which could cost it the bits that it is there for, and
// with those of the default implementation's macros that depend on no param.
Result<CompileRequest> make_reference_request(const KernelSpec& spec, const SourceFiles& sources,
                                              const Problem& problem, const DeviceInfo& device, const LaunchPlan& plan);
// The same for spec.prepare.
Result<CompileRequest> make_prepare_request(const KernelSpec& spec, const SourceFiles& sources, const Problem& problem,
                                            const DeviceInfo& device, const LaunchPlan& plan);

} // namespace warptune
