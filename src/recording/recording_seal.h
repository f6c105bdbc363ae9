// Adds a checksum to an older recording that has none, and changes no other byte. The checksum then shows that the file
// has not changed since it was sealed; it says nothing about earlier changes.
#pragma once

#include "core/result.h"

#include <cstddef>
#include <filesystem>

namespace warptune {

struct SealedRecording {
  std::size_t trials = 0;
  bool had_checksum = false; // whether the file already had a valid checksum; such a file is not written
};

// Reads the whole file as load_recording does, and writes it as save_recording does. Errors (bad_input): those of
// load_recording, or a checksum in a place where it is not checked. After an error the file is unchanged.
Result<SealedRecording> seal_recording(const std::filesystem::path& file);

} // namespace warptune
