// T1 files of the Autotuning Association: a search space with Python-like values and conditions, and the name of its
// kernel. Text -> a value for core's builder of spaces; knows no devices and runs nothing.
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
  std::vector<std::string> labels;              // labels of its values, as Python prints them
  std::optional<std::int32_t> default_position; // nullopt: no default, or the default is not one of the values
  std::string default_label;                    // as written; empty: none
};

struct T1 {
  std::string name, kernel, language; // name: the benchmark's; `kernel` may be empty
  std::vector<T1Param> params;
  std::vector<PythonExpr> conditions;
  std::shared_ptr<PyNames> names; // the values of the params
};

// Whether the text looks like a T1 file and not like other JSON.
bool is_t1(std::string_view text);

// The error is one sentence with file, JSON pointer or column, reason and remedy. Limits: 1 MiB, 256 params, 1e6
// values, 1024 conditions.
Result<T1> parse_t1(std::string_view text, const std::string& origin);

// Integers and booleans are values of the space. Params with other values have positions as values, and their numbers
// as coordinates (texts have none). A condition that cannot be evaluated, because of a division by zero or an integer
// beyond 64 bits, is not met.
SpaceModel make_space_model(const T1& t1);

std::string config_text(const T1& t1, const Positions& positions); // "block_size_x=16,mode=fast"

// The default of each param; nullopt if a default is missing or not among the param's values.
std::optional<Positions> default_positions(const T1& t1);

} // namespace warptune
