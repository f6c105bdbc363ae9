// Every shipped kernel and every test kernel, found in its folder and not by name: the defaults of all implementations
// and sampled configurations compile without a GPU, and so does the reference. New folders are tested automatically.
#include "core/device_table.h"
#include "jit/compiler.h"
#include "jit/template_store.h"
#include "plan/plan.h"
#include "space/space.h"
#include "support/paths.h"
#include "support/quick_compile.h"
#include "support/request_of.h"
#include "support/shipped_store.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace warptune {
namespace {

constexpr int kSampled = 5;                 // besides the default
constexpr int kMaxStaticShared = 48 * 1024; // bytes that NVRTC before 13 allows; more must be dynamic

std::vector<std::int64_t> default_flags(const KernelSpec& spec) {
  std::vector<std::int64_t> flags;
  for (const Flag& flag : spec.flags) flags.push_back(flag.values.front());
  return flags;
}

using test::shipped_store;

// Configurations with the same source and options are instances of one program, so the front end reads the source once
// for all of them.
class Programs {
 public:
  void add(CompileRequest request, std::string what) {
    test::compile_quickly(request);
    CompileRequest program = request;
    program.name_expressions.clear();
    Program& of = programs_[compile_key(program)];
    of.names.insert(request.name_expressions.begin(), request.name_expressions.end());
    of.parts.emplace_back(std::move(request), std::move(what));
  }
  void expect_all_compile() {
    for (auto& [key, program] : programs_) {
      CompileRequest instances = program.parts.front().first;
      instances.name_expressions.assign(program.names.begin(), program.names.end());
      auto compiled = compile(instances, 0);
      ASSERT_TRUE(compiled) << compiled.error().message;
      if (*compiled) {
        for (const KernelResources& kernel : (*compiled)->resources)
          EXPECT_LE(kernel.static_shared_bytes, kMaxStaticShared) << program.parts.front().second;
        continue;
      }
      for (const auto& [request, what] : program.parts) { // to name the configurations that fail
        auto part = compile(request, 0);
        ASSERT_TRUE(part) << part.error().message;
        EXPECT_TRUE(*part) << what << "\n" << (*part).error().log;
      }
      EXPECT_TRUE(testing::Test::HasFailure()) << "each configuration compiles, but not all of them in one program:\n"
                                               << (*compiled).error().log;
    }
    programs_.clear();
  }

