#include "worker/trace.h"

#include "system/file_errors.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace warptune {
namespace {

using nlohmann::json;

constexpr auto kFlushEvery = std::chrono::seconds(1);

double microseconds(TraceTrack::Clock::duration d) { return std::chrono::duration<double, std::micro>(d).count(); }

// True if the file is empty, not a regular file (such as a pipe), or a trace that write() made.
bool may_be_replaced(const std::filesystem::path& file) {
  std::error_code ec;
  if (!std::filesystem::is_regular_file(file, ec) || std::filesystem::file_size(file, ec) == 0) return true;
  std::ifstream in(file);
  std::string first, second;
  std::getline(in, first);
  std::getline(in, second);
  return first == "[]" || (first == "[" && second.find("\"ph\":") != std::string::npos);
}

// Opens the file for writing. Returns null and sets errno on failure: ENXIO for a pipe without a reader, for which
// fopen would wait.
std::FILE* open_file(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0666);
  if (fd < 0) return nullptr;
  std::FILE* file = ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) & ~O_NONBLOCK) == 0 ? ::fdopen(fd, "w") : nullptr;
  const int error = errno;
  if (!file) ::close(fd);
  errno = error;
  return file;
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

} // namespace

struct Trace::State {
  std::filesystem::path path;
  std::unique_ptr<std::FILE, CloseFile> file;
  std::mutex mutex;
  const TraceTrack::Clock::time_point start = TraceTrack::Clock::now();
  TraceTrack::Clock::time_point flushed = start;
  std::map<std::string, int> groups;                // "pid" in the trace format
  std::map<std::pair<int, std::string>, int> lines; // "tid"
  bool first = true;
  int error = 0; // errno of the first write that failed

  void note_error() {
    if (error == 0 && std::ferror(file.get()) != 0) error = errno == 0 ? EIO : errno;
  }

  void write(const json& event) {
    if (!file) return;
    // Names may contain invalid UTF-8 from a compiler or a user: replace it instead of throwing.
    const std::string text = event.dump(-1, ' ', false, json::error_handler_t::replace);
    std::fputs(first ? "[\n" : ",\n", file.get());
    std::fwrite(text.data(), 1, text.size(), file.get());
    note_error();
    first = false;
    const auto now = TraceTrack::Clock::now();
    if (now - flushed < kFlushEvery) return;
    std::fflush(file.get());
    note_error();
    flushed = now;
  }
};

Trace::Trace(std::unique_ptr<State> state) : state_(std::move(state)) {}
Trace::~Trace() { (void)close(); }

Result<std::shared_ptr<Trace>> Trace::open(const std::filesystem::path& file) {
  if (!may_be_replaced(file))
    return fail(ErrorKind::bad_input, fmt::format("{} exists and is not a trace, so it was not overwritten; name "
                                                  "another file with --trace, or remove this one",
                                                  file.string()));
  auto state = std::make_unique<State>();
  state->path = file;
  state->file.reset(open_file(file));
  if (!state->file && errno == ENXIO)
    return fail(
        ErrorKind::bad_input,
        fmt::format("cannot write the trace {}: this pipe has no reader; start the reader first", file.string()));
  if (!state->file)
    return fail(kind_of_write_error(errno), fmt::format("cannot write the trace {}: {}; name another file with --trace",
                                                        file.string(), std::strerror(errno)));
  return std::shared_ptr<Trace>(new Trace(std::move(state)));
}

TraceTrack Trace::track(const std::string& group, const std::string& line) {
  const std::lock_guard lock(state_->mutex);
  const auto [g, new_group] = state_->groups.emplace(group, static_cast<int>(state_->groups.size()) + 1);
  const auto [l, new_line] =
      state_->lines.emplace(std::pair(g->second, line), static_cast<int>(state_->lines.size()) + 1);
  const int process = g->second, thread = l->second; // clang 14 cannot capture structured bindings
  const auto name = [&](const char* what, const std::string& text) {
    state_->write({{"ph", "M"}, {"name", what}, {"pid", process}, {"tid", thread}, {"args", {{"name", text}}}});
  };
  if (new_group) name("process_name", group);
  if (new_line) name("thread_name", line);
  return {shared_from_this(), process, thread};
}

Result<void> Trace::close() {
  const std::lock_guard lock(state_->mutex);
  if (!state_->file) return {};
  std::fputs(state_->first ? "[]\n" : "\n]\n", state_->file.get());
  state_->note_error();
  if (std::fclose(state_->file.release()) != 0 && state_->error == 0) state_->error = errno;
  if (state_->error == 0) return {};
  return fail(kind_of_write_error(state_->error),
              fmt::format("the trace {} could not be written completely: {}; check the free space",
                          state_->path.string(), std::strerror(state_->error)));
}

void TraceTrack::span(std::string_view name, Clock::time_point begin, Clock::time_point end,
                      const Arguments& args) const {
  if (!trace_) return;
  const std::lock_guard lock(trace_->state_->mutex);
  json event = {{"ph", "X"},
                {"name", name},
                {"pid", group_},
                {"tid", line_},
                {"ts", microseconds(begin - trace_->state_->start)},
                {"dur", microseconds(end - begin)}};
  for (const auto& [key, value] : args) event["args"][key] = value;
  trace_->state_->write(event);
}

} // namespace warptune
