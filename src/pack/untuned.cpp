#include "pack/untuned.h"

#include "plan/compile_request.h"
#include "plan/program_key.h"
#include "predict/select.h"
#include "predict/transfer.h"
#include "spec/config.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

namespace warptune {
namespace {

// splitmix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014): gives the same numbers on
// every machine.
class Numbers {
 public:
  std::uint64_t below(std::uint64_t end) {
    std::uint64_t x = state_ += 0x9E3779B97F4A7C15U;
    x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
    return (x ^ (x >> 31U)) % end;
  }

 private:
  std::uint64_t state_ = 0;
};

struct Range {
  std::int64_t low = std::numeric_limits<std::int64_t>::max(), high = 0;
};

std::vector<Range> ranges_of(const KernelSpec& spec, const MeasuredVariant& variant) {
  constexpr std::int64_t kBeyond = 8; // times smaller and larger than the known shapes
  std::vector<Range> ranges(spec.dims.size());
  const auto cover = [&](const Shape& shape) {
    for (std::size_t d = 0; d < ranges.size(); ++d) {
      ranges[d].low = std::min(ranges[d].low, shape[d]);
      ranges[d].high = std::max(ranges[d].high, shape[d]);
    }
  };
  for (const MeasuredShape& shape : variant.shapes) cover(shape.problem.dims);
  for (const auto& [name, entries] : spec.suites)
    for (const SuiteEntry& entry : entries) cover(entry.shape);
  for (std::size_t d = 0; d < ranges.size(); ++d) {
    Range& range = ranges[d];
    const Dim& dim = spec.dims[d];
    range.low = std::max(dim.min, range.low / kBeyond);
    range.high = range.high > dim.max / kBeyond ? dim.max : range.high * kBeyond;
  }
  return ranges;
}

// A random size: powers of two and degrees of divisibility are evenly represented.
std::int64_t dim_of(const Range& range, Numbers& numbers) {
  const auto log2_of = [](std::int64_t value) {
    int log2 = 0;
    while (value >>= 1) ++log2;
    return log2;
  };
  const int least = log2_of(std::max<std::int64_t>(1, range.low));
  const int power =
      least + static_cast<int>(numbers.below(static_cast<std::uint64_t>(log2_of(range.high) - least + 1)));
  const std::int64_t base = std::int64_t{1} << power;
  const std::int64_t any = base + static_cast<std::int64_t>(numbers.below(static_cast<std::uint64_t>(base)));
  constexpr std::int64_t kMultiples[] = {256, 64, 16, 8};
  constexpr std::int64_t kOddMultiples[] = {4, 2, 1};
  const std::uint64_t kind = numbers.below(9);
  std::int64_t value = 0;
  if (kind < 4)
    value = std::max<std::int64_t>(1, any / kMultiples[kind]) * kMultiples[kind];
  else if (kind < 7)
    value = (any / kOddMultiples[kind - 4] | 1) * kOddMultiples[kind - 4];
  else if (kind == 7)
    value = base;
  else
    value = base + (numbers.below(2) == 0 ? -1 : 1);
  return std::clamp(value, range.low, range.high);
}

bool fits_memory(const LaunchPlan& plan, const DeviceInfo& device) {
  std::int64_t bytes = 0;
  for (const BufferPlan& buffer : plan.buffers) bytes += buffer.bytes();
  return device.memory_bytes <= 0 || bytes <= device.memory_bytes;
}

// The programs of one table. The sources are added only once per instance, because they are long and the same for all
// problems.
class Prober {
 public:
  Prober(const PackedKernel& kernel, const MeasuredVariant& variant, const std::vector<std::size_t>& configs)
      : kernel_(kernel), variant_(variant), configs_(configs), defaults_(variant.defaults()) {}

