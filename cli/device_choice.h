// Chooses the device of a command: one that the options name, a GPU of this machine, or a device of the database.
#pragma once

#include "core/device.h"
#include "core/result.h"
#include "db/reader.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace warptune::cli {

inline constexpr const char* kFromTable = "the table of architectures"; // ChosenDevice::why for --arch

struct ChosenDevice {
  DeviceInfo info;
  std::string why; // why this device; empty if the user named it
};

// The problem for which a device is chosen. The recordings of a folder may come from several GPUs.
struct ProblemName {
  std::string kernel, problem; // problem: a problem_key
};

// Returns the device for a command that needs the properties of a device but runs nothing on it. `device`: empty or
// "auto" (the first GPU; otherwise the database's only device, or its only one with results of the problem's kernel;
// otherwise the limits of an H200), "cuda:N", "recorded:PATH" (see device_of_recording), or the name of a device in the
// database. `arch`, such as "sm_80", may be given in place of `device`.
Result<ChosenDevice> choose_device(const std::string& device, const std::string& arch, const Reader* reader,
                                   const ProblemName& problem = {});

// Whether the database has results of several GPU models. If so, users without a GPU may have to name a model with
// --device.
bool has_several_devices(const Reader& reader);

// Whether `device` can only mean the name of a device in the database.
bool names_stored_device(const std::string& device);

// Returns the folder or file of recordings that `device` ("replay" or "recorded:PATH") names.
std::filesystem::path recordings_of(const std::string& device);

// Returns the device of the problem's recording in recordings_of(device). Without such a recording, that of a recording
// of the kernel, or of any recording. Error (bad_input): the folder has no recordings.
Result<DeviceInfo> device_of_recording(const std::string& device, const ProblemName& problem = {});

// Returns the GPU that a command will use. `device`: "auto" or "cuda:N". Error (no_device): there is no such GPU. The
// message ends with `instead`, which says what the command accepts without a GPU, such as kReplayInstead.
inline constexpr std::string_view kReplayInstead = "; without a GPU, use --device recorded to replay recordings";
Result<DeviceInfo> find_cuda_device(const std::string& device, std::string_view instead = {});

} // namespace warptune::cli
