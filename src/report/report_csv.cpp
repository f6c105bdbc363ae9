#include "report/report_csv.h"

#include "core/sanitize.h"
#include "report/markup.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>

namespace warptune::report {
namespace {

// A cell begins here as text from outside; a formula would run in a spreadsheet (OWASP, "CSV injection").
std::string text_cell(const std::string& text) {
  std::string cell = sanitize_lines(text);
  if (!cell.empty() && std::string_view("=+-@\t\r").find(cell.front()) != std::string_view::npos) cell.insert(0, "'");
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string out = "\"";
  for (const char c : cell) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

// Not known is an empty cell.
std::string number_cell(double value) { return std::isfinite(value) && value > 0 ? fmt::format("{:.6g}", value) : ""; }

using Cell = std::function<std::string(const View&, const Point&)>;

Cell timing(double Timing::*member) {
  return [member](const View&, const Point& p) { return p.trial.timing ? number_cell((*p.trial.timing).*member) : ""; };
}
Cell power(double PowerReading::*member) {
  return [member](const View&, const Point& p) { return p.trial.power ? number_cell((*p.trial.power).*member) : ""; };
}
Cell bytes(Level level) {
  return [level](const View&, const Point& p) { return number_cell(p.at(level).bytes); };
}

int index_of(const View& view, const Point& point) { return static_cast<int>(&point - view.points.data()); }

// The first that a trial is to its session.
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

// Names are part of the format: new ones only at the end.
const std::vector<std::pair<const char*, Cell>>& columns() {
  static const std::vector<std::pair<const char*, Cell>> all = {
      {"session", [](const View& v, const Point&) { return std::to_string(v.session.id); }},
      {"kernel", [](const View& v, const Point&) { return text_cell(v.kernel); }},
      {"problem", [](const View& v, const Point&) { return text_cell(v.problem); }},
      {"device", [](const View& v, const Point&) { return text_cell(v.device.name); }},
      {"driver", [](const View& v, const Point&) { return text_cell(v.device.driver); }},
      {"compiler", [](const View& v, const Point&) { return text_cell(v.device.compiler); }},
      {"config", [](const View&, const Point& p) { return text_cell(p.config); }},
      {"mark", mark_of},
      {"status", [](const View&, const Point& p) { return std::string(status_name(p.trial.status)); }},
      {"median_us", timing(&Timing::median_us)},
      {"ci_low_us", timing(&Timing::ci_low_us)},
      {"ci_high_us", timing(&Timing::ci_high_us)},
      {"min_us", timing(&Timing::min_us)},
      {"rel_iqr", timing(&Timing::rel_iqr)},
      {"samples",
       [](const View&, const Point& p) {
         return p.trial.timing ? std::to_string(p.trial.timing->samples_us.size()) : std::string();
       }},
      {"complete",
       [](const View&, const Point& p) {
         return p.trial.timing ? std::string(p.trial.timing->complete ? "1" : "0") : std::string();
       }},
      {"registers", [](const View&, const Point& p) { return std::to_string(p.trial.resources.registers); }},
      {"spill_bytes", [](const View&, const Point& p) { return std::to_string(p.trial.resources.spill_bytes); }},
      {"static_shared_bytes",
       [](const View&, const Point& p) { return std::to_string(p.trial.resources.static_shared_bytes); }},
      {"occupancy", [](const View&, const Point& p) { return number_cell(p.trial.resources.occupancy); }},
      {"compile_ms", [](const View&, const Point& p) { return number_cell(p.trial.compile_ms); }},
      {"sm_clock_mhz", timing(&Timing::sm_clock_mhz)},
      {"temperature_c", timing(&Timing::temperature_c)},
      {"energy_mj", power(&PowerReading::energy_mj)},
      {"average_w", power(&PowerReading::average_w)},
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
  return all;
}

} // namespace

std::string csv_text(const Report& report) {
  std::string out;
  for (const auto& [name, cell] : columns()) out += (out.empty() ? "" : ",") + std::string(name);
  out += "\r\n";
  for (const View& view : report.views)
    for (const Point& point : view.points) {
      bool first = true;
      for (const auto& [name, cell] : columns()) {
        if (!first) out += ',';
        first = false;
        out += cell(view, point);
      }
      out += "\r\n";
    }
  return out;
}

} // namespace warptune::report
