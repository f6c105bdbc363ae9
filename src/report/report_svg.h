// A view as a picture for a README or a page without JavaScript. It shows the roofline (or a bandwidth chart if no
// operations are known) and all times by rank. The picture's colours are light or dark, as the reader's browser
// prefers. The picture has no fonts, scripts or links.
#pragma once

#include "report/view.h"

#include <string>

namespace warptune::report {

std::string svg_text(const View& view);

} // namespace warptune::report
