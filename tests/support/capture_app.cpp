// An application for the tests of `capture`: opens the CUDA driver and NVRTC as applications do, and runs the mode that
// its first argument names. It does not use warptune. On a machine without a GPU, a stand-in replaces the driver.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <dlfcn.h>
#include <initializer_list>
#include <nvrtc.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

constexpr const char* kSource = R"(
#include "scale_types.h"
#ifndef WORK
#define WORK 1
#endif
extern "C" __global__ void saxpy(const real* __restrict__ x, real* __restrict__ y, float a, int n) {
  int first = (blockIdx.x * BLOCK + threadIdx.x) * WORK;
  for (int i = first; i < first + WORK && i < n; ++i) y[i] = a * x[i] + y[i];
}
namespace app {
template <typename T, int kStep> __global__ void gather(const T* table, const int* index, T* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = table[index[i]] * kStep;
}
}
)";
constexpr const char* kHeader = "typedef REAL real;\n";

// PTX as nvcc or another tool would have compiled it; its source is not visible.
constexpr const char* kForeign = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry foreign(.param .u64 p, .param .u32 n)
{
  ret;
}
)";

[[noreturn]] void die(const char* what, int code) {
  std::fprintf(stderr, "capture_app: %s failed with %d\n", what, code);
  std::exit(9);
}

template <class Function> Function find(void* library, const char* name) {
  void* found = library == nullptr ? nullptr : dlsym(library, name);
  if (found == nullptr) die(name, -1);
  return reinterpret_cast<Function>(found);
}

void* open_any(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (name != nullptr)
      if (void* library = dlopen(name, RTLD_NOW)) return library;
  std::fprintf(stderr, "capture_app: no %s\n", *(names.end() - 1));
  std::exit(8);
}

void* driver() {
  static void* library = open_any({"libcuda.so.1"});
  return library;
}
void* nvrtc() {
  static void* library = open_any(
      {std::getenv("CAPTURE_APP_NVRTC"), "libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so"});
  return library;
}

template <class... Values> void cu(const char* name, Values... values) {
  if (const CUresult status = find<CUresult (*)(Values...)>(driver(), name)(values...); status != CUDA_SUCCESS)
    die(name, static_cast<int>(status));
}
template <class... Values> void rtc(const char* name, Values... values) {
  if (const nvrtcResult status = find<nvrtcResult (*)(Values...)>(nvrtc(), name)(values...); status != NVRTC_SUCCESS)
    die(name, static_cast<int>(status));
}

CUcontext primary_context() {
  CUcontext context = nullptr;
  cu("cuInit", 0U);
  cu("cuDevicePrimaryCtxRetain", &context, CUdevice{0});
  cu("cuCtxSetCurrent", context);
  return context;
}

struct Compiled {
  std::string ptx, gather; // the mangled name of app::gather<float, 2>
};

Compiled compile(int block) {
  nvrtcProgram program = nullptr;
  const char* texts[] = {kHeader};
  const char* names[] = {"scale_types.h"};
  rtc("nvrtcCreateProgram", &program, kSource, "app.cu", 1, static_cast<const char* const*>(texts),
      static_cast<const char* const*>(names));
  rtc("nvrtcAddNameExpression", program, "app::gather<float, 2>");
  const std::string block_option = "-DBLOCK=" + std::to_string(block);
  const char* options[] = {"--gpu-architecture=compute_75", block_option.c_str(), "-DREAL=float", "--use_fast_math"};
  rtc("nvrtcCompileProgram", program, 4, static_cast<const char* const*>(options));
  const char* lowered = nullptr;
  rtc("nvrtcGetLoweredName", program, "app::gather<float, 2>", &lowered);
  std::size_t size = 0;
  rtc("nvrtcGetPTXSize", program, &size);
  Compiled compiled{std::string(size, '\0'), lowered};
  rtc("nvrtcGetPTX", program, compiled.ptx.data());
  rtc("nvrtcDestroyProgram", &program);
  return compiled;
}

CUdeviceptr allocate(std::size_t count, float value) {
  CUdeviceptr pointer = 0;
  const std::vector<float> values(count, value);
  cu("cuMemAlloc_v2", &pointer, count * sizeof(float));
  cu("cuMemcpyHtoD_v2", pointer, static_cast<const void*>(values.data()), count * sizeof(float));
  return pointer;
}

struct Program {
  CUmodule module = nullptr;
  CUfunction saxpy = nullptr, gather = nullptr;
};

Program load(const Compiled& compiled) {
  Program program;
  cu("cuModuleLoadData", &program.module, static_cast<const void*>(compiled.ptx.c_str()));
  cu("cuModuleGetFunction", &program.saxpy, program.module, "saxpy");
  cu("cuModuleGetFunction", &program.gather, program.module, compiled.gather.c_str());
  return program;
}

