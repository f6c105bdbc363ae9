// The reference of an operator on a device that the host emulates, with given inputs, for tests that check that
// gradients are derivatives. Also the operator's default configuration, for inputs and numbers that no suite has.
#pragma once

#include "core/device_table.h"
#include "support/emulated_kernel.h"
#include "support/emulated_memory.h"
#include "support/shipped_store.h"
#include "support/temp_dir.h"

#include <random>

namespace warptune::test {

using Values = std::map<std::string, std::vector<double>>;

// Normally distributed numbers that fp32 holds exactly.
inline std::vector<double> draw_normal(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<double> values(count);
  for (double& value : values) value = static_cast<float>(std::normal_distribution(0.0, 1.0)(random));
  return values;
}

// The reference of an operator for one problem in fp32, or its default configuration.
class EmulatedReference {
 public:
  enum class Runs { reference, default_config };

  EmulatedReference(const std::string& name, const std::string& shape, const std::vector<std::string>& flags,
                    Runs runs = Runs::reference) {
    kernel_ = shipped_store().load(name).value();
    const Problem problem = make_problem(kernel_.spec, shape, "fp32", flags).value();
    if (runs == Runs::reference) {
      plan_ = make_reference_plan(kernel_.spec, problem, h200_device()).value();
      source_ = kernel_.spec.reference.source;
    } else {
      plan_ = make_plan(kernel_.spec, problem, default_config(kernel_.spec), h200_device()).value();
      source_ = kernel_.spec.implementations.front().source;
    }
    kernels_.add(source_, plan_);
    if (kernel_.spec.prepare) {
      prepare_ = make_prepare_plan(kernel_.spec, problem, h200_device()).value();
      kernels_.add(kernel_.spec.prepare->source, prepare_);
    }
    kernels_.build(kernel_, folder_.path());
  }

  // Passes these values instead of those in the description.
  void set(const std::map<std::string, double>& parameters) {
    for (ScalarPlan& scalar : plan_.scalars)
      if (scalar.is_parameter) scalar.number = parameters.at(scalar.name);
  }

  // Returns the prepared content of an input, which is used if a test gives none.
  std::vector<double> input(const std::string& name) {
    Memory memory;
    for (const BufferPlan& buffer : prepare_.buffers) memory.try_emplace(buffer.name, buffer.bytes());
    run_plan(kernels_, kernel_.spec.prepare->source, prepare_, memory);
    std::vector<double> values;
    for (const BufferPlan& buffer : prepare_.buffers)
      for (std::int64_t i = 0; i < buffer.count && buffer.name == name; ++i)
        values.push_back(number_at(memory.at(name).data(), buffer.dtype, i));
    return values;
  }

  // `inputs`: by name; a missing input gets its prepared content.
  Values results(const Values& inputs) {
    Memory memory;
    for (const LaunchPlan* plan : {&plan_, &prepare_})
      for (const BufferPlan& buffer : plan->buffers) memory.try_emplace(buffer.name, buffer.bytes());
    put_inputs(inputs, memory);
    if (!prepare_.launches.empty()) run_plan(kernels_, kernel_.spec.prepare->source, prepare_, memory);
    put_inputs(inputs, memory); // also replaces inputs that `prepare` would compute
    run_plan(kernels_, source_, plan_, memory);
    Values results;
    for (const BufferPlan& buffer : plan_.buffers) {
      if (buffer.role != Role::output && buffer.role != Role::inout) continue;
      for (std::int64_t i = 0; i < buffer.count; ++i)
        results[buffer.name].push_back(number_at(memory.at(buffer.name).data(), buffer.dtype, i));
    }
    return results;
  }

 private:
  void put_inputs(const Values& inputs, Memory& memory) const {
    for (const BufferPlan& buffer : plan_.buffers) {
      const auto given = inputs.find(buffer.name);
      if (given == inputs.end()) continue;
      for (std::size_t i = 0; i < given->second.size(); ++i) {
        const double value = given->second[i];
        put(memory.at(buffer.name).data(), buffer.dtype, static_cast<std::int64_t>(i),
            dtype_is_floating(buffer.dtype) ? encode_number(buffer.dtype, value)
                                            : encode_integer(buffer.dtype, static_cast<std::int64_t>(value)));
      }
    }
  }

  Kernel kernel_;
  LaunchPlan plan_, prepare_;
  std::string source_; // of plan_
  TempDir folder_;
  EmulatedKernels kernels_;
};

} // namespace warptune::test
