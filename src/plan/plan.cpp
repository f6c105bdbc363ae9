#include "plan/plan.h"

#include "core/real_range.h"
#include "core/text.h"
#include "plan/plan_values.h"
#include "spec/alignment.h"
#include "spec/config.h"
#include "spec/short_problem.h"

#include <algorithm>
#include <limits>
#include <set>

namespace warptune {
namespace {

constexpr ArgRef kNotPlanned{ArgRef::Kind::buffer, -1};
constexpr ArgRef kAbsent{ArgRef::Kind::absent, -1};
constexpr std::int64_t kProgrammaticCapability = 90; // from which kernels can wait for earlier work (griddepcontrol)

// Precondition: an argument of this name exists; the spec reader checks it.
std::size_t find_argument(const std::vector<Argument>& arguments, const std::string& name) {
  const auto found =
      std::find_if(arguments.begin(), arguments.end(), [&](const Argument& a) { return a.name == name; });
  return static_cast<std::size_t>(found - arguments.begin());
}

// Builds a plan from arguments and launches of the kernel or of its reference.
class Planner {
 public:
  Planner(const std::vector<Argument>& arguments, const KernelSpec& spec, const Problem& problem,
          const DeviceInfo& device, const Config* config)
      : arguments_(arguments), device_(device), values_(spec, problem, device, config) {}

  LaunchPlan plan;

  // Selects the launches whose `when` is not zero; their arguments decide which workspaces exist. Fails if there are
  // none.
  Result<std::vector<const Launch*>> active(const std::vector<Launch>& launches) const {
    WT_TRY(auto chosen, choose(launches));
    if (chosen.empty()) return nothing_takes_place();
    return chosen;
  }
  tl::unexpected<Error> nothing_takes_place() const {
    return values_.refuse(ErrorKind::no_candidate, "nothing is launched, because every 'when' is zero");
  }
  Result<std::vector<const Launch*>> choose(const std::vector<Launch>& launches) const {
    std::vector<const Launch*> chosen;
    for (const Launch& launch : launches) {
      if (launch.when) {
        WT_TRY(const auto when, values_.integer(*launch.when, "'when' of '" + launch.kernel + "'"));
        if (when == 0) continue;
      }
      chosen.push_back(&launch);
    }
    return chosen;
  }

  Result<std::vector<const LibraryCall*>> choose(const std::vector<LibraryCall>& calls) const {
    std::vector<const LibraryCall*> chosen;
    for (const LibraryCall& call : calls) {
      std::int64_t when = 1;
      if (call.when) {
        WT_TRY(when, values_.integer(*call.when, "'when' of '" + call.library + "." + call.call + "'"));
      }
      if (when != 0) chosen.push_back(&call);
    }
    return chosen;
  }

  // Finds the arguments that do not exist for this problem: those whose `when` is zero, and tensor maps of such
  // buffers.
  Result<void> find_absent(const std::vector<Argument>& arguments) {
    const std::size_t first = absent_.size();
    for (const Argument& argument : arguments) {
      absent_.push_back(false);
      if (!argument.when) continue;
      WT_TRY(const auto exists, values_.integer(*argument.when, "'when' of '" + argument.name + "'"));
      absent_.back() = exists == 0;
    }
    for (std::size_t i = 0; i < arguments.size(); ++i)
      if (const auto* map = std::get_if<TensorMapArg>(&arguments[i].value))
        if (absent_[first + find_argument(arguments, map->buffer)]) absent_[first + i] = true;
    return {};
  }
  // `index`: counts the arguments, then those of the reference.
  bool is_absent(std::size_t index) const { return absent_[index]; }

  // Every problem needs an output.
  Result<void> check_outputs() const {
    if (std::any_of(plan.buffers.begin(), plan.buffers.end(),
                    [](const BufferPlan& b) { return b.role == Role::output || b.role == Role::inout; }))
      return {};
    return values_.refuse(ErrorKind::bad_input,
                          "every output is left out, because its 'when' is zero; every problem needs an output");
  }

