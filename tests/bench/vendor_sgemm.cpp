// Benchmark: the tuned sgemm of a database against cuBLAS fp32, interleaved in one process on the same buffers, L2
// cold.
//   vendor_sgemm DATABASE [ROUNDS]
// Prints per tuned problem: medians, TFLOP/s, and the ratio of the times round by round with its 10-90 % range.
// cuBLAS is found with dlopen; TF32 stays off (the default math mode), so both compute in fp32.
#include "core/statistics.h"
#include "db/reader.h"
#include "db/tuned_entries.h"
#include "gpu/devices.h"
#include "gpu/launch.h"
#include "jit/compiler.h"
#include "support/request_of.h"

#include <cstdlib>
#include <dlfcn.h>
#include <fmt/core.h>
#include <random>
#include <vector>

namespace warptune {
namespace {

constexpr std::size_t kFlushBytes = std::size_t{256} << 20; // several times any L2
constexpr int kWarmUps = 3;

// The part of cuBLAS used here. cuBLAS is column-major, so C^T = B^T A^T gives the row-major product.
struct Cublas {
  int (*create)(void**) = nullptr;
  int (*set_stream)(void*, CUstream) = nullptr;
  int (*sgemm)(void*, int, int, int, int, int, const float*, const float*, int, const float*, int, const float*, float*,
               int) = nullptr;
  void* handle = nullptr;
};

Result<Cublas> load_cublas() {
  void* library = nullptr;
  for (const char* name : {"libcublas.so.13", "libcublas.so.12", "/usr/local/cuda/lib64/libcublas.so"})
    if (!library) library = dlopen(name, RTLD_NOW);
  if (!library) return fail(ErrorKind::no_device, "libcublas is not found; it comes with the CUDA Toolkit");
  Cublas blas;
  blas.create = reinterpret_cast<decltype(blas.create)>(dlsym(library, "cublasCreate_v2"));
  blas.set_stream = reinterpret_cast<decltype(blas.set_stream)>(dlsym(library, "cublasSetStream_v2"));
  blas.sgemm = reinterpret_cast<decltype(blas.sgemm)>(dlsym(library, "cublasSgemm_v2"));
  if (!blas.create || !blas.set_stream || !blas.sgemm || blas.create(&blas.handle) != 0)
    return fail(ErrorKind::no_device, "cuBLAS does not start");
  return blas;
}

struct Bench {
  const Driver& driver;
  Stream stream;
  Event begin, end;
  DeviceMemory flush;

