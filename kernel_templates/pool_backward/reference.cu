// The reference of pool_backward, in double: one thread an element of the image. Before it, the indices that the
// forward pass would have stored: some element of each window.
#include "common/prelude.cuh"

struct Shape {
  int size[3], out[3], window[3], stride[3], pad[3]; // depth, height, width
  bool channels_last;
  i64 channels;

  __device__ int start(int axis, int o) const { return o * stride[axis] - pad[axis]; }
  __device__ int end(int axis, int o) const { return min(start(axis, o) + window[axis], size[axis]); }
  // Of an element of a tensor of images of size n: in the image and of its channel.
  __device__ i64 pixel(i64 i, const int (&n)[3]) const {
    return (channels_last ? i / channels : i) % (i64(n[0]) * n[1] * n[2]);
  }
  __device__ i64 element(i64 image, i64 channel, i64 pixel, const int (&n)[3]) const {
    const i64 pixels = i64(n[0]) * n[1] * n[2];
    return channels_last ? (image * pixels + pixel) * channels + channel
                         : (image * channels + channel) * pixels + pixel;
  }
};
__device__ void place_of(i64 pixel, const int (&n)[3], int (&at)[3]) {
  at[0] = static_cast<int>(pixel / n[2] / n[1]);
  at[1] = static_cast<int>(pixel / n[2] % n[1]);
  at[2] = static_cast<int>(pixel % n[2]);
}

#define SHAPE                                                                                                          \
  int channels_last, i64 channels, int depth, int height, int width, int out_d, int out_h, int out_w, int window_d,    \
      int window_h, int window_w, int stride_d, int stride_h, int stride_w, int pad_d, int pad_h, int pad_w
#define MAKE_SHAPE                                                                                                     \
  const Shape s {                                                                                                      \
    {depth, height, width}, {out_d, out_h, out_w}, {window_d, window_h, window_w}, {stride_d, stride_h, stride_w},     \
        {pad_d, pad_h, pad_w}, channels_last != 0, channels                                                            \
  }

template <typename I> __global__ void draw_indices(I* indices, int op, i64 results, SHAPE) {
  MAKE_SHAPE;
  for (i64 i = i64(blockIdx.x) * blockDim.x + threadIdx.x; i < results; i += i64(gridDim.x) * blockDim.x) {
    int o[3], place[3], index = 0, in_window = 0;
    place_of(s.pixel(i, s.out), s.out, o);
    u32 random = static_cast<u32>(i) * 2654435761u;
    for (int a = 0; a < 3; ++a) {
      const int begin = max(s.start(a, o[a]), 0), count = s.end(a, o[a]) - begin;
      random = random * 1664525u + 1013904223u;
      place[a] = begin + static_cast<int>((random >> 8) % static_cast<u32>(count));
      index = index * s.size[a] + place[a];
      in_window = in_window * s.window[a] + place[a] - s.start(a, o[a]);
    }
    indices[i] = static_cast<I>(op == 1 ? index : in_window);
  }
}

template <typename T, typename I>
__global__ void pool_backward_reference(const T* dy, const I* indices, float* dx, int op, i64 elements, SHAPE) {
  MAKE_SHAPE;
  for (i64 i = i64(blockIdx.x) * blockDim.x + threadIdx.x; i < elements; i += i64(gridDim.x) * blockDim.x) {
    const i64 pixels = i64(depth) * height * width, pixel = s.pixel(i, s.size), image = i / (channels * pixels);
    const i64 channel = channels_last ? i % channels : i / pixels % channels;
    int at[3], first[3], last[3], o[3];
    place_of(pixel, s.size, at);
    for (int a = 0; a < 3; ++a) {
      const int most = at[a] + s.pad[a];
      first[a] = most < s.window[a] ? 0 : (most - s.window[a]) / s.stride[a] + 1;
      last[a] = min(most / s.stride[a], s.out[a] - 1);
    }
    double sum = 0;
    for (o[0] = first[0]; o[0] <= last[0]; ++o[0])
      for (o[1] = first[1]; o[1] <= last[1]; ++o[1])
        for (o[2] = first[2]; o[2] <= last[2]; ++o[2]) {
          const i64 from = s.element(image, channel, (i64(o[0]) * out_h + o[1]) * out_w + o[2], s.out);
          i64 count = 1, in_window = 0;
          for (int a = 0; a < 3; ++a) {
            const int start = s.start(a, o[a]);
            count *= op == 3 ? min(start + s.window[a], s.size[a] + s.pad[a]) - start : s.end(a, o[a]) - max(start, 0);
            in_window = in_window * s.window[a] + at[a] - start;
          }
          if (op >= 3)
            sum += wt::to_double(dy[from]) / static_cast<double>(count);
          else if (static_cast<i64>(indices[from]) == (op == 1 ? pixel : in_window))
            sum += wt::to_double(dy[from]);
        }
    dx[i] = static_cast<float>(sum);
  }
}
