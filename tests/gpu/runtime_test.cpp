// The runtime library on a real device: what a best row written by hand makes it launch, and what comes out.
#include "db/writer.h"
#include "gpu/devices.h"
#include "gpu/launch.h"
#include "jit/compiler.h"
#include "jit/template_store.h"
#include "support/require_gpu.h"
#include "support/temp_dir.h"
#include "unit/runtime/library.h"
#include "warptune/warptune.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <gmock/gmock.h>
#include <optional>
#include <thread>
#include <vector>

namespace warptune::test {
namespace {

using testing::HasSubstr;

template <class T> T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

std::vector<float> sequence(std::size_t count, float step) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = step * static_cast<float>(i % 1021) - 1.0F;
  return values;
}

class RuntimeGpu : public testing::Test {
 protected:
  void SetUp() override {
    WT_REQUIRE_GPU();
    setenv("XDG_CACHE_HOME", dir_.path().c_str(), 1);
    context_.emplace(must(Context::open(0)));
    device_ = must(query_cuda_device(0));
  }
  const Driver& driver() const { return context_->driver(); }

  // A best row for `problem` with the default configuration and some params changed; its program stored where asked
  // for.
  void add_best(const std::string& kernel_name, const std::string& shape, const std::string& changes, bool store) {
    const Kernel kernel = must(TemplateStore::standard().load(kernel_name));
    const Problem problem = must(make_problem(kernel.spec, shape, "", {}));
    Config config = default_config(kernel.spec);
    for (std::size_t i = 0; i < config.size(); ++i)
      if (const std::size_t at = changes.find(kernel.spec.params[i].name + "="); at != std::string::npos)
        config[i] = std::stoll(changes.substr(changes.find('=', at) + 1));
    Writer writer = must(Writer::open(dir_ / "t.db"));
    must(writer.put_device(device_));
    must(writer.put_kernel({0, kernel_name, kernel.source_hash, kernel.sources.files}));
    SessionIdentity identity;
    identity.kernel = kernel_name;
    identity.source_hash = kernel.source_hash;
    identity.problem = problem_key(kernel.spec, problem);
    identity.device_backend = device_.backend;
    identity.device_name = device_.name;
    identity.device_uuid = device_.uuid;
    identity.arch = device_.arch;
    BestRecord best;
    best.session = must(writer.begin_session(identity, 1, "test"));
    best.config = config_text(kernel.spec, config);
    best.median_us = 1;
    if (store) {
      const LaunchPlan plan = must(make_plan(kernel.spec, kernel.sources, problem, config, device_));
      const CompileResult compiled = must(compile(plan.compile, 0));
      ASSERT_TRUE(compiled) << compiled.error().log;
      best.cubin_hash = "stored by hand for " + identity.problem;
      must(writer.put_cubin({best.cubin_hash, device_.arch, compiled->image, compiled->lowered_names}));
    }
    must(writer.put_best(best));
  }

  DeviceMemory upload(const std::vector<float>& values, const Stream& stream) {
    DeviceMemory memory = must(DeviceMemory::allocate(driver(), values.size() * sizeof(float), "a test"));
    must(check_cuda(driver(), driver().cuMemcpyHtoDAsync(memory.get(), values.data(), memory.bytes(), stream.get()),
                    "upload"));
    return memory;
  }
  std::vector<float> download(const DeviceMemory& memory, const Stream& stream) {
    std::vector<float> values(memory.bytes() / sizeof(float));
    must(check_cuda(driver(), driver().cuMemcpyDtoHAsync(values.data(), memory.get(), memory.bytes(), stream.get()),
                    "download"));
    must(check_cuda(driver(), driver().cuStreamSynchronize(stream.get()), "wait"));
    return values;
  }

  // y = alpha * x + y through the library, compared with the host.
  void check_axpy(const warptune::Operation& axpy, std::size_t n, float alpha) {
    const Stream stream = must(make_stream(driver()));
    const std::vector<float> x = sequence(n, 0.002F), y = sequence(n, 0.001F);
    const DeviceMemory device_x = upload(x, stream), device_y = upload(y, stream);
    axpy.launch(stream.get(), device_x.get(), device_y.get(), alpha);
    const std::vector<float> result = download(device_y, stream);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i)
      if (std::fabs(result[i] - std::fma(alpha, x[i], y[i])) > 1e-6F) ++wrong;
    EXPECT_EQ(wrong, 0u) << axpy.explain();
  }

  TempDir dir_;
  std::optional<Context> context_;
  DeviceInfo device_;
};

