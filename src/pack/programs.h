// The programs that a pack needs, by program_key, and their cubins: those that were verified and timed where the
// database or the cubin cache still has them, else compiled. Knows nothing of how configurations were chosen.
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
  std::vector<std::string> compilers; // that it was tuned with, as compiler_name says them
};
using Programs = std::map<std::string, PackProgram>; // by program_key

// What the variant's shapes need: the configuration that each gets, and the default, which a dispatcher takes where
// that does not fit (an unaligned pointer). `picks`: the configuration of each shape, by number. The keys of the picks,
// in their order: empty for one that has no program (library calls only), nothing for one that cannot be launched.
std::vector<std::optional<std::string>>
add_shape_programs(Programs& programs, const PackedKernel& kernel, const MeasuredVariant& variant,
                   const std::vector<std::pair<std::size_t, std::size_t>>& picks);

// What shapes that were never tuned may need: the configurations, and where none of them is valid the fallback, on the
// shapes of the spec's suites with the variant's dtype and flags.
void add_suite_programs(Programs& programs, const PackedKernel& kernel, const MeasuredVariant& variant,
                        const std::vector<std::size_t>& configs);

// Of the suites' shapes what each is given.
void add_chosen_programs(Programs& programs, const PackedKernel& kernel, const MeasuredVariant& variant,
                         const Choose& choose);

// What probes take (untuned.h): `picked` are positions among the table's programs.
void add_probed_programs(Programs& programs, const PackedKernel& kernel, const MeasuredVariant& variant,
                         const ProbeTable& table, const std::vector<std::size_t>& picked);

struct CubinOptions {
  bool compile = true; // false: only what the database and the cache hold
  bool allow_build =
      false;       // whether commands of descriptions may run; else what they built is taken where it is stored
  int workers = 0; // that compile at once; 0: as many as there are cores
  std::function<void(std::size_t done, std::size_t total)> progress;
};

struct Cubins {
  std::map<std::string, CubinRecord> by_key;
  std::size_t stored = 0, compiled = 0;
  std::vector<std::string> missing; // sentences: a program that does not compile, or may not be compiled
};

// Error: a program has to be compiled and there is no NVRTC.
Result<Cubins> find_cubins(const Programs& programs, const Reader& reader, const CubinOptions& options);

} // namespace warptune
