#include "cli/device_choice.h"

#include "cli/spellings.h"
#include "core/device.h"
#include "core/device_table.h"
#include "core/text.h"
#include "gpu/devices.h"
#include "recording/recording.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <fmt/format.h>
#include <vector>

namespace warptune::cli {
namespace {

// The stored devices, one per name: recorded and measured rows of a GPU have the same limits.
Result<std::vector<DeviceInfo>> stored_devices(const Reader* reader) {
  std::vector<DeviceInfo> distinct;
  if (reader == nullptr) return distinct;
  WT_TRY(auto devices, reader->devices());
  for (DeviceInfo& device : devices) {
    const bool seen =
        std::any_of(distinct.begin(), distinct.end(), [&](const DeviceInfo& d) { return d.name == device.name; });
    if (!seen) distinct.push_back(std::move(device));
  }
  return distinct;
}

// Those of the devices that have results of the kernel. All of them if none has.
Result<std::vector<DeviceInfo>> devices_with_results(const Reader& reader, const std::string& kernel,
                                                     std::vector<DeviceInfo> devices) {
  if (kernel.empty()) return devices;
  WT_TRY(const auto rows, reader.best(kernel));
  const auto has_none = [&](const DeviceInfo& device) {
    return std::none_of(rows.begin(), rows.end(),
                        [&](const BestRecord& row) { return row.device_name == device.name; });
  };
  if (!std::all_of(devices.begin(), devices.end(), has_none)) std::erase_if(devices, has_none);
  return devices;
}

// "H200" is in "NVIDIA H200", "H20" is not.
bool has_words(const std::string& text, const std::string& words) {
  const auto ends_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; };
  for (const char* at = text.c_str(); !words.empty() && (at = ::strcasestr(at, words.c_str())) != nullptr; ++at)
    if ((at == text.c_str() || ends_word(at[-1])) && (at[words.size()] == 0 || ends_word(at[words.size()])))
      return true;
  return false;
}

Result<DeviceInfo> device_by_name(const std::string& name, const std::vector<DeviceInfo>& stored) {
  std::vector<const DeviceInfo*> similar;
  for (const DeviceInfo& device : stored) {
    if (::strcasecmp(device.name.c_str(), name.c_str()) == 0) return device;
    if (has_words(device.name, name)) similar.push_back(&device);
  }
  if (similar.size() == 1) return *similar.front();
  if (similar.size() > 1) {
    std::vector<std::string> names;
    for (const DeviceInfo* device : similar) names.push_back(quote(device->name));
    return fail(ErrorKind::bad_input, fmt::format("--device {} matches {}; write one of these names in full",
                                                  quote(name), join_choices(names)));
  }
  const std::string nearest = nearest_name(name, {"auto", "recorded"});
  if (stored.empty())
    return fail(ErrorKind::no_device,
                with_advice(fmt::format("no device {}: the database has no devices yet{}", quote(name),
                                        nearest.empty() ? nearest : "; did you mean '" + nearest + "'?"),
                            "use auto, cuda:N, recorded, recorded:PATH or --arch sm_NN"));
  std::vector<std::string> known = names_of(stored);
  if (!nearest.empty()) known.push_back(nearest);
  return fail(ErrorKind::no_device,
              with_advice("no device " + quote(name) + " in the database" + suggest_name(name, known),
                          "--device also takes auto, cuda:N, recorded and recorded:PATH, and --arch sm_NN needs no "
                          "device"));
}

bool names_cuda(const std::string& device) {
  return device.rfind("cuda", 0) == 0 && (device.size() == 4 || device[4] == ':');
}

} // namespace

std::filesystem::path recordings_of(const std::string& device) {
  const std::size_t colon = device.find(':');
  return colon == std::string::npos || colon + 1 == device.size() ? recordings_directory()
                                                                  : std::filesystem::path(device.substr(colon + 1));
}

