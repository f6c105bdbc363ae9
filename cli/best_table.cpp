#include "cli/best_table.h"

#include "cli/baseline_column.h"
#include "cli/table.h"
#include "cli/units.h"
#include "core/text.h"
#include "db/tuned_entries.h"
#include "spec/short_problem.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace warptune::cli {
namespace {

constexpr std::string_view kImplementationPrefix = "implementation=";
constexpr const char *kDevice = "device", *kObjective = "objective";
constexpr const char* kMedianNote =
    "The median comes from the finals; `show trials` also shows the median from the search.";

// "2026-01-02 holds; stale: driver 580.1 then, 590.2 now"
std::string recheck_text(const BestRecord& b) {
  if (!b.disqualified.empty()) return "out: " + b.disqualified;
  std::string out =
      b.last_check ? b.last_check->checked_at.substr(0, 10) + " " + check_text(b, b.last_check->status) : "";
  if (!b.stale.empty()) out += (out.empty() ? "stale: " : "; stale: ") + b.stale;
  return out.empty() ? "-" : out;
}

// "174.20 us", or "174.20 us at 1410 to 1980 MHz" if the clock changed during the finals.
std::string median_text(const BestRecord& b) {
  const ClockRange clocks = clocks_of(b.rounds);
  return time_text(b.median_us) + (clocks.moves() ? " at " + clock_text(clocks) : "");
}

bool has_any(const std::vector<BestRecord>& rows, bool (*is_one)(const BestRecord&)) {
  return std::any_of(rows.begin(), rows.end(), is_one);
}

// Keeps columns and cells together, so that a column that is left out takes its cells with it.
class Layout {
 public:
  Layout(const std::vector<BestRecord>& rows, bool beside) : beside_(beside) {
    energy_ = has_any(rows, [](const BestRecord& b) { return b.energy_mj > 0; });
    for (const BestRecord& b : rows) {
      baseline_.add(b);
      devices_.insert(b.device_name);
      objectives_.insert(b.objective);
    }
  }

  bool has_several_devices() const { return devices_.size() > 1; }
  bool has_several_objectives() const { return objectives_.size() > 1; }

  // `beside`: the configuration and its re-check have columns, and no column is left out.
  std::vector<Column> columns() const {
    std::vector<Column> out = {left("kernel"), beside_ ? left("problem") : text("problem")};
    if (beside_) out.push_back(left("device"));
    out.push_back(right(beside_ ? "finals median" : "median"));
    if (energy_) out.push_back(right("energy"));
    if (shows_objective()) out.push_back(left_out(has_several_objectives() ? 10 : 6, left(kObjective)));
    out.push_back(left_out(8, right("roofline")));
    out.push_back(right("vs default"));
    if (!baseline_.empty()) out.push_back(left_out(7, right(baseline_.title())));
    out.push_back(left_out(2, right("ties")));
    out.push_back(left_out(3, left("certified")));
    out.push_back(left_out(4, right("session")));
    if (!beside_) out.push_back(left_out(has_several_devices() ? 9 : 1, left(kDevice))); // hidden late or first
    if (beside_) out.push_back(text("config"));
    if (beside_) out.push_back(text("re-checked"));
    if (beside_)
      for (Column& column : out) column.left_out = 0;
    return out;
  }

  std::vector<std::string> cells(const BestRecord& b) const {
    std::vector<std::string> out = {b.kernel, short_problem(b.problem)};
    if (beside_) out.push_back(b.device_name);
    out.push_back(median_text(b));
    if (energy_) out.push_back(energy_text(b.energy_mj));
    if (shows_objective()) out.emplace_back(objective_name(b.objective));
    out.push_back(share_text(b.roofline_share));
    out.push_back(b.default_us > 0 && b.median_us > 0 ? fmt::format("{:.2f}x", b.default_us / b.median_us) : "-");
    if (!baseline_.empty()) out.push_back(baseline_.cell(b));
    out.push_back(std::to_string(b.tie_set.size()));
    out.emplace_back(b.certified ? "yes" : "no");
    out.push_back(std::to_string(b.session));
    if (!beside_) out.push_back(b.device_name);
    if (beside_) out.push_back(b.config);
    if (beside_) out.push_back(recheck_text(b));
    return out;
  }

