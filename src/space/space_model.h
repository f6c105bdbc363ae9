// SpaceModel: the input of SearchSpace::build: values per param, and rules over them. It is made from a KernelSpec or
// another tuner's file, and does not depend on a formula language.
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
  std::string what;                              // starts every message: "the space of axpy for n=4096 on NVIDIA H200"
  std::vector<std::vector<std::int64_t>> values; // per param, each once
  std::vector<std::vector<double>> coordinates;  // as in SearchSpace::coordinates; empty: the values themselves

  struct Constraint {
    std::string text, why;
    std::string implementation = {}; // the constraint's implementation; empty: the kernel has only one
  };
  double combinations = 0; // number of configurations without constraints; 0: the product of the numbers of values
  std::vector<Constraint> constraints; // messages never name a constraint without a text

  // A rule reads slots: the values in `fixed`, then the current value of each param.
  std::vector<std::int64_t> fixed;
  enum class Answer : std::uint8_t { unmet, met, failed }; // failed: the rule cannot be evaluated, so it is not met
  struct Rule {
    // Index of the constraint that contains this rule. A configuration is valid if it meets all rules.
    std::size_t constraint = 0;
    std::vector<int> params;     // the params that the rule reads, ascending; it must not depend on others
    std::int64_t operations = 1; // approximate number of operations of one evaluation
    std::function<Answer(const std::int64_t* slots)> ask;
    IntegerProgram quick; // used before `ask` if it is valid; its row is the last param
    std::function<std::string(const std::int64_t* slots)> explain; // the error message after `failed`
  };
  std::vector<Rule> rules;
};

// The number of configurations without constraints: the sum over the implementations of the product of their params'
// numbers of values.
double combinations(const KernelSpec& spec);

// Splits conjunctions into rules, so that each part is decided as soon as its params are known.
SpaceModel make_space_model(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device,
                            bool with_built = true);

} // namespace warptune
