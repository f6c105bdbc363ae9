#include "spec/spec_json_reader.h"

#include "core/text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

namespace warptune {
namespace {

constexpr std::size_t kMaxBytes = 1 << 20;
constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxShown = 20; // errors; more are not useful at a time

const JsonValue null_value;

// The characters of a text for the parser. Shows how far the parser has read.
class TextIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  TextIterator(const char* at, const char** reached) : at_(at), reached_(reached) {}
  reference operator*() const { return *at_; }
  TextIterator& operator++() {
    *reached_ = ++at_;
    return *this;
  }
  bool operator==(const TextIterator& other) const { return at_ == other.at_; }
  bool operator!=(const TextIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  const char** reached_;
};

// Builds the tree as the parser reports events; stops at the first thing it refuses.
class TreeBuilder : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit TreeBuilder(const char* text) : reached(text), begin_(text), counted_(text) {}

  JsonValue root;
  std::string refusal;
  const char* reached; // the parser has read the text up to here

  bool null() override { return put({}); }
  bool boolean(bool b) override {
    JsonValue v;
    v.kind = JsonValue::Kind::boolean;
    v.integer = b;
    return put(std::move(v));
  }
  bool number_integer(std::int64_t i) override {
    JsonValue v;
    v.kind = JsonValue::Kind::integer;
    v.integer = i;
    v.number = static_cast<double>(i);
    return put(std::move(v));
  }
  bool number_unsigned(std::uint64_t u) override {
    if (u <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      return number_integer(static_cast<std::int64_t>(u));
    return number_float(static_cast<double>(u), {});
  }
  bool number_float(double d, const std::string&) override {
    JsonValue v;
    v.kind = JsonValue::Kind::number;
    v.number = d;
    return put(std::move(v));
  }
  bool string(std::string& s) override {
    JsonValue v;
    v.kind = JsonValue::Kind::text;
    v.text = std::move(s);
    return put(std::move(v));
  }
  bool binary(nlohmann::json::binary_t&) override { return false; }

  bool start_object(std::size_t) override { return open(JsonValue::Kind::object); }
  bool start_array(std::size_t) override { return open(JsonValue::Kind::list); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(std::string& k) override {
    if (!keys_.back().insert(k).second) {
      refusal = "the key " + quote(k) + " appears twice in one object; keep one of them";
      return false;
    }
    open_.back()->keys.push_back(std::move(k));
    line_of_key_ = line();
    return true;
  }
  bool parse_error(std::size_t, const std::string& token, const nlohmann::json::exception& e) override {
    if (dynamic_cast<const nlohmann::json::out_of_range*>(&e) != nullptr) { // a number like 1e400; e names no place
      refusal = fmt::format("invalid JSON at {}: the number {:.40} is too large; give a number below 1e308",
                            place_of(token), token);
      return false;
    }
    // "[json.exception.parse_error.101] parse error at line 1, column 5: syntax error while ...; last read: '...';
    // expected ..."
    const std::string_view what = e.what();
    const std::size_t at = what.find(" at line ");
    std::string text(at == std::string_view::npos ? what : what.substr(at + 1));
    const std::size_t end = text.find("; last read: ");
    if (end != std::string::npos) text.resize(end);
    refusal = "invalid JSON " + text + "; fix the syntax there";
    return false;
  }

 private:
  JsonValue* place() {
    if (open_.empty()) return &root;
    return &open_.back()->items.emplace_back();
  }
  // The line of the last token. After a number, the parser has read one more character, which may be the end of the
  // line.
  int line() {
    for (; counted_ + 1 < reached; ++counted_) lines_ += *counted_ == '\n' ? 1 : 0;
    return lines_;
  }
  // Where the last token begins: "line 1, column 5", as in the parser's own messages.
  std::string place_of(const std::string& token) const {
    const std::string_view read(begin_, static_cast<std::size_t>(reached - begin_));
    const std::size_t at = std::min(read.rfind(token), read.size());
    const std::size_t newline = read.substr(0, at).rfind('\n');
    return fmt::format("line {}, column {}",
                       1 + std::count(read.begin(), read.begin() + static_cast<std::ptrdiff_t>(at), '\n'),
                       at - (newline == std::string_view::npos ? 0 : newline + 1) + 1);
  }
  int line_of_value() {
    return !open_.empty() && open_.back()->kind == JsonValue::Kind::object ? line_of_key_ : line();
  }
  bool put(JsonValue value) {
    value.line = line_of_value();
    *place() = std::move(value);
    return true;
  }
  bool open(JsonValue::Kind kind) {
    if (open_.size() == kMaxDepth) {
      refusal = "nested more than " + std::to_string(kMaxDepth) + " levels deep; valid files have fewer levels";
      return false;
    }
    const int begin = line_of_value();
    JsonValue* value = place();
    value->kind = kind;
    value->line = begin;
    open_.push_back(value);
    keys_.emplace_back();
    return true;
  }
  bool close() {
    open_.pop_back();
    keys_.pop_back();
    return true;
  }

  std::vector<JsonValue*> open_; // stable: a list grows only while none of its items is open
  std::vector<std::set<std::string>> keys_;
  const char* begin_;
  const char* counted_; // newlines before this are in lines_
  int lines_ = 1, line_of_key_ = 1;
};

std::string describe(const JsonValue& v) {
  switch (v.kind) {
  case JsonValue::Kind::null:
    return "null";
  case JsonValue::Kind::boolean:
    return v.integer ? "true" : "false";
  case JsonValue::Kind::integer:
    return "the number " + std::to_string(v.integer);
  case JsonValue::Kind::number: {
    std::string text = std::to_string(v.number);
    if (std::abs(v.number) >= 0x1p63) return "a number beyond 64 bits";
    if (text.find('.') != std::string::npos) text.erase(std::max(text.find_last_not_of('0'), text.find('.') + 1) + 1);
    return "the number " + text;
  }
  case JsonValue::Kind::text:
    return "the string " + quote(v.text);
  case JsonValue::Kind::list:
    return v.items.empty() ? "an empty list" : "a list";
  case JsonValue::Kind::object:
    return v.items.empty() ? "an empty object" : "an object";
  }
  return "something else";
}

// RFC 6901: '~' and '/' inside a key are escaped.
std::string escape(std::string_view key) {
  std::string text;
  for (const char c : key.substr(0, 100)) {
    if (c == '~')
      text += "~0";
    else if (c == '/')
      text += "~1";
    else
      text += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  if (find_invalid_utf8(text) != std::string_view::npos)
    std::replace_if(
        text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
  return text;
}

} // namespace

bool is_label(std::string_view text) {
  const auto ok = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '+' || c == '-';
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), ok);
}

Result<JsonValue> parse_json(std::string_view text, const std::string& origin, bool comments) {
  const auto refuse = [&](const std::string& why) { return fail(ErrorKind::bad_input, origin + ": " + why); };
  if (text.size() > kMaxBytes)
    return refuse("the file has " + std::to_string(text.size()) + " bytes, more than the 1 MiB allowed; shorten it");
  if (const std::size_t at = find_invalid_utf8(text); at != std::string_view::npos)
    return refuse("invalid UTF-8 at byte " + std::to_string(at + 1) + "; save the file as UTF-8");
  // The parser would treat a zero byte as the end of the text.
  if (const std::size_t at = text.find('\0'); at != std::string_view::npos)
    return refuse("a zero byte at byte " + std::to_string(at + 1) + "; save the file as text");
  TreeBuilder builder(text.data());
  const bool ok = nlohmann::json::sax_parse(TextIterator(text.data(), &builder.reached),
                                            TextIterator(text.data() + text.size(), &builder.reached), &builder,
                                            nlohmann::json::input_format_t::json, true, comments);
  if (!ok || !builder.refusal.empty()) return refuse(builder.refusal);
  return std::move(builder.root);
}

int json_line(std::string_view text, std::string_view pointer) {
  const Result<JsonValue> root = parse_json(text, {});
  if (!root) return 0;
  const JsonValue* value = &*root;
  const std::string path(pointer.substr(std::min<std::size_t>(1, pointer.size())));
  if (path.empty()) return value->line;
  for (const std::string_view part : split(path, '/')) {
    std::size_t at = value->items.size();
    if (value->kind == JsonValue::Kind::object)
      for (std::size_t i = 0; i < value->keys.size(); ++i)
        if (escape(value->keys[i]) == part) at = i;
    std::int64_t number = -1;
    if (value->kind == JsonValue::Kind::list && parse_integer(std::string(part), number) == IntegerError::none &&
        number >= 0)
      at = static_cast<std::size_t>(number);
    if (at >= value->items.size()) break;
    value = &value->items[at];
  }
  return value->line;
}

void JsonErrors::report(const std::string& pointer, const std::string& what) {
  if (keep_ == Keep::first && count_ > 0) return;
  if (count_++ < kMaxShown)
    shown_ += (shown_.empty() ? "" : "\n") + origin_ + ": at " + (pointer.empty() ? "/" : pointer) + ": " + what;
}

std::string JsonErrors::message() const {
  if (count_ <= kMaxShown) return shown_;
  return shown_ + "\n" + origin_ + ": and " + std::to_string(count_ - kMaxShown) + " more errors; fix these first";
}

JsonCursor JsonCursor::child(const JsonValue& value, std::string_view key) const {
  return JsonCursor(value, *errors_, pointer_ + "/" + escape(key));
}

void JsonCursor::expected(const std::string& what) const { error("expected " + what + ", got " + describe(*value_)); }

const JsonValue* JsonCursor::member(std::string_view key) const {
  const auto found = std::find(value_->keys.begin(), value_->keys.end(), key);
  return found == value_->keys.end() ? nullptr : &value_->items[static_cast<std::size_t>(found - value_->keys.begin())];
}

JsonCursor JsonCursor::at(std::string_view key) const {
  const JsonValue* found = member(key);
  if (!found) {
    if (is(JsonValue::Kind::object))
      error("the key " + quote(key) + " is missing; add it (docs/spec.md)");
    else
      expected("an object with the key " + quote(key));
  }
  return child(found ? *found : null_value, key);
}

void JsonCursor::needs(const std::vector<std::string_view>& keys) const {
  if (!is(JsonValue::Kind::object)) return expected("an object");
  std::vector<std::string_view> missing;
  std::copy_if(keys.begin(), keys.end(), std::back_inserter(missing), [&](auto key) { return !member(key); });
  if (missing.empty()) return;
  if (missing.size() == 1) return (void)at(missing.front());
  std::string names;
  for (std::size_t i = 0; i < missing.size(); ++i)
    names += (i == 0 ? "" : i + 1 < missing.size() ? ", " : " and ") + quote(missing[i]);
  error("the keys " + names + " are missing; add them (docs/spec.md)");
}

std::optional<JsonCursor> JsonCursor::find(std::string_view key) const {
  const JsonValue* found = member(key);
  if (!found) return std::nullopt;
  return child(*found, key);
}

void JsonCursor::only(const std::vector<std::string_view>& keys) const {
  if (!is(JsonValue::Kind::object)) return expected("an object");
  for (const std::string& key : value_->keys)
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
      error("unknown key " + quote(key) + suggest_name(key, {keys.begin(), keys.end()}));
}

std::vector<std::pair<std::string, JsonCursor>> JsonCursor::members() const {
  if (!is(JsonValue::Kind::object)) expected("an object");
  std::vector<std::pair<std::string, JsonCursor>> all;
  for (std::size_t i = 0; i < value_->keys.size(); ++i)
    all.emplace_back(value_->keys[i], child(value_->items[i], value_->keys[i]));
  return all;
}

std::vector<JsonCursor> JsonCursor::items() const {
  if (!is(JsonValue::Kind::list)) {
    expected("a list");
    return {};
  }
  std::vector<JsonCursor> all;
  for (std::size_t i = 0; i < value_->items.size(); ++i) all.push_back(child(value_->items[i], std::to_string(i)));
  return all;
}

std::int64_t JsonCursor::integer() const {
  if (!is(JsonValue::Kind::integer)) expected("an integer");
  return value_->integer;
}

double JsonCursor::number() const {
  if (!is_number()) expected("a number");
  return value_->number;
}

bool JsonCursor::boolean() const {
  if (!is(JsonValue::Kind::boolean)) expected("true or false");
  return value_->integer != 0;
}

const std::string& JsonCursor::text() const {
  if (!is(JsonValue::Kind::text)) expected("a string");
  return value_->text;
}

std::size_t JsonCursor::choice(std::initializer_list<std::string_view> choices) const {
  const auto found = std::find(choices.begin(), choices.end(), value_->text);
  if (is(JsonValue::Kind::text) && found != choices.end()) return static_cast<std::size_t>(found - choices.begin());
  expected("one of " + join_choices({choices.begin(), choices.end()}));
  return 0;
}

} // namespace warptune
