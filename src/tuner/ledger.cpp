#include "tuner/ledger.h"

#include "core/device.h"
#include "core/units.h"
#include "db/stored_values.h"
#include "jit/cubin_cache.h"
#include "tuner/built_candidates.h"
#include "tuner/stale_roofs.h"
#include "warptune/build_config.h"

#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace warptune {
namespace {

constexpr RowId kNoSession = 0; // the lock with this number allows one session to begin at a time
constexpr const char* kKnowledgeMark = "; knowledge "; // begins the knowledge in strategy_identity
constexpr int kEnterAttempts = 120;                    // attempts of half a second each

// The reasons why a session cannot be continued as another, in words: "the driver (580.1 then, 590.2 now)".
std::vector<std::string> differences(const SessionIdentity& then, const SessionIdentity& now) {
  std::vector<std::string> found;
  const auto compare = [&](const char* what, const auto& a, const auto& b) {
    if (a != b) found.push_back(fmt::format("{} ({} then, {} now)", what, a, b));
  };
  if (then.source_hash != now.source_hash) found.emplace_back("the kernel's sources");
  compare("the problem", then.problem, now.problem);
  compare("the backend", then.device_backend, now.device_backend);
  compare("the device", then.device_name, now.device_name);
  if (then.device_name == now.device_name) compare("the device's UUID", then.device_uuid, now.device_uuid);
  compare("the architecture", then.arch, now.arch);
  compare("the driver", then.driver, now.driver);
  compare("the compiler", then.compiler, now.compiler);
  compare("the strategy", then.strategy, now.strategy);
  const auto budget = [](const std::string& text) { return text.empty() ? std::string("all") : text; };
  compare("the objective", objective_name(then.objective), objective_name(now.objective));
  compare("the budget", budget(then.budget), budget(now.budget));
  compare("the seed", then.seed, now.seed);
  const auto l2 = [](bool cold) { return cold ? "cold" : "warm"; };
  if (then.cold_l2 != now.cold_l2) compare("the L2 cache", std::string(l2(then.cold_l2)), std::string(l2(now.cold_l2)));
  return found;
}

} // namespace

std::string strategy_identity(const SessionOptions& options) {
  if (options.knowledge == KnowledgeParts{}) return options.strategy;
  return options.strategy + kKnowledgeMark + knowledge_text(options.knowledge);
}

std::vector<std::string> strategy_spellings(const std::string& strategy) {
  const std::size_t mark = strategy.find(kKnowledgeMark);
  const auto parts =
      parse_knowledge(mark == std::string::npos ? "all" : strategy.substr(mark + std::string(kKnowledgeMark).size()));
  std::vector<std::string> spellings = {strategy};
  if (parts)
    for (const std::string& text : former_knowledge_texts(*parts))
      spellings.push_back(strategy.substr(0, mark) + kKnowledgeMark + text);
  return spellings;
}

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
  // If a version is not available, the session fails before it is stored.
  if (const auto builders = allowed_builders(kernel, options)) id.compiler = with_builders(id.compiler, *builders);
  id.strategy = strategy_identity(options);
  id.budget = ending_text(options.budget, options.stop_rules);
  id.seed = options.seed;
  id.cold_l2 = options.measure.cold_l2;
  id.objective = options.objective;
  return id;
}

Result<Ledger> Ledger::open(const std::filesystem::path& path) {
  const std::filesystem::path file = path.empty() ? database_path({}) : path;
  WT_TRY(auto writer, Writer::open(file));
  return Ledger(file, std::move(writer));
}

std::optional<Ledger::KnownRoofs> Ledger::known_roofs(const DeviceInfo& device) const {
  if (device.uuid.empty()) return std::nullopt;
  const auto opened = reader();
  if (!opened) return std::nullopt;
  const auto roofs = (*opened)->roofs(device.uuid);
  if (!roofs || !*roofs) return std::nullopt;
  return KnownRoofs{**roofs, why_stale(**roofs, device, std::chrono::system_clock::now())};
}

