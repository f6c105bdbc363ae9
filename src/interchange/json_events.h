// Reads a JSON text as a sequence of events (scalars, keys, beginnings and ends), so that a file of a hundred megabytes
// needs no tree in memory. Reads Python's NaN and Infinity as null, and reports whether the text was complete.
#pragma once

#include <string>
#include <string_view>

namespace warptune {

struct JsonScalar {
  enum class Kind { null, boolean, integer, real, text };
  Kind kind = Kind::null;
  double number = 0;     // the value of a boolean, an integer or a real number
  std::string_view text; // as written in the file, but strings without quotes; valid until the next event
  bool is_number() const { return kind == Kind::integer || kind == Kind::real; }
};

// Receives the events. Each function returns whether to continue; if it returns false, `problem` must say why.
class JsonHandler {
 public:
  virtual ~JsonHandler() = default;
  virtual bool scalar(const JsonScalar& value) = 0;
  virtual bool key(std::string& name) = 0;
  virtual bool begin(bool object) = 0;
  virtual bool end() = 0;
  std::string problem; // an error message; the caller puts the file's name before it
};

enum class JsonEnd { complete, truncated, damaged, refused }; // refused: a function of the JsonHandler returned false
struct JsonOutcome {
  JsonEnd end = JsonEnd::complete;
  std::string problem; // if damaged or refused: why
};

inline constexpr int kDeepestJson = 64; // maximum levels of nesting; deeper texts are refused

// Modifies `text`: Python's NaN and Infinity become null.
JsonOutcome read_json(std::string& text, JsonHandler& handler);

} // namespace warptune
