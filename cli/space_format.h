// The file formats in which `import` and `export` write recorded spaces.
#pragma once

#include "cli/overwrite.h"
#include "core/result.h"
#include "interchange/recorded_space.h"

#include <filesystem>
#include <string>

namespace warptune::cli {

enum class SpaceFormat { recording, kernel_tuner, t4 };

// Parses "kernel-tuner", "t4" and, if `with_recording` is set, "recording".
Result<SpaceFormat> parse_space_format(const std::string& name, bool with_recording);

// Returns the kind of files that an output in this format may replace.
OutputKind files_of(SpaceFormat format);

// Compresses with gzip if the name ends in .gz; a recording must not have such a name. `device`: for a recording, the
// properties of the device except its name. Writes a temporary file, then renames it.
Result<void> write_space(const RecordedSpace& space, SpaceFormat format, const std::filesystem::path& file,
                         const DeviceInfo& device = {});

} // namespace warptune::cli