TEST_F(RuntimeGpu, AStoredProgramRunsWithoutACompiler) {
  add_best("axpy", "n=1000000", "UNROLL=4,BLOCK=512", true);
  const warptune::Library library((dir_ / "t.db").string());
  const warptune::Operation axpy = library.prepare("axpy", "n=1000000");
  EXPECT_EQ(axpy.match(), WT_MATCH_EXACT) << axpy.explain();
  EXPECT_THAT(axpy.config(), HasSubstr("UNROLL=4,BLOCK=512"));
  EXPECT_FALSE(std::filesystem::exists(dir_ / "warptune")) << "the cubin cache was not asked";
  check_axpy(axpy, 1000000, 2.0F);
}

TEST_F(RuntimeGpu, AShapeNeverTunedTakesItsNeighbours) {
  add_best("axpy", "n=1000000", "UNROLL=4,BLOCK=512", true);
  const warptune::Library library((dir_ / "t.db").string());
  for (const std::size_t n : {1u, 31u, 4097u, 3000001u}) {
    const warptune::Operation axpy = library.prepare("axpy", "n=" + std::to_string(n));
    EXPECT_EQ(axpy.match(), WT_MATCH_NEAREST_SHAPE) << axpy.explain();
    check_axpy(axpy, n, -0.5F);
  }
}

TEST_F(RuntimeGpu, AKernelNeverTunedRunsItsDefault) {
  add_best("axpy", "n=1000000", "", false);
  const warptune::Library library((dir_ / "t.db").string());
  const warptune::Operation transpose = library.prepare("transpose", "rows=129,cols=65", "fp32");
  EXPECT_EQ(transpose.match(), WT_MATCH_DEFAULT);
  const Stream stream = must(make_stream(driver()));
  const std::vector<float> x = sequence(129 * 65, 1.0F);
  const DeviceMemory device_x = upload(x, stream), device_y = upload(x, stream);
  transpose.launch(stream.get(), device_x.get(), device_y.get());
  const std::vector<float> y = download(device_y, stream);
  for (std::size_t r = 0; r < 129; ++r)
    for (std::size_t c = 0; c < 65; ++c) ASSERT_EQ(y[c * 129 + r], x[r * 65 + c]) << r << " " << c;
}

TEST_F(RuntimeGpu, TwoLaunchesThroughAWorkspace) {
  add_best("sgemm", "m=128,n=128,k=512", "SPLIT_K=4", false);
  const warptune::Library library((dir_ / "t.db").string());
  const warptune::Operation sgemm = library.prepare("sgemm", "m=128,n=128,k=512");
  ASSERT_EQ(sgemm.match(), WT_MATCH_EXACT) << sgemm.explain();
  ASSERT_GE(sgemm.workspace_bytes(), 4u * 128 * 128 * 4);
  const Stream stream = must(make_stream(driver()));
  const std::vector<float> a(128 * 512, 0.5F), b = sequence(512 * 128, 0.01F);
  const DeviceMemory device_a = upload(a, stream), device_b = upload(b, stream);
  const DeviceMemory device_c = must(DeviceMemory::allocate(driver(), 128 * 128 * 4, "a test"));
  const DeviceMemory workspace = must(DeviceMemory::allocate(driver(), sgemm.workspace_bytes(), "a test"));
  EXPECT_THROW(sgemm.launch(stream.get(), device_a.get(), device_b.get(), device_c.get()), std::runtime_error);
  sgemm.launch_with_workspace(stream.get(), reinterpret_cast<void*>(workspace.get()), device_a.get(), device_b.get(),
                              device_c.get());
  const std::vector<float> c = download(device_c, stream);
  for (std::size_t col = 0; col < 128; ++col) {
    double expected = 0;
    for (std::size_t k = 0; k < 512; ++k) expected += 0.5 * static_cast<double>(b[k * 128 + col]);
    ASSERT_NEAR(c[5 * 128 + col], expected, 1e-3 * std::fabs(expected) + 1e-2);
  }
}

TEST_F(RuntimeGpu, ThreadsWithStreamsOfTheirOwn) {
  add_best("axpy", "n=100000", "", true);
  const warptune::Library library((dir_ / "t.db").string());
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([&, t] {
      must(context_->make_current());
      for (int i = 0; i < 5; ++i) {
        const std::size_t n = 100000u + static_cast<std::size_t>(i % 2);
        const warptune::Operation axpy = library.prepare("axpy", "n=" + std::to_string(n));
        check_axpy(axpy, n, static_cast<float>(t) + 0.25F);
      }
    });
  for (std::thread& thread : threads) thread.join();
}

