// metrics: lists the metrics of a chip by set and by name, with the passes they take. Needs CUPTI's library, no GPU.
#include "cli/command.h"
#include "cli/help_text_results.h"
#include "cli/json_output.h"
#include "cli/output.h"
#include "cli/table.h"
#include "cli/units.h"
#include "core/text.h"
#include "profiler/metric_catalog.h"
#include "profiler/metric_sets.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace warptune::cli {
namespace {

using nlohmann::json;

struct MetricsArgs {
  std::string chip = "GH100", set, metrics, filter, dtype = "fp32";
  std::int64_t limit = -1;
  bool json = false, wide = false;
};

constexpr std::int64_t kDefaultLimit = 40;

std::string passes_text(int passes) { return passes == 1 ? "1 pass" : fmt::format("{} passes", passes); }

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

const BaseMetric* find_base(const MetricCatalog& catalog, const std::string& metric) {
  const BaseMetric* found = nullptr; // the base metric whose name is the longest beginning of the requested name
  for (const BaseMetric& base : catalog.metrics())
    if (metric.starts_with(base.name + ".") && (found == nullptr || base.name.size() > found->name.size()))
      found = &base;
  return found;
}

std::string meaning_of(const MetricCatalog& catalog, const std::string& metric, DType dtype) {
  for (const MetricSet& set : metric_sets())
    for (const MetricMeaning& known : set_metrics(set, dtype))
      if (known.metric == metric) return known.meaning;
  const BaseMetric* base = find_base(catalog, metric);
  return base == nullptr ? "" : base->description;
}

// Shows the metrics of a set or of a list that the chip has, and the passes that they take together.
Result<int> show_list(const MetricCatalog& catalog, const std::string& list, const std::string& heading, DType dtype,
                      const MetricsArgs& o) {
  WT_TRY(auto metrics, resolve_metrics(catalog, list, dtype));
  WT_TRY(auto config, catalog.configure(metrics));
  json rows = json::array();
  Table table({left("metric"), whole("meaning")});
  for (const std::string& metric : metrics) {
    const std::string meaning = meaning_of(catalog, metric, dtype);
    const BaseMetric* base = find_base(catalog, metric);
    rows.push_back({{"metric", metric}, {"meaning", meaning}, {"unit", base == nullptr ? "" : base->unit}});
    table.add({metric, meaning});
  }
  if (o.json) {
    print_json({{"chip", catalog.chip()}, {"passes", config.passes}, {"metrics", rows}});
    return 0;
  }
  print_wrapped(fmt::format("{} {}, {} on {}", heading, count_text(std::ssize(metrics), "metric"),
                            passes_text(config.passes), catalog.chip()));
  print("\n");
  print_table(table, o.wide);
  return 0;
}

Result<int> show_sets(const MetricCatalog& catalog, DType dtype, const MetricsArgs& o) {
  json rows = json::array();
  Table table({left("set"), right("passes"), right("metrics"), whole("purpose")});
  for (const MetricSet& set : metric_sets()) {
    auto metrics = resolve_metrics(catalog, set.name, dtype);
    auto config = metrics ? catalog.configure(*metrics) : tl::make_unexpected(metrics.error());
    const int passes = config ? config->passes : 0;
    json members = json::array();
    for (const MetricMeaning& member : set_metrics(set, dtype))
      members.push_back(
          {{"metric", member.metric}, {"meaning", member.meaning}, {"available", catalog.has(member.metric)}});
    rows.push_back({{"name", set.name}, {"purpose", set.purpose}, {"passes", passes}, {"metrics", members}});
    table.add({set.name, passes == 0 ? "-" : std::to_string(passes), metrics ? std::to_string(metrics->size()) : "0",
               set.purpose});
  }
  WT_TRY(auto chips, metric_chips());
  if (o.json) {
    print_json({{"chip", catalog.chip()}, {"chips", chips}, {"sets", rows}});
    return 0;
  }
  print("Metric sets of {}; a kernel runs once for each pass.\n\n", catalog.chip());
  print_table(table, o.wide);
  print("\n");
  print_wrapped(fmt::format("{} metrics in all. --metric-set NAME lists a set, --filter TEXT searches all metrics, "
                            "--metrics A,B checks names.",
                            catalog.metrics().size()));
  print_wrapped(fmt::format("Chips: {}", fmt::join(chips, " ")));
  return 0;
}

Result<int> search(const MetricCatalog& catalog, const MetricsArgs& o) {
  std::vector<BaseMetric> found;
  const std::string wanted = lower(o.filter);
  for (const BaseMetric& base : catalog.metrics())
    if (lower(base.name).find(wanted) != std::string::npos || lower(base.description).find(wanted) != std::string::npos)
      found.push_back(base);
  const std::int64_t limit = o.limit >= 0 ? o.limit : (o.json ? 0 : kDefaultLimit);
  const auto hidden = limit > 0 ? std::max<std::int64_t>(std::ssize(found) - limit, 0) : 0;
  found.resize(found.size() - static_cast<std::size_t>(hidden));
  if (o.json) {
    json rows = json::array();
    for (const BaseMetric& base : found)
      rows.push_back({{"metric", base.name},
                      {"kind", base.kind},
                      {"unit", base.unit},
                      {"description", base.description},
                      {"rollups", catalog.rollups(base.name)}});
    print_json({{"chip", catalog.chip()}, {"metrics", rows}, {"left_out", hidden}});
    return 0;
  }
  if (found.empty()) {
    print_wrapped(fmt::format("{} has no metric with {} in its name or description.", catalog.chip(), quote(o.filter)));
    return 0;
  }
  Table table({left("metric"), left_out(2, left("kind")), left_out(1, left("unit")), whole("description")});
  for (const BaseMetric& base : found) table.add({base.name, base.kind, base.unit, base.description});
  print_table(table, o.wide, hidden > 0 ? fmt::format("... {} more; --limit 0 shows all\n", hidden) : "");
  print("\n");
  print_wrapped("A full name ends with a rollup over the units (.sum, .avg, .max or .min) for a counter, with .pct or "
                ".ratio for a ratio, and with .avg.pct_of_peak_sustained_elapsed for a throughput.");
  return 0;
}

Result<int> run_metrics(const MetricsArgs& o) {
  const auto dtype = parse_dtype(o.dtype);
  if (!dtype) return fail(ErrorKind::bad_input, fmt::format("{} is not a dtype; try fp32 or bf16", quote(o.dtype)));
  const MetricSet* set = o.set.empty() ? nullptr : find_metric_set(o.set);
  if (!o.set.empty() && set == nullptr)
    return fail(ErrorKind::bad_input,
                fmt::format("there is no metric set {}{}", quote(o.set), suggest_name(o.set, names_of(metric_sets()))));
  WT_TRY(auto catalog, MetricCatalog::open(o.chip));
  if (set != nullptr) return show_list(catalog, set->name, fmt::format("{}: {};", set->name, set->purpose), *dtype, o);
  if (!o.metrics.empty()) return show_list(catalog, o.metrics, "Good:", *dtype, o);
  if (!o.filter.empty()) return search(catalog, o);
  return show_sets(catalog, *dtype, o);
}

} // namespace

