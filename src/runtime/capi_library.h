// The definitions of types that the C interface only declares.
#pragma once

#include "runtime/library.h"
#include "warptune/warptune.h"

#include <memory>

struct wt_library {
  std::unique_ptr<warptune::Library> value;
};

namespace warptune::capi {

wt_match match_of(Match match);

} // namespace warptune::capi
