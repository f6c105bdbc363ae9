// KernelSpec: one operator as its spec.json describes it (docs/spec.md). It is a plain value with parsed formulas and
// checked names. parse_spec (spec/spec_json.h) makes it from JSON; all other code reads only the KernelSpec.
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
  bool is_fixed = false;                     // if true, min equals max, and shapes may omit the dim
  std::optional<std::int64_t> standard = {}; // the default; shapes and keys may omit a dim with a default
};

// A dim that is a list of sizes. Formulas see only four values that are computed from the list, each as if it were a
// dim: NAME_count, NAME_sum, NAME_max and NAME_min (spec/size_list.h).
struct ListDim {
  std::string name, meaning;
  std::size_t first = 0;         // index of NAME_count in KernelSpec::dims; the other three follow it
  std::int64_t min = 1, max = 0; // limits of an element
  std::int64_t max_count = 0;
};

struct Flag {
  std::string name, meaning;
  std::vector<std::int64_t>
      values; // the first is the default; for a flag with string values, ids of the strings, unique in the spec
  std::vector<std::string> labels; // names of the values for users; one per value
  bool is_optional = false;        // whether problem keys omit the flag if it has its default
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
  std::vector<std::pair<std::string, Expr>> flops; // operations by pipe: fp32, fp64, fp16, tensor, sfu
};

// Launches that belong to the operator and not to an implementation. They depend on the problem, but not on params.
struct OwnLaunches {
  std::string source = "reference.cu";
  std::vector<Argument> arguments; // in addition to the operator's arguments
  std::vector<Launch> launches;
};
struct Reference : OwnLaunches {
  std::map<std::string, Expr> types; // output name -> formula of its dtype in the reference, if that dtype differs
};

using Shape = std::vector<std::int64_t>; // one value per dim, in the order of KernelSpec::dims

struct SuiteEntry {
  Shape shape;
  std::optional<DType> dtype = std::nullopt; // nullopt: any dtype
  // One value per flag; nullopt: any value. Empty: the entry restricts no flag.
  std::vector<std::optional<std::int64_t>> flags = {};
  std::vector<std::string> lists = {}; // the text of each of KernelSpec::lists
  bool operator==(const SuiteEntry&) const = default;
};

struct KernelSpec {
  std::string name, summary;
  bool reads_as_format_1 = false; // whether the spec uses no feature of a later format
  std::vector<Dim> dims;
  std::vector<ListDim> lists; // in the order of their dims
  std::vector<DType> dtypes;
  std::vector<Flag> flags;
  std::vector<Derived> types;
  // The params of all implementations, each once. If there are several implementations, the first param
  // (kImplementation) chooses one of them. This param's labelled values are in the order of `implementations`.
  std::vector<Param> params;
  std::vector<Implementation> implementations; // at least one; the first is the default
  std::vector<Argument> arguments;             // the operator's: passed by the caller, or shared by all implementations
  Reference reference;
  std::optional<OwnLaunches> prepare; // runs first; computes the inputs with fill `prepared` from the other inputs
  std::vector<std::string> include;   // names of include roots: folders with headers of other projects
  Cost cost;
  ToleranceTable tolerances;
  std::map<std::string, ToleranceTable>
      tolerances_by_output; // output -> the table to use for it in place of `tolerances`
  std::map<std::string, std::vector<SuiteEntry>> suites;

  // The slots that the formulas above read, in this order: device limits (as in DeviceLimits), dims, dtype,
  // dtype_bytes, flags, params.
  Scope scope;
  int first_param_slot = 0;

  int find_argument(std::string_view name) const; // -1 if unknown
  int find_list(std::string_view name) const;     // -1 if unknown
  int list_of_dim(std::size_t dim) const;         // index of the list that this dim belongs to; -1: a plain dim
  // Returns the implementation that the configuration chooses; the default one if the configuration does not fit this
  // spec.
  const Implementation& implementation(const Config& config) const {
    return implementations[implementation_index(config)];
  }
  std::size_t implementation_index(const Config& config) const;
  // Whether the configuration calls vendor libraries. Applications launch it only if they allow library calls.
  bool calls_libraries(const Config& config) const { return !implementation(config).library_calls.empty(); }
  bool has_choice() const { return implementations.size() > 1; } // if true, params[0] chooses the implementation
};

inline constexpr const char* kImplementation = "implementation"; // the param that chooses the implementation

} // namespace warptune