Result<DeviceInfo> device_of_recording(const std::string& device, const ProblemName& problem) {
  const std::filesystem::path path = recordings_of(device);
  if (!problem.kernel.empty())
    if (auto exact = find_recording(path, problem.kernel, problem.problem)) return std::move(exact->device);
  const auto entries = list_recordings(path);
  std::error_code none;
  if (entries.empty() && std::filesystem::is_directory(path, none))
    return fail(
        ErrorKind::bad_input,
        fmt::format("there are no recordings in {}; `warptune record` writes recordings on a machine with a GPU",
                    path.string()));
  const auto same_kernel = std::find_if(entries.begin(), entries.end(),
                                        [&](const RecordingEntry& entry) { return entry.kernel == problem.kernel; });
  const auto chosen = same_kernel == entries.end() ? entries.begin() : same_kernel;
  WT_TRY(auto recording, load_recording(entries.empty() ? path : chosen->file));
  return recording.device;
}

Result<DeviceInfo> find_cuda_device(const std::string& device, std::string_view instead) {
  const auto not_a_device = [&] {
    return fail(ErrorKind::bad_input,
                unknown_name(shown_device(device), "a device",
                             instead == kReplayInstead ? std::vector<std::string>{"auto", "recorded"}
                                                       : std::vector<std::string>{"auto"},
                             "use auto or cuda:N"));
  };
  if (names_stored_device(device)) return not_a_device();
  auto devices = list_cuda_devices();
  if (!devices) return fail(devices.error().kind, devices.error().message + std::string(instead));
  if (device.empty() || device == "auto" || device == "cuda") return devices->front();
  std::int64_t ordinal = -1;
  if (device.rfind("cuda:", 0) != 0 ||
      parse_integer(std::string_view(device).substr(5), ordinal) != IntegerError::none || ordinal < 0)
    return not_a_device();
  if (static_cast<std::size_t>(ordinal) >= devices->size())
    return fail(ErrorKind::no_device,
                fmt::format("no device {}: this machine has cuda:0 to cuda:{}; `warptune doctor` lists them", device,
                            devices->size() - 1));
  return (*devices)[static_cast<std::size_t>(ordinal)];
}

bool has_several_devices(const Reader& reader) {
  const auto stored = stored_devices(&reader);
  return stored && stored->size() > 1;
}

bool names_stored_device(const std::string& device) {
  return !device.empty() && device != "auto" && device != "default" && !names_cuda(device) &&
         !is_recorded_device(device);
}

Result<ChosenDevice> choose_device(const std::string& device, const std::string& arch, const Reader* reader,
                                   const ProblemName& problem) {
  if (!arch.empty()) {
    if (!device.empty())
      return fail(ErrorKind::bad_input, "--device and --arch exclude each other; give only one of them");
    if (auto known = device_of_arch_or_gpu(arch)) return ChosenDevice{std::move(*known), kFromTable};
    return fail(ErrorKind::bad_input,
                fmt::format("unknown architecture or GPU {}; use {}, or the name of a GPU such as h100", quote(arch),
                            join_choices(known_archs())));
  }
  WT_TRY(auto stored, stored_devices(reader));
  if (names_cuda(device)) {
    WT_TRY(auto found, find_cuda_device(device, kReplayInstead));
    return ChosenDevice{std::move(found), {}};
  }
  if (is_recorded_device(device)) {
    WT_TRY(auto found, device_of_recording(device, problem));
    return ChosenDevice{std::move(found), "the recording"};
  }
  if (names_stored_device(device)) {
    WT_TRY(auto found, device_by_name(device, stored));
    return ChosenDevice{std::move(found), "the database"};
  }
  if (auto gpus = list_cuda_devices(); gpus && !gpus->empty())
    return ChosenDevice{gpus->front(), "the first GPU of this machine"};
  if (stored.size() == 1) return ChosenDevice{stored.front(), "no GPU here; the only device in the database"};
  if (stored.size() > 1) {
    WT_TRY(auto measured, devices_with_results(*reader, problem.kernel, stored));
    if (measured.size() == 1)
      return ChosenDevice{
          std::move(measured.front()),
          fmt::format("no GPU here; the only device in the database with results of {}", problem.kernel)};
    return fail(ErrorKind::bad_input, fmt::format("this machine has no GPU, and the database has results of {} "
                                                  "devices; choose one with --device \"NAME\": {}",
                                                  measured.size(), join_choices(names_of(measured))));
  }
  return ChosenDevice{h200_device(), "no GPU here; the limits of an H200"};
}

} // namespace warptune::cli
