// A Backend that computes the toy kernel's times by formula and misbehaves on demand. Its device name is
// "toy:PHASE/ACTION/CONFIG;...": in PHASE (set_kernel, device, open, compile, evaluate, round, verify, power, check),
// for CONFIG (as config_text writes it; empty: always), do ACTION. With "once" before the action it happens in one
// process only, with "when NAME" after it while there is a file of that name in the cache directory. device/uuid X
// gives the device that UUID, so that there can be several. note/X is a note of the device. evaluate/race drops what is
// slower than it is told to. launch/wrong after N: the N first launches of a finalist in a process are right, and no
// later one.
#pragma once

#include "worker/backend.h"

#include <memory>
#include <string>

namespace warptune::test {

Result<std::unique_ptr<Backend>> make_toy_backend(const std::string& faults, const std::string& cache_directory);

} // namespace warptune::test
