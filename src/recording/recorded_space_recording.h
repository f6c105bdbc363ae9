// Converts warptune recordings to recorded spaces and back.
#pragma once

#include "core/result.h"
#include "interchange/recorded_space.h"
#include "recording/recording.h"

namespace warptune {

inline constexpr const char* kRecordingFormat = "warptune recording"; // RecordedSpace::format

// Error bad_input: no trials, or more than the limits. The caller prefixes the file's name.
Result<RecordedSpace> space_of(const Recording& recording);

// Takes the names of kernel, problem and device from the space; `device` supplies the device's other properties. Values
// must be whole numbers or booleans, which become 0 and 1. Metrics are left out. Error bad_input: other values, times
// below a nanosecond. The caller prefixes the file's name.
Result<Recording> recording_of(const RecordedSpace& space, const DeviceInfo& device);

} // namespace warptune
