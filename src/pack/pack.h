// Makes a pack from a tuning database, one kernel after another: measured.h -> choose.h -> programs.h ->
// db/pack_writer.h. Needs no GPU. Needs a compiler only for programs that are not stored.
#pragma once

#include "db/reader.h"
#include "pack/programs.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace warptune {

struct PackOptions {
  std::vector<std::string> kernels;                 // names of kernels; empty: all kernels of the database
  std::vector<std::string> gpus;                    // names of devices or architectures; empty: all
  std::map<std::string, std::string> source_hashes; // for kernels whose sources are not the last tuned ones
  double cover = 0.03;                              // see choose_configs
  std::string licence;                              // the licence text for the pack
  std::string version;                              // warptune's version
  std::size_t extra_configs = 16;                   // at most, per variant, for untuned shapes
  std::size_t untuned_programs = 128;               // at most, per variant, for untuned shapes
  CubinOptions cubins;
};

struct PackReport {
  std::vector<PackRule> rules;                        // the packed variants, as Reader::pack_rules returns them
  std::vector<UntunedShare> untuned;                  // for each rule: the untuned shapes that can be launched
  std::size_t programs = 0, stored = 0, compiled = 0; // cubins needed; those packed from storage; those compiled
  bool lacks_all_programs() const { return programs > 0 && stored + compiled == 0; }
  std::int64_t cubin_bytes = 0;
  std::vector<std::string> notes;
};

// Writes nothing if it fails. Errors: bad_input for an unknown kernel or GPU; no_candidate if nothing was tuned; the
// errors of reading, compiling and write_pack.
Result<PackReport> make_pack(const Reader& reader, const std::filesystem::path& output, const PackOptions& options);

} // namespace warptune
