// The runtime library on a real device with CUDA graphs, newer files, unaligned pointers and other contexts.
#include "gpu/runtime_fixture.h"

#include <cuda.h>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

namespace warptune::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Driver functions that the library itself does not use.
template <class F> F* driver_function(const char* name) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  auto* found = reinterpret_cast<F*>(dlsym(library, name));
  if (found == nullptr) throw std::runtime_error(std::string("no ") + name);
  return found;
}

class RuntimeCapture : public RuntimeGpu {
 protected:
  void begin(const Stream& stream, CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL) {
    must(check_cuda(driver(),
                    driver_function<decltype(cuStreamBeginCapture)>("cuStreamBeginCapture_v2")(stream.get(), mode),
                    "begin a capture"));
  }
  // Ends the capture, which must still be valid, and runs its graph `times`.
  void end_and_run(const Stream& stream, int times) {
    CUgraph graph = nullptr;
    CUgraphExec ready = nullptr;
    must(check_cuda(driver(), driver_function<decltype(cuStreamEndCapture)>("cuStreamEndCapture")(stream.get(), &graph),
                    "end the capture"));
    must(check_cuda(
        driver(),
        driver_function<decltype(cuGraphInstantiateWithFlags)>("cuGraphInstantiateWithFlags")(&ready, graph, 0),
        "instantiate the graph"));
    for (int i = 0; i < times; ++i)
      must(check_cuda(driver(), driver_function<decltype(cuGraphLaunch)>("cuGraphLaunch")(ready, stream.get()),
                      "launch"));
    must(check_cuda(driver(), driver().cuStreamSynchronize(stream.get()), "wait"));
    driver_function<decltype(cuGraphExecDestroy)>("cuGraphExecDestroy")(ready);
    driver_function<decltype(cuGraphDestroy)>("cuGraphDestroy")(graph);
  }
};

TEST_F(RuntimeCapture, AColdKernelLeavesTheCaptureValid) {
  add_best("axpy", "n=4096", "", true);
  const warptune::Library library((dir_ / "t.db").string());
  const warptune::v0::Kernel axpy = library.kernel("axpy");
  const Stream stream = must(make_stream(driver()));
  const DeviceMemory x = upload(std::vector<float>(4096, 1.0F), stream),
                     y = upload(std::vector<float>(4096, 0.0F), stream);
  must(check_cuda(driver(), driver().cuStreamSynchronize(stream.get()), "wait"));
  begin(stream);
  try {
    axpy(stream.get(), {4096}, x.get(), y.get(), 2.0F);
    ADD_FAILURE() << "selected during the capture";
  } catch (const warptune::v0::Error& error) {
    EXPECT_EQ(error.status(), WT_NOT_READY) << error.what();
    EXPECT_THAT(error.what(), HasSubstr("wt_prefetch"));
  }
  // Another thread loads meanwhile; then the captured stream has what it needs.
  std::thread([&] {
    must(context_->make_current());
    axpy.prefetch({4096});
  }).join();
  axpy(stream.get(), {4096}, x.get(), y.get(), 2.0F);
  end_and_run(stream, 3);
  EXPECT_EQ(download(y, stream), std::vector<float>(4096, 6.0F));
}

TEST_F(RuntimeCapture, PrefetchIsAllowedDuringACapture) {
  add_best("axpy", "n=4096", "", true);
  const warptune::Library library((dir_ / "t.db").string());
  const warptune::v0::Kernel axpy = library.kernel("axpy");
  const Stream stream = must(make_stream(driver()));
  const DeviceMemory x = upload(std::vector<float>(4096, 1.0F), stream),
                     y = upload(std::vector<float>(4096, 0.0F), stream);
  must(check_cuda(driver(), driver().cuStreamSynchronize(stream.get()), "wait"));
  begin(stream);
  axpy.prefetch({4096}); // on the capturing thread, in the strictest mode
  axpy(stream.get(), {4096}, x.get(), y.get(), 1.0F);
  end_and_run(stream, 2);
  EXPECT_EQ(download(y, stream), std::vector<float>(4096, 2.0F));
}

