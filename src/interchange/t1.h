// T1 files of the Autotuning Association: a search space with Python-like values and conditions, and a note of the
// kernel it belongs to. From text to a value that core's builder of spaces takes; knows no devices and runs nothing.
#pragma once

#include "interchange/python_expr.h"
#include "space/space.h"
#include "space/space_model.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

struct T1Param {
  std::string name;
  std::vector<std::string> labels;              // of its values, as Python prints them
  std::optional<std::int32_t> default_position; // nothing: no default, or one that is none of the values
  std::string default_label;                    // as written; empty: none
};

struct T1 {
  std::string name, kernel, language; // the benchmark's; the kernel's may be empty
  std::vector<T1Param> params;
  std::vector<PythonExpr> conditions;
  std::shared_ptr<PyNames> names; // the values of the params
};

// Whether the text looks like a T1 file rather than anything else in JSON.
bool is_t1(std::string_view text);

// The error is one sentence with file, JSON pointer or column, reason and remedy. Limits: 1 MiB, 256 params, 1e6
// values, 1024 conditions.
Result<T1> parse_t1(std::string_view text, const std::string& origin);

// Integers and booleans are values of the space; params with other values have positions as values, and their numbers
// as coordinates (texts none). A condition that cannot be evaluated, because of a division by zero or an integer beyond
// 64 bits, is not met.
SpaceModel make_space_model(const T1& t1);

std::string config_text(const T1& t1, const Positions& positions); // "block_size_x=16,mode=fast"

// The default of each param; nothing when one has none among its values.
std::optional<Positions> default_positions(const T1& t1);

} // namespace warptune
