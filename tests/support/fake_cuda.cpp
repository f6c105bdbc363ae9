#include "support/fake_cuda.h"

#include <atomic>
#include <cstring>
#include <cuda.h>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace {

thread_local CUcontext context = nullptr;
thread_local int arg_count = 0;
thread_local CUresult launch_status = CUDA_SUCCESS, load_status = CUDA_SUCCESS;
thread_local warptune::test::FakeLaunch last{};
thread_local CUstreamCaptureMode capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
std::atomic<std::uint64_t> generation{0}; // total over all contexts
std::atomic<int> modules{0}, breaking_loads{0}, kept_buffers{0};
std::atomic<int> devices{1};
std::atomic<bool> is_memory_full{false};
std::atomic<CUstream> captured{nullptr};
std::atomic<CUstream> foreign_stream{nullptr};
std::atomic<CUcontext> foreign_context{nullptr}; // the context of that stream
std::mutex names_mutex;
std::set<std::string>& names = *new std::set<std::string>; // function handles point into it, also while a process ends
std::map<std::pair<std::string, int>, int>& attributes =
    *new std::map<std::pair<std::string, int>, int>; // the attributes that were set

CUresult not_supported() { return CUDA_ERROR_NOT_SUPPORTED; }
CUresult init(unsigned) { return CUDA_SUCCESS; }
CUresult driver_version(int* version) { return *version = 13000, CUDA_SUCCESS; }
CUresult device_get(CUdevice* device, int) { return *device = 0, CUDA_SUCCESS; }
CUresult device_count(int* count) { return *count = devices, CUDA_SUCCESS; }
CUresult device_name(char* name, int size, CUdevice) {
  std::strncpy(name, "Fake H200", static_cast<std::size_t>(size));
  return CUDA_SUCCESS;
}
CUresult device_uuid(CUuuid* uuid, CUdevice) {
  std::memset(uuid, 0x11, sizeof *uuid);
  return CUDA_SUCCESS;
}
CUresult device_memory(std::size_t* bytes, CUdevice) { return *bytes = std::size_t{141} << 30, CUDA_SUCCESS; }
CUresult device_attribute(int* value, CUdevice_attribute which, CUdevice) {
  static const auto& known = *new std::map<int, int>{{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9},
                                                     {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0},
                                                     {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 132},
                                                     {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
                                                     {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
                                                     {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
                                                     {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 232448},
                                                     {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 233472},
                                                     {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536},
                                                     {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 32},
                                                     {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 62914560}};
  const auto found = known.find(which);
  return *value = found == known.end() ? 0 : found->second, CUDA_SUCCESS;
}
CUresult current(CUcontext* out) { return *out = context, CUDA_SUCCESS; }
CUresult set_current(CUcontext to) { return context = to, CUDA_SUCCESS; }
CUresult context_device(CUdevice* device) {
  return *device = 0, context == nullptr ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
}
CUresult context_id(CUcontext of, unsigned long long* id) {
  return *id = reinterpret_cast<std::uintptr_t>(of) + (generation << 48), CUDA_SUCCESS;
}
CUresult retain_primary(CUcontext* out, CUdevice) { return *out = reinterpret_cast<CUcontext>(0x9000), CUDA_SUCCESS; }
CUresult release_primary(CUdevice) { return CUDA_SUCCESS; }
CUresult synchronize(CUstream) { return CUDA_SUCCESS; }
CUresult allocate(CUdeviceptr* address, std::size_t, CUstream) { return *address = 0x7000000, CUDA_SUCCESS; }
CUresult release(CUdeviceptr, CUstream) { return CUDA_SUCCESS; }
CUresult stream_id(CUstream stream, unsigned long long* id) {
  return *id = reinterpret_cast<std::uintptr_t>(stream) + (generation << 48), CUDA_SUCCESS;
}
CUresult allocate_now(CUdeviceptr* address, std::size_t bytes) {
  static std::atomic<CUdeviceptr> next{0x100000000};
  if (is_memory_full) return CUDA_ERROR_OUT_OF_MEMORY;
  if (capture_mode != CU_STREAM_CAPTURE_MODE_RELAXED) ++breaking_loads;
  ++kept_buffers;
  return *address = next.fetch_add(bytes), CUDA_SUCCESS;
}
CUresult free_now(CUdeviceptr) { return --kept_buffers, CUDA_SUCCESS; }
CUresult error_name(CUresult status, const char** text) {
  return *text = status == CUDA_ERROR_INVALID_HANDLE ? "CUDA_ERROR_INVALID_HANDLE" : "CUDA_ERROR_FAKE", CUDA_SUCCESS;
}
CUresult error_string(CUresult, const char** text) { return *text = "as asked for", CUDA_SUCCESS; }
CUresult load(CUmodule* module, const void* image, unsigned, CUjit_option*, void**) {
  if (load_status != CUDA_SUCCESS) return load_status;
  const std::string_view start(static_cast<const char*>(image), 4);
  if (start != "fake" && start != "\177ELF") return CUDA_ERROR_INVALID_IMAGE; // the images of tests, and NVRTC's
  ++modules;
  if (capture_mode != CU_STREAM_CAPTURE_MODE_RELAXED) ++breaking_loads;
  return *module = reinterpret_cast<CUmodule>(0x10), CUDA_SUCCESS;
}
CUresult unload(CUmodule) { return CUDA_SUCCESS; }
CUresult find_function(CUfunction* function, CUmodule, const char* name) {
  const std::lock_guard lock(names_mutex);
  const std::string& kept = *names.insert(name).first;
  return *function = reinterpret_cast<CUfunction>(const_cast<char*>(kept.c_str())), CUDA_SUCCESS;
}
int attribute_of(const char* function, int which) {
  const std::lock_guard lock(names_mutex);
  const auto found = attributes.find({function, which});
  return found == attributes.end() ? 0 : found->second;
}
CUresult function_attribute(int* value, CUfunction_attribute which, CUfunction function) {
  return *value = attribute_of(reinterpret_cast<const char*>(function), which), CUDA_SUCCESS;
}
CUresult set_function_attribute(CUfunction function, CUfunction_attribute which, int value) {
  const std::lock_guard lock(names_mutex);
  attributes[{reinterpret_cast<const char*>(function), which}] = value;
  return CUDA_SUCCESS;
}
CUresult is_capturing(CUstream stream, CUstreamCaptureStatus* status) {
  *status = stream != nullptr && stream == captured ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}
CUresult exchange_capture_mode(CUstreamCaptureMode* mode) {
  std::swap(*mode, capture_mode);
  return CUDA_SUCCESS;
}
CUresult clear(CUdeviceptr address, unsigned char value, std::size_t bytes, CUstream) {
  last.cleared_bytes = bytes;
  last.cleared_with = value;
  return last.cleared = address, CUDA_SUCCESS;
}
CUresult copy(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream) {
  if (to == 0 || from == 0) return CUDA_ERROR_INVALID_VALUE;
  last.copied_to = to;
  last.copied_from = from;
  last.copied_after = last.count;
  return last.copied_bytes = bytes, CUDA_SUCCESS;
}
CUresult set_word(CUdeviceptr, unsigned word, std::size_t count, CUstream) {
  last.word_count = count;
  return last.words = 2 * last.words + word, CUDA_SUCCESS;
}
CUresult find_symbol(CUdeviceptr* address, std::size_t* bytes, CUmodule, const char*) {
  *address = 0x5000;
  return *bytes = 64, CUDA_SUCCESS;
}
CUresult launch(const CUlaunchConfig* config, CUfunction function, void** args, void**) {
  if (launch_status != CUDA_SUCCESS) return launch_status;
  if (config->hStream != nullptr && config->hStream == foreign_stream && context != foreign_context)
    return CUDA_ERROR_INVALID_HANDLE;
  ++last.count;
  last.grid = config->gridDimX;
  last.block = config->blockDimX;
  last.shared = config->sharedMemBytes;
  last.stream = config->hStream;
  last.function = reinterpret_cast<const char*>(function);
  for (int i = 0; i < arg_count && i < static_cast<int>(std::size(last.args)); ++i)
    std::memcpy(&last.args[i], args[i], 8);
  return CUDA_SUCCESS;
}

template <class F> void* address_of(F* function) { return reinterpret_cast<void*>(function); }

void* find(std::string_view name) {
  static const auto& known =
      *new std::map<std::string_view, void*>{{"cuInit", address_of(init)},
                                             {"cuDriverGetVersion", address_of(driver_version)},
                                             {"cuDeviceGet", address_of(device_get)},
                                             {"cuDeviceGetCount", address_of(device_count)},
                                             {"cuDeviceGetName", address_of(device_name)},
                                             {"cuDeviceGetUuid", address_of(device_uuid)},
                                             {"cuDeviceTotalMem", address_of(device_memory)},
                                             {"cuDeviceGetAttribute", address_of(device_attribute)},
                                             {"cuCtxGetCurrent", address_of(current)},
                                             {"cuCtxSetCurrent", address_of(set_current)},
                                             {"cuCtxGetDevice", address_of(context_device)},
                                             {"cuCtxGetId", address_of(context_id)},
                                             {"cuDevicePrimaryCtxRetain", address_of(retain_primary)},
                                             {"cuDevicePrimaryCtxRelease", address_of(release_primary)},
                                             {"cuStreamSynchronize", address_of(synchronize)},
                                             {"cuMemAllocAsync", address_of(allocate)},
                                             {"cuMemFreeAsync", address_of(release)},
                                             {"cuStreamGetId", address_of(stream_id)},
                                             {"cuMemAlloc", address_of(allocate_now)},
                                             {"cuMemFree", address_of(free_now)},
                                             {"cuGetErrorName", address_of(error_name)},
                                             {"cuGetErrorString", address_of(error_string)},
                                             {"cuModuleLoadDataEx", address_of(load)},
                                             {"cuModuleUnload", address_of(unload)},
                                             {"cuModuleGetFunction", address_of(find_function)},
                                             {"cuModuleGetGlobal", address_of(find_symbol)},
                                             {"cuMemcpyDtoDAsync", address_of(copy)},
                                             {"cuMemsetD32Async", address_of(set_word)},
                                             {"cuFuncGetAttribute", address_of(function_attribute)},
                                             {"cuFuncSetAttribute", address_of(set_function_attribute)},
                                             {"cuStreamIsCapturing", address_of(is_capturing)},
                                             {"cuThreadExchangeStreamCaptureMode", address_of(exchange_capture_mode)},
                                             {"cuMemsetD8Async", address_of(clear)},
                                             {"cuLaunchKernelEx", address_of(launch)}};
  const auto found = known.find(name);
  return found == known.end() ? address_of(not_supported) : found->second;
}

} // namespace

// cuda.h declares both with C linkage, the second under the name of its exported symbol.
CUresult CUDAAPI cuDriverGetVersion(int* version) { return driver_version(version); }
#undef cuGetProcAddress
extern "C" CUresult CUDAAPI cuGetProcAddress_v2(const char* name, void** address, int, cuuint64_t,
                                                CUdriverProcAddressQueryResult* found) {
  *address = find(name);
  if (found != nullptr) *found = CU_GET_PROC_ADDRESS_SUCCESS;
  return CUDA_SUCCESS;
}

void fake_set_context(void* to) { context = static_cast<CUcontext>(to); }
void fake_renew_contexts() { ++generation; }
void fake_set_arg_count(int count) { arg_count = count; }
void fake_fail_launches(int status) { launch_status = static_cast<CUresult>(status); }
void fake_fail_loads(int status) { load_status = static_cast<CUresult>(status); }
void fake_set_stream_context(void* stream, void* of) {
  foreign_context = static_cast<CUcontext>(of);
  foreign_stream = static_cast<CUstream>(stream);
}
warptune::test::FakeLaunch fake_launch() { return last; }
void fake_set_device_count(int count) { devices = count; }
int fake_modules_loaded() { return modules; }
int fake_function_attribute(const char* function, int which) { return attribute_of(function, which); }
void fake_capture(void* stream) { captured = static_cast<CUstream>(stream); }
int fake_loads_that_break_captures() { return breaking_loads; }
int fake_kept_buffers() { return kept_buffers; }
void fake_fill_memory(int is_full) { is_memory_full = is_full != 0; }
