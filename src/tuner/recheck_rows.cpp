#include "tuner/recheck_rows.h"

#include "core/random.h"
#include "core/text.h"
#include "db/reader.h"
#include "db/tuned_entries.h"
#include "db/writer.h"
#include "jit/compiler.h"
#include "tuner/built_candidates.h"
#include "tuner/recheck_judgement.h"
#include "warptune/build_config.h"
#include "worker/device_worker.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <utility>

namespace warptune {
namespace {

// The kernel as it was when the result was stored.
Result<Kernel> kernel_of(const BestRecord& row, const Reader& reader) {
  WT_TRY(auto record, reader.kernel(row.kernel, row.source_hash));
  if (!record)
    return fail(ErrorKind::database,
                fmt::format("the database no longer has the sources of result {} of {}; tune the kernel again", row.id,
                            row.kernel));
  WT_TRY(auto spec, spec_of(*record));
  Kernel kernel;
  kernel.spec = std::move(spec);
  kernel.sources.files = std::move(record->files);
  kernel.source_hash = row.source_hash;
  kernel.origin = "the database";
  return kernel;
}

CheckRecord look_without_device(const BestRecord& row, const std::string& source_hash_now) {
  CheckRecord check;
  check.best = row.id;
  check.version = kVersion;
  // Compilers are compared only for results of a real device. A recording's compiler belongs to the machine that made
  // it.
  const std::string compiler = row.device_backend == "cuda" ? compiler_name() : "";
  check.stale = stale_text(row, {{}, compiler, kVersion, source_hash_now});
  return check;
}

// If a check without a device finds no change, it is not stored, because it would hide findings of earlier checks on a
// device. But it clears the stale mark of an earlier check without a device.
Result<std::optional<CheckRecord>> check_to_store(const Reader& reader, const RowReport& report) {
  if (report.check.status != CheckStatus::not_timed || !report.check.stale.empty()) return report.check;
  const auto is_without_device = [](const CheckRecord& check) {
    return check.status == CheckStatus::not_timed && check.driver.empty();
  };
  if (report.error || report.row.stale.empty()) return std::nullopt;
  WT_TRY(const auto checks, reader.checks(report.row.id)); // newest first
  if (checks.empty() || !is_without_device(checks.front())) return std::nullopt;
  CheckRecord lifted = report.check;
  const auto on_device = std::find_if_not(checks.begin(), checks.end(), is_without_device);
  if (on_device != checks.end()) lifted.stale = on_device->stale; // a finding that this look cannot check
  return lifted;
}

class Looker {
 public:
  Looker(const Reader& reader, const RecheckOptions& options, const std::atomic<bool>& stop)
      : reader_(reader), options_(options), stop_(stop) {}

  // nullopt if stopped.
  std::optional<RowReport> look(const BestRecord& row, const std::string& source_hash_now) {
    RowReport report;
    report.row = row;
    report.check = look_without_device(row, source_hash_now);
    if (options_.device.empty()) return report;
    auto kernel = kernel_of(row, reader_);
    if (!kernel) {
      report.error = std::move(kernel.error());
      return report;
    }
    if (!device_)
      device_.emplace(WorkerCommand{options_.worker_executable, options_.device, options_.cache_directory.string()});
    if (has_built(kernel->spec))
      if (auto restored = restore_built(reader_, row, options_.cache_directory); !restored)
        report.note = restored.error().message;
    RecheckOptions options = options_;
    options.seed = mix(options.seed ^ mix(static_cast<std::uint64_t>(row.id)));
    auto seen = recheck(*device_, row, *kernel, source_hash_now, options, stop_);
    if (!seen) {
      report.error = std::move(seen.error());
      device_.reset();
      return report;
    }
    if (!*seen) return std::nullopt;
    report.check = std::move((*seen)->check);
    const std::string& uuid = (*seen)->device_uuid;
    if (!row.device_uuid.empty() && !uuid.empty() && row.device_uuid != uuid)
      report.note = fmt::format("it was tuned on another {} ({})", row.device_name, row.device_uuid);
    // A failed kernel may have left a broken context, so the next result gets a new process.
    if (report.check.status == CheckStatus::wrong || report.check.status == CheckStatus::failed) device_.reset();
    return report;
  }

 private:
  const Reader& reader_;
  const RecheckOptions& options_;
  const std::atomic<bool>& stop_;
  std::optional<DeviceWorker> device_; // one process for all rows, which is replaced after a failure
};

} // namespace

bool RowReport::is_fine() const {
  return check.status == CheckStatus::holds ||
         (check.status == CheckStatus::not_timed && check.stale.empty() && !error);
}

Result<Sample> parse_sample(const std::string& text) {
  Sample sample;
  sample.is_percent = !text.empty() && text.back() == '%';
  const std::string number = text.substr(0, text.size() - (sample.is_percent ? 1 : 0));
  const bool is_number = parse_integer(number, sample.amount) == IntegerError::none;
  if (!is_number || sample.amount < 1 || (sample.is_percent && sample.amount > 100))
    return fail(
        ErrorKind::bad_input,
        fmt::format(
            "{} is not a valid sample size; give a number of results, such as 20, or a share of them, such as 10%",
            quote(text)));
  return sample;
}

std::vector<BestRecord> draw_sample(const std::vector<BestRecord>& rows, const Sample& sample, std::uint64_t seed) {
  const std::size_t size = rows.size();
  const auto amount = static_cast<std::size_t>(sample.amount);
  const std::size_t count = sample.is_percent ? (size * amount + 99) / 100 : std::min(size, amount);
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = 0; i < count; ++i) {
    seed = mix(seed);
    std::swap(order[i], order[i + static_cast<std::size_t>(seed % (size - i))]);
  }
  order.resize(count);
  std::sort(order.begin(), order.end());
  std::vector<BestRecord> drawn;
  drawn.reserve(count);
  for (const std::size_t i : order) drawn.push_back(rows[i]);
  return drawn;
}

Result<RecheckRun> recheck_rows(const std::vector<BestRecord>& rows, const std::filesystem::path& database,
                                const SourceNow& source_now, const RecheckOptions& options,
                                const std::function<void(const RowReport&)>& after_row, const std::atomic<bool>& stop) {
  WT_TRY(auto writer, Writer::open(database)); // brings an older file up to the schema with checks
  WT_TRY(auto reader, Reader::open(database));
  Looker looker(reader, options, stop);
  RecheckRun run;
  for (const BestRecord& row : rows) {
    if (stop) break;
    auto report = looker.look(row, source_now(row));
    if (!report) break;
    WT_TRY(const auto check, check_to_store(reader, *report));
    if (check) {
      WT_CHECK(writer.put_check(*check));
      report->marked = true;
    }
    after_row(*report);
    run.rows.push_back(std::move(*report));
  }
  run.stopped = run.rows.size() < rows.size();
  return run;
}

} // namespace warptune
