#include "spec/spec_json.h"

#include "core/text.h"
#include "spec/spec_json_parts.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace warptune {
namespace {

constexpr std::int64_t kFirstStringId = std::int64_t{1} << 32; // out of the way of sizes and of integer flags
constexpr std::size_t kMaxNames = 256;                         // dims, flags or params

bool is_label(std::string_view text) {
  const auto ok = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '+' || c == '-';
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), ok);
}

std::vector<std::string> dtype_names() {
  std::vector<std::string> names;
  names.reserve(kDTypeCount);
  for (int i = 0; i < kDTypeCount; ++i) names.emplace_back(dtype_name(static_cast<DType>(i)));
  return names;
}

std::string optional_text(const JsonCursor& c, std::string_view key) {
  const auto found = c.find(key);
  return found ? found->text() : std::string();
}

void check_count(const JsonCursor& c, std::size_t count) {
  if (count > kMaxNames)
    c.error(std::to_string(count) + " entries, more than the " + std::to_string(kMaxNames) + " allowed; use fewer");
}

// A file of the folder: no way out of it.
std::string file_name(const JsonCursor& c, std::string fallback, std::string_view key) {
  const auto found = c.find(key);
  if (!found) return fallback;
  const std::string& name = found->text();
  if (name.empty() || name[0] == '/' || name.find("..") != std::string::npos)
    found->expected("the name of a file in the folder");
  return name;
}

} // namespace

