// What a launch can be given: buffers, scalars, tensor maps, as the spec describes them (docs/spec.md, "Arguments").
#pragma once

#include "core/dtype.h"
#include "core/expr.h"
#include "core/real_expr.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace warptune {

enum class Role { input, output, inout, workspace };

struct Fill {
  enum class Kind { uniform, normal, integers, constant, formula, prepared, list, offsets } kind = Kind::uniform;
  double a = -1, b = 1; // low/high, mean/stddev, low/high, value
  Expr formula;         // over the scope plus the element index `i`, which is its last slot
  std::size_t list = 0; // list, offsets: which of KernelSpec::lists

  bool is_made_on_host() const { return kind == Kind::formula || kind == Kind::list || kind == Kind::offsets; }
};

// Rows with gaps between them, in elements.
struct RowsArg {
  Expr length, stride;
};

struct BufferArg {
  Expr dtype;
  Expr count;
  Role role = Role::input;
  Fill fill;
  bool zero = false;
  std::optional<Expr> align;   // bytes that its address is a multiple of; nothing: see spec/alignment.h
  std::optional<RowsArg> rows; // nothing: without gaps
};
struct ScalarArg {
  DType dtype = DType::int32;
  Expr value;                      // of an integer type
  double number = 0;               // of a floating-point type, unless there is a formula
  std::optional<RealExpr> formula; // of a floating-point type
  bool is_parameter = false;
};

struct TensorMapArg {
  std::string buffer;
  std::optional<Expr> dtype;
  bool im2col = false;
  std::vector<Expr> dims, strides, box, element_strides; // innermost first; strides in bytes of dims 1..
  std::vector<Expr> lower, upper;                        // im2col only
  Expr channels_per_pixel, pixels_per_column;            // im2col only
  Expr swizzle = Expr::constant(0);                      // bytes
  int interleave_bytes = 0, l2_promotion_bytes = 0;
  bool fill_nan = false;
};

struct Argument {
  std::string name;
  std::variant<BufferArg, ScalarArg, TensorMapArg> value;
  std::optional<Expr> when; // where it is zero the argument does not exist: a kernel that is given it gets a null

  // By its own condition; a plan refuses one that cannot be evaluated.
  bool is_absent(std::span<const std::int64_t> slots) const {
    std::int64_t exists = 1;
    return when && when->try_evaluate(slots, exists) && exists == 0;
  }
};

} // namespace warptune
