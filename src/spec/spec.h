// KernelSpec: one operator as its spec.json describes it (docs/spec.md). A value; formulas are parsed and name-checked.
// Made by parse_spec (spec/spec_json.h); everything after it works on this and never on JSON.
#pragma once

#include "core/device.h"
#include "core/dtype.h"
#include "core/expr.h"
#include "core/real_expr.h"
#include "spec/arguments.h"
#include "spec/implementation.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warptune {

struct Dim {
  std::string name, meaning;
  std::int64_t min = 1, max = std::int64_t{1} << 40;
  bool is_fixed = false;                     // then min is max, and a shape may leave it out
  std::optional<std::int64_t> standard = {}; // what a shape that leaves it out means; keys do
};

// A dim that is a list of sizes. Formulas see four numbers of it, each a dim of its own: NAME_count, NAME_sum, NAME_max
// and NAME_min (spec/size_list.h).
struct ListDim {
  std::string name, meaning;
  std::size_t first = 0;         // index of NAME_count in KernelSpec::dims; the other three follow it
  std::int64_t min = 1, max = 0; // of an element
  std::int64_t max_count = 0;
};

struct Flag {
  std::string name, meaning;
  std::vector<std::int64_t> values; // first is the default; for string flags an id per string, unique in the spec
  std::vector<std::string> labels;  // what the user types; as many as values
  bool is_optional = false;         // keys leave it out where it has its default
};

struct Tolerance {
  double rtol = 0, atol = 0, rms = 0;
};
struct ToleranceFormulas {
  RealExpr rtol, atol, rms; // over dims, dtype and flags
};
struct ToleranceTable {
  std::optional<ToleranceFormulas> standard;
  std::map<DType, ToleranceFormulas> by_dtype;
  const ToleranceFormulas* find(DType t) const; // null: nothing is said of it
};

struct Cost {
  Expr bytes_read, bytes_written;
  std::vector<std::pair<std::string, Expr>> flops; // pipe: fp32 fp64 fp16 tensor sfu
};

// Launches of the operator itself, beside those of its implementations: they depend on the problem and on no param.
struct OwnLaunches {
  std::string source = "reference.cu";
  std::vector<Argument> arguments; // additional ones
  std::vector<Launch> launches;
};
struct Reference : OwnLaunches {
  std::map<std::string, Expr> types; // output name -> dtype formula, where the spec overrides the default
};

using Shape = std::vector<std::int64_t>; // one value per dim, in the order of KernelSpec::dims

struct SuiteEntry {
  Shape shape;
  std::optional<DType> dtype = std::nullopt;           // nothing: any
  std::vector<std::optional<std::int64_t>> flags = {}; // of KernelSpec::flags, nothing: any; empty: no flag is named
  std::vector<std::string> lists = {};                 // the text of each of KernelSpec::lists
  bool operator==(const SuiteEntry&) const = default;
};

struct KernelSpec {
  std::string name, summary;
  bool reads_as_format_1 = false; // it uses nothing of a later format
  std::vector<Dim> dims;
  std::vector<ListDim> lists; // in the order of their dims
  std::vector<DType> dtypes;
  std::vector<Flag> flags;
  std::vector<Derived> types;
  // The params of all implementations, each name once; before them, where there are several, the choice among these:
  // a labelled param called kImplementation whose values stand in the order of `implementations`.
  std::vector<Param> params;
  std::vector<Implementation> implementations; // at least one; the default one first
  std::vector<Argument> arguments; // of the operator: what a caller gives, and what all implementations share
  Reference reference;
  std::optional<OwnLaunches> prepare; // makes the inputs whose fill is `prepared` from the others, before all else
  std::vector<std::string> include;   // names of include roots: the folders in which headers of others are found
  Cost cost;
  ToleranceTable tolerances;
  std::map<std::string, ToleranceTable> tolerances_by_output; // go before `tolerances`
  std::map<std::string, std::vector<SuiteEntry>> suites;

  // Slots of every formula above, in this order: device limits (as in DeviceLimits), dims, dtype, dtype_bytes, flags,
  // params.
  Scope scope;
  int first_param_slot = 0;

  int find_argument(std::string_view name) const; // -1 when unknown
  int find_list(std::string_view name) const;     // -1 when unknown
  int list_of_dim(std::size_t dim) const;         // the list that has this number; -1: a plain dim
  // Of a configuration that is none of ours: the default one.
  const Implementation& implementation(const Config& config) const {
    return implementations[implementation_index(config)];
  }
  std::size_t implementation_index(const Config& config) const;
  bool has_choice() const { return implementations.size() > 1; } // then params[0] is the choice
};

inline constexpr const char* kImplementation = "implementation"; // the name of the choice among implementations

} // namespace warptune
