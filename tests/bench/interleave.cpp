// Benchmark: times several configurations of one kernel in interleaved rounds on fresh data, with a cold L2. Shows how
// much the winners of repeated sweeps differ.
//   interleave KERNEL_FOLDER SHAPE DTYPE[;FLAG=VALUE,...] ROUNDS CONFIG...
// Prints one JSON object: the median of each configuration in microseconds, in the given order.
#include "core/statistics.h"
#include "core/text.h"
#include "cuda/cuda_backend.h"
#include "spec/config.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {
namespace {

constexpr double kCompileTimeout = 120;

Result<std::vector<double>> medians(std::span<const std::string> words) {
  auto kernel = TemplateStore::standard().load(words[0]); // finds the headers that shipped kernels share
  if (!kernel) return tl::make_unexpected(kernel.error());
  const std::vector<std::string_view> named = split(words[2], ';');
  std::vector<std::string> flags;
  if (named.size() > 1)
    for (const std::string_view flag : split(named[1], ',')) flags.emplace_back(flag);
  auto problem = make_problem(kernel->spec, words[1], std::string(named[0]), flags);
  if (!problem) return tl::make_unexpected(problem.error());
  int rounds = 0;
  std::from_chars(words[3].data(), words[3].data() + words[3].size(), rounds);
  if (rounds < 1) return fail(ErrorKind::bad_input, fmt::format("'{}' is not a number of rounds", words[3]));
  auto backend = make_cuda_backend(0, "");
  if (!backend) return tl::make_unexpected(backend.error());
  if (auto opened = (*backend)->open({*kernel, *problem, 0}); !opened) return tl::make_unexpected(opened.error());
  auto device = (*backend)->device();
  if (!device) return tl::make_unexpected(device.error());
  std::vector<Config> configs;
  std::vector<Compiled> compiled;
  for (const std::string& text : words.subspan(4)) {
    auto config = parse_config(kernel->spec, text);
    if (!config) return tl::make_unexpected(config.error());
    configs.push_back(std::move(*config));
    compiled.push_back((*backend)->compile(configs.back(), *device, kCompileTimeout));
  }
  std::vector<std::vector<float>> samples(configs.size());
  for (int i = 0; i < rounds; ++i) {
    auto round = (*backend)->round(configs, compiled, {}, true);
    if (!round) return tl::make_unexpected(round.error());
    for (const std::string& wrong : round->wrong)
      if (!wrong.empty()) return fail(ErrorKind::no_candidate, wrong);
    for (std::size_t k = 0; k < configs.size(); ++k)
      samples[(k + static_cast<std::size_t>(i)) % configs.size()].push_back(round->samples_us[k]);
    // Rotate, so that no configuration always runs at the same place.
    std::rotate(configs.begin(), configs.begin() + 1, configs.end());
    std::rotate(compiled.begin(), compiled.begin() + 1, compiled.end());
  }
  std::vector<double> result;
  result.reserve(samples.size());
  for (const std::vector<float>& each : samples) result.push_back(median(each));
  return result;
}

} // namespace
} // namespace warptune

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 5) {
    fmt::print(stderr, "usage: interleave KERNEL_FOLDER SHAPE DTYPE[;FLAG=VALUE,...] ROUNDS CONFIG...\n");
    return 2;
  }
  const auto medians = warptune::medians(words);
  if (!medians) {
    fmt::print(stderr, "{}\n", medians.error().message);
    return static_cast<int>(medians.error().kind);
  }
  fmt::print("{{\"median_us\": [{:.4f}]}}\n", fmt::join(*medians, ", "));
  return 0;
}