void add_metrics(Command& app, Invocation& invocation) {
  auto options = std::make_shared<MetricsArgs>();
  Command* command =
      add_command(app, "metrics", "List hardware counters and metric sets, or validate metric names", kMetricsHelp);
  command->add_option("--chip", options->chip, "NVIDIA's name for the chip; default GH100 (H100 and H200)")
      ->type_name("CHIP");
  auto* set = command->add_option("--metric-set", options->set, "List the metrics of this set")->type_name("NAME");
  auto* former = command->add_option("--set", options->set)
                     ->group(""); // former name; in other commands --set sets a flag of the kernel
  auto* metrics =
      command->add_option("--metrics", options->metrics, "Validate these sets and metrics, separated by commas")
          ->type_name("LIST");
  auto* filter = command->add_option("--filter", options->filter, "Search names and descriptions for this text")
                     ->type_name("TEXT");
  set->excludes(metrics)->excludes(filter);
  former->excludes(metrics)->excludes(filter)->excludes(set);
  metrics->excludes(filter);
  command->add_option("--dtype", options->dtype, "Element type; selects the tensor-core counter of the set `roofline`")
      ->type_name("TYPE");
  add_number_option(*command, "--limit", options->limit, 0, kNoLimit,
                    "Maximum number of rows that --filter shows; 0: all; default 40, or all with --json");
  add_wide_flag(*command, options->wide);
  add_json_flag(*command, options->json);
  command->callback([options, &invocation] { invocation.run = [options] { return run_metrics(*options); }; });
}

} // namespace warptune::cli