  Result<ScalarPlan> scalar_plan(const std::string& name, const ScalarArg& arg) const {
    ScalarPlan scalar{name, arg.dtype, 0, arg.number, arg.is_parameter};
    if (arg.formula) {
      WT_TRY(scalar.number, values_.real(*arg.formula, "the value of '" + name + "'"));
      if (!dtype_holds_real(arg.dtype, scalar.number))
        return values_.refuse(values_.kind_of(arg.formula->slots()),
                              "the value of '" + name + "' (" + quote(arg.formula->text()) + ") is too large for " +
                                  std::string(dtype_name(arg.dtype)));
    } else if (!dtype_is_floating(arg.dtype)) {
      WT_TRY(const auto value, values_.integer(arg.value, "the value of '" + name + "'"));
      if (!dtype_holds(arg.dtype, value))
        return values_.refuse(values_.kind_of(arg.value), "the value of '" + name + "' is " + std::to_string(value) +
                                                              " (" + quote(arg.value.text()) +
                                                              "), which does not fit " +
                                                              std::string(dtype_name(arg.dtype)));
      scalar.integer = value;
      scalar.number = static_cast<double>(value);
    }
    return scalar;
  }

  Result<void> add_tensor_map(std::size_t index, const TensorMapArg& arg) {
    const int buffer = args_[find_argument(arguments_, arg.buffer)].index;
    WT_TRY(auto map, plan_tensor_map(arg, arguments_[index].name, buffer,
                                     plan.buffers[static_cast<std::size_t>(buffer)].dtype, values_));
    args_[index] = {ArgRef::Kind::tensor_map, static_cast<int>(plan.tensor_maps.size())};
    plan.tensor_maps.push_back(std::move(map));
    return {};
  }

  // Adds the buffers and scalars that `wanted` accepts, by index. Tensor maps are added later, because they refer to
  // buffers.
  template <class Wanted> Result<void> add_arguments(const Wanted& wanted) {
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      const bool is_map = std::holds_alternative<TensorMapArg>(arguments_[i].value);
      if (!is_absent(i) && (is_map || !wanted(i)))
        args_.push_back(kNotPlanned);
      else
        WT_CHECK(add(arguments_[i]));
    }
    return {};
  }

  // Adds the arguments that only launches of the operator itself have, after those of the operator.
  Result<void> add_own(const std::vector<Argument>& own) {
    for (const Argument& argument : own) WT_CHECK(add(argument));
    return {};
  }

  // Without 'early', the first launch must not overlap with the caller's work before it. The buffers and symbols of a
  // plan are cleared and copied before its first launch, which must then wait for more than a kernel.
  bool may_start_early() const {
    const bool is_first_work = plan.symbols.empty() && std::none_of(plan.buffers.begin(), plan.buffers.end(),
                                                                    [](const BufferPlan& b) { return b.zero; });
    return is_first_work && device_.limits.compute_capability >= kProgrammaticCapability;
  }

  // A symbol is not set if its buffer does not exist.
  Result<void> add_symbols(const std::vector<Symbol>& symbols) {
    for (const Symbol& symbol : symbols) {
      SymbolPlan planned{symbol.name, -1, {}};
      if (symbol.argument >= 0) {
        const ArgRef source = args_[static_cast<std::size_t>(symbol.argument)];
        if (source.kind == ArgRef::Kind::absent) continue;
        planned.buffer = source.index;
      } else {
        WT_TRY(planned.scalar, scalar_plan(symbol.name, symbol.scalar));
      }
      plan.symbols.push_back(std::move(planned));
    }
    return {};
  }

  Result<void> add_launches(const std::vector<const Launch*>& launches) {
    for (const Launch* launch : launches) {
      WT_TRY(auto planned, plan_launch(*launch, args_, values_, device_));
      if (plan.launches.empty()) planned.programmatic = launch->early && may_start_early();
      if (std::find(plan.name_expressions.begin(), plan.name_expressions.end(), planned.name_expression) ==
          plan.name_expressions.end())
        plan.name_expressions.push_back(planned.name_expression);
      plan.launches.push_back(std::move(planned));
    }
    return {};
  }

  // Call after add_launches. `active`: the implementation's launches that take place.
  Result<void> add_library_calls(const std::vector<const LibraryCall*>& calls, const std::vector<Launch>& all,
                                 const std::vector<const Launch*>& active) {
    for (const LibraryCall* call : calls) {
      WT_TRY(auto planned, plan_library_call(*call, args_, values_));
      planned.position =
          static_cast<std::size_t>(std::count_if(active.begin(), active.end(), [&](const Launch* launch) {
            return static_cast<std::size_t>(launch - all.data()) < call->position;
          }));
      plan.library_calls.push_back(std::move(planned));
    }
    return {};
  }

