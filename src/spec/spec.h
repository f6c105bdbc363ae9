// KernelSpec: one operator as its spec.json describes it (docs/spec.md). It is a plain value; its formulas are parsed
// and their names checked. parse_spec (spec/spec_json.h) makes it; all other code uses KernelSpec and never JSON.
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
  bool is_fixed = false;                     // if true, min equals max, and a shape may omit the dim
  std::optional<std::int64_t> standard = {}; // the default; shapes and keys may omit a dim that has one
};

// A dim that is a list of sizes. Formulas see four numbers of the list, each as a separate dim: NAME_count, NAME_sum,
// NAME_max and NAME_min (spec/size_list.h).
struct ListDim {
  std::string name, meaning;
  std::size_t first = 0;         // index of NAME_count in KernelSpec::dims; the other three follow it
  std::int64_t min = 1, max = 0; // limits of an element
  std::int64_t max_count = 0;
};

struct Flag {
  std::string name, meaning;
  std::vector<std::int64_t> values; // the first is the default; a string flag has one id per string, unique in the spec
  std::vector<std::string> labels;  // names of the values for users; one per value
  bool is_optional = false;         // whether keys omit the flag at its default
};

struct Tolerance {
  double rtol = 0, atol = 0, rms = 0;
};
struct ToleranceFormulas {
  RealExpr rtol, atol, rms; // formulas over dims, dtype and flags
};
struct ToleranceTable {
  std::optional<ToleranceFormulas> standard;
  std::map<DType, ToleranceFormulas> by_dtype;
  const ToleranceFormulas* find(DType t) const; // null if the table has no entry for this dtype
};

struct Cost {
  Expr bytes_read, bytes_written;
  std::vector<std::pair<std::string, Expr>> flops; // operations by pipe: fp32 fp64 fp16 tensor sfu
};

// Launches of the operator itself, not of an implementation. These launches depend on the problem but not on params.
struct OwnLaunches {
  std::string source = "reference.cu";
  std::vector<Argument> arguments; // arguments in addition to the operator's
  std::vector<Launch> launches;
};
struct Reference : OwnLaunches {
  std::map<std::string, Expr> types; // output name -> dtype formula, if the spec overrides the default
};

using Shape = std::vector<std::int64_t>; // one value per dim, in the order of KernelSpec::dims

struct SuiteEntry {
  Shape shape;
  std::optional<DType> dtype = std::nullopt; // nullopt: any
  // One value per flag; nullopt: any value; empty: the entry names no flag.
  std::vector<std::optional<std::int64_t>> flags = {};
  std::vector<std::string> lists = {}; // the string of each of KernelSpec::lists
  bool operator==(const SuiteEntry&) const = default;
};

struct KernelSpec {
  std::string name, summary;
  bool reads_as_format_1 = false; // whether the spec uses no feature of a later format
  std::vector<Dim> dims;
  std::vector<ListDim> lists; // the lists, in the order of their dims
  std::vector<DType> dtypes;
  std::vector<Flag> flags;
  std::vector<Derived> types;
  // The params of all implementations, each name once. If there are several implementations, the first param is the
  // choice between them: a labelled param called kImplementation with values in the order of `implementations`.
  std::vector<Param> params;
  std::vector<Implementation> implementations; // at least one; the first is the default
  std::vector<Argument> arguments; // the operator's arguments: passed by the caller, or shared by all implementations
  Reference reference;
  std::optional<OwnLaunches> prepare; // runs first and makes the inputs with fill `prepared` from the other inputs
  std::vector<std::string> include;   // names of include roots: folders with headers of other projects
  Cost cost;
  ToleranceTable tolerances;
  std::map<std::string, ToleranceTable> tolerances_by_output; // override `tolerances`
  std::map<std::string, std::vector<SuiteEntry>> suites;

  // The slots that every formula above reads, in this order: device limits (as in DeviceLimits), dims, dtype,
  // dtype_bytes, flags, params.
  Scope scope;
  int first_param_slot = 0;

  int find_argument(std::string_view name) const; // -1 when unknown
  int find_list(std::string_view name) const;     // -1 when unknown
  int list_of_dim(std::size_t dim) const;         // the list to which this dim belongs; -1: a plain dim
  // Returns the configuration's implementation; the default one if the configuration does not belong to this spec.
  const Implementation& implementation(const Config& config) const {
    return implementations[implementation_index(config)];
  }
  std::size_t implementation_index(const Config& config) const;
  bool has_choice() const { return implementations.size() > 1; } // if true, params[0] is the choice
};

inline constexpr const char* kImplementation = "implementation"; // the param that chooses the implementation

} // namespace warptune
