#include "intercept/launches.h"

#include "intercept/buffers.h"
#include "intercept/code_image.h"
#include "intercept/json_line.h"
#include "intercept/record_file.h"
#include "intercept/settings.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <map>
#include <mutex>
#include <regex.h>
#include <unordered_map>
#include <vector>

namespace warptune::intercept {
namespace {

constexpr int kMaxCases = 64;                     // per kernel
constexpr std::size_t kMaxKnownLaunches = 65'536; // exact arguments remembered, so that a repeated launch is cheap
constexpr std::size_t kMaxParams = 1024;
constexpr std::size_t kMaxParamBytes = 32'764; // CUDA's limit for all parameters of a kernel

struct Param {
  std::size_t offset, bytes;
};

struct Function {
  std::string image, name; // id of the module's image; the kernel's name as the application requested it
  bool is_kernel = false;  // CUkernel
  bool is_known = false;   // the handle came from an observed call, so the driver may be asked for the parameters
};

struct Kernel {
  std::string name;
  bool is_wanted = false, has_params = false;
  int number = 0, cases = 0;
  std::vector<Param> params;
};

std::string demangled(const char* name) {
  int status = 0;
  char* text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  const std::string result = status == 0 && text != nullptr ? text : name;
  std::free(text);
  return result;
}

std::string triple(const std::array<unsigned, 3>& values) {
  return "[" + std::to_string(values[0]) + "," + std::to_string(values[1]) + "," + std::to_string(values[2]) + "]";
}

std::string hex(const std::vector<unsigned char>& bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

// The parameter block that a launch passes as CU_LAUNCH_PARAM_BUFFER_POINTER.
const char* packed_params(void** extra, std::size_t& size) {
  const char* block = nullptr;
  size = 0;
  for (int i = 0; extra != nullptr && extra[i] != CU_LAUNCH_PARAM_END && i < 8; i += 2) {
    if (extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER) block = static_cast<const char*>(extra[i + 1]);
    if (extra[i] == CU_LAUNCH_PARAM_BUFFER_SIZE) size = *static_cast<const std::size_t*>(extra[i + 1]);
  }
  return block;
}

using Values = std::vector<std::vector<unsigned char>>;

Values read_values(const Launch& launch, const std::vector<Param>& params) {
  std::size_t packed_size = 0;
  const char* packed = launch.params == nullptr ? packed_params(launch.extra, packed_size) : nullptr;
  Values values;
  for (std::size_t i = 0; i < params.size(); ++i) {
    const void* from = nullptr;
    if (launch.params != nullptr)
      from = launch.params[i];
    else if (packed != nullptr && params[i].offset + params[i].bytes <= packed_size)
      from = packed + params[i].offset;
    std::vector<unsigned char> value(from == nullptr ? 0 : params[i].bytes);
    if (from != nullptr) std::memcpy(value.data(), from, value.size());
    values.push_back(std::move(value));
  }
  return values;
}

std::uint64_t address_of(const std::vector<unsigned char>& value) {
  std::uint64_t address = 0;
  if (value.size() == sizeof address) std::memcpy(&address, value.data(), sizeof address);
  return address;
}

} // namespace

struct Launches::State {
  std::mutex mutex;
  std::map<void*, std::string> images; // keyed by module or library
  std::unordered_map<void*, Function> functions;
  std::unordered_map<void*, Kernel> kernels; // keyed by function
  std::unordered_map<std::string, int> known_launches, cases;
  std::map<std::string, int> kernel_cases; // keyed by name and image; kept after the module is unloaded
  int next_kernel = 0, next_case = 0;
  regex_t pattern{};
  bool has_pattern = false;
  bool copies_contents = settings().contents > 0; // until a copy times out

  bool matches(const char* name) const {
    return has_pattern && (regexec(&pattern, name, 0, nullptr, 0) == 0 ||
                           regexec(&pattern, demangled(name).c_str(), 0, nullptr, 0) == 0);
  }

  Function function_of(void* handle) const {
    const auto found = functions.find(handle);
    return found == functions.end() ? Function() : found->second;
  }

