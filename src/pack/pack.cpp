#include "pack/pack.h"

#include "core/text.h"
#include "db/pack_writer.h"
#include "db/spec_reader.h"
#include "pack/choose.h"
#include "pack/extra.h"
#include "predict/transfer.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>

namespace warptune {
namespace {

constexpr int kPackFormat = 1; // version of the table `pack` and of what its readers rely on

Result<std::vector<std::string>> wanted_kernels(const Reader& reader, const std::vector<std::string>& asked) {
  WT_TRY(auto known, reader.kernel_names());
  for (const std::string& name : asked)
    if (std::find(known.begin(), known.end(), name) == known.end())
      return fail(ErrorKind::no_candidate,
                  fmt::format("the database has no kernel {}{}", quote(name), suggest_name(name, known)));
  return asked.empty() ? known : asked;
}

Result<void> check_gpus(const Reader& reader, const std::vector<std::string>& asked) {
  WT_TRY(auto devices, reader.devices());
  std::vector<std::string> known;
  for (const DeviceInfo& device : devices)
    for (const std::string& name : {device.name, device.arch})
      if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
  for (const std::string& name : asked)
    if (std::find(known.begin(), known.end(), name) == known.end())
      return fail(ErrorKind::no_candidate,
                  fmt::format("nothing was tuned on {}{}", quote(name), suggest_name(name, known)));
  return {};
}

class Packer {
 public:
  Packer(const Reader& reader, const PackOptions& options) : reader_(reader), options_(options) {}

  Result<void> add_kernel(const std::string& name) {
    WT_TRY(auto kernel, load_packed_kernel(reader_, name, hash_of(name)));
    WT_TRY(auto variants, read_measured(reader_, kernel, options_.gpus, report_.notes));
    WT_TRY(timings_, reader_.timings(kernel.spec, kernel.record.source_hash));
    bool is_packed = false;
    for (const MeasuredVariant& variant : variants) {
      VariantChoice choice = choose_configs(variant, options_.cover, report_.notes);
      if (choice.picks.empty()) continue;
      add_suite_programs(programs_, kernel, variant, choice.configs);
      add_extra(kernel, variant, choice);
      is_packed = true;
      WT_CHECK(add_shapes(kernel, variant, choice));
      add_rule(kernel, variant, choice);
      add_untuned(kernel, variant, choice);
      add_device(variant.device);
    }
    if (is_packed)
      content_.kernels.push_back(kernel.record);
    else
      report_.notes.push_back(fmt::format("{} is not in the pack, because it has no result{} that a pack may contain",
                                          name, options_.gpus.empty() ? "" : " for the requested GPUs"));
    return {};
  }

  Result<PackReport> finish(const std::filesystem::path& output) {
    if (content_.kernels.empty()) {
      std::string why = "there is nothing to pack: no kernel has a tuned result";
      for (const std::string& note : report_.notes) why += "; " + note;
      return fail(ErrorKind::no_candidate, why);
    }
    WT_TRY(auto cubins, find_cubins(programs_, reader_, options_.cubins));
    for (auto& [key, cubin] : cubins.by_key) {
      report_.cubin_bytes += static_cast<std::int64_t>(cubin.image.size());
      content_.cubins.push_back(std::move(cubin));
    }
    report_.programs = programs_.size();
    report_.stored = cubins.stored;
    report_.compiled = cubins.compiled;
    for (const ProbeTable& table : probed_)
      report_.untuned.push_back(share_of(table, [&](const std::string& key) { return cubins.by_key.count(key) != 0; }));
    add_missing(cubins.missing, cubins.by_key);
    content_.values = {{"format", std::to_string(kPackFormat)},
                       {"warptune", options_.version},
                       {"cover", fmt::format("{:g}%", 100 * options_.cover)},
                       {"licence", options_.licence},
                       {"tuned_from", first_},
                       {"tuned_until", last_}};
    WT_CHECK(write_pack(output, std::move(content_)));
    return std::move(report_);
  }

 private:
  std::string hash_of(const std::string& name) const {
    const auto found = options_.source_hashes.find(name);
    return found == options_.source_hashes.end() ? std::string() : found->second;
  }

  static std::vector<std::pair<std::size_t, std::size_t>> pairs_of(const VariantChoice& choice) {
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (const Pick& pick : choice.picks) pairs.emplace_back(pick.shape, pick.config);
    return pairs;
  }

