// One launch of a selected configuration on a real device: compile or load, launch, verify, time. Behind `warptune
// run`; the same steps as a trial (tuner/session.h), without a search and without a database.
#pragma once

#include "core/device.h"
#include "core/result.h"
#include "core/roofline.h"
#include "core/select.h"
#include "core/trial.h"
#include "jit/template_store.h"

#include <filesystem>
#include <string>

namespace warptune {

struct RunReport {
  DeviceInfo device;
  Verdict verdict;
  Timing timing; // empty when the verdict is wrong: a wrong kernel is never timed
  RooflinePoint roofline;
};

// `device`: "auto" or "cuda:N". `cache`: where cubins are kept; empty: the standard place. Works in a worker process,
// so a fault of the kernel is an error here (no_candidate) and not a crash. A wrong result is a report whose verdict
// says so.
Result<RunReport> run_selected(const Kernel& kernel, const Problem& problem, const Selection& selection,
                               const std::string& device, const std::filesystem::path& cache);

} // namespace warptune
