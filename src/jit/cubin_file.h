// What the bytes of a cubin say of themselves: the architecture, the kernels with their registers, the variables. Read
// from the ELF file without a device, for cubins that another compiler made: they are believed only as far as this
// goes.
#pragma once

#include "core/result.h"

#include <map>
#include <set>
#include <string_view>

namespace warptune {

struct CubinFile {
  int architecture = 0;                    // 90 of sm_90 and of sm_90a
  std::map<std::string_view, int> kernels; // name -> registers; 0: not known
  std::set<std::string_view> symbols;      // of variables
};

// The names in it are parts of `image`. At most 65,536 symbols with names of 4 KiB are read. Error (bad_input): the
// reason in a few words: "it is not an ELF file".
Result<CubinFile> read_cubin_file(std::string_view image);

} // namespace warptune
