// A stand-in for libcuda and libcupti in one library, for tests of `capture`: device memory is host memory; kernels do
// nothing and take 1000 ns plus 1 ns per block. CUPTI's callbacks and activity records arrive as from the real one.
// FAKE_CUPTI=busy: another tool has subscribed.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cupti.h>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

struct Function {
  std::string name;
};
struct Graph {
  std::vector<CUpti_ActivityKernel9> kernels;
};
struct Stream {
  bool is_capturing = false;
  Graph* graph = nullptr;
};

std::recursive_mutex g_mutex;
std::map<CUdeviceptr, std::size_t> g_memory;
std::set<std::string> g_names; // lives as long as the process, like CUPTI's names
std::vector<CUpti_ActivityKernel9> g_pending;
CUpti_CallbackFunc g_callback = nullptr;
std::set<CUpti_CallbackId> g_enabled;
CUpti_BuffersCallbackRequestFunc g_request = nullptr;
CUpti_BuffersCallbackCompleteFunc g_complete = nullptr;
std::uint32_t g_correlation = 0;
int g_context = 1;
pid_t g_process = 0; // the process that has subscribed

template <class Params, class Work>
CUresult traced(CUpti_CallbackId id, const char* name, const Params& params, const char* symbol, Work work) {
  CUresult result = CUDA_SUCCESS;
  std::uint64_t shared = 0;
  CUpti_CallbackData data{};
  data.functionName = name;
  data.functionParams = &params;
  data.functionReturnValue = &result;
  data.symbolName = symbol;
  data.contextUid = static_cast<std::uint32_t>(g_context);
  data.correlationData = &shared;
  data.correlationId = ++g_correlation;
  const bool is_on = g_callback != nullptr && g_enabled.count(id) != 0;
  data.callbackSite = CUPTI_API_ENTER;
  if (is_on) g_callback(nullptr, CUPTI_CB_DOMAIN_DRIVER_API, id, &data);
  result = work(data.correlationId);
  data.callbackSite = CUPTI_API_EXIT;
  if (is_on) g_callback(nullptr, CUPTI_CB_DOMAIN_DRIVER_API, id, &data);
  return result;
}

CUpti_ActivityKernel9 kernel_record(const std::string& name, const CUlaunchConfig& config, std::uint32_t correlation) {
  static std::uint64_t now = 1000;
  CUpti_ActivityKernel9 record{};
  record.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  record.name = g_names.insert(name).first->c_str();
  record.start = now;
  record.end = now + 1000 + std::uint64_t{config.gridDimX} * config.gridDimY * config.gridDimZ;
  now = record.end;
  record.gridX = static_cast<int>(config.gridDimX);
  record.gridY = static_cast<int>(config.gridDimY);
  record.gridZ = static_cast<int>(config.gridDimZ);
  record.blockX = static_cast<int>(config.blockDimX);
  record.blockY = static_cast<int>(config.blockDimY);
  record.blockZ = static_cast<int>(config.blockDimZ);
  record.dynamicSharedMemory = static_cast<int>(config.sharedMemBytes);
  record.registersPerThread = 16;
  record.correlationId = correlation;
  return record;
}

CUresult run(const std::string& name, const CUlaunchConfig& config, std::uint32_t correlation) {
  auto* stream = reinterpret_cast<Stream*>(config.hStream);
  const CUpti_ActivityKernel9 record = kernel_record(name, config, correlation);
  if (stream != nullptr && stream->is_capturing)
    stream->graph->kernels.push_back(record);
  else
    g_pending.push_back(record);
  return CUDA_SUCCESS;
}

template <class Handle> Handle new_function(const char* name) { return reinterpret_cast<Handle>(new Function{name}); }

bool is_gather(const Function& function) { return function.name.find("gather") != std::string::npos; }

// saxpy(pointer, pointer, float, int), gather(pointer, pointer, pointer, int), others (pointer, int).
CUresult param_info(const Function& function, std::size_t i, std::size_t* offset, std::size_t* size) {
  std::vector<std::size_t> sizes = {8, 4};
  if (function.name == "saxpy") sizes = {8, 8, 4, 4};
  if (is_gather(function)) sizes = {8, 8, 8, 4};
  if (i >= sizes.size()) return CUDA_ERROR_INVALID_VALUE;
  *offset = 0;
  for (std::size_t j = 0; j < i; ++j) *offset += sizes[j];
  *size = sizes[i];
  return CUDA_SUCCESS;
}

} // namespace