void SpecReader::header(const JsonCursor& root) {
  root.only({"format", "name", "summary", "source", "problem", "types", "params", "derived", "constraints", "compile",
             "arguments", "launches", "reference", "cost", "tolerance", "suites"});
  const JsonCursor format = root.at("format");
  if (format.integer() != 1) format.error("this program reads format 1 only; write 1, or use a newer warptune");
  const JsonCursor name = root.at("name");
  spec_.name = name.text();
  const bool lower = std::none_of(spec_.name.begin(), spec_.name.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  if (!is_identifier(spec_.name) || spec_.name[0] == '_' || !lower)
    name.expected("a name of small letters, digits and '_' that begins with a letter");
  spec_.summary = root.at("summary").text();
  if (spec_.summary.find('\n') != std::string::npos) root.at("summary").expected("one line");
  spec_.source = file_name(root, "kernel.cu", "source");
}

void SpecReader::claim(const JsonCursor& where, const std::string& name, const std::string& kind) {
  if (!is_identifier(name))
    return where.error(quote(name) + " is no name; use letters, digits and '_', a letter first");
  if (is_expression_keyword(name)) return where.error(quote(name) + " is a word of the expression language; rename it");
  if (claimed_.empty()) {
    for (const DeviceLimitName& limit : device_limit_names()) claimed_[limit.name] = "a device limit";
    for (int i = 0; i < kDTypeCount; ++i) claimed_[std::string(dtype_name(static_cast<DType>(i)))] = "a dtype";
    claimed_["dtype"] = "the dtype of the problem";
    claimed_["dtype_bytes"] = "the size of the dtype";
    claimed_["i"] = "the element index of fill formulas";
  }
  const auto [it, fresh] = claimed_.emplace(name, kind);
  if (!fresh) where.error(quote(name) + " is already the name of " + it->second + "; choose another");
}

void SpecReader::problem(const JsonCursor& root) {
  const JsonCursor problem = root.at("problem");
  problem.only({"dims", "dtypes", "flags"});
  const JsonCursor dims = problem.at("dims");
  for (const auto& [name, c] : dims.members()) {
    c.only({"meaning", "min", "max"});
    claim(c, name, "a dim");
    Dim dim;
    dim.name = name;
    dim.meaning = optional_text(c, "meaning");
    if (const auto min = c.find("min")) {
      dim.min = min->integer();
      if (dim.min < 1) min->expected("an integer of at least 1");
    }
    if (const auto max = c.find("max")) {
      dim.max = max->integer();
      if (dim.max < dim.min)
        max->error("max " + std::to_string(dim.max) + " is below min " + std::to_string(dim.min) +
                   "; no size would be left");
    }
    spec_.dims.push_back(std::move(dim));
  }
  if (spec_.dims.empty()) dims.error("no dims; a problem has at least one, such as \"n\": {\"meaning\": \"elements\"}");
  check_count(dims, spec_.dims.size());

  const JsonCursor dtypes = problem.at("dtypes");
  for (const JsonCursor& c : dtypes.items()) {
    const auto dtype = parse_dtype(c.text());
    if (!dtype)
      c.error("unknown dtype " + quote(c.text()) + suggest_name(c.text(), dtype_names()));
    else if (std::count(spec_.dtypes.begin(), spec_.dtypes.end(), *dtype))
      c.error(quote(c.text()) + " is listed twice");
    else
      spec_.dtypes.push_back(*dtype);
  }
  if (spec_.dtypes.empty()) dtypes.error("no dtypes; list at least one, the default first");

  if (const auto flags = problem.find("flags")) {
    for (const auto& [name, c] : flags->members()) {
      claim(c, name, "a flag");
      spec_.flags.push_back(flag(name, c));
    }
    check_count(*flags, spec_.flags.size());
  }
}

Flag SpecReader::flag(const std::string& name, const JsonCursor& c) {
  c.only({"values", "meaning"});
  Flag flag;
  flag.name = name;
  flag.meaning = optional_text(c, "meaning");
  const JsonCursor values = c.at("values");
  const std::vector<JsonCursor> items = values.items();
  if (items.empty()) values.error("no values; list at least one, the default first");
  std::set<std::string> seen;
  for (const JsonCursor& item : items) {
    const bool is_text = items.front().is(JsonValue::Kind::text);
    if (is_text && item.is(JsonValue::Kind::text)) {
      const std::string& label = item.text();
      if (!is_label(label))
        item.error(quote(label) + " has other characters than letters, digits and _.+-; choose others");
      const auto id = kFirstStringId + static_cast<std::int64_t>(strings_.size());
      flag.values.push_back(strings_.emplace(label, id).first->second);
      flag.labels.push_back(label);
    } else if (is_text) {
      item.expected("a text like the first value");
    } else {
      flag.values.push_back(item.integer());
      flag.labels.push_back(std::to_string(flag.values.back()));
    }
    if (!flag.labels.empty() && !seen.insert(flag.labels.back()).second)
      item.error("the value " + quote(flag.labels.back()) + " appears twice; keep one");
  }
  return flag;
}

void SpecReader::params(const JsonCursor& root) {
  const JsonCursor params = root.at("params");
  for (const auto& [name, c] : params.members()) {
    c.only({"values", "default", "meaning"});
    claim(c, name, "a param");
    Param param;
    param.name = name;
    param.meaning = optional_text(c, "meaning");
    const JsonCursor values = c.at("values");
    std::set<std::int64_t> seen;
    for (const JsonCursor& item : values.items()) {
      const std::int64_t value = item.integer();
      if (!seen.insert(value).second) item.error("the value " + std::to_string(value) + " appears twice; keep one");
      param.values.push_back(value);
    }
    if (param.values.empty()) values.error("no values; list at least one");
    const JsonCursor standard = c.at("default");
    param.default_value = standard.integer();
    if (!seen.count(param.default_value)) {
      std::vector<std::string> choices;
      for (const std::int64_t v : param.values) choices.push_back(std::to_string(v));
      if (choices.size() > 12) choices.resize(12);
      standard.error("the default " + std::to_string(param.default_value) + " is none of the values; choose " +
                     join_choices(choices));
    }
    spec_.params.push_back(std::move(param));
  }
  check_count(params, spec_.params.size());
}

void SpecReader::constraints(const JsonCursor& root) {
  const auto list = root.find("constraints");
  if (!list) return;
  for (const JsonCursor& c : list->items()) {
    c.only({"expr", "why"});
    Constraint constraint;
    constraint.expr = formula(c.at("expr"));
    constraint.why = c.at("why").text();
    if (constraint.why.empty()) c.at("why").expected("the reason in a few words");
    spec_.constraints.push_back(std::move(constraint));
  }
}

void SpecReader::compile(const JsonCursor& root) {
  const auto compile = root.find("compile");
  if (!compile) return;
  compile->only({"options", "defines", "std"});
  if (const auto options = compile->find("options")) {
    for (const JsonCursor& c : options->items()) {
      const std::string& option = c.text();
      for (const char* own : {"-arch", "--gpu-architecture", "-std", "--std", "-D", "--define-macro", "-I",
                              "--include-path", "-include", "--pre-include"})
        if (option.starts_with(own))
          c.error(quote(option) +
                  " is not for this list: the device sets the architecture, 'std' the language, 'defines' "
                  "the macros, and a source includes files of its folder only");
      if (!option.starts_with('-')) c.expected("a compiler option that begins with '-'");
      spec_.compile_options.push_back(option);
    }
  }
  if (const auto defines = compile->find("defines")) {
    for (const auto& [name, c] : defines->members()) {
      if (!is_identifier(name))
        c.error(quote(name) + " is no name of a macro; use letters, digits and '_', a letter first");
      spec_.defines.push_back({name, source_value(c)});
    }
  }
  if (const auto standard = compile->find("std")) {
    if (standard->choice({"c++14", "c++17", "c++20"}) < 3) spec_.cpp_standard = standard->text();
  }
}

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
  std::vector<std::string> known = dtype_names();
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

Result<KernelSpec> parse_spec(std::string_view json, const std::string& origin) {
  WT_TRY(JsonValue tree, parse_json(json, origin));
  JsonErrors errors(origin);
  const JsonCursor root(tree, errors);
  KernelSpec spec;
  SpecReader reader(spec);
  using Section = void (SpecReader::*)(const JsonCursor&);
  for (const Section section :
       {&SpecReader::header, &SpecReader::problem, &SpecReader::params, &SpecReader::scope, &SpecReader::constraints,
        &SpecReader::compile, &SpecReader::arguments, &SpecReader::launches, &SpecReader::reference, &SpecReader::cost,
        &SpecReader::tolerance, &SpecReader::suites}) {
    (reader.*section)(root);
    if (errors.any()) return fail(ErrorKind::bad_input, errors.message());
  }
  return spec;
}

} // namespace warptune
