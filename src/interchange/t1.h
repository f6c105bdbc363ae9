// T1 files of the Autotuning Association: a search space with Python-like values and conditions, and the name of its
// kernel. Reads the text into a value for the space builder. Does not depend on devices and executes nothing.
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
  std::vector<std::string> labels;              // the values as Python prints them
  std::optional<std::int32_t> default_position; // nullopt: there is no default, or it is not one of the values
  std::string default_label;                    // the default as written; empty: none
};

struct T1 {
  std::string name, kernel; // `name`: of the benchmark; `kernel` may be empty
  std::vector<T1Param> params;
  std::vector<PythonExpr> conditions;
  std::shared_ptr<PyNames> names; // with the values of all params
};

// Whether the text looks like a T1 file rather than other JSON.
bool is_t1(std::string_view text);

// The error is one sentence with the file, the JSON pointer or column, the reason and the remedy. Limits: 1 MiB, 256
// params, 1e6 values, 1024 conditions.
Result<T1> parse_t1(std::string_view text, const std::string& origin);

// If a param has only integers and booleans, they are its values in the space. Otherwise the space has positions in the
// param's list of values; the coordinate of a number is the number; a string has none. If a condition cannot be
// evaluated, for example because of a division by zero or an integer beyond 64 bits, it counts as not met.
SpaceModel make_space_model(const T1& t1);

std::string config_text(const T1& t1, const Positions& positions); // "block_size_x=16,mode=fast"

// Returns the position of each param's default; nullopt if a default is missing or not among the param's values.
std::optional<Positions> default_positions(const T1& t1);

} // namespace warptune
