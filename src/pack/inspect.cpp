#include "pack/inspect.h"

#include "core/sha256.h"
#include "core/units.h"
#include "db/stored_kernel.h"
#include "pack/programs.h"
#include "plan/program_symbol.h"
#include "predict/transfer.h"

#include <algorithm>
#include <fmt/format.h>
#include <initializer_list>
#include <set>

namespace warptune {
namespace {

using Facts = std::map<std::string, std::string>; // subject -> statement

// True if the rule belongs to this variant, which read_measured found in the same pack.
bool is_about(const PackRule& rule, const MeasuredVariant& variant) {
  return rule.device_name == variant.device.name && rule.arch == variant.device.arch && rule.variant == variant.variant;
}

class Inspection {
 public:
  Inspection(const Reader& pack, PackSummary& summary) : pack_(pack), summary_(summary) {}

  Result<void> run() {
    WT_CHECK(pack_.check_bytes());
    WT_TRY(auto sizes, pack_.cubin_sizes());
    for (const CubinSize& cubin : sizes) {
      sizes_[cubin.hash] = cubin;
      summary_.cubin_bytes += cubin.bytes;
    }
    summary_.cubins = static_cast<std::int64_t>(sizes.size());
    WT_TRY(auto names, pack_.kernel_names());
    for (const std::string& name : names) WT_CHECK(look_at_kernel(name));
    if (pack_.skipped_rows() > 0)
      problem("left out {} because of impossible values", count_text(pack_.skipped_rows(), "row"));
    return {};
  }

 private:
  template <class... T> void problem(fmt::format_string<T...> text, T&&... values) {
    summary_.problems.push_back(fmt::format(text, std::forward<T>(values)...));
  }

  Result<void> look_at_kernel(const std::string& name) {
    WT_TRY(const auto record, pack_.kernel(name));
    if (!record) return {};
    ++summary_.kernels;
    if (const auto spec = spec_of(*record); !spec) { // the pack was sealed with this error
      problem("{}", spec.error().message);
      return {};
    }
    WT_TRY(const auto kernel, load_packed_kernel(pack_, name));
    if (kernel.spec.name != name) problem("{}: its spec.json belongs to {}", name, kernel.spec.name);
    WT_TRY(auto rules, pack_.pack_rules(name));
    WT_TRY(auto variants, read_measured(pack_, kernel, {}, summary_.problems));
    for (const PackRule& rule : rules) {
      PackedVariant& listed = summary_.variants.emplace_back();
      listed.rule = rule;
      look_at_rule(kernel, rule);
      bool is_found = false;
      for (const MeasuredVariant& variant : variants) {
        if (!is_about(rule, variant)) continue;
        is_found = true;
        WT_CHECK(look_at_variant(kernel, variant, listed));
      }
      if (!is_found && rule.shapes > 0)
        problem("{} {}: the pack lists {} on {}, but contains none of them", name, rule.variant,
                count_text(rule.shapes, "shape"), rule.device_name);
    }
    for (const MeasuredVariant& variant : variants)
      if (std::none_of(rules.begin(), rules.end(), [&](const PackRule& rule) { return is_about(rule, variant); }))
        problem("{} {}: the pack contains {} on {}, but lists none of them", name, variant.variant,
                count_text(static_cast<std::int64_t>(variant.shapes.size()), "shape"), variant.device.name);
    return {};
  }

  void look_at_rule(const PackedKernel& kernel, const PackRule& rule) {
    if (rule.rule.empty()) return; // too few shapes to learn from
    const auto parsed = parse_transfer(rule.rule);
    if (!parsed) {
      problem("{} {}: {:.200}", kernel.spec.name, rule.variant, parsed.error().message);
      return;
    }
    for (const LossEstimate::LeftOut& shape : parsed->leave_one_out.left_out)
      if (shape.dims.size() != kernel.spec.dims.size()) {
        problem("{} {}: its rule is for shapes of {}, but the kernel has {}", kernel.spec.name, rule.variant,
                count_text(static_cast<std::int64_t>(shape.dims.size()), "dim"), kernel.spec.dims.size());
        return;
      }
  }

