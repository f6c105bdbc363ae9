// A server of tuned kernels: worker threads, each with its own stream, answer requests of changing shapes. The main
// thread loads newer versions of the file and, at the end, writes the untuned shapes to MISSES.json.
//   server [FILE [THREADS [REQUESTS [MISSES.json]]]]
// `warptune sweep MISSES.json` tunes them. On a machine without a GPU it says so and exits with 0.
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime_api.h>
#include <string>
#include <thread>
#include <vector>
#include <warptune/operators.hpp>

namespace operators = warptune::operators;

static void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

static constexpr std::int64_t kMaxElements = 1 << 20;

// The resources of one worker. All workers share the kernels and the library.
class Worker {
 public:
  explicit Worker(const operators::ReduceSum& sum)
      : sum_(sum), workspace_(
                       [](std::size_t bytes) {
                         void* memory = nullptr;
                         return cudaMalloc(&memory, bytes) == cudaSuccess ? memory : nullptr;
                       },
                       [](void* memory) { cudaFree(memory); }) {
    check(cudaSetDevice(0)); // sets the device of this thread
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    check(cudaMalloc(reinterpret_cast<void**>(&x_), kMaxElements * sizeof(float)));
    check(cudaMalloc(reinterpret_cast<void**>(&result_), sizeof(float)));
    const std::vector<float> ones(kMaxElements, 1.0F);
    check(cudaMemcpy(x_, ones.data(), ones.size() * sizeof(float), cudaMemcpyHostToDevice));
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() {
    cudaFree(x_);
    cudaFree(result_);
    cudaStreamDestroy(stream_);
  }

  // Returns whether the sum of n ones is n.
  bool answer(std::int64_t n) {
    float sum = 0;
    sum_(stream_, n, x_, result_, workspace_);
    check(cudaMemcpyAsync(&sum, result_, sizeof sum, cudaMemcpyDeviceToHost, stream_));
    check(cudaStreamSynchronize(stream_));
    return std::fabs(sum - static_cast<float>(n)) < 0.5F;
  }

 private:
  const operators::ReduceSum& sum_;
  warptune::Workspace workspace_;
  cudaStream_t stream_ = nullptr;
  float *x_ = nullptr, *result_ = nullptr;
};

static int run(const warptune::Library& library, int thread_count, int requests, const char* misses) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("no CUDA device here, so nothing is served\n");
    return 0;
  }
  const operators::ReduceSum sum(library);
  std::atomic<int> right{0}, wrong{0}, failed{0}, busy{thread_count};
  std::vector<std::thread> threads;
  const auto start = std::chrono::steady_clock::now();
  for (int t = 0; t < thread_count; ++t)
    threads.emplace_back([&, t] {
      try {
        Worker worker(sum);
        for (int i = 0; i < requests; ++i) {
          const std::int64_t n = std::int64_t{1024} << ((i + t) % 11); // 1024 to 1048576
          ++(worker.answer(n) ? right : wrong);
        }
      } catch (const std::exception& error) {
        std::fprintf(stderr, "server: a worker ended: %s\n", error.what());
        ++failed;
      }
      --busy;
    });
  while (busy > 0) {
    try {
      if (library.reload()) std::printf("a newer file is in use\n");
    } catch (const warptune::Error& error) { // the old file stays in use
      std::fprintf(stderr, "server: %s\n", error.what());
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  for (std::thread& thread : threads) thread.join();
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  std::printf("%d threads, %d requests in %.2f s: %d right, %d wrong\n", thread_count, right + wrong, spent.count(),
              right.load(), wrong.load());
  if (misses != nullptr) library.write_misses(misses);
  return wrong == 0 && failed == 0 ? 0 : 1;
}

int main(int argc, char** argv) {
  try {
    const warptune::Library library(argc > 1 ? argv[1] : nullptr);
    return run(library, argc > 2 ? std::atoi(argv[2]) : 4, argc > 3 ? std::atoi(argv[3]) : 200,
               argc > 4 ? argv[4] : nullptr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "server: %s\n", error.what());
    return 2;
  }
}