 private:
  struct Program {
    std::set<std::string> names;
    std::vector<std::pair<CompileRequest, std::string>> parts; // what each request was made from
  };
  std::map<std::string, Program> programs_; // by compile_key without names
};

void add_samples(const Kernel& kernel, const Problem& problem, int sampled, std::mt19937_64& random,
                 Programs& programs) {
  const DeviceInfo device = h200_device();
  auto reference = make_reference_plan(kernel.spec, problem, device);
  ASSERT_TRUE(reference) << reference.error().message;
  auto oracle = make_reference_request(kernel.spec, kernel.sources, problem, device, *reference);
  ASSERT_TRUE(oracle) << oracle.error().message;
  programs.add(*oracle, problem_key(kernel.spec, problem) + ": the reference");
  auto space = SearchSpace::build(kernel.spec, problem, device);
  ASSERT_TRUE(space) << space.error().message;
  std::vector<Config> configs;
  for (std::size_t i = 0; i < kernel.spec.implementations.size(); ++i)
    if (space->find(default_config(kernel.spec, i))) configs.push_back(default_config(kernel.spec, i));
  for (int i = 0; i < sampled || configs.empty(); ++i)
    configs.push_back(space->config(static_cast<ConfigIndex>(random() % static_cast<std::uint64_t>(space->size()))));
  for (const Config& config : configs) {
    if (kernel.spec.implementation(config).build) continue; // another compiler builds it
    auto request = test::request_of(kernel.spec, kernel.sources, problem, config, device);
    ASSERT_TRUE(request) << request.error().message;
    if (request->name_expressions.empty()) continue; // a library call
    programs.add(*request, problem_key(kernel.spec, problem) + ": " + config_text(kernel.spec, config));
  }
}

class TemplatesCompile : public testing::TestWithParam<std::string> {};

TEST_P(TemplatesCompile, defaultAndSampledConfigurations) {
  auto kernel = shipped_store().load(GetParam());
  ASSERT_TRUE(kernel) << kernel.error().message;
  const KernelSpec& spec = kernel->spec;
  std::mt19937_64 random(3);
  Programs programs;
  // The first shape in every dtype, with a few configurations of each; more would take minutes for a GEMM.
  const auto suite = spec.suites.find("default");
  ASSERT_NE(suite, spec.suites.end()) << "a template names its usual shapes";
  for (std::size_t i = 0; i < spec.dtypes.size(); ++i) {
    auto problem = make_problem(spec, suite->second.front().shape, spec.dtypes[i], default_flags(spec));
    ASSERT_TRUE(problem) << problem.error().message;
    add_samples(*kernel, *problem, i == 0 ? kSampled : 1, random, programs);
  }
  programs.expect_all_compile();
}

// Adds an entry for each value of a flag that no entry names, on the first usual shape, with the other flags' first
// values.
void add_unnamed_values(const KernelSpec& spec, std::vector<SuiteEntry>& entries) {
  const Shape shape = spec.suites.at("default").front().shape;
  for (std::size_t i = 0; i < spec.flags.size(); ++i)
    for (const std::int64_t value : spec.flags[i].values) {
      const auto names_it = [&](const SuiteEntry& entry) { return !entry.flags.empty() && entry.flags[i] == value; };
      if (value == spec.flags[i].values.front() || std::ranges::any_of(entries, names_it)) continue;
      entries.push_back({shape, {}, std::vector<std::optional<std::int64_t>>(spec.flags.size()), {}});
      entries.back().flags[i] = value;
    }
}

TEST_P(TemplatesCompile, withAllFlags) {
  auto kernel = shipped_store().load(GetParam());
  ASSERT_TRUE(kernel) << kernel.error().message;
  const KernelSpec& spec = kernel->spec;
  const auto suite = spec.suites.find("ragged");
  ASSERT_NE(suite, spec.suites.end()) << "a template names ragged shapes";
  std::mt19937_64 random(7);
  Programs programs;
  std::vector<SuiteEntry> entries = suite->second;
  add_unnamed_values(spec, entries);
  for (const SuiteEntry& entry : entries) {
    if (entry.flags.empty()) continue;
    std::vector<std::int64_t> flags = default_flags(spec);
    for (std::size_t i = 0; i < flags.size(); ++i) flags[i] = entry.flags[i].value_or(flags[i]);
    auto problem = make_problem(spec, entry.shape, entry.dtype.value_or(spec.dtypes.front()), flags);
    ASSERT_TRUE(problem) << problem.error().message;
    add_samples(*kernel, *problem, entry.dtype ? 1 : 0, random, programs);
  }
  programs.expect_all_compile();
}

// Some implementations of these kernels need Hopper's instructions, which their descriptions do not say, and some
// defaults are invalid on other GPUs.
constexpr std::string_view kPartlyForHopper[] = {"gemm", "reduce_sum", "softmax"};

// The configurations that a GPU of another generation launches untuned in each dtype, and the defaults of the other
// implementations that it can launch.
TEST_P(TemplatesCompile, defaultsForOtherArchitectures) {
  auto kernel = shipped_store().load(GetParam());
  ASSERT_TRUE(kernel) << kernel.error().message;
  const KernelSpec& spec = kernel->spec;
  const bool is_for_all = std::ranges::find(kPartlyForHopper, GetParam()) == std::end(kPartlyForHopper);
  const Shape& shape = spec.suites.at("default").front().shape;
  int compiled = 0;
  Programs programs;
  for (const char* arch : {"sm_80", "sm_89", "sm_100"}) {
    const DeviceInfo device = device_of_arch(arch).value();
    for (const DType dtype : spec.dtypes) {
      const Problem problem = make_problem(spec, shape, dtype, default_flags(spec)).value();
      SCOPED_TRACE(fmt::format("{} {}", arch, problem_key(spec, problem)));
      std::vector<Config> configs = {default_config(spec, problem, device)};
      for (std::size_t i = 0; i < spec.implementations.size() && is_for_all && dtype == spec.dtypes.front(); ++i)
        configs.push_back(default_config(spec, i));
      EXPECT_FALSE(is_for_all && check_config(spec, problem, device, configs.front())) << "no default is valid there";
      for (const Config& config : configs) {
        if (check_config(spec, problem, device, config)) continue; // invalid on this device
        auto request = test::request_of(spec, kernel->sources, problem, config, device);
        ASSERT_TRUE(request) << request.error().message;
        if (request->name_expressions.empty()) continue; // a library call
        programs.add(*request, fmt::format("{} {}: {}", arch, problem_key(spec, problem), config_text(spec, config)));
        ++compiled;
      }
    }
  }
  EXPECT_GE(compiled, 3) << "one for each architecture";
  programs.expect_all_compile();
}

INSTANTIATE_TEST_SUITE_P(Shipped, TemplatesCompile, testing::ValuesIn(shipped_store().names()),
                         [](const auto& shipped_name) { return shipped_name.param; });

void compile_folders(const std::filesystem::path& parent) {
  Programs programs;
  int compiled = 0;
  for (const auto& folder : std::filesystem::directory_iterator(parent)) {
    if (!std::filesystem::exists(folder.path() / "spec.json")) continue; // a single implementation, or not a kernel
    auto kernel = shipped_store().load(folder.path().string());
    ASSERT_TRUE(kernel) << kernel.error().message;
    const KernelSpec& spec = kernel->spec;
    std::mt19937_64 random(5);
    const auto problem =
        make_problem(spec, spec.suites.at("ragged").front().shape, spec.dtypes.front(), default_flags(spec));
    ASSERT_TRUE(problem) << problem.error().message;
    add_samples(*kernel, *problem, 1, random, programs);
    ++compiled;
  }
  EXPECT_GT(compiled, 0) << parent;
  programs.expect_all_compile();
}

TEST(TestKernels, compile) { compile_folders(test::data_dir() / "kernels"); }
TEST(ExampleKernels, compile) { compile_folders(test::share_dir() / "examples"); }

} // namespace
} // namespace warptune
