#include "jit/kernel_parameters.h"

#include "core/units.h"
#include "jit/cubin_file.h"
#include "jit/mangled_parameters.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>
#include <string_view>
#include <vector>

namespace warptune {
namespace {

constexpr std::uint32_t kPointerBytes = 8, kTensorMapBytes = 128;

struct Given {
  std::string name, what;     // "n", "int32"
  std::uint32_t bytes = 0;    // 0: the parameter's own size
  std::optional<DType> dtype; // dtype of a scalar
};

Given given_by(const LaunchPlan& plan, const ArgRef& arg) {
  const auto at = static_cast<std::size_t>(arg.index);
  switch (arg.kind) {
  case ArgRef::Kind::buffer:
    return {plan.buffers[at].name, "a pointer", kPointerBytes, {}};
  case ArgRef::Kind::tensor_map:
    return {plan.tensor_maps[at].name, "a tensor map", kTensorMapBytes, {}};
  case ArgRef::Kind::scalar: {
    const ScalarPlan& scalar = plan.scalars[at];
    return {scalar.name, std::string(dtype_name(scalar.dtype)), static_cast<std::uint32_t>(dtype_bytes(scalar.dtype)),
            scalar.dtype};
  }
  case ArgRef::Kind::absent:
    break;
  }
  return {"an absent argument", "null", 0, {}};
}

std::string names_of(const std::vector<Given>& given) {
  std::string names;
  for (const Given& one : given) names += (names.empty() ? "" : ", ") + one.name;
  return names.empty() ? "none" : names;
}

// Whether a floating-point number is given for an integer, or an integer for a floating-point number: the kernel would
// misread its bits. `parameter`: the C++ name of an arithmetic type, or empty. Floating-point numbers of fewer than 32
// bits are classes in C++, and kernels may take their bits as integers.
bool is_other_kind(std::string_view parameter, const Given& given) {
  if (parameter.empty() || !given.dtype) return false;
  const bool takes_floating = parameter == "float" || parameter == "double";
  const bool is_floating = dtype_is_floating(*given.dtype);
  return takes_floating ? !is_floating : is_floating && given.bytes >= sizeof(float);
}

std::optional<std::string> misfit(const LaunchPlan& plan, const KernelLaunch& launch, std::string_view lowered_name,
                                  const std::vector<std::uint32_t>& parameters, bool is_built) {
  // Without template arguments, so that all configurations give the same message.
  const std::string kernel = launch.name_expression.substr(0, launch.name_expression.find('<'));
  std::vector<Given> given;
  for (const ArgRef& arg : launch.args) given.push_back(given_by(plan, arg));
  if (given.size() < parameters.size() || (given.size() > parameters.size() && !is_built))
    return fmt::format(
        "{} takes {}, but 'args' of its launch gives {} ({}); list one argument for each parameter, in order", kernel,
        count_text(std::ssize(parameters), "parameter"), count_text(std::ssize(given), "argument"), names_of(given));
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (given[i].bytes > 0 && given[i].bytes != parameters[i])
      return fmt::format(
          "parameter {} of {} has {}, but the argument '{}' of its launch is {} of {}; make their types equal", i + 1,
          kernel, count_text(parameters[i], "byte"), given[i].name, given[i].what, count_text(given[i].bytes, "byte"));
  const auto types = mangled_parameters(lowered_name);
  if (!types || types->size() != parameters.size()) return std::nullopt;
  for (std::size_t i = 0; i < types->size(); ++i)
    if (is_other_kind((*types)[i], given[i]))
      return fmt::format(
          "parameter {} of {} is of type {}, but the argument '{}' of its launch is {}; make their types equal", i + 1,
          kernel, (*types)[i], given[i].name, given[i].what);
  return std::nullopt;
}

} // namespace

std::optional<std::string> why_arguments_do_not_fit(const LaunchPlan& plan, const Cubin& cubin, bool is_built) {
  const auto file = read_cubin_file(cubin.image);
  if (!file) return std::nullopt; // loading it gives the error
  for (const KernelLaunch& launch : plan.launches) {
    const auto& names = plan.name_expressions;
    const auto at =
        static_cast<std::size_t>(std::find(names.begin(), names.end(), launch.name_expression) - names.begin());
    if (at >= cubin.lowered_names.size()) continue;
    const auto parameters = file->parameters.find(cubin.lowered_names[at]);
    if (parameters == file->parameters.end()) continue;
    if (auto why = misfit(plan, launch, cubin.lowered_names[at], parameters->second, is_built)) return why;
  }
  return std::nullopt;
}

} // namespace warptune
