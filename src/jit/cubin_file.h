// Reads facts from the bytes of a cubin, without a device: its architecture, its variables, and its kernels with their
// registers, parameters and launch bounds. These are the only facts that warptune has about a cubin from a compiler
// other than NVRTC.
#pragma once

#include "core/result.h"

#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <vector>

namespace warptune {

struct CubinFile {
  int architecture = 0;                    // 90 for both sm_90 and sm_90a
  std::map<std::string_view, int> kernels; // name -> registers; 0: not known
  std::set<std::string_view> symbols;      // names of variables
  // Kernel -> bytes of each parameter. A kernel without an entry has unknown parameters.
  std::map<std::string_view, std::vector<std::uint32_t>> parameters;
  std::map<std::string_view, std::int64_t> max_threads; // kernel -> threads per block, if it has __launch_bounds__
  std::set<std::string_view> zero_constants;            // __constant__ variables whose initial bytes are all zero
};

// The names in the result point into `image`. Reads at most 65,536 symbols with names of up to 4 KiB. Error
// (bad_input): the reason in a few words: "it is not an ELF file".
Result<CubinFile> read_cubin_file(std::string_view image);

} // namespace warptune
