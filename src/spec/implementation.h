// Implementation: one way to compute an operator: its source, its params and what they mean, its launches. An operator
// has one or more (docs/spec.md, "Implementations"); a configuration belongs to exactly one.
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
  std::vector<std::string> labels; // what the user types: empty, or as many as values
  std::int64_t default_value = 0;

  std::string text_of(std::int64_t value) const; // its label, or its digits
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
  Expr expr; // of text_by_flag: the flag
  std::string text;
  std::vector<std::pair<std::int64_t, std::string>> texts; // of every value of the flag
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
  std::vector<Expr> grid, block, cluster; // 1-3 each; cluster may be empty
  Expr shared;
  bool cooperative = false, programmatic = false;
  std::vector<int> args; // indices into Implementation::arguments (reference: KernelSpec::arguments, then its own)
};

// A launch that is a call into a vendor's library (spec/library_table.h says which there are).
struct LibraryCall {
  std::string library, call;
  std::optional<Expr> when;
  std::vector<std::pair<std::string, Expr>> values; // those that are given
  std::vector<std::pair<std::string, int>> args;    // the same; name of the call -> index as in Launch::args
  std::size_t position = 0;                         // it comes behind so many of Implementation::launches
};

// A __constant__ or __device__ variable of the source that is filled before the launches.
struct Symbol {
  std::string name;
  int argument = -1; // the buffer it is copied from, in Implementation::arguments; negative: it holds the scalar
  ScalarArg scalar;
};

// A param of one implementation, as the implementation restricts it.
struct OwnParam {
  std::size_t index = 0; // into KernelSpec::params
  std::vector<std::int64_t> values;
  std::int64_t default_value = 0;
  std::optional<Expr> when; // where it is zero the param means nothing and keeps its default
};

struct Implementation {
  std::string name;                 // "online"; empty: the only one of an operator that gave it no name
  std::string summary;              // one line; may be empty
  std::string source = "kernel.cu"; // as SourceFiles names it: "online/kernel.cu"; empty: library calls only
  std::vector<OwnParam> params;     // in search order
  std::vector<Derived> derived;
  std::vector<Constraint> constraints;
  std::vector<std::string> compile_options;
  std::vector<Define> defines;
  std::string cpp_standard = "c++17";
  std::optional<Build> build;      // made by this command and not by NVRTC; then `source` is its first input
  std::vector<Argument> arguments; // those of the operator, then its own workspaces and tensor maps
  std::vector<Launch> launches;
  std::vector<LibraryCall> library_calls; // by position; at least one launch or call
  std::vector<Symbol> symbols;
  std::optional<RealExpr> expected_us; // the author's estimate of the time; ranks configurations before any is measured
  // What an earlier form of the operator called this implementation: a configuration in which all these params have
  // these values, as text ("MODE", "2"), is one of it; a param with an empty value had any, and is left out.
  std::vector<std::pair<std::string, std::string>> formerly;
  Scope scope; // slots as in KernelSpec::scope

  int find_argument(std::string_view argument) const;  // -1 when unknown
  const OwnParam* find_param(std::size_t index) const; // nullptr: not a param of this implementation
};

} // namespace warptune
