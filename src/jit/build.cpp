#include "jit/build.h"

#include "core/text.h"
#include "jit/build_folder.h"
#include "jit/cached_compile.h"
#include "jit/cubin_file.h"
#include "plan/program_symbol.h"
#include "spec/spec_json_reader.h"
#include "system/whole_file.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>
#include <system_error>

namespace warptune {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxCubin = 64U << 20, kMaxDescription = 1U << 20; // bytes
constexpr int kTryAgain = 75;                                               // EX_TEMPFAIL: the failure is not cached
constexpr int kNotExecutable = 126, kNotFound = 127;                        // exit codes of a shell
constexpr std::int64_t kMaxThreads = 1024, kMaxShared = 1 << 20;            // upper limits of a block on any device

using Failed = tl::unexpected<CompileFailure>;

Failed failed(std::string log) { return tl::make_unexpected(CompileFailure{std::move(log)}); }

// Reads a file that the command must have written.
tl::expected<std::string, CompileFailure> read_output(const fs::path& path, std::uintmax_t most) {
  const std::string name = path.filename().string();
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return failed(fmt::format("the build command wrote no {{output}}/{}", name));
  const std::uintmax_t size = fs::file_size(path, error);
  if (error || size > most)
    return failed(
        fmt::format("{{output}}/{} has {} bytes, more than the {} allowed; make it smaller", name, size, most));
  return read_file(path).value_or(std::string());
}

CompileFailure command_failure(const CommandEnd& end, const std::string& program, double timeout_s) {
  CompileFailure failure;
  failure.log = end.kind == CommandEnd::Kind::timed_out
                    ? fmt::format("the build command {} {} ({:.3g} s)", quote(program), end.sentence(), timeout_s)
                    : fmt::format("the build command {} {}", quote(program), end.sentence());
  failure.timed_out = end.kind == CommandEnd::Kind::timed_out;
  failure.crashed = end.kind == CommandEnd::Kind::killed;
  const bool lacks_program =
      end.kind == CommandEnd::Kind::exited && (end.code == kNotExecutable || end.code == kNotFound);
  if (lacks_program)
    failure.log += fmt::format("\nexit code {} means that a program {}; install the implementation's compiler, or add "
                               "it to PATH, and tune again",
                               end.code, end.code == kNotFound ? "was not found" : "is not executable");
  failure.passing = end.kind != CommandEnd::Kind::exited || end.code == kTryAgain || lacks_program;
  return failure;
}

// build.json: {"kernels": {"matmul": {"symbol": "matmul_0d1d", "shared_bytes": 0, "threads": 128}}, "symbols": {...}}.
class Description {
 public:
  static tl::expected<Description, CompileFailure> read(const std::string& text) {
    auto value = parse_json(text, "build.json", false);
    if (!value) return failed(value.error().message);
    Description description;
    JsonErrors errors("build.json");
    const JsonCursor root(*value, errors);
    root.only({"kernels", "symbols"});
    for (const auto& [name, kernel] : root.at("kernels").members()) {
      kernel.only({"symbol", "shared_bytes", "threads"});
      ProgramSymbol symbol{symbol_name(kernel.at("symbol")), {}, {}};
      if (const auto threads = kernel.find("threads")) symbol.threads = number(*threads, 1, kMaxThreads);
      if (const auto shared = kernel.find("shared_bytes")) symbol.shared_bytes = number(*shared, 0, kMaxShared);
      description.kernels_.emplace(name, std::move(symbol));
    }
    if (const auto symbols = root.find("symbols"))
      for (const auto& [name, symbol] : symbols->members()) description.symbols_.emplace(name, symbol_name(symbol));
    if (errors.any()) return failed(errors.message());
    return description;
  }

  const ProgramSymbol* kernel(const std::string& name) const {
    const auto found = kernels_.find(name);
    return found == kernels_.end() ? nullptr : &found->second;
  }
  std::string symbol(const std::string& name) const { // unchanged if build.json does not rename it
    const auto found = symbols_.find(name);
    return found == symbols_.end() ? name : found->second;
  }

