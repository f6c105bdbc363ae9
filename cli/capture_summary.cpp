#include "cli/capture_summary.h"

#include "capture/captured_groups.h"
#include "capture/kernel_names.h"
#include "cli/output.h"
#include "cli/table.h"
#include "cli/units.h"

#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warptune::cli {
namespace {

using nlohmann::json;

double total_ns(const CaptureRecords& records) {
  double total = 0;
  for (const CapturedKernel& kernel : records.kernels) total += static_cast<double>(kernel.times.ns);
  return total;
}

double microseconds(std::int64_t ns) { return static_cast<double>(ns) / 1000; }

double mean_us(const DeviceTimes& times) {
  return times.calls == 0 ? 0 : microseconds(times.ns) / static_cast<double>(times.calls);
}

double share_of(const DeviceTimes& times, double total) {
  return total > 0 ? static_cast<double>(times.ns) / total : 0;
}

} // namespace

void print_capture_list(const CaptureRecords& records) {
  const double total = total_ns(records);
  Table table({right("share"), right("device time"), right("calls"), right("mean"), left("source"), text("kernel")});
  bool has_sass = false;
  for (const CapturedKernel& kernel : records.kernels) {
    const bool is_known = has_source(records, kernel.name);
    has_sass = has_sass || !is_known;
    table.add({share_text(share_of(kernel.times, total)), time_text(microseconds(kernel.times.ns)),
               std::to_string(kernel.times.calls), time_text(mean_us(kernel.times)), is_known ? "NVRTC" : "SASS only",
               kernel_name(kernel.name).full});
  }
  print("{}", table.render(terminal_width(1)));
  if (has_sass)
    print("\nSASS only: the code comes from nvcc, a library or a cache; without its source, warptune cannot tune it\n");
}

json capture_json(const CaptureRecords& records) {
  const double total = total_ns(records);
  json rows = json::array();
  for (const CapturedKernel& kernel : records.kernels)
    rows.push_back({{"name", kernel_name(kernel.name).full},
                    {"mangled", kernel.name},
                    {"calls", kernel.times.calls},
                    {"device_us", microseconds(kernel.times.ns)},
                    {"mean_us", mean_us(kernel.times)},
                    {"min_us", microseconds(kernel.times.min_ns)},
                    {"max_us", microseconds(kernel.times.max_ns)},
                    {"share", share_of(kernel.times, total)},
                    {"registers", kernel.registers},
                    {"in_graph", kernel.is_graph},
                    {"source_known", has_source(records, kernel.name)}});
  return rows;
}

std::vector<std::string> capture_notes(const CaptureRecords& records) {
  std::vector<std::string> notes;
  for (const CapturedProcess& process : records.processes) {
    const std::string name =
        fmt::format("process {} ({})", process.pid, std::filesystem::path(process.program).filename().string());
    for (const std::string& problem : process.problems) notes.push_back(name + ": " + problem);
    if (process.dropped > 0)
      notes.push_back(
          fmt::format("{}: CUPTI lost the device times of {}", name, count_text(process.dropped, "launch")));
    if (process.has_cuda && !process.has_ended && process.problems.empty())
      notes.push_back(name + " did not exit normally, so device times of its last half second may be missing");
  }
  if (records.skipped_lines > 0)
    notes.push_back(fmt::format("{} of the records cannot be read and {} left out",
                                count_text(records.skipped_lines, "line"), records.skipped_lines == 1 ? "is" : "are"));
  return notes;
}

} // namespace warptune::cli
