// A database's measurements of one kernel variant (a dtype with flags) on one device: every configuration's time on
// every tuned shape, and the certified result of each shape's session. Reads rows; choose.h decides.
#pragma once

#include "db/reader.h"
#include "predict/timing_matrix.h"
#include "space/space.h"
#include "spec/source_hash.h"

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace warptune {

// A kernel as it was when it was tuned.
struct PackedKernel {
  KernelRecord record;
  KernelSpec spec;
  SourceFiles sources;
};

// Returns the most recently tuned sources, or those with this hash. Errors: no such kernel; a spec that cannot be read.
Result<PackedKernel> load_packed_kernel(const Reader& reader, const std::string& name,
                                        const std::string& source_hash = {});

struct Cell {
  double us = std::numeric_limits<double>::quiet_NaN(); // median time; NaN: not measured, failed, or stopped early
  bool is_faster = false; // whether its 95 % interval is below the default's of the same session
  RowId session = 0;
};

struct MeasuredShape {
  Problem problem;
  std::string key;
  BestRecord best;
  SessionRecord session;   // the session of `best`
  std::vector<Cell> cells; // by configuration
};

struct MeasuredVariant {
  std::string variant; // "bf16;log=0", as in a problem's key
  DeviceInfo device;   // identified by name only (no uuid): devices with the same name count as one
  std::vector<Config> configs;
  std::vector<std::string> texts; // text of each of configs
  std::vector<bool> is_wrong;     // whether a trial on this architecture found it wrong, so that it never ships
  std::vector<bool> is_call;      // calls_libraries
  std::size_t default_config = 0;
  std::vector<MeasuredShape> shapes;
};

// Whether the configuration's implementation calls libraries: applications launch it only if they allow that.
bool calls_libraries(const KernelSpec& spec, const Config& config);

// Returns "bf16;log=0" for "rows=1,cols=2;bf16;log=0".
std::string variant_of(const std::string& problem_key);

// Returns the variant's times; wrong configurations count as not measured.
TimingMatrix matrix_of(const MeasuredVariant& variant);

// Returns the tuning results of the kernel's source on the devices in `wanted` (names or architectures; empty: all), by
// variant and device. Unreadable results are left out with a note.
Result<std::vector<MeasuredVariant>> read_measured(const Reader& reader, const PackedKernel& kernel,
                                                   const std::vector<std::string>& wanted,
                                                   std::vector<std::string>& notes);

} // namespace warptune
