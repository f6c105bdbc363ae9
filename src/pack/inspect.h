// What a pack holds, for a reader of `--list`, `--check` and `--diff`. Works on the rows alone: no GPU, no compiler.
#pragma once

#include "db/reader.h"
#include "pack/untuned.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warptune {

// One kernel variant on one device.
struct PackedVariant {
  PackRule rule;
  std::int64_t cubins = 0, bytes = 0; // that it uses; variants may share some
  UntunedShare untuned;               // shapes that were never tuned and can be launched
};
struct PackSummary {
  std::vector<PackedVariant> variants;
  std::int64_t kernels = 0, shapes = 0, cubins = 0, cubin_bytes = 0;
  // What does not fit together, a sentence each: a source that is not what its hash says, a shape without its program,
  // a configuration that cannot be launched, a program without its kernels, shapes that are listed and not there.
  // Empty: sound.
  std::vector<std::string> problems;
};
// Reads and checks everything, every byte included. Errors (kind database): damage.
Result<PackSummary> inspect_pack(const Reader& pack);

struct PackChange {
  std::string subject;       // "softmax rows=8,cols=4;bf16;log=0 on NVIDIA H200"
  std::string before, after; // empty: it is not there
};
// By subject; empty: they are the same, byte for byte.
Result<std::vector<PackChange>> diff_packs(const Reader& before, const Reader& after);

} // namespace warptune
