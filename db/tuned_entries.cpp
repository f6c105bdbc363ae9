#include "db/tuned_entries.h"

#include "core/device.h"
#include "spec/former_config.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace warptune {
namespace {

Result<TunedEntry> make_entry(const BestRecord& row, StoredValues& values) {
  WT_TRY(auto tuned, tuned_values(row, values));
  TunedEntry entry;
  entry.problem = std::move(tuned.problem);
  entry.config = std::move(tuned.config);
  entry.device_name = row.device_name;
  entry.arch = row.arch;
  entry.median_us = row.median_us;
  entry.speedup_over_default = row.median_us > 0 ? row.default_us / row.median_us : 0;
  entry.certified = row.certified;
  entry.row_id = row.id;
  entry.outcome = row.outcome;
  entry.standing = standing_text(row);
  entry.disqualified = row.disqualified;
  return entry;
}

bool is_same_place(const BestRecord& a, const BestRecord& b) {
  return a.problem == b.problem && a.device_backend == b.device_backend && a.device_name == b.device_name &&
         a.device_uuid == b.device_uuid;
}

// Applications ask for speed: a result tuned for energy is used only if none was tuned for time.
bool has_fastest(const std::vector<BestRecord>& rows, const BestRecord& other) {
  return std::any_of(rows.begin(), rows.end(), [&](const BestRecord& row) {
    return row.objective == Objective::time && row.disqualified.empty() && row.source_hash == other.source_hash &&
           is_same_place(row, other);
  });
}

// The rows of the source itself, in their order, followed by rows of former sources that `formerly` can read. A former
// row is left out if the source itself, or a newer row of another former source, has a result for the same problem and
// device.
std::vector<const BestRecord*> counted_rows(const std::vector<BestRecord>& rows, const KernelSpec& spec,
                                            const std::string& source_hash, std::size_t& stale) {
  std::vector<const BestRecord*> own, former;
  for (const BestRecord& row : rows) {
    if (row.config.empty() && !spec.params.empty()) continue; // a session that found nothing correct
    if (source_hash.empty() || row.source_hash == source_hash)
      own.push_back(&row);
    else if (counts_for(spec, source_hash, row.source_hash, row.config))
      former.push_back(&row);
    else
      ++stale;
  }
  for (const BestRecord* row : former) { // newest first
    const auto stands_for = [&](const BestRecord* other) {
      return is_same_place(*other, *row) && other->source_hash != row->source_hash;
    };
    if (std::none_of(own.begin(), own.end(), stands_for)) own.push_back(row);
  }
  return own;
}

// The session's fastest configuration that calls no library, and its time: that of the finals, or else the fastest
// complete trial. nullopt: there is none, or only the default, which nothing else was compared with.
Result<std::optional<std::pair<Config, double>>> without_libraries(const Reader& reader, const BestRecord& row,
                                                                   StoredValues& values) {
  std::optional<std::pair<Config, double>> best;
  if (row.without_calls_us > 0 && row.without_calls != row.default_config)
    if (const Result<Config>& config = values.config(row.without_calls))
      return best.emplace(*config, row.without_calls_us);
  WT_TRY(const auto trials, reader.trials(row.session));
  bool is_default = true;
  for (const TrialRow& t : trials) {
    if (t.trial.status != TrialStatus::ok || !t.trial.timing || !t.trial.timing->complete) continue;
    const double us = t.trial.timing->median_us;
    if (!(us > 0)) continue;
    const Result<Config>& config = values.config(t.config);
    if (!config || values.spec().calls_libraries(*config)) continue;
    is_default = is_default && t.config == row.default_config;
    if (!best || us < best->second) best.emplace(*config, us);
  }
  return is_default ? std::nullopt : best;
}

// Adds, after the row's entry, one that applications use if they do not allow library calls.
Result<void> add_without_libraries(const Reader& reader, const BestRecord& row, StoredValues& values,
                                   TunedEntries& out) {
  WT_TRY(auto best, without_libraries(reader, row, values));
  if (!best) return {};
  TunedEntry entry = out.entries.back();
  entry.config = std::move(best->first);
  entry.median_us = best->second;
  entry.speedup_over_default = row.default_us / best->second;
  entry.certified = false;
  entry.row_id = 0;
  entry.outcome = "the fastest configuration of its session that calls no library";
  entry.standing.clear();
  entry.disqualified.clear();
  out.entries.push_back(std::move(entry));
  return {};
}

const std::string kFormerSource = "tuned before the kernel's implementations had names; tune again to renew the result";

std::string results(std::size_t count) { return fmt::format("{} result{}", count, count == 1 ? "" : "s"); }

} // namespace

Result<TunedValues> tuned_values(const BestRecord& row, StoredValues& values) {
  WT_TRY(auto problem, values.problem(row.problem));
  WT_TRY(auto config, values.config(row.config));
  return TunedValues{std::move(problem), std::move(config)};
}

Result<TunedEntries> load_tuned_entries(const Reader& reader, const KernelSpec& spec, const std::string& source_hash) {
  WT_TRY(const auto rows, reader.best(spec.name));
  return make_tuned_entries(reader, rows, spec, source_hash);
}

Result<TunedEntries> load_entries_of_problem(const Reader& reader, const KernelSpec& spec,
                                             const std::string& source_hash, const Problem& problem) {
  if (!spec.lists.empty()) return load_tuned_entries(reader, spec, source_hash);
  WT_TRY(const auto rows, reader.best_of_problem(spec.name, problem_key(spec, problem)));
  return make_tuned_entries(reader, rows, spec, source_hash);
}

Result<TunedEntries> make_tuned_entries(const Reader& reader, const std::vector<BestRecord>& rows,
                                        const KernelSpec& spec, const std::string& source_hash) {
  TunedEntries out;
  StoredValues values(spec);
  std::size_t stale = 0, unreadable = 0;
  std::string first_reason;
  for (const BestRecord* const counted : counted_rows(rows, spec, source_hash, stale)) {
    const BestRecord& row = *counted;
    if (row.objective != Objective::time && has_fastest(rows, row)) continue;
    if (auto entry = make_entry(row, values)) {
      if (!source_hash.empty() && row.source_hash != source_hash)
        entry->standing = kFormerSource + (entry->standing.empty() ? "" : "; " + entry->standing);
      out.entries.push_back(std::move(*entry));
      if (spec.calls_libraries(out.entries.back().config)) WT_CHECK(add_without_libraries(reader, row, values, out));
    } else if (unreadable++ == 0) {
      first_reason = entry.error().message;
    }
  }
  if (stale > 0)
    out.notes.push_back(fmt::format("left out {} of {} from other versions of its sources; tune again to replace {}",
                                    results(stale), spec.name, stale == 1 ? "it" : "them"));
  if (unreadable > 0)
    out.notes.push_back(
        fmt::format("left out {} of {} that cannot be read ({})", results(unreadable), spec.name, first_reason));
  return out;
}

std::string check_text(const BestRecord& row, CheckStatus status) {
  const bool is_recorded = is_recorded_device(row.device_backend) && status != CheckStatus::not_timed;
  return check_text(status) + (is_recorded ? " (recorded, not timed)" : "");
}

std::string standing_text(const BestRecord& row) {
  std::string text = row.stale.empty() ? "" : "stale: " + row.stale;
  if (row.last_check)
    text += fmt::format("{}last re-checked {}: {}", text.empty() ? "" : "; ", row.last_check->checked_at.substr(0, 10),
                        check_text(row, row.last_check->status));
  return text;
}

} // namespace warptune
