// Every shipped kernel, found in the store and not by name: the default of each implementation and some other
// configurations give right results on the ragged shapes, in every dtype. New folders are tested automatically.
#include "gpu/fixture.h"
#include "jit/build.h"
#include "space/space.h"
#include "support/request_of.h"
#include "support/shipped_store.h"

#include <atomic>
#include <random>
#include <thread>

namespace warptune::test {
namespace {

constexpr int kSampled = 4;

class Templates : public testing::TestWithParam<std::string> {};

std::vector<Config> some_configs(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device) {
  std::vector<Config> configs;
  for (std::size_t i = 0; i < spec.implementations.size(); ++i)
    if (!check_config(spec, problem, device, default_config(spec, i))) configs.push_back(default_config(spec, i));
  auto space = SearchSpace::build(spec, problem, device);
  if (!space) return configs;
  std::mt19937_64 random(7);
  for (int i = 0; i < kSampled; ++i)
    configs.push_back(space->config(static_cast<ConfigIndex>(random() % static_cast<std::uint64_t>(space->size()))));
  return configs;
}

std::vector<std::int64_t> default_flags(const KernelSpec& spec) {
  std::vector<std::int64_t> flags;
  for (const Flag& flag : spec.flags) flags.push_back(flag.values.front());
  return flags;
}

struct Case {
  Problem problem;
  std::vector<Config> configs;
};

// Every entry of the suite in each dtype that it does not exclude.
std::vector<Case> ragged_cases(const KernelSpec& spec, const std::vector<SuiteEntry>& entries,
                               const DeviceInfo& device) {
  std::vector<Case> cases;
  for (const DType dtype : spec.dtypes) {
    for (const SuiteEntry& entry : entries) {
      if (entry.dtype && *entry.dtype != dtype) continue;
      std::vector<std::int64_t> flags = default_flags(spec);
      for (std::size_t i = 0; i < entry.flags.size(); ++i) flags[i] = entry.flags[i].value_or(flags[i]);
      const Problem problem = make_problem(spec, entry.shape, dtype, flags, entry.lists).value();
      cases.push_back({problem, some_configs(spec, problem, device)});
    }
  }
  return cases;
}

// Compiles into the cache on all cores: one after another, those of a product take minutes.
void compile_all(const Kernel& kernel, const std::vector<Case>& cases, const DeviceInfo& device) {
  std::vector<CompileRequest> requests;
  for (const Case& c : cases)
    for (const Config& config : c.configs)
      if (auto request = request_of(kernel.spec, kernel.sources, c.problem, config, device); request)
        requests.push_back(std::move(*request));
  std::atomic<std::size_t> next = 0;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i)
    threads.emplace_back([&] {
      for (std::size_t k; (k = next++) < requests.size();) // an error here shows again below, with its message
        if (!requests[k].name_expressions.empty()) (void)make_program(gpu_test_cache(), requests[k], 120);
    });
  for (std::thread& thread : threads) thread.join();
}

TEST_P(Templates, areRightOnRaggedShapes) {
  WT_REQUIRE_GPU();
  auto kernel = shipped_store().load(GetParam());
  ASSERT_TRUE(kernel) << kernel.error().message;
  const KernelSpec& spec = kernel->spec;
  const auto suite = spec.suites.find("ragged");
  ASSERT_NE(suite, spec.suites.end()) << "a template names ragged shapes";
  auto backend = make_cuda_backend(0, gpu_test_cache().directory().string()).value();
  const DeviceInfo device = backend->device().value();
  const std::vector<Case> cases = ragged_cases(spec, suite->second, device);
  compile_all(*kernel, cases, device);
  int checked = 0;
  std::uint64_t seed = 11;
  for (const auto& [problem, configs] : cases) {
    SCOPED_TRACE(problem_key(spec, problem));
    ASSERT_TRUE(backend->set_kernel({*kernel, problem, 1}));
    for (const Config& config : configs) {
      auto verdict = backend->check(config, problem, ++seed);
      const bool is_call = !spec.implementation(config).library_calls.empty();
      if (!verdict && is_call && verdict.error().kind == ErrorKind::no_candidate) continue; // the library decides that
      ASSERT_TRUE(verdict) << config_text(spec, config) << ": " << verdict.error().message;
      EXPECT_TRUE(verdict->correct) << config_text(spec, config) << ": " << verdict->detail;
      ++checked;
    }
  }
  std::printf("%s: %d configurations checked\n", GetParam().c_str(), checked);
  EXPECT_GT(checked, 0);
}

INSTANTIATE_TEST_SUITE_P(Shipped, Templates, testing::ValuesIn(shipped_store().names()),
                         [](const auto& shipped_name) { return shipped_name.param; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Templates);

} // namespace
} // namespace warptune::test
