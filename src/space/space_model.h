// SpaceModel: the input of SearchSpace::build. It has the values of each param, and rules over these values. It is made
// from a KernelSpec or from another tuner's file, and does not depend on a formula language.
#pragma once

#include "core/device.h"
#include "core/integer_program.h"
#include "spec/problem.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace warptune {

struct SpaceModel {
  std::string what;                              // begins every message: "the space of axpy for n=4096 on NVIDIA H200"
  std::vector<std::vector<std::int64_t>> values; // for each param, its distinct values
  std::vector<std::vector<double>> coordinates;  // as in SearchSpace::coordinates; empty: the values themselves

  struct Constraint {
    std::string text, why;
    std::string implementation = {}; // the constraint's implementation; empty: the kernel has only one
    std::string where = {};          // the formulas of its derived names: "where few is 'min(m, n)'"; may be empty
  };
  double combinations = 0; // number of configurations without constraints; 0: the product of the value counts
  std::vector<Constraint> constraints; // a constraint without a text is never named in messages

  // A rule reads slots: the values in `fixed`, then the current value of each param.
  std::vector<std::int64_t> fixed;
  enum class Answer : std::uint8_t { unmet, met, failed }; // failed: the rule cannot be evaluated, so it is not met
  struct Rule {
    // Index of the constraint that this rule is a part of. A configuration is valid if it meets all rules.
    std::size_t constraint = 0;
    std::vector<int> params;     // the params that the rule reads, ascending; it must read no others
    std::int64_t operations = 1; // approximate number of operations per evaluation
    // Evaluates the rule.
    std::function<Answer(const std::int64_t* slots)> ask;
    IntegerProgram quick; // tried before `ask` if it is usable; its row_slot is the last param's slot
    std::function<std::string(const std::int64_t* slots)> explain; // gives the error message if `ask` returned `failed`
  };
  std::vector<Rule> rules;
};

// The number of configurations without constraints: for each implementation the product of its params' value counts,
// and then the sum over the implementations.
double combinations(const KernelSpec& spec);

// Splits `a && b` into two rules, so that each part can prune as soon as its own params are known.
SpaceModel make_space_model(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device,
                            bool with_built = true);

} // namespace warptune
