// The programs that a pack needs, keyed by program_key, and their cubins. If the database or the cubin cache still has
// the cubin that was verified and timed, that cubin is used. Otherwise the program is compiled again. Does not depend
// on how configurations were chosen.
#pragma once

#include "db/reader.h"
#include "pack/measured.h"
#include "pack/untuned.h"
#include "plan/compile_request.h"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warptune {

struct PackProgram {
  CompileRequest request;
  std::string arch;
  std::vector<std::string> compilers; // compilers of the tuning sessions, as from compiler_name; no duplicates
};
using Programs = std::map<std::string, PackProgram>; // keyed by program_key

// Adds the programs for the variant's tuned shapes: the program of each shape's configuration, and the program of the
// default. The library uses the default if the configuration cannot run (for example with an unaligned pointer).
// `picks`: pairs (index of a shape, index of a configuration). Returns one key per pick. A pick without a program (only
// library calls) has an empty key. A pick that cannot be launched has nullopt.
std::vector<std::optional<std::string>>
add_shape_programs(Programs& programs, const PackedKernel& kernel, const MeasuredVariant& variant,
                   const std::vector<std::pair<std::size_t, std::size_t>>& picks);

// Adds programs that untuned shapes may need. They are the programs of `configs` for each shape of the spec's suites,
// with the variant's dtype and flags. If none of `configs` is valid for a shape, adds the program of the fallback.
void add_suite_programs(Programs& programs, const PackedKernel& kernel, const MeasuredVariant& variant,
                        const std::vector<std::size_t>& configs);

// Adds the programs of the configurations that `choose` returns for the shapes of the suites.
void add_chosen_programs(Programs& programs, const PackedKernel& kernel, const MeasuredVariant& variant,
                         const Choose& choose);

// Adds programs found with probes (untuned.h). `picked`: indices into table.programs.
void add_probed_programs(Programs& programs, const PackedKernel& kernel, const MeasuredVariant& variant,
                         const ProbeTable& table, const std::vector<std::size_t>& picked);

struct CubinOptions {
  bool compile = true; // false: use only cubins from the database and the cache
  bool allow_build =
      false;       // whether build commands of kernel folders may run; if not, only their stored results are used
  int workers = 0; // parallel compiles; 0: one per core
  std::function<void(std::size_t done, std::size_t total)> progress;
};

struct Cubins {
  std::map<std::string, CubinRecord> by_key;
  std::size_t stored = 0, compiled = 0;
  std::vector<std::string> missing; // a sentence for each program that does not compile, or must not be compiled
};

// Error: a program must be compiled, but there is no NVRTC.
Result<Cubins> find_cubins(const Programs& programs, const Reader& reader, const CubinOptions& options);

} // namespace warptune
