#include "pack/licence.h"

#include "embedded/pack_licence.h"

namespace warptune {

std::string shipped_licence() {
  return "Kernels that come with warptune are under the licence below; all others are under the terms of their "
         "authors.\n\n" +
         std::string(embedded::pack_licence::find("LICENSE").value_or(""));
}

} // namespace warptune