 private:
  bool shows_objective() const { return objectives_.size() > objectives_.count(Objective::time); }

  bool beside_, energy_ = false;
  BaselineColumn baseline_;
  std::set<std::string> devices_;
  std::set<Objective> objectives_;
};

bool is_other_implementation(const std::vector<std::string_view>& values,
                             const std::vector<std::string_view>& standard) {
  return values.front().starts_with(kImplementationPrefix) && values.front() != standard.front();
}

// The note on the values that the lines below the results omit.
std::string note_of(const std::vector<BestRecord>& rows) {
  const auto is_short = [](const BestRecord& b) {
    return !b.config.empty() && changed_values(b.config, b.default_config) != b.config;
  };
  const bool has_short = std::any_of(rows.begin(), rows.end(), is_short);
  const bool has_whole = std::any_of(rows.begin(), rows.end(), [](const BestRecord& b) {
    return is_other_implementation(split(b.config, ','), split(b.default_config, ','));
  });
  std::string note = "The configuration is shown below each result";
  if (!has_short) return note + ".";
  note += ". Values equal to the default are omitted";
  if (has_whole) note += ", except for configurations of another implementation";
  return note + ". Use --wide to show all values.";
}

// The cells that a narrow table shows below its rows, in addition to those that always are below.
struct Below {
  bool device = false, objective = false;
};

// The cells for which a narrow table has no column.
std::vector<std::string> lines_below(const BestRecord& b, Below below) {
  std::vector<std::string> lines = {changed_values(b.config, b.default_config)};
  if (below.device) lines.push_back("on " + b.device_name);
  if (below.objective) lines.push_back(fmt::format("objective: {}", objective_name(b.objective)));
  if (!b.certified) lines.emplace_back("not certified");
  if (const std::string check = recheck_text(b); check != "-") lines.push_back("re-checked: " + check);
  return lines;
}

} // namespace

std::string changed_values(const std::string& config, const std::string& default_config) {
  if (config.empty()) return "(no parameters)";
  const std::vector<std::string_view> values = split(config, ','), standard = split(default_config, ',');
  if (default_config.empty() || is_other_implementation(values, standard)) return config;
  std::string out;
  for (const std::string_view value : values)
    if (std::find(standard.begin(), standard.end(), value) == standard.end())
      out += (out.empty() ? "" : ",") + std::string(value);
  return out.empty() ? "the default configuration" : out;
}

std::string render_best(const std::vector<BestRecord>& rows, int width, bool wide) {
  const Layout beside(rows, true);
  Table whole(beside.columns());
  for (const BestRecord& b : rows) whole.add(beside.cells(b));
  if (wide || width == 0 || whole.width() <= static_cast<std::size_t>(width)) return whole.render(0);
  const Layout narrow(rows, false);
  const auto table_of = [&](Below below) {
    Table table(narrow.columns());
    for (const BestRecord& b : rows) table.add(narrow.cells(b), lines_below(b, below));
    return table;
  };
  std::vector<std::string> hidden = table_of({}).hidden(width);
  // If the results differ in their devices or objectives, each names its own in any case.
  Below below;
  below.device = narrow.has_several_devices() && std::erase(hidden, kDevice) > 0;
  below.objective = narrow.has_several_objectives() && std::erase(hidden, kObjective) > 0;
  const auto limit = static_cast<std::size_t>(width);
  std::string text = table_of(below).render(width) + "\n" + wrapped(note_of(rows), limit, 0);
  text += wrapped(kMedianNote, limit, 0);
  if (!hidden.empty()) text += wrapped(hidden_note(hidden), limit, 0);
  return text;
}

} // namespace warptune::cli
