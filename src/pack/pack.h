// A tuning database -> a pack: what ships is measured.h -> choose.h -> programs.h -> db/pack_writer.h, kernel by
// kernel. Needs no GPU, and a compiler only for programs that nobody kept.
#pragma once

#include "db/reader.h"
#include "pack/programs.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace warptune {

struct PackOptions {
  std::vector<std::string> kernels;                 // by name; empty: all that the database holds
  std::vector<std::string> gpus;                    // names of devices or architectures; empty: all
  std::map<std::string, std::string> source_hashes; // of kernels whose sources are not those tuned last
  double cover = 0.03;                              // see choose_configs
  std::string licence;                              // text that goes into the pack
  std::string version;                              // of warptune
  std::size_t extra_configs = 16;                   // at most, of each variant, for shapes that were never tuned
  std::size_t untuned_programs = 128;               // at most, of each variant, for shapes that were never tuned
  CubinOptions cubins;
};

struct PackReport {
  std::vector<PackRule> rules;                        // what was packed, as Reader::pack_rules has it
  std::vector<UntunedShare> untuned;                  // by rule: shapes that were never tuned and can be launched
  std::size_t programs = 0, stored = 0, compiled = 0; // that are needed; that the pack has
  bool lacks_all_programs() const { return programs > 0 && stored + compiled == 0; }
  std::int64_t cubin_bytes = 0;
  std::vector<std::string> notes;
};

// Nothing is written when it fails. Errors: bad_input for an unknown kernel or GPU; no_candidate when nothing was
// tuned; what reading, compiling and write_pack say.
Result<PackReport> make_pack(const Reader& reader, const std::filesystem::path& output, const PackOptions& options);

} // namespace warptune
