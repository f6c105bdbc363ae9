// Entry point of the library: CUDA calls InitializeInjection when the application initialises CUDA. Subscribes to the
// driver functions that load code and launch kernels, and to the device times of kernels. Must not disturb the
// application: no exception leaves this file, and without CUPTI the application runs unobserved.
#include "intercept/cupti_calls.h"
#include "intercept/driver_calls.h"
#include "intercept/json_line.h"
#include "intercept/kernel_times.h"
#include "intercept/launches.h"
#include "intercept/record_file.h"
#include "intercept/settings.h"

#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <pthread.h>
#include <thread>
#include <unistd.h>

namespace warptune::intercept {
namespace {

constexpr std::size_t kBufferBytes = 1 << 20; // about 5,000 kernels
constexpr std::size_t kBufferAlign = 8;
constexpr auto kFlushPeriod = std::chrono::milliseconds(500); // a crash loses at most this period

const CuptiCalls* g_cupti = nullptr;
thread_local bool t_is_inside = false; // set while the library itself calls the driver

// --- device times --------------------------------------------------------------------------------------------------

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kBufferAlign, kBufferBytes));
  *size = *buffer == nullptr ? 0 : kBufferBytes;
  *records = 0;
}

// The members up to `graphNodeId` have had the same offsets since CUDA 11.
void add_time(const CUpti_ActivityKernel9& record) {
  if (record.start == 0 || record.end == 0) return; // the kernel has not ended
  TimedKernel kernel{record.name == nullptr ? "" : record.name,
                     {record.gridX, record.gridY, record.gridZ},
                     {record.blockX, record.blockY, record.blockZ},
                     record.dynamicSharedMemory,
                     record.staticSharedMemory,
                     record.registersPerThread,
                     record.graphNodeId != 0,
                     record.correlationId,
                     record.end > record.start ? record.end - record.start : 0};
  KernelTimes::get().add(kernel);
}

void CUPTIAPI take_buffer(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t,
                          std::size_t valid) try {
  CUpti_Activity* record = nullptr;
  while (valid > 0 && g_cupti->cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS)
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
      add_time(*reinterpret_cast<const CUpti_ActivityKernel9*>(record));
  KernelTimes::get().write();
  std::size_t dropped = 0;
  if (g_cupti->cuptiActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_SUCCESS && dropped > 0)
    RecordFile::get().line(JsonObject().number("dropped", static_cast<std::int64_t>(dropped)).str());
  std::free(buffer);
} catch (...) {
  std::free(buffer);
}

// --- calls of the driver -------------------------------------------------------------------------------------------

constexpr CUpti_CallbackId kLaunchCalls[] = {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
                                             CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
                                             CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
                                             CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
                                             CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
                                             CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz,
                                             CUPTI_DRIVER_TRACE_CBID_cuGraphAddKernelNode,
                                             CUPTI_DRIVER_TRACE_CBID_cuGraphAddKernelNode_v2,
                                             CUPTI_DRIVER_TRACE_CBID_cuGraphAddNode,
                                             CUPTI_DRIVER_TRACE_CBID_cuGraphAddNode_v2};
constexpr CUpti_CallbackId kLoadCalls[] = {
    CUPTI_DRIVER_TRACE_CBID_cuModuleLoad,       CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData,
    CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx, CUPTI_DRIVER_TRACE_CBID_cuModuleLoadFatBinary,
    CUPTI_DRIVER_TRACE_CBID_cuModuleUnload,     CUPTI_DRIVER_TRACE_CBID_cuModuleGetFunction,
    CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData,  CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadFromFile,
    CUPTI_DRIVER_TRACE_CBID_cuLibraryUnload,    CUPTI_DRIVER_TRACE_CBID_cuLibraryGetKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLibraryGetModule, CUPTI_DRIVER_TRACE_CBID_cuKernelGetFunction};

template <class Params> const Params& params_of(const CUpti_CallbackData& data) {
  return *static_cast<const Params*>(data.functionParams);
}

// For cuLaunchKernel, cuLaunchCooperativeKernel and graph nodes, whose parameters have the same member names.
template <class Params> Launch plain_launch(const Params& params) {
  Launch launch;
  launch.grid = {params.gridDimX, params.gridDimY, params.gridDimZ};
  launch.block = {params.blockDimX, params.blockDimY, params.blockDimZ};
  launch.shared = params.sharedMemBytes;
  launch.params = params.kernelParams;
  if constexpr (requires { params.extra; }) launch.extra = params.extra;
  if constexpr (requires { params.f; }) launch.function = params.f;
  if constexpr (requires { params.hStream; }) launch.stream = params.hStream;
  return launch;
}