  const PlanValues& values() const { return values_; }

 private:
  // Adds the next argument; must not be a tensor map.
  Result<void> add(const Argument& argument) {
    if (is_absent(args_.size())) {
      args_.push_back(kAbsent);
      return {};
    }
    if (const auto* buffer = std::get_if<BufferArg>(&argument.value)) return add_buffer(argument.name, *buffer);
    return add_scalar(argument.name, std::get<ScalarArg>(argument.value));
  }

  Result<void> add_buffer(const std::string& name, const BufferArg& arg) {
    WT_TRY(const auto dtype, values_.dtype(arg.dtype, "the dtype of '" + name + "'"));
    WT_TRY(const auto count, values_.integer(arg.count, "the count of '" + name + "'"));
    if (count < 0)
      return values_.refuse(values_.kind_of(arg.count), "the count of '" + name + "' is " + std::to_string(count) +
                                                            " (" + quote(arg.count.text()) + "), below zero");
    std::int64_t bytes = 0;
    // A quarter of the range, so that adding guards and alignment cannot overflow either.
    if (__builtin_mul_overflow(count, dtype_bytes(dtype), &bytes) ||
        __builtin_add_overflow(total_bytes_, bytes, &total_bytes_) ||
        total_bytes_ > std::numeric_limits<std::int64_t>::max() / 4)
      return values_.refuse(values_.kind_of(arg.count),
                            "the buffers up to '" + name + "' need more bytes than any device has; use smaller sizes");
    const auto align = buffer_alignment(arg, values_.slots());
    if (!align) return values_.refuse(ErrorKind::bad_input, "'" + name + "': " + align.error().message);
    WT_TRY(const auto rows, plan_rows(name, arg, count, values_));
    args_.push_back({ArgRef::Kind::buffer, static_cast<int>(plan.buffers.size())});
    plan.buffers.push_back({name, dtype, count, arg.role, arg.fill, arg.zero, *align, rows});
    return {};
  }

  Result<void> add_scalar(const std::string& name, const ScalarArg& arg) {
    WT_TRY(auto scalar, scalar_plan(name, arg));
    args_.push_back({ArgRef::Kind::scalar, static_cast<int>(plan.scalars.size())});
    plan.scalars.push_back(std::move(scalar));
    return {};
  }

  const std::vector<Argument>& arguments_; // arguments of the operator or of one implementation
  const DeviceInfo& device_;
  PlanValues values_;
  std::vector<ArgRef> args_; // one per argument, then those of the reference
  std::vector<bool> absent_; // in the order of args_
  std::int64_t total_bytes_ = 0;
};

// A scalar that the caller passes with each launch. It is in every plan, whether used or not.
bool is_parameter(const Argument& argument) {
  const auto* scalar = std::get_if<ScalarArg>(&argument.value);
  return scalar && scalar->is_parameter;
}

// The arguments that these launches use. If a tensor map exists and is used, its buffer counts as used, too.
std::set<std::size_t> used_arguments(const std::vector<Argument>& arguments, const Planner& planner,
                                     const std::vector<const Launch*>& launches) {
  std::set<std::size_t> used;
  for (const Launch* launch : launches) {
    for (const int arg : launch->args) {
      const auto index = static_cast<std::size_t>(arg);
      used.insert(index);
      if (index >= arguments.size() || planner.is_absent(index)) continue;
      if (const auto* map = std::get_if<TensorMapArg>(&arguments[index].value))
        used.insert(find_argument(arguments, map->buffer));
    }
  }
  return used;
}

void add_used(const std::vector<const LibraryCall*>& calls, std::set<std::size_t>& used) {
  for (const LibraryCall* call : calls)
    for (const auto& [name, index] : call->args) used.insert(static_cast<std::size_t>(index));
}

// The reference computes floating-point outputs in fp32, so that narrow ones are compared with a more precise result;
// an inout starts from the kernel's own input and keeps its dtype.
Result<DType> reference_dtype(const KernelSpec& spec, const BufferPlan& buffer, const PlanValues& values) {
  const auto own = spec.reference.types.find(buffer.name);
  if (own != spec.reference.types.end())
    return values.dtype(own->second, "the dtype of '" + buffer.name + "' in the reference");
  if (buffer.role == Role::output && dtype_is_floating(buffer.dtype) && buffer.dtype != DType::fp64) return DType::fp32;
  return buffer.dtype;
}

} // namespace

