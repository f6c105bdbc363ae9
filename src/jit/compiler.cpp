#include "jit/compiler.h"

#include "core/sha256.h"
#include "jit/header_names.h"
#include "jit/nvrtc_library.h"
#include "jit/outside_includes.h"
#include "jit/ptxas_log.h"
#include "plan/program_key.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fmt/format.h>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

namespace warptune {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kFormat = 3; // format of compile_key; increased when the contents of a Cubin change

struct DestroyProgram {
  const NvrtcLibrary* nvrtc;
  void operator()(nvrtcProgram program) const { nvrtc->nvrtcDestroyProgram(&program); }
};
using Program = std::unique_ptr<std::remove_pointer_t<nvrtcProgram>, DestroyProgram>;

// NVRTC asks from several of its threads; after one "cancel", all answers must be "cancel".
struct Deadline {
  Clock::time_point at;
  std::atomic<bool> passed{false};
};

int ask_deadline(void* payload, void*) {
  auto& deadline = *static_cast<Deadline*>(payload);
  if (Clock::now() >= deadline.at) deadline.passed = true;
  return deadline.passed ? 1 : 0;
}

Error nvrtc_error(const NvrtcLibrary& nvrtc, const char* what, nvrtcResult result) {
  return {ErrorKind::internal,
          fmt::format("{} failed in {}: {}", what, nvrtc.info.path, nvrtc.nvrtcGetErrorString(result))};
}

// The compiler looks up the kernels of the launches in an internal file. Messages name 'launches' instead.
std::string with_plain_names(std::string log) {
  constexpr std::string_view kOwnFile = "__nv_name_map(", kPlain = "the kernel's name in 'launches'";
  for (std::size_t at = 0; (at = log.find(kOwnFile, at)) != std::string::npos; at += kPlain.size()) {
    const std::size_t end = log.find(')', at);
    if (end == std::string::npos) break;
    log.replace(at, end + 1 - at, kPlain);
  }
  return log;
}

std::string program_log(const NvrtcLibrary& nvrtc, nvrtcProgram program) {
  std::size_t size = 0;
  if (nvrtc.nvrtcGetProgramLogSize(program, &size) != NVRTC_SUCCESS || size <= 1) return {};
  std::string log(size, '\0');
  if (nvrtc.nvrtcGetProgramLog(program, log.data()) != NVRTC_SUCCESS) return {};
  while (!log.empty() && log.back() == '\0') log.pop_back();
  std::replace(log.begin(), log.end(), '\0', '\n'); // between the messages of the front end and of ptxas
  return with_plain_names(std::move(log));
}

// NVRTC 13 accepts both options; an older version is tested once with an empty source.
bool takes(const NvrtcLibrary& nvrtc, const char* option) {
  if (nvrtc.info.major >= 13) return true;
  nvrtcProgram raw = nullptr;
  if (nvrtc.nvrtcCreateProgram(&raw, "", "asked.cu", 0, nullptr, nullptr) != NVRTC_SUCCESS) return false;
  const Program program(raw, DestroyProgram{&nvrtc});
  return nvrtc.nvrtcCompileProgram(raw, 1, &option) == NVRTC_SUCCESS;
}

bool takes_seed(const NvrtcLibrary& nvrtc) {
  static const bool is_taken = takes(nvrtc, "--frandom-seed=0");
  return is_taken;
}

// Without this option, the working directory counts as the folder of the sources, and files found there are in no hash.
constexpr const char* kNoWorkingDirectory = "--no-source-include";

bool leaves_out_working_directory(const NvrtcLibrary& nvrtc) {
  static const bool is_taken = takes(nvrtc, kNoWorkingDirectory);
  return is_taken;
}

// Toolkit headers that include their neighbours by quoted names. Without the folder of the sources, NVRTC does not
// search the folder of the including file either, so these folders are added.
constexpr std::pair<std::string_view, std::string_view> kNeighbours[] = {
    {"cooperative_groups", "cooperative_groups"},
    {"cooperative_groups", "cooperative_groups/details"},
    {"mma.h", "crt"},
};

bool mentions(const CompileRequest& request, std::string_view header) {
  const auto has = [&](const std::string& text) { return text.find(header) != std::string::npos; };
  return has(request.source) || std::any_of(request.headers.begin(), request.headers.end(),
                                            [&](const auto& file) { return has(file.second); });
}

std::vector<std::string> include_directories(const CompileRequest& request, const NvrtcLibrary& nvrtc) {
  std::vector<std::string> directories = nvrtc.include_directories;
  if (directories.empty()) return directories;
  for (const auto& [header, folder] : kNeighbours)
    if (mentions(request, header)) directories.push_back(fmt::format("{}/{}", nvrtc.include_directories[0], folder));
  return directories;
}

// NVRTC's own cache would answer without running ptxas, and without its log the registers are unknown. Our cache is
// content-addressed and survives a change of the driver.
std::vector<std::string> all_options(const CompileRequest& request, const NvrtcLibrary& nvrtc) {
  std::vector<std::string> options = request.options;
  for (const std::string& directory : include_directories(request, nvrtc))
    options.push_back("--include-path=" + directory);
  constexpr const char* kVerbose = "--ptxas-options=-v";
  if (std::find(options.begin(), options.end(), kVerbose) == options.end()) options.emplace_back(kVerbose);
  if (nvrtc.info.major > 12 || (nvrtc.info.major == 12 && nvrtc.info.minor >= 9)) options.emplace_back("--no-cache");
  // The seed becomes part of the names in an anonymous namespace. Without it, they contain a number that differs in
  // each process.
  const auto is_seed = [](const std::string& option) { return option.find("-frandom-seed") != std::string::npos; };
  if (std::none_of(options.begin(), options.end(), is_seed) && takes_seed(nvrtc))
    options.push_back("--frandom-seed=" + program_key(request).substr(0, 16));
  if (leaves_out_working_directory(nvrtc)) options.emplace_back(kNoWorkingDirectory);
  return options;
}

// Whether the log names an error of the source: in a line ("kernel.cu(7): error"), an entry function or an argument. A
// compiler that ran out of memory names none, and may succeed next time.
bool names_an_error(std::string_view log) {
  if (log.find("out of memory") != std::string_view::npos) return false;
  for (const std::string_view sign : {"): error", "): catastrophic error", "ptxas error", "nvrtc: error"})
    if (log.find(sign) != std::string_view::npos) return true;
  return false;
}

// A header with this text replaces each file of this machine that the compiler would read, because NVRTC first looks at
// the headers that it was given.
constexpr const char* kOutside =
    "#error this file is outside of the kernel's folder; move it into the folder, or name a root of "
    "headers with \"include\" and --include (docs/spec.md)\n";

Result<Program> create_program(const NvrtcLibrary& nvrtc, const CompileRequest& request,
                               const std::vector<std::string>& outside) {
  const auto headers = header_names(request);
  std::vector<const char*> names, texts;
  for (const auto& [name, index] : headers) {
    names.push_back(name.c_str());
    texts.push_back(request.headers[index].second.c_str());
  }
  for (const std::string& name : outside) {
    if (std::any_of(headers.begin(), headers.end(), [&](const auto& header) { return header.first == name; })) continue;
    names.push_back(name.c_str());
    texts.push_back(kOutside);
  }
  nvrtcProgram raw = nullptr;
  nvrtcResult status = nvrtc.nvrtcCreateProgram(&raw, request.source.c_str(), request.source_name.c_str(),
                                                static_cast<int>(names.size()), texts.data(), names.data());
  if (status != NVRTC_SUCCESS) return fail(nvrtc_error(nvrtc, "nvrtcCreateProgram", status));
  Program program(raw, DestroyProgram{&nvrtc});
  for (const std::string& name : request.name_expressions) {
    status = nvrtc.nvrtcAddNameExpression(raw, name.c_str());
    if (status != NVRTC_SUCCESS) return fail(nvrtc_error(nvrtc, "nvrtcAddNameExpression", status));
  }
  return program;
}

Result<Cubin> take_cubin(const NvrtcLibrary& nvrtc, nvrtcProgram program, const CompileRequest& request) {
  Cubin cubin;
  const std::string log = program_log(nvrtc, program);
  const std::vector<PtxasKernel> kernels = parse_ptxas_log(log);
  for (const std::string& expression : request.name_expressions) {
    const char* lowered = nullptr;
    const nvrtcResult status = nvrtc.nvrtcGetLoweredName(program, expression.c_str(), &lowered);
    if (status != NVRTC_SUCCESS) return fail(nvrtc_error(nvrtc, "nvrtcGetLoweredName", status));
    cubin.lowered_names.emplace_back(lowered);
    KernelResources resources;
    for (const PtxasKernel& kernel : kernels)
      if (kernel.lowered_name == lowered) resources = kernel.resources;
    cubin.resources.push_back(resources);
  }
  std::size_t size = 0;
  nvrtcResult status = nvrtc.nvrtcGetCUBINSize(program, &size);
  if (status == NVRTC_SUCCESS) {
    cubin.image.resize(size);
    status = nvrtc.nvrtcGetCUBIN(program, cubin.image.data());
  }
  if (status != NVRTC_SUCCESS) return fail(nvrtc_error(nvrtc, "nvrtcGetCUBIN", status));
  if (cubin.image.empty())
    return fail(ErrorKind::internal,
                fmt::format("{} produced an empty cubin from {}", nvrtc.info.path, request.source_name));
  cubin.hash = compile_key(request);
  cubin.log = strip_ptxas_info(log);
  return cubin;
}

} // namespace