Launch configured_launch(const CUlaunchConfig& config, void* function, void** params, void** extra) {
  Launch launch = plain_launch(cuLaunchKernel_params{
      static_cast<CUfunction>(function), config.gridDimX, config.gridDimY, config.gridDimZ, config.blockDimX,
      config.blockDimY, config.blockDimZ, config.sharedMemBytes, config.hStream, params, extra});
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const CUlaunchAttributeValue& value = config.attrs[i].value;
    if (config.attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
      launch.cluster = {value.clusterDim.x, value.clusterDim.y, value.clusterDim.z};
    if (config.attrs[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) launch.is_cooperative = value.cooperative != 0;
  }
  return launch;
}

template <class Node> Launch node_launch(const Node& node) {
  Launch launch = plain_launch(node);
  launch.function = node.func;
  if constexpr (requires { node.kern; })
    if (launch.function == nullptr) launch.function = node.kern;
  launch.is_graph_node = true;
  return launch;
}

// If the call adds another kind of node to a graph, the launch has no function.
Launch launch_of(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  switch (id) {
  case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
  case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz:
    return plain_launch(params_of<cuLaunchKernel_params>(data));
  case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
  case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz: {
    Launch launch = plain_launch(params_of<cuLaunchCooperativeKernel_params>(data));
    launch.is_cooperative = true;
    return launch;
  }
  case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
  case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz: {
    const auto& params = params_of<cuLaunchKernelEx_params>(data);
    if (params.config == nullptr) return {};
    return configured_launch(*params.config, params.f, params.kernelParams, params.extra);
  }
  case CUPTI_DRIVER_TRACE_CBID_cuGraphAddKernelNode: {
    const auto* node = params_of<cuGraphAddKernelNode_params>(data).nodeParams;
    return node == nullptr ? Launch() : node_launch(*node);
  }
  case CUPTI_DRIVER_TRACE_CBID_cuGraphAddKernelNode_v2: {
    const auto* node = params_of<cuGraphAddKernelNode_v2_params>(data).nodeParams;
    return node == nullptr ? Launch() : node_launch(*node);
  }
  case CUPTI_DRIVER_TRACE_CBID_cuGraphAddNode:
  case CUPTI_DRIVER_TRACE_CBID_cuGraphAddNode_v2: {
    const auto* node = id == CUPTI_DRIVER_TRACE_CBID_cuGraphAddNode
                           ? params_of<cuGraphAddNode_params>(data).nodeParams
                           : params_of<cuGraphAddNode_v2_params>(data).nodeParams;
    return node == nullptr || node->type != CU_GRAPH_NODE_TYPE_KERNEL ? Launch() : node_launch(node->kernel);
  }
  default:
    return {};
  }
}

// Runs before the call, so that arguments and buffers are as the kernel receives them.
void before_launch(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  Launch launch = launch_of(id, data);
  if (launch.function == nullptr) return;
  if (!launch.is_graph_node) launch.name = data.symbolName;
  launch.context = data.contextUid;
  const int a_case = Launches::get().launched(launch);
  if (a_case != kNoCase && !launch.is_graph_node) KernelTimes::get().expect(data.correlationId, a_case);
}

void after_load(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  if (*static_cast<const CUresult*>(data.functionReturnValue) != CUDA_SUCCESS) return;
  Launches& launches = Launches::get();
  switch (id) {
  case CUPTI_DRIVER_TRACE_CBID_cuModuleLoad: {
    const auto& params = params_of<cuModuleLoad_params>(data);
    return launches.loaded(*params.module, nullptr, params.fname);
  }
  case CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData: {
    const auto& params = params_of<cuModuleLoadData_params>(data);
    return launches.loaded(*params.module, params.image, nullptr);
  }
  case CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx: {
    const auto& params = params_of<cuModuleLoadDataEx_params>(data);
    return launches.loaded(*params.module, params.image, nullptr);
  }
  case CUPTI_DRIVER_TRACE_CBID_cuModuleLoadFatBinary: {
    const auto& params = params_of<cuModuleLoadFatBinary_params>(data);
    return launches.loaded(*params.module, params.fatCubin, nullptr);
  }
  case CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData: {
    const auto& params = params_of<cuLibraryLoadData_params>(data);
    return launches.loaded(*params.library, params.code, nullptr);
  }
  case CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadFromFile: {
    const auto& params = params_of<cuLibraryLoadFromFile_params>(data);
    return launches.loaded(*params.library, nullptr, params.fileName);
  }
  case CUPTI_DRIVER_TRACE_CBID_cuModuleGetFunction: {
    const auto& params = params_of<cuModuleGetFunction_params>(data);
    return launches.found_function(params.hmod, *params.hfunc, params.name);
  }
  case CUPTI_DRIVER_TRACE_CBID_cuLibraryGetKernel: {
    const auto& params = params_of<cuLibraryGetKernel_params>(data);
    return launches.found_kernel(params.library, *params.pKernel, params.name);
  }
  case CUPTI_DRIVER_TRACE_CBID_cuLibraryGetModule: {
    const auto& params = params_of<cuLibraryGetModule_params>(data);
    return launches.library_module(params.library, *params.pMod);
  }
  case CUPTI_DRIVER_TRACE_CBID_cuKernelGetFunction: {
    const auto& params = params_of<cuKernelGetFunction_params>(data);
    return launches.kernel_function(params.kernel, *params.pFunc);
  }
  case CUPTI_DRIVER_TRACE_CBID_cuModuleUnload:
    return launches.unloaded(params_of<cuModuleUnload_params>(data).hmod);
  case CUPTI_DRIVER_TRACE_CBID_cuLibraryUnload:
    return launches.unloaded(params_of<cuLibraryUnload_params>(data).library);
  default:
    return;
  }
}

bool is_launch(CUpti_CallbackId id) {
  for (const CUpti_CallbackId one : kLaunchCalls)
    if (one == id) return true;
  return false;
}

void CUPTIAPI called(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* callback) {
  if (domain != CUPTI_CB_DOMAIN_DRIVER_API || t_is_inside) return;
  const auto& data = *static_cast<const CUpti_CallbackData*>(callback);
  t_is_inside = true;
  try {
    if (is_launch(id)) {
      if (data.callbackSite == CUPTI_API_ENTER) before_launch(id, data);
    } else if (data.callbackSite == CUPTI_API_EXIT) {
      after_load(id, data);
    }
  } catch (...) { // out of memory: this call is not recorded
  }
  t_is_inside = false;
}

// --- start and end -------------------------------------------------------------------------------------------------

// Writes finished records twice a second, which bounds the loss in a crash or after SIGKILL.
class Flusher {
 public:
  void start() {
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old); // the application's signals go to its own threads
    thread_ = std::thread([this] { run(); });
    pthread_sigmask(SIG_SETMASK, &old, nullptr);
    pid_ = ::getpid();
  }
  void stop() {
    if (pid_ != ::getpid()) return; // a forked process does not have this thread
    {
      const std::lock_guard lock(mutex_);
      is_ending_ = true;
    }
    ended_.notify_all();
    if (thread_.joinable()) thread_.join();
    g_cupti->cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED); // includes buffers with a kernel that still runs
    KernelTimes::get().write();
    RecordFile::get().line(R"({"end":true})");
  }

 private:
  void run() {
    t_is_inside = true;
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, kFlushPeriod, [this] { return is_ending_; })) {
      lock.unlock();
      g_cupti->cuptiActivityFlushAll(0);
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable ended_;
  bool is_ending_ = false;
  std::thread thread_;
  int pid_ = 0;
};

