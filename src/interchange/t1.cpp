#include "interchange/t1.h"

#include "core/text.h"
#include "spec/spec_json_reader.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace warptune {
namespace {

constexpr std::size_t kMaxParams = 256;
constexpr std::size_t kMaxConditions = 1024;
constexpr std::size_t kMaxValues = 1'000'000;

class T1Reader {
 public:
  explicit T1Reader(JsonErrors& errors) : errors_(errors) { t1_.names = std::make_shared<PyNames>(); }

  T1 read(const JsonCursor& root) {
    const JsonCursor space = root.at("ConfigurationSpace");
    header(root);
    const std::vector<JsonCursor> params = space.at("TuningParameters").items();
    if (params.empty()) space.at("TuningParameters").expected("a list of at least one param");
    if (params.size() > kMaxParams)
      space.at("TuningParameters")
          .error(std::to_string(params.size()) + " params, more than the 256 allowed; use fewer");
    for (const JsonCursor& param : params)
      if (!errors_.any()) read_param(param);
    if (const auto conditions = space.find("Conditions"); conditions && !errors_.any()) read_conditions(*conditions);
    return std::move(t1_);
  }

 private:
  static std::string optional_text(const std::optional<JsonCursor>& in, std::string_view key) {
    const auto found = in ? in->find(key) : std::nullopt;
    return found && found->is(JsonValue::Kind::text) ? found->text() : std::string();
  }

  void header(const JsonCursor& root) {
    const auto kernel = root.find("KernelSpecification");
    t1_.kernel = optional_text(kernel, "KernelName");
    t1_.name = optional_text(root.find("General"), "BenchmarkName");
    if (t1_.name.empty()) t1_.name = t1_.kernel.empty() ? "an unnamed kernel" : t1_.kernel;
  }

  void read_param(const JsonCursor& c) {
    const JsonCursor name = c.at("Name");
    PyParam param;
    param.name = name.text();
    if (errors_.any()) return;
    if (!is_identifier(param.name))
      return name.error(quote(param.name) + " is not a valid name; use letters, digits and '_', a letter first");
    const auto& known = t1_.names->params;
    if (std::any_of(known.begin(), known.end(), [&](const PyParam& other) { return other.name == param.name; }))
      return name.error(quote(param.name) + " is already a param; choose another name");
    const JsonCursor values = c.at("Values");
    param.values = read_values(values);
    if (errors_.any()) return;
    check_values(values, param);
    param.by_position =
        !std::all_of(param.values.begin(), param.values.end(), [](const PyValue& v) { return v.is_integer(); });
    T1Param shown;
    shown.name = param.name;
    for (const PyValue& value : param.values) shown.labels.push_back(py_text(value));
    if (const auto standard = c.find("Default"); standard) read_default(*standard, param, shown);
    t1_.params.push_back(std::move(shown));
    t1_.names->params.push_back(std::move(param));
  }

  std::vector<PyValue> read_values(const JsonCursor& c) {
    std::vector<PyValue> values;
    if (c.is(JsonValue::Kind::list)) {
      for (const JsonCursor& item : c.items()) values.push_back(value(item));
      return values;
    }
    if (!c.is(JsonValue::Kind::text)) {
      c.expected("a list, or a string with a Python list such as \"[1, 2, 4]\"");
      return values;
    }
    const auto parsed = PythonExpr::parse(c.text(), std::make_shared<PyNames>());
    if (!parsed) {
      c.error(parsed.error().message);
      return values;
    }
    if (!parsed->is_list()) {
      c.expected("a list such as [1, 2, 4]");
      return values;
    }
    auto made = parsed->list();
    if (!made) {
      c.error(made.error().message);
      return values;
    }
    for (PyValue& each : *made) {
      if (each.is_text()) each = text(*each.text);
      values.push_back(each);
    }
    return values;
  }

  PyValue text(const std::string& content) { return PyValue::of(&*t1_.names->texts.insert(content).first); }

  PyValue value(const JsonCursor& c) {
    if (c.is(JsonValue::Kind::integer)) return PyValue::of(c.integer());
    if (c.is(JsonValue::Kind::number)) return PyValue::of(c.number());
    if (c.is(JsonValue::Kind::boolean)) return PyValue::of(c.boolean());
    if (c.is(JsonValue::Kind::text)) return text(c.text());
    c.expected("a number, a truth value or a string");
    return {};
  }

  static bool same(const PyValue& a, const PyValue& b) {
    bool equal = false;
    py_compare(PyComparison::eq, a, b, equal);
    return equal;
  }

