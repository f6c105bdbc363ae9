// Writes a report as one page that works without a network. It contains the front end with its data, and pictures and
// tables for readers without JavaScript.
#pragma once

#include "report/view.h"

#include <string>
#include <string_view>

namespace warptune::report {

// `shell`: the page with the placeholders {{title}}, {{css}}, {{js}}, {{data}} and {{static}}. `css` and `js` replace
// the placeholders of the same names.
struct PageAssets {
  std::string_view shell, css, js;
};

PageAssets embedded_assets();

std::string html_text(const Report& report, const PageAssets& assets);

// Returns the part for readers without JavaScript. For each view it has the sentence about the limit, the comparison
// with the default, the fastest configurations, baselines and notes. If there are several views, only the first 10 that
// have at most 2000 points also have a picture.
std::string static_html(const Report& report);

} // namespace warptune::report
