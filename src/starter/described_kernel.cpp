#include "starter/described_kernel.h"

#include "core/dtype.h"
#include "core/text.h"
#include "starter/words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warptune {
namespace {

using Kind = StarterChoice::Kind;

std::string json_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out + "\"";
}

std::string json_list(const std::vector<std::string>& texts) {
  std::vector<std::string> quoted;
  for (const std::string& text : texts) quoted.push_back(json_text(text));
  return fmt::format("[{}]", fmt::join(quoted, ", "));
}

// `formula` with the params replaced by their defaults.
std::string at_defaults(const std::string& formula, const DescribedKernel& kernel) {
  return replace_words(formula, [&](std::string_view word) {
    for (const StarterChoice* param : params_of(kernel))
      if (param->name == word) return std::to_string(param->initial);
    return std::string(word);
  });
}

std::vector<std::string> at_defaults(std::vector<std::string> formulas, const DescribedKernel& kernel) {
  for (std::string& formula : formulas) formula = at_defaults(formula, kernel);
  return formulas;
}

// The value of a macro or a template argument, as spec.json passes it to the source.
std::string source_value(const StarterChoice& choice) {
  switch (choice.kind) {
  case Kind::param:
  case Kind::dim:
  case Kind::fixed:
  case Kind::launch:
    return json_text(choice.name);
  case Kind::dtype:
    return R"({"type": "dtype"})";
  case Kind::type:
    return fmt::format(R"({{"type": {}}})", json_text(choice.type));
  }
  return {};
}

std::string element_type(const StarterArgument& argument) {
  return argument.is_problem_type ? "dtype" : std::string(dtype_name(*argument.type.dtype));
}

std::string count_of(const StarterArgument& argument) {
  return argument.type.lanes == 1 ? argument.text : fmt::format("{} * ({})", argument.type.lanes, argument.text);
}

std::string bytes_of(const DescribedKernel& kernel, bool is_read) {
  std::vector<std::string> terms;
  for (const StarterArgument& argument : kernel.arguments) {
    if (!argument.type.is_pointer || argument.role == (is_read ? "output" : "input")) continue;
    const std::string bytes =
        argument.is_problem_type ? "dtype_bytes" : std::to_string(dtype_bytes(*argument.type.dtype));
    terms.push_back(fmt::format("({}) * {}", count_of(argument), bytes));
  }
  return terms.empty() ? "0" : fmt::format("{}", fmt::join(terms, " + "));
}

std::string argument_text(const StarterArgument& argument, const StarterFacts& facts) {
  const std::string head = fmt::format("    {}: ", json_text(argument.name));
  if (argument.type.is_pointer) {
    const std::string* fill = argument.role == "output" ? nullptr : find_entry(facts.fills, argument.name);
    return head + fmt::format(R"({{"buffer": {}, "count": {}, "role": {}{}}})", json_text(element_type(argument)),
                              json_text(count_of(argument)), json_text(argument.role),
                              fill == nullptr ? std::string() : ", \"fill\": " + *fill);
  }
  const bool is_real = dtype_is_floating(*argument.type.dtype);
  return head + fmt::format(R"({{"scalar": {}, "value": {}}})", json_text(element_type(argument)),
                            is_real ? argument.text : json_text(argument.text));
}

std::string param_text(const StarterChoice& param) {
  return fmt::format(R"(    {}: {{"values": [{}], "default": {}, "meaning": {}}})", json_text(param.name),
                     fmt::join(param.values, ", "), param.initial, json_text(param.meaning));
}

