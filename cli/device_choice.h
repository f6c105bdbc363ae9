// The device of a command: named in its options, found on the machine, or known from the database.
#pragma once

#include "core/device.h"
#include "core/result.h"
#include "db/reader.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace warptune::cli {

inline constexpr const char* kFromTable = "the table of architectures"; // ChosenDevice::why with --arch

struct ChosenDevice {
  DeviceInfo info;
  std::string why; // why this device was chosen, if the user did not name it
};

// For commands that only reason about a device. `device`: empty or "auto" (the first GPU, otherwise the database's only
// device, otherwise the limits of an H200), "cuda:N", "recorded:PATH", or the name of a device in the database. `arch`
// ("sm_80") may be given instead.
Result<ChosenDevice> choose_device(const std::string& device, const std::string& arch, const Reader* reader);

// Whether `device` can only be the name of a device in the database.
bool names_stored_device(const std::string& device);

// Returns the folder or file of the recordings that "replay" or "recorded:PATH" names.
std::filesystem::path recordings_of(const std::string& device);

// Returns the device of one of these recordings. Error (kind bad_input): there is none.
Result<DeviceInfo> device_of_recording(const std::string& device);

// Returns the GPU that a command will use: "auto" or "cuda:N". Error (kind no_device): there is no such GPU; the
// message then ends with `instead`, which says what the command accepts without a GPU, such as kReplayInstead.
inline constexpr std::string_view kReplayInstead = "; without a GPU, --device recorded takes recorded sweeps";
Result<DeviceInfo> find_cuda_device(const std::string& device, std::string_view instead = {});

} // namespace warptune::cli
