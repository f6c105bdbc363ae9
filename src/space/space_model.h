// SpaceModel: what a search space is made of, whoever describes it: values per param and rules over them. Stands
// between a description (a KernelSpec, a file of another tuner) and SearchSpace::build; knows no language of formulas.
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
  std::vector<std::vector<std::int64_t>> values; // per param, each once
  std::vector<std::vector<double>> coordinates;  // as SearchSpace::coordinates; empty: the values themselves

  struct Constraint {
    std::string text, why;
    std::string implementation = {}; // whose it is; empty: the only one's
  };
  double combinations = 0;             // without any constraint; 0: the product of the numbers of values
  std::vector<Constraint> constraints; // one without a text is never named as a reason

  // A rule sees slots: `fixed`, then the current value of each param.
  std::vector<std::int64_t> fixed;
  enum class Answer : std::uint8_t { unmet, met, failed }; // failed: cannot be evaluated, which is not met
  struct Rule {
    std::size_t constraint = 0;  // that it is, or is a part of; a configuration is valid that meets all rules
    std::vector<int> params;     // that it reads, ascending; the values of others must not matter
    std::int64_t operations = 1; // roughly, of one evaluation
    std::function<Answer(const std::int64_t* slots)> ask;
    IntegerProgram quick; // asked first where it is usable; its row is the last param
    std::function<std::string(const std::int64_t* slots)> explain; // why it failed
  };
  std::vector<Rule> rules;
};

// The sum over the implementations of the product of the numbers of values of its own params.
double combinations(const KernelSpec& spec);

// Conjunctions are split, so that each part is decided as soon as its params are known.
SpaceModel make_space_model(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device,
                            bool with_built = true);

} // namespace warptune
