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

// The part for readers without JavaScript: for each view its sentence, its picture and its fastest configurations.
std::string static_html(const Report& report);

} // namespace warptune::report
