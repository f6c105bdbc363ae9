#include "spec/problem.h"

#include "core/text.h"
#include "core/units.h"
#include "spec/short_problem.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace warptune {
namespace {

Result<std::int64_t> parse_flag_value(const KernelSpec& spec, const Flag& flag, std::string_view label) {
  for (std::size_t i = 0; i < flag.labels.size(); ++i)
    if (flag.labels[i] == label) return flag.values[i];
  return fail(ErrorKind::bad_input, "the flag '" + flag.name + "' of " + spec.name + " has no value " + quote(label) +
                                        "; choose " + join_choices(flag.labels));
}

Result<DType> parse_problem_dtype(const KernelSpec& spec, std::string_view text) {
  std::vector<std::string> known;
  for (const DType t : spec.dtypes) {
    known.emplace_back(dtype_name(t));
    if (known.back() == text) return t;
  }
  return fail(ErrorKind::bad_input, spec.name + " has no dtype " + quote(text) + "; choose " + join_choices(known));
}

// Parses "flag=value" into `flags`, which has the flags of the spec in order.
Result<void> set_flag(const KernelSpec& spec, std::string_view text, std::vector<std::optional<std::int64_t>>& flags) {
  const std::vector<std::string> names = names_of(spec.flags);
  const std::size_t equals = text.find('=');
  const std::string_view name = trim(text.substr(0, equals));
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    const std::string none = names.empty() ? "; this kernel has no flags" : suggest_name(name, names);
    return fail(ErrorKind::bad_input, spec.name + " has no flag " + quote(name) + none);
  }
  const auto index = static_cast<std::size_t>(found - names.begin());
  if (equals == std::string_view::npos)
    return fail(ErrorKind::bad_input, quote(text) + " gives no value for the flag; write " + *found + "=" +
                                          join_choices(spec.flags[index].labels));
  if (flags[index]) return fail(ErrorKind::bad_input, "the flag '" + *found + "' is given twice; give it once");
  WT_TRY(const auto value, parse_flag_value(spec, spec.flags[index], trim(text.substr(equals + 1))));
  flags[index] = value;
  return {};
}

std::string flag_label(const Flag& flag, std::int64_t value) {
  const auto found = std::find(flag.values.begin(), flag.values.end(), value);
  return found == flag.values.end() ? std::to_string(value)
                                    : flag.labels[static_cast<std::size_t>(found - flag.values.begin())];
}

} // namespace

Result<Problem> make_problem(const KernelSpec& spec, std::string_view shape, std::string_view dtype,
                             const std::vector<std::string>& sets) {
  Problem problem;
  WT_TRY(auto sizes, parse_sizes(spec, shape));
  problem.dims = std::move(sizes.shape);
  problem.lists = std::move(sizes.lists);
  problem.dtype = spec.dtypes.front();
  if (!dtype.empty()) {
    WT_TRY(const auto parsed, parse_problem_dtype(spec, dtype));
    problem.dtype = parsed;
  }
  std::vector<std::optional<std::int64_t>> flags(spec.flags.size());
  for (const std::string& text : sets)
    for (const std::string_view flag : split(std::string_view(text), ',')) WT_CHECK(set_flag(spec, flag, flags));
  for (std::size_t i = 0; i < flags.size(); ++i)
    problem.flags.push_back(flags[i].value_or(spec.flags[i].values.front()));
  return problem;
}

Result<Problem> make_problem(const KernelSpec& spec, Shape dims, DType dtype, std::vector<std::int64_t> flags,
                             std::vector<std::string> lists) {
  const std::string where = "problem of " + spec.name + ": ";
  if (dims.size() != spec.dims.size()) {
    std::string names;
    for (const Dim& dim : spec.dims) names += (names.empty() ? "" : ", ") + dim.name;
    return fail(ErrorKind::bad_input, where + "got " + count_text(std::ssize(dims), "dim") + ", but the kernel has " +
                                          std::to_string(spec.dims.size()) + ": " + names);
  }
  for (std::size_t i = 0; i < dims.size(); ++i) WT_CHECK(check_size(spec.dims[i], dims[i], where));
  WT_CHECK(parse_problem_dtype(spec, dtype_name(dtype)));
  if (flags.size() != spec.flags.size())
    return fail(ErrorKind::bad_input, where + "got " + count_text(std::ssize(flags), "flag") + ", but the kernel has " +
                                          std::to_string(spec.flags.size()));
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const Flag& flag = spec.flags[i];
    if (std::find(flag.values.begin(), flag.values.end(), flags[i]) == flag.values.end())
      return fail(ErrorKind::bad_input, where + "the flag '" + flag.name + "' has no value " +
                                            std::to_string(flags[i]) + "; choose " + join_choices(flag.labels));
  }
  WT_CHECK(settle_lists(spec, dims, lists, where));
  return Problem{std::move(dims), dtype, std::move(flags), std::move(lists)};
}

