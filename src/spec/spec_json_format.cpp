// Reports features of format 2 in a spec of format 1. The error "unknown" would make the author look for a misspelling.
#include "core/text.h"
#include "spec/spec_json_parts.h"

#include <functional>

namespace warptune {
namespace {

using Kind = JsonValue::Kind;

std::vector<JsonCursor> children(const JsonCursor& c) {
  if (c.is(Kind::list)) return c.items();
  std::vector<JsonCursor> all;
  if (c.is(Kind::object))
    for (const auto& [name, item] : c.members()) all.push_back(item);
  return all;
}

void report_keys(const JsonCursor& c, const std::vector<std::string_view>& keys, const std::string& kind = "key") {
  if (!c.is(Kind::object)) return;
  for (const std::string_view key : keys)
    if (c.find(key)) c.error("unknown " + kind + " " + quote(key) + " in format 1; it needs \"format\": 2");
}

void report_text(const JsonCursor& c, const std::string& wanted, const std::string& what) {
  if (c.is(Kind::text))
    c.error("expected " + wanted + ", got the string " + quote(c.text()) + "; " + what + " needs \"format\": 2");
}

void report_arguments(const JsonCursor& arguments) {
  for (const JsonCursor& argument : children(arguments)) {
    report_keys(argument, {"when", "rows"});
    if (!argument.is(Kind::object)) continue;
    if (const auto fill = argument.find("fill")) {
      report_keys(*fill, {"list", "offsets"});
      if (!argument.find("tensor_map")) report_text(*fill, "an object", "\"fill\": \"prepared\"");
    }
    const auto type = argument.find("scalar");
    const auto dtype = type && type->is(Kind::text) ? parse_dtype(type->text()) : std::nullopt;
    const auto value = argument.find("value");
    if (dtype && dtype_is_floating(*dtype) && value) report_text(*value, "a number", "a real-valued formula");
  }
}

void report_suites(const JsonCursor& suites, const std::optional<JsonCursor>& flags) {
  std::vector<std::string> names = {"dtype"};
  if (flags && flags->is(Kind::object))
    for (const auto& [name, c] : flags->members()) names.push_back(name);
  for (const JsonCursor& suite : children(suites))
    for (const JsonCursor& entry : children(suite)) report_keys(entry, {names.begin(), names.end()}, "dim");
}

} // namespace

void report_format_2(const JsonCursor& root) {
  if (!root.is(Kind::object)) return;
  report_keys(root, {"implementation", "default_implementation", "formerly", "prepare", "symbols", "include", "build",
                     "expected_us"});
  const auto at = [](const std::optional<JsonCursor>& c, std::string_view key) -> std::optional<JsonCursor> {
    return c && c->is(Kind::object) ? c->find(key) : std::nullopt;
  };
  const auto each = [](const std::optional<JsonCursor>& c, const std::function<void(const JsonCursor&)>& check) {
    if (!c) return;
    for (const JsonCursor& item : children(*c)) check(item);
  };
  const auto problem = root.find("problem");
  each(at(problem, "dims"), [](const JsonCursor& dim) { report_keys(dim, {"value", "list", "max_count"}); });
  each(root.find("params"), [&](const JsonCursor& param) {
    report_keys(param, {"when"});
    each(at(param, "values"), [](const JsonCursor& value) { report_text(value, "an integer", "a param with labels"); });
  });
  if (const auto arguments = root.find("arguments")) report_arguments(*arguments);
  if (const auto own = at(root.find("reference"), "arguments")) report_arguments(*own);
  each(root.find("launches"), [](const JsonCursor& launch) { report_keys(launch, {"library"}); });
  each(at(root.find("compile"), "defines"), [&](const JsonCursor& define) {
    if (const auto text = at(define, "text"); text && text->is(Kind::object))
      text->error("expected a string; one string for each value of a flag needs \"format\": 2");
  });
  if (const auto flops = at(root.find("cost"), "flops")) report_keys(*flops, {"sfu"});
  if (const auto tolerance = root.find("tolerance")) {
    report_keys(*tolerance, {"outputs"}, "dtype");
    for (const JsonCursor& table : children(*tolerance))
      for (const JsonCursor& member : children(table)) report_text(member, "a number", "a formula of a tolerance");
  }
  if (const auto suites = root.find("suites")) report_suites(*suites, at(problem, "flags"));
}

} // namespace warptune
