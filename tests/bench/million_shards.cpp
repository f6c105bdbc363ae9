// million_trials: the shard databases.
#include "bench/million_trials.h"
#include "core/random.h"
#include "core/sha256.h"
#include "db/writer.h"
#include "jit/builders.h"
#include "jit/template_store.h"
#include "predict/roofline.h"
#include "space/space.h"
#include "support/request_of.h"
#include "tuner/ledger.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <vector>

namespace warptune::bench {
namespace {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(mix(seed)) {}
  std::uint64_t next() { return mix(state_ += kSplitMixStep); }
  std::int64_t below(std::int64_t end) { return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(end)); }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

// Problems of one kernel; `share`: percent of all problems.
struct Family {
  Kernel kernel;
  int share;
  std::vector<std::string> dtypes;
  std::vector<std::string> flags;
  std::vector<std::vector<std::int64_t>> sizes; // per dim
};

std::vector<std::int64_t> sizes_from(std::int64_t least, std::int64_t most, int per_octave) {
  std::vector<std::int64_t> sizes;
  for (double size = static_cast<double>(least); size <= static_cast<double>(most) * 1.001;
       size *= std::exp2(1.0 / per_octave))
    sizes.push_back((static_cast<std::int64_t>(size) + 7) / 8 * 8);
  return sizes;
}

std::vector<Family> families() {
  const TemplateStore store = TemplateStore::standard();
  const auto of = [&](const char* name) { return must(store.load(name)); };
  const auto hidden = sizes_from(512, 16384, 4), vocabulary = sizes_from(1024, 131072, 4);
  const auto elements = sizes_from(65536, 268435456, 32);
  return {{of("gemm"), 40, {"bf16", "fp16"}, {"layout=nt"}, {sizes_from(8, 8192, 3), hidden, hidden}},
          {of("sgemm"), 15, {"fp32"}, {"layout=nn"}, {sizes_from(128, 8192, 3), hidden, hidden}},
          {of("softmax"), 20, {"bf16", "fp16", "fp32"}, {"log=0"}, {sizes_from(8, 32768, 4), vocabulary}},
          {of("transpose"), 10, {"bf16", "fp32"}, {}, {vocabulary, sizes_from(64, 16384, 4)}},
          {of("reduce_sum"), 8, {"fp32", "bf16", "fp16"}, {}, {elements}},
          {of("axpy"), 7, {"fp32", "bf16", "fp16"}, {}, {elements}}};
}

Problem random_problem(const Family& family, Random& random) {
  const KernelSpec& spec = family.kernel.spec;
  std::string shape;
  for (std::size_t i = 0; i < family.sizes.size(); ++i)
    shape += fmt::format(
        "{}{}={}", i == 0 ? "" : ",", spec.dims[i].name,
        family.sizes[i][static_cast<std::size_t>(random.below(static_cast<std::int64_t>(family.sizes[i].size())))]);
  const auto dtype = static_cast<std::size_t>(random.below(static_cast<std::int64_t>(family.dtypes.size())));
  return must(make_problem(spec, shape, family.dtypes[dtype], family.flags));
}

// The stand-in for the driver has the same name, so the library finds results for its device.
DeviceInfo gpu(std::int64_t shard) {
  DeviceInfo device = h200_device();
  device.backend = "cuda";
  device.name = "Fake H200";
  device.uuid = fmt::format("GPU-{:08x}-0000-4000-8000-000000000000", shard);
  device.driver = "580.159.04";
  device.compiler = "NVRTC 13.0";
  return device;
}

// The factor over the roofline's time: the same for one configuration of neighbouring shapes.
double slowdown(const SearchSpace& space, const Config& config, const Problem& problem) {
  double log_size = 0;
  for (const std::int64_t dim : problem.dims) log_size += std::log2(static_cast<double>(dim + 1));
  double loss = 0.05;
  for (std::size_t i = 0; i < config.size(); ++i) {
    const auto& values = space.values()[i];
    if (values.size() < 2) continue;
    const auto at = std::find(values.begin(), values.end(), config[i]) - values.begin();
    const double place = static_cast<double>(at) / static_cast<double>(values.size() - 1);
    const double best = 0.5 + 0.5 * std::sin(static_cast<double>(i) + log_size / 6);
    loss += 0.35 * (place - best) * (place - best);
  }
  return std::exp(loss);
}

class Shard {
 public:
  Shard(const std::filesystem::path& file, std::int64_t number)
      : writer_(must(Writer::open(file))), device_(gpu(number)), random_(static_cast<std::uint64_t>(number) + 7) {
    must(writer_.put_device(device_));
    must(writer_.put_roofs(device_, device_.roofs));
  }