Result<void> Ledger::still_there() const { return writer_.still_there(); }

Result<void> Ledger::put_kernel(const Kernel& kernel, const DeviceInfo& device) {
  DeviceInfo described = device;
  described.compiler = without_builders(device.compiler); // libraries belong to the kernel
  WT_CHECK(writer_.put_device(described));
  return writer_.put_kernel({0, kernel.spec.name, kernel.source_hash, kernel.sources.files});
}

Result<void> Ledger::put_roofs(const DeviceInfo& device) { return writer_.put_roofs(device, device.roofs); }

Result<std::optional<RowId>> Ledger::find_unfinished(SessionIdentity identity) const {
  for (std::string& spelling : strategy_spellings(identity.strategy)) {
    identity.strategy = std::move(spelling);
    WT_TRY(auto unfinished, writer_.find_unfinished(identity));
    if (unfinished) return unfinished;
  }
  return std::nullopt;
}

Result<const Reader*> Ledger::reader() const {
  if (!reader_) {
    WT_TRY(auto opened, Reader::open(path_));
    reader_.emplace(std::move(opened));
  }
  return &*reader_;
}

Result<std::optional<Ledger::Earlier>> Ledger::find_earlier(const SessionIdentity& identity) const {
  WT_TRY(auto unfinished, find_unfinished(identity));
  if (unfinished) return Earlier{*unfinished, false, {}};
  WT_TRY(const Reader* stored, reader());
  std::optional<SessionRecord> same;
  for (SessionIdentity spelt = identity; std::string & spelling : strategy_spellings(identity.strategy)) {
    spelt.strategy = std::move(spelling);
    WT_TRY(same, stored->find_session(spelt));
    if (same) break;
  }
  if (!same) return std::nullopt;
  Earlier earlier{same->id, same->state == SessionState::finished, {}};
  if (!earlier.finished) return earlier;
  WT_TRY(auto best, stored->best_of_session(earlier.session));
  // If a check disqualified the winner, another one is certified.
  if (best && best->disqualified.empty()) earlier.best = std::move(best);
  return earlier;
}

std::optional<SessionState> Ledger::earlier_state(const SessionIdentity& identity) const {
  const auto earlier = find_earlier(identity);
  if (!earlier || !*earlier) return std::nullopt;
  return (*earlier)->best ? SessionState::finished : SessionState::interrupted;
}

Result<std::optional<Ledger::Earlier>> Ledger::take_earlier(const SessionIdentity& identity) {
  auto earlier = find_earlier(identity);
  while (earlier && *earlier && !(*earlier)->best) {
    const RowId session = (*earlier)->session;
    std::string holder;
    WT_TRY(auto lock, SessionLock::take(path_, session, holder));
    if (!lock)
      return fail(ErrorKind::bad_input,
                  fmt::format("session {} is in use by {}; wait for it or start without --resume", session, holder));
    // The previous holder of the lock may have finished the session.
    earlier = find_earlier(identity);
    if (!earlier || !*earlier || (*earlier)->session != session) continue;
    lock_ = std::move(lock);
    break;
  }
  return earlier;
}

Result<RowId> Ledger::begin(const SessionIdentity& identity, std::int64_t space_size) {
  for (;;) {
    auto session = writer_.begin_session(identity, space_size, kVersion);
    if (!session) return session;
    std::string holder;
    WT_TRY(auto lock, SessionLock::take(path_, *session, holder));
    lock_ = std::move(lock);
    if (lock_) return session; // else another process resumed it at once and owns it
  }
}

