// One implementation: its names and source, params, constraints and compiler options; also the union of the params of
// all implementations.
#include "core/text.h"
#include "spec/compile_options.h"
#include "spec/spec_json_parts.h"

#include <algorithm>
#include <functional>
#include <tuple>

namespace warptune {
namespace {

bool is_rising(const std::vector<std::int64_t>& values) { return std::is_sorted(values.begin(), values.end()); }

// The values of both lists. They are sorted if both lists are sorted; otherwise the values of the first list come
// first.
void unite(Param& all, const std::vector<std::int64_t>& values, const std::vector<std::string>& labels) {
  const bool rising = is_rising(all.values) && is_rising(values) && labels.empty();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::find(all.values.begin(), all.values.end(), values[i]) != all.values.end()) continue;
    all.values.push_back(values[i]);
    if (!labels.empty()) all.labels.push_back(labels[i]);
  }
  if (rising) std::sort(all.values.begin(), all.values.end());
}

// If all implementations that give a meaning give the same, this is the param's meaning. Otherwise the param's meaning
// lists all of them: "rows of a tile (simt, tf32x3); columns of a tile (wgmma)".
void join_meanings(Param& param) {
  std::vector<std::pair<std::string, std::string>> texts; // meaning -> names of its implementations
  for (const auto& [implementation, meaning] : param.own_meanings) {
    const auto same = [&](const auto& text) { return text.first == meaning; };
    const auto found = std::find_if(texts.begin(), texts.end(), same);
    if (found == texts.end())
      texts.emplace_back(meaning, implementation);
    else
      found->second += ", " + implementation;
  }
  if (texts.size() < 2) {
    param.own_meanings.clear();
    return;
  }
  param.meaning.clear();
  for (const auto& [meaning, names] : texts)
    param.meaning += (param.meaning.empty() ? "" : "; ") + meaning + " (" + names + ")";
}

} // namespace

void DescriptionReader::implementation_header(const ImplementationPart& part) {
  const JsonCursor& c = part.cursor;
  if (!part.is_inline)
    c.only({"summary", "source", "params", "derived", "constraints", "compile", "arguments", "align", "launches",
            "build", "symbols", "include", "formerly", "expected_us"});
  if (!part.is_inline && c.find("summary")) current_->summary = c.at("summary").text();
  if (part.is_inline) beside_spec_ = part.index;
  current_->source = part.folder + file_name(c, "kernel.cu", "source");
  if (const auto formerly = c.find("formerly")) former(*formerly);
}

void DescriptionReader::params(const JsonCursor& c) {
  const auto params = c.find("params");
  if (!params) {
    if (format_ < 2) (void)c.at("params");
    return;
  }
  check_count(*params, params->members().size());
  for (const auto& [name, item] : params->members()) {
    if (format_ < 2)
      item.only({"values", "default", "meaning"});
    else
      item.only({"values", "default", "meaning", "when"});
    claim(item, name, "a param");
    Param param;
    param.name = name;
    param.meaning = optional_text(item, "meaning");
    const JsonCursor list = item.at("values");
    if (format_ < 2) // format 1 has no labels
      for (const JsonCursor& value : list.items()) (void)value.integer();
    if (list.failed()) return;
    std::tie(param.values, param.labels) = values(list);
    if (param.values.empty()) list.error("no values; list at least one");
    if (item.failed()) return;
    param.default_value = default_of(item, param);
    if (item.failed()) return;
    add_param(item, std::move(param));
  }
  check_former(c);
}

std::int64_t DescriptionReader::default_of(const JsonCursor& c, const Param& param) {
  const JsonCursor standard = c.at("default");
  std::vector<std::string> choices;
  for (const std::int64_t v : param.values) choices.push_back(param.text_of(v));
  const std::string given = param.labels.empty() ? std::to_string(standard.integer()) : standard.text();
  const auto found = std::find(choices.begin(), choices.end(), given);
  if (found != choices.end()) return param.values[static_cast<std::size_t>(found - choices.begin())];
  if (choices.size() > 12) choices.resize(12);
  standard.error("the default " + given + " is not one of the values; choose " + join_choices(choices));
  return 0;
}

// Params with the same name are one param of the operator, which has the values of all implementations.
void DescriptionReader::add_param(const JsonCursor& c, Param param) {
  OwnParam own{0, param.values, param.default_value, std::nullopt};
  const auto same = [&](const Param& other) { return other.name == param.name; };
  const auto found = std::find_if(spec_.params.begin(), spec_.params.end(), same);
  own.index = static_cast<std::size_t>(found - spec_.params.begin());
  if (!param.meaning.empty()) param.own_meanings.emplace_back(current_->name, param.meaning);
  if (found == spec_.params.end()) {
    spec_.params.push_back(std::move(param));
  } else {
    if (found->labels.empty() != param.labels.empty())
      c.error("the param " + quote(param.name) +
              " has numbers in one implementation and labels in another; use only numbers or only labels");
    if (found->meaning.empty()) found->meaning = param.meaning;
    for (auto& own_meaning : param.own_meanings) found->own_meanings.push_back(std::move(own_meaning));
    unite(*found, param.values, param.labels);
  }
  current_->params.push_back(std::move(own));
}