std::string launch_text(const DescribedKernel& kernel, bool is_reference) {
  const StarterFacts& facts = kernel.facts;
  const auto formulas = [&](const std::vector<std::string>& all) {
    return json_list(is_reference ? at_defaults(all, kernel) : all);
  };
  std::string text = fmt::format(R"({{"kernel": {})", json_text(kernel.kernel));
  if (!kernel.template_arguments.empty()) {
    std::vector<std::string> values;
    for (const StarterChoice& choice : kernel.template_arguments)
      values.push_back(is_reference && choice.kind == Kind::param ? std::to_string(choice.initial)
                                                                  : source_value(choice));
    text += fmt::format(R"(, "template": [{}])", fmt::join(values, ", "));
  }
  text += fmt::format(R"(, "grid": {}, "block": {})", formulas(facts.grid), formulas(facts.block));
  if (!facts.shared.empty())
    text +=
        fmt::format(R"(, "shared": {})", json_text(is_reference ? at_defaults(facts.shared, kernel) : facts.shared));
  return text + fmt::format(R"(, "args": {}}})", json_list(names_of(kernel.arguments)));
}

std::string tolerance_text(const DescribedKernel& kernel) {
  if (!kernel.facts.tolerance.empty())
    return fmt::format(R"("default": {{"rtol": {0}, "rms": {0}}})", kernel.facts.tolerance);
  std::vector<std::string> all = {R"("default": {"rtol": 1e-5, "rms": 1e-5})"};
  for (const std::string& dtype : kernel.dtypes) {
    if (dtype == "fp64") all.emplace_back(R"("fp64": {"rtol": 1e-12, "rms": 1e-12})");
    if (dtype == "fp16") all.emplace_back(R"("fp16": {"rtol": 2e-3, "rms": 1e-3})");
    if (dtype == "bf16") all.emplace_back(R"("bf16": {"rtol": 1.6e-2, "rms": 4e-3})");
  }
  return fmt::format("{}", fmt::join(all, ", "));
}

std::string shape_text(const Entries& shape) {
  std::vector<std::string> members;
  for (const auto& [name, value] : shape) members.push_back(fmt::format("{}: {}", json_text(name), value));
  return fmt::format("{{{}}}", fmt::join(members, ", "));
}

// The lines of a member whose value is an object; empty if the object would be.
std::string block(const std::string& name, const std::vector<std::string>& members, const std::string& comment = {}) {
  if (members.empty() && name != "params") return {};
  const std::string head = fmt::format("  {}: {{{}{}", json_text(name), comment.empty() ? "" : " // ", comment);
  if (members.empty()) return fmt::format("  {}: {{}},\n", json_text(name));
  return fmt::format("{}\n{}\n  }},\n", head, fmt::join(members, ",\n"));
}

std::vector<std::string> constraints_of(const DescribedKernel& kernel) {
  std::vector<std::string> all;
  const std::string threads = fmt::format("({})", fmt::join(kernel.facts.block, ") * ("));
  if (at_defaults(threads, kernel) != threads)
    all.push_back(fmt::format(R"(    {{"expr": {}, "why": "the limit of threads per block"}})",
                              json_text(threads + " <= max_threads_per_block")));
  for (const std::string& formula : kernel.facts.constraints)
    all.push_back(fmt::format(R"(    {{"expr": {0}, "why": {0}}})", json_text(formula)));
  return all;
}

} // namespace

std::vector<const StarterChoice*> params_of(const DescribedKernel& kernel) {
  std::vector<const StarterChoice*> params;
  for (const auto* all : {&kernel.template_arguments, &kernel.macros})
    for (const StarterChoice& choice : *all)
      if (choice.kind == Kind::param || choice.kind == Kind::launch) params.push_back(&choice);
  return params;
}