  // Checks that the image contains each kernel under the name that launching uses.
  Result<void> look_at_program(const PackedKernel& kernel, const std::string& key, const PackProgram& program) {
    if (!looked_at_.insert(key).second) return {};
    auto stored = pack_.cubin(key);
    if (!stored) problem("{}: {}", kernel.spec.name, stored.error().message); // the pack was sealed with this error
    if (!stored || !*stored) return {};
    const auto& cubin = *stored;
    const std::vector<std::string>& names = cubin->lowered_names;
    const std::vector<std::string>& wanted = program.request.name_expressions;
    if (names.size() != wanted.size())
      problem("{}: the cubin {:.12} names {}, but the launches use {}", kernel.spec.name, key,
              count_text(static_cast<std::int64_t>(names.size()), "kernel"), wanted.size());
    for (const std::string& name : names)
      if (name.empty() || cubin->image.find(parse_symbol(name).name) == std::string::npos)
        problem("{}: the cubin {:.12} has no kernel {:.60}", kernel.spec.name, key, name);
    return {};
  }

  Result<void> look_at_variant(const PackedKernel& kernel, const MeasuredVariant& variant, PackedVariant& listed) {
    std::vector<std::pair<std::size_t, std::size_t>> picks;
    std::vector<std::size_t> configs;
    for (std::size_t c = 0; c < variant.configs.size(); ++c) configs.push_back(c);
    for (std::size_t s = 0; s < variant.shapes.size(); ++s) {
      const auto found = std::find(variant.texts.begin(), variant.texts.end(), variant.shapes[s].best.config);
      if (found == variant.texts.end())
        problem("{} {}: its configuration has no time", kernel.spec.name, variant.shapes[s].key);
      else
        picks.emplace_back(s, static_cast<std::size_t>(found - variant.texts.begin()));
    }
    Programs programs;
    const auto keys = add_shape_programs(programs, kernel, variant, picks);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const MeasuredShape& shape = variant.shapes[picks[i].first];
      const auto cubin = sizes_.find(keys[i].value_or(""));
      if (!keys[i])
        problem("{} {}: {} cannot be launched on {}", kernel.spec.name, shape.key, shape.best.config,
                variant.device.name);
      else if (*keys[i] != shape.best.cubin_hash)
        problem("{} {}: the stored cubin is not the one that its configuration needs", kernel.spec.name, shape.key);
      else if (!keys[i]->empty() &&
               (cubin == sizes_.end() || cubin->second.arch != variant.device.arch || cubin->second.bytes == 0))
        problem("{} {}: its cubin for {} is not in the pack", kernel.spec.name, shape.key, variant.device.arch);
    }
    add_suite_programs(programs, kernel, variant, configs);
    const auto is_there = [&](const std::string& key) { return sizes_.count(key) != 0; };
    const ProbeTable table = probe_programs(kernel, variant, configs, make_probes(kernel.spec, variant),
                                            library_choice(kernel, variant, configs, picks, listed.rule.rule));
    listed.untuned = share_of(table, is_there);
    std::vector<std::size_t> held;
    for (std::size_t i = 0; i < table.programs.size(); ++i)
      if (is_there(table.programs[i].key)) held.push_back(i);
    add_probed_programs(programs, kernel, variant, table, held);
    for (const auto& [key, program] : programs) {
      const auto cubin = sizes_.find(key);
      if (cubin == sizes_.end()) continue;
      ++listed.cubins;
      listed.bytes += cubin->second.bytes;
      WT_CHECK(look_at_program(kernel, key, program));
    }
    summary_.shapes += static_cast<std::int64_t>(keys.size());
    if (listed.rule.shapes != static_cast<std::int64_t>(keys.size()))
      problem("{} {}: the pack lists {} but contains {}", kernel.spec.name, variant.variant,
              count_text(listed.rule.shapes, "shape"), keys.size());
    return {};
  }