// If there are several implementations, the choice among them becomes the first param.
void DescriptionReader::add_choice() {
  for (Param& param : spec_.params) join_meanings(param);
  if (!spec_.has_choice()) return;
  Param choice;
  choice.name = kImplementation;
  choice.meaning = "which implementation computes it";
  for (Implementation& implementation : spec_.implementations) {
    choice.labels.push_back(implementation.name);
    choice.values.push_back(strings_.at(implementation.name));
    for (OwnParam& own : implementation.params) ++own.index;
  }
  choice.default_value = choice.values.front();
  spec_.params.insert(spec_.params.begin(), std::move(choice));
}

// Reads the conditions of params, and reports cycles among them.
void DescriptionReader::conditions(const JsonCursor& c) {
  const auto params = c.find("params");
  if (!params) return;
  for (OwnParam& own : current_->params)
    if (const auto when = params->at(spec_.params[own.index].name).find("when")) own.when = formula(*when);
  for (const OwnParam& own : current_->params)
    if (const std::string circle = condition_circle(own); !circle.empty())
      return params->at(spec_.params[own.index].name)
          .at("when")
          .error("conditions of params depend on each other in a cycle: " + circle +
                 "; a param's condition may use only params whose own conditions do not lead back to it");
}

// "A -> B -> A" if the condition of `start` leads back to it; otherwise empty.
std::string DescriptionReader::condition_circle(const OwnParam& start) const {
  std::vector<std::size_t> seen;
  const std::function<std::string(const OwnParam&)> walk = [&](const OwnParam& own) -> std::string {
    if (!own.when) return {};
    for (const int slot : own.when->slots()) {
      if (slot < spec_.first_param_slot) continue;
      const auto index = static_cast<std::size_t>(slot - spec_.first_param_slot);
      const OwnParam* used = current_->find_param(index);
      if (index == start.index) return spec_.params[own.index].name + " -> " + spec_.params[index].name;
      if (!used || std::find(seen.begin(), seen.end(), index) != seen.end()) continue;
      seen.push_back(index);
      if (const std::string rest = walk(*used); !rest.empty()) return spec_.params[own.index].name + " -> " + rest;
    }
    return {};
  };
  return walk(start);
}

void DescriptionReader::constraints(const JsonCursor& root) {
  const auto list = root.find("constraints");
  if (!list) return;
  for (const JsonCursor& c : list->items()) {
    c.only({"expr", "why"});
    Constraint constraint;
    constraint.expr = formula(c.at("expr"));
    constraint.why = c.at("why").text();
    if (constraint.why.empty()) c.at("why").expected("the reason in a few words");
    current_->constraints.push_back(std::move(constraint));
  }
}

// {"activation": {"relu": "fmaxf(x, 0.f)", "none": "x"}}: a text for each value of one flag.
SourceValue DescriptionReader::text_by_flag(const JsonCursor& c) {
  SourceValue value;
  value.kind = SourceValue::Kind::text_by_flag;
  const std::vector<std::string> names = names_of(spec_.flags);
  const auto members = c.members();
  if (members.size() != 1) {
    c.expected("an object with exactly one flag");
    return value;
  }
  const auto& [name, texts] = members.front();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    texts.error("unknown flag " + quote(name) + suggest_name(name, names));
    return value;
  }
  const Flag& flag = spec_.flags[static_cast<std::size_t>(found - names.begin())];
  texts.only({flag.labels.begin(), flag.labels.end()});
  for (std::size_t i = 0; i < flag.labels.size(); ++i)
    value.texts.emplace_back(flag.values[i], text_without_nul(texts.at(flag.labels[i])));
  if (Result<Expr> expr = Expr::parse(name, scope())) value.expr = std::move(*expr);
  return value;
}

void DescriptionReader::compile(const JsonCursor& root) {
  const auto compile = root.find("compile");
  if (!compile) return;
  compile->only({"options", "defines", "std"});
  if (const auto options = compile->find("options")) {
    for (const JsonCursor& c : options->items()) {
      const std::string option = text_without_nul(c);
      for (const char* own : {"-arch", "--gpu-architecture", "-std", "--std", "-D", "--define-macro", "-I",
                              "--include-path", "-include", "--pre-include"})
        if (option.starts_with(own))
          c.error(quote(option) +
                  " is not allowed in this list: the architecture comes from the device, the language from 'std', "
                  "macros from 'defines', and headers of other projects from 'include' and --include");
      if (!option.starts_with('-'))
        c.expected("a compiler option that begins with '-'");
      else if (!is_compile_option(option))
        c.error(quote(option) + " is not an allowed compiler option, or has an invalid value; allowed are " +
                compile_option_names());
      current_->compile_options.push_back(option);
    }
  }
  if (const auto defines = compile->find("defines")) {
    for (const auto& [name, c] : defines->members()) {
      if (!is_identifier(name))
        c.error(quote(name) + " is not a valid name of a macro; use letters, digits and '_', a letter first");
      current_->defines.push_back({name, source_value(c)});
    }
  }
  if (const auto standard = compile->find("std")) {
    if (standard->choice({"c++14", "c++17", "c++20"}) < 3) current_->cpp_standard = standard->text();
  }
}

} // namespace warptune