std::optional<Problem> suite_problem(const KernelSpec& spec, const SuiteEntry& entry, DType dtype,
                                     const std::vector<std::int64_t>& flags) {
  if (entry.dtype && *entry.dtype != dtype) return std::nullopt;
  for (std::size_t i = 0; i < entry.flags.size() && i < flags.size(); ++i)
    if (entry.flags[i] && *entry.flags[i] != flags[i]) return std::nullopt;
  auto problem = make_problem(spec, entry.shape, dtype, flags, entry.lists);
  return problem ? std::optional(std::move(*problem)) : std::nullopt;
}

std::string suite_entry_text(const KernelSpec& spec, const SuiteEntry& entry) {
  std::string text = shape_text(spec, entry.shape, entry.lists);
  if (entry.dtype) text += ";" + std::string(dtype_name(*entry.dtype));
  bool first = true;
  for (std::size_t i = 0; i < entry.flags.size(); ++i) {
    if (!entry.flags[i]) continue;
    text += (first ? ";" : ",") + spec.flags[i].name + "=" + flag_label(spec.flags[i], *entry.flags[i]);
    first = false;
  }
  return text;
}

std::string problem_key(const KernelSpec& spec, const Problem& problem) {
  std::string key = shape_text(spec, problem.dims, problem.lists) + ";" + std::string(dtype_name(problem.dtype));
  bool first = true;
  for (std::size_t i = 0; i < spec.flags.size(); ++i) {
    const Flag& flag = spec.flags[i];
    if (flag.is_optional && problem.flags[i] == flag.values.front()) continue;
    key += (first ? ";" : ",") + flag.name + "=" + flag_label(flag, problem.flags[i]);
    first = false;
  }
  return key;
}

Result<Problem> parse_problem_key(const KernelSpec& spec, std::string_view key) {
  const std::vector<std::string_view> parts = split(key, ';');
  if (parts.size() < 2 || parts.size() > 3)
    return fail(ErrorKind::bad_input, quote(key) + " is not a problem of " + spec.name + "; expected " +
                                          shape_form(spec) + ";DTYPE;FLAG=VALUE,...");
  std::vector<std::string> sets;
  if (parts.size() == 3)
    for (const std::string_view piece : split(parts[2], ',')) sets.emplace_back(piece);
  return make_problem(spec, parts[0], parts[1], sets);
}

Result<Tolerance> tolerance_of(const KernelSpec& spec, const Problem& problem, const std::string& output) {
  const auto own = spec.tolerances_by_output.find(output);
  const ToleranceFormulas* formulas =
      own == spec.tolerances_by_output.end() ? nullptr : own->second.find(problem.dtype);
  if (!formulas) formulas = spec.tolerances.find(problem.dtype);
  if (!formulas) return Tolerance{};
  const auto value_of = [&](const RealExpr& formula, const char* member, double end) -> Result<double> {
    const auto value =
        formula.is_constant() ? formula.evaluate({}) : formula.evaluate(make_slots(spec, problem, DeviceLimits{}));
    if (value && *value >= 0 && *value < end) return *value;
    return fail(ErrorKind::bad_input, spec.name + " " + short_problem(problem_key(spec, problem)) + ": the " + member +
                                          " of '" + output + "': " +
                                          (value ? quote(formula.text()) + " is " + std::to_string(*value) +
                                                       (*value < 0 ? "; it must be at least 0" : "; it must be below 1")
                                                 : value.error().message));
  };
  Tolerance tolerance;
  constexpr double kAny = std::numeric_limits<double>::infinity();
  WT_TRY(tolerance.rtol, value_of(formulas->rtol, "rtol", 1));
  WT_TRY(tolerance.atol, value_of(formulas->atol, "atol", kAny));
  WT_TRY(tolerance.rms, value_of(formulas->rms, "rms", kAny));
  return tolerance;
}

std::vector<std::int64_t> make_slots(const KernelSpec& spec, const Problem& problem, const DeviceLimits& limits) {
  std::vector<std::int64_t> slots;
  slots.reserve(static_cast<std::size_t>(spec.scope.slot_count()) + 1);
  for (const DeviceLimitName& limit : device_limit_names()) slots.push_back(limits.*limit.member);
  slots.insert(slots.end(), problem.dims.begin(), problem.dims.end());
  slots.push_back(static_cast<std::int64_t>(problem.dtype));
  slots.push_back(dtype_bytes(problem.dtype));
  slots.insert(slots.end(), problem.flags.begin(), problem.flags.end());
  for (const Param& param : spec.params) slots.push_back(param.default_value);
  return slots;
}

} // namespace warptune
