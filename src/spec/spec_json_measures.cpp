// Sections that results are compared with: cost, tolerance, suites.
#include "core/text.h"
#include "spec/spec_json_parts.h"

#include <algorithm>
#include <cmath>

namespace warptune {
namespace {

constexpr const char *kTensorPipe = "tensor", *kFp32Pipe = "fp32"; // names in cost.flops

} // namespace

void DescriptionReader::cost(const JsonCursor& root) {
  const JsonCursor cost = root.at("cost");
  cost.only({"bytes_read", "bytes_written", "flops", "tensor_when"});
  const auto bound = [&](const JsonCursor& c) {
    Expr expr = formula(c);
    without_params(c, expr, "the cost (the minimum over all implementations)");
    return expr;
  };
  spec_.cost.bytes_read = bound(cost.at("bytes_read"));
  spec_.cost.bytes_written = bound(cost.at("bytes_written"));
  if (const auto flops = cost.find("flops")) {
    std::vector<std::string_view> pipes = {kFp32Pipe, "fp64", "fp16", kTensorPipe};
    if (format_ >= 2) pipes.emplace_back("sfu");
    flops->only(pipes);
    for (const auto& [pipe, c] : flops->members()) spec_.cost.flops.emplace_back(pipe, bound(c));
  }
  if (const auto when = cost.find("tensor_when")) tensor_when(*when, bound(*when));
}

// The operations of `tensor` are those of tensor cores if the condition holds, otherwise of fp32. They become two
// formulas like any others.
void DescriptionReader::tensor_when(const JsonCursor& c, const Expr& when) {
  auto& flops = spec_.cost.flops;
  const auto find = [&](std::string_view pipe) {
    return std::find_if(flops.begin(), flops.end(), [&](const auto& entry) { return entry.first == pipe; });
  };
  const auto tensor = find(kTensorPipe);
  if (tensor == flops.end()) c.error("there are no tensor operations; give \"flops\" a formula for \"tensor\"");
  if (c.failed()) return;
  const std::string all = tensor->second.text();
  const auto parsed = [&](const std::string& text) {
    Result<Expr> expr = Expr::parse(text, scope());
    if (!expr) c.error(expr.error().message);
    return expr ? std::move(*expr) : Expr();
  };
  tensor->second = parsed("(" + when.text() + ") ? (" + all + ") : 0");
  const auto fp32 = find(kFp32Pipe);
  const std::string elsewhere = "(" + when.text() + ") ? 0 : (" + all + ")";
  if (fp32 == flops.end())
    flops.emplace_back(kFp32Pipe, parsed(elsewhere));
  else
    fp32->second = parsed("(" + fp32->second.text() + ") + (" + elsewhere + ")");
}

// A number, or a formula over dims, dtype and flags. Constants are checked here, formulas for each problem.
RealExpr DescriptionReader::tolerance_member(const JsonCursor& c) {
  RealExpr expr = format_ < 2 ? RealExpr::constant(c.number()) : real_formula(c);
  if (c.failed()) return expr;
  const auto limits = static_cast<int>(device_limit_names().size());
  if (!expr.is_constant() && expr.slots().front() < limits)
    c.error("a tolerance may not depend on the device; use dims, flags and dtypes only");
  if (expr.is_constant()) {
    const auto value = expr.evaluate({});
    if (!value || !(*value >= 0 && std::isfinite(*value))) c.expected("a number of at least 0");
  }
  return expr;
}

// By dtype, with "default" for the others; `other_key` is read elsewhere.
ToleranceTable DescriptionReader::tolerance_table(const JsonCursor& table, std::string_view other_key) {
  std::vector<std::string> known = all_dtype_names();
  known.emplace_back("default");
  ToleranceTable all;
  for (const auto& [name, c] : table.members()) {
    if (name == other_key) continue;
    c.only({"rtol", "atol", "rms"});
    const auto member = [&c = c, this](std::string_view key) {
      const auto found = c.find(key);
      return found ? tolerance_member(*found) : RealExpr();
    };
    const ToleranceFormulas formulas{member("rtol"), member("atol"), member("rms")};
    if (formulas.rtol.is_constant() && formulas.rtol.evaluate({}).value_or(0) >= 1)
      c.at("rtol").error("an rtol of 1 or more accepts 0 for every value; it must be below 1");
    if (name == "default")
      all.standard = formulas;
    else if (const auto dtype = parse_dtype(name))
      all.by_dtype[*dtype] = formulas;
    else
      c.error("unknown dtype " + quote(name) + suggest_dtype(name, known));
  }
  return all;
}

void DescriptionReader::tolerance(const JsonCursor& root) {
  const JsonCursor tolerance = root.at("tolerance");
  const std::string_view by_output = format_ < 2 ? std::string_view() : "outputs";
  spec_.tolerances = tolerance_table(tolerance, by_output);
  for (const DType dtype : spec_.dtypes)
    if (!spec_.tolerances.find(dtype))
      tolerance.error("no tolerance for " + std::string(dtype_name(dtype)) + "; add it, or \"default\"");
  const auto outputs = format_ < 2 ? std::nullopt : tolerance.find(by_output);
  if (!outputs) return;
  std::vector<std::string> names;
  for (const Argument& argument : spec_.arguments) {
    const auto* buffer = std::get_if<BufferArg>(&argument.value);
    if (buffer && (buffer->role == Role::output || buffer->role == Role::inout)) names.push_back(argument.name);
  }
  for (const auto& [name, c] : outputs->members()) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      c.error(quote(name) + " is not an output" + suggest_name(name, names));
    spec_.tolerances_by_output[name] = tolerance_table(c, {});
  }
}

