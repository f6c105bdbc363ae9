// warptune.torch runs these checks before each eager launch that bypasses torch's dispatcher. The checks are plain C
// functions, to be fast. Uses only three attributes of torch's tensors; warptune/torch/ops.py defines the watchers.
#pragma once

#include <pybind11/pybind11.h>

namespace warptune_python {

// unwatched(types, is_grad_enabled, watchers) makes a function that checks tensors. That function returns true if all
// watchers (functions without arguments) return a false value and each tensor passes. None passes. Any other tensor
// must have exactly one of the types, be on a CUDA device, not be lazily negated and need no gradient.
pybind11::object make_unwatched(const pybind11::tuple& types, const pybind11::object& is_grad_enabled,
                                const pybind11::tuple& watchers);

// current_device(): the number of the CUDA device whose context is current on this thread; -1: no context is current.
pybind11::object make_current_device();

} // namespace warptune_python
