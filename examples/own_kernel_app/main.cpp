// An application that launches its own kernel, examples/user_kernel, by name: it blurs an image.
//   warptune tune examples/user_kernel --shape height=8192,width=8192,radius=2 --db convolve.db
//   own_kernel_app convolve.db [HEIGHT WIDTH]
// Without a GPU it says which configuration would run on an H200 and exits with 0. It exits with 1 if the result is
// wrong, and with 2 after an error.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime_api.h>
#include <string>
#include <vector>
#include <warptune/warptune.hpp>

namespace {

constexpr std::int64_t kRadius = 2;
constexpr std::size_t kSide = 2 * kRadius + 1;

void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

float* copy_to_device(const std::vector<float>& host) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, host.size() * sizeof(float)));
  check(cudaMemcpy(memory, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice));
  return static_cast<float*>(memory);
}

// A filter that sums to 1 gives 1 inside an image of ones.
int run(const warptune::Library& library, std::int64_t height, std::int64_t width) {
  const warptune::Kernel convolve = library.kernel("convolve", "fp32");
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    const auto choice = convolve.explain({height, width, kRadius}, "NVIDIA H200");
    std::printf("no CUDA device here; this would run on an H200:\n%s\n", choice.text.c_str());
    return 0;
  }
  check(cudaSetDevice(0));
  const auto pixels = static_cast<std::size_t>(height) * static_cast<std::size_t>(width);
  std::vector<float> result(pixels);
  float* const device_image = copy_to_device(std::vector<float>(pixels, 1.0F));
  float* const device_filter = copy_to_device(std::vector<float>(kSide * kSide, 1.0F / (kSide * kSide)));
  float* const device_result = copy_to_device(result);

  // Buffers in the order of "arguments" in spec.json. The scalars of this kernel follow from the dims.
  convolve(nullptr, {height, width, kRadius}, device_image, device_filter, device_result);
  check(cudaMemcpy(result.data(), device_result, pixels * sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("%s\n", convolve.select({height, width, kRadius}).explain().c_str());

  const auto middle = static_cast<std::size_t>(height / 2 * width + width / 2);
  const bool correct = std::fabs(result[middle] - 1.0F) < 1e-5F;
  std::printf("the pixel in the middle is %g: %s\n", static_cast<double>(result[middle]),
              correct ? "correct" : "WRONG");
  return correct ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
  try {
    const warptune::Library library(argc > 1 ? argv[1] : nullptr);
    const bool sized = argc > 3;
    return run(library, sized ? std::atoll(argv[2]) : 8192, sized ? std::atoll(argv[3]) : 8192);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "own_kernel_app: %s\n", error.what());
    return 2;
  }
}
