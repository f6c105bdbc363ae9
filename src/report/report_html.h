// Writes a report as one page that needs no network: the front end with the data inside, and a picture and a table for
// readers without JavaScript.
#pragma once

#include "report/view.h"

#include <string>
#include <string_view>

namespace warptune::report {

// The page, with the placeholders {{title}}, {{css}}, {{js}}, {{data}} and {{static}}, and the texts for {{css}} and
// {{js}}.
struct PageAssets {
  std::string_view shell, css, js;
};

PageAssets embedded_assets();

std::string html_text(const Report& report, const PageAssets& assets);

// The part for readers without JavaScript. For each view: the sentence about the limit, the comparison with the
// default, the fastest configurations, baselines and notes. The first 10 views of at most 2000 points also have a
// picture; a single view always has one.
std::string static_html(const Report& report);

} // namespace warptune::report
