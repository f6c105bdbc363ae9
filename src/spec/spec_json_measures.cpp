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

void SpecReader::tolerance(const JsonCursor& root) {
  const JsonCursor tolerance = root.at("tolerance");
  std::vector<std::string> known = all_dtype_names();
  known.emplace_back("default");
  bool has_default = false;
  for (const auto& [name, c] : tolerance.members()) {
    c.only({"rtol", "atol", "rms"});
    const auto member = [&c = c](std::string_view key) {
      const auto found = c.find(key);
      const double value = found ? found->number() : 0;
      if (!(value >= 0 && std::isfinite(value))) found->expected("a number of at least 0");
      return value;
    };
    const Tolerance t{member("rtol"), member("atol"), member("rms")};
    if (t.rtol >= 1) c.at("rtol").error("an rtol of 1 or more accepts 0 for every value; it must be below 1");
    if (name == "default") {
      has_default = true;
      spec_.default_tolerance = t;
    } else if (const auto dtype = parse_dtype(name)) {
      spec_.tolerance_by_dtype[*dtype] = t;
    } else {
      c.error("unknown dtype " + quote(name) + suggest_name(name, known));
    }
  }
  for (const DType dtype : spec_.dtypes)
    if (!has_default && !spec_.tolerance_by_dtype.count(dtype))
      tolerance.error("no tolerance for " + std::string(dtype_name(dtype)) + "; add it, or \"default\"");
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
