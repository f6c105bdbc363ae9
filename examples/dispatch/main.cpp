// A program that launches a tuned kernel: softmax over the rows of a bf16 matrix, on a separate stream.
//   dispatch [FILE [ROWS COLS]]
// If FILE contains the kernel, the program needs no compiler, templates or tuner at run time. On a machine without a
// GPU it says which configuration would run.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime_api.h>
#include <string>
#include <vector>
#include <warptune/warptune.hpp>

using bf16 = std::uint16_t;

static float to_float(bf16 value) {
  const std::uint32_t bits = std::uint32_t{value} << 16;
  float result;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}

static bf16 to_bf16(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return static_cast<bf16>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16); // round to nearest, ties to even
}

static void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

// NaN counts as the largest value: fmax would drop it.
static double larger(double a, double b) { return b > a || std::isnan(b) ? b : a; }

// The largest error of a row, compared with the same computation in double on the host.
static double error_of_row(const bf16* x, const bf16* y, std::size_t cols) {
  double largest = -INFINITY, sum = 0, worst = 0;
  for (std::size_t i = 0; i < cols; ++i) largest = std::fmax(largest, to_float(x[i]));
  for (std::size_t i = 0; i < cols; ++i) sum += std::exp(to_float(x[i]) - largest);
  for (std::size_t i = 0; i < cols; ++i) {
    const double expected = std::exp(to_float(x[i]) - largest) / sum;
    worst = larger(worst, std::fabs(to_float(y[i]) - expected) / expected);
  }
  return worst;
}

static int run(const warptune::Library& library, std::size_t rows, std::size_t cols) {
  const std::string shape = "rows=" + std::to_string(rows) + ",cols=" + std::to_string(cols);
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    const warptune::Explanation choice = library.explain("softmax", shape, "bf16", "", "NVIDIA H200");
    std::printf("no CUDA device here; this would run on an H200:\n%s\n", choice.text.c_str());
    return 0;
  }
  check(cudaSetDevice(0)); // makes the device's context current, for CUDA and for warptune
  const warptune::Kernel kernel = library.kernel("softmax", "bf16");
  const warptune::Operation softmax = kernel.select({rows, cols}); // later calls for this shape cost nanoseconds
  std::printf("%s\n", softmax.explain().c_str());

  std::vector<bf16> x(rows * cols), y(rows * cols);
  std::uint32_t state = 1;
  for (bf16& value : x) {
    state = state * 1664525 + 1013904223;
    value = to_bf16(static_cast<float>(state >> 8) / 2097152.0F - 4.0F); // -4 to 4
  }
  const std::size_t bytes = x.size() * sizeof(bf16);
  void *device_x = nullptr, *device_y = nullptr, *workspace = nullptr;
  cudaStream_t stream = nullptr;
  cudaEvent_t start = nullptr, stop = nullptr;
  check(cudaMalloc(&device_x, bytes));
  check(cudaMalloc(&device_y, bytes));
  if (softmax.workspace_bytes() > 0) check(cudaMalloc(&workspace, softmax.workspace_bytes()));
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  check(cudaEventCreate(&start));
  check(cudaEventCreate(&stop));
  check(cudaMemcpyAsync(device_x, x.data(), bytes, cudaMemcpyHostToDevice, stream));

  constexpr int kLaunches = 20;
  for (int i = -1; i < kLaunches; ++i) { // the first launch is not timed
    if (i == 0) check(cudaEventRecord(start, stream));
    softmax.launch_with_workspace(stream, workspace, device_x, device_y);
  }
  check(cudaEventRecord(stop, stream));
  check(cudaMemcpyAsync(y.data(), device_y, bytes, cudaMemcpyDeviceToHost, stream));
  check(cudaStreamSynchronize(stream));

  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, start, stop));
  const double us = 1e3 * milliseconds / kLaunches;
  double worst = 0;
  for (const std::size_t row : {std::size_t{0}, rows / 2, rows - 1})
    worst = larger(worst, error_of_row(&x[row * cols], &y[row * cols], cols));
  std::printf("%.1f us a launch, %.0f GB/s; largest relative error of three rows %.2g: %s\n", us,
              2.0 * static_cast<double>(bytes) / us / 1e3, worst, worst < 8e-3 ? "correct" : "WRONG");
  return worst < 8e-3 ? 0 : 1;
}

int main(int argc, char** argv) {
  try {
    const warptune::Library library(argc > 1 ? argv[1] : nullptr);
    const std::size_t rows = argc > 3 ? std::strtoull(argv[2], nullptr, 10) : 32768;
    const std::size_t cols = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 4096;
    return run(library, rows, cols);
  } catch (const std::exception& error) { // warptune::Error carries a status as well
    std::fprintf(stderr, "dispatch: %s\n", error.what());
    return 2;
  }
}
