// KernelSpec: one operator as its spec.json describes it (docs/spec.md). A value; formulas are parsed and name-checked.
// Made by load_spec (spec/spec_json.h); everything after it works on this and never on JSON.
#pragma once

#include "core/device.h"
#include "core/dtype.h"
#include "core/expr.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace warptune {

struct Dim {
  std::string name, meaning;
  std::int64_t min = 1, max = std::int64_t{1} << 40;
};

struct Flag {
  std::string name, meaning;
  std::vector<std::int64_t> values; // first is the default; for string flags an id per string, unique in the spec
  std::vector<std::string> labels;  // what the user types; as many as values
};

struct Param {
  std::string name, meaning;
  std::vector<std::int64_t> values;
  std::int64_t default_value = 0;
};

struct Constraint {
  Expr expr;
  std::string why;
};
struct Derived {
  std::string name;
  Expr expr;
};

// A template argument or the value of a macro: a number, the C++ name of a dtype, or literal text.
struct SourceValue {
  enum class Kind { number, type, text } kind = Kind::number;
  Expr expr;
  std::string text;
};
struct Define {
  std::string name;
  SourceValue value;
};

enum class Role { input, output, inout, workspace };

struct Fill {
  enum class Kind { uniform, normal, integers, constant, formula } kind = Kind::uniform;
  double a = -1, b = 1; // low/high, mean/stddev, low/high, value
  Expr formula;         // over the scope plus the element index `i`, which is its last slot
};

struct BufferArg {
  Expr dtype;
  Expr count;
  Role role = Role::input;
  Fill fill;
  bool zero = false;
  std::optional<Expr> align; // bytes that its address is a multiple of; nothing: see spec/alignment.h
};
struct ScalarArg {
  DType dtype = DType::int32;
  Expr value;
  double number = 0;
  bool is_parameter = false;
};

struct TensorMapArg {
  std::string buffer;
  std::optional<Expr> dtype;
  bool im2col = false;
  std::vector<Expr> dims, strides, box, element_strides; // innermost first; strides in bytes of dims 1..
  std::vector<Expr> lower, upper;                        // im2col only
  Expr channels_per_pixel, pixels_per_column;            // im2col only
  int interleave_bytes = 0, swizzle_bytes = 0, l2_promotion_bytes = 0;
  bool fill_nan = false;
};

struct Argument {
  std::string name;
  std::variant<BufferArg, ScalarArg, TensorMapArg> value;
};

struct Launch {
  std::string kernel;
  std::vector<SourceValue> template_args;
  bool has_template = false;
  std::optional<Expr> when;
  std::vector<Expr> grid, block, cluster; // 1-3 each; cluster may be empty
  Expr shared;
  bool cooperative = false, programmatic = false;
  std::vector<int> args; // indices into KernelSpec::arguments (reference: into arguments then reference_arguments)
};

struct Tolerance {
  double rtol = 0, atol = 0, rms = 0;
};

struct Cost {
  Expr bytes_read, bytes_written;
  std::vector<std::pair<std::string, Expr>> flops; // pipe: fp32 fp64 fp16 tensor
};

struct Reference {
  std::string source = "reference.cu";
  std::map<std::string, Expr> types; // output name -> dtype formula, where the spec overrides the default
  std::vector<Argument> arguments;   // additional ones
  std::vector<Launch> launches;
};

using Shape = std::vector<std::int64_t>; // one value per dim, in the order of KernelSpec::dims

struct KernelSpec {
  std::string name, summary, source = "kernel.cu";
  std::vector<Dim> dims;
  std::vector<DType> dtypes;
  std::vector<Flag> flags;
  std::vector<Derived> types;
  std::vector<Param> params;
  std::vector<Derived> derived;
  std::vector<Constraint> constraints;
  std::vector<std::string> compile_options;
  std::vector<Define> defines;
  std::string cpp_standard = "c++17";
  std::vector<Argument> arguments;
  std::vector<Launch> launches;
  Reference reference;
  Cost cost;
  Tolerance default_tolerance;
  std::map<DType, Tolerance> tolerance_by_dtype;
  std::map<std::string, std::vector<Shape>> suites;

  // Slots of every formula above, in this order: device limits (as in DeviceLimits), dims, dtype, dtype_bytes, flags,
  // params.
  Scope scope;
  int first_param_slot = 0;

  const Tolerance& tolerance(DType t) const;
  int find_argument(std::string_view name) const; // -1 when unknown
};

} // namespace warptune
