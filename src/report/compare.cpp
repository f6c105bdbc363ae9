#include "report/compare.h"

#include "core/statistics.h"
#include "core/units.h"
#include "spec/short_problem.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace warptune::report {
namespace {

constexpr double kSignificant = 0.05;
constexpr std::size_t kEnoughSamples = 8; // number of samples that Mann-Whitney's approximation needs
constexpr double kClockMoved = 0.02;      // relative change of the SM clock that is reported

using Key = std::tuple<std::string, std::string, std::string>;
Key key_of(const Outcome& o) { return {o.kernel, o.problem, o.device}; }

Result<Outcome> make_outcome(const Reader& reader, const BestRecord& best) {
  Outcome o{best.kernel,
            best.problem,
            best.device_name,
            best.session,
            best.config,
            best.source_hash,
            best.driver,
            best.compiler,
            best.version,
            best.median_us,
            best.ci_low_us,
            best.ci_high_us,
            {},
            0,
            best.cold_l2,
            best.certified};
  WT_TRY(const auto trials, reader.trials(best.session));
  for (const TrialRow& row : trials)
    if (row.config == best.config && row.trial.timing) {
      o.samples_us = row.trial.timing->samples_us;
      o.sm_clock_mhz = row.trial.timing->sm_clock_mhz;
    }
  return o;
}

void note(std::vector<std::string>& out, const char* what, const std::string& a, const std::string& b) {
  if (a != b) out.push_back(fmt::format("{} {} -> {}", what, a.empty() ? "-" : a, b.empty() ? "-" : b));
}

std::vector<std::string> differences(const Outcome& a, const Outcome& b) {
  std::vector<std::string> out;
  note(out, "config", a.config, b.config);
  if (a.source_hash != b.source_hash) out.emplace_back("the kernel's sources");
  note(out, "driver", a.driver, b.driver);
  note(out, "compiler", a.compiler, b.compiler);
  note(out, "L2", a.cold_l2 ? "cold" : "warm", b.cold_l2 ? "cold" : "warm");
  if (a.sm_clock_mhz > 0 && b.sm_clock_mhz > 0 && std::abs(b.sm_clock_mhz / a.sm_clock_mhz - 1) > kClockMoved)
    out.push_back(fmt::format("SM clock {:.0f} -> {:.0f} MHz", a.sm_clock_mhz, b.sm_clock_mhz));
  note(out, "warptune", a.version, b.version);
  if (a.certified != b.certified) out.emplace_back(a.certified ? "no longer certified" : "now certified");
  return out;
}

ComparedRow compare(const Outcome& a, const Outcome& b) {
  ComparedRow row;
  row.a = a;
  row.b = b;
  const Interval of_a{a.ci_low_us, a.ci_high_us}, of_b{b.ci_low_us, b.ci_high_us};
  const Ratio ratio = ratio_of(b.median_us, of_b, a.median_us, of_a);
  row.ratio = ratio.value;
  row.ratio_low = ratio.low;
  row.ratio_high = ratio.high;
  const double error = std::hypot(log_error(of_a), log_error(of_b));
  row.by_samples = a.samples_us.size() >= kEnoughSamples && b.samples_us.size() >= kEnoughSamples;
  if (row.by_samples) {
    // The ratio comes from the final rounds. Samples that contradict it prove nothing.
    const bool agree = (median(b.samples_us) < median(a.samples_us)) == (row.ratio < 1);
    row.p_value = agree ? unpaired_p_different(a.samples_us, b.samples_us) : 1;
  } else if (error > 0) {
    row.p_value = std::erfc(std::abs(std::log(row.ratio)) / error / std::sqrt(2.0));
  } else {
    row.p_value = row.ratio == 1 ? 1 : 0; // intervals without width: no uncertainty
  }
  row.differences = differences(a, b);
  return row;
}

Change judge(const ComparedRow& row) {
  const bool beyond = std::abs(std::log(row.ratio)) > std::log1p(kSmallestEffect);
  const bool apart = row.ratio_low > 1 || row.ratio_high < 1;
  if (!beyond || !apart || row.p_value >= kSignificant) return Change::same;
  return row.ratio < 1 ? Change::faster : Change::slower;
}

} // namespace

std::string change_name(Change change) {
  return change == Change::faster ? "faster" : change == Change::slower ? "slower" : "same";
}

Result<std::vector<Outcome>> load_outcomes(const Reader& reader, const std::string& kernel, RowId session) {
  std::vector<BestRecord> bests;
  if (session > 0) {
    WT_TRY(auto best, reader.best_of_session(session));
    if (!best)
      return fail(ErrorKind::no_candidate,
                  fmt::format("session {} has no result; `warptune show sessions` lists the sessions", session));
    bests.push_back(std::move(*best));
  } else {
    WT_TRY(auto all, reader.best(kernel));
    bests = std::move(all);
    // Only times are compared, so winners by energy are left out.
    std::erase_if(bests, [](const BestRecord& best) { return best.objective != Objective::time; });
  }
  std::vector<Outcome> outcomes;
  for (const BestRecord& best : bests) {
    if (!(best.median_us > 0) || !best.disqualified.empty()) continue;
    WT_TRY(auto outcome, make_outcome(reader, best));
    // The list is sorted newest first, so of several sources or devices of one name, the newest counts.
    if (std::none_of(outcomes.begin(), outcomes.end(), [&](const Outcome& o) { return key_of(o) == key_of(outcome); }))
      outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

Comparison compare_outcomes(const std::vector<Outcome>& a, const std::vector<Outcome>& b) {
  Comparison out;
  std::map<Key, const Outcome*> in_b;
  for (const Outcome& o : b) in_b.emplace(key_of(o), &o);
  for (const Outcome& o : a) {
    const auto found = in_b.find(key_of(o));
    if (found == in_b.end()) {
      out.only_a.push_back(o);
      continue;
    }
    out.rows.push_back(compare(o, *found->second));
    in_b.erase(found);
  }
  for (const Outcome& o : b)
    if (in_b.count(key_of(o)) > 0) out.only_b.push_back(o);
  std::vector<double> p_values;
  for (const ComparedRow& row : out.rows) p_values.push_back(row.p_value);
  const std::vector<double> adjusted = holm_adjusted(p_values);
  for (std::size_t i = 0; i < out.rows.size(); ++i) {
    out.rows[i].p_value = adjusted[i];
    out.rows[i].change = judge(out.rows[i]);
  }
  std::stable_sort(out.rows.begin(), out.rows.end(), [](const ComparedRow& x, const ComparedRow& y) {
    return std::abs(std::log(x.ratio)) > std::abs(std::log(y.ratio));
  });
  return out;
}

std::string summary_sentence(const Comparison& c) {
  std::map<Change, std::int64_t> counts;
  for (const ComparedRow& row : c.rows) ++counts[row.change];
  std::string out = fmt::format("{} in both: {} faster, {} slower, {} the same",
                                count_text(static_cast<std::int64_t>(c.rows.size()), "result"), counts[Change::faster],
                                counts[Change::slower], counts[Change::same]);
  const auto worst =
      std::find_if(c.rows.begin(), c.rows.end(), [](const ComparedRow& r) { return r.change == Change::slower; });
  if (worst != c.rows.end())
    out += fmt::format("; largest slowdown: {} {}, {:.2f}x", worst->a.kernel, short_problem(worst->a.problem),
                       worst->ratio);
  if (!c.only_a.empty()) out += fmt::format("; {} only in A", c.only_a.size());
  if (!c.only_b.empty()) out += fmt::format("; {} only in B", c.only_b.size());
  return out + ".";
}

} // namespace warptune::report
