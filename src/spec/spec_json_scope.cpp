// The names of a spec: slots, constants, types and derived names (in any order, without cycles), and the formulas over
// them.
#include "core/cpp_types.h"
#include "core/text.h"
#include "spec/spec_json_parts.h"

#include <algorithm>
#include <memory>

namespace warptune {
namespace {

constexpr std::size_t kMaxChain = 200; // depth of derived names inside derived names

void add_names(Scope& scope, const std::vector<Derived>& names) {
  for (const Derived& name : names) scope.add_derived(name.name, std::make_shared<const Expr>(name.expr));
}

// Parses derived names after the ones that they use: a depth-first walk that keeps its path to show a cycle.
class DerivedOrder {
 public:
  struct Entry {
    JsonCursor cursor;
    bool is_type;
    enum class State { fresh, open, done } state;
  };

  std::map<std::string, Entry> entries;
  std::vector<std::string> path;

  template <class Define> bool visit(const std::string& name, const Define& define) {
    Entry& entry = entries.at(name);
    if (entry.state == Entry::State::done) return true;
    path.push_back(name);
    if (entry.state == Entry::State::open) return cycle(entry);
    if (path.size() > kMaxChain) {
      entry.cursor.error("derived names nested more than " + std::to_string(kMaxChain) + " deep; use fewer");
      return false;
    }
    entry.state = Entry::State::open;
    if (entry.cursor.is(JsonValue::Kind::text)) {
      for (const std::string& used : expression_names(entry.cursor.text()))
        if (entries.count(used) && !visit(used, define)) return false;
    }
    entry.state = Entry::State::done;
    path.pop_back();
    define(name, entry);
    return !entry.cursor.failed();
  }

