#include "starter/choices.h"

#include "core/dtype.h"
#include "core/text.h"
#include "spec/source_comments.h"
#include "starter/source_macros.h"
#include "starter/words.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>

namespace warptune {
namespace {

using Kind = StarterChoice::Kind;

constexpr std::int64_t kStandIn = 32; // stands for a value that the user has not given yet

Result<std::vector<std::int64_t>> read_values(const std::string& name, const std::string& text) {
  std::vector<std::int64_t> values;
  for (const std::string& part : split_list(text)) {
    std::int64_t value = part == "true" ? 1 : 0;
    if (part != "true" && part != "false" && parse_integer(part, value) != IntegerError::none)
      return fail(ErrorKind::bad_input, fmt::format("--values {}: {} is not an integer; for a type use --type {}=fp32",
                                                    name, quote(part), name));
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  }
  return values;
}

Result<std::vector<std::string>> read_types(const std::string& name, const std::string& text) {
  std::vector<std::string> types;
  for (const std::string& part : split_list(text)) {
    if (!parse_dtype(part))
      return fail(ErrorKind::bad_input,
                  fmt::format("--type {}: {} is not a dtype, such as fp32, bf16 or int32", name, quote(part)));
    types.push_back(part);
  }
  return types;
}

bool has_word(const std::string& text, const std::string& word) {
  const auto words = words_in(text);
  return std::find(words.begin(), words.end(), word) != words.end();
}

class ChoiceFinder {
 public:
  ChoiceFinder(const SourceFiles& sources, const KernelText& kernel, const StarterFacts& facts)
      : sources_(sources), code_(without_comments(sources.files.front().second)), kernel_(kernel), facts_(facts),
        macros_(source_macros(sources.files.front().second)) {
    out_.source = sources.files.front().second;
  }

  Result<StarterChoices> find() {
    WT_CHECK(find_types());
    for (const TemplateParameter& parameter : kernel_.template_parameters) WT_CHECK(add_template_argument(parameter));
    for (const SourceMacro& macro : macros_) WT_CHECK(add_macro(macro));
    for (const auto& [name, text] : facts_.values) WT_CHECK(add_undefined(name, text));
    for (const auto& [name, text] : facts_.types)
      if (!is_template_parameter(name)) WT_CHECK(add_type_macro(name, text));
    return std::move(out_);
  }

 private:
  bool is_template_parameter(const std::string& name) const {
    return std::any_of(kernel_.template_parameters.begin(), kernel_.template_parameters.end(),
                       [&](const TemplateParameter& p) { return p.name == name; });
  }
  const SourceMacro* macro(const std::string& name) const {
    const auto found =
        std::find_if(macros_.begin(), macros_.end(), [&](const SourceMacro& m) { return m.name == name; });
    return found == macros_.end() ? nullptr : &*found;
  }

  // The type with several dtypes becomes the problem's dtype; without one, the first type does.
  Result<void> find_types() {
    for (const auto& [name, text] : facts_.types) {
      WT_TRY(auto types, read_types(name, text));
      if (types.size() > 1 && out_.dtypes.size() > 1)
        return fail(ErrorKind::bad_input, fmt::format("--type gives both {} and {} several dtypes; only one type of a "
                                                      "kernel can be the problem's dtype",
                                                      chosen_type_, name));
      if (!out_.dtypes.empty() && types.size() == 1) continue;
      chosen_type_ = name;
      out_.dtypes = std::move(types);
    }
    return {};
  }

  StarterChoice type_choice(const std::string& name, const std::string& text) const {
    StarterChoice choice;
    choice.name = name;
    choice.kind = name == chosen_type_ ? Kind::dtype : Kind::type;
    choice.type = text;
    return choice;
  }