  void add_extra(const PackedKernel& kernel, const MeasuredVariant& variant, VariantChoice& choice) const {
    for (const std::size_t c : extra_configs(kernel, variant, choice.configs, options_.extra_configs))
      choice.configs.push_back(c);
    std::sort(choice.configs.begin(), choice.configs.end());
  }

  Result<void> add_shapes(const PackedKernel& kernel, const MeasuredVariant& variant, const VariantChoice& choice) {
    const auto keys = add_shape_programs(programs_, kernel, variant, pairs_of(choice));
    for (std::size_t i = 0; i < keys.size(); ++i) {
      WT_CHECK(add_shape(kernel, variant, choice, choice.picks[i], keys[i]));
      if (keys[i] && !keys[i]->empty()) shape_programs_.push_back(*keys[i]);
    }
    for (const auto& key : add_shape_programs(programs_, kernel, variant, choice.without_libraries))
      if (key) shape_programs_.push_back(*key);
    return {};
  }

  Result<void> add_shape(const PackedKernel& kernel, const MeasuredVariant& variant, const VariantChoice& choice,
                         const Pick& pick, const std::optional<std::string>& key) {
    const MeasuredShape& shape = variant.shapes[pick.shape];
    if (!key) {
      report_.notes.push_back(fmt::format("{} {} was left out, because {} cannot be launched on {}", shape.best.kernel,
                                          shape.key, pick.best.config, variant.device.name));
      return {};
    }
    PackedShape packed{shape.session.identity,
                       shape.session.version,
                       shape.session.started_at,
                       shape.session.ended_at,
                       shape.session.space_size,
                       pick.best,
                       {}};
    packed.session.device_uuid.clear(); // applies to every device of this name
    packed.best.cubin_hash = *key;
    const auto is_shipped = [&](const std::string& text) {
      return std::ranges::any_of(choice.configs, [&](std::size_t c) { return variant.texts[c] == text; });
    };
    if (!is_shipped(packed.best.without_calls)) { // then the fastest shipped trial takes its place
      packed.best.without_calls.clear();
      packed.best.without_calls_us = 0;
    }
    packed.session.source_hash = packed.best.source_hash = kernel.record.source_hash; // also the hash of former results
    WT_CHECK(add_trials(packed, kernel, variant, choice, shape));
    first_ = first_.empty() ? packed.started_at : std::min(first_, packed.started_at);
    last_ = std::max(last_, packed.ended_at);
    content_.shapes.push_back(std::move(packed));
    return {};
  }

  // Adds the times of all shipped configurations on this shape; the rule for untuned shapes needs them.
  Result<void> add_trials(PackedShape& packed, const PackedKernel& kernel, const MeasuredVariant& variant,
                          const VariantChoice& choice, const MeasuredShape& shape) {
    SpecReader typed(reader_, kernel.spec);
    std::map<RowId, std::vector<SpecTrial>> of_session;
    for (const std::size_t c : choice.configs) {
      const Cell& cell = shape.cells[c];
      if (!(cell.us > 0)) continue;
      const auto [found, is_new] = of_session.try_emplace(cell.session);
      if (is_new) {
        WT_TRY(auto rows, typed.trials(cell.session));
        found->second = std::move(rows);
      }
      for (const auto& [row, config] : found->second) {
        if (!config || *config != variant.configs[c] || !row.trial.timing || row.trial.timing->median_us != cell.us)
          continue;
        TrialRow& kept = packed.trials.emplace_back(row);
        kept.config = variant.texts[c];
        kept.trial.timing->samples_us.clear();
        kept.trial.profile.reset();
        kept.trial.power.reset();
        kept.trial.evidence.clear();
        kept.trial.cubin_hash.clear();
        kept.trial.compile_ms = kept.trial.verify_ms = kept.trial.measure_ms = 0;
        break; // several texts from before the implementations had names may mean this configuration
      }
    }
    return {};
  }

  void add_rule(const PackedKernel& kernel, const MeasuredVariant& variant, const VariantChoice& choice) {
    PackRule rule;
    rule.kernel = kernel.spec.name;
    rule.source_hash = kernel.record.source_hash;
    rule.device_name = variant.device.name;
    rule.arch = variant.device.arch;
    rule.variant = variant.variant;
    rule.shapes = static_cast<std::int64_t>(choice.picks.size());
    rule.configs = static_cast<std::int64_t>(choice.configs.size());
    rule.guarded = static_cast<std::int64_t>(choice.guarded);
    rule.worst_loss = choice.worst_loss;
    rule.method = choice.is_exact ? "exact" : "greedy";
    add_transfer(rule, kernel, variant, choice);
    report_.rules.push_back(rule);
    content_.rules.push_back(std::move(rule));
  }