  const Reader& pack_;
  PackSummary& summary_;
  std::map<std::string, CubinSize> sizes_;
  std::set<std::string> looked_at_; // keys of programs
};

std::string short_text(const std::string& value) { // a licence is identified by its digest
  constexpr std::size_t kShown = 60;
  return value.size() <= kShown && value.find('\n') == std::string::npos
             ? value
             : fmt::format("SHA-256 {:.12}", sha256_hex(value));
}

std::string times_text(const std::vector<TrialRow>& rows) {
  std::string all;
  for (const TrialRow& row : rows) {
    all += fmt::format("{}:{}", row.config, status_name(row.trial.status));
    if (const auto& t = row.trial.timing)
      all += fmt::format(" {} {} {} {}", t->median_us, t->ci_low_us, t->ci_high_us, t->complete);
    all += '\n';
  }
  return fmt::format("{}, SHA-256 {:.12}", count_text(static_cast<std::int64_t>(rows.size()), "time"), sha256_hex(all));
}

Result<void> add_times(Facts& facts, const Reader& pack) {
  WT_TRY(auto sessions, pack.sessions());
  for (const SessionRecord& session : sessions) {
    WT_TRY(auto rows, pack.trials(session.id));
    const SessionIdentity& i = session.identity;
    facts[fmt::format("{} {} on {} ({}): times", i.kernel, i.problem, i.device_name, i.arch)] += times_text(rows);
  }
  return {};
}

Result<void> add_devices(Facts& facts, const Reader& pack) {
  WT_TRY(auto devices, pack.devices());
  for (const DeviceInfo& device : devices) {
    const std::string subject = fmt::format("device {} ({}): ", device.name, device.arch);
    const DeviceLimits& l = device.limits;
    for (const auto& [name, value] : std::initializer_list<std::pair<const char*, std::int64_t>>{
             {"memory bytes", device.memory_bytes},
             {"memory bus bits", device.memory_bus_bits},
             {"multiprocessors", l.sm_count},
             {"compute capability", l.compute_capability},
             {"warp size", l.warp_size},
             {"threads per block", l.max_threads_per_block},
             {"threads per multiprocessor", l.max_threads_per_sm},
             {"shared bytes per block", l.max_shared_per_block},
             {"shared bytes per multiprocessor", l.max_shared_per_sm},
             {"registers per multiprocessor", l.registers_per_sm},
             {"blocks per multiprocessor", l.max_blocks_per_sm},
             {"L2 bytes", l.l2_bytes}})
      facts[subject + name] = std::to_string(value);
    facts[subject + "clocks"] = fmt::format("{} MHz, memory {} MHz", device.max_sm_clock_mhz, device.memory_clock_mhz);
  }
  return {};
}

Result<Facts> facts_of(const Reader& pack) {
  Facts facts;
  if (pack.pack())
    for (const auto& [name, value] : pack.pack()->values) facts["pack: " + name] = short_text(value);
  WT_TRY(auto names, pack.kernel_names());
  for (const std::string& name : names) {
    WT_TRY(auto kernel, pack.kernel(name));
    if (kernel) facts[name + ": source"] = fmt::format("{:.12}", kernel->source_hash);
  }
  WT_CHECK(add_devices(facts, pack));
  WT_CHECK(add_times(facts, pack));
  WT_TRY(auto rules, pack.pack_rules());
  for (const PackRule& rule : rules)
    facts[fmt::format("{} {} on {} ({})", rule.kernel, rule.variant, rule.device_name, rule.arch)] =
        fmt::format("{}, {}, worst loss {:.2f} %, rule {}", count_text(rule.shapes, "shape"),
                    count_text(rule.configs, "configuration"), 100 * rule.worst_loss,
                    rule.rule.empty() ? "none" : short_text(sha256_hex(rule.rule)));
  WT_TRY(auto bests, pack.best());
  for (const BestRecord& best : bests)
    facts[fmt::format("{} {} on {} ({})", best.kernel, best.problem, best.device_name, best.arch)] =
        fmt::format("{}, {}", best.config, time_text(best.median_us));
  WT_TRY(auto sizes, pack.cubin_sizes());
  for (const CubinSize& size : sizes) {
    WT_TRY(auto cubin, pack.cubin(size.hash));
    if (cubin)
      facts[fmt::format("program {:.12} for {}", size.hash, size.arch)] =
          fmt::format("{}, SHA-256 {:.12}, kernels {}", bytes_text(size.bytes), sha256_hex(cubin->image),
                      short_text(fmt::format("{}", fmt::join(cubin->lowered_names, " "))));
  }
  return facts;
}

} // namespace

Result<PackSummary> inspect_pack(const Reader& pack) {
  PackSummary summary;
  WT_CHECK(Inspection(pack, summary).run());
  return summary;
}

Result<std::vector<PackChange>> diff_packs(const Reader& before, const Reader& after) {
  WT_TRY(auto a, facts_of(before));
  WT_TRY(auto b, facts_of(after));
  std::set<std::string> subjects;
  for (const Facts* facts : {&a, &b})
    for (const auto& [subject, value] : *facts) subjects.insert(subject);
  std::vector<PackChange> changes;
  for (const std::string& subject : subjects) {
    const auto in_a = a.find(subject), in_b = b.find(subject);
    PackChange change{subject, in_a == a.end() ? "" : in_a->second, in_b == b.end() ? "" : in_b->second};
    if (change.before != change.after) changes.push_back(std::move(change));
  }
  // Not every row is a fact above, so report a difference of the digests at least.
  if (changes.empty() && before.pack() && after.pack() && before.pack()->digest != after.pack()->digest)
    changes.push_back({"pack: SHA-256 of all rows", before.pack()->digest, after.pack()->digest});
  return changes;
}

} // namespace warptune
