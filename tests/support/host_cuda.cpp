// A stand-in for libcuda.so.1 (WARPTUNE_LIBCUDA) with the host as the device: memory is real, and kernels known by name
// run here, compiled from the same sources. So the verification of launches is tested without a GPU. Buffers have up to
// 256 elements of fp32.
#include "support/host_kernels.h"

#include <cstdlib>
#include <cuda.h>
#include <dlfcn.h>
#include <filesystem>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#define WT_T float
#define WT_OUT float
#define WT_REF float
#define WT_OUT_IS_INTEGER 0
#include "../../src/gpu/kernels/compare.cu"
#include "../../src/gpu/kernels/fill.cu"
#include "../../src/gpu/kernels/memory.cu"
#include "../data/check/examined/kernel.cu"
#include "../data/check/examined/reference.cu"
#include "../data/faults/into_a_gap/kernel.cu"
#include "../data/faults/into_a_gap/reference.cu"
#pragma GCC diagnostic pop

namespace {

template <class T> T* pointer(CUdeviceptr address) { return reinterpret_cast<T*>(address); }

// Calls a kernel with the arguments of a launch.
template <class... Params, std::size_t... I>
void call(void (*kernel)(Params...), void** args, std::index_sequence<I...>) {
  kernel(*static_cast<std::remove_const_t<Params>*>(args[I])...);
}
template <class... Params> std::function<void(void**)> runner(void (*kernel)(Params...)) {
  return [kernel](void** args) { call(kernel, args, std::index_sequence_for<Params...>()); };
}

struct HostKernel {
  std::function<void(void**)> run;
  bool strides = true; // over the grid, in x; otherwise each thread has its own work
};

const HostKernel* kernel_named(std::string_view name) {
  static const auto& known =
      *new std::map<std::string_view, HostKernel>{{"compare", {runner(compare)}},
                                                  {"merge_partials", {runner(merge_partials)}},
                                                  {"sum_squares", {runner(sum_squares)}},
                                                  {"fill_uniform", {runner(fill_uniform)}},
                                                  {"fill_constant", {runner(fill_constant)}},
                                                  {"examined", {runner(examined), false}},
                                                  {"examined_reference", {runner(examined_reference), false}},
                                                  {"checksum", {runner(checksum)}},
                                                  {"check_zones", {runner(check_zones)}},
                                                  {"find_element", {runner(find_element)}},
                                                  {"scale_rows", {runner(scale_rows), false}},
                                                  {"prepare_rows", {runner(prepare_rows), false}},
                                                  {"scale_reference", {runner(scale_reference), false}}};
  const auto found = known.find(name);
  return found == known.end() ? nullptr : &found->second;
}

CUresult launch(const CUlaunchConfig* config, CUfunction function, void** args, void**) {
  const auto* kernel = reinterpret_cast<const HostKernel*>(function);
  if (kernel->strides) {
    for (blockIdx.y = 0; blockIdx.y < config->gridDimY; ++blockIdx.y) kernel->run(args);
    blockIdx = {};
    return CUDA_SUCCESS;
  }
  gridDim = {config->gridDimX, 1, 1};
  blockDim = {config->blockDimX, 1, 1};
  for (blockIdx.x = 0; blockIdx.x < config->gridDimX; ++blockIdx.x)
    for (threadIdx.x = 0; threadIdx.x < config->blockDimX; ++threadIdx.x) kernel->run(args);
  gridDim = blockDim = {1, 1, 1};
  blockIdx = threadIdx = {};
  return CUDA_SUCCESS;
}
CUresult find_function(CUfunction* function, CUmodule, const char* name) {
  static const HostKernel unused{[](void**) {}}; // kernels that only take time
  const HostKernel* const found = kernel_named(name);
  return *function = reinterpret_cast<CUfunction>(const_cast<HostKernel*>(found == nullptr ? &unused : found)),
         CUDA_SUCCESS;
}

// All have local memory, so none is launched behind a gate that waits for the host.
CUresult function_attribute(int* value, CUfunction_attribute which, CUfunction) {
  return *value = which == CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES ? 8 : 16, CUDA_SUCCESS;
}
CUresult occupancy(int* blocks, CUfunction, int, std::size_t) { return *blocks = 4, CUDA_SUCCESS; }

CUresult allocate(CUdeviceptr* address, std::size_t bytes) {
  void* const memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (memory == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  std::memset(memory, 0, bytes);
  return *address = reinterpret_cast<CUdeviceptr>(memory), CUDA_SUCCESS;
}
CUresult release(CUdeviceptr address) { return std::free(pointer<void>(address)), CUDA_SUCCESS; }
CUresult allocate_pinned(void** memory, std::size_t bytes, unsigned) {
  CUdeviceptr address = 0;
  const CUresult status = allocate(&address, bytes);
  return *memory = pointer<void>(address), status;
}
CUresult free_pinned(void* memory) { return std::free(memory), CUDA_SUCCESS; }
CUresult pinned_address(CUdeviceptr* address, void* memory, unsigned) {
  return *address = reinterpret_cast<CUdeviceptr>(memory), CUDA_SUCCESS;
}
CUresult to_device(CUdeviceptr to, const void* from, std::size_t bytes, CUstream) {
  return std::memcpy(pointer<void>(to), from, bytes), CUDA_SUCCESS;
}
CUresult to_host(void* to, CUdeviceptr from, std::size_t bytes, CUstream) {
  return std::memcpy(to, pointer<void>(from), bytes), CUDA_SUCCESS;
}
CUresult on_device(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream) {
  return std::memcpy(pointer<void>(to), pointer<void>(from), bytes), CUDA_SUCCESS;
}
CUresult set_bytes(CUdeviceptr to, unsigned char value, std::size_t bytes, CUstream) {
  return std::memset(pointer<void>(to), value, bytes), CUDA_SUCCESS;
}
CUresult set_rows(CUdeviceptr to, std::size_t pitch, unsigned char value, std::size_t width, std::size_t height,
                  CUstream) {
  for (std::size_t row = 0; row < height; ++row) std::memset(pointer<char>(to + row * pitch), value, width);
  return CUDA_SUCCESS;
}
CUresult make_stream(CUstream* stream, unsigned) { return *stream = reinterpret_cast<CUstream>(0x20), CUDA_SUCCESS; }
CUresult end_stream(CUstream) { return CUDA_SUCCESS; }
CUresult make_event(CUevent* event, unsigned) { return *event = reinterpret_cast<CUevent>(0x30), CUDA_SUCCESS; }
CUresult of_event(CUevent) { return CUDA_SUCCESS; }
CUresult record(CUevent, CUstream) { return CUDA_SUCCESS; }
CUresult elapsed(float* ms, CUevent, CUevent) { return *ms = 0.25F, CUDA_SUCCESS; }

template <class F> void* address_of(F* function) { return reinterpret_cast<void*>(function); }

void* find(std::string_view name) {
  static const auto& known =
      *new std::map<std::string_view, void*>{{"cuMemAlloc", address_of(allocate)},
                                             {"cuMemFree", address_of(release)},
                                             {"cuMemHostAlloc", address_of(allocate_pinned)},
                                             {"cuMemFreeHost", address_of(free_pinned)},
                                             {"cuMemHostGetDevicePointer", address_of(pinned_address)},
                                             {"cuMemcpyHtoDAsync", address_of(to_device)},
                                             {"cuMemcpyDtoHAsync", address_of(to_host)},
                                             {"cuMemcpyDtoDAsync", address_of(on_device)},
                                             {"cuMemsetD8Async", address_of(set_bytes)},
                                             {"cuMemsetD2D8Async", address_of(set_rows)},
                                             {"cuStreamCreate", address_of(make_stream)},
                                             {"cuStreamDestroy", address_of(end_stream)},
                                             {"cuEventCreate", address_of(make_event)},
                                             {"cuEventDestroy", address_of(of_event)},
                                             {"cuEventRecord", address_of(record)},
                                             {"cuEventQuery", address_of(of_event)},
                                             {"cuEventSynchronize", address_of(of_event)},
                                             {"cuEventElapsedTime", address_of(elapsed)},
                                             {"cuModuleGetFunction", address_of(find_function)},
                                             {"cuFuncGetAttribute", address_of(function_attribute)},
                                             {"cuOccupancyMaxActiveBlocksPerMultiprocessor", address_of(occupancy)},
                                             {"cuLaunchKernelEx", address_of(launch)}};
  const auto found = known.find(name);
  return found == known.end() ? nullptr : found->second;
}

// The other stand-in, which implements the rest of the driver; it is in the same folder.
template <class F> F fake(const char* name) {
  static void* const library = [] {
    Dl_info own{};
    dladdr(address_of(find), &own);
    return dlopen((std::filesystem::path(own.dli_fname).parent_path() / "libwt_fake_cuda.so").c_str(), RTLD_NOW);
  }();
  return reinterpret_cast<F>(dlsym(library, name));
}

} // namespace

#undef cuGetProcAddress
CUresult CUDAAPI cuDriverGetVersion(int* version) { return *version = 13000, CUDA_SUCCESS; }
extern "C" CUresult CUDAAPI cuGetProcAddress_v2(const char* name, void** address, int version, cuuint64_t flags,
                                                CUdriverProcAddressQueryResult* found) {
  *address = find(name);
  if (*address == nullptr)
    return fake<decltype(&cuGetProcAddress_v2)>("cuGetProcAddress_v2")(name, address, version, flags, found);
  if (found != nullptr) *found = CU_GET_PROC_ADDRESS_SUCCESS;
  return CUDA_SUCCESS;
}
