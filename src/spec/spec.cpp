#include "spec/spec.h"

namespace warptune {

const Tolerance& KernelSpec::tolerance(DType t) const {
  const auto found = tolerance_by_dtype.find(t);
  return found == tolerance_by_dtype.end() ? default_tolerance : found->second;
}

int KernelSpec::find_argument(std::string_view argument) const {
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].name == argument) return static_cast<int>(i);
  return -1;
}

} // namespace warptune