  Kernel& kernel_of(const Launch& launch) {
    const auto found = kernels.find(launch.function);
    if (found != kernels.end()) return found->second;
    const Function function = function_of(launch.function);
    Kernel kernel;
    kernel.name = launch.name != nullptr ? launch.name : function.name;
    kernel.is_wanted = !kernel.name.empty() && matches(kernel.name.c_str());
    if (kernel.is_wanted) {
      kernel.number = next_kernel++;
      read_params(launch.function, function, kernel);
      RecordFile::get().line(
          JsonObject()
              .raw("kernel", JsonObject()
                                 .number("id", kernel.number)
                                 .text("name", kernel.name)
                                 .text("image", function.image)
                                 .number("parameters", kernel.has_params ? static_cast<int>(kernel.params.size()) : -1)
                                 .str())
              .str());
    }
    return kernels[launch.function] = std::move(kernel);
  }

  static void read_params(void* handle, const Function& function, Kernel& kernel) {
    const DriverCalls* driver = driver_calls();
    if (driver == nullptr || !function.is_known) return;
    std::size_t total = 0;
    for (std::size_t i = 0; i < kMaxParams; ++i) {
      Param param{};
      CUresult status = CUDA_ERROR_NOT_SUPPORTED;
      if (function.is_kernel && driver->kernel_param != nullptr)
        status = driver->kernel_param(static_cast<CUkernel>(handle), i, &param.offset, &param.bytes);
      else if (!function.is_kernel && driver->function_param != nullptr)
        status = driver->function_param(static_cast<CUfunction>(handle), i, &param.offset, &param.bytes);
      if (status == CUDA_ERROR_INVALID_VALUE) {
        kernel.has_params = true; // past the last parameter
        return;
      }
      total += param.bytes;
      if (status != CUDA_SUCCESS || total > kMaxParamBytes) break;
      kernel.params.push_back(param);
    }
    kernel.params.clear();
  }

  // Equal only for launches with bitwise equal arguments.
  static std::string exact_key(const Launch& launch, const Values& values) {
    std::string key(reinterpret_cast<const char*>(&launch.function), sizeof launch.function);
    for (const auto* numbers : {&launch.grid, &launch.block, &launch.cluster})
      key.append(reinterpret_cast<const char*>(numbers->data()), sizeof *numbers);
    key.append(reinterpret_cast<const char*>(&launch.shared), sizeof launch.shared);
    for (const auto& value : values) key.append(value.begin(), value.end());
    return key;
  }

  int find_case(const Launch& launch) {
    Kernel& kernel = kernel_of(launch);
    if (!kernel.is_wanted) return kNoCase;
    const Values values = read_values(launch, kernel.params);
    if (known_launches.size() > kMaxKnownLaunches) known_launches.clear();
    const auto [known, is_new] = known_launches.try_emplace(exact_key(launch, values), kNoCase);
    if (is_new) known->second = make_case(launch, kernel, values);
    return known->second;
  }

  int make_case(const Launch& launch, Kernel& kernel, const Values& values) {
    const DriverCalls* driver = driver_calls();
    std::vector<Buffer> buffers(values.size());
    std::string image = function_of(launch.function).image;
    std::string key = kernel.name + " " + image + triple(launch.grid) + triple(launch.block) + triple(launch.cluster) +
                      std::to_string(launch.shared);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (driver != nullptr) buffers[i] = find_buffer(*driver, address_of(values[i]));
      key += buffers[i].is_buffer() ? " b" + std::to_string(buffers[i].bytes) : " " + hex(values[i]);
    }
    if (const auto known = cases.find(key); known != cases.end()) return known->second;
    int& count = kernel_cases[kernel.name + " " + image];
    if (count == kMaxCases) {
      RecordFile::get().problem(demangled(kernel.name.c_str()) + " is launched with more than " +
                                std::to_string(kMaxCases) + " different sets of arguments; only the first " +
                                std::to_string(kMaxCases) + " are recorded");
      return kNoCase;
    }
    ++count;
    cases.emplace(key, next_case);
    const bool is_graph = launch.is_graph_node || (driver != nullptr && is_capturing(*driver, launch.stream));
    std::string args;
    for (std::size_t i = 0; i < values.size(); ++i)
      add_element(args, argument_json(launch, kernel, i, values[i], buffers[i], is_graph));
    JsonObject one;
    one.number("id", next_case)
        .number("kernel", kernel.number)
        .raw("grid", triple(launch.grid))
        .raw("block", triple(launch.block))
        .raw("cluster", triple(launch.cluster))
        .number("shared", launch.shared)
        .raw("cooperative", launch.is_cooperative ? "true" : "false")
        .raw("graph", is_graph ? "true" : "false")
        .number("context", launch.context)
        .raw("args", kernel.has_params ? "[" + args + "]" : "null");
    RecordFile::get().line(JsonObject().raw("case", one.str()).str());
    return next_case++;
  }

