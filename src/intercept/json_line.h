// Builds a line of JSON. The library inside an application writes JSON but never reads it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace warptune::intercept {

// Replaces invalid UTF-8 bytes by "?", so that every line is valid JSON.
std::string json_text(std::string_view text);

class JsonObject {
 public:
  JsonObject& text(const char* key, std::string_view value) { return raw(key, json_text(value)); }
  JsonObject& number(const char* key, std::int64_t value) { return raw(key, std::to_string(value)); }
  // `json` must be valid JSON already.
  JsonObject& raw(const char* key, std::string_view json);
  std::string str() const { return "{" + members_ + "}"; }

 private:
  std::string members_;
};

// Appends an element to the text between the brackets of an array.
inline void add_element(std::string& elements, std::string_view json) {
  if (!elements.empty()) elements += ',';
  elements += json;
}

} // namespace warptune::intercept