extern "C" {

CUresult cuInit(unsigned) {
  static bool is_done = false;
  if (is_done) return CUDA_SUCCESS;
  is_done = true;
  const char* path = std::getenv("CUDA_INJECTION64_PATH");
  if (path == nullptr) return CUDA_SUCCESS;
  if (void* library = dlopen(path, RTLD_NOW))
    if (void* start = dlsym(library, "InitializeInjection")) reinterpret_cast<int (*)()>(start)();
  return CUDA_SUCCESS;
}
// NVRTC asks for the driver's cache
CUresult cuGetExportTable(const void**, const CUuuid*) { return CUDA_ERROR_NOT_FOUND; }
CUresult cuDriverGetVersion(int* version) {
  *version = 13000;
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  *context = reinterpret_cast<CUcontext>(&g_context);
  return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext) {
  g_context = 1;
  return CUDA_SUCCESS;
}
CUresult cuCtxCreate_v2(CUcontext* context, unsigned, CUdevice) {
  *context = reinterpret_cast<CUcontext>(&g_context);
  g_context = 2;
  return CUDA_SUCCESS;
}
CUresult cuCtxSynchronize() { return CUDA_SUCCESS; }
CUresult cuMemAlloc_v2(CUdeviceptr* pointer, std::size_t bytes) {
  const std::lock_guard lock(g_mutex);
  *pointer = reinterpret_cast<CUdeviceptr>(std::calloc(bytes, 1));
  g_memory[*pointer] = bytes;
  return CUDA_SUCCESS;
}
CUresult cuMemFree_v2(CUdeviceptr pointer) {
  const std::lock_guard lock(g_mutex);
  std::free(reinterpret_cast<void*>(pointer));
  g_memory.erase(pointer);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, std::size_t bytes) {
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, std::size_t bytes) {
  std::memcpy(to, reinterpret_cast<void*>(from), bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t bytes, CUstream) {
  return cuMemcpyDtoH_v2(to, from, bytes);
}
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* attributes, void** data, CUdeviceptr pointer) {
  const std::lock_guard lock(g_mutex);
  auto after = g_memory.upper_bound(pointer);
  if (after == g_memory.begin()) return CUDA_ERROR_INVALID_VALUE;
  --after;
  if (pointer - after->first >= after->second) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < count; ++i) {
    if (attributes[i] == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR) *static_cast<CUdeviceptr*>(data[i]) = after->first;
    if (attributes[i] == CU_POINTER_ATTRIBUTE_RANGE_SIZE) *static_cast<std::size_t*>(data[i]) = after->second;
    if (attributes[i] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE) *static_cast<unsigned*>(data[i]) = CU_MEMORYTYPE_DEVICE;
    if (attributes[i] == CU_POINTER_ATTRIBUTE_IS_MANAGED) *static_cast<unsigned*>(data[i]) = 0;
  }
  return CUDA_SUCCESS;
}
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode*) { return CUDA_SUCCESS; }
CUresult cuStreamCreate(CUstream* stream, unsigned) {
  *stream = reinterpret_cast<CUstream>(new Stream);
  return CUDA_SUCCESS;
}
CUresult cuStreamDestroy_v2(CUstream stream) {
  delete reinterpret_cast<Stream*>(stream);
  return CUDA_SUCCESS;
}
CUresult cuStreamQuery(CUstream) { return std::getenv("FAKE_BUSY_STREAM") ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS; }
CUresult cuStreamSynchronize(CUstream) { return CUDA_SUCCESS; }
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  const auto* asked = reinterpret_cast<Stream*>(stream);
  *status = asked != nullptr && asked->is_capturing ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}
CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode) {
  *reinterpret_cast<Stream*>(stream) = {true, new Graph};
  return CUDA_SUCCESS;
}
CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  auto* ended = reinterpret_cast<Stream*>(stream);
  ended->is_capturing = false;
  *graph = reinterpret_cast<CUgraph>(ended->graph);
  return CUDA_SUCCESS;
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec* executable, CUgraph graph, unsigned long long) {
  *executable = reinterpret_cast<CUgraphExec>(graph);
  return CUDA_SUCCESS;
}
CUresult cuGraphLaunch(CUgraphExec executable, CUstream) {
  const std::lock_guard lock(g_mutex);
  ++g_correlation;
  for (CUpti_ActivityKernel9 record : reinterpret_cast<Graph*>(executable)->kernels) {
    record.graphNodeId = 7;
    record.correlationId = g_correlation;
    g_pending.push_back(record);
  }
  return CUDA_SUCCESS;
}
CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  return traced(CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData, "cuModuleLoadData", cuModuleLoadData_params{module, image},
                nullptr, [&](std::uint32_t) {
                  *module = new_function<CUmodule>("module");
                  return CUDA_SUCCESS;
                });
}
CUresult cuModuleUnload(CUmodule module) {
  return traced(CUPTI_DRIVER_TRACE_CBID_cuModuleUnload, "cuModuleUnload", cuModuleUnload_params{module}, nullptr,
                [](std::uint32_t) { return CUDA_SUCCESS; });
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  return traced(CUPTI_DRIVER_TRACE_CBID_cuModuleGetFunction, "cuModuleGetFunction",
                cuModuleGetFunction_params{function, module, name}, nullptr, [&](std::uint32_t) {
                  *function = new_function<CUfunction>(name);
                  return CUDA_SUCCESS;
                });
}
CUresult cuLibraryLoadData(CUlibrary* library, const void* code, CUjit_option* options, void** values, unsigned count,
                           CUlibraryOption* more, void** more_values, unsigned more_count) {
  return traced(CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData, "cuLibraryLoadData",
                cuLibraryLoadData_params{library, code, options, values, count, more, more_values, more_count}, nullptr,
                [&](std::uint32_t) {
                  *library = new_function<CUlibrary>("library");
                  return CUDA_SUCCESS;
                });
}
CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary library, const char* name) {
  return traced(CUPTI_DRIVER_TRACE_CBID_cuLibraryGetKernel, "cuLibraryGetKernel",
                cuLibraryGetKernel_params{kernel, library, name}, nullptr, [&](std::uint32_t) {
                  *kernel = new_function<CUkernel>(name);
                  return CUDA_SUCCESS;
                });
}
CUresult cuFuncGetParamInfo(CUfunction function, std::size_t i, std::size_t* offset, std::size_t* size) {
  return param_info(*reinterpret_cast<Function*>(function), i, offset, size);
}
CUresult cuKernelGetParamInfo(CUkernel kernel, std::size_t i, std::size_t* offset, std::size_t* size) {
  return param_info(*reinterpret_cast<Function*>(kernel), i, offset, size);
}
CUresult cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                        unsigned bz, unsigned shared, CUstream stream, void** params, void** extra) {
  const std::lock_guard lock(g_mutex);
  const std::string& name = reinterpret_cast<Function*>(function)->name;
  CUlaunchConfig config{gx, gy, gz, bx, by, bz, shared, stream, nullptr, 0};
  return traced(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, "cuLaunchKernel",
                cuLaunchKernel_params{function, gx, gy, gz, bx, by, bz, shared, stream, params, extra}, name.c_str(),
                [&](std::uint32_t correlation) { return run(name, config, correlation); });
}
CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** params, void** extra) {
  const std::lock_guard lock(g_mutex);
  const std::string& name = reinterpret_cast<Function*>(function)->name;
  return traced(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, "cuLaunchKernelEx",
                cuLaunchKernelEx_params{config, function, params, extra}, name.c_str(),
                [&](std::uint32_t correlation) { return run(name, *config, correlation); });
}

// --- CUPTI
// --------------------------------------------------------------------------------------------------------------

CUptiResult cuptiGetVersion(std::uint32_t* version) {
  *version = CUPTI_API_VERSION;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetResultString(CUptiResult, const char** text) {
  *text = "CUPTI_ERROR_FAKE";
  return CUPTI_SUCCESS;
}
CUptiResult cuptiSubscribe(CUpti_SubscriberHandle*, CUpti_CallbackFunc callback, void*) {
  const char* mode = std::getenv("FAKE_CUPTI");
  if (mode != nullptr && std::strcmp(mode, "busy") == 0) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  g_callback = callback;
  g_process = getpid();
  return CUPTI_SUCCESS;
}
CUptiResult cuptiEnableCallback(std::uint32_t enable, CUpti_SubscriberHandle, CUpti_CallbackDomain,
                                CUpti_CallbackId id) {
  if (enable != 0) g_enabled.insert(id);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnable(CUpti_ActivityKind) { return CUPTI_SUCCESS; }
CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                           CUpti_BuffersCallbackCompleteFunc complete) {
  g_request = request;
  g_complete = complete;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityFlushAll(std::uint32_t) {
  if (g_process != 0 && g_process != getpid()) std::abort(); // CUPTI does not work in a forked process
  const std::lock_guard lock(g_mutex);
  while (!g_pending.empty()) {
    std::uint8_t* buffer = nullptr;
    std::size_t size = 0, most = 0;
    g_request(&buffer, &size, &most);
    const std::size_t count = std::min(size / sizeof g_pending[0], g_pending.size());
    std::memcpy(buffer, g_pending.data(), count * sizeof g_pending[0]);
    g_pending.erase(g_pending.begin(), g_pending.begin() + static_cast<std::ptrdiff_t>(count));
    g_complete(nullptr, 0, buffer, size, count * sizeof g_pending[0]);
  }
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid, CUpti_Activity** record) {
  std::uint8_t* next =
      *record == nullptr ? buffer : reinterpret_cast<std::uint8_t*>(*record) + sizeof(CUpti_ActivityKernel9);
  if (next >= buffer + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, std::uint32_t, std::size_t* dropped) {
  *dropped = 0;
  return CUPTI_SUCCESS;
}
}
