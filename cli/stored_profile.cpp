#include "cli/stored_profile.h"

#include <algorithm>
#include <fmt/format.h>

namespace warptune::cli {
namespace {

// The newest session with a trial of the configuration on this device, timed with the L2 state of the counts. Sessions
// that minimised time come first. nullopt if there is no such session.
Result<std::optional<RowId>> session_of(const Reader& reader, const Asked& asked, const DeviceInfo& device,
                                        const std::string& config, bool cold_l2) {
  WT_TRY(auto sessions, reader.sessions(asked.kernel.spec.name));
  std::erase_if(sessions, [&](const SessionRecord& s) { return s.identity.cold_l2 != cold_l2; });
  std::stable_partition(sessions.begin(), sessions.end(),
                        [](const SessionRecord& s) { return s.identity.objective == Objective::time; });
  for (const SessionRecord& session : sessions) {
    const SessionIdentity& i = session.identity;
    if (i.problem != asked.key() || i.source_hash != asked.kernel.source_hash || i.device_backend != device.backend ||
        i.device_name != device.name || i.device_uuid != device.uuid)
      continue;
    WT_TRY(auto trials, reader.trials(session.id));
    for (const TrialRow& row : trials)
      if (row.config == config && row.trial.status == TrialStatus::ok) return std::optional<RowId>(session.id);
  }
  return std::optional<RowId>{};
}

} // namespace

Result<std::string> store_profile(const std::filesystem::path& file, const Reader* database, const Asked& asked,
                                  const DeviceInfo& device, const ProfileFindings& found) {
  const std::string not_stored = "not stored: no session on this device measured this configuration with this L2 cache "
                                 "state; run `warptune tune` first";
  if (database == nullptr) return not_stored;
  WT_TRY(auto session, session_of(*database, asked, device, found.config, found.cold_l2));
  if (!session) return not_stored;
  WT_TRY(auto writer, Writer::open(file));
  WT_CHECK(writer.add(*session, found.config, found.findings));
  return fmt::format("stored with session {}", *session);
}

} // namespace warptune::cli
