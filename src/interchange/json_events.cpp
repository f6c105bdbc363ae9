#include "interchange/json_events.h"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warptune {
namespace {

using nlohmann::json;

// Python's json module writes NaN and Infinity, which JSON does not have; each becomes null.
void replace_python_numbers(std::string& text) {
  if (text.find("NaN") == std::string::npos && text.find("Infinity") == std::string::npos) return;
  std::string out;
  out.reserve(text.size() + text.size() / 16);
  bool quoted = false;
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view rest = std::string_view(text).substr(i);
    if (!quoted) {
      const std::size_t skip = rest.starts_with("NaN")         ? 3
                               : rest.starts_with("Infinity")  ? 8
                               : rest.starts_with("-Infinity") ? 9
                                                               : 0;
      if (skip > 0) {
        out += "null";
        i += skip;
        continue;
      }
    } else if (text[i] == '\\' && i + 1 < text.size()) {
      out += rest.substr(0, 2);
      i += 2;
      continue;
    }
    if (text[i] == '"') quoted = !quoted;
    out += text[i++];
  }
  text = std::move(out);
}

class Adapter final : public json::json_sax_t {
 public:
  Adapter(JsonHandler& handler, std::size_t size) : handler_(handler), size_(size) {}

  bool null() override { return handler_.scalar({}); }
  bool boolean(bool value) override {
    return handler_.scalar({JsonScalar::Kind::boolean, value ? 1.0 : 0.0, value ? "true" : "false"});
  }
  bool number_integer(number_integer_t value) override { return integer(fmt::format_int(value), value); }
  bool number_unsigned(number_unsigned_t value) override { return integer(fmt::format_int(value), value); }
  bool number_float(number_float_t value, const string_t& text) override {
    return handler_.scalar({JsonScalar::Kind::real, value, text});
  }
  bool string(string_t& value) override { return handler_.scalar({JsonScalar::Kind::text, 0, value}); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return begin(true); }
  bool key(string_t& name) override { return handler_.key(name); }
  bool end_object() override { return end(); }
  bool start_array(std::size_t) override { return begin(false); }
  bool end_array() override { return end(); }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) override {
    if (dynamic_cast<const json::parse_error*>(&error) == nullptr) // out_of_range
      outcome = {JsonEnd::damaged, fmt::format("a number before byte {} is too large", position)};
    else if (position >= size_ && begun_)
      outcome.end = JsonEnd::truncated;
    else
      outcome = {JsonEnd::damaged, fmt::format("it is not valid JSON at byte {}", position)};
    return false;
  }

  JsonOutcome outcome;

 private:
  bool integer(const fmt::format_int& text, auto value) {
    return handler_.scalar(
        {JsonScalar::Kind::integer, static_cast<double>(value), std::string_view(text.data(), text.size())});
  }
  bool begin(bool object) {
    begun_ = true;
    if (++depth_ <= kDeepestJson) return handler_.begin(object);
    handler_.problem = fmt::format("it is nested deeper than {} levels", kDeepestJson);
    return false;
  }
  bool end() {
    --depth_;
    return handler_.end();
  }

  JsonHandler& handler_;
  std::size_t size_;
  int depth_ = 0;
  bool begun_ = false;
};

} // namespace

JsonOutcome read_json(std::string& text, JsonHandler& handler) {
  // The parser would treat a zero byte as the end of the text.
  if (const std::size_t at = text.find('\0'); at != std::string::npos)
    return {JsonEnd::damaged, fmt::format("it is not valid JSON at byte {}", at + 1)};
  replace_python_numbers(text);
  Adapter adapter(handler, text.size());
  if (json::sax_parse(text, &adapter)) return {};
  if (adapter.outcome.end == JsonEnd::complete) return {JsonEnd::refused, handler.problem};
  return std::move(adapter.outcome);
}

} // namespace warptune
