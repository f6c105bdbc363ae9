// Where a report goes: a page, a picture, a table, data; files or standard output. Knows no options and no database.
#pragma once

#include "core/result.h"
#include "report/view.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace warptune::cli {

inline constexpr const char* kJsonToOutput = "{}"; // what --json without a file stands for

struct ReportOutputs {
  std::string html, svg, csv, json; // a file, "-" for standard output, empty for none
  bool force = false;
  std::vector<std::filesystem::path> inputs; // never written over
  bool to_standard_output() const { return html == "-" || svg == "-" || csv == "-" || json == "-"; }
};

// Nothing asked for: report.html. Errors: two that go to one place.
Result<ReportOutputs> plan_outputs(ReportOutputs asked);

struct WrittenFile {
  std::string name, what; // "report.html", "page"
  std::int64_t bytes = 0;
};

// Either all are written or the first that cannot be is the error; those before it stay.
Result<std::vector<WrittenFile>> write_outputs(const ReportOutputs& outputs, const report::Report& made);

} // namespace warptune::cli
