// What measurements are held against: cost, tolerance, suites.
#include "core/text.h"
#include "spec/spec_json_parts.h"

#include <algorithm>
#include <cmath>

namespace warptune {

void SpecReader::cost(const JsonCursor& root) {
  const JsonCursor cost = root.at("cost");
  cost.only({"bytes_read", "bytes_written", "flops"});
  const auto bound = [&](const JsonCursor& c) {
    Expr expr = formula(c);
    without_params(c, expr, "the cost (the least of any implementation)");
    return expr;
  };
  spec_.cost.bytes_read = bound(cost.at("bytes_read"));
  spec_.cost.bytes_written = bound(cost.at("bytes_written"));
  if (const auto flops = cost.find("flops")) {
    flops->only({"fp32", "fp64", "fp16", "tensor"});
    for (const auto& [pipe, c] : flops->members()) spec_.cost.flops.emplace_back(pipe, bound(c));
  }
}

// A number, or a formula over dims, dtype and flags; what is constant is checked here, the rest for each problem.
RealExpr SpecReader::tolerance_member(const JsonCursor& c) {
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
ToleranceTable SpecReader::tolerance_table(const JsonCursor& table, std::string_view other_key) {
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
      c.error("unknown dtype " + quote(name) + suggest_name(name, known));
  }
  return all;
}

void SpecReader::tolerance(const JsonCursor& root) {
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

void SpecReader::suites(const JsonCursor& root) {
  const auto suites = root.find("suites");
  if (!suites) return;
  for (const auto& [name, list] : suites->members()) {
    std::vector<Shape>& shapes = spec_.suites[name];
    for (const JsonCursor& c : list.items()) {
      std::vector<std::string> names;
      for (const Dim& dim : spec_.dims) names.push_back(dim.name);
      for (const auto& [key, value] : c.members())
        if (std::find(names.begin(), names.end(), key) == names.end())
          value.error("unknown dim " + quote(key) + suggest_name(key, names));
      Shape shape;
      for (const Dim& dim : spec_.dims) {
        const JsonCursor value = c.at(dim.name);
        shape.push_back(value.integer());
        if (shape.back() < dim.min || shape.back() > dim.max)
          value.expected("a size from " + std::to_string(dim.min) + " to " + std::to_string(dim.max));
      }
      shapes.push_back(std::move(shape));
    }
    if (shapes.empty()) list.error("no shapes; list at least one, or leave the suite out");
  }
}

} // namespace warptune