  StarterChoice value_choice(const std::string& name, std::vector<std::int64_t> values,
                             std::optional<std::int64_t> initial, std::string meaning) const {
    StarterChoice choice;
    choice.name = name;
    choice.meaning = std::move(meaning);
    choice.values = std::move(values);
    std::int64_t given = 0;
    if (const std::string* text = find_entry(facts_.defaults, name);
        text && parse_integer(*text, given) == IntegerError::none)
      initial = given;
    const bool is_valid =
        initial && std::find(choice.values.begin(), choice.values.end(), *initial) != choice.values.end();
    choice.initial = is_valid ? *initial : choice.values.front();
    choice.kind = choice.values.size() > 1 ? Kind::param : Kind::fixed;
    if (find_entry(facts_.dims, name)) choice.kind = Kind::dim;
    return choice;
  }

  void note_proposal(const StarterChoice& choice) {
    if (choice.kind == Kind::param)
      out_.notes.push_back(
          fmt::format("proposed values: {}={}; to choose others, use --values {}=...; a single value fixes the param",
                      choice.name, fmt::join(choice.values, ","), choice.name));
  }

  Result<void> add_template_argument(const TemplateParameter& parameter) {
    const std::string meaning = "template argument of " + kernel_.name;
    if (parameter.is_type) {
      const std::string* types = find_entry(facts_.types, parameter.name);
      if (!types) out_.missing.push_back({"--type", parameter.name, meaning + ", a type", "fp32"});
      out_.template_arguments.push_back(type_choice(parameter.name, types ? *types : "fp32"));
      return {};
    }
    SourceMacro as_macro;
    const std::string initial = parameter.initial == "true"    ? "1"
                                : parameter.initial == "false" ? "0"
                                                               : parameter.initial;
    std::int64_t value = 0;
    if (parse_integer(initial, value) == IntegerError::none) as_macro.initial = value;
    as_macro.is_tested = parameter.is_bool;
    if (parameter.is_bool && !as_macro.initial) as_macro.initial = 0;
    const std::string* given = find_entry(facts_.values, parameter.name);
    std::vector<std::int64_t> values =
        as_macro.initial ? propose_values(as_macro) : std::vector<std::int64_t>{kStandIn};
    if (given) {
      WT_TRY(values, read_values(parameter.name, *given));
    } else if (!as_macro.initial && !find_entry(facts_.dims, parameter.name)) {
      out_.missing.push_back({"--values", parameter.name, meaning + ", an integer", "64,128,256"});
    }
    out_.template_arguments.push_back(value_choice(parameter.name, std::move(values), as_macro.initial, meaning));
    if (!given && as_macro.initial) note_proposal(out_.template_arguments.back());
    return {};
  }

  Result<void> add_macro(const SourceMacro& macro) {
    const std::string* given = find_entry(facts_.values, macro.name);
    const bool is_dim = find_entry(facts_.dims, macro.name) != nullptr;
    if (find_entry(facts_.types, macro.name)) return {}; // find_types handles it
    if (!given && !is_dim) return propose(macro);
    if (macro.takes_arguments)
      return fail(ErrorKind::bad_input,
                  fmt::format("the macro {} takes arguments, so it cannot be a param or a dim; name "
                              "a macro without arguments instead",
                              macro.name));
    std::vector<std::int64_t> values = {macro.initial.value_or(kStandIn)};
    if (given) {
      WT_TRY(values, read_values(macro.name, *given));
    }
    guard(macro);
    out_.macros.push_back(value_choice(macro.name, std::move(values), macro.initial, meaning_of(macro)));
    return {};
  }

  static std::string meaning_of(const SourceMacro& macro) {
    return macro.meaning.empty() ? "macro of kernel.cu" : macro.meaning;
  }

  void guard(const SourceMacro& macro) {
    if (!macro.is_defined || macro.is_guarded) return;
    out_.source = with_guard(out_.source, macro.name);
    out_.notes.push_back("kernel.cu now has #ifndef around the definition of " + macro.name +
                         ", so that warptune can set its value");
  }

  bool is_read(const std::string& name) const {
    return std::any_of(sources_.files.begin(), sources_.files.end(),
                       [&](const auto& file) { return reads_macro(file.second, name); });
  }