// FINISH=2 counts finished blocks in a workspace that must be zero at each launch: a memset node.
TEST_F(RuntimeCapture, ClearedWorkspacesAreClearedByTheGraph) {
  add_best("reduce_sum", "n=1000000", "FINISH=2", true);
  const warptune::Library library((dir_ / "t.db").string());
  const warptune::v0::Kernel reduce = library.kernel("reduce_sum");
  const Stream stream = must(make_stream(driver()));
  const warptune::Operation operation = reduce.select({1000000});
  ASSERT_THAT(operation.config(), HasSubstr("FINISH=2")) << operation.explain();
  const DeviceMemory x = upload(std::vector<float>(1000000, 1.0F), stream), sum = upload({0.0F}, stream);
  const DeviceMemory workspace = must(DeviceMemory::allocate(driver(), operation.workspace_bytes(), "a test"));
  must(check_cuda(driver(), driver().cuMemsetD8Async(workspace.get(), 0xFF, workspace.bytes(), stream.get()), "clear"));
  must(check_cuda(driver(), driver().cuStreamSynchronize(stream.get()), "wait"));
  begin(stream);
  reduce.run(stream.get(), {1000000}, reinterpret_cast<void*>(workspace.get()), workspace.bytes(), x.get(), sum.get());
  end_and_run(stream, 5);
  EXPECT_EQ(download(sum, stream), std::vector<float>{1000000.0F});
}

TEST_F(RuntimeCapture, AWorkspaceGrowsToWhatIsNeeded) {
  add_best("sgemm", "m=128,n=128,k=512", "SPLIT_K=4", true);
  const warptune::Library library((dir_ / "t.db").string());
  const warptune::v0::Kernel sgemm = library.kernel("sgemm");
  const Stream stream = must(make_stream(driver()));
  std::vector<DeviceMemory> blocks;
  warptune::Workspace workspace(
      [&](std::size_t bytes) {
        blocks.push_back(must(DeviceMemory::allocate(driver(), bytes, "a workspace")));
        return reinterpret_cast<void*>(blocks.back().get());
      },
      [&](void*) { blocks.clear(); });
  const DeviceMemory a = upload(std::vector<float>(128 * 512, 0.5F), stream);
  const DeviceMemory b = upload(std::vector<float>(512 * 128, 2.0F), stream);
  const DeviceMemory c = must(DeviceMemory::allocate(driver(), 128 * 128 * 4, "a test"));
  EXPECT_THROW(sgemm(stream.get(), {128, 128, 512}, a.get(), b.get(), c.get()), warptune::v0::Error) << "it needs one";
  sgemm.run(stream.get(), {128, 128, 512}, workspace, a.get(), b.get(), c.get());
  EXPECT_GE(workspace.bytes(), 4u * 128 * 128 * 4);
  EXPECT_EQ(download(c, stream), std::vector<float>(128 * 128, 512.0F));
}

// For any address, the library gives the right result or an error, never a wrong result.
TEST_F(RuntimeCapture, UnalignedPointersRunRightOrAreRefused) {
  add_best("axpy", "n=4096", "", true);
  const warptune::Library library((dir_ / "t.db").string());
  const warptune::v0::Kernel axpy = library.kernel("axpy");
  const Stream stream = must(make_stream(driver()));
  for (std::size_t offset = 0; offset < 8; ++offset) {
    const DeviceMemory x = upload(std::vector<float>(5000, 1.0F), stream),
                       y = upload(std::vector<float>(5000, 3.0F), stream);
    std::vector<float> expected(5000, 3.0F);
    try {
      axpy(stream.get(), {4096}, x.get() + 4 * offset, y.get() + 4 * offset, 2.0F);
      for (std::size_t i = offset; i < offset + 4096; ++i) expected[i] = 5.0F;
    } catch (const warptune::v0::Error& error) {
      EXPECT_NE(offset % 4, 0u) << error.what();
      EXPECT_THAT(error.what(), HasSubstr("aligned"));
    }
    EXPECT_EQ(download(y, stream), expected) << offset;
  }
}