// {"rows": 32, "cols": 64}, in format 2 also with "dtype" and flags.
SuiteEntry DescriptionReader::suite_entry(const JsonCursor& c) {
  std::vector<std::string> dims, flags;
  for (std::size_t d = 0; d < spec_.dims.size(); ++d)
    if (spec_.list_of_dim(d) < 0) dims.push_back(spec_.dims[d].name);
  for (const ListDim& list : spec_.lists) dims.push_back(list.name);
  for (const Flag& flag : spec_.flags) flags.push_back(flag.name);
  std::vector<std::string> known = dims;
  if (format_ >= 2) {
    known.emplace_back("dtype");
    known.insert(known.end(), flags.begin(), flags.end());
  }
  SuiteEntry entry;
  for (const auto& [key, value] : c.members()) {
    const auto flag = std::find(flags.begin(), flags.end(), key);
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      value.error((format_ < 2 ? "unknown dim " : "unknown dim or flag ") + quote(key) + suggest_name(key, known));
    } else if (key == "dtype") {
      entry.dtype = parse_dtype(value.text());
      if (!entry.dtype || !std::count(spec_.dtypes.begin(), spec_.dtypes.end(), *entry.dtype))
        value.expected("a dtype of the problem");
    } else if (flag != flags.end()) {
      const auto index = static_cast<std::size_t>(flag - flags.begin());
      entry.flags.resize(flags.size());
      entry.flags[index] = flag_value(value, spec_.flags[index]);
    }
  }
  entry_sizes(c, entry);
  return entry;
}

// The value of a flag by its label, or by its number if the values are numbers.
std::int64_t DescriptionReader::flag_value(const JsonCursor& c, const Flag& flag) {
  const std::string label = c.is(JsonValue::Kind::integer) ? std::to_string(c.integer())
                            : c.is(JsonValue::Kind::text)  ? c.text()
                                                           : std::string();
  const auto found = std::find(flag.labels.begin(), flag.labels.end(), label);
  if (found != flag.labels.end()) return flag.values[static_cast<std::size_t>(found - flag.labels.begin())];
  c.expected("a value of the flag " + quote(flag.name) + " (" + join_choices(flag.labels) + ")");
  return 0;
}

void DescriptionReader::suites(const JsonCursor& root) {
  const auto suites = root.find("suites");
  if (!suites) return;
  for (const auto& [name, list] : suites->members()) {
    std::vector<SuiteEntry>& entries = spec_.suites[name];
    for (const JsonCursor& c : list.items()) entries.push_back(suite_entry(c));
    if (entries.empty()) list.error("no shapes; list at least one, or remove the suite");
  }
}

} // namespace warptune
