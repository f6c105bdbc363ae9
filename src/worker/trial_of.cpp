#include "worker/trial_of.h"

#include <utility>

namespace warptune {

Trial trial_of(const Config& config, const Compiled& compiled) {
  return trial_of(config, compiled, compiled.status, compiled.evidence);
}

Trial trial_of(const Config& config, const Compiled& compiled, TrialStatus status, std::string evidence) {
  Trial trial;
  trial.status = status;
  trial.evidence = std::move(evidence);
  put_compiled(trial, config, compiled);
  return trial;
}

void put_compiled(Trial& trial, const Config& config, const Compiled& compiled) {
  trial.config = config;
  trial.cubin_hash = compiled.cubin_hash;
  trial.compile_ms = compiled.compile_ms;
  if (trial.resources.registers == 0) trial.resources = compiled.resources;
}

} // namespace warptune
