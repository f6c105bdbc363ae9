// Measures the saving of the prescreen: compiles a sample of a kernel folder's space once with it and once without, in
// one process each, and prints the CPU seconds. `prescreen_saving FOLDER SHAPE COUNT`; COUNT 0: the whole space.
#include "cuda/cuda_backend.h"
#include "jit/template_store.h"
#include "space/space.h"
#include "spec/config.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <map>
#include <random>
#include <string>

namespace {

using namespace warptune;

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

std::vector<Config> sample(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device, int count) {
  const auto space = SearchSpace::build(spec, problem, device).value();
  std::mt19937 random(1);
  std::vector<Config> configs;
  for (ConfigIndex i = 0; i < space.size(); ++i) configs.push_back(space.config(i));
  std::shuffle(configs.begin(), configs.end(), random);
  if (count > 0 && static_cast<std::size_t>(count) < configs.size()) configs.resize(static_cast<std::size_t>(count));
  return configs;
}

// Counts by status. `forget`: a fresh backend for each configuration, without the results of earlier compiles.
std::map<TrialStatus, int> compile_all(const ProblemSetup& setup, const std::vector<Config>& configs, bool forget) {
  const auto cache = std::filesystem::temp_directory_path() / "warptune_prescreen_saving";
  std::filesystem::remove_all(cache);
  std::map<TrialStatus, int> statuses;
  auto backend = make_cuda_backend(0, cache.string()).value();
  const double begin = processor_seconds();
  if (!backend->set_kernel(setup)) return statuses;
  for (const Config& config : configs) {
    ProblemSetup other = setup;
    other.kernel.source_hash += std::to_string(forget ? static_cast<std::size_t>(&config - configs.data()) : 0);
    if (!backend->set_kernel(other)) break;
    const double before = processor_seconds();
    const Compiled compiled = backend->compile(config, h200_device(), 0);
    ++statuses[compiled.status];
    std::printf("  %6.2f s  %s  %s\n", processor_seconds() - before, std::string(status_name(compiled.status)).c_str(),
                config_text(setup.kernel.spec, config).c_str());
  }
  std::printf("%s: %.2f s\n", forget ? "without" : "with", processor_seconds() - begin);
  std::filesystem::remove_all(cache);
  return statuses;
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 4) return std::fputs("usage: prescreen_saving FOLDER SHAPE COUNT\n", stderr), 2;
  auto kernel = TemplateStore::standard().load(argv[1]);
  if (!kernel) return std::fprintf(stderr, "%s\n", kernel.error().message.c_str()), 2;
  auto problem = make_problem(kernel->spec, argv[2], "", {});
  if (!problem) return std::fprintf(stderr, "%s\n", problem.error().message.c_str()), 2;
  const ProblemSetup setup{*kernel, *problem, 0};
  const auto configs = sample(kernel->spec, *problem, h200_device(), std::atoi(argv[3]));
  const auto with = compile_all(setup, configs, false), without = compile_all(setup, configs, true);
  const bool same = with == without;
  std::puts(same ? "the same statuses" : "THE STATUSES DIFFER");
  return same ? 0 : 1;
}