 private:
  static std::string symbol_name(const JsonCursor& c) {
    const std::string& name = c.text();
    const auto is_odd = [](unsigned char byte) { return byte <= ' ' || byte >= 0x7f; };
    if (name.empty() || std::any_of(name.begin(), name.end(), is_odd)) c.expected("the name of a symbol of the cubin");
    return name;
  }
  static std::uint32_t number(const JsonCursor& c, std::int64_t least, std::int64_t most) {
    const std::int64_t value = c.integer();
    if (value < least || value > most) c.expected(fmt::format("a number from {} to {}", least, most));
    return static_cast<std::uint32_t>(std::clamp(value, least, most));
  }
  std::map<std::string, ProgramSymbol> kernels_;
  std::map<std::string, std::string> symbols_;
};

// "-arch=sm_90a" -> 90
int wanted_architecture(const CompileRequest& request) {
  const std::string& option = request.options.front();
  const std::size_t digits = option.find_first_of("0123456789");
  return digits == std::string::npos ? 0 : std::atoi(option.c_str() + digits);
}

CompileResult take_program(const CompileRequest& request, const fs::path& output) {
  WT_TRY(auto image, read_output(output / "kernel.cubin", kMaxCubin));
  WT_TRY(const auto text, read_output(output / "build.json", kMaxDescription));
  WT_TRY(const auto description, Description::read(text));
  const auto file = read_cubin_file(image);
  if (!file) return failed("{output}/kernel.cubin is not a cubin: " + file.error().message);
  if (file->architecture != wanted_architecture(request))
    return failed(
        fmt::format("{{output}}/kernel.cubin is for sm_{}, but sm_{} was requested; pass {{arch}} to the compiler",
                    file->architecture, wanted_architecture(request)));
  Cubin cubin;
  const std::size_t kernels = request.name_expressions.size() - count_symbols(request.name_expressions);
  for (std::size_t i = 0; i < request.name_expressions.size(); ++i) {
    const std::string& name = request.name_expressions[i];
    cubin.resources.emplace_back();
    if (i >= kernels) { // "&d_filter"
      const std::string symbol = description.symbol(name.substr(1));
      if (file->symbols.count(symbol) == 0)
        return failed(fmt::format("the cubin has no variable {} for {} of 'symbols'; if the variable has another name "
                                  "in the cubin, give that name in build.json under \"symbols\"",
                                  quote(symbol), quote(name.substr(1))));
      cubin.lowered_names.push_back(symbol);
      continue;
    }
    const ProgramSymbol* symbol = description.kernel(name);
    if (!symbol) return failed(fmt::format("build.json has no entry for the launched kernel {}", quote(name)));
    const auto kernel = file->kernels.find(symbol->name);
    if (kernel == file->kernels.end())
      return failed(fmt::format("the cubin has no kernel {}, which build.json gives for {}{}", quote(symbol->name),
                                quote(name),
                                file->kernels.empty() ? "" : "; it has " + quote(file->kernels.begin()->first)));
    cubin.lowered_names.push_back(symbol_text(*symbol));
    cubin.resources.back().registers = kernel->second;
  }
  cubin.image = std::move(image);
  cubin.hash = compile_key(request);
  return cubin;
}

} // namespace

Result<CompileResult> build(const CompileRequest& request, double timeout_s) {
  if (!request.build->is_allowed) return CompileResult(tl::make_unexpected(not_allowed(request)));
  WT_TRY(const auto folder, BuildFolder::make(request.headers));
  std::vector<std::string> words;
  for (const std::string& word : request.build->command)
    words.push_back(expand_build_word(word, folder.output().string(), folder.inputs().string()));
  CommandEnd end = folder.run(words, {timeout_s});
  if (!end.succeeded())
    return CompileResult(tl::make_unexpected(command_failure(end, request.build->command.front(), timeout_s)));
  CompileResult result = take_program(request, folder.output());
  if (result)
    result->log = std::move(end.output);
  else if (!end.output.empty())
    result.error().log += "; the command's last output:\n" + end.output;
  return result;
}

Result<CompileResult> build_or_compile(const CompileRequest& request, double timeout_s) {
  return request.build ? build(request, timeout_s) : compile(request, timeout_s);
}

Result<CompileResult> make_program(const CubinCache& cache, const CompileRequest& request, double timeout_s) {
  if (auto found = find_cached(cache, request)) return std::move(*found);
  // Configurations with equal commands are often compiled at the same time: one process builds, the others wait.
  std::optional<EntryLock> lock;
  if (request.build && request.build->is_allowed) {
    const auto begin = std::chrono::steady_clock::now();
    auto locked = cache.lock(compile_key(request), timeout_s);
    if (!locked) {
      CompileFailure late{"another process was still running the same build command when the time limit was reached"};
      late.timed_out = true;
      return CompileResult(tl::make_unexpected(std::move(late)));
    }
    lock.emplace(std::move(*locked));
    if (auto found = find_cached(cache, request)) return std::move(*found);
    const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - begin;
    if (timeout_s > 0) timeout_s = std::max(timeout_s - waited.count(), 0.001);
  }
  auto made = build_or_compile(request, timeout_s);
  if (made) store_cached(cache, request, *made);
  return made;
}

} // namespace warptune