  void check_values(const JsonCursor& c, const PyParam& param) {
    if (param.values.empty()) return c.error("a param without values leaves no configuration; list at least one value");
    listed_ += param.values.size();
    if (listed_ > kMaxValues) return c.error("more than 1000000 values in all params; list fewer");
    for (const PyValue& each : param.values)
      if (!each.is_text() && !std::isfinite(each.as_number())) return c.error("a value that is not a finite number");
    // Sort texts and numbers separately, so that equal values become neighbours.
    std::vector<PyValue> sorted = param.values;
    std::sort(sorted.begin(), sorted.end(), [](const PyValue& a, const PyValue& b) {
      bool less = false;
      if (a.is_text() != b.is_text()) return b.is_text();
      py_compare(PyComparison::lt, a, b, less);
      return less;
    });
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end(), same);
    if (twice != sorted.end()) c.error("the value " + quote(py_text(*twice)) + " is listed twice; list it once");
  }

  void read_default(const JsonCursor& c, const PyParam& param, T1Param& shown) {
    if (c.is(JsonValue::Kind::null)) return;
    const bool wrapped = c.is(JsonValue::Kind::list) && c.items().size() == 1; // "Default": [0]
    const PyValue given = value(wrapped ? c.items()[0] : c);
    shown.default_label = py_text(given);
    for (std::size_t v = 0; v < param.values.size() && !shown.default_position; ++v)
      if (same(param.values[v], given)) shown.default_position = static_cast<std::int32_t>(v);
  }

  void read_conditions(const JsonCursor& c) {
    const std::vector<JsonCursor> conditions = c.items();
    if (conditions.size() > kMaxConditions)
      c.error(std::to_string(conditions.size()) + " conditions, more than the 1024 allowed; use fewer");
    for (const JsonCursor& condition : conditions) {
      if (errors_.any()) return;
      const JsonCursor expression = condition.at("Expression");
      const std::string text = expression.text();
      if (errors_.any()) return;
      auto parsed = PythonExpr::parse(text, t1_.names);
      if (!parsed) return expression.error(parsed.error().message);
      if (parsed->is_list()) return expression.expected("a condition, not a list");
      t1_.conditions.push_back(std::move(*parsed));
    }
  }

  JsonErrors& errors_;
  T1 t1_;
  std::size_t listed_ = 0;
};

SpaceModel::Rule make_rule(std::size_t constraint, const PythonExpr& expr) {
  SpaceModel::Rule rule;
  rule.constraint = constraint;
  rule.params = expr.params();
  rule.operations = expr.operations();
  rule.quick.finish(expr.compile(rule.quick, 0), rule.params.empty() ? -1 : rule.params.back());
  rule.ask = [expr](const std::int64_t* slots) {
    PyValue result;
    if (expr.evaluate(slots, result) != nullptr) return SpaceModel::Answer::failed;
    return result.truthy() ? SpaceModel::Answer::met : SpaceModel::Answer::unmet;
  };
  rule.explain = [expr](const std::int64_t* slots) { return expr.explain(slots); };
  return rule;
}

} // namespace

bool is_t1(std::string_view text) { return text.find("\"ConfigurationSpace\"") != std::string_view::npos; }

Result<T1> parse_t1(std::string_view text, const std::string& origin) {
  WT_TRY(const auto json, parse_json(text, origin, false));
  JsonErrors errors(origin);
  T1 t1 = T1Reader(errors).read(JsonCursor(json, errors));
  if (errors.any()) return fail(ErrorKind::bad_input, errors.message());
  return t1;
}

SpaceModel make_space_model(const T1& t1) {
  SpaceModel model;
  model.what = "the space of " + t1.name;
  for (const PyParam& param : t1.names->params) {
    std::vector<std::int64_t>& values = model.values.emplace_back();
    std::vector<double>& coordinates = model.coordinates.emplace_back();
    for (const PyValue& value : param.values) {
      values.push_back(param.by_position ? static_cast<std::int64_t>(values.size()) : value.integer);
      coordinates.push_back(value.is_text() ? std::numeric_limits<double>::quiet_NaN() : value.as_number());
    }
  }
  for (std::size_t c = 0; c < t1.conditions.size(); ++c) {
    model.constraints.push_back({t1.conditions[c].text(), ""});
    for (const PythonExpr& part : t1.conditions[c].conjuncts()) model.rules.push_back(make_rule(c, part));
  }
  return model;
}

std::string config_text(const T1& t1, const Positions& positions) {
  std::string text;
  for (std::size_t p = 0; p < t1.params.size() && p < positions.size(); ++p)
    text += (p ? "," : "") + t1.params[p].name + "=" + t1.params[p].labels[static_cast<std::size_t>(positions[p])];
  return text;
}

std::optional<Positions> default_positions(const T1& t1) {
  Positions positions;
  for (const T1Param& param : t1.params) {
    if (!param.default_position) return std::nullopt;
    positions.push_back(*param.default_position);
  }
  return positions;
}

} // namespace warptune
