// The information in a cubin's bytes: the architecture, the kernels with their registers and parameters, the variables.
// Read from the ELF file without a device. Cubins of other compilers are trusted only for this information.
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
  // Kernel -> bytes of each parameter; a kernel without an entry does not list its parameters.
  std::map<std::string_view, std::vector<std::uint32_t>> parameters;
};

// The names in the result point into `image`. At most 65,536 symbols with names of 4 KiB are read. Error (bad_input):
// the reason in a few words: "it is not an ELF file".
Result<CubinFile> read_cubin_file(std::string_view image);

} // namespace warptune