Flusher& flusher() {
  static Flusher& one = *new Flusher;
  return one;
}

// Returns the failure that CUPTI reported; empty if everything is enabled.
std::string subscribe() {
  CUpti_SubscriberHandle subscriber = nullptr;
  const auto failed = [](const char* what, CUptiResult status) {
    return std::string(what) + " failed: " + g_cupti->text(status);
  };
  if (const auto status = g_cupti->cuptiSubscribe(&subscriber, called, nullptr); status != CUPTI_SUCCESS)
    return status == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
               ? "another tool (a profiler or debugger) uses CUPTI in this process"
               : failed("cuptiSubscribe", status);
  if (settings().records_launches()) {
    for (const CUpti_CallbackId id : kLoadCalls)
      g_cupti->cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, id); // older drivers lack some
    for (const CUpti_CallbackId id : kLaunchCalls)
      g_cupti->cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, id);
  }
  if (const auto status = g_cupti->cuptiActivityRegisterCallbacks(give_buffer, take_buffer); status != CUPTI_SUCCESS)
    return failed("cuptiActivityRegisterCallbacks", status);
  if (const auto status = g_cupti->cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL); status != CUPTI_SUCCESS)
    return failed("cuptiActivityEnable", status);
  return {};
}

void start() {
  if (!settings().is_on() || g_cupti != nullptr) return;
  std::string tried;
  g_cupti = open_cupti(settings().cupti, tried);
  int driver = 0;
  if (driver_calls() != nullptr) driver_calls()->cuDriverGetVersion(&driver);
  std::uint32_t version = 0;
  if (g_cupti != nullptr) g_cupti->cuptiGetVersion(&version);
  RecordFile::get().line(JsonObject()
                             .raw("cuda", JsonObject()
                                              .number("driver", driver)
                                              .number("cupti", version)
                                              .text("path", g_cupti == nullptr ? "" : g_cupti->path)
                                              .str())
                             .str());
  if (g_cupti == nullptr)
    return RecordFile::get().problem(
        "no usable CUPTI was found; install it, or name it with WARPTUNE_LIBCUPTI. Tried:" + tried);
  if (driver_calls() == nullptr)
    RecordFile::get().problem(
        "the driver lacks functions that capture needs, so arguments are not recorded; install a newer driver");
  if (const std::string why = subscribe(); !why.empty())
    return RecordFile::get().problem("CUPTI cannot be used: " + why);
  flusher().start();
  std::atexit([] { flusher().stop(); });
}

} // namespace
} // namespace warptune::intercept

// The interface that CUDA_INJECTION64_PATH requires: a library with this function; 1 means success.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  try {
    warptune::intercept::start();
  } catch (const std::exception&) {
  }
  return 1;
}
