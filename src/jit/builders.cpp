#include "jit/builders.h"

#include "core/sha256.h"
#include "core/text.h"
#include "jit/build_folder.h"
#include "jit/compiler.h"
#include "spec/source_hash.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <fmt/format.h>
#include <mutex>
#include <optional>

namespace warptune {
namespace {

constexpr double kVersionTimeout = 60; // seconds; Python with a large package takes a while
constexpr std::chrono::milliseconds kLookAtStop{100};
constexpr std::size_t kMaxVersion = 80;
constexpr std::size_t kMaxPrinted = std::size_t{1} << 20; // bytes; the digest includes all of them

std::string shown_name(const std::string& implementation) { return implementation.empty() ? "build" : implementation; }

// The last line that is not blank; if there are several, with a digest of the whole output.
std::string version_of(const std::string& output) {
  std::string line;
  std::size_t lines = 0;
  for (const std::string_view candidate : split(output, '\n')) {
    const std::string_view text = trim(candidate);
    if (text.empty()) continue;
    line = text;
    ++lines;
  }
  for (char& c : line)
    if (c == ';' || static_cast<unsigned char>(c) < ' ' || static_cast<unsigned char>(c) >= 0x7f) c = ',';
  if (lines <= 1 && line.size() <= kMaxVersion) return line;
  return fmt::format("{:.{}} [{:.8}]", line, kMaxVersion, sha256_hex(output));
}

using Inputs = std::vector<std::pair<std::string, std::string>>; // name -> text

// One command. One thread runs it; threads that need the same answer wait.
struct Asked {
  std::mutex mutex;
  std::condition_variable ended;
  bool is_running = false;
  std::optional<std::string> version;
};

// Held by the thread that runs the command. Its destructor lets the next thread in, also after an exception.
struct Turn {
  Asked& asked;
  ~Turn() {
    {
      const std::lock_guard lock(asked.mutex);
      asked.is_running = false;
    }
    asked.ended.notify_all();
  }
};

Asked& asked_of(const std::string& key) {
  static std::mutex mutex;
  static std::map<std::string, Asked> all;
  const std::lock_guard lock(mutex);
  return all[key];
}

tl::unexpected<Error> stopped(const std::string& implementation, const std::vector<std::string>& command) {
  return fail(ErrorKind::interrupted, fmt::format("{}: warptune was stopped while the 'version' command {} was running",
                                                  shown_name(implementation), quote(command.front())));
}

Result<std::string> run_version(const std::string& implementation, const std::vector<std::string>& command,
                                const Inputs& inputs, const std::atomic<bool>* stop) {
  WT_TRY(const auto folder, BuildFolder::make(inputs));
  const CommandEnd end = folder.run(command, {kVersionTimeout, kMaxPrinted, stop});
  if (end.kind == CommandEnd::Kind::stopped) return stopped(implementation, command);
  if (end.printed_more)
    return fail(ErrorKind::bad_input,
                fmt::format("{}: the 'version' command {} prints more than {} MiB", shown_name(implementation),
                            quote(command.front()), kMaxPrinted >> 20));
  if (!end.succeeded())
    return fail(
        ErrorKind::bad_input,
        fmt::format("{}: the 'version' command {} {}; install the implementation's compiler, or remove --allow-build",
                    shown_name(implementation), quote(command.front()), end.sentence()));
  return version_of(end.printed);
}

// `command`: the implementation's; empty: it has none.
Result<std::string> ask_version(const std::string& implementation, const std::vector<std::string>& command,
                                const Inputs& inputs, const std::atomic<bool>* stop) {
  if (command.empty()) return std::string();
  std::string key;
  for (const std::string& word : command) key += std::to_string(word.size()) + ":" + word;
  for (const auto& [name, text] : inputs) key += name + ":" + sha256_hex(text);
  Asked& asked = asked_of(key);
  std::unique_lock lock(asked.mutex);
  while (asked.is_running) {
    if (stop && *stop) return stopped(implementation, command);
    asked.ended.wait_for(lock, kLookAtStop);
  }
  if (asked.version) return *asked.version;
  asked.is_running = true;
  lock.unlock();
  const Turn turn{asked};
  auto version = run_version(implementation, command, inputs, stop);
  if (version) {
    const std::lock_guard answer(asked.mutex);
    asked.version = *version;
  }
  return version;
}

} // namespace

bool has_built(const KernelSpec& spec) {
  return std::any_of(spec.implementations.begin(), spec.implementations.end(),
                     [](const Implementation& implementation) { return implementation.build.has_value(); });
}

Result<Builders> find_builders(const Kernel& kernel, const std::atomic<bool>* stop) {
  Builders builders{true, {}};
  for (const Implementation& implementation : kernel.spec.implementations) {
    if (!implementation.build) continue;
    const Build& build = *implementation.build;
    Inputs inputs;
    for (const std::string& input : build.inputs)
      if (const std::string* text = find_source(kernel.sources, build_input_name(kernel.sources, build, input)))
        inputs.emplace_back(input, *text);
    WT_TRY(auto version, ask_version(implementation.name, build.version, inputs, stop));
    builders.versions[implementation.name] = std::move(version);
  }
  return builders;
}

std::string with_builders(const std::string& compiler, const Builders& builders) {
  std::string text = compiler;
  for (const auto& [name, version] : builders.versions)
    text += fmt::format("{}{}:{}{}", text.empty() ? "" : "; ", shown_name(name), version.empty() ? "" : " ", version);
  return text;
}

std::string without_builders(const std::string& compiler) { return compiler.substr(0, compiler.find(';')); }

Builders builders_of(const std::string& compiler) {
  Builders builders;
  for (const std::string_view part : split(compiler, ';')) {
    const std::size_t colon = part.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string name(trim(part.substr(0, colon)));
    const std::string version(trim(part.substr(colon + 1)));
    builders.versions[name] = version;
    if (name == shown_name({})) builders.versions[{}] = version;
  }
  return builders;
}

void set_builder(CompileRequest& request, const Builders& builders) {
  if (!request.build) return;
  request.build->is_allowed = builders.is_allowed;
  const auto found = builders.versions.find(request.build->implementation);
  if (found != builders.versions.end()) request.build->compiler = found->second;
}

Result<void> allow_builder(CompileRequest& request) {
  if (!request.build) return {};
  WT_TRY(request.build->compiler,
         ask_version(request.build->implementation, request.build->version, request.headers, nullptr));
  request.build->is_allowed = true;
  return {};
}

std::string session_key(const CompileRequest& request, const std::string& compiler) {
  if (!request.build) return compile_key(request, without_builders(compiler));
  CompileRequest asked = request;
  set_builder(asked, builders_of(compiler));
  return compile_key(asked);
}

} // namespace warptune
