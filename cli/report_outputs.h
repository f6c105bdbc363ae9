// The outputs of a report (page, picture, table, data), which go to files or to standard output.
#pragma once

#include "core/result.h"
#include "report/view.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace warptune::cli {

inline constexpr const char* kJsonToOutput = "{}"; // the value of --json without a file

struct ReportOutputs {
  std::string html, svg, csv, json; // a file; "-": standard output; empty: no output
  bool force = false;
  std::vector<std::filesystem::path> inputs; // files that are never overwritten
  bool to_standard_output() const { return html == "-" || svg == "-" || csv == "-" || json == "-"; }
};

// Returns `asked`; if it names no output, adds report.html. Error: two outputs go to the same place.
Result<ReportOutputs> plan_outputs(ReportOutputs asked);

struct WrittenFile {
  std::string name, what; // "report.html"; "page"
  std::int64_t bytes = 0;
};

// Writes all outputs. Stops with an error at the first output that cannot be written; outputs that were already written
// stay.
Result<std::vector<WrittenFile>> write_outputs(const ReportOutputs& outputs, const report::Report& made);

} // namespace warptune::cli
