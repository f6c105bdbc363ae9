#include "jit/kernel_parameters.h"

#include "core/units.h"
#include "jit/cubin_file.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>
#include <vector>

namespace warptune {
namespace {

constexpr std::uint32_t kPointerBytes = 8, kTensorMapBytes = 128;

struct Given {
  std::string name, what;  // "n", "an int32"
  std::uint32_t bytes = 0; // 0: whatever the parameter has
};

Given given_by(const LaunchPlan& plan, const ArgRef& arg) {
  const auto at = static_cast<std::size_t>(arg.index);
  switch (arg.kind) {
  case ArgRef::Kind::buffer:
    return {plan.buffers[at].name, "a pointer", kPointerBytes};
  case ArgRef::Kind::tensor_map:
    return {plan.tensor_maps[at].name, "a tensor map", kTensorMapBytes};
  case ArgRef::Kind::scalar: {
    const ScalarPlan& scalar = plan.scalars[at];
    return {scalar.name, std::string(dtype_name(scalar.dtype)), static_cast<std::uint32_t>(dtype_bytes(scalar.dtype))};
  }
  case ArgRef::Kind::absent:
    break;
  }
  return {"an absent one", "null", 0};
}

std::string names_of(const std::vector<Given>& given) {
  std::string names;
  for (const Given& one : given) names += (names.empty() ? "" : ", ") + one.name;
  return names.empty() ? "none" : names;
}

std::optional<std::string> misfit(const LaunchPlan& plan, const KernelLaunch& launch,
                                  const std::vector<std::uint32_t>& parameters, bool is_built) {
  // Without its template arguments: all configurations say the same.
  const std::string kernel = launch.name_expression.substr(0, launch.name_expression.find('<'));
  std::vector<Given> given;
  for (const ArgRef& arg : launch.args) given.push_back(given_by(plan, arg));
  if (given.size() < parameters.size() || (given.size() > parameters.size() && !is_built))
    return fmt::format("{} takes {}, and 'args' of its launch gives {} ({}); list one for each parameter, in the "
                       "kernel's order",
                       kernel, count_text(std::ssize(parameters), "parameter"),
                       count_text(std::ssize(given), "argument"), names_of(given));
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (given[i].bytes > 0 && given[i].bytes != parameters[i])
      return fmt::format("parameter {} of {} has {}, and the argument '{}' of its launch is {} of {}; make "
                         "their types equal",
                         i + 1, kernel, count_text(parameters[i], "byte"), given[i].name, given[i].what,
                         count_text(given[i].bytes, "byte"));
  return std::nullopt;
}

} // namespace

std::optional<std::string> why_arguments_do_not_fit(const LaunchPlan& plan, const Cubin& cubin, bool is_built) {
  const auto file = read_cubin_file(cubin.image);
  if (!file) return std::nullopt; // whoever loads it says so
  for (const KernelLaunch& launch : plan.launches) {
    const auto& names = plan.name_expressions;
    const auto at =
        static_cast<std::size_t>(std::find(names.begin(), names.end(), launch.name_expression) - names.begin());
    if (at >= cubin.lowered_names.size()) continue;
    const auto parameters = file->parameters.find(cubin.lowered_names[at]);
    if (parameters == file->parameters.end()) continue;
    if (auto why = misfit(plan, launch, parameters->second, is_built)) return why;
  }
  return std::nullopt;
}

} // namespace warptune
