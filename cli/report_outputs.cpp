#include "cli/report_outputs.h"

#include "cli/output.h"
#include "cli/report_file.h"
#include "core/text.h"
#include "report/report_csv.h"
#include "report/report_html.h"
#include "report/report_json.h"
#include "report/report_svg.h"

#include <array>
#include <filesystem>
#include <fmt/format.h>

namespace warptune::cli {
namespace {

std::string picture_of(const report::Report& made) { return report::svg_text(made.views.front()); }
std::string place_of(const std::string& name) {
  std::error_code unknown;
  const auto place = std::filesystem::weakly_canonical(name, unknown);
  return name == "-" || unknown ? name : place.string();
}

std::string page_of(const report::Report& made) { return report::html_text(made, report::embedded_assets()); }
std::string data_of(const report::Report& made) { return report::json_text(made) + "\n"; }

} // namespace

Result<ReportOutputs> plan_outputs(ReportOutputs asked) {
  if (asked.html.empty() && asked.svg.empty() && asked.csv.empty() && asked.json.empty()) asked.html = "report.html";
  const std::array<const std::string*, 4> all = {&asked.html, &asked.svg, &asked.csv, &asked.json};
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = i + 1; j < all.size(); ++j)
      if (!all[i]->empty() && !all[j]->empty() && place_of(*all[i]) == place_of(*all[j]))
        return fail(ErrorKind::bad_input,
                    *all[i] == "-" ? std::string("only one of the outputs can go to standard output; name a file for "
                                                 "the others")
                                   : fmt::format("two outputs would go to {}; name a file for each", quote(*all[i])));
  return asked;
}

Result<std::vector<WrittenFile>> write_outputs(const ReportOutputs& outputs, const report::Report& made) {
  using Write = std::string (*)(const report::Report&);
  struct Output {
    const std::string& name;
    const char* what;
    Write write;
  };
  const std::array<Output, 4> all = {Output{outputs.html, "page", page_of}, Output{outputs.svg, "picture", picture_of},
                                     Output{outputs.csv, "table", report::csv_text},
                                     Output{outputs.json, "data", data_of}};
  std::vector<WrittenFile> written;
  for (const Output& output : all) {
    if (output.name.empty()) continue;
    const std::string text = output.write(made);
    if (output.name == "-") {
      print(std::string_view(text));
      continue;
    }
    WT_CHECK(write_report(output.name, text, outputs.force, outputs.inputs));
    written.push_back({output.name, output.what, static_cast<std::int64_t>(text.size())});
  }
  return written;
}

} // namespace warptune::cli