Result<LaunchPlan> make_plan(const KernelSpec& spec, const Problem& problem, const Config& config,
                             const DeviceInfo& device) {
  if (const auto invalid = check_config(spec, problem, device, config))
    return fail(ErrorKind::no_candidate, spec.name + " " + short_problem(problem_key(spec, problem)) + " with " +
                                             config_text(spec, config) + " is not a valid configuration: " + *invalid);
  const Implementation& implementation = spec.implementation(config);
  const std::vector<Argument>& arguments = implementation.arguments;
  Planner planner(arguments, spec, problem, device, &config);
  WT_TRY(const auto launches, planner.choose(implementation.launches));
  WT_TRY(const auto calls, planner.choose(implementation.library_calls));
  if (launches.empty() && calls.empty()) return planner.nothing_takes_place();
  WT_CHECK(planner.find_absent(arguments));
  std::set<std::size_t> used = used_arguments(arguments, planner, launches);
  add_used(calls, used);
  WT_CHECK(planner.add_arguments([&](std::size_t i) {
    const auto* buffer = std::get_if<BufferArg>(&arguments[i].value);
    return used.count(i) != 0 || is_parameter(arguments[i]) || (buffer && buffer->role != Role::workspace);
  }));
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (const auto* map = std::get_if<TensorMapArg>(&arguments[i].value); map && used.count(i) && !planner.is_absent(i))
      WT_CHECK(planner.add_tensor_map(i, *map));
  WT_CHECK(planner.check_outputs());
  // Only a program that is launched has symbols to fill.
  if (!launches.empty()) WT_CHECK(planner.add_symbols(implementation.symbols));
  WT_CHECK(planner.add_launches(launches));
  WT_CHECK(planner.add_library_calls(calls, implementation.launches, launches));
  return std::move(planner.plan);
}

Result<LaunchPlan> make_reference_plan(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device) {
  Planner planner(spec.arguments, spec, problem, device, nullptr);
  WT_TRY(const auto launches, planner.active(spec.reference.launches));
  WT_CHECK(planner.find_absent(spec.arguments));
  WT_CHECK(planner.find_absent(spec.reference.arguments));
  const std::set<std::size_t> used = used_arguments(spec.arguments, planner, launches);
  WT_CHECK(planner.add_arguments([&](std::size_t i) {
    if (const auto* buffer = std::get_if<BufferArg>(&spec.arguments[i].value)) return buffer->role != Role::workspace;
    return used.count(i) != 0 || is_parameter(spec.arguments[i]);
  }));
  for (BufferPlan& buffer : planner.plan.buffers) {
    WT_TRY(buffer.dtype, reference_dtype(spec, buffer, planner.values()));
  }
  WT_CHECK(planner.check_outputs());
  WT_CHECK(planner.add_own(spec.reference.arguments));
  WT_CHECK(planner.add_launches(launches));
  return std::move(planner.plan);
}

Result<LaunchPlan> make_prepare_plan(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device) {
  Planner planner(spec.arguments, spec, problem, device, nullptr);
  WT_TRY(const auto launches, planner.choose(spec.prepare->launches));
  WT_CHECK(planner.find_absent(spec.arguments));
  WT_CHECK(planner.find_absent(spec.prepare->arguments));
  const std::set<std::size_t> used = used_arguments(spec.arguments, planner, launches);
  for (std::size_t i = 0; i < spec.arguments.size(); ++i) {
    const auto* buffer = std::get_if<BufferArg>(&spec.arguments[i].value);
    if (buffer && buffer->fill.kind == Fill::Kind::prepared && !used.count(i) && !planner.is_absent(i))
      return planner.values().refuse(ErrorKind::bad_input, "no launch of 'prepare' for this problem takes '" +
                                                               spec.arguments[i].name + "', whose fill is 'prepared'");
  }
  WT_CHECK(planner.add_arguments([&](std::size_t i) { return used.count(i) != 0; }));
  WT_CHECK(planner.add_own(spec.prepare->arguments));
  WT_CHECK(planner.add_launches(launches));
  return std::move(planner.plan);
}

} // namespace warptune
