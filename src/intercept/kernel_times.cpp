#include "intercept/kernel_times.h"

#include "intercept/json_line.h"
#include "intercept/record_file.h"

#include <algorithm>

namespace warptune::intercept {
namespace {

constexpr std::size_t kMaxExpected = 1 << 20; // bounds launches whose times never arrive, such as failed ones

std::string triple(const int (&values)[3]) {
  return "[" + std::to_string(values[0]) + "," + std::to_string(values[1]) + "," + std::to_string(values[2]) + "]";
}

} // namespace

KernelTimes& KernelTimes::get() {
  static KernelTimes& all = *new KernelTimes;
  return all;
}

void KernelTimes::expect(std::uint32_t correlation, int a_case) {
  const std::lock_guard lock(mutex_);
  if (expected_.size() >= kMaxExpected) expected_.clear();
  expected_[correlation] = a_case;
}

void KernelTimes::add(const TimedKernel& kernel) {
  const std::lock_guard lock(mutex_);
  int a_case = -1;
  if (const auto found = expected_.find(kernel.correlation); found != expected_.end() && !kernel.is_graph) {
    a_case = found->second;
    expected_.erase(found);
  }
  JsonObject key;
  key.text("name", kernel.name)
      .raw("grid", triple(kernel.grid))
      .raw("block", triple(kernel.block))
      .number("shared", kernel.shared)
      .number("static_shared", kernel.static_shared)
      .number("registers", kernel.registers)
      .raw("graph", kernel.is_graph ? "true" : "false")
      .number("case", a_case);
  const std::string text = key.str();
  Sum& sum = sums_[text];
  sum.min = sum.calls == 0 ? kernel.ns : std::min(sum.min, kernel.ns);
  sum.max = std::max(sum.max, kernel.ns);
  sum.ns += kernel.ns;
  ++sum.calls;
}

void KernelTimes::write() {
  const std::lock_guard lock(mutex_);
  for (const auto& [key, sum] : sums_) {
    JsonObject line;
    line.raw("kernel", key)
        .number("calls", static_cast<std::int64_t>(sum.calls))
        .number("ns", static_cast<std::int64_t>(sum.ns))
        .number("min_ns", static_cast<std::int64_t>(sum.min))
        .number("max_ns", static_cast<std::int64_t>(sum.max));
    RecordFile::get().line(JsonObject().raw("times", line.str()).str());
  }
  sums_.clear();
}

} // namespace warptune::intercept
