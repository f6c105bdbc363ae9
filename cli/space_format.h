// The formats that `import` and `export` write recorded spaces in.
#pragma once

#include "cli/overwrite.h"
#include "core/result.h"
#include "interchange/recorded_space.h"

#include <filesystem>
#include <string>

namespace warptune::cli {

enum class SpaceFormat { recording, kernel_tuner, t4 };

// "kernel-tuner", "t4" and, where it can be written, "recording".
Result<SpaceFormat> parse_space_format(const std::string& name, bool with_recording);

// Files of this format are replaced by a new one.
OutputKind files_of(SpaceFormat format);

// With gzip where the name ends in .gz, which a recording's may not. `device`: what a recording says of the device
// beside its name. Temporary file, then rename.
Result<void> write_space(const RecordedSpace& space, SpaceFormat format, const std::filesystem::path& file,
                         const DeviceInfo& device = {});

} // namespace warptune::cli