  void add(const Family& family, const Problem& problem, std::int64_t trials) {
    const Kernel& kernel = family.kernel;
    must(writer_.put_kernel({0, kernel.spec.name, kernel.source_hash, kernel.sources.files}));
    const SearchSpace space = must(SearchSpace::build(kernel.spec, problem, device_));
    const RowId session = must(writer_.begin_session(identity(kernel, problem), space.size(), "0.1.0"));
    const CostEstimate cost = must(estimate_cost(kernel.spec, problem, device_));
    const double floor_us = roofline_point(cost, device_.roofs, 1).floor_us + 2;
    std::vector<std::pair<double, Config>> correct;
    const Config standard = default_config(kernel.spec, problem, device_);
    double default_us = 0;
    std::set<ConfigIndex> seen;
    for (std::int64_t i = 0; i < std::min(trials, space.size()); ++i) {
      ConfigIndex index = i == 0 ? space.find(standard).value_or(0) : random_.below(space.size());
      while (!seen.insert(index).second) index = (index + 1) % space.size();
      const Config config = space.config(index);
      const double us = floor_us * slowdown(space, config, problem) * (1 + 0.01 * random_.uniform());
      const Trial trial = measured(kernel.spec, config, index, us);
      must(writer_.record(session, config_text(kernel.spec, config), trial));
      if (trial.status != TrialStatus::ok) continue;
      correct.emplace_back(us, config);
      if (config == standard) default_us = us;
    }
    std::sort(correct.begin(), correct.end());
    if (!correct.empty()) put_best(kernel, problem, session, correct, default_us, floor_us);
    must(writer_.end_session(session, SessionState::finished));
  }

 private:
  SessionIdentity identity(const Kernel& kernel, const Problem& problem) const {
    SessionOptions options;
    options.strategy = "surrogate";
    options.budget = must(parse_budget("100"));
    return make_identity(kernel, problem, device_, options);
  }

  Trial measured(const KernelSpec& spec, const Config& config, ConfigIndex index, double us) {
    Trial trial;
    trial.config = config;
    trial.index = index;
    trial.compile_ms = 400 + 600 * random_.uniform();
    trial.cubin_hash = sha256_hex(spec.name + config_text(spec, config));
    trial.resources = {static_cast<int>(32 + random_.below(224)), 0, static_cast<int>(random_.below(48) << 10), 0.5};
    if (const std::int64_t luck = random_.below(100); luck < 3) {
      trial.status = luck == 0 ? TrialStatus::launch_failed : TrialStatus::compile_failed;
      trial.evidence = std::string(static_cast<std::size_t>(100 + 300 * luck), 'e') + std::to_string(random_.below(40));
      return trial;
    }
    trial.status = TrialStatus::ok;
    trial.verify_ms = 2 + us / 1000;
    trial.verdict = Verdict{true, 1e-3, 1e-3, 0.1, 0, -1, "y", {}};
    Timing timing{us, us * 0.995, us * 1.005, us * 0.98, 0.004, {}, true, random_.below(3) == 0, 1980, 45, 420, 1965};
    timing.samples_us.resize(timing.complete ? 30 : 6);
    for (float& sample : timing.samples_us) sample = static_cast<float>(us * (0.99 + 0.02 * random_.uniform()));
    trial.measure_ms = us * static_cast<double>(timing.samples_us.size()) / 500;
    trial.timing = std::move(timing);
    return trial;
  }