  std::string argument_json(const Launch& launch, const Kernel& kernel, std::size_t i,
                            const std::vector<unsigned char>& value, const Buffer& buffer, bool is_graph) {
    JsonObject argument;
    argument.number("bytes", static_cast<std::int64_t>(kernel.params[i].bytes)).text("value", hex(value));
    if (!buffer.is_buffer()) return argument.str();
    JsonObject described;
    described.number("offset", static_cast<std::int64_t>(buffer.offset))
        .number("bytes", static_cast<std::int64_t>(buffer.bytes))
        .text("memory", buffer.memory);
    if (copies_contents && !is_graph) {
      const std::size_t wanted = std::min(buffer.bytes, static_cast<std::uint64_t>(settings().contents));
      std::vector<char> contents;
      const std::string why =
          copy_contents(*driver_calls(), launch.stream, address_of(value), buffer, wanted, contents);
      const std::string file = why.empty() ? RecordFile::get().blob(std::to_string(next_case) + "-" + std::to_string(i),
                                                                    contents.data(), wanted)
                                           : "";
      if (!why.empty()) {
        copies_contents = false;
        RecordFile::get().problem("the contents of buffers are no longer copied: " + why);
      }
      if (!file.empty()) described.text("contents", file);
    }
    return argument.raw("buffer", described.str()).str();
  }
};

Launches& Launches::get() {
  static Launches& all = *new Launches;
  return all;
}

Launches::Launches() : state_(std::make_unique<State>()) {
  const std::string& pattern = settings().kernel;
  state_->has_pattern = !pattern.empty() && regcomp(&state_->pattern, pattern.c_str(), REG_EXTENDED | REG_NOSUB) == 0;
}

void Launches::loaded(void* module, const void* image, const char* file) {
  const CodeImage read = file == nullptr ? read_image(image) : CodeImage();
  const std::lock_guard lock(state_->mutex);
  state_->images[module] = file != nullptr ? std::string("file ") + file : read.id;
}

void Launches::found_function(void* module, void* function, const char* name) {
  const std::lock_guard lock(state_->mutex);
  state_->functions[function] = {state_->images[module], name == nullptr ? "" : name, false, true};
}

void Launches::found_kernel(void* library, void* kernel, const char* name) {
  const std::lock_guard lock(state_->mutex);
  state_->functions[kernel] = {state_->images[library], name == nullptr ? "" : name, true, true};
}

void Launches::kernel_function(void* kernel, void* function) {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->functions.find(kernel);
  if (found == state_->functions.end()) return;
  Function same = found->second;
  same.is_kernel = false;
  state_->functions[function] = std::move(same);
}

void Launches::library_module(void* library, void* module) {
  const std::lock_guard lock(state_->mutex);
  state_->images[module] = state_->images[library];
}

// The driver may reuse the handles of the module's functions.
void Launches::unloaded(void* module) {
  const std::lock_guard lock(state_->mutex);
  state_->images.erase(module);
  state_->kernels.clear();
  state_->known_launches.clear();
}

int Launches::launched(const Launch& launch) {
  const std::lock_guard lock(state_->mutex);
  return state_->find_case(launch);
}

} // namespace warptune::intercept
