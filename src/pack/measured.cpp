#include "pack/measured.h"

#include "db/spec_reader.h"
#include "db/tuned_entries.h"
#include "spec/former_config.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace warptune {
namespace {

using Place = std::tuple<std::string, std::string, std::string>; // device name, architecture, variant

bool is_wanted(const BestRecord& row, const std::vector<std::string>& wanted) {
  return wanted.empty() || std::any_of(wanted.begin(), wanted.end(), [&](const std::string& name) {
           return name == row.device_name || name == row.arch;
         });
}

// Compares results of one problem on devices of the same name.
bool is_better(const BestRecord& a, const BestRecord& b) {
  const auto rank = [](const BestRecord& row) {
    return std::tuple(row.disqualified.empty(), row.objective == Objective::time, row.certified, row.cold_l2);
  };
  return rank(a) > rank(b);
}

// Renames a result from before the implementations had names.
void rename(BestRecord& row, const KernelSpec& spec, const Config& config) {
  row.config = config_text(spec, config);
  row.tie_set = {row.config};
  row.outcome += (row.outcome.empty() ? "" : "; ") + std::string("tuned before the kernel's implementations had names");
}

DeviceInfo find_device(const std::vector<DeviceInfo>& devices, const BestRecord& row) {
  DeviceInfo found;
  for (const DeviceInfo& device : devices) // the last one wins: it was added last
    if (device.backend == row.device_backend && device.name == row.device_name && device.arch == row.arch)
      found = device;
  found.uuid.clear();
  return found;
}

class Filler {
 public:
  Filler(SpecReader& reader, const KernelSpec& spec, MeasuredVariant& variant)
      : reader_(reader), spec_(spec), variant_(variant) {}

  std::size_t config_number(const Config& config) {
    const std::string text = config_text(spec_, config);
    const auto [found, is_new] = numbers_.try_emplace(text, variant_.configs.size());
    if (is_new) {
      variant_.configs.push_back(config);
      variant_.texts.push_back(text);
      variant_.is_wrong.push_back(false);
      variant_.is_call.push_back(spec_.calls_libraries(config));
    }
    return found->second;
  }

  // Does not overwrite filled cells: the session of the result itself is read first.
  Result<void> add_session(MeasuredShape& shape, RowId session) {
    WT_TRY(const auto trials, reader_.trials(session));
    const std::size_t standard_number = variant_.default_of(shape);
    const Config standard = variant_.configs[standard_number];
    const auto is_standard = [&](const SpecTrial& trial) {
      return trial.config && *trial.config == standard && trial.row.trial.status == TrialStatus::ok;
    };
    const auto reference = std::find_if(trials.begin(), trials.end(), is_standard);
    for (const auto& [row, config] : trials) {
      if (!config) continue;
      const std::size_t number = config_number(*config);
      if (shape.cells.size() <= number) shape.cells.resize(number + 1);
      const TrialStatus status = row.trial.status;
      if (status == TrialStatus::wrong_result || status == TrialStatus::unstable) variant_.is_wrong[number] = true;
      Cell& cell = shape.cells[number];
      if (row.trial.status != TrialStatus::ok || !(row.trial.timing->median_us > 0) || cell.us > 0) continue;
      const Timing& timing = *row.trial.timing;
      if (!timing.complete && number != standard_number) continue; // stopped early: not a complete measurement
      cell.us = timing.median_us;
      cell.session = session;
      cell.is_faster = reference != trials.end() && timing.ci_high_us < reference->row.trial.timing->ci_low_us;
    }
    return {};
  }

 private:
  SpecReader& reader_;
  const KernelSpec& spec_;
  MeasuredVariant& variant_;
  std::map<std::string, std::size_t> numbers_;
};

} // namespace