std::string compile_key(const CompileRequest& request) {
  return compile_key(request, request.build ? request.build->compiler : compiler_name());
}

std::string last_build_key(const CompileRequest& request) { return compile_key(request, "last build"); }

std::string compile_key(const CompileRequest& request, const std::string& compiler) {
  const std::string made_by = fmt::format("format {} {}", kFormat, compiler);
  return sha256_hex(fmt::format("{}:{}", made_by.size(), made_by) + request_bytes(request));
}

Result<CompileResult> compile(const CompileRequest& request, double timeout_s) {
  WT_TRY(auto found, load_nvrtc());
  const NvrtcLibrary& nvrtc = *found;
  OutsideIncludes outside = outside_includes(request);
  if (!outside.unclear.empty())
    return CompileResult(
        tl::make_unexpected(CompileFailure{fmt::format("{}: {}", request.source_name, outside.unclear)}));
  WT_TRY(auto program, create_program(nvrtc, request, outside.names));

  Deadline deadline;
  if (timeout_s > 0 && nvrtc.nvrtcSetFlowCallback != nullptr) {
    deadline.at = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(timeout_s));
    nvrtc.nvrtcSetFlowCallback(program.get(), ask_deadline, &deadline);
  }
  const std::vector<std::string> options = all_options(request, nvrtc);
  std::vector<const char*> pointers;
  pointers.reserve(options.size());
  for (const std::string& option : options) pointers.push_back(option.c_str());
  const nvrtcResult status =
      nvrtc.nvrtcCompileProgram(program.get(), static_cast<int>(pointers.size()), pointers.data());

  if (deadline.passed && status != NVRTC_SUCCESS) {
    return CompileResult(tl::make_unexpected(
        CompileFailure{fmt::format("cancelled: not compiled within {:.3g} s", timeout_s), true, true}));
  }
  if (status != NVRTC_SUCCESS) {
    std::string log = strip_ptxas_info(program_log(nvrtc, program.get()));
    if (log.empty()) log = fmt::format("{}: {}", request.source_name, nvrtc.nvrtcGetErrorString(status));
    const bool passing = status != NVRTC_ERROR_COMPILATION || !names_an_error(log);
    return CompileResult(tl::make_unexpected(CompileFailure{std::move(log), false, passing}));
  }
  WT_TRY(auto cubin, take_cubin(nvrtc, program.get(), request));
  return CompileResult(std::move(cubin));
}

} // namespace warptune
