// The programs that a pack needs, by program_key, and their cubins: the cubins that were verified and timed, if the
// database or the cubin cache still has them, otherwise newly compiled ones. Does not depend on how configurations were
// chosen.
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
  std::vector<std::string> compilers; // of the tuning sessions, as compiler_name returns them; no duplicates
};
using Programs = std::map<std::string, PackProgram>; // by program_key

// Adds the programs for the variant's tuned shapes: each shape's configuration, and the default, which a dispatcher
// uses when that configuration cannot run (an unaligned pointer). `picks`: pairs of a shape and its configuration, by
// number. Returns the keys of the picks, in order: an empty key for a pick without a program (only library calls),
// nullopt for one that cannot be launched.
std::vector<std::optional<std::string>>
add_shape_programs(Programs& programs, const PackedKernel& kernel, const MeasuredVariant& variant,
                   const std::vector<std::pair<std::size_t, std::size_t>>& picks);

// Adds the programs that untuned shapes may need. For each shape of the spec's suites, with the variant's dtype and
// flags, these are the programs of `configs`, or of the fallback if none of them is valid.
void add_suite_programs(Programs& programs, const PackedKernel& kernel, const MeasuredVariant& variant,
                        const std::vector<std::size_t>& configs);

// Adds the programs of the configurations that `choose` returns for the suites' shapes.
void add_chosen_programs(Programs& programs, const PackedKernel& kernel, const MeasuredVariant& variant,
                         const Choose& choose);

// Adds the programs of probes (untuned.h): `picked` are positions among the table's programs.
void add_probed_programs(Programs& programs, const PackedKernel& kernel, const MeasuredVariant& variant,
                         const ProbeTable& table, const std::vector<std::size_t>& picked);

struct CubinOptions {
  bool compile = true;      // false: use only programs from the database and the cache
  bool allow_build = false; // whether commands of descriptions may run; if not, only their stored results are used
  int workers = 0;          // number of parallel compiles; 0: one per core
  std::function<void(std::size_t done, std::size_t total)> progress;
};

struct Cubins {
  std::map<std::string, CubinRecord> by_key;
  std::size_t stored = 0, compiled = 0;
  std::vector<std::string> missing; // a sentence for each program that does not compile or may not be compiled
};

// Error: a program must be compiled and there is no NVRTC.
Result<Cubins> find_cubins(const Programs& programs, const Reader& reader, const CubinOptions& options);

} // namespace warptune
