#include "cluster/run_process.h"

#include "cluster/facts.h"
#include "core/sha256.h"
#include "system/utc_time.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <system_error>
#include <unistd.h>

namespace warptune {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kBeatsPerLease = 4;

std::string host_name() {
  std::array<char, 256> name{};
  (void)::gethostname(name.data(), name.size() - 1);
  return name.data();
}

// The text as a part of a file name: no dot, which starts the suffix, and no additional dash.
std::string for_name(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return text.substr(0, 40);
}

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Processes on two machines may have the same host name and process id, as in containers.
std::string make_id(const ProcessRecord& record) {
  std::error_code none; // without /proc, the other facts must do
  const std::string numbers = fs::read_symlink("/proc/self/ns/pid", none).string();
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  const std::string unique =
      sha256_hex(fmt::format("{} {} {} {} {}", record.host, record.pid, now, utc_now(), numbers));
  return fmt::format("{:05}-{}-{}-{}", record.shard, for_name(record.host), record.pid, unique.substr(0, 8));
}

} // namespace

fs::path processes_of(const fs::path& run) { return run / "processes"; }
fs::path cancel_file(const fs::path& run) { return run / "cancelled"; }

Result<void> renew_process(const fs::path& run, const std::string& id) {
  const fs::path file = processes_of(run) / id;
  auto renewed = renew_shared(file);
  if (renewed) return {};
  std::error_code none;
  const bool is_replaced = fs::exists(file.parent_path(), none) && !fs::exists(file, none) && !none;
  if (!is_replaced) return renewed;
  return fail(ErrorKind::database,
              fmt::format("{} was deleted while its process was working; the process ends, because {} may now contain "
                          "another run; repeat the command to join that run, or name a new run folder",
                          file.string(), run.string()));
}

std::string record_text(const ProcessRecord& r) {
  json devices = json::array();
  for (const ProcessRecord::Device& d : r.devices)
    devices.push_back({{"device", d.device}, {"name", d.name}, {"model", d.model}});
  return facts_text({{"host", r.host},
                     {"pid", r.pid},
                     {"shard", r.shard},
                     {"shards", r.shards},
                     {"slurm_job", r.slurm_job},
                     {"devices", devices},
                     {"jobs", r.jobs},
                     {"failed", r.failed},
                     {"trials", r.trials},
                     {"worked_s", r.worked_s},
                     {"cost_s", r.cost_s},
                     {"started_at", r.started_at}}) +
         "\n";
}

std::optional<ProcessRecord> parse_record(const std::string& text) {
  try {
    const json value = json::parse(text);
    ProcessRecord r;
    r.host = value.at("host");
    r.pid = value.at("pid");
    r.shard = value.at("shard");
    r.shards = value.at("shards");
    r.slurm_job = value.at("slurm_job");
    for (const json& d : value.at("devices")) r.devices.push_back({d.at("device"), d.at("name"), d.at("model")});
    r.jobs = value.at("jobs");
    r.failed = value.at("failed");
    r.trials = value.at("trials");
    r.worked_s = value.at("worked_s");
    r.cost_s = value.at("cost_s");
    r.started_at = value.at("started_at");
    return r;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

ProcessRecord this_process(std::int64_t shard, std::int64_t shards) {
  ProcessRecord record;
  record.host = host_name();
  record.pid = ::getpid();
  record.shard = shard;
  record.shards = shards;
  const std::string array = environment("SLURM_ARRAY_JOB_ID");
  record.slurm_job =
      array.empty() ? environment("SLURM_JOB_ID") : fmt::format("{}_{}", array, environment("SLURM_ARRAY_TASK_ID"));
  record.started_at = utc_now();
  return record;
}

RunProcess::RunProcess(fs::path run, std::string id, ProcessRecord record, double lease_s)
    : run_(std::move(run)), file_(processes_of(run_) / id), id_(std::move(id)), lease_s_(lease_s),
      record_(std::move(record)) {}

Result<std::unique_ptr<RunProcess>> RunProcess::start(const fs::path& run, ProcessRecord record, double lease_s) {
  std::string id = make_id(record);
  std::unique_ptr<RunProcess> process(new RunProcess(run, std::move(id), std::move(record), lease_s));
  WT_CHECK(process->update([](ProcessRecord&) {}));
  process->thread_ = std::thread([raw = process.get()] { raw->beat(); });
  return process;
}

RunProcess::~RunProcess() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  if (unwritten_) (void)write();
  std::error_code gone; // if the file is gone, there is nothing to rename
  fs::rename(file_, fs::path(file_.string() + std::string(kEndedProcess)), gone);
}

void RunProcess::note(const std::function<void(ProcessRecord&)>& change) {
  const std::lock_guard lock(mutex_);
  change(record_);
  unwritten_ = true;
}

Result<void> RunProcess::update(const std::function<void(ProcessRecord&)>& change) {
  note(change);
  return write();
}

Result<void> RunProcess::write() {
  const std::lock_guard one(writing_);
  if (made_) WT_CHECK(check_run());
  std::unique_lock lock(mutex_);
  const std::string text = record_text(record_);
  unwritten_ = false;
  lock.unlock(); // goes_on() must not wait for the server
  auto written = replace_shared(file_, text);
  lock.lock();
  if (!written) unwritten_ = true;
  made_ = made_ || written;
  return written;
}

Result<void> RunProcess::check_run() const { return renew_process(run_, id_); }

ProcessRecord RunProcess::record() const {
  const std::lock_guard lock(mutex_);
  return record_;
}

Result<bool> RunProcess::goes_on() const {
  const std::lock_guard lock(mutex_);
  if (lost_) return fail(*lost_);
  return !cancelled_;
}

void RunProcess::beat() {
  int failures = 0;
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, std::chrono::duration<double>(lease_s_ / kBeatsPerLease), [&] { return ended_; })) {
    const bool has_news = unwritten_;
    lock.unlock(); // only this thread may block if the server does not answer
    // On a full disk the record becomes stale, but the process must stay alive for others.
    const auto beaten = has_news && write() ? Result<void>() : check_run();
    const auto cancelled = time_of_shared(cancel_file(run_));
    lock.lock();
    failures = beaten ? 0 : failures + 1;
    if (failures >= kBeatsPerLease && !lost_) lost_ = beaten.error();
    if (cancelled && *cancelled) cancelled_ = true;
  }
}

Heartbeats::Heartbeats(const fs::path& run, fs::path clock, double lease_s)
    : folder_(processes_of(run)), clock_(std::move(clock)),
      lease_(std::chrono::duration_cast<FileTime>(std::chrono::duration<double>(lease_s))) {}

Result<void> Heartbeats::begin() {
  WT_TRY(now_, touch_shared(clock_));
  return {};
}

void Heartbeats::begin_by_own_clock() {
  now_ = std::chrono::duration_cast<FileTime>(std::chrono::system_clock::now().time_since_epoch());
}

Result<bool> Heartbeats::is_alive(const std::string& id) const {
  WT_TRY(const auto beat, time_of_shared(folder_ / id));
  // A time far in the future is wrong: the server's clock was set back, or the file was copied.
  return beat && now_ - *beat <= lease_ && *beat - now_ <= lease_;
}

Result<std::vector<std::string>> Heartbeats::alive() const {
  WT_TRY(auto names, list_shared(folder_));
  std::vector<std::string> found;
  for (std::string& name : names) {
    if (name.ends_with(kEndedProcess)) continue;
    WT_TRY(const bool alive, is_alive(name));
    if (alive) found.push_back(std::move(name));
  }
  std::sort(found.begin(), found.end());
  return found;
}

} // namespace warptune
