#include "report/report_svg.h"

#include "core/units.h"
#include "report/markup.h"
#include "report/svg_panel.h"
#include "spec/short_problem.h"

#include <algorithm>
#include <fmt/format.h>

namespace warptune::report {
namespace {

constexpr double kWidth = 960, kHeight = 440;
constexpr Panel kLeft = {66, 480, 74, 390}, kRight = {566, 944, 74, 390};

// Every class has the prefix wt-, because in a page these rules apply to all elements. Colours: Okabe and Ito 2008,
// distinct for every kind of colour vision, with other shades for a dark background.
constexpr const char* kStyle =
    ".wt-p{background:#fff}.wt-p text{font:12px system-ui,-apple-system,'Segoe UI',sans-serif;fill:#1f2328}"
    ".wt-p .wt-t{font-size:15px;font-weight:600}.wt-p .wt-f{fill:#59636e}.wt-bg{fill:#fff}"
    ".wt-g{stroke:#dfe4ea;stroke-width:1}.wt-d,.wt-l2,.wt-l1{fill:none;stroke-width:5;stroke-linecap:round;stroke-"
    "opacity:.55}.wt-d{stroke:#0072b2}.wt-l2{stroke:#cc79a7}"
    ".wt-l1{stroke:#56b4e9}.wt-r{stroke:#c0392b;stroke-width:1.8;fill:none}"
    ".wt-h{stroke:#c0392b;stroke-width:1.2;stroke-dasharray:5 4;fill:none;opacity:.7}.wt-p .wt-rt{fill:#a93226}"
    ".wt-b{fill:#009e73;stroke:#fff}.wt-q{fill:none;stroke:#009e73;stroke-width:2}.wt-s{fill:#e69f00;stroke:#fff}.wt-"
    "v{fill:#6f42c1;stroke:#fff}"
    ".wt-vl{stroke:#6f42c1;stroke-width:1;stroke-dasharray:2 3}.wt-p .wt-m{font-weight:600}"
    "@media(prefers-color-scheme:dark){.wt-p{background:#0d1117}.wt-p text{fill:#f0f6fc}.wt-p .wt-f{fill:#9198a1}"
    ".wt-bg{fill:#0d1117}.wt-g{stroke:#2d333b}.wt-d{stroke:#58a6ff}.wt-r,.wt-h{stroke:#ff7b72}.wt-p "
    ".wt-rt{fill:#ff9d95}"
    ".wt-b{fill:#2dc997;stroke:#0d1117}.wt-q{stroke:#2dc997}.wt-s{fill:#f0b429;stroke:#0d1117}.wt-v{fill:#b48ef5;"
    "stroke:#0d1117}"
    ".wt-vl{stroke:#b48ef5}}";

std::string subtitle(const View& view) {
  const auto timed = std::count_if(view.points.begin(), view.points.end(), [](const Point& p) { return p.timed(); });
  const auto failed = static_cast<std::ptrdiff_t>(view.points.size()) - timed;
  return fmt::format("{} verified and timed{}, L2 {}; {}", count_text(timed, "configuration"),
                     failed > 0 ? fmt::format(" ({} failed)", failed) : "",
                     view.session.identity.cold_l2 ? "cold" : "warm",
                     std::any_of(view.points.begin(), view.points.end(),
                                 [](const Point& p) { return p.at(Level::dram).origin >= Origin::measured; })
                         ? "bytes counted by the hardware"
                         : "bytes by the model");
}

} // namespace

std::string svg_text(const View& view) {
  const std::string title = fmt::format("{} {} on {}", view.kernel, short_problem(view.problem), view.device.name);
  std::string out = fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"wt-p\" viewBox=\"0 0 {} {}\" "
                                "role=\"img\" aria-label=\"{}\">\n<!-- made by warptune report -->\n",
                                kWidth, kHeight, escape_markup("Roofline and times of " + title));
  out += fmt::format("<title>{}</title>\n", escape_markup(title));
  if (view.bound) out += fmt::format("<desc>{}</desc>\n", escape_markup(view.bound->sentence));
  out +=
      fmt::format("<style>{}</style>\n<rect class=\"wt-bg\" width=\"{}\" height=\"{}\"/>\n", kStyle, kWidth, kHeight);
  out += fmt::format(
      "<text class=\"wt-t\" x=\"16\" y=\"26\">{}</text>\n<text class=\"wt-f\" x=\"16\" y=\"46\">{}</text>\n",
      escape_markup(title), escape_markup(subtitle(view)));
  if (by_time(view).empty()) return out + "<text x=\"16\" y=\"90\">Nothing was timed.</text>\n</svg>\n";
  return out + roofline_panel(view, kLeft) + rank_panel(view, kRight) + "</svg>\n";
}

} // namespace warptune::report