  // The time of one launch after a write that replaces the L2's content; the write also hides the host's launch
  // latency.
  template <class Launch> Result<float> time_us(Launch&& launch) {
    driver.cuMemsetD8Async(flush.get(), 0x5a, flush.bytes(), stream.get());
    driver.cuEventRecord(begin.get(), stream.get());
    if (auto launched = launch(); !launched) return tl::make_unexpected(launched.error());
    driver.cuEventRecord(end.get(), stream.get());
    if (auto done = check_cuda(driver, driver.cuEventSynchronize(end.get()), "the benchmark failed"); !done)
      return tl::make_unexpected(done.error());
    float ms = 0;
    driver.cuEventElapsedTime(&ms, begin.get(), end.get());
    return ms * 1e3F;
  }
};

Result<DeviceMemory> random_buffer(const Driver& driver, CUstream stream, std::size_t count, unsigned seed) {
  auto memory = DeviceMemory::allocate(driver, count * sizeof(float), "an operand");
  if (!memory) return memory;
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> host(count);
  for (float& x : host) x = uniform(generator);
  driver.cuMemcpyHtoDAsync(memory->get(), host.data(), count * sizeof(float), stream);
  driver.cuStreamSynchronize(stream);
  return memory;
}

Result<void> compare(Bench& bench, const Cublas& blas, const KernelRecord& record, const KernelSpec& spec,
                     const TunedEntry& entry, const DeviceInfo& device, int rounds) {
  const Problem& problem = entry.problem;
  const auto plan = make_plan(spec, problem, entry.config, device);
  if (!plan) return tl::make_unexpected(plan.error());
  const auto request = test::request_of(spec, SourceFiles{record.files}, problem, entry.config, device);
  if (!request) return tl::make_unexpected(request.error());
  const auto compiled = compile(*request, 0);
  if (!compiled) return tl::make_unexpected(compiled.error());
  if (!*compiled) return fail(ErrorKind::no_candidate, compiled->error().log);
  const auto kernels = load_kernels(bench.driver, (*compiled)->image, (*compiled)->lowered_names);
  if (!kernels) return tl::make_unexpected(kernels.error());

  std::vector<DeviceMemory> memory;
  std::vector<CUdeviceptr> pointers;
  unsigned seed = 1;
  for (const BufferPlan& buffer : plan->buffers) {
    auto filled = random_buffer(bench.driver, bench.stream.get(), static_cast<std::size_t>(buffer.count), seed++);
    if (!filled) return tl::make_unexpected(filled.error());
    pointers.push_back(filled->get());
    memory.push_back(std::move(*filled));
  }
  const auto sequence = LaunchSequence::make(bench.driver, *plan, kernels->functions, pointers);
  if (!sequence) return tl::make_unexpected(sequence.error());

  const int m = static_cast<int>(problem.dims[0]), n = static_cast<int>(problem.dims[1]);
  const int k = static_cast<int>(problem.dims[2]);
  const bool nt = problem_key(spec, problem).find("layout=nt") != std::string::npos;
  const auto ours = [&]() -> Result<void> { return sequence->launch(bench.stream.get()); };
  const auto theirs = [&]() -> Result<void> {
    const float one = 1, zero = 0;
    const int status =
        blas.sgemm(blas.handle, nt ? 1 : 0, 0, n, m, k, &one, reinterpret_cast<float*>(pointers[1]), nt ? k : n,
                   reinterpret_cast<float*>(pointers[0]), k, &zero, reinterpret_cast<float*>(pointers[2]), n);
    return status == 0 ? Result<void>{} : fail(ErrorKind::internal, fmt::format("cublasSgemm failed ({})", status));
  };

  std::vector<float> our_us, their_us, ratios;
  for (int i = -kWarmUps; i < rounds; ++i) {
    // The first kernel alternates between rounds.
    const bool we_first = i % 2 == 0;
    float a = 0, b = 0;
    for (int turn = 0; turn < 2; ++turn) {
      const bool our_turn = (turn == 0) == we_first;
      auto time = our_turn ? bench.time_us(ours) : bench.time_us(theirs);
      if (!time) return tl::make_unexpected(time.error());
      (our_turn ? a : b) = *time;
    }
    if (i < 0) continue;
    our_us.push_back(a);
    their_us.push_back(b);
    ratios.push_back(b / a);
  }
  const double flops = 2.0 * m * n * k;
  fmt::print("| {}x{}x{} {} | {:.1f} | {:.2f} | {:.1f} | {:.2f} | {:.3f} [{:.3f}..{:.3f}] | {} |\n", m, n, k,
             nt ? "nt" : "nn", median(our_us), flops / median(our_us) * 1e-6, median(their_us),
             flops / median(their_us) * 1e-6, median(ratios), quantile(ratios, 0.1), quantile(ratios, 0.9),
             config_text(spec, entry.config));
  return {};
}

Result<void> run(const char* database, int rounds) {
  auto reader = Reader::open(database);
  if (!reader) return tl::make_unexpected(reader.error());
  auto record = reader->kernel("sgemm");
  if (!record) return tl::make_unexpected(record.error());
  if (!*record)
    return fail(ErrorKind::bad_input, "the database holds no tuned sgemm; run: warptune tune sgemm --shape ...");
  auto spec = spec_of(**record);
  if (!spec) return tl::make_unexpected(spec.error());
  auto tuned = load_tuned_entries(*reader, *spec, (*record)->source_hash);
  if (!tuned) return tl::make_unexpected(tuned.error());
  auto context = Context::open(0);
  if (!context) return tl::make_unexpected(context.error());
  auto device = query_cuda_device(0);
  if (!device) return tl::make_unexpected(device.error());
  auto blas = load_cublas();
  if (!blas) return tl::make_unexpected(blas.error());
  auto stream = make_stream(context->driver());
  auto begin = make_event(context->driver());
  auto end = make_event(context->driver());
  auto flush = DeviceMemory::allocate(context->driver(), kFlushBytes, "the L2 flush");
  if (!stream || !begin || !end || !flush)
    return fail(ErrorKind::no_device, "the device gives no stream, event or memory");
  Bench bench{context->driver(), std::move(*stream), std::move(*begin), std::move(*end), std::move(*flush)};
  blas->set_stream(blas->handle, bench.stream.get());

  fmt::print("{}, driver {}, {} rounds, L2 cold\n\n", device->name, device->driver, rounds);
  fmt::print(
      "| problem | warptune us | TFLOP/s | cuBLAS us | TFLOP/s | cuBLAS time / warptune time | configuration |\n");
  fmt::print("|---|---|---|---|---|---|---|\n");
  for (const TunedEntry& entry : tuned->entries)
    if (auto done = compare(bench, *blas, **record, *spec, entry, *device, rounds); !done) return done;
  return {};
}

} // namespace
} // namespace warptune

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: vendor_sgemm DATABASE [ROUNDS]\n");
    return 2;
  }
  const auto done = warptune::run(argv[1], argc > 2 ? std::atoi(argv[2]) : 50);
  if (!done) fmt::print(stderr, "vendor_sgemm: {}\n", done.error().message);
  return done ? 0 : static_cast<int>(done.error().kind);
}
