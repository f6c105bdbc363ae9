// Gives a recording from before there was a checksum one of its own. Nothing else of the file changes, by a byte. The
// checksum says that the file is as it was when it was sealed; what came before nobody can tell from it.
#pragma once

#include "core/result.h"

#include <cstddef>
#include <filesystem>

namespace warptune {

struct SealedRecording {
  std::size_t trials = 0;
  bool had_checksum = false; // one that holds: the file was not written
};

// Reads all of the file as load_recording does, and writes it as save_recording does. Errors (kind bad_input): those of
// load_recording, a checksum that is not where it would be checked. The file is as it was after an error.
Result<SealedRecording> seal_recording(const std::filesystem::path& file);

} // namespace warptune