  void add(const Problem& problem) {
    Taken taken;
    for (const std::size_t c : configs_) {
      if (check_config(kernel_.spec, problem, variant_.device, variant_.configs[c])) continue;
      if (kernel_.spec.calls_libraries(variant_.configs[c])) continue; // applications may not allow library calls
      const auto plan = make_plan(kernel_.spec, problem, variant_.configs[c], variant_.device);
      if (!plan) continue;
      if (!fits_memory(*plan, variant_.device)) return;
      if (const auto program = program_of(c, problem, *plan)) taken.emplace_back(c, *program);
    }
    std::vector<std::size_t> served_by;
    for (const auto& [c, i] : taken) {
      ProbedProgram& program = table.programs[i];
      if (std::binary_search(defaults_.begin(), defaults_.end(), c)) program.is_default = true;
      if (std::find(served_by.begin(), served_by.end(), i) != served_by.end()) continue;
      ++program.serves;
      served_by.push_back(i);
    }
    table.probes.push_back(problem);
    table.served_by.push_back(std::move(served_by));
    table.chosen.emplace_back();
    taken_.push_back(std::move(taken));
  }

  // Call after adding all probes. A program that has the shape compiled in cannot ship for other shapes, so the next
  // best shared one is counted as wanted.
  void choose(const Choose& choose) {
    for (std::size_t p = 0; p < table.probes.size(); ++p) {
      const auto program_at = [&](const Config& config) -> std::optional<std::size_t> {
        for (const auto& [c, i] : taken_[p])
          if (variant_.configs[c] == config) return i;
        return std::nullopt;
      };
      const auto is_shared = [&](const Config& config) {
        const auto program = program_at(config);
        return program && table.programs[*program].serves > 1;
      };
      const auto first = choose(table.probes[p], [](const Config&) { return true; });
      if (first) table.chosen[p] = program_at(*first);
      const auto wanted = first && is_shared(*first) ? first : choose(table.probes[p], is_shared);
      if (wanted && is_shared(*wanted)) ++table.programs[*program_at(*wanted)].wanted;
    }
  }

  ProbeTable table;

 private:
  using Taken = std::vector<std::pair<std::size_t, std::size_t>>; // configuration, program

  std::optional<std::size_t> program_of(std::size_t c, const Problem& problem, const LaunchPlan& plan) {
    const Config& config = variant_.configs[c];
    const auto instance = instance_of(kernel_.spec, problem, config, variant_.device, plan);
    if (!instance) return std::nullopt;
    if (const auto found = known_.find(*instance); found != known_.end()) return found->second;
    const auto request = make_compile_request(kernel_.spec, kernel_.sources, problem, config, variant_.device, plan);
    if (!request) return std::nullopt;
    known_.emplace(*instance, table.programs.size());
    table.programs.push_back({program_key(*request), table.probes.size(), c});
    return table.programs.size() - 1;
  }