  // Proposes values only for macros that can be set from outside.
  Result<void> propose(const SourceMacro& macro) {
    if (macro.takes_arguments || (macro.is_defined && !(macro.is_guarded && macro.initial))) return {};
    if (!is_read(macro.name) && !is_in_launch(macro.name)) return {};
    std::vector<std::int64_t> values = propose_values(macro);
    if (values.size() < 2) return {};
    out_.macros.push_back(value_choice(macro.name, std::move(values), macro.initial, meaning_of(macro)));
    note_proposal(out_.macros.back());
    return {};
  }

  bool is_in_launch(const std::string& name) const {
    const auto reads = [&](const std::string& formula) { return has_word(formula, name); };
    return std::any_of(facts_.grid.begin(), facts_.grid.end(), reads) ||
           std::any_of(facts_.block.begin(), facts_.block.end(), reads) || reads(facts_.shared);
  }

  // A macro that the source uses without defining or testing it, or a name used only by the launch.
  Result<void> add_undefined(const std::string& name, const std::string& text) {
    if (macro(name) || is_template_parameter(name)) return {};
    const bool is_in_source = has_word(code_, name);
    if (!is_in_source && !is_in_launch(name)) {
      std::vector<std::string> known;
      for (const SourceMacro& one : macros_) known.push_back(one.name);
      for (const TemplateParameter& one : kernel_.template_parameters) known.push_back(one.name);
      return fail(ErrorKind::bad_input,
                  fmt::format("--values {}: neither the source nor --grid, --block or --shared uses this name{}", name,
                              suggest_name(name, known)));
    }
    WT_TRY(auto values, read_values(name, text));
    out_.macros.push_back(value_choice(name, std::move(values), std::nullopt,
                                       is_in_source ? "macro of kernel.cu" : "a number of the launch"));
    if (!is_in_source) out_.macros.back().kind = Kind::launch;
    return {};
  }

  Result<void> add_type_macro(const std::string& name, const std::string& text) {
    if (!has_word(code_, name))
      return fail(ErrorKind::bad_input, fmt::format("--type {}: the source does not use this name", name));
    if (const SourceMacro* known = macro(name)) guard(*known);
    out_.macros.push_back(type_choice(name, text));
    return {};
  }

  const SourceFiles& sources_;
  std::string code_; // the code of the first file
  const KernelText& kernel_;
  const StarterFacts& facts_;
  std::vector<SourceMacro> macros_;
  std::string chosen_type_;
  StarterChoices out_;
};

std::string value_of(const StarterChoice& choice, const StarterFacts& facts, const std::string& dtype) {
  switch (choice.kind) {
  case Kind::dim:
    return *find_entry(facts.dims, choice.name);
  case Kind::dtype:
    return std::string(dtype_cpp_name(*parse_dtype(dtype)));
  case Kind::type:
    return std::string(dtype_cpp_name(*parse_dtype(choice.type)));
  case Kind::param:
  case Kind::fixed:
  case Kind::launch:
    break;
  }
  return std::to_string(choice.initial);
}

} // namespace

Result<StarterChoices> find_choices(const SourceFiles& sources, const KernelText& kernel, const StarterFacts& facts) {
  return ChoiceFinder(sources, kernel, facts).find();
}

std::vector<std::string> macro_options(const StarterChoices& choices, const StarterFacts& facts,
                                       const std::string& dtype) {
  std::vector<std::string> options;
  for (const StarterChoice& macro : choices.macros)
    if (macro.kind != Kind::launch) options.push_back(macro.name + "=" + value_of(macro, facts, dtype));
  return options;
}

std::string instance_name(const std::string& kernel, const StarterChoices& choices, const StarterFacts& facts,
                          const std::string& dtype) {
  if (choices.template_arguments.empty()) return kernel;
  std::vector<std::string> values;
  for (const StarterChoice& argument : choices.template_arguments) values.push_back(value_of(argument, facts, dtype));
  return fmt::format("{}<{}>", kernel, fmt::join(values, ", "));
}

} // namespace warptune
