#include "plan/compile_request.h"

#include "core/text.h"
#include "plan/plan_values.h"
#include "spec/source_hash.h"

#include <algorithm>

namespace warptune {
namespace {

std::vector<std::string> base_options(const Implementation& implementation, const DeviceInfo& device) {
  return {"-arch=" + device.arch, "--std=" + implementation.cpp_standard, "--ptxas-options=-v", "-default-device"};
}

// The names of the kernels, followed by those of the symbols.
std::vector<std::string> all_names(const LaunchPlan& plan) {
  std::vector<std::string> names = plan.name_expressions;
  for (const SymbolPlan& symbol : plan.symbols) names.push_back(symbol_expression(symbol.name));
  return names;
}

Result<void> define(const Define& macro, const PlanValues& values, std::vector<std::string>& options) {
  WT_TRY(const auto text, values.source_text(macro.value, "the macro '" + macro.name + "'"));
  options.push_back("-D" + macro.name + "=" + text);
  return {};
}

Result<CompileRequest> with_files(ProgramInstance instance, const SourceFiles& sources, const PlanValues& values) {
  const std::string* text = find_source(sources, instance.source_name);
  if (!text)
    return values.refuse(ErrorKind::bad_input,
                         "the source " + quote(instance.source_name) + " is missing; put it beside spec.json");
  CompileRequest request;
  request.source_name = std::move(instance.source_name);
  request.source = *text;
  request.headers = included_files(sources, request.source_name);
  request.options = std::move(instance.options);
  request.name_expressions = std::move(instance.name_expressions);
  return request;
}

Result<CompileRequest> with_inputs(BuildRequest build, const Implementation& implementation, const SourceFiles& sources,
                                   const LaunchPlan& plan, const PlanValues& values, const DeviceInfo& device) {
  CompileRequest request;
  request.source_name = implementation.source;
  for (const std::string& input : implementation.build->inputs) {
    const std::string* text = find_source(sources, build_input_name(sources, *implementation.build, input));
    if (!text)
      return values.refuse(ErrorKind::bad_input, "the input " + quote(input) + " of the build command is missing");
    request.headers.emplace_back(input, *text);
  }
  request.options = {"-arch=" + device.arch};
  request.name_expressions = all_names(plan);
  request.build = std::move(build);
  return request;
}

// The request for launches of the operator itself (reference or prepare).
Result<CompileRequest> own_request(const OwnLaunches& own, const KernelSpec& spec, const SourceFiles& sources,
                                   const Problem& problem, const DeviceInfo& device, const LaunchPlan& plan) {
  const PlanValues values(spec, problem, device, nullptr);
  const Implementation& standard = spec.implementations.front();
  ProgramInstance instance{own.source, base_options(standard, device), plan.name_expressions};
  for (const Define& macro : standard.defines)
    if (values.kind_of(macro.value.expr) != ErrorKind::no_candidate) WT_CHECK(define(macro, values, instance.options));
  return with_files(std::move(instance), sources, values);
}

} // namespace

std::string symbol_expression(const std::string& symbol) { return "&" + symbol; }

std::size_t count_symbols(const std::vector<std::string>& name_expressions) {
  return static_cast<std::size_t>(std::count_if(name_expressions.begin(), name_expressions.end(),
                                                [](const std::string& name) { return name.starts_with('&'); }));
}

Result<ProgramInstance> instance_of(const KernelSpec& spec, const Problem& problem, const Config& config,
                                    const DeviceInfo& device, const LaunchPlan& plan) {
  const PlanValues values(spec, problem, device, &config);
  const Implementation& implementation = spec.implementation(config);
  if (implementation.build) {
    WT_TRY(auto build, make_build_request(implementation, values, device));
    return ProgramInstance{implementation.source, {"-arch=" + device.arch}, all_names(plan), std::move(build.command)};
  }
  ProgramInstance instance{implementation.source, base_options(implementation, device), all_names(plan)};
  instance.options.insert(instance.options.end(), implementation.compile_options.begin(),
                          implementation.compile_options.end());
  for (const Define& macro : implementation.defines) WT_CHECK(define(macro, values, instance.options));
  return instance;
}

Result<CompileRequest> make_compile_request(const KernelSpec& spec, const SourceFiles& sources, const Problem& problem,
                                            const Config& config, const DeviceInfo& device, const LaunchPlan& plan) {
  if (!plan.has_program()) return CompileRequest{};
  const Implementation& implementation = spec.implementation(config);
  if (implementation.build) {
    const PlanValues values(spec, problem, device, &config);
    WT_TRY(auto build, make_build_request(implementation, values, device));
    return with_inputs(std::move(build), implementation, sources, plan, values, device);
  }
  WT_TRY(ProgramInstance instance, instance_of(spec, problem, config, device, plan));
  return with_files(std::move(instance), sources, PlanValues(spec, problem, device, &config));
}

Result<CompileRequest> make_reference_request(const KernelSpec& spec, const SourceFiles& sources,
                                              const Problem& problem, const DeviceInfo& device,
                                              const LaunchPlan& plan) {
  return own_request(spec.reference, spec, sources, problem, device, plan);
}

Result<CompileRequest> make_prepare_request(const KernelSpec& spec, const SourceFiles& sources, const Problem& problem,
                                            const DeviceInfo& device, const LaunchPlan& plan) {
  return own_request(*spec.prepare, spec, sources, problem, device, plan);
}

} // namespace warptune
