// A Backend that computes the toy kernel's times by a formula, with faults on demand. Its device name is
// "toy:PHASE/ACTION/CONFIG;...": in PHASE (set_kernel, device, open, compile, evaluate, round, verify, power, check),
// for CONFIG (as config_text writes it; empty: always), do ACTION. "once" before the action: do it in one process only.
// "when NAME" after the action: do it only while the cache directory has a file with that name. device/uuid X gives the
// device that UUID, so that several toy devices can exist. note/X is a note of the device. evaluate/race drops
// candidates that are slower than the given limit. launch/wrong after N: the first N launches of a finalist in a
// process are right, and all later ones are wrong.
#pragma once

#include "worker/backend.h"

#include <memory>
#include <string>

namespace warptune::test {

Result<std::unique_ptr<Backend>> make_toy_backend(const std::string& faults, const std::string& cache_directory);

} // namespace warptune::test
