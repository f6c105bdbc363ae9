#include "cli/tune_summary.h"

#include "cli/asked_problem.h"
#include "cli/device_choice.h"
#include "cli/json_output.h"
#include "cli/output.h"
#include "cli/sanitize.h"
#include "cli/search_options.h"
#include "cli/table.h"
#include "cli/units.h"
#include "core/shell_words.h"
#include "db/reader.h"
#include "spec/short_problem.h"
#include "tuner/ledger.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warptune::cli {
namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;

std::string roofline_text(const SessionResult& r) {
  const RooflinePoint& p = r.roofline;
  if (!(p.share > 0)) return "unknown: this device's roofs are not known";
  std::string achieved = p.bound == "DRAM" ? rate_text(p.gbs) : tflops_text(p.tflops);
  return fmt::format("{} of the {} roof ({}; shortest possible time {}; {} roofs)", share_text(p.share), p.bound,
                     achieved, time_text(p.floor_us), r.device.roofs.measured ? "measured" : "theoretical");
}

std::string default_text(const BestRecord& b) {
  if (!(b.default_us > 0)) return "did not run" + (b.outcome.empty() ? "" : "; " + b.outcome);
  const std::string time = time_text(b.default_us);
  // Most outcomes begin with the speedup of the best.
  if (!b.outcome.empty() && b.outcome.front() >= '0' && b.outcome.front() <= '9')
    return time + "; the best is " + b.outcome;
  const std::string text = fmt::format("{}, {:.2f}x the time of the best", time, b.default_us / b.median_us);
  return b.outcome.empty() ? text : text + "; " + b.outcome;
}

std::string tie_text(const BestRecord& b) {
  if (b.tie_set.size() <= 1) return "only the best";
  return fmt::format("{}, including the best, cannot be distinguished",
                     count_text(static_cast<std::int64_t>(b.tie_set.size()), "configuration"));
}

// "83.1 mJ per launch (612 W, 1755 MHz, power cap)"
std::string energy_facts(const SessionResult& r) {
  std::string text = energy_text(r.best.energy_mj) + " per launch";
  if (r.power) {
    text += fmt::format(" ({:.0f} W", r.power->average_w);
    if (r.power->sm_clock_mhz > 0) text += fmt::format(", {:.0f} MHz", r.power->sm_clock_mhz);
    const std::string throttled = throttle_text(r.power->throttle_reasons);
    text += (throttled.empty() ? "" : ", " + throttled) + ")";
  }
  return text;
}

// Lists the Pareto set from fast to slow.
std::string pareto_text(const BestRecord& b) {
  std::string text;
  for (const ParetoPoint& p : b.pareto)
    text += fmt::format("{}{} ({}, {})", text.empty() ? "" : "; ", p.config.empty() ? "(no parameters)" : p.config,
                        time_text(p.median_us), energy_text(p.energy_mj));
  return text;
}

std::string trials_text(const SessionResult& r) {
  const auto ok = r.by_status.find(TrialStatus::ok);
  const std::int64_t failed = failure_count(r.by_status);
  std::string text =
      fmt::format("{} ok of {} valid configurations", ok == r.by_status.end() ? 0 : ok->second, r.space_size);
  if (failed > 0) text += fmt::format("; {} failed: {}", failed, failures_text(r.by_status));
  if (r.elsewhere > 0) text += fmt::format("; {} measured by other processes", r.elsewhere);
  if (r.reused > 0) text += fmt::format("; {} reused from the earlier run", r.reused);
  return text;
}

// What `explain` needs for --device: the result of a recorded device is not that of a GPU of this machine, and without
// a GPU the device is clear only if the database has no other.
std::string device_to_explain(const TuneReport& report) {
  const DeviceInfo& device = report.result.device;
  if (device.backend == "cuda") return {};
  const auto reader = Reader::open(report.session.database);
  return reader && has_several_devices(*reader) ? device.name : "";
}

void print_next_steps(const TuneReport& report) {
  if (!report.run.empty()) {
    print("\nNext:\n  warptune merge -o all.db {}\n", sanitize(quote_for_shell(report.run)));
    return;
  }
  const SessionResult& r = report.result;
  const std::string db = report.db.empty() ? "" : " --db " + quote_for_shell(report.db);
  print("\nNext:\n");
  print("  {}\n", sanitize(command_for("explain", report.args, report.db, device_to_explain(report))));
  if (r.device.backend == "cuda") print("  {}\n", sanitize(command_for("run", report.args, report.db)));
  print("  warptune show trials --session {}{}\n", r.session, sanitize(db));
}