std::string spec_text(const DescribedKernel& kernel) {
  std::vector<std::string> dims, suite, params, defines, arguments, types;
  for (const auto& [name, value] : kernel.facts.dims)
    dims.push_back(fmt::format(R"(      {}: {{"meaning": "a size of {}"}})", json_text(name), kernel.kernel));
  for (const Entries& shape : kernel.facts.shapes) suite.push_back(shape_text(shape));
  if (suite.empty()) suite.push_back(shape_text(kernel.facts.dims));
  for (const StarterChoice* param : params_of(kernel)) params.push_back(param_text(*param));
  for (const StarterChoice& macro : kernel.macros)
    if (macro.kind != Kind::launch)
      defines.push_back(fmt::format("{}: {}", json_text(macro.name), source_value(macro)));
  for (const StarterArgument& argument : kernel.arguments) {
    arguments.push_back(argument_text(argument, kernel.facts));
    if (argument.type.is_pointer && argument.role != "input")
      types.push_back(fmt::format("{}: {}", json_text(argument.name), json_text(element_type(argument))));
  }
  std::string out =
      fmt::format(R"(// Made by `{}` from {}. docs/spec.md describes every key.
{{
  "format": 2,
  "name": {},
  "summary": {},
  "problem": {{
    "dims": {{ // a problem's sizes; add "max" where the kernel's indices overflow
{}
    }},
    "dtypes": {} // the first is the default
  }},
)",
                  kernel.facts.maker.empty() ? "warptune new" : kernel.facts.maker, kernel.file, json_text(kernel.name),
                  json_text(fmt::format("the kernel {} of {}", kernel.kernel, kernel.file)), fmt::join(dims, ",\n"),
                  json_list(kernel.dtypes));
  out += block("params", params, "tune tries these values");
  std::vector<std::string> derived; // so that formulas can use the names of fixed values
  for (const auto* all : {&kernel.template_arguments, &kernel.macros})
    for (const StarterChoice& choice : *all)
      if (choice.kind == Kind::fixed)
        derived.push_back(fmt::format("    {}: \"{}\"", json_text(choice.name), choice.initial));
  out += block("derived", derived, "fixed values");
  if (const auto all = constraints_of(kernel); !all.empty())
    out += fmt::format("  \"constraints\": [ // add one for each combination that must not be tried\n{}\n  ],\n",
                       fmt::join(all, ",\n"));
  std::vector<std::string> compile;
  if (!kernel.facts.options.empty()) compile.push_back("\"options\": " + json_list(kernel.facts.options));
  if (!defines.empty()) compile.push_back(fmt::format("\"defines\": {{{}}}", fmt::join(defines, ", ")));
  if (!compile.empty()) out += fmt::format("  \"compile\": {{{}}},\n", fmt::join(compile, ", "));
  out += block("arguments", arguments, "inputs are random numbers; see \"fill\" in docs/spec.md");
  out += fmt::format("  \"launches\": [\n    {}\n  ],\n", launch_text(kernel, false));
  out += fmt::format(
      R"(  // The reference is the kernel itself with the defaults of its params. So it only shows that all
  // configurations agree with the default, not that the default is right. Replace reference.cu with a slow kernel that
  // is obviously right.
  "reference": {{
    "types": {{{}}},
    "launches": [{}]
  }},
)",
      fmt::join(types, ", "), launch_text(kernel, true));
  out += fmt::format(R"(  // Counts each buffer once. Add "flops" for the roofline: docs/spec.md.
  "cost": {{"bytes_read": {}, "bytes_written": {}}},
  // |out - ref| <= rtol * |ref| + rms * RMS(ref); docs/tolerance.md.
  "tolerance": {{{}}},
  "suites": {{"default": [{}]}}
}}
)",
                     json_text(bytes_of(kernel, true)), json_text(bytes_of(kernel, false)), tolerance_text(kernel),
                     fmt::join(suite, ", "));
  return out;
}

std::string reference_text(const DescribedKernel& kernel, const std::string& source) {
  std::string out =
      "// The reference of " + kernel.kernel +
      ": its source with the defaults of its params. So it only shows that all configurations agree\n"
      "// with the default. Replace it with a slow kernel that is obviously right (docs/own-kernel.md).\n";
  for (const StarterChoice& macro : kernel.macros)
    if (macro.kind == Kind::param) out += fmt::format("#define {} {}\n", macro.name, macro.initial);
  return out + source;
}

} // namespace warptune
