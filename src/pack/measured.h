// Reads a database's measurements of one kernel variant (a dtype with flags) on one device. They are every
// configuration's time on every tuned shape, and the certified result of each shape's session. choose.h decides which
// configurations ship.
#pragma once

#include "db/reader.h"
#include "predict/timing_matrix.h"
#include "spec/source_hash.h"

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace warptune {

// A kernel with the sources that were tuned.
struct PackedKernel {
  KernelRecord record;
  KernelSpec spec;
  SourceFiles sources;
};

// Returns the sources that were tuned last, or the sources with this hash. Error: there is no such kernel, or its spec
// cannot be read.
Result<PackedKernel> load_packed_kernel(const Reader& reader, const std::string& name,
                                        const std::string& source_hash = {});

struct Cell {
  double us = std::numeric_limits<double>::quiet_NaN(); // median time; NaN: not measured, failed, or stopped early
  bool is_faster = false; // whether its 95 % interval is below that of the problem's default in the same session
  RowId session = 0;
};

struct MeasuredShape {
  Problem problem;
  std::string key;
  BestRecord best;
  SessionRecord session;   // session of `best`
  std::vector<Cell> cells; // one per configuration
  // The default for this problem, if it differs from the variant's because another implementation has it.
  std::optional<std::size_t> default_config = {};
};

struct MeasuredVariant {
  std::string variant; // as in a problem's key: "bf16;log=0"
  DeviceInfo device;   // without uuid: devices with the same name count as one
  std::vector<Config> configs;
  std::vector<std::string> texts; // the text of each of `configs`
  // Per configuration: a trial on this architecture gave a wrong or unstable result. Such a configuration never ships.
  std::vector<bool> is_wrong;
  std::vector<bool> is_call; // per configuration: KernelSpec::calls_libraries
  std::size_t default_config = 0;
  std::vector<MeasuredShape> shapes;

  std::size_t default_of(const MeasuredShape& shape) const { return shape.default_config.value_or(default_config); }
  // Returns the defaults of all shapes and the variant's, sorted.
  std::vector<std::size_t> defaults() const;
};

// Returns "bf16;log=0" for "rows=1,cols=2;bf16;log=0".
std::string variant_of(const std::string& problem_key);

// Returns the variant's times. A configuration with a wrong result counts as not measured.
TimingMatrix matrix_of(const MeasuredVariant& variant);

// Returns the results for the kernel's source on the devices in `wanted` (names or architectures; empty: all), per
// variant and device. A result that cannot be read is left out, with a note.
Result<std::vector<MeasuredVariant>> read_measured(const Reader& reader, const PackedKernel& kernel,
                                                   const std::vector<std::string>& wanted,
                                                   std::vector<std::string>& notes);

} // namespace warptune
