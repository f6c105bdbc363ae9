// Adds a checksum to a recording from before checksums existed, and changes no other byte. The checksum certifies that
// the file has not changed since it was sealed; it says nothing about earlier changes.
#pragma once

#include "core/result.h"

#include <cstddef>
#include <filesystem>

namespace warptune {

struct SealedRecording {
  std::size_t trials = 0;
  bool had_checksum = false; // the checksum was already valid, so the file was not written
};

// Reads the whole file like load_recording, and writes it like save_recording. Errors (kind bad_input): those of
// load_recording, and a checksum in a place where it would not be checked. After an error the file is unchanged.
Result<SealedRecording> seal_recording(const std::filesystem::path& file);

} // namespace warptune
