// Tuned kernels in a CUDA graph: a chain of softmax and transpose is captured once and launched many times.
//   graph_capture [FILE [ROWS COLS]]
// Nothing may be loaded while a stream is being captured. The program shows the error that the library then returns,
// prefetches the kernels, and captures the chain. On a machine without a GPU it says so and exits with 0.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime_api.h>
#include <string>
#include <vector>
#include <warptune/operators.hpp>

namespace operators = warptune::operators;

static void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

static float* allocate(std::size_t count) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, count * sizeof(float)));
  return static_cast<float*>(memory);
}

// NaN counts as the largest value: fmax would drop it.
static double larger(double a, double b) { return b > a || std::isnan(b) ? b : a; }

// Rows of a softmax sum to 1, so the columns of its transpose do too.
static double worst_column_sum(const std::vector<float>& y, std::size_t rows, std::size_t cols) {
  double worst = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    double sum = 0;
    for (std::size_t c = 0; c < cols; ++c) sum += y[c * rows + r];
    worst = larger(worst, std::fabs(sum - 1));
  }
  return worst;
}

static int run(const warptune::Library& library, std::int64_t rows, std::int64_t cols) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("no CUDA device here, so nothing is captured\n");
    return 0;
  }
  check(cudaSetDevice(0));
  const operators::Softmax softmax(library, operators::Type::fp32);
  const operators::Transpose transpose(library, operators::Type::fp32);
  const auto height = static_cast<std::size_t>(rows), width = static_cast<std::size_t>(cols);
  std::vector<float> host(height * width);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<float>(i * 2654435761U % 1000) / 250.0F;
  float *x = allocate(host.size()), *y = allocate(host.size()), *z = allocate(host.size());
  check(cudaMemcpy(x, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice));

  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  try {
    softmax(stream, rows, cols, x, y);
  } catch (const warptune::Error& error) { // the capture is not affected
    std::printf("as it should be: %s\n", error.what());
  }
  softmax.prefetch(rows, cols);
  transpose.prefetch(rows, cols);
  softmax(stream, rows, cols, x, y);
  transpose(stream, rows, cols, y, z);
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaGraphInstantiate(&ready, graph, 0));
  for (int i = 0; i < 10; ++i) check(cudaGraphLaunch(ready, stream));
  check(cudaMemcpyAsync(host.data(), z, host.size() * sizeof(float), cudaMemcpyDeviceToHost, stream));
  check(cudaStreamSynchronize(stream));
  const double worst = worst_column_sum(host, height, width);
  std::printf("10 launches of the graph; sums differ from 1 by at most %.2g: %s\n", worst,
              worst < 1e-4 ? "correct" : "WRONG");
  return worst < 1e-4 ? 0 : 1;
}

int main(int argc, char** argv) {
  try {
    const warptune::Library library(argc > 1 ? argv[1] : nullptr);
    return run(library, argc > 3 ? std::atoll(argv[2]) : 4096, argc > 3 ? std::atoll(argv[3]) : 1024);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "graph_capture: %s\n", error.what());
    return 2;
  }
}
