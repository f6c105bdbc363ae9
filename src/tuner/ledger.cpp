#include "tuner/ledger.h"

#include "db/reader.h"
#include "jit/cubin_cache.h"
#include "warptune/build_config.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace warptune {

SessionIdentity make_identity(const Kernel& kernel, const Problem& problem, const DeviceInfo& device,
                              const SessionOptions& options) {
  SessionIdentity id;
  id.kernel = kernel.spec.name;
  id.source_hash = kernel.source_hash;
  id.problem = problem_key(kernel.spec, problem);
  id.device_backend = device.backend;
  id.device_name = device.name;
  id.device_uuid = device.uuid;
  id.arch = device.arch;
  id.driver = device.driver;
  id.compiler = device.compiler;
  id.strategy = options.strategy;
  id.budget = options.budget.text;
  id.seed = options.seed;
  id.cold_l2 = options.measure.cold_l2;
  return id;
}

Result<Ledger> Ledger::open(const std::filesystem::path& path) {
  const std::filesystem::path file = path.empty() ? database_path({}) : path;
  auto writer = Writer::open(file);
  if (!writer) return tl::make_unexpected(writer.error());
  return Ledger(file, std::move(*writer));
}

std::optional<Roofs> Ledger::known_roofs(const DeviceInfo& device) const {
  if (device.uuid.empty()) return std::nullopt;
  const auto reader = Reader::open(path_);
  if (!reader) return std::nullopt;
  const auto roofs = reader->roofs(device.uuid);
  return roofs ? *roofs : std::nullopt;
}

Result<void> Ledger::introduce(const Kernel& kernel, const DeviceInfo& device, bool roofs_are_new) {
  if (auto put = writer_.put_device(device); !put) return put;
  if (roofs_are_new)
    if (auto put = writer_.put_roofs(device, device.roofs); !put) return put;
  return writer_.put_kernel({0, kernel.spec.name, kernel.source_hash, kernel.sources.files});
}

Result<Enrolment> Ledger::enrol(const SessionIdentity& identity, bool resume, std::int64_t space_size) {
  Enrolment enrolment;
  auto unfinished = writer_.find_unfinished(identity);
  if (!unfinished) return tl::make_unexpected(unfinished.error());
  std::optional<RowId> found = *unfinished;
  if (resume && !found) {
    auto reader = Reader::open(path_);
    if (!reader) return tl::make_unexpected(reader.error());
    auto sessions = reader->sessions(identity.kernel);
    auto bests = reader->best(identity.kernel);
    if (!sessions) return tl::make_unexpected(sessions.error());
    if (!bests) return tl::make_unexpected(bests.error());
    const auto same = std::find_if(sessions->begin(), sessions->end(),
                                   [&](const SessionRecord& s) { return s.identity == identity; });
    if (same != sessions->end()) {
      found = same->id;
      enrolment.finished = same->state == SessionState::finished;
      for (BestRecord& best : *bests)
        if (best.session == same->id && enrolment.finished) enrolment.best = std::move(best);
    }
  }
  if (resume && found) {
    auto known = writer_.session_trials(*found);
    if (!known) return tl::make_unexpected(known.error());
    enrolment.known = std::move(*known);
    enrolment.session = *found;
    if (!enrolment.best)
      if (auto reopened = writer_.reopen_session(*found); !reopened) return tl::make_unexpected(reopened.error());
    return enrolment;
  }
  if (resume)
    enrolment.notes.emplace_back(
        "there is no earlier session of this kernel, problem, device, strategy, budget and seed, so "
        "nothing was resumed");
  if (found) {
    auto known = writer_.session_trials(*found);
    enrolment.notes.push_back(
        fmt::format("session {} of the same work was not finished; --resume would continue it and reuse its {} trials",
                    *found, known ? known->size() : 0));
  }
  auto session = writer_.begin_session(identity, space_size, kVersion);
  if (!session) return tl::make_unexpected(session.error());
  enrolment.session = *session;
  return enrolment;
}

Result<void> Ledger::record(RowId session, const KernelSpec& spec, const Trial& trial) {
  return writer_.record(session, config_text(spec, trial.config), trial);
}

Result<void> Ledger::disqualify(RowId session, const KernelSpec& spec, const Trial& trial) {
  return writer_.disqualify(session, config_text(spec, trial.config), trial.status, trial.evidence);
}

Result<void> Ledger::keep_best(const BestRecord& best, const std::filesystem::path& cache_directory) {
  if (!best.cubin_hash.empty()) {
    const auto cached = CubinCache(cache_directory).find(best.cubin_hash);
    if (cached && *cached) {
      auto put = writer_.put_cubin({best.cubin_hash, best.arch, (*cached)->image, (*cached)->lowered_names});
      if (!put) return put;
    }
  }
  return writer_.put_best(best);
}

Result<void> Ledger::end(RowId session, SessionState state) { return writer_.end_session(session, state); }

} // namespace warptune
