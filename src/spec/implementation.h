// Implementation: one way to compute an operator, with its source, its params and their meaning, and its launches. An
// operator has one or more implementations (docs/spec.md, "Implementations"); a configuration belongs to exactly one.
#pragma once

#include "core/config.h"
#include "core/expr.h"
#include "spec/arguments.h"
#include "spec/build.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warptune {

struct Param {
  std::string name, meaning;
  std::vector<std::int64_t> values;
  std::vector<std::string> labels; // names of the values for users; empty, or one per value
  std::int64_t default_value = 0;

  std::string text_of(std::int64_t value) const; // the label of a value, or its digits
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
  enum class Kind { number, type, text, text_by_flag } kind = Kind::number;
  Expr expr; // for text_by_flag: the slot of the flag
  std::string text;
  std::vector<std::pair<std::int64_t, std::string>> texts; // one string for every value of the flag
};
struct Define {
  std::string name;
  SourceValue value;
};

struct Launch {
  std::string kernel;
  std::vector<SourceValue> template_args;
  bool has_template = false;
  std::optional<Expr> when;
  std::vector<Expr> grid, block, cluster; // one to three formulas each; cluster may be empty
  Expr shared;
  bool cooperative = false, programmatic = false;
  // Indices into Implementation::arguments (for the reference: KernelSpec::arguments, then its own arguments).
  std::vector<int> args;
};

// A launch that is a call into a vendor's library. spec/library_table.h lists the calls.
struct LibraryCall {
  std::string library, call;
  std::optional<Expr> when;
  std::vector<std::pair<std::string, Expr>> values; // given by the spec
  std::vector<std::pair<std::string, int>> args;    // given by the spec: name in the call -> index as in Launch::args
  std::size_t position = 0;                         // how many of Implementation::launches run before this call
};

// A __constant__ or __device__ variable of the source, filled before the launches.
struct Symbol {
  std::string name;
  int argument = -1; // index in Implementation::arguments of the buffer to copy; negative: a scalar
  ScalarArg scalar;
};

// A param as one implementation uses it; the implementation may restrict the values.
struct OwnParam {
  std::size_t index = 0; // index into KernelSpec::params
  std::vector<std::int64_t> values;
  std::int64_t default_value = 0;
  std::optional<Expr> when; // if it is zero, the param is unused and keeps its default
};

struct Implementation {
  std::string name;                 // such as "online"; empty if the operator has only one implementation
  std::string summary;              // one line of text; may be empty
  std::string source = "kernel.cu"; // a name in SourceFiles: "online/kernel.cu"; empty: library calls only
  std::vector<OwnParam> params;     // in search order
  std::vector<Derived> derived;
  std::vector<Constraint> constraints;
  std::vector<std::string> compile_options;
  std::vector<Define> defines;
  std::string cpp_standard = "c++17";
  std::optional<Build> build; // if set, this command makes the cubin in place of NVRTC, and `source` is its first input
  std::vector<Argument> arguments; // the operator's arguments, then its own workspaces and tensor maps
  std::vector<Launch> launches;
  std::vector<LibraryCall> library_calls; // in the order of their positions; there is at least one launch or call
  std::vector<Symbol> symbols;
  // The author's estimate of the time; ranks configurations before the first measurement.
  std::optional<RealExpr> expected_us;
  std::vector<std::pair<std::string, std::string>> formerly;
  Scope scope; // slots as in KernelSpec::scope

  int find_argument(std::string_view argument) const;  // -1 when unknown
  const OwnParam* find_param(std::size_t index) const; // nullptr: this is not a param of this implementation
};

} // namespace warptune