TEST_F(RuntimeGpu, AnotherContextNeedsAnotherOperation) {
  using Create = CUresult (*)(CUcontext*, unsigned, CUdevice);
  using Destroy = CUresult (*)(CUcontext);
  void* library_handle = dlopen("libcuda.so.1", RTLD_NOW);
  const auto create = reinterpret_cast<Create>(dlsym(library_handle, "cuCtxCreate_v2"));
  const auto destroy = reinterpret_cast<Destroy>(dlsym(library_handle, "cuCtxDestroy_v2"));
  ASSERT_TRUE(create != nullptr && destroy != nullptr);
  add_best("axpy", "n=4096", "", true);
  const warptune::Library library((dir_ / "t.db").string());
  const warptune::Operation first = library.prepare("axpy", "n=4096");
  CUcontext other = nullptr;
  ASSERT_EQ(create(&other, 0, context_->device()), CUDA_SUCCESS); // and current now
  {
    const warptune::Operation second = library.prepare("axpy", "n=4096");
    check_axpy(second, 4096, 3.0F);
    EXPECT_THROW(check_axpy(first, 4096, 3.0F), std::runtime_error);
    EXPECT_THAT(wt_last_error(), HasSubstr("another CUDA context"));
  }
  must(context_->make_current());
  check_axpy(first, 4096, 3.0F);
  EXPECT_EQ(destroy(other), CUDA_SUCCESS);
}

TEST_F(RuntimeGpu, WrongPointersAreRefusedBeforeTheDevice) {
  add_best("axpy", "n=4096", "", true);
  const warptune::Library library((dir_ / "t.db").string());
  const warptune::Operation axpy = library.prepare("axpy", "n=4096");
  const Stream stream = must(make_stream(driver()));
  const DeviceMemory memory = upload(sequence(4100, 1.0F), stream);
  EXPECT_THROW(axpy.launch(stream.get(), memory.get() + 4, memory.get(), 1.0F), std::runtime_error);
  EXPECT_THAT(wt_last_error(), HasSubstr("not aligned to 16 bytes"));
  EXPECT_THROW(axpy.launch(stream.get(), nullptr, memory.get(), 1.0F), std::runtime_error);
  check_axpy(axpy, 4096, 1.0F); // the context is unharmed
}

// Host time of a launch; printed, not judged.
TEST_F(RuntimeGpu, PrintsTheOverheadOfALaunch) {
  add_best("axpy", "n=1024", "", true);
  const LibraryHandle library = open_library(dir_ / "t.db");
  const OperationHandle axpy = prepare(library, "n=1024", nullptr, "axpy");
  const Kernel kernel = must(TemplateStore::standard().load("axpy"));
  const LaunchPlan plan = must(make_plan(kernel.spec, kernel.sources, must(make_problem(kernel.spec, "n=1024", "", {})),
                                         default_config(kernel.spec), device_));
  const CompileResult compiled = must(compile(plan.compile, 0));
  const LoadedKernels loaded = must(load_kernels(driver(), compiled->image, compiled->lowered_names));
  const Stream stream = must(make_stream(driver()));
  const DeviceMemory x = upload(sequence(1024, 1), stream), y = upload(sequence(1024, 1), stream);
  const CUdeviceptr address_x = x.get(), address_y = y.get();
  const LaunchSequence raw =
      must(LaunchSequence::make(driver(), plan, loaded.functions, std::vector<CUdeviceptr>{address_x, address_y}));
  const float alpha = 0;
  const void* args[] = {&address_x, &address_y, &alpha};

  const auto time = [&](auto&& body) {
    double best = 1e9;
    for (int round = 0; round < 20; ++round) {
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < 500; ++i) body();
      const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
      best = std::min(best, spent.count() / 500);
      must(check_cuda(driver(), driver().cuStreamSynchronize(stream.get()), "wait"));
    }
    return best;
  };
  const double raw_ns = time([&] { raw.enqueue(stream.get()); });
  const double launch_ns = time([&] { wt_launch(axpy.get(), args, 3, nullptr, stream.get()); });
  const wt_kernel* kernel_handle = find_kernel(library, "axpy");
  const std::int64_t n = 1024;
  const double select_ns = time([&] {
    const wt_operation* again = nullptr;
    wt_select(kernel_handle, &n, 1, 0, stream.get(), &again);
  });
  std::printf("host time: raw launch %.0f ns, wt_launch %.0f ns (%+.0f), warm wt_select %.0f ns\n", raw_ns, launch_ns,
              launch_ns - raw_ns, select_ns);
}

} // namespace
} // namespace warptune::test
