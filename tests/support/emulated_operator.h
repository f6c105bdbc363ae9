// An operator on a device that the host emulates: compares its configurations with its reference, on the problems of
// its suite `ragged` and others. Launches and arguments are those of the plan, as for a real launch.
#pragma once

#include "core/device_table.h"
#include "plan/list_fill.h"
#include "space/space.h"
#include "support/emulated_kernel.h"
#include "support/emulated_memory.h"
#include "support/shipped_store.h"
#include "support/temp_dir.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>

namespace warptune::test {

// Few multiprocessors, so that persistent blocks have several rows.
inline DeviceInfo small_h200(int sm_count = 3) {
  DeviceInfo device = h200_device();
  device.limits.sm_count = sm_count;
  return device;
}

// An operator, its test problems, and its kernels. All problems are added before build().
class EmulatedOperator {
 public:
  // Changes the content of an input before the launches.
  using Change = std::function<void(const BufferPlan& buffer, const Problem& problem, unsigned char* data)>;

  // `only`: names of the implementations to test; empty: all.
  explicit EmulatedOperator(const std::string& name, std::set<std::string> only = {}, DeviceInfo device = small_h200())
      : kernel_(shipped_store().load(name).value()), only_(std::move(only)), device_(std::move(device)) {}
  const KernelSpec& spec() const { return kernel_.spec; }

  // Flags that are not named have their first value.
  Problem problem_of(const Shape& shape, DType dtype, const std::vector<std::optional<std::int64_t>>& named,
                     const std::vector<std::string>& lists = {}) const {
    std::vector<std::int64_t> flags;
    for (std::size_t i = 0; i < kernel_.spec.flags.size(); ++i)
      flags.push_back(i < named.size() && named[i] ? *named[i] : kernel_.spec.flags[i].values.front());
    return make_problem(kernel_.spec, shape, dtype, flags, lists).value();
  }

  // Adds the problems of the suite `ragged` whose inputs and outputs have at most `max_elements` each. `also`: an
  // additional configuration for each problem, where it is valid.
  void add_ragged(std::int64_t max_elements = 40'000, const std::string& also = "") {
    int index = 0;
    for (const SuiteEntry& entry : kernel_.spec.suites.at("ragged")) {
      const std::size_t count = kernel_.spec.dtypes.size();
      const DType dtype = entry.dtype.value_or(kernel_.spec.dtypes[static_cast<std::size_t>(index) % count]);
      const Problem problem = problem_of(entry.shape, dtype, entry.flags, entry.lists);
      std::int64_t elements = 0;
      for (const BufferPlan& buffer : make_reference_plan(kernel_.spec, problem, device_).value().buffers)
        if (buffer.role != Role::workspace) elements = std::max(elements, buffer.count);
      if (elements > max_elements) continue;
      add(problem, index++);
      if (also.empty()) continue;
      const Config config = parse_config(kernel_.spec, also).value();
      if (!check_config(kernel_.spec, problem, device_, config)) add_config(cases_.back(), config);
    }
  }
  void build() { kernels_.build(kernel_, folder_.path()); }

  // Describes the first difference between a configuration and the reference; empty if all agree. Problems whose inputs
  // `change` leaves unchanged are not checked again.
  std::string check(const Change& change = {}) {
    for (const Case& tested : cases_) {
      const std::string what = problem_key(kernel_.spec, tested.problem);
      bool is_changed = !change;
      Memory inputs = filled(tested, change, is_changed);
      if (!is_changed) continue;
      Memory expected = with_buffers(tested.reference, inputs);
      run_plan(kernels_, kernel_.spec.reference.source, tested.reference, expected);
      for (const auto& [source, config, plan] : tested.configs) {
        Memory memory = with_buffers(plan, inputs);
        run_plan(kernels_, source, plan, memory);
        const std::string found = difference(tested, plan, inputs, memory, expected);
        if (!found.empty()) return what + "; " + config + ": " + found;
        ++checked;
      }
    }
    return "";
  }
  int checked = 0;
  bool compares_signs_of_zeros = false;

  // Adds one configuration of each implementation. Also adds the implementation's default for every second problem, or
  // for each problem if there is only one implementation.
  void add(const Problem& problem, int index, bool in_clusters = false) {
    Case made = case_of(problem);
    const std::size_t count = kernel_.spec.implementations.size();
    const SearchSpace space = SearchSpace::build(kernel_.spec, problem, device_).value();
    std::mt19937_64 random(static_cast<std::uint64_t>(index));
    for (std::size_t i = 0; i < 2 * count; ++i) {
      const std::size_t implementation = i % count;
      if (!only_.empty() && !only_.contains(kernel_.spec.implementations[implementation].name)) continue;
      std::optional<Config> config;
      if (i < count) {
        Config standard = default_config(kernel_.spec, implementation);
        if ((index % 2 == 0 || count == 1) && space.find(standard)) config = std::move(standard);
      } else {
        config = draw(space, implementation, in_clusters, random);
      }
      if (!config) continue; // invalid for this problem
      add_config(made, *config);
    }
    cases_.push_back(std::move(made));
  }

