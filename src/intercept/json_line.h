// Builds one line of JSON; the library inside an application needs no parser.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace warptune::intercept {

// Replaces bytes that are not UTF-8 by "?", so every line is valid JSON.
std::string json_text(std::string_view text);

class JsonObject {
 public:
  JsonObject& text(const char* key, std::string_view value) { return raw(key, json_text(value)); }
  JsonObject& number(const char* key, std::int64_t value) { return raw(key, std::to_string(value)); }
  // `json` is already JSON.
  JsonObject& raw(const char* key, std::string_view json);
  std::string str() const { return "{" + members_ + "}"; }

 private:
  std::string members_;
};

// Appends an element to the inside of an array.
inline void add_element(std::string& elements, std::string_view json) {
  if (!elements.empty()) elements += ',';
  elements += json;
}

} // namespace warptune::intercept
