// Converts warptune recordings to recorded spaces and back.
#pragma once

#include "core/result.h"
#include "interchange/recorded_space.h"
#include "recording/recording.h"

namespace warptune {

inline constexpr const char* kRecordingFormat = "warptune recording"; // the RecordedSpace::format of a recording

// Error (bad_input): there are no trials, or too many. The caller puts the file's name before the message.
Result<RecordedSpace> space_of(const Recording& recording);

// Kernel, problem and the device's name are from the space; the device's other properties are from `device`. Values
// must be whole numbers or booleans, which become 0 and 1. Metrics are left out. Error (bad_input): other values, or a
// time below a nanosecond. The caller puts the file's name before the message.
Result<Recording> recording_of(const RecordedSpace& space, const DeviceInfo& device);

} // namespace warptune