  // Adds the configurations with these texts.
  void add(const Problem& problem, const std::vector<std::string>& configs) {
    Case made = case_of(problem);
    for (const std::string& text : configs) {
      const Config config = parse_config(kernel_.spec, text).value();
      if (const auto invalid = check_config(kernel_.spec, problem, device_, config))
        throw std::runtime_error(text + ": " + *invalid);
      add_config(made, config);
    }
    cases_.push_back(std::move(made));
  }

 private:
  struct Planned {
    std::string source, config;
    LaunchPlan plan;
  };
  struct Case {
    Problem problem;
    LaunchPlan reference, prepare;
    std::vector<Planned> configs;
  };

  Case case_of(const Problem& problem) {
    Case made{problem, make_reference_plan(kernel_.spec, problem, device_).value(), {}, {}};
    kernels_.add(kernel_.spec.reference.source, made.reference);
    if (kernel_.spec.prepare) {
      made.prepare = make_prepare_plan(kernel_.spec, problem, device_).value();
      kernels_.add(kernel_.spec.prepare->source, made.prepare);
    }
    return made;
  }
  void add_config(Case& to, const Config& config) {
    const std::string& source = kernel_.spec.implementation(config).source;
    to.configs.push_back(
        {source, config_text(kernel_.spec, config), make_plan(kernel_.spec, to.problem, config, device_).value()});
    kernels_.add(source, to.configs.back().plan);
  }

  // Returns a configuration of an implementation. If `in_clusters` is set, prefers one that shares rows among blocks.
  std::optional<Config> draw(const SearchSpace& space, std::size_t implementation, bool in_clusters,
                             std::mt19937_64& random) const {
    for (int tries = 0; tries < 2000; ++tries) {
      Config config = space.config(static_cast<ConfigIndex>(random() % static_cast<std::uint64_t>(space.size())));
      if (&kernel_.spec.implementation(config) != &kernel_.spec.implementations[implementation]) continue;
      const bool is_alone = config_text(kernel_.spec, config).find("CLUSTER=1") != std::string::npos;
      if (!in_clusters || !is_alone || tries > 1500) return config;
    }
    return std::nullopt;
  }

  // Returns the inputs, with the results of `prepare`. `is_changed` becomes true if `change` changes a byte of them.
  Memory filled(const Case& tested, const Change& change, bool& is_changed) {
    Memory memory;
    std::mt19937_64 random(17);
    const auto changed = [&](const BufferPlan& buffer) {
      unsigned char* const data = memory.at(buffer.name).data();
      const std::vector<unsigned char> before(data, data + buffer.bytes());
      change(buffer, tested.problem, data);
      is_changed = is_changed || !std::equal(before.begin(), before.end(), data);
    };
    for (const BufferPlan& buffer : tested.configs.front().plan.buffers) {
      if (buffer.role != Role::input && buffer.role != Role::inout) continue;
      unsigned char* const data = memory.try_emplace(buffer.name, buffer.bytes()).first->second.data();
      std::vector<std::int64_t> slots = make_slots(kernel_.spec, tested.problem, device_.limits), values;
      slots.push_back(0);
      if (buffer.fill.kind == Fill::Kind::list || buffer.fill.kind == Fill::Kind::offsets)
        values = list_fill_values(kernel_.spec, tested.problem, buffer).value();
      for (std::int64_t i = 0; i < buffer.count && buffer.fill.kind != Fill::Kind::prepared; ++i) {
        slots.back() = i;
        put(data, buffer.dtype, i,
            values.empty() ? bits_of(buffer, slots, random)
                           : encode_integer(buffer.dtype, values[static_cast<std::size_t>(i)]));
      }
      if (change) changed(buffer);
    }
    if (tested.prepare.launches.empty()) return memory;
    for (const BufferPlan& buffer : tested.prepare.buffers) memory.try_emplace(buffer.name, buffer.bytes());
    run_plan(kernels_, kernel_.spec.prepare->source, tested.prepare, memory);
    for (const BufferPlan& buffer : tested.configs.front().plan.buffers)
      if (change && buffer.fill.kind == Fill::Kind::prepared) changed(buffer);
    return memory;
  }

