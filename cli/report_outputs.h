// The outputs of a report: page, picture, table, data; to files or standard output. Does not depend on options or a
// database.
#pragma once

#include "core/result.h"
#include "report/view.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace warptune::cli {

inline constexpr const char* kJsonToOutput = "{}"; // the value for --json without a file

struct ReportOutputs {
  std::string html, svg, csv, json; // a file, "-" for standard output, empty for no output
  bool force = false;
  std::vector<std::filesystem::path> inputs; // never overwritten
  bool to_standard_output() const { return html == "-" || svg == "-" || csv == "-" || json == "-"; }
};

// Returns `asked`, with report.html if it names no output. Error: two outputs have the same destination.
Result<ReportOutputs> plan_outputs(ReportOutputs asked);

struct WrittenFile {
  std::string name, what; // such as "report.html", "page"
  std::int64_t bytes = 0;
};

// Writes all outputs; stops with an error at the first that cannot be written, and keeps those written before.
Result<std::vector<WrittenFile>> write_outputs(const ReportOutputs& outputs, const report::Report& made);

} // namespace warptune::cli
