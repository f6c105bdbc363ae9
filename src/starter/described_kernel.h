// A kernel with all data that its spec.json needs, and the texts of its folder's files. Pure.
#pragma once

#include "starter/facts.h"
#include "starter/signature.h"

#include <cstdint>
#include <string>
#include <vector>

namespace warptune {

// A macro or a template parameter.
struct StarterChoice {
  enum class Kind {
    param,  // one of `values`
    fixed,  // always `initial`
    dim,    // the dim of the same name
    launch, // one of `values`; only formulas of launches read it
    dtype,  // the problem's element type
    type,   // always the dtype in `type`
  } kind = Kind::param;
  std::string name, meaning;
  std::vector<std::int64_t> values;
  std::int64_t initial = 0; // the default
  std::string type;
};

struct StarterArgument {
  std::string name;
  ParameterType type;
  bool is_problem_type = false; // whether its element type is the problem's dtype
  std::string role;             // for a buffer: "input", "output", "inout"
  std::string text;             // a formula: the elements of a buffer, or the value of a scalar
};

struct DescribedKernel {
  std::string name, kernel,
      file; // names of the operator, of the kernel in the source, and of the original source file
  std::vector<std::string> dtypes;
  std::vector<StarterChoice> macros, template_arguments; // template_arguments are in the kernel's order
  std::vector<StarterArgument> arguments;
  StarterFacts facts; // dims, grid, block, shared, constraints, tolerance
};

// Returns the template arguments and macros that become params, in search order.
std::vector<const StarterChoice*> params_of(const DescribedKernel& kernel);

std::string spec_text(const DescribedKernel& kernel);
// Returns the kernel's source with all params fixed to their defaults.
std::string reference_text(const DescribedKernel& kernel, const std::string& source);

} // namespace warptune
