// Arguments of launches as the spec describes them: buffers, scalars and tensor maps (docs/spec.md, "Arguments").
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
  double a = -1, b = 1; // uniform, integers: low and high; normal: mean and stddev; constant: value
  Expr formula;         // a formula over the scope plus the element index `i`, the last slot
  std::size_t list = 0; // for `list` and `offsets`: index into KernelSpec::lists

  // Whether the CPU computes the values, because they need a formula or a list.
  bool is_made_on_host() const { return kind == Kind::formula || kind == Kind::list || kind == Kind::offsets; }
};

// Rows with gaps between them; length and stride are in elements.
struct RowsArg {
  Expr length, stride;
};

struct BufferArg {
  Expr dtype;
  Expr count;
  Role role = Role::input;
  Fill fill;
  bool zero = false;
  std::optional<Expr> align;   // in bytes; nullopt: kDefaultAlignment (spec/alignment.h)
  std::optional<RowsArg> rows; // nullopt: no gaps
};
struct ScalarArg {
  DType dtype = DType::int32;
  Expr value;                      // the value for integer types
  double number = 0;               // the value for floating-point types if there is no formula
  std::optional<RealExpr> formula; // the value's formula for floating-point types
  bool is_parameter = false;
};

struct TensorMapArg {
  std::string buffer;
  std::optional<Expr> dtype;
  bool im2col = false;
  std::vector<Expr> dims, strides, box, element_strides; // innermost first; strides in bytes, starting at dim 1
  std::vector<Expr> lower, upper;                        // im2col only
  Expr channels_per_pixel, pixels_per_column;            // im2col only
  Expr swizzle = Expr::constant(0);                      // bytes
  int interleave_bytes = 0, l2_promotion_bytes = 0;
  bool fill_nan = false;
};

struct Argument {
  std::string name;
  std::variant<BufferArg, ScalarArg, TensorMapArg> value;
  std::optional<Expr> when; // if it evaluates to 0, the argument does not exist, and kernels receive null for it

  // Evaluates `when`. If the evaluation fails, this function returns false, and make_plan reports the error.
  bool is_absent(std::span<const std::int64_t> slots) const {
    std::int64_t exists = 1;
    return when && when->try_evaluate(slots, exists) && exists == 0;
  }
};

} // namespace warptune
