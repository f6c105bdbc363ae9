#include "tuner/make_backend.h"

#include "core/device.h"
#include "core/text.h"
#include "cuda/cuda_backend.h"
#include "recording/recording.h"
#include "recording/replay_backend.h"

#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include <utility>

namespace warptune {
namespace {

using Made = Result<std::unique_ptr<Backend>>;

Made make_cuda(const std::string& argument, const std::string& cache_directory) {
  int ordinal = 0;
  const char* end = argument.data() + argument.size();
  const auto [stop, error] = std::from_chars(argument.data(), end, ordinal);
  if (!argument.empty() && (error != std::errc{} || stop != end || ordinal < 0))
    return fail(ErrorKind::bad_input, fmt::format("'cuda:{}' is not a device: write cuda:0, cuda:1, ...", argument));
  return make_cuda_backend(ordinal, cache_directory);
}

std::map<std::string, BackendFactory>& factories() {
  static std::map<std::string, BackendFactory> all{
      {"cuda", make_cuda},
      {std::string(kReplayBackend),
       [](const std::string& path, const std::string&) -> Made {
         return make_replay_backend(path.empty() ? recordings_directory() : std::filesystem::path(path));
       }},
  };
  return all;
}

// Tells a user without a GPU which recordings can be replayed.
std::string replay_hint() {
  const std::filesystem::path directory = recordings_directory();
  std::set<std::string> kernels;
  for (const RecordingEntry& entry : list_recordings(directory)) kernels.insert(entry.kernel);
  constexpr std::size_t kNamed = 3;
  const std::string of = kernels.empty()            ? ""
                         : kernels.size() <= kNamed ? fmt::format(" of {}", fmt::join(kernels, ", "))
                                                    : fmt::format(" of {} kernels", kernels.size());
  return fmt::format(
      "without a GPU, use --device recorded{0} (in a sweep: --devices recorded{0}) to replay recordings{1}",
      kernels.empty() ? ":PATH" : "", of);
}

// Opens the first CUDA device.
Made make_auto(const std::string& cache_directory) {
  auto backend = make_cuda_backend(0, cache_directory);
  if (backend) {
    auto device = (*backend)->device();
    if (device) return backend;
    backend = tl::make_unexpected(device.error());
  }
  return fail(ErrorKind::no_device, fmt::format("no CUDA device: {}; {}", backend.error().message, replay_hint()));
}

} // namespace

void register_backend(const std::string& word, BackendFactory factory) { factories()[word] = std::move(factory); }

Result<std::unique_ptr<Backend>> make_backend(const std::string& device, const std::string& cache_directory) {
  if (device.empty() || device == "auto") return make_auto(cache_directory);
  const std::size_t colon = device.find(':');
  const std::string word = device.substr(0, colon);
  const auto found = factories().find(word);
  if (found == factories().end())
    return fail(ErrorKind::bad_input, unknown_name(device, "a device", {"auto", "cuda:0", "recorded"},
                                                   "use auto, cuda:N, recorded or recorded:PATH"));
  return found->second(colon == std::string::npos ? "" : device.substr(colon + 1), cache_directory);
}

} // namespace warptune
