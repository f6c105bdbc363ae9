// The events of a JSON text for the readers of this folder: scalars, keys, beginnings and ends in sequence, so that a
// file of a hundred megabytes needs no tree in memory. Reads Python's NaN and Infinity as null, and reports how a text
// ended. Does not depend on a format.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace warptune {

struct JsonScalar {
  enum class Kind { null, boolean, integer, real, text };
  Kind kind = Kind::null;
  double number = 0;     // the value of a boolean, an integer or a real
  std::string_view text; // the value as in the file, strings without quotes; valid until the next event
  bool is_number() const { return kind == Kind::integer || kind == Kind::real; }
};

// Each function returns whether to continue; if false, `problem` says why.
class JsonHandler {
 public:
  virtual ~JsonHandler() = default;
  virtual bool scalar(const JsonScalar& value) = 0;
  virtual bool key(std::string& name) = 0;
  virtual bool begin(bool object) = 0;
  virtual bool end() = 0;
  std::string problem; // the error message; the caller prefixes the file's name
};

enum class JsonEnd { complete, truncated, damaged, refused }; // refused: by the JsonHandler
struct JsonOutcome {
  JsonEnd end = JsonEnd::complete;
  std::string problem; // for damaged and refused
};

inline constexpr int kDeepestJson = 64; // maximum levels of nesting; deeper texts are refused

JsonOutcome read_json(std::string& text, JsonHandler& handler);

} // namespace warptune
