// The content of a pack, for `pack list`, `pack check` and `pack diff`. Needs only the pack's rows, no GPU and no
// compiler.
#pragma once

#include "db/reader.h"
#include "pack/untuned.h"

#include <cstdint>
#include <string>
#include <vector>

namespace warptune {

// One kernel variant on one device.
struct PackedVariant {
  PackRule rule;
  std::int64_t cubins = 0, bytes = 0; // number and size of its cubins; variants may share some
  UntunedShare untuned;               // how many untuned shapes can be launched
};
struct PackSummary {
  std::vector<PackedVariant> variants;
  std::int64_t kernels = 0, shapes = 0, cubins = 0, cubin_bytes = 0;
  // One sentence per inconsistency: a source that does not match its hash, a shape without its program, a configuration
  // that cannot be launched, a program without its kernels, or a listed shape that is missing. Empty: the pack is
  // sound.
  std::vector<std::string> problems;
};
// Reads and checks every byte of the pack. Error (database): damage.
Result<PackSummary> inspect_pack(const Reader& pack);

struct PackChange {
  std::string subject;       // "softmax rows=8,cols=4;bf16;log=0 on NVIDIA H200"
  std::string before, after; // empty: the pack does not have the subject
};
// Returns the differences, sorted by subject; empty if the packs are byte for byte identical.
Result<std::vector<PackChange>> diff_packs(const Reader& before, const Reader& after);

} // namespace warptune