  static std::uint64_t bits_of(const BufferPlan& buffer, const std::vector<std::int64_t>& slots,
                               std::mt19937_64& random) {
    const Fill& fill = buffer.fill;
    if (fill.kind == Fill::Kind::formula) return encode_integer(buffer.dtype, fill.formula.evaluate(slots).value());
    double value = fill.a;
    if (fill.kind == Fill::Kind::uniform) value = std::uniform_real_distribution(fill.a, fill.b)(random);
    if (fill.kind == Fill::Kind::normal) value = std::normal_distribution(fill.a, fill.b)(random);
    if (fill.kind == Fill::Kind::integers) value = std::round(std::uniform_real_distribution(fill.a, fill.b)(random));
    return dtype_is_floating(buffer.dtype) ? encode_number(buffer.dtype, value)
                                           : encode_integer(buffer.dtype, static_cast<std::int64_t>(value));
  }

  // Returns `inputs`, and poisoned memory for the other buffers.
  static Memory with_buffers(const LaunchPlan& plan, const Memory& inputs) {
    Memory memory;
    for (const BufferPlan& buffer : plan.buffers) {
      const auto input = inputs.find(buffer.name);
      if (input == inputs.end()) {
        memory.try_emplace(buffer.name, buffer.bytes(), buffer.zero ? 0 : 0xFF);
      } else {
        EmulatedBuffer& copy = memory.try_emplace(buffer.name, buffer.bytes()).first->second;
        std::memcpy(copy.data(), const_cast<EmulatedBuffer&>(input->second).data(),
                    static_cast<std::size_t>(buffer.bytes()));
      }
    }
    return memory;
  }

  std::string difference(const Case& tested, const LaunchPlan& plan, Memory& inputs, Memory& memory,
                         Memory& expected) const {
    for (const BufferPlan& buffer : plan.buffers) {
      EmulatedBuffer& own = memory.at(buffer.name);
      if (!own.is_guarded()) return "writes outside " + buffer.name;
      if (buffer.role == Role::input &&
          std::memcmp(own.data(), inputs.at(buffer.name).data(), static_cast<std::size_t>(buffer.bytes())) != 0)
        return "changes " + buffer.name;
      if (buffer.role != Role::output && buffer.role != Role::inout) continue;
      DType reference_dtype = buffer.dtype;
      for (const BufferPlan& of_reference : tested.reference.buffers)
        if (of_reference.name == buffer.name) reference_dtype = of_reference.dtype;
      const Tolerance tolerance = tolerance_of(kernel_.spec, tested.problem, buffer.name).value();
      const unsigned char* const wanted = expected.at(buffer.name).data();
      double squares = 0, finite = 0;
      for (std::int64_t i = 0; i < buffer.count; ++i) {
        const double value = number_at(wanted, reference_dtype, i);
        if (!std::isfinite(value)) continue;
        squares += value * value;
        ++finite;
      }
      const double rms = finite > 0 ? std::sqrt(squares / finite) : 0;
      const auto size = static_cast<std::size_t>(dtype_bytes(buffer.dtype));
      for (std::int64_t i = 0; i < buffer.count; ++i) {
        const double value = number_at(wanted, reference_dtype, i), own_value = number_at(own.data(), buffer.dtype, i);
        const std::vector<unsigned char> poison(size, 0xFF);
        // In 8-bit types, the poison 0xFF is also a number, but an unwritten element still differs from nearly all
        // expected values.
        const bool is_written = size == 1 || buffer.role == Role::inout ||
                                std::memcmp(own.data() + static_cast<std::size_t>(i) * size, poison.data(), size) != 0;
        if (buffer.rows.have_gaps() && i % buffer.rows.stride >= buffer.rows.length) {
          if (is_written) return fmt::format("writes {}[{}], which is between two rows", buffer.name, i);
          continue;
        }
        const bool is_same = std::isnan(value) ? std::isnan(own_value) : value == own_value;
        const bool is_other_zero =
            compares_signs_of_zeros && value == 0 && own_value == 0 && std::signbit(value) != std::signbit(own_value);
        const double allowed = tolerance.rtol * std::abs(value) + tolerance.atol + tolerance.rms * rms;
        if (!is_written || is_other_zero || (!is_same && !(std::abs(value - own_value) <= allowed)))
          return fmt::format("{}[{}] is {} and must be {} within {}", buffer.name, i,
                             is_written ? fmt::format("{}", own_value) : "not written", value, allowed);
      }
    }
    return "";
  }

  Kernel kernel_;
  std::set<std::string> only_;
  DeviceInfo device_;
  TempDir folder_;
  EmulatedKernels kernels_;
  std::vector<Case> cases_;
};

} // namespace warptune::test