// Compares with the earlier session of the kernel that differs least, because the user may have meant that one. If
// several differ equally, compares with the newest of them.
Result<std::optional<std::string>> Ledger::why_not_resumed(const SessionIdentity& identity, bool same_problem) const {
  WT_TRY(const Reader* stored, reader());
  WT_TRY(auto nearest, stored->nearest_session(identity));
  if (same_problem && (!nearest || nearest->identity.problem != identity.problem)) return std::nullopt;
  if (!nearest) return fmt::format("there is no earlier session of {} to resume", identity.kernel);
  return fmt::format("nothing was resumed, because the nearest earlier session, {}, differs in {}", nearest->id,
                     fmt::join(differences(nearest->identity, identity), ", "));
}

Result<SessionLock> Ledger::enter() const {
  std::string holder;
  for (int attempt = 0; attempt < kEnterAttempts; ++attempt) {
    WT_TRY(auto lock, SessionLock::take(path_, kNoSession, holder));
    if (lock) return std::move(*lock);
  }
  return fail(ErrorKind::database,
              fmt::format("{} is blocking new sessions in {}; end it and try again", holder, path_.string()));
}

std::string Ledger::unfinished_note(RowId session) const {
  if (const std::string holder = SessionLock::holder(path_, session); !holder.empty())
    return fmt::format("session {} with the same settings is in use by {}", session, holder);
  const auto known = writer_.session_trials(session);
  return fmt::format("session {} with the same settings was not finished; --resume would continue it and reuse its {}",
                     session, count_text(known ? std::ssize(*known) : 0, "trial"));
}

Result<OpenedSession> Ledger::open_session(const SessionIdentity& identity, bool resume, bool part_of_sweep,
                                           std::int64_t space_size, const KernelSpec& spec,
                                           const std::function<bool(const Config& config)>& knows) {
  OpenedSession opened;
  StoredValues values(spec);
  const auto knows_text = [&](const std::string& text) {
    const Result<Config>& config = values.config(text);
    return config && knows(*config);
  };
  // The gate makes finding an earlier session and beginning a new one a single step. Otherwise two programs could both
  // find none.
  WT_TRY(auto gate, enter());
  if (resume) {
    WT_TRY(auto earlier, take_earlier(identity));
    if (earlier) {
      opened.session = earlier->session;
      opened.finished = earlier->finished;
      opened.best = std::move(earlier->best);
      if (!opened.best) {
        WT_TRY(auto damaged, writer_.reopen_session(opened.session, knows_text));
        if (damaged > 0) {
          opened.finished = false;
          opened.notes.push_back(fmt::format("{} of session {} could not be read and {} measured again",
                                             damaged == 1 ? "1 trial" : fmt::format("{} trials", damaged),
                                             opened.session, damaged == 1 ? "is" : "are"));
        }
      }
      WT_TRY(auto rows, writer_.session_trials(opened.session));
      for (TrialRow& row : rows) {
        if (!knows_text(row.config)) continue;
        row.trial.config = *values.config(row.config);
        opened.known.push_back(std::move(row.trial));
      }
      return opened;
    }
    WT_TRY(auto note, why_not_resumed(identity, part_of_sweep));
    if (note) opened.notes.push_back(std::move(*note));
  } else {
    WT_TRY(auto unfinished, find_unfinished(identity));
    if (unfinished) opened.notes.push_back(unfinished_note(*unfinished));
  }
  WT_TRY(auto session, begin(identity, space_size));
  opened.session = session;
  return opened;
}

Result<void> Ledger::record(RowId session, const KernelSpec& spec, const Trial& trial, const DeviceInfo& device) {
  return writer_.record(session, config_text(spec, trial.config), trial,
                        is_recorded_device(device.backend) ? device.roofs.measured_at : std::string());
}

Result<void> Ledger::keep_profile(RowId session, const KernelSpec& spec, const Trial& trial) {
  return writer_.add(session, config_text(spec, trial.config), {trial.profile, {}});
}

Result<void> Ledger::keep_power(RowId session, const KernelSpec& spec, const Trial& trial) {
  return writer_.add(session, config_text(spec, trial.config), {{}, trial.power});
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
