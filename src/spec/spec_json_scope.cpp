// The names of a spec: slots, constants, types and derived names (in any order, without cycles), and the formulas over
// them.
#include "core/text.h"
#include "spec/spec_json_parts.h"

#include <algorithm>
#include <memory>

namespace warptune {
namespace {

constexpr std::size_t kMaxChain = 200; // derived names inside derived names

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
    entry.cursor.error("derived names use one another in a circle: " + text + "; break it");
    return false;
  }
};

} // namespace

void SpecReader::scope(const JsonCursor& root) {
  Scope& scope = spec_.scope;
  for (const DeviceLimitName& limit : device_limit_names()) scope.add_slot(limit.name);
  for (const Dim& dim : spec_.dims) scope.add_slot(dim.name);
  scope.add_slot("dtype");
  scope.add_slot("dtype_bytes");
  for (const Flag& flag : spec_.flags) scope.add_slot(flag.name);
  spec_.first_param_slot = scope.slot_count();
  for (const Param& param : spec_.params) scope.add_slot(param.name);
  for (int i = 0; i < kDTypeCount; ++i) scope.add_constant(std::string(dtype_name(static_cast<DType>(i))), i);
  for (const auto& [text, id] : strings_) scope.add_string(text, id);

  DerivedOrder order;
  std::vector<std::string> names;
  const auto collect = [&](std::string_view section, bool is_type) {
    const auto found = root.find(section);
    if (!found) return;
    for (const auto& [name, c] : found->members()) {
      claim(c, name, is_type ? "a type" : "a derived name");
      order.entries.emplace(name, DerivedOrder::Entry{c, is_type, DerivedOrder::Entry::State::fresh});
      names.push_back(name);
    }
  };
  collect("types", true);
  collect("derived", false);
  if (root.failed()) return;
  std::map<std::string, Expr> parsed;
  const auto define = [&](const std::string& name, const DerivedOrder::Entry& entry) {
    Expr expr = entry.is_type ? dtype_formula(entry.cursor) : formula(entry.cursor);
    scope.add_derived(name, std::make_shared<const Expr>(expr));
    parsed.emplace(name, std::move(expr));
  };
  for (const std::string& name : names)
    if (!order.visit(name, define)) return;
  for (const std::string& name : names)
    (order.entries.at(name).is_type ? spec_.types : spec_.derived).push_back({name, parsed.at(name)});
}

Expr SpecReader::formula(const JsonCursor& c, const Scope& scope) {
  if (c.is(JsonValue::Kind::integer)) return Expr::constant(c.integer());
  if (!c.is(JsonValue::Kind::text)) {
    c.expected("a formula (a text such as \"rows * 2\") or an integer");
    return {};
  }
  Result<Expr> expr = Expr::parse(c.text(), scope);
  if (!expr) {
    c.error(expr.error().message);
    return {};
  }
  if (expr->is_constant()) {
    const Result<std::int64_t> value = expr->evaluate({});
    if (!value) c.error(value.error().message);
  }
  return std::move(*expr);
}

Expr SpecReader::dtype_formula(const JsonCursor& c) {
  if (!c.is(JsonValue::Kind::text)) {
    c.expected("a formula that yields a dtype, such as \"fp32\" or \"dtype\"");
    return {};
  }
  Expr expr = formula(c);
  if (!c.failed() && expr.is_constant()) {
    const Result<std::int64_t> value = expr.evaluate({});
    if (value && (*value < 0 || *value >= kDTypeCount)) c.expected("a formula that yields a dtype");
  }
  return expr;
}

std::vector<Expr> SpecReader::formulas(const JsonCursor& c, std::size_t least, std::size_t most) {
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

SourceValue SpecReader::source_value(const JsonCursor& c) {
  SourceValue value;
  if (!c.is(JsonValue::Kind::object)) {
    value.expr = formula(c);
    return value;
  }
  c.only({"type", "text"});
  const auto type = c.find("type");
  const auto text = c.find("text");
  if ((type && text) || (!type && !text)) c.expected("either {\"type\": ...} or {\"text\": ...}");
  if (type) {
    value.kind = SourceValue::Kind::type;
    value.expr = dtype_formula(*type);
  } else if (text) {
    value.kind = SourceValue::Kind::text;
    value.text = text->text();
  }
  return value;
}

void SpecReader::without_params(const JsonCursor& c, const Expr& expr, const std::string& owner) {
  const auto last = static_cast<std::size_t>(spec_.first_param_slot) + spec_.params.size();
  for (const int slot : expr.slots()) {
    if (slot < spec_.first_param_slot || static_cast<std::size_t>(slot) >= last) continue;
    const Param& param = spec_.params[static_cast<std::size_t>(slot - spec_.first_param_slot)];
    return c.error(owner + " may not depend on a param, and this formula uses " + quote(param.name) +
                   "; use dims, flags and dtypes only");
  }
}

} // namespace warptune
