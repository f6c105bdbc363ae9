// show: prints the content of a database as tables.
#include "cli/best_table.h"
#include "cli/command.h"
#include "cli/help_text.h"
#include "cli/json_output.h"
#include "cli/output.h"
#include "cli/sanitize.h"
#include "cli/session_recording.h"
#include "cli/table.h"
#include "cli/units.h"
#include "core/device.h"
#include "core/text.h"
#include "spec/short_problem.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

namespace warptune::cli {
namespace {

using nlohmann::json;

struct ShowArgs {
  std::string what, kernel, db;
  std::int64_t session = 0, limit = -1;
  bool json = false, wide = false;
};

constexpr std::int64_t kDefaultLimit = 20;

// The number of rows to show; 0: all. Tables are cut by default, JSON only when asked.
std::size_t limit_of(const ShowArgs& o) {
  return static_cast<std::size_t>(o.limit >= 0 ? o.limit : (o.json ? 0 : kDefaultLimit));
}

// Keeps the first rows, and returns the number of rows left out.
template <class Row> std::int64_t apply_limit(std::vector<Row>& rows, const ShowArgs& o) {
  const std::size_t limit = limit_of(o);
  if (limit == 0 || rows.size() <= limit) return 0;
  const std::size_t hidden = rows.size() - limit;
  rows.resize(limit);
  return static_cast<std::int64_t>(hidden);
}

std::string hidden_rows(std::int64_t hidden) {
  return hidden > 0 ? fmt::format("... {} more; --limit 0 shows all\n", hidden) : "";
}

void print_rows(const Table& table, std::int64_t hidden, const ShowArgs& o, const char* nothing) {
  if (table.empty())
    print("{}\n", nothing);
  else
    print_table(table, o.wide, hidden_rows(hidden));
}

template <class Row> json rows_json(const std::vector<Row>& rows) {
  json out = json::array();
  for (const Row& row : rows) out.push_back(to_json(row));
  return out;
}

Result<SessionRecord> find_session(const Reader& reader, const ShowArgs& o) {
  WT_TRY(auto sessions, reader.sessions(o.session > 0 ? "" : o.kernel));
  for (const SessionRecord& s : sessions)
    if (o.session == 0 || (s.id == o.session && (o.kernel.empty() || s.identity.kernel == o.kernel))) return s;
  if (o.session > 0) return fail(missing_session(sessions, o.session, o.kernel));
  return fail(ErrorKind::no_candidate, "there are no sessions yet; start with: warptune tune KERNEL --shape ...");
}

// The result of one session, even if a better one hides it from the list; then `remark` says so.
Result<std::vector<BestRecord>> best_of_session(const Reader& reader, const ShowArgs& o, std::string& remark) {
  WT_TRY(auto session, find_session(reader, o));
  WT_TRY(auto own, reader.best_of_session(o.session));
  if (!own) {
    WT_TRY(const auto trials, reader.count_trials(session.id));
    remark = fmt::format("session {} has no result: it is {}, with {} correct", o.session,
                         session_state_name(session.state), count_text(trials.ok, "configuration"));
    return std::vector<BestRecord>();
  }
  WT_TRY(auto current, reader.best_of_problem(session.identity.kernel, session.identity.problem));
  const BestRecord& best = *own;
  for (const BestRecord& b : current)
    if (b.session != best.session && b.source_hash == best.source_hash && b.device_backend == best.device_backend &&
        b.device_name == best.device_name && b.device_uuid == best.device_uuid)
      remark = fmt::format("applications get the result of session {} instead", b.session);
  return std::vector<BestRecord>{best};
}

Result<int> show_best(const Reader& reader, const ShowArgs& o) {
  std::string remark;
  std::int64_t hidden = 0;
  const std::size_t limit = limit_of(o);
  WT_TRY(auto rows, o.session > 0 ? best_of_session(reader, o, remark)
                    : limit > 0   ? reader.newest_best(o.kernel, limit, hidden)
                                  : reader.best(o.kernel));
  if (o.json) {
    print_json({{"best", rows_json(rows)}});
    return 0;
  }
  if (!rows.empty()) {
    print(std::string_view(render_best(rows, terminal_width(1), o.wide)));
    print(std::string_view(hidden_rows(hidden)));
  } else if (remark.empty()) {
    print("nothing was tuned yet; start with: warptune tune KERNEL --shape ...\n");
  }
  if (!remark.empty()) print("{}{}\n", rows.empty() ? "" : "note: ", remark);
  return 0;
}

Result<int> show_sessions(const Reader& reader, const ShowArgs& o) {
  std::vector<SessionRecord> rows;
  if (o.session > 0) {
    WT_TRY(auto session, find_session(reader, o));
    rows.push_back(std::move(session));
  } else {
    WT_TRY(rows, reader.sessions(o.kernel));
  }
  const std::int64_t hidden = apply_limit(rows, o);
  std::vector<TrialCounts> trials;
  for (const SessionRecord& s : rows) {
    WT_TRY(const auto counts, reader.count_trials(s.id));
    trials.push_back(counts);
  }
  if (o.json) {
    json sessions = json::array();
    for (std::size_t i = 0; i < rows.size(); ++i) sessions.push_back(to_json(rows[i], trials[i]));
    print_json({{"sessions", sessions}});
    return 0;
  }
  std::set<std::string> devices;
  for (const SessionRecord& s : rows) devices.insert(s.identity.device_name);
  const int device_turn = devices.size() > 1 ? 7 : 3; // hidden last if the rows differ in it
  Table table({right("session"), left("state"), left("kernel"), text("problem"), left_out(device_turn, left("device")),
               left_out(5, left("strategy")), left_out(2, left("budget")), right("trials"), left_out(4, right("ok")),
               left_out(1, right("space")), left_out(6, left("started"))});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const SessionRecord& s = rows[i];
    table.add({std::to_string(s.id), std::string(session_state_name(s.state)), s.identity.kernel,
               short_problem(s.identity.problem),
               s.identity.device_name + (is_recorded_device(s.identity.device_backend) ? " (recorded)" : ""),
               s.identity.strategy, s.identity.budget.empty() ? "all" : s.identity.budget,
               std::to_string(trials[i].all), std::to_string(trials[i].ok), std::to_string(s.space_size),
               s.started_at});
  }
  print_rows(table, hidden, o, "no sessions yet; start with: warptune tune KERNEL --shape ...");
  return 0;
}

// Orders correct trials from fast to slow, and puts the failed ones after them.
bool comes_first(const TrialRow& a, const TrialRow& b) {
  const auto time = [](const TrialRow& r) { return r.trial.timing ? r.trial.timing->median_us : 0; };
  const bool a_ok = a.trial.status == TrialStatus::ok, b_ok = b.trial.status == TrialStatus::ok;
  if (a_ok != b_ok) return a_ok;
  return a_ok && time(a) < time(b);
}

Result<int> show_trials(const Reader& reader, const ShowArgs& o) {
  WT_TRY(auto session, find_session(reader, o));
  WT_TRY(auto rows, reader.trials(session.id));
  std::stable_sort(rows.begin(), rows.end(), comes_first);
  const std::int64_t hidden = apply_limit(rows, o);
  if (o.json) {
    json trials = json::array();
    for (const TrialRow& row : rows) {
      trials.push_back(to_json(row.trial));
      trials.back()["config"] = config_json(row.config);
      trials.back()["config_text"] = row.config;
    }
    WT_TRY(const auto counts, reader.count_trials(session.id));
    print_json({{"session", to_json(session, counts)}, {"trials", trials}});
    return 0;
  }
  print("session {}: {} {} on {}, {}\n\n", session.id, sanitize(session.identity.kernel),
        sanitize(session.identity.problem), sanitize(session.identity.device_name), session_state_name(session.state));
  const bool below = table_width(o.wide) > 0;
  std::vector<Column> columns = {right("search median"), right("interval"), left("status"), right("registers"),
                                 right("spills")};
  if (!below) columns.push_back(text("config"));
  columns.push_back(text("diagnostic"));
  Table table(std::move(columns));
  for (const TrialRow& row : rows) {
    const Trial& t = row.trial;
    const bool timed = t.timing && t.timing->median_us > 0;
    const bool compiled = t.resources.registers > 0; // otherwise it failed before, or only calls libraries
    const bool dropped = timed && !t.timing->complete && t.status == TrialStatus::ok;
    const double half = timed ? (t.timing->ci_high_us - t.timing->ci_low_us) / 2 / t.timing->median_us * 100 : 0;
    std::vector<std::string> cells = {
        timed ? time_text(t.timing->median_us) : "-", timed ? fmt::format("+-{:.2f} %", half) : "-",
        dropped ? "dropped early" : status_text(t.status), compiled ? std::to_string(t.resources.registers) : "-",
        compiled ? std::to_string(t.resources.spill_bytes) : "-"};
    if (!below) cells.push_back(row.config);
    cells.push_back(first_line(t.evidence));
    table.add(std::move(cells), below ? std::vector<std::string>{row.config} : std::vector<std::string>{});
  }
  print_rows(table, hidden, o, "no trials yet");
  return 0;
}

Result<int> show_devices(const Reader& reader, const ShowArgs& o) {
  WT_TRY(auto rows, reader.devices());
  const std::int64_t hidden = apply_limit(rows, o);
  if (o.json) {
    print_json({{"devices", rows_json(rows)}});
    return 0;
  }
  Table table({left("device"), left("backend"), left("arch"), right("SMs"), right("memory"),
               left_out(3, right("shared/block")), left_out(4, right("L2")), left_out(8, right("DRAM read")),
               left_out(5, right("copy")), left_out(6, right("write")), left_out(9, right("fp32")),
               left_out(7, right("tensor")), left_out(10, left("driver")), left_out(2, left("compiler")),
               left_out(1, left("uuid"))});
  for (const DeviceInfo& d : rows)
    table.add({d.name, is_recorded_device(d.backend) ? "recorded" : d.backend, d.arch,
               std::to_string(d.limits.sm_count), bytes_text(d.memory_bytes), bytes_text(d.limits.max_shared_per_block),
               bytes_text(d.limits.l2_bytes), rate_text(d.roofs.dram_read_gbs), rate_text(d.roofs.dram_copy_gbs),
               rate_text(d.roofs.dram_write_gbs), tflops_text(d.roofs.fp32_tflops), tflops_text(d.roofs.tensor_tflops),
               d.driver, d.compiler, d.uuid.empty() ? "-" : d.uuid});
  print_rows(table, hidden, o, "no devices yet; start with: warptune tune KERNEL --shape ...");
  return 0;
}

Result<int> run_show(const ShowArgs& o) {
  using Show = Result<int> (*)(const Reader&, const ShowArgs&);
  const std::vector<std::pair<std::string, Show>> views = {
      {"best", show_best}, {"trials", show_trials}, {"sessions", show_sessions}, {"devices", show_devices}};
  std::vector<std::string> names;
  names.reserve(views.size());
  for (const auto& view : views) names.push_back(view.first);
  const auto found = std::find(names.begin(), names.end(), o.what);
  if (found == names.end())
    return fail(ErrorKind::bad_input,
                fmt::format("`warptune show` has no view {}{}", quote(o.what), suggest_name(o.what, names)));
  WT_TRY(auto reader, Reader::open(database_path(o.db)));
  if (!o.kernel.empty()) {
    WT_TRY(auto kernels, reader.kernel_names());
    if (std::find(kernels.begin(), kernels.end(), o.kernel) == kernels.end())
      return fail(ErrorKind::no_candidate,
                  fmt::format("the database has no results of {}{}", quote(o.kernel), suggest_name(o.kernel, kernels)));
  }
  auto code = views[static_cast<std::size_t>(found - names.begin())].second(reader, o);
  if (code && reader.skipped_rows() > 0)
    complain(fmt::format("note: left out {} because of impossible values", count_text(reader.skipped_rows(), "row")));
  return code;
}

} // namespace

void add_show(Command& app, Invocation& invocation) {
  auto options = std::make_shared<ShowArgs>();
  Command* command =
      add_command(app, "show", "Show the best results, trials, sessions or devices of the database", kShowHelp);
  command->add_option("WHAT", options->what, "best, trials, sessions or devices")->required()->type_name("");
  command->add_option("--kernel", options->kernel, "Only this kernel")->type_name("NAME");
  add_number_option(*command, "--session", options->session, 1, kNoLimit, "Only this session");
  add_number_option(*command, "--limit", options->limit, 0, kNoLimit,
                    "Number of rows to show; 0: all; default 20, or all with --json");
  add_wide_flag(*command, options->wide);
  add_db_option(*command, options->db);
  add_json_flag(*command, options->json);
  command->callback([options, &invocation] { invocation.run = [options] { return run_show(*options); }; });
}

} // namespace warptune::cli