 private:
  bool cycle(const Entry& entry) {
    std::string text;
    for (auto it = std::find(path.begin(), path.end(), path.back()); it != path.end(); ++it)
      text += (text.empty() ? "" : " -> ") + *it;
    entry.cursor.error("derived names depend on each other in a cycle: " + text + "; break it");
    return false;
  }
};

} // namespace

// The slots of every scope are the same; params of other implementations have slots that no formula can name.
void DescriptionReader::slots() {
  const auto fill = [&](Scope& scope, const std::vector<OwnParam>* own) {
    for (const DeviceLimitName& limit : device_limit_names()) scope.add_slot(limit.name);
    for (const Dim& dim : spec_.dims) scope.add_slot(dim.name);
    scope.add_slot("dtype");
    scope.add_slot("dtype_bytes");
    for (const Flag& flag : spec_.flags) scope.add_slot(flag.name);
    spec_.first_param_slot = scope.slot_count();
    for (std::size_t i = 0; i < spec_.params.size(); ++i) {
      const bool seen = own && std::any_of(own->begin(), own->end(), [&](const OwnParam& p) { return p.index == i; });
      if (seen)
        scope.add_slot(spec_.params[i].name);
      else
        scope.add_hidden_slot();
    }
    for (int i = 0; i < kDTypeCount; ++i) scope.add_constant(std::string(dtype_name(static_cast<DType>(i))), i);
    for (const auto& [text, id] : strings_) scope.add_string(text, id);
  };
  fill(spec_.scope, nullptr);
  for (Implementation& implementation : spec_.implementations) fill(implementation.scope, &implementation.params);
}

// Names of spec.json that use no param are visible to all implementations, others only to the implementation in
// spec.json.
void DescriptionReader::scopes(const JsonCursor& root, std::vector<ImplementationPart>& parts) {
  const auto beside = std::find_if(parts.begin(), parts.end(), [](const auto& part) { return part.is_inline; });
  if (beside != parts.end()) begin(*beside);
  std::vector<Derived> derived;
  if (const auto section = root.find("derived"))
    for (const auto& [name, c] : section->members()) claim(c, name, "a derived name");
  derive(root, current_ ? current_->scope : spec_.scope, spec_.types, derived);
  end();
  const auto uses_params = [&](const Derived& name) {
    return !name.expr.slots().empty() && name.expr.slots().back() >= spec_.first_param_slot;
  };
  std::vector<Derived> shared = spec_.types;
  shared.insert(shared.end(), derived.begin(), derived.end());
  shared.erase(std::remove_if(shared.begin(), shared.end(), uses_params), shared.end());
  if (beside != parts.end()) {
    spec_.implementations[beside->index].derived = std::move(derived);
    add_names(spec_.scope, shared);
  }
  if (root.failed()) return;
  for (const Derived& name : shared) claimed_.emplace(name.name, "a name of spec.json");
  for (ImplementationPart& part : parts) {
    if (part.is_inline) continue;
    begin(part);
    add_names(current_->scope, shared);
    if (const auto section = part.cursor.find("derived"))
      for (const auto& [name, c] : section->members()) claim(c, name, "a derived name");
    std::vector<Derived> none;
    derive(part.cursor, current_->scope, none, current_->derived);
    end();
  }
}

// The types and derived names of a file, in the order of writing, each parsed after those that it uses.
void DescriptionReader::derive(const JsonCursor& c, Scope& scope, std::vector<Derived>& types,
                               std::vector<Derived>& derived) {
  if (c.failed()) return;
  DerivedOrder order;
  std::vector<std::string> names;
  for (const bool is_type : {true, false}) {
    const auto section = c.find(is_type ? "types" : "derived");
    if (!section) continue;
    for (const auto& [name, item] : section->members()) {
      order.entries.emplace(name, DerivedOrder::Entry{item, is_type, DerivedOrder::Entry::State::fresh});
      names.push_back(name);
    }
  }
  std::map<std::string, Expr> parsed;
  const auto define = [&](const std::string& name, const DerivedOrder::Entry& entry) {
    Expr expr = entry.is_type ? dtype_formula(entry.cursor, scope) : formula(entry.cursor, scope);
    scope.add_derived(name, std::make_shared<const Expr>(expr));
    parsed.emplace(name, std::move(expr));
  };
  for (const std::string& name : names)
    if (!order.visit(name, define)) return;
  for (const std::string& name : names)
    (order.entries.at(name).is_type ? types : derived).push_back({name, parsed.at(name)});
}

Expr DescriptionReader::formula(const JsonCursor& c, const Scope& scope) {
  if (c.is(JsonValue::Kind::integer)) return Expr::constant(c.integer());
  if (!c.is(JsonValue::Kind::text)) {
    c.expected("a formula (a string such as \"rows * 2\") or an integer");
    return {};
  }
  Result<Expr> expr = Expr::parse(c.text(), scope);
  if (!expr) {
    if (!names_list(c, c.text())) c.error(hidden_param(expr.error().message, c.text()));
    return {};
  }
  check_labels(c, scope);
  if (expr->is_constant()) {
    const Result<std::int64_t> value = expr->evaluate({});
    if (!value) c.error(value.error().message);
  }
  return std::move(*expr);
}

RealExpr DescriptionReader::real_formula(const JsonCursor& c) {
  if (c.is_number()) return RealExpr::constant(c.number());
  if (!c.is(JsonValue::Kind::text)) {
    c.expected("a number or a formula (a string such as \"1 / sqrt(d)\")");
    return {};
  }
  Result<RealExpr> expr = RealExpr::parse(c.text(), scope());
  if (!expr) {
    if (!names_list(c, c.text())) c.error(hidden_param(expr.error().message, c.text()));
    return {};
  }
  check_labels(c, scope());
  return std::move(*expr);
}

Expr DescriptionReader::dtype_formula(const JsonCursor& c, const Scope& scope) {
  if (!c.is(JsonValue::Kind::text)) {
    c.expected("a formula that yields a dtype, such as \"fp32\" or \"dtype\"");
    return {};
  }
  if (dtype_of_cpp(c.text()) && !scope.contains(c.text())) {
    c.error("unknown dtype " + quote(c.text()) + suggest_dtype(c.text(), {})); // also "unsigned int", not a formula
    return {};
  }
  Expr expr = formula(c, scope);
  if (!c.failed() && expr.is_constant()) {
    const Result<std::int64_t> value = expr.evaluate({});
    if (value && (*value < 0 || *value >= kDTypeCount)) c.expected("a formula that yields a dtype");
  }
  return expr;
}

std::vector<Expr> DescriptionReader::formulas(const JsonCursor& c, std::size_t least, std::size_t most) {
  std::vector<Expr> all;
  const std::vector<JsonCursor> items = c.items();
  const std::string wanted =
      least == most ? std::to_string(least) : std::to_string(least) + " to " + std::to_string(most);
  if (items.size() < least || items.size() > most)
    c.error("expected " + wanted + " formulas, got " + std::to_string(items.size()));
  all.reserve(items.size());
  for (const JsonCursor& item : items) all.push_back(formula(item));
  return all;
}

// A macro or template argument that is a string is a formula, not text of C++.
void DescriptionReader::check_no_type(const JsonCursor& c) {
  if (!c.is(JsonValue::Kind::text)) return;
  const auto dtype = dtype_of_cpp(trim(c.text()));
  if (dtype && !scope().contains(trim(c.text())))
    c.error(quote(c.text()) + " is a type; to pass a type, write {\"type\": \"" + std::string(dtype_name(*dtype)) +
            "\"}, or {\"type\": \"dtype\"} for the dtype of the problem");
}

SourceValue DescriptionReader::source_value(const JsonCursor& c) {
  SourceValue value;
  if (!c.is(JsonValue::Kind::object)) {
    check_no_label(c);
    check_no_type(c);
    value.expr = formula(c);
    return value;
  }
  c.only({"type", "text"});
  const auto type = c.find("type");
  const auto text = c.find("text");
  if ((type && text) || (!type && !text)) c.expected("either {\"type\": ...} or {\"text\": ...}");
  if (text && format_ >= 2 && text->is(JsonValue::Kind::object)) return text_by_flag(*text);
  if (type) {
    value.kind = SourceValue::Kind::type;
    value.expr = dtype_formula(*type);
  } else if (text) {
    value.kind = SourceValue::Kind::text;
    value.text = text_without_nul(*text);
  }
  return value;
}

void DescriptionReader::without_params(const JsonCursor& c, const std::vector<int>& slots, const std::string& owner) {
  const auto last = static_cast<std::size_t>(spec_.first_param_slot) + spec_.params.size();
  for (const int slot : slots) {
    if (slot < spec_.first_param_slot || static_cast<std::size_t>(slot) >= last) continue;
    const Param& param = spec_.params[static_cast<std::size_t>(slot - spec_.first_param_slot)];
    return c.error(owner + " may not depend on a param, and this formula uses " + quote(param.name) +
                   "; use dims, flags and dtypes only");
  }
}

void DescriptionReader::without_device(const JsonCursor& c, const Expr& expr, const std::string& owner) {
  const std::vector<DeviceLimitName>& limits = device_limit_names(); // their slots are the first
  for (const int slot : expr.slots())
    if (static_cast<std::size_t>(slot) < limits.size())
      return c.error(owner + " may not depend on the device, and this formula uses " +
                     quote(limits[static_cast<std::size_t>(slot)].name) + "; use dims, flags and dtypes only");
}

} // namespace warptune