  void put_best(const Kernel& kernel, const Problem& problem, RowId session,
                const std::vector<std::pair<double, Config>>& correct, double default_us, double floor_us) {
    const KernelSpec& spec = kernel.spec;
    const auto& [us, config] = correct.front();
    BestRecord best;
    best.session = session;
    best.config = config_text(spec, config);
    best.default_config = default_us > 0 ? config_text(spec, default_config(spec, problem, device_)) : "";
    best.median_us = us;
    best.ci_low_us = us * 0.998;
    best.ci_high_us = us * 1.002;
    best.default_us = default_us;
    best.roofline_share = floor_us / us;
    best.bound = "DRAM";
    best.certified = default_us > us;
    best.p_value = 1e-4;
    best.outcome = "faster than the default";
    best.checks = "verified with 3 seeds and 2 ragged shapes";
    for (std::size_t i = 0; i < correct.size() && correct[i].first < us * 1.01; ++i)
      best.tie_set.push_back(config_text(spec, correct[i].second));
    for (int round = 0; round < 15; ++round) best.rounds.push_back({us, default_us, 0, {1980, 45, 420, 0}});
    best.cubin_hash = put_cubin(kernel, problem, config);
    must(writer_.put_best(best));
  }

  // The cubin's key; empty if the configuration launches no cubin.
  std::string put_cubin(const Kernel& kernel, const Problem& problem, const Config& config) {
    if (!kernel.spec.implementation(config).library_calls.empty()) return {};
    const CompileRequest request = must(test::request_of(kernel.spec, kernel.sources, problem, config, device_));
    if (request.build) return {};
    CubinRecord cubin{session_key(request, device_.compiler), device_.arch, {}, request.name_expressions};
    if (stored_.insert(cubin.hash).second) {
      Random bytes(std::hash<std::string>()(cubin.hash));
      cubin.image.resize(24 << 10);
      for (char& byte : cubin.image) byte = static_cast<char>(bytes.next());
      cubin.image.replace(0, 4, "fake"); // otherwise the stand-in for the driver refuses it
      must(writer_.put_cubin(cubin));
    }
    return cubin.hash;
  }

  Writer writer_;
  DeviceInfo device_;
  Random random_;
  std::set<std::string> stored_;
};

} // namespace

void make_shards(const std::filesystem::path& folder, const MillionSizes& sizes) {
  std::filesystem::create_directories(folder);
  const std::vector<Family> all = families();
  std::vector<std::pair<const Family*, Problem>> problems;
  Random random(1);
  for (const Family& family : all) {
    std::set<std::string> keys;
    const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(1, sizes.problems * family.share / 100));
    for (int draws = 0; keys.size() < wanted && draws < 1'000'000; ++draws) {
      Problem problem = random_problem(family, random);
      if (keys.insert(problem_key(family.kernel.spec, problem)).second)
        problems.emplace_back(&family, std::move(problem));
    }
  }
  for (std::size_t i = problems.size(); i > 1; --i)
    std::swap(problems[i - 1], problems[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(i)))]);
  std::optional<Shard> shard;
  for (std::int64_t number = 0; number < sizes.shards; ++number) {
    shard.emplace(folder / fmt::format("shard-{:03}.db", number), number);
    for (std::size_t i = static_cast<std::size_t>(number); i < problems.size();
         i += static_cast<std::size_t>(sizes.shards))
      shard->add(*problems[i].first, problems[i].second, sizes.trials);
    std::printf("\rshard %lld of %lld", static_cast<long long>(number + 1), static_cast<long long>(sizes.shards));
    std::fflush(stdout);
  }
  std::printf("\n%zu problems\n", problems.size());
}

} // namespace warptune::bench
