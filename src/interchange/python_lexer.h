// The tokens of Python-like formulas; private to python_*.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace warptune {

struct PyToken {
  enum Kind { end, integer, number, name, string, symbol, wrong } kind = end;
  std::string_view text; // as written
  std::size_t begin = 0;
  std::int64_t value = 0; // value of an integer
  double real = 0;        // value of a number
  std::string content;    // for a string: its text without quotes and escapes; for `wrong`: the error
};

PyToken next_py_token(std::string_view text, std::size_t& at);

} // namespace warptune
