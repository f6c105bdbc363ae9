#include "report/report_csv.h"

#include "core/sanitize.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <type_traits>

namespace warptune::report {
namespace {

// Text from outside may look like a formula, which a spreadsheet would run (OWASP, "CSV injection").
std::string text_cell(const std::string& text) {
  std::string cell = sanitize_lines(text);
  if (!cell.empty() && std::string_view("=+-@\t\r").find(cell.front()) != std::string_view::npos) cell.insert(0, "'");
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string out = "\"";
  for (const char c : cell) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

// An unknown number is an empty cell.
std::string number_cell(double value) { return std::isfinite(value) && value > 0 ? fmt::format("{:.6g}", value) : ""; }

using Cell = std::function<std::string(const View&, const Point&)>;

struct Column {
  const char* name;
  Cell cell;
};

template <class Owner, class T> std::string member_cell(const Owner& value, T Owner::*at) {
  if constexpr (std::is_floating_point_v<T>) return number_cell(value.*at);
  return std::to_string(value.*at);
}

// A column of a member under its own name; empty for a trial without such a value.
template <class T> Column column(T Timing::*at) {
  return {member_name(at), [at](const View&, const Point& p) {
            return p.trial.timing ? member_cell(*p.trial.timing, at) : std::string();
          }};
}
template <class T> Column column(T PowerReading::*at) {
  return {member_name(at), [at](const View&, const Point& p) {
            return p.trial.power ? member_cell(*p.trial.power, at) : std::string();
          }};
}
template <class T> Column column(T KernelResources::*at) {
  return {member_name(at), [at](const View&, const Point& p) { return member_cell(p.trial.resources, at); }};
}
template <class T> Column column(T Trial::*at) {
  return {member_name(at), [at](const View&, const Point& p) { return member_cell(p.trial, at); }};
}

Cell bytes(Level level) {
  return [level](const View&, const Point& p) { return number_cell(p.at(level).bytes); };
}

int index_of(const View& view, const Point& point) { return static_cast<int>(&point - view.points.data()); }

// The first mark that applies to a trial.
std::string mark_of(const View& view, const Point& point) {
  const int index = index_of(view, point);
  if (index == view.best_point) return "best";
  if (std::find(view.ties.begin(), view.ties.end(), index) != view.ties.end()) return "tie";
  return index == view.default_point ? "default" : "";
}

std::string origin_of(const Point& point) {
  const Origin origin = point.at(Level::dram).origin;
  switch (origin) {
  case Origin::measured:
    return "counters";
  case Origin::mixed:
    return "counters and model";
  case Origin::model:
    return "model";
  case Origin::none:
    break;
  }
  return "";
}

// Members that were added after the first schema (core/members.h).
template <class T> void add_later(std::vector<Column>& columns) {
  for_each_scalar<T>([&](const auto& m) {
    if constexpr (std::is_arithmetic_v<MemberValue<decltype(m)>>)
      if (m.traits.since > 1) columns.push_back(column(m.at));
  });
}

// Names are part of the format: new ones only at the end.
std::vector<Column> make_columns() {
  std::vector<Column> all = {
      {"session", [](const View& v, const Point&) { return std::to_string(v.session.id); }},
      {"kernel", [](const View& v, const Point&) { return text_cell(v.kernel); }},
      {"problem", [](const View& v, const Point&) { return text_cell(v.problem); }},
      {"device", [](const View& v, const Point&) { return text_cell(v.device.name); }},
      {"driver", [](const View& v, const Point&) { return text_cell(v.device.driver); }},
      {"compiler", [](const View& v, const Point&) { return text_cell(v.device.compiler); }},
      {"config", [](const View&, const Point& p) { return text_cell(p.config); }},
      {"mark", mark_of},
      {"status", [](const View&, const Point& p) { return std::string(status_name(p.trial.status)); }},
      column(&Timing::median_us),
      column(&Timing::ci_low_us),
      column(&Timing::ci_high_us),
      column(&Timing::min_us),
      column(&Timing::rel_iqr),
      {"samples",
       [](const View&, const Point& p) {
         return p.trial.timing ? std::to_string(p.trial.timing->samples_us.size()) : std::string();
       }},
      column(&Timing::complete),
      column(&KernelResources::registers),
      column(&KernelResources::spill_bytes),
      column(&KernelResources::static_shared_bytes),
      column(&KernelResources::occupancy),
      column(&Trial::compile_ms),
      column(&Timing::sm_clock_mhz),
      column(&Timing::temperature_c),
      column(&PowerReading::energy_mj),
      column(&PowerReading::average_w),
      {"dram_bytes", bytes(Level::dram)},
      {"dram_bytes_from", [](const View&, const Point& p) { return origin_of(p); }},
      {"l2_bytes", bytes(Level::l2)},
      {"l1_bytes", bytes(Level::l1)},
      {"dram_gbs", [](const View&, const Point& p) { return number_cell(p.at(Level::dram).gbs); }},
      {"tflops", [](const View&, const Point& p) { return number_cell(p.tflops); }},
      {"evidence", [](const View&, const Point& p) { return text_cell(p.trial.evidence); }},
      {"fastest",
       [](const View& v, const Point& p) { return std::string(index_of(v, p) == v.fastest_point ? "1" : "0"); }},
  };
  add_later<Timing>(all);
  add_later<PowerReading>(all);
  add_later<KernelResources>(all);
  add_later<Trial>(all);
  return all;
}

} // namespace

std::string csv_text(const Report& report) {
  const std::vector<Column> columns = make_columns();
  std::string out;
  for (const auto& [name, cell] : columns) out += (out.empty() ? "" : ",") + std::string(name);
  out += "\r\n";
  for (const View& view : report.views)
    for (const Point& point : view.points) {
      bool first = true;
      for (const auto& [name, cell] : columns) {
        if (!first) out += ',';
        first = false;
        out += cell(view, point);
      }
      out += "\r\n";
    }
  return out;
}

} // namespace warptune::report
