// What warptune.torch asks before each launch in eager code, where it passes torch's dispatcher by: plain C functions,
// since every call of one costs. Names nothing of torch's but three attributes of a tensor: what a watcher is, is
// warptune/torch/ops.py's.
#pragma once

#include <pybind11/pybind11.h>

namespace warptune_python {

// unwatched(types, is_grad_enabled, watchers) makes a function of tensors. It is true where each is None, or exactly of
// one of the types, on a CUDA device, not lazily negated and without a gradient to be recorded, and all watchers
// (functions of nothing) give something false.
pybind11::object make_unwatched(const pybind11::tuple& types, const pybind11::object& is_grad_enabled,
                                const pybind11::tuple& watchers);

// current_device(): the number of the CUDA device whose context is current on this thread; -1: none is.
pybind11::object make_current_device();

} // namespace warptune_python
