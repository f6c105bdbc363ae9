#include "report/report_html.h"

#include "embedded/report_web.h"
#include "report/markup.h"
#include "report/report_json.h"

#include <array>
#include <utility>

namespace warptune::report {

PageAssets embedded_assets() {
  namespace web = embedded::report_web;
  return {web::find("shell.html").value_or(""), web::find("report.css").value_or(""),
          web::find("report.js").value_or("")};
}

std::string html_text(const Report& report, const PageAssets& assets) {
  const std::array<std::pair<std::string_view, std::string>, 5> parts = {{
      {"{{title}}", escape_markup(report.title)},
      {"{{css}}", std::string(assets.css)},
      {"{{js}}", std::string(assets.js)},
      {"{{data}}", page_data(report)},
      {"{{static}}", static_html(report)},
  }};
  // In one pass, because inserted text may itself look like a placeholder.
  std::string out;
  std::string_view rest = assets.shell;
  while (!rest.empty()) {
    const std::size_t at = rest.find("{{");
    out += rest.substr(0, at);
    if (at == std::string_view::npos) break;
    rest.remove_prefix(at);
    std::size_t taken = 2;
    std::string_view text = rest.substr(0, taken);
    for (const auto& [name, value] : parts)
      if (rest.starts_with(name)) {
        text = value;
        taken = name.size();
      }
    out += text;
    rest.remove_prefix(taken);
  }
  return out;
}

} // namespace warptune::report