  // Adds the rule for untuned shapes: learned from everything that was measured, restricted to the shipped
  // configurations. Uses the same times as the database's own rule, including those of candidates that early stopping
  // dropped; without them, a slow choice would count as not measured. For untuned shapes, a pack calls no library.
  void add_transfer(PackRule& rule, const PackedKernel& kernel, const MeasuredVariant& variant,
                    const VariantChoice& choice) const {
    std::vector<Config> shipped;
    for (const std::size_t c : choice.configs) shipped.push_back(variant.configs[c]);
    const Problem& tuned = variant.shapes.front().problem;
    const auto times = std::find_if(timings_.begin(), timings_.end(), [&](const TimingMatrix& matrix) {
      return matrix.device_name == variant.device.name && matrix.arch == variant.device.arch &&
             !matrix.problems.empty() && matrix.problems.front().dtype == tuned.dtype &&
             matrix.problems.front().flags == tuned.flags;
    });
    if (times == timings_.end()) return;
    const TransferRule learned =
        learn_transfer(kernel.spec, without_library_calls(kernel.spec, *times), variant.device, shipped);
    if (learned.leave_one_out.shapes == 0) return;
    rule.rule = transfer_text(learned);
    rule.rule_loss = {learned.leave_one_out.mean, learned.leave_one_out.worst};
  }

  void add_untuned(const PackedKernel& kernel, const MeasuredVariant& variant, const VariantChoice& choice) {
    const Choose choose = library_choice(kernel, variant, choice.configs, pairs_of(choice), report_.rules.back().rule);
    add_chosen_programs(programs_, kernel, variant, choose);
    probed_.push_back(probe_programs(kernel, variant, choice.configs, make_probes(kernel.spec, variant), choose));
    const auto is_there = [&](const std::string& key) { return programs_.count(key) != 0; };
    add_probed_programs(programs_, kernel, variant, probed_.back(),
                        pick_programs(probed_.back(), options_.untuned_programs, is_there));
  }

  void add_device(const DeviceInfo& device) {
    const bool is_known = std::any_of(content_.devices.begin(), content_.devices.end(), [&](const DeviceInfo& known) {
      return known.name == device.name && known.arch == device.arch;
    });
    if (!is_known) content_.devices.push_back(device);
  }

  void add_missing(const std::vector<std::string>& missing, const std::map<std::string, CubinRecord>& found) {
    constexpr std::size_t kNamed = 3;
    for (std::size_t i = 0; i < std::min(kNamed, missing.size()); ++i)
      report_.notes.push_back("left out: " + missing[i]);
    if (missing.empty()) return;
    const auto lacks = [&](const std::string& key) { return found.count(key) == 0; };
    std::size_t probes = 0, served = 0;
    for (const UntunedShare& share : report_.untuned) {
      probes += share.probes;
      served += share.served;
    }
    std::string note = missing.size() > kNamed
                           ? fmt::format("further left-out cubins: {}; in all, ", missing.size() - kNamed)
                           : "because of the left-out cubins, ";
    note += fmt::format("{} of {} tuned shapes lack their cubin", std::ranges::count_if(shape_programs_, lacks),
                        content_.shapes.size());
    if (probes > 0)
      note += fmt::format(", and {:.1f} % of untuned shapes have no cubin",
                          100 * static_cast<double>(probes - served) / static_cast<double>(probes));
    report_.notes.push_back(std::move(note));
  }

  const Reader& reader_;
  const PackOptions& options_;
  std::vector<TimingMatrix> timings_; // the times of the current kernel
  Programs programs_;
  // The program of each tuned shape: that of its result, or, if its result calls a library, that of the configuration
  // for applications that do not allow this.
  std::vector<std::string> shape_programs_;
  std::vector<ProbeTable> probed_; // one per rule
  PackContent content_;
  PackReport report_;
  std::string first_, last_; // times of the first and last shipped session
};

} // namespace

Result<PackReport> make_pack(const Reader& reader, const std::filesystem::path& output, const PackOptions& options) {
  WT_CHECK(check_pack_output(output));
  WT_TRY(auto names, wanted_kernels(reader, options.kernels));
  WT_CHECK(check_gpus(reader, options.gpus));
  Packer packer(reader, options);
  for (const std::string& name : std::set<std::string>(names.begin(), names.end())) WT_CHECK(packer.add_kernel(name));
  return packer.finish(output);
}

} // namespace warptune
