// Sections of a source besides its arguments: variables that are filled before its launches, roots of headers from
// elsewhere, and the time that the author expects.
#include "core/text.h"
#include "spec/spec_json_parts.h"

#include <algorithm>
#include <cmath>

namespace warptune {

void DescriptionReader::symbols(const JsonCursor& c) {
  const auto section = format_ >= 2 ? c.find("symbols") : std::nullopt;
  if (!section) return;
  for (const auto& [name, item] : section->members()) {
    if (!is_qualified_name(name)) item.error(quote(name) + " is not a valid name for a variable in the source");
    Symbol symbol;
    symbol.name = name;
    if (const auto buffer = item.find("buffer")) {
      item.only({"buffer"});
      symbol.argument = current_->find_argument(buffer->text());
      const auto* source =
          symbol.argument < 0
              ? nullptr
              : std::get_if<BufferArg>(&current_->arguments[static_cast<std::size_t>(symbol.argument)].value);
      if (!source || (source->role != Role::input && source->role != Role::inout))
        buffer->error(quote(buffer->text()) + " is not an input; a symbol is copied from an input or an inout");
    } else {
      item.only({"scalar", "value"});
      symbol.scalar = scalar(item, Owner::implementation);
    }
    if (item.failed()) return;
    current_->symbols.push_back(std::move(symbol));
  }
}

void DescriptionReader::expected_time(const JsonCursor& c) {
  const auto given = format_ >= 2 ? c.find("expected_us") : std::nullopt;
  if (!given) return;
  if (given->is(JsonValue::Kind::null)) {
    current_->is_estimated = false;
    return;
  }
  RealExpr us = real_formula(*given);
  if (!given->failed() && us.is_constant()) {
    const auto value = us.evaluate({});
    if (!value || !(*value > 0 && std::isfinite(*value))) given->expected("a time in microseconds above 0");
  }
  current_->expected_us = std::move(us);
}

// The roots of the operator and of its implementations form one list: a root that one of them needs is available to
// all.
void DescriptionReader::include(const JsonCursor& c) {
  const auto list = format_ >= 2 ? c.find("include") : std::nullopt;
  if (!list) return;
  for (const JsonCursor& item : list->items()) {
    const std::string& name = item.text();
    if (!is_inside_folder(name)) item.expected("the name of a folder of headers, such as \"cutlass\"");
    if (std::find(spec_.include.begin(), spec_.include.end(), name) == spec_.include.end())
      spec_.include.push_back(name);
  }
}

} // namespace warptune