TEST_F(RuntimeCapture, NewerContentWhileLaunchesRun) {
  add_best("axpy", "n=4096", "UNROLL=4", true);
  const warptune::Library library((dir_ / "t.db").string());
  const warptune::v0::Kernel axpy = library.kernel("axpy");
  const warptune::Operation before = axpy.select({4096});
  add_real_rows(dir_ / "new.db", device_, "axpy", {"n=4096"}, "UNROLL=1", true);
  std::filesystem::rename(dir_ / "new.db", dir_ / "t.db");
  const Stream stream = must(make_stream(driver()));
  const DeviceMemory x = upload(std::vector<float>(4096, 1.0F), stream),
                     y = upload(std::vector<float>(4096, 0.0F), stream);
  before.launch(stream.get(), x.get(), y.get(), 1.0F);
  EXPECT_TRUE(library.reload());
  EXPECT_FALSE(library.reload());
  const warptune::Operation after = axpy.select({4096});
  EXPECT_THAT(after.config(), HasSubstr("UNROLL=1"));
  EXPECT_THAT(before.config(), HasSubstr("UNROLL=4"));
  before.launch(stream.get(), x.get(), y.get(), 1.0F);
  after.launch(stream.get(), x.get(), y.get(), 1.0F);
  EXPECT_EQ(download(y, stream), std::vector<float>(4096, 3.0F));
}

TEST_F(RuntimeCapture, MissesAreWritten) {
  add_best("axpy", "n=4096", "", true);
  const std::filesystem::path file = dir_ / "misses.json";
  {
    const warptune::Library library((dir_ / "t.db").string(), {-1, file.string()});
    library.kernel("axpy").prefetch({4096});
    library.kernel("axpy").prefetch({12345});
  }
  std::ifstream opened(file);
  const std::string text((std::istreambuf_iterator<char>(opened)), std::istreambuf_iterator<char>());
  EXPECT_THAT(text, AllOf(HasSubstr("n=12345"), testing::Not(HasSubstr("n=4096"))));
}

TEST_F(RuntimeCapture, AStreamOfAnotherContextIsRefused) {
  add_best("axpy", "n=4096", "", true);
  const warptune::Library library((dir_ / "t.db").string());
  const warptune::v0::Kernel axpy = library.kernel("axpy");
  const Stream mine = must(make_stream(driver()));
  const DeviceMemory x = upload(std::vector<float>(4096, 1.0F), mine), y = upload(std::vector<float>(4096, 0.0F), mine);
  CUcontext other = nullptr;
  using Create = CUresult(CUcontext*, unsigned, CUdevice);
  ASSERT_EQ(driver_function<Create>("cuCtxCreate_v2")(&other, 0, context_->device()), CUDA_SUCCESS);
  {
    const Stream theirs = must(make_stream(driver()));
    must(context_->make_current());
    axpy.prefetch({4096});
    EXPECT_THROW(axpy(theirs.get(), {4096}, x.get(), y.get(), 1.0F), warptune::v0::Error);
    EXPECT_THAT(wt_last_error(), HasSubstr("check that the stream belongs to the current context"));
    must(check_cuda(driver(), driver().cuCtxSetCurrent(other), "change the context"));
  }
  EXPECT_EQ(driver_function<decltype(cuCtxDestroy)>("cuCtxDestroy_v2")(other), CUDA_SUCCESS);
  must(context_->make_current());
  axpy(mine.get(), {4096}, x.get(), y.get(), 1.0F);
  EXPECT_EQ(download(y, mine), std::vector<float>(4096, 1.0F));
}

} // namespace
} // namespace warptune::test