void launch(CUfunction function, unsigned grid, unsigned block, unsigned shared, CUstream stream, void** params) {
  cu("cuLaunchKernel", function, grid, 1U, 1U, block, 1U, 1U, shared, stream, params, static_cast<void**>(nullptr));
}

void saxpy(const Program& program, CUdeviceptr x, CUdeviceptr y, int n, unsigned block, CUstream stream = nullptr) {
  float a = 2.5F;
  void* params[] = {&x, &y, &a, &n};
  launch(program.saxpy, (static_cast<unsigned>(n) + block - 1) / block, block, 0, stream, params);
}

void print_sum(CUdeviceptr pointer, std::size_t count) {
  std::vector<float> values(count);
  cu("cuMemcpyDtoH_v2", static_cast<void*>(values.data()), pointer, count * sizeof(float));
  double sum = 0;
  for (const float value : values) sum += value;
  std::printf("sum %.1f\n", sum);
}

void use(int block, int n, int times) {
  const Program program = load(compile(block));
  const auto count = static_cast<std::size_t>(n);
  const CUdeviceptr x = allocate(count, 1), y = allocate(count, 3);
  for (int i = 0; i < times; ++i) saxpy(program, x, y, n, static_cast<unsigned>(block));
  cu("cuCtxSynchronize");
  print_sum(y, count);
  cu("cuMemFree_v2", x);
  cu("cuMemFree_v2", y);
  cu("cuModuleUnload", program.module);
}

// Two problems that differ only in dynamic shared memory.
void use_two_shared_sizes() {
  const Program program = load(compile(128));
  CUdeviceptr x = allocate(4096, 1), y = allocate(4096, 3);
  float a = 2.5F;
  int n = 4096;
  void* params[] = {&x, &y, &a, &n};
  for (const unsigned shared : {0U, 1024U}) launch(program.saxpy, 32, 128, shared, nullptr, params);
  cu("cuCtxSynchronize");
  print_sum(y, 4096);
}

// One problem, although its buffers move; some are freed in between.
void use_moving_buffers() {
  const Program program = load(compile(128));
  const CUdeviceptr x = allocate(500, 1);
  for (int i = 0; i < 200; ++i) {
    const CUdeviceptr y = allocate(500, 0);
    saxpy(program, x, y, 500, 128);
    cu("cuCtxSynchronize");
    if (i % 2 == 0) cu("cuMemFree_v2", y);
  }
}

void use_gather() {
  const Program program = load(compile(128));
  constexpr int kCount = 5000, kTable = 64;
  CUdeviceptr table = allocate(kTable, 4), out = allocate(kCount, 0), index = allocate(kCount, 0);
  std::vector<int> indices(kCount);
  for (int i = 0; i < kCount; ++i) indices[static_cast<std::size_t>(i)] = i % kTable;
  cu("cuMemcpyHtoD_v2", index, static_cast<const void*>(indices.data()), indices.size() * sizeof(int));
  int n = kCount;
  void* params[] = {&table, &index, &out, &n};
  launch(program.gather, (kCount + 255) / 256, 256, 0, nullptr, params);
  cu("cuCtxSynchronize");
  print_sum(out, kCount);
}

void use_foreign() {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  cu("cuModuleLoadData", &module, static_cast<const void*>(kForeign));
  cu("cuModuleGetFunction", &function, module, "foreign");
  CUdeviceptr x = allocate(16, 0);
  unsigned n = 16;
  void* params[] = {&x, &n};
  for (int i = 0; i < 3; ++i) launch(function, 1, 32, 0, nullptr, params);
  cu("cuCtxSynchronize");
}