std::vector<std::size_t> MeasuredVariant::defaults() const {
  std::vector<std::size_t> found = {default_config};
  for (const MeasuredShape& shape : shapes) found.push_back(default_of(shape));
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

Result<PackedKernel> load_packed_kernel(const Reader& reader, const std::string& name, const std::string& source_hash) {
  WT_TRY(auto record, reader.kernel(name, source_hash));
  if (!record && !source_hash.empty())
    return fail(ErrorKind::no_candidate,
                fmt::format("nothing of {} was tuned with these sources (hash {:.12}); tune with the same --also and "
                            "--include, or leave them out to pack the latest results",
                            name, source_hash));
  if (!record) return fail(ErrorKind::database, fmt::format("the file contains no kernel {}", name));
  WT_TRY(auto spec, spec_of(*record));
  SourceFiles sources{record->files};
  return PackedKernel{std::move(*record), std::move(spec), std::move(sources)};
}

std::string variant_of(const std::string& problem_key) {
  const std::size_t at = problem_key.find(';');
  return at == std::string::npos ? "" : problem_key.substr(at + 1);
}

TimingMatrix matrix_of(const MeasuredVariant& variant) {
  TimingMatrix matrix{variant.device.name, variant.device.arch, {}, variant.configs, {}};
  for (const MeasuredShape& shape : variant.shapes) {
    matrix.problems.push_back(shape.problem);
    for (std::size_t c = 0; c < variant.configs.size(); ++c)
      matrix.us.push_back(variant.is_wrong[c] ? std::numeric_limits<double>::quiet_NaN() : shape.cells[c].us);
  }
  return matrix;
}

Result<std::vector<MeasuredVariant>> read_measured(const Reader& reader, const PackedKernel& kernel,
                                                   const std::vector<std::string>& wanted,
                                                   std::vector<std::string>& notes) {
  SpecReader typed(reader, kernel.spec);
  WT_TRY(auto bests, typed.best());
  WT_TRY(auto devices, reader.devices());
  WT_TRY(auto sessions, reader.sessions(kernel.spec.name));

  std::map<Place, std::map<std::string, SpecBest>> results;
  std::size_t others = 0;
  for (SpecBest& best : bests) {
    BestRecord& row = best.row;
    if (!counts_for(kernel.spec, kernel.record.source_hash, row.source_hash, row.config)) {
      ++others;
      continue;
    }
    if (best.config && row.source_hash != kernel.record.source_hash) rename(row, kernel.spec, *best.config);
    if ((row.config.empty() && !kernel.spec.params.empty()) || !is_wanted(row, wanted)) continue;
    auto& of_place = results[{row.device_name, row.arch, variant_of(row.problem)}];
    const auto [found, is_new] = of_place.try_emplace(row.problem, best);
    const auto is_own = [&](const BestRecord& one) { return one.source_hash == kernel.record.source_hash; };
    const BestRecord& known = found->second.row;
    if (!is_new && (is_own(row) != is_own(known) ? is_own(row) : is_better(row, known))) found->second = best;
  }
  if (others > 0)
    notes.push_back(
        fmt::format("{}: left out {}, because the tuned sources differ from those in this pack (--also changes "
                    "the sources); tune again with the pack's sources",
                    kernel.spec.name, others == 1 ? "1 result" : fmt::format("{} results", others)));

  std::vector<MeasuredVariant> variants;
  for (const auto& [place, of_place] : results) {
    MeasuredVariant variant;
    variant.variant = std::get<2>(place);
    variant.device = find_device(devices, of_place.begin()->second.row);
    if (variant.device.name.empty()) {
      notes.push_back(
          fmt::format("{}: the results of {} are left out, because the limits of this device cannot be read",
                      kernel.spec.name, std::get<0>(place)));
      continue;
    }
    Filler filler(typed, kernel.spec, variant);
    const auto readable =
        std::find_if(of_place.begin(), of_place.end(), [](const auto& one) { return one.second.problem.has_value(); });
    const Config standard = readable == of_place.end()
                                ? default_config(kernel.spec)
                                : default_config(kernel.spec, *readable->second.problem, variant.device);
    variant.default_config = filler.config_number(standard);
    for (const auto& [key, result] : of_place) {
      if (!result.problem) {
        notes.push_back(fmt::format("{}: {} left out: {}", kernel.spec.name, key, result.problem.error().message));
        continue;
      }
      const BestRecord& best = result.row;
      MeasuredShape shape{*result.problem, key, best, {}, {}};
      shape.default_config = filler.config_number(default_config(kernel.spec, *result.problem, variant.device));
      std::vector<RowId> of_shape;
      for (const SessionRecord& session : sessions) {
        const SessionIdentity& i = session.identity;
        if (i.source_hash != best.source_hash || i.problem != key || i.arch != best.arch ||
            i.device_name != best.device_name || i.cold_l2 != best.cold_l2)
          continue;
        if (session.id == best.session) {
          shape.session = session;
          of_shape.insert(of_shape.begin(), session.id);
        } else {
          of_shape.push_back(session.id);
        }
      }
      for (const RowId session : of_shape) WT_CHECK(filler.add_session(shape, session));
      variant.shapes.push_back(std::move(shape));
    }
    for (MeasuredShape& shape : variant.shapes) shape.cells.resize(variant.configs.size());
    if (!variant.shapes.empty()) variants.push_back(std::move(variant));
  }
  return variants;
}

} // namespace warptune
