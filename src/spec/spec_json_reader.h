// JsonValue: a JSON text as a tree whose members keep their order. JsonCursor: a position in the tree, with its JSON
// pointer. After an error every read returns a default, so callers need not check after each read.
#pragma once

#include "core/result.h"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warptune {

struct JsonValue {
  enum class Kind { null, boolean, integer, number, text, list, object } kind = Kind::null;
  std::int64_t integer = 0; // for boolean: 0 or 1
  double number = 0;        // for an integer: equal to `integer`
  std::string text;
  std::vector<std::string> keys; // for an object: one key per item
  std::vector<JsonValue> items;
  int line = 0; // counts from 1; for a member, the line of its key
};

// Refuses texts of more than 1 MiB, invalid UTF-8, more than 64 levels of nesting, and repeated keys. Comments are
// skipped if `comments` is true, otherwise refused.
Result<JsonValue> parse_json(std::string_view text, const std::string& origin, bool comments = true);

// Returns the line of the value at a JSON pointer. If there is no such value, returns the line of the nearest enclosing
// value; 0 if the text is not JSON.
int json_line(std::string_view text, std::string_view pointer);

// Whether the text is a valid label: only letters, digits and the characters _.+-
bool is_label(std::string_view text);

// Collects the errors of one read, each "ORIGIN: at POINTER: ...". Keep::first keeps only the first error. Keep::all
// keeps the first 20, one per line, and the number of further errors.
class JsonErrors {
 public:
  enum class Keep { first, all };
  explicit JsonErrors(std::string origin, Keep keep = Keep::first) : origin_(std::move(origin)), keep_(keep) {}
  void report(const std::string& pointer, const std::string& what);
  bool any() const { return count_ > 0; }
  std::string message() const;

 private:
  std::string origin_;
  Keep keep_;
  std::string shown_;
  std::size_t count_ = 0;
};

class JsonCursor {
 public:
  JsonCursor(const JsonValue& value, JsonErrors& errors) : value_(&value), errors_(&errors) {}

  bool is(JsonValue::Kind kind) const { return value_->kind == kind; }
  bool is_number() const { return is(JsonValue::Kind::integer) || is(JsonValue::Kind::number); }
  const std::string& pointer() const { return pointer_; }

  // For objects. `at` reports a missing key. `only` reports a key that is not in `keys`, with the nearest of `keys`.
  JsonCursor at(std::string_view key) const;
  std::optional<JsonCursor> find(std::string_view key) const;
  void only(const std::vector<std::string_view>& keys) const;
  void needs(const std::vector<std::string_view>& keys) const; // reports all missing keys together
  std::vector<std::pair<std::string, JsonCursor>> members() const;
  std::vector<JsonCursor> items() const; // the items of a list

  std::int64_t integer() const;
  double number() const;
  bool boolean() const;
  const std::string& text() const;
  // Returns the position of this string in `choices`; 0 after an error.
  std::size_t choice(std::initializer_list<std::string_view> choices) const;

  void error(const std::string& what) const { errors_->report(pointer_, what); }
  void expected(const std::string& what) const; // reports "expected WHAT, got ..."
  bool failed() const { return errors_->any(); }

 private:
  JsonCursor(const JsonValue& value, JsonErrors& errors, std::string pointer)
      : value_(&value), errors_(&errors), pointer_(std::move(pointer)) {}
  JsonCursor child(const JsonValue& value, std::string_view key) const;
  const JsonValue* member(std::string_view key) const;

  const JsonValue* value_;
  JsonErrors* errors_;
  std::string pointer_;
};

} // namespace warptune
