// A linear layer in one launch: y = gelu(x * W^T + bias) + x, with weights as torch stores them (n x k). Uses the typed
// call of the shipped operator gemm, and checks a sample of y on the host.
//   linear_layer [FILE [ROWS WIDTH]]
// Without FILE the shipped kernels run: untuned, or with the results in your own database. On a machine without a GPU
// the program says so and exits with 0.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime_api.h>
#include <stdexcept>
#include <vector>
#include <warptune/gemm.hpp>

namespace operators = warptune::operators;

static void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

static std::vector<float> numbers(std::size_t count, unsigned seed) {
  std::vector<float> out(count);
  for (float& value : out) {
    seed = seed * 1664525U + 1013904223U;
    value = static_cast<float>(seed >> 8U) / 8388608.0F - 1;
  }
  return out;
}

static float* on_device(const std::vector<float>& host) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, host.size() * sizeof(float)));
  check(cudaMemcpy(memory, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice));
  return static_cast<float*>(memory);
}

// NaN counts as the largest value: fmax would drop it.
static double larger(double a, double b) { return b > a || std::isnan(b) ? b : a; }

static double gelu(double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }

static int run(const warptune::Library& library, std::size_t rows, std::size_t width) {
  operators::GemmForm form;
  form.type = operators::Type::fp32;
  form.layout = operators::Layout::nt; // the weights are n x k
  form.activation = operators::Activation::gelu;
  form.bias = form.residual = true;
  const operators::Gemm linear(library, form);
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("no CUDA device here, so nothing is launched\n");
    return 0;
  }
  check(cudaSetDevice(0));
  const std::vector<float> x = numbers(rows * width, 1), weight = numbers(width * width, 2), bias = numbers(width, 3);
  std::vector<float> y(rows * width);
  float *const dx = on_device(x), *const dw = on_device(weight), *const db = on_device(bias), *const dy = on_device(y);
  cudaStream_t stream = nullptr;
  check(cudaStreamCreate(&stream));
  warptune::Workspace workspace(
      [](std::size_t bytes) {
        void* memory = nullptr;
        return cudaMalloc(&memory, bytes) == cudaSuccess ? memory : nullptr;
      },
      [](void* memory) { cudaFree(memory); });
  const operators::GemmSize size{static_cast<std::int64_t>(rows), static_cast<std::int64_t>(width),
                                 static_cast<std::int64_t>(width)};
  linear(stream, size, {dx, dw, dy, db, dx}, workspace);
  check(cudaMemcpyAsync(y.data(), dy, y.size() * sizeof(float), cudaMemcpyDeviceToHost, stream));
  check(cudaStreamSynchronize(stream));

  double worst = 0;
  for (std::size_t i = 0; i < y.size(); i += 9973) {
    const std::size_t r = i / width, c = i % width;
    double sum = bias[c];
    for (std::size_t k = 0; k < width; ++k) sum += double{x[r * width + k]} * double{weight[c * width + k]};
    worst = larger(worst, std::fabs(gelu(sum) + x[i] - y[i]));
  }
  std::printf("%s\n%zu x %zu: differs by at most %.2g: %s\n",
              linear.kernel().explain({size.m, size.n, size.k, 1, 0, 0, 0}).text.c_str(), rows, width, worst,
              worst < 1e-3 ? "correct" : "WRONG");
  return worst < 1e-3 ? 0 : 1;
}

int main(int argc, char** argv) {
  try {
    const warptune::Library library(argc > 1 ? argv[1] : nullptr);
    const auto number = [&](int i, int standard) {
      return static_cast<std::size_t>(argc > 3 ? std::atoi(argv[i]) : standard);
    };
    return run(library, number(2, 512), number(3, 1024));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "linear_layer: %s\n", error.what());
    return 2;
  }
}
