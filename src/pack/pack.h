// Makes a pack from a tuning database, kernel by kernel: measured.h reads, choose.h chooses, programs.h finds cubins,
// and db/pack_writer.h writes. Needs no GPU, and a compiler only for programs that are not stored.
#pragma once

#include "db/reader.h"
#include "pack/programs.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace warptune {

struct PackOptions {
  std::vector<std::string> kernels; // names; empty: all kernels of the database
  std::vector<std::string> gpus;    // names or architectures of devices; empty: all
  std::map<std::string, std::string>
      source_hashes;                  // kernel -> hash of the sources to pack; missing: the sources tuned last
  double cover = 0.03;                // see choose_configs
  std::string licence;                // the pack's licence text
  std::string version;                // version of warptune
  std::size_t extra_configs = 16;     // maximum per variant, for untuned shapes
  std::size_t untuned_programs = 128; // maximum per variant, for untuned shapes
  CubinOptions cubins;
};

struct PackReport {
  std::vector<PackRule> rules;                        // rules of the packed variants, as from Reader::pack_rules
  std::vector<UntunedShare> untuned;                  // per rule, the numbers of probes (untuned.h)
  std::size_t programs = 0, stored = 0, compiled = 0; // cubins that are needed; that were stored; that were compiled
  bool lacks_all_programs() const { return programs > 0 && stored + compiled == 0; }
  std::int64_t cubin_bytes = 0;
  std::vector<std::string> notes;
};

// Writes nothing if it fails. Errors: no_candidate if nothing was tuned, or not for these kernels or GPUs; and
// the errors of reading, compiling and write_pack.
Result<PackReport> make_pack(const Reader& reader, const std::filesystem::path& output, const PackOptions& options);

} // namespace warptune