  const PackedKernel& kernel_;
  const MeasuredVariant& variant_;
  const std::vector<std::size_t>& configs_;
  const std::vector<std::size_t> defaults_;
  std::vector<Taken> taken_; // one per probe
  std::map<ProgramInstance, std::size_t> known_;
};

} // namespace

std::vector<Problem> make_probes(const KernelSpec& spec, const MeasuredVariant& variant) {
  constexpr int kProbes = 2048;
  const Problem& tuned = variant.shapes.front().problem;
  const std::vector<Range> ranges = ranges_of(spec, variant);
  const bool has_defaults =
      std::any_of(spec.dims.begin(), spec.dims.end(), [](const Dim& dim) { return dim.standard.has_value(); });
  Numbers numbers;
  std::vector<Problem> probes;
  for (int i = 0; i < kProbes; ++i) {
    Shape dims;
    const bool keeps_defaults = has_defaults && numbers.below(4) != 0;
    for (std::size_t d = 0; d < ranges.size(); ++d)
      dims.push_back(keeps_defaults && spec.dims[d].standard ? *spec.dims[d].standard : dim_of(ranges[d], numbers));
    make_lists_exist(spec, dims);
    if (auto problem = make_problem(spec, std::move(dims), tuned.dtype, tuned.flags))
      probes.push_back(std::move(*problem));
  }
  return probes;
}

ProbeTable probe_programs(const PackedKernel& kernel, const MeasuredVariant& variant,
                          const std::vector<std::size_t>& configs, const std::vector<Problem>& probes,
                          const Choose& choose) {
  Prober prober(kernel, variant, configs);
  for (const Problem& problem : probes) prober.add(problem);
  if (choose) prober.choose(choose);
  return std::move(prober.table);
}

Choose library_choice(const PackedKernel& kernel, const MeasuredVariant& variant,
                      const std::vector<std::size_t>& configs,
                      const std::vector<std::pair<std::size_t, std::size_t>>& picks, const std::string& rule) {
  TimingMatrix matrix{variant.device.name, variant.device.arch, {}, {}, {}};
  std::set<Config> packed;
  for (const std::size_t c : configs) {
    matrix.configs.push_back(variant.configs[c]);
    packed.insert(variant.configs[c]);
  }
  std::vector<TunedEntry> entries;
  for (const auto& [s, config] : picks) {
    const MeasuredShape& shape = variant.shapes[s];
    TunedEntry& entry = entries.emplace_back();
    entry.problem = shape.problem;
    entry.config = variant.configs[config];
    entry.device_name = variant.device.name;
    entry.arch = variant.device.arch;
    matrix.problems.push_back(shape.problem);
    for (const std::size_t c : configs) matrix.us.push_back(shape.cells[c].us);
  }
  std::optional<TransferRule> parsed;
  if (auto read = parse_transfer(rule)) parsed = std::move(*read);
  std::vector<TimingMatrix> matrices;
  matrices.push_back(without_library_calls(kernel.spec, std::move(matrix)));
  std::vector<std::optional<TransferRule>> rules;
  rules.push_back(std::move(parsed));
  const auto learned = std::make_shared<const LearnedTransfers>(kernel.spec, std::move(matrices), std::move(rules));
  return [&kernel, &variant, entries = std::move(entries), learned,
          packed = std::move(packed)](const Problem& problem, const Allowed& allowed) -> std::optional<Config> {
    SelectOptions options;
    options.learned = learned.get();
    options.others = &packed;
    options.refuse = [&](const Config& config) -> std::optional<std::string> {
      if (kernel.spec.calls_libraries(config)) return "it calls a library";
      if (allowed(config)) return std::nullopt;
      return "its cubin serves only this shape";
    };
    auto selection = select(kernel.spec, entries, problem, variant.device, options);
    if (!selection) return std::nullopt;
    return std::move(selection->config);
  };
}

std::vector<std::size_t> pick_programs(const ProbeTable& table, std::size_t limit, const HasProgram& has) {
  std::vector<std::size_t> picked;
  for (std::size_t i = 0; i < table.programs.size(); ++i) {
    const ProbedProgram& program = table.programs[i];
    if ((program.is_default ? program.serves : program.wanted) > 1 && !has(program.key)) picked.push_back(i);
  }
  const auto is_before = [&](std::size_t a, std::size_t b) {
    const ProbedProgram &x = table.programs[a], &y = table.programs[b];
    if (x.is_default != y.is_default) return x.is_default;
    if (!x.is_default && x.wanted != y.wanted) return x.wanted > y.wanted;
    return std::tie(y.serves, x.key) < std::tie(x.serves, y.key);
  };
  std::sort(picked.begin(), picked.end(), is_before);
  if (picked.size() > limit) picked.resize(limit);
  return picked;
}

UntunedShare share_of(const ProbeTable& table, const HasProgram& has) {
  std::vector<bool> is_there;
  for (const ProbedProgram& program : table.programs) is_there.push_back(has(program.key));
  UntunedShare share{table.probes.size(), 0, 0};
  for (std::size_t p = 0; p < table.probes.size(); ++p) {
    const std::vector<std::size_t>& programs = table.served_by[p];
    if (std::any_of(programs.begin(), programs.end(), [&](std::size_t i) { return is_there[i]; })) ++share.served;
    if (table.chosen[p] && is_there[*table.chosen[p]]) ++share.as_chosen;
  }
  return share;
}

} // namespace warptune