// Facts about the winner, or about the best so far if the run was stopped.
Facts best_facts(const TuneReport& report) {
  const BestRecord& b = report.result.best;
  Facts facts = {{"best", b.config.empty() ? "(no parameters)" : b.config}};
  std::string median = time_text(b.median_us);
  if (b.ci_low_us > 0 && b.ci_low_us < b.ci_high_us) // with fewer than 5 rounds, their range is all that is known
    median += fmt::format(" ({} {} to {})", b.certified ? "95 % interval" : "range of the rounds",
                          time_text(b.ci_low_us), time_text(b.ci_high_us));
  median += fmt::format(", {} L2, {}", report.session.measure.cold_l2 ? "cold" : "warm",
                        b.certified ? "certified" : "not certified");
  if (const ClockRange clocks = clocks_of(b.rounds); clocks.moves())
    median += fmt::format(", SM clock {} (median {:.0f})", clock_text(clocks), clocks.median);
  facts.emplace_back("median", median);
  if (b.objective != Objective::time)
    facts.emplace_back("objective", b.objective == Objective::energy ? "least energy" : "least energy x time");
  facts.emplace_back("roofline", roofline_text(report.result));
  if (report.result.interrupted) {
    facts.emplace_back("outcome", b.outcome);
    return facts;
  }
  facts.emplace_back("default", default_text(b));
  facts.emplace_back("tie set", tie_text(b));
  if (b.energy_mj > 0) facts.emplace_back("energy", energy_facts(report.result));
  if (b.pareto.size() > 1) facts.emplace_back(fmt::format("Pareto set of {}", b.pareto.size()), pareto_text(b));
  if (!b.checks.empty()) facts.emplace_back("verified", b.checks);
  return facts;
}

} // namespace

bool has_best(const SessionResult& r) { return r.best.median_us > 0; }

void print_tune_text(const TuneReport& report) {
  const SessionResult& r = report.result;
  const KernelSpec& spec = report.asked.kernel.spec;
  print("{}{} {} on {}\n", r.interrupted ? "stopped: " : "", sanitize(spec.name),
        sanitize(short_problem(report.asked.key())), sanitize(r.device.name));
  Facts facts;
  if (has_best(r)) facts = best_facts(report);
  facts.emplace_back("trials", trials_text(r));
  if (r.ending && !r.interrupted) facts.emplace_back("ended", ending_sentence(*r.ending, report.session, r.space_size));
  facts.emplace_back("time", duration_text(r.wall_s));
  facts.emplace_back("stored", report.run.empty()
                                   ? fmt::format("{} (session {})", report.session.database.string(), r.session)
                                   : "in the run folder " + report.run);
  print(std::string_view(render_facts(facts, terminal_width(1))));
  for (const auto& [status, trial] : report.first_failures)
    print("  first {}: {}: {}\n", status_text(status), sanitize(config_text(spec, trial.config)),
          brief(trial.evidence));
  print_notes(r.notes);
  if (r.interrupted)
    print("\nEverything measured is stored. To resume:\n  {}\n", sanitize(report.resume_command));
  else if (has_best(r))
    print_next_steps(report);
}

nlohmann::json session_json(const Kernel& kernel, const Problem& problem, const SessionResult& r,
                            const SessionOptions& options) {
  nlohmann::json out = {{"kernel", kernel.spec.name},
                        {"problem", problem_json(kernel.spec, problem)},
                        {"source_hash", kernel.source_hash},
                        {"device", to_json(r.device)},
                        {"session", r.session},
                        {"interrupted", r.interrupted},
                        {"ended_by", r.ending ? nlohmann::json(ending_name(*r.ending)) : nlohmann::json(nullptr)},
                        {"space_size", r.space_size},
                        {"measured", r.measured},
                        {"reused", r.reused},
                        {"elsewhere", r.elsewhere},
                        {"by_status", to_json(r.by_status)},
                        {"best", nullptr},
                        {"roofline", nullptr},
                        {"power", nullptr},
                        {"strategy", strategy_identity(options)},
                        {"budget", ending_text(options.budget, options.stop_rules)},
                        {"seed", options.seed},
                        {"cold_l2", options.measure.cold_l2},
                        {"objective", objective_name(options.objective)},
                        {"wall_s", r.wall_s},
                        {"notes", r.notes}};
  if (has_best(r)) {
    out["best"] = to_json(r.best);
    out["roofline"] = to_json(r.roofline);
    if (r.power) out["power"] = to_json(*r.power);
  }
  return out;
}

void print_tune_json(const TuneReport& report) {
  nlohmann::json out = session_json(report.asked.kernel, report.asked.problem, report.result, report.session);
  if (report.run.empty())
    out["database"] = report.session.database.string();
  else
    out["run"] = report.run;
  if (report.result.interrupted) out["resume"] = report.resume_command;
  print_json(out);
}

} // namespace warptune::cli
