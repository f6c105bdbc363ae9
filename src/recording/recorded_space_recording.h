// Converts our own recordings to recorded spaces and back.
#pragma once

#include "core/result.h"
#include "interchange/recorded_space.h"
#include "recording/recording.h"

namespace warptune {

inline constexpr const char* kRecordingFormat = "warptune recording"; // RecordedSpace::format

// Error bad_input: no trials, or more than the limits; the end of a sentence that begins with the file's name.
Result<RecordedSpace> space_of(const Recording& recording);

// Kernel, problem and device have the space's names; `device` supplies the other properties of the device. Values must
// be whole numbers or booleans, which become 0 and 1. Metrics are left out. Error bad_input: other values, times below
// a nanosecond; the end of a sentence.
Result<Recording> recording_of(const RecordedSpace& space, const DeviceInfo& device);

} // namespace warptune
