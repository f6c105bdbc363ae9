#include "cli/session_recording.h"

#include "cli/asked_problem.h"
#include "core/device.h"
#include "core/text.h"
#include "db/spec_reader.h"
#include "db/stored_kernel.h"
#include "plan/plan.h"
#include "recording/recorded_params.h"
#include "report/roofs_of_result.h"
#include "spec/short_problem.h"
#include "tuner/winner_checks.h"

#include <algorithm>
#include <fmt/format.h>

namespace warptune::cli {
namespace {

// The user may name the kernel by its folder; the database has the name from its spec.
Result<SessionRecord> find_session(const Reader& reader, const SessionArgs& o, std::vector<std::string>& notes) {
  std::string name, key;
  if (!o.problem.shape.empty()) {
    WT_TRY(auto asked, load_problem(o.problem, &reader, notes));
    name = asked.kernel.spec.name;
    key = asked.key();
  } else if (!o.problem.kernel.empty()) {
    WT_TRY(auto kernel, load_kernel(o.problem.kernel, &reader, notes, o.problem.folders));
    name = kernel.spec.name;
  }
  WT_TRY(auto sessions, reader.sessions(name));
  for (const SessionRecord& s : sessions) {
    if (!key.empty() && s.identity.problem != key) continue;
    if (o.session > 0 ? s.id == o.session : s.state == SessionState::finished) return s;
  }
  if (o.session > 0) {
    WT_TRY(const auto all, reader.sessions());
    return fail(missing_session(all, o.session, name, key));
  }
  const std::string of = (name.empty() ? "" : " of " + name) + (key.empty() ? "" : " " + key);
  return fail(ErrorKind::no_candidate,
              fmt::format("there is no finished session{}; `warptune show sessions` lists the sessions", of));
}

Result<DeviceInfo> device_of(const Reader& reader, const SessionIdentity& identity) {
  WT_TRY(auto devices, reader.devices());
  for (DeviceInfo& device : devices) {
    if (device.name != identity.device_name || device.uuid != identity.device_uuid ||
        device.backend != identity.device_backend)
      continue;
    device.uuid.clear(); // a recording names a model of device, not one device
    device.arch = identity.arch;
    device.driver = identity.driver;
    device.compiler = identity.compiler;
    return device;
  }
  return fail(ErrorKind::database,
              fmt::format("the database does not contain the device {} of this session; tune the problem again",
                          quote(identity.device_name)));
}

struct Provenance {
  std::optional<Roofs> roofs; // nullopt: the device's newest
  std::string measured_at;    // empty: unknown
};

// The roofs that the session's result is judged by, and when its times were measured: not when they were replayed.
Result<Provenance> provenance_of(const Reader& reader, const SessionRecord& session, const KernelSpec& spec,
                                 const DeviceInfo& device) {
  WT_TRY(const auto best, reader.best_of_session(session.id));
  WT_TRY(const auto stored, reader.roofs_of(session.identity));
  WT_TRY(const auto trials, reader.trial_times(session.id));
  std::optional<report::ResultRoofs> own;
  SpecReader values(reader, spec);
  if (const auto& problem = values.problem(session.identity); best && problem)
    if (const auto cost = estimate_cost(spec, *problem, device)) own = report::roofs_of_result(stored, *best, *cost);
  Provenance out{own ? std::optional<Roofs>(own->roofs) : std::nullopt, report::measured_at(session, trials, own)};
  // A recording and its roofs have one time, so it identifies them better than the share does.
  if (is_recorded_device(session.identity.device_backend) && !(own && own->roofs.measured_at == out.measured_at))
    for (const Roofs& roofs : stored)
      if (roofs.measured_at == out.measured_at) out.roofs = roofs;
  return out;
}

// The times of a replayed session belong to the session's kernel sources only if it has a result that does not say
// otherwise. Else the sources are stored as unknown, and replaying the new recording reports this again.
Result<bool> is_of_its_sources(const Reader& reader, const SessionRecord& session) {
  if (!is_recorded_device(session.identity.device_backend)) return true;
  WT_TRY(const auto best, reader.best_of_session(session.id));
  if (!best) return false;
  for (const char* other : {kByOtherSources, kByUnknownSources, kByOtherSourcesBefore})
    if (best->outcome.find(other) != std::string::npos) return false;
  return true;
}

Result<Recording> make_recording(const Reader& reader, const SessionRecord& session) {
  const SessionIdentity& identity = session.identity;
  WT_TRY(auto record, reader.kernel(identity.kernel, identity.source_hash));
  if (!record)
    return fail(
        ErrorKind::database,
        fmt::format("the database does not contain the sources of {}; tune the problem again", quote(identity.kernel)));
  WT_TRY(auto spec, spec_of(*record));
  WT_TRY(auto device, device_of(reader, identity));
  WT_TRY(auto provenance, provenance_of(reader, session, spec, device));
  if (provenance.roofs) device.roofs = std::move(*provenance.roofs);
  WT_TRY(auto trials, SpecReader(reader, spec).trials(session.id));
  Recording out{identity.kernel,
                identity.source_hash,
                identity.problem,
                std::move(device),
                std::move(provenance.measured_at),
                session.version,
                identity.strategy,
                identity.cold_l2,
                {},
                {},
                {}};
  for (SpecTrial& trial : trials) {
    WT_CHECK(trial.config);
    trial.row.trial.config = std::move(*trial.config);
    out.trials.push_back(std::move(trial.row.trial));
  }
  describe_params(spec, out);
  WT_TRY(const bool is_known, is_of_its_sources(reader, session));
  if (!is_known) out.source_hash = kSourcesNotKnown;
  if (out.trials.empty())
    return fail(ErrorKind::no_candidate,
                fmt::format("session {} has no trials, so there is nothing to record", session.id));
  return out;
}

std::vector<std::string> notes_on(const SessionRecord& session, const Recording& recording) {
  std::vector<std::string> notes;
  const auto trials = static_cast<std::int64_t>(recording.trials.size());
  if (trials < session.space_size)
    notes.push_back(fmt::format("the recording has only {} of {} configurations; `tune` can try no others", trials,
                                session.space_size));
  if (session.state != SessionState::finished) notes.emplace_back("the session did not finish");
  if (is_recorded_device(session.identity.device_backend))
    notes.push_back("the session replayed another recording, so its times come from that recording: " +
                    origin_text(recording));
  if (recording.source_hash == kSourcesNotKnown)
    notes.emplace_back("results from the new recording cannot be certified: the session replayed an older recording, "
                       "whose kernel sources are unknown or differ from the present ones");
  return notes;
}

} // namespace

Error missing_session(const std::vector<SessionRecord>& sessions, RowId id, const std::string& kernel,
                      const std::string& problem) {
  constexpr const char* kAdvice = "`warptune show sessions` lists the sessions";
  const auto found = std::find_if(sessions.begin(), sessions.end(), [&](const SessionRecord& s) { return s.id == id; });
  if (found == sessions.end()) return {ErrorKind::no_candidate, fmt::format("there is no session {}; {}", id, kAdvice)};
  const SessionIdentity& is = found->identity;
  const bool is_kernel = is.kernel == kernel; // then the problem differs
  const auto named = [&](const std::string& name, const std::string& key) {
    return is_kernel ? name + " " + short_problem(key) : name;
  };
  return {ErrorKind::no_candidate, fmt::format("session {} is of {}, not of {}; {}", id, named(is.kernel, is.problem),
                                               named(kernel, problem), kAdvice)};
}

Result<RecordedSession> record_session(const SessionArgs& args) {
  if (args.problem.kernel.empty() && !args.problem.shape.empty())
    return fail(ErrorKind::bad_input, "--shape needs a kernel; name the kernel first, as in KERNEL --shape ...");
  WT_TRY(auto reader, Reader::open(database_path(args.db)));
  std::vector<std::string> notes;
  WT_TRY(auto session, find_session(reader, args, notes));
  WT_TRY(auto recording, make_recording(reader, session));
  WT_TRY(const auto trials, reader.count_trials(session.id));
  for (std::string& note : notes_on(session, recording)) notes.push_back(std::move(note));
  return RecordedSession{std::move(session), std::move(recording), std::move(notes), trials};
}

} // namespace warptune::cli
