#include "core/units.h"
#include "report/markup.h"
#include "report/report_html.h"
#include "report/report_svg.h"
#include "spec/short_problem.h"

#include <fmt/format.h>

namespace warptune::report {
namespace {

constexpr std::size_t kRows = 20;               // the fastest; a longer table is hard to read
constexpr std::size_t kPictures = 10;           // pictures of views in a report; each is about 40 KB
constexpr std::size_t kMaxPicturePoints = 2000; // with more, the picture of a view is large and shows no more

std::string cell(const std::string& text) { return "<td>" + escape_markup(text) + "</td>"; }

std::string row(const View& view, int index) {
  const Point& p = view.points[static_cast<std::size_t>(index)];
  const Timing& t = *p.trial.timing;
  const LevelPoint& dram = p.at(Level::dram);
  return "<tr>" + cell(p.config) + cell(marks_of(view, index)) + cell(time_text(t.median_us)) +
         cell(fmt::format("{} to {}", time_text(t.ci_low_us), time_text(t.ci_high_us))) +
         cell(dram.gbs > 0
                  ? fmt::format("{} ({})", rate_text(dram.gbs), dram.origin >= Origin::measured ? "counted" : "model")
                  : "-") +
         cell(tflops_text(p.tflops)) + cell(std::to_string(p.trial.resources.registers)) +
         cell(share_text(p.trial.resources.occupancy)) + "</tr>\n";
}

std::string table(const View& view) {
  const std::vector<int> order = by_time(view);
  if (order.empty()) return "<p>Nothing was timed.</p>\n";
  std::string out = "<div class=\"wt-scroll\"><table class=\"wt-static-table\"><caption>The fastest configurations"
                    "</caption><thead><tr>";
  for (const char* title :
       {"configuration", "", "median", "95 % interval", "DRAM", "operations", "registers", "occupancy"})
    out += fmt::format("<th scope=\"col\">{}</th>", title);
  out += "</tr></thead><tbody>\n";
  std::size_t shown = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    // Readers compare with the winner and the default, so these are always shown.
    if (rank >= kRows && order[rank] != view.best_point && order[rank] != view.default_point) continue;
    out += row(view, order[rank]);
    ++shown;
  }
  out += "</tbody></table></div>\n";
  const auto more = static_cast<std::int64_t>(view.points.size() - shown);
  if (more > 0)
    out += fmt::format("<p>{} more {} not shown here; the data in this page contains {}.</p>\n", more,
                       more == 1 ? "trial is" : "trials are", more == 1 ? "it" : "them");
  return out;
}

std::string section(const View& view, bool with_picture) {
  std::string out = fmt::format(
      "<section>\n<h2>{}</h2>\n",
      escape_markup(fmt::format("{} {} on {}", view.kernel, short_problem(view.problem), view.device.name)));
  if (view.bound) out += "<p><strong>" + escape_markup(view.bound->sentence) + "</strong></p>\n";
  if (view.why) out += "<p>" + escape_markup(view.why->why.verdict) + "</p>\n";
  if (with_picture) out += svg_text(view);
  out += table(view);
  for (const Baseline& b : view.baselines)
    out +=
        fmt::format("<p>{}</p>\n", escape_markup(fmt::format("{}: {} ({})", b.name, time_text(b.median_us), b.source)));
  for (const std::string& note : view.notes) out += "<p>" + escape_markup("Note: " + note + ".") + "</p>\n";
  return out + "</section>\n";
}

} // namespace

std::string static_html(const Report& report) {
  std::string out;
  std::size_t pictures = 0;
  for (const View& view : report.views) {
    const bool with_picture = view.points.size() <= kMaxPicturePoints && pictures < kPictures;
    pictures += with_picture ? 1 : 0;
    out += section(view, with_picture || report.views.size() == 1);
  }
  return out;
}

} // namespace warptune::report