// Captured from a stream, then launched five times.
void use_graph() {
  const Program program = load(compile(64));
  const CUdeviceptr x = allocate(4096, 1), y = allocate(4096, 0);
  CUstream stream = nullptr;
  CUgraph graph = nullptr;
  CUgraphExec executable = nullptr;
  cu("cuStreamCreate", &stream, static_cast<unsigned>(CU_STREAM_NON_BLOCKING));
  cu("cuStreamBeginCapture_v2", stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
  saxpy(program, x, y, 4096, 64, stream);
  cu("cuStreamEndCapture", stream, &graph);
  cu("cuGraphInstantiateWithFlags", &executable, graph, 0ULL);
  for (int i = 0; i < 5; ++i) cu("cuGraphLaunch", executable, stream);
  cu("cuStreamSynchronize", stream);
  print_sum(y, 4096);
}

void use_two_contexts() {
  CUcontext other = nullptr;
  cu("cuCtxCreate_v2", &other, 0U, CUdevice{0}); // the new context is current now
  use(128, 2048, 1);
  primary_context();
  use(128, 2048, 1);
}

// Kernels with a CUkernel handle, launched with attributes.
void use_library() {
  const Compiled compiled = compile(256);
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  cu("cuLibraryLoadData", &library, static_cast<const void*>(compiled.ptx.c_str()), static_cast<CUjit_option*>(nullptr),
     static_cast<void**>(nullptr), 0U, static_cast<CUlibraryOption*>(nullptr), static_cast<void**>(nullptr), 0U);
  cu("cuLibraryGetKernel", &kernel, library, "saxpy");
  CUdeviceptr x = allocate(1000, 1), y = allocate(1000, 1);
  float a = 2.5F;
  int n = 1000;
  void* params[] = {&x, &y, &a, &n};
  CUlaunchConfig config{};
  config.gridDimX = 4;
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.blockDimX = 256;
  cu("cuLaunchKernelEx", static_cast<const CUlaunchConfig*>(&config), reinterpret_cast<CUfunction>(kernel),
     static_cast<void**>(params), static_cast<void**>(nullptr));
  cu("cuCtxSynchronize");
  print_sum(y, 1000);
}

void use_cublas() {
  void* library = open_any({"libcublas.so.13", "libcublas.so.12", "/usr/local/cuda/lib64/libcublas.so"});
  void* handle = nullptr;
  if (find<int (*)(void**)>(library, "cublasCreate_v2")(&handle) != 0) die("cublasCreate", 1);
  constexpr int kSize = 512;
  const CUdeviceptr a = allocate(kSize * kSize, 1), b = allocate(kSize * kSize, 2), c = allocate(kSize * kSize, 0);
  const float one = 1, zero = 0;
  const auto pointer = [](CUdeviceptr address) { return reinterpret_cast<float*>(address); };
  using Gemm = int (*)(void*, int, int, int, int, int, const float*, const float*, int, const float*, int, const float*,
                       float*, int);
  for (int i = 0; i < 4; ++i)
    if (find<Gemm>(library, "cublasSgemm_v2")(handle, 0, 0, kSize, kSize, kSize, &one, pointer(a), kSize, pointer(b),
                                              kSize, &zero, pointer(c), kSize) != 0)
      die("cublasSgemm", 1);
  cu("cuCtxSynchronize");
  print_sum(c, kSize * kSize);
}

// Prints the time of one launch, as the application measures it, to standard error.
void use_many(int times) {
  const Program program = load(compile(128));
  const CUdeviceptr x = allocate(128, 1), y = allocate(128, 0);
  for (int i = 0; i < 1000; ++i) saxpy(program, x, y, 128, 128);
  cu("cuCtxSynchronize");
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < times; ++i) saxpy(program, x, y, 128, 128);
  const std::chrono::duration<double, std::micro> host = std::chrono::steady_clock::now() - begin;
  cu("cuCtxSynchronize");
  std::fprintf(stderr, "%.3f us per launch\n", host.count() / times);
}

// A child that uses CUDA itself, and one forked from a process that already uses CUDA.
void fork_both() {
  std::fflush(stdout);
  if (const pid_t child = fork(); child == 0) {
    primary_context();
    use(32, 512, 1);
    std::exit(0);
  } else {
    waitpid(child, nullptr, 0);
  }
  primary_context();
  use(64, 1024, 1);
  std::fflush(stdout);
  if (const pid_t child = fork(); child == 0) {
    std::printf("child\n");
    std::exit(0);
  } else {
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) die("the child", status);
  }
}

} // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  const int number = argc > 2 ? std::atoi(argv[2]) : 0;
  if (mode == "none") {
    std::printf("no CUDA\n");
    return number;
  }
  if (mode == "fork") {
    fork_both();
    return 0;
  }
  if (mode == "plugin") { // with an NVRTC that only the plugin loads
    void* plugin = dlopen(argc > 2 ? argv[2] : "", RTLD_NOW | RTLD_LOCAL);
    return find<int (*)()>(plugin, "compile_directly")();
  }
  primary_context();
  if (mode == "init") return number;
  if (mode == "shapes") {
    use(128, 1 << 20, 4);
    use(128, 100'003, 2);
    use(256, 1 << 20, 1);
  } else if (mode == "dynamic") {
    use_two_shared_sizes();
  } else if (mode == "moving") {
    use_moving_buffers();
  } else if (mode == "gather") {
    use_gather();
  } else if (mode == "foreign") {
    use(128, 4096, 2);
    use_foreign();
  } else if (mode == "graph") {
    use_graph();
  } else if (mode == "contexts") {
    use_two_contexts();
  } else if (mode == "library") {
    use_library();
  } else if (mode == "cublas") {
    use(128, 4096, 1);
    use_cublas();
  } else if (mode == "many") {
    use_many(number);
  } else if (mode == "crash" || mode == "kill" || mode == "exit") {
    use(128, 1 << 16, 3);
    std::fflush(stdout);
    if (mode == "exit") return number;
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    std::raise(mode == "crash" ? SIGSEGV : SIGKILL);
  } else {
    std::fprintf(stderr, "capture_app: no mode %s\n", mode.c_str());
    return 2;
  }
  return 0;
}
