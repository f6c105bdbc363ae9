// The runtime library on a real device: the launches that a hand-written best row leads to, and their results.
#include "gpu/runtime_fixture.h"

#include <dlfcn.h>
#include <thread>

namespace warptune::test {
namespace {

using testing::HasSubstr;

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

TEST_F(RuntimeGpu, AKernelNeverTunedRunsTheShortestExpectedTime) {
  add_best("axpy", "n=1000000", "", false);
  const warptune::Library library((dir_ / "t.db").string());
  constexpr std::size_t kRows = 2049, kCols = 1027;
  const warptune::Operation transpose = library.prepare("transpose", "rows=2049,cols=1027", "fp32");
  EXPECT_EQ(transpose.match(), WT_MATCH_EXPECTED_TIME) << transpose.explain();
  const Stream stream = must(make_stream(driver()));
  const std::vector<float> x = sequence(kRows * kCols, 1.0F);
  const DeviceMemory device_x = upload(x, stream), device_y = upload(x, stream);
  transpose.launch(stream.get(), device_x.get(), device_y.get());
  const std::vector<float> y = download(device_y, stream);
  for (std::size_t r = 0; r < kRows; ++r)
    for (std::size_t c = 0; c < kCols; ++c) ASSERT_EQ(y[c * kRows + r], x[r * kCols + c]) << r << " " << c;
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
  ASSERT_EQ(create(&other, 0, context_->device()), CUDA_SUCCESS); // and is current now
  {
    const warptune::Operation second = library.prepare("axpy", "n=4096");
    check_axpy(second, 4096, 3.0F);
    EXPECT_THROW(check_axpy(first, 4096, 3.0F), std::runtime_error);
    EXPECT_THAT(wt_last_error(), HasSubstr("a CUDA context that is not the current one"));
  }
  must(context_->make_current());
  check_axpy(first, 4096, 3.0F);
  EXPECT_EQ(destroy(other), CUDA_SUCCESS);
}

TEST_F(RuntimeGpu, AStreamOfAnotherContextIsRefused) {
  using Create = CUresult (*)(CUcontext*, unsigned, CUdevice);
  using Destroy = CUresult (*)(CUcontext);
  void* library_handle = dlopen("libcuda.so.1", RTLD_NOW);
  const auto create = reinterpret_cast<Create>(dlsym(library_handle, "cuCtxCreate_v2"));
  const auto destroy = reinterpret_cast<Destroy>(dlsym(library_handle, "cuCtxDestroy_v2"));
  ASSERT_TRUE(create != nullptr && destroy != nullptr);
  add_best("axpy", "n=4096", "", true);
  const warptune::Library library((dir_ / "t.db").string());
  const warptune::v0::Kernel kernel = library.kernel("axpy");
  const warptune::Operation axpy = kernel.select({4096});
  const Stream own = must(make_stream(driver()));
  const DeviceMemory memory = upload(sequence(4096, 1.0F), own);
  CUcontext other = nullptr;
  ASSERT_EQ(create(&other, 0, context_->device()), CUDA_SUCCESS); // and is current now
  {
    const Stream foreign = must(make_stream(driver()));
    must(context_->make_current());
    const auto expect_refused = [](const auto& call) {
      try {
        call();
        ADD_FAILURE() << "it was launched";
      } catch (const warptune::v0::Error& error) {
        EXPECT_EQ(error.status(), WT_BAD_INPUT) << error.what();
        EXPECT_THAT(error.what(), HasSubstr("check that the stream belongs to the current context"));
      }
    };
    expect_refused([&] { axpy.launch(foreign.get(), memory.get(), memory.get(), 1.0F); });
    expect_refused([&] { kernel(foreign.get(), {4096}, memory.get(), memory.get(), 1.0F); });
    EXPECT_EQ(driver().cuCtxSetCurrent(other), CUDA_SUCCESS); // its stream is destroyed in this context
  }
  EXPECT_EQ(destroy(other), CUDA_SUCCESS);
  must(context_->make_current());
  check_axpy(axpy, 4096, 3.0F);
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

} // namespace
} // namespace warptune::test
