// Implementation: one way to compute an operator, with its own source, params and launches. An operator has one or more
// implementations (docs/spec.md, "Implementations"). Every configuration belongs to exactly one of them.
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
  std::string name;
  std::string meaning; // if implementations give different meanings: all of them, each with its implementations
  std::vector<std::int64_t> values;
  std::vector<std::string> labels; // names of the values for users; either empty, or one per value
  std::int64_t default_value = 0;
  // Implementation -> the meaning that it gives, in the order of the implementations. Empty if all meanings are equal.
  std::vector<std::pair<std::string, std::string>> own_meanings = {};

  std::string text_of(std::int64_t value) const;                          // the label of a value, or its digits
  const std::string& meaning_in(const std::string& implementation) const; // empty if the implementation gives none
};

struct Constraint {
  Expr expr;
  std::string why;
};
struct Derived {
  std::string name;
  Expr expr;
};

// A template argument or the value of a macro, as C++ text: a number, the C++ name of a dtype, or literal text.
struct SourceValue {
  enum class Kind { number, type, text, text_by_flag } kind = Kind::number;
  Expr expr; // for Kind::text_by_flag: the slot of the flag
  std::string text;
  std::vector<std::pair<std::int64_t, std::string>> texts; // the text for each value of the flag
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
  std::vector<Expr> grid, block, cluster; // one to three formulas each; `cluster` may be empty
  Expr shared;
  bool cooperative = false, programmatic = false;
  bool early = false; // as the first launch, it may start before the caller's earlier work has ended
  // Indices into Implementation::arguments; for the reference, into KernelSpec::arguments followed by the reference's
  // own arguments.
  std::vector<int> args;
};

// A step that calls a function of a vendor's library in place of a kernel. spec/library_table.h lists the functions.
struct LibraryCall {
  std::string library, call;
  std::optional<Expr> when;
  std::vector<std::pair<std::string, Expr>> values; // values that the spec gives
  std::vector<std::pair<std::string, int>>
      args;                 // arguments that the spec gives: name in the call -> index as in Launch::args
  std::size_t position = 0; // number of Implementation::launches that run before this call
};

// A __constant__ or __device__ variable of the source, filled before the launches.
struct Symbol {
  std::string name;
  int argument = -1; // index in Implementation::arguments of the buffer to copy; negative: copy `scalar`
  ScalarArg scalar;
};

// A param as one implementation uses it. The implementation may allow only some of the param's values.
struct OwnParam {
  std::size_t index = 0; // index into KernelSpec::params
  std::vector<std::int64_t> values;
  std::int64_t default_value = 0;
  std::optional<Expr> when; // if it evaluates to 0, the param is unused and keeps its default
};

struct Implementation {
  std::string name;                 // such as "online"; empty if the operator has only one implementation
  std::string summary;              // one line of text; may be empty
  std::string source = "kernel.cu"; // a name in SourceFiles: "online/kernel.cu"; empty: there are only library calls
  std::vector<OwnParam> params;     // the params in search order
  std::vector<Derived> derived;
  std::vector<Constraint> constraints;
  std::vector<std::string> compile_options;
  std::vector<Define> defines;
  std::string cpp_standard = "c++17";
  std::optional<Build> build;      // if set: a command, not NVRTC, makes the cubin; `source` is the first input
  std::vector<Argument> arguments; // the operator's arguments, then its own workspaces and tensor maps
  std::vector<Launch> launches;
  std::vector<LibraryCall> library_calls; // in the order of their positions; not empty if `launches` is empty
  std::vector<Symbol> symbols;
  // The author's formula for the time in us. It ranks configurations before the first measurement.
  std::optional<RealExpr> expected_us;
  bool is_estimated = true; // false: the spec has "expected_us": null, because the roofline model is wrong here
  // Values by which to recognise stored configurations from before the implementations had names (docs/spec.md).
  std::vector<std::pair<std::string, std::string>> formerly;
  Scope scope; // slots as in KernelSpec::scope

  int find_argument(std::string_view argument) const;  // -1 if unknown
  const OwnParam* find_param(std::size_t index) const; // nullptr: not a param of this implementation
};

} // namespace warptune
