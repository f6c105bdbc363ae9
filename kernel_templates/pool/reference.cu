// The reference of pool, in double: one thread a window. Ops are numbered as in pooled.cuh.
#include "common/prelude.cuh"

struct Shape {
  int size[3], out[3], window[3], stride[3], pad[3]; // depth, height, width
};

template <typename T, typename I>
__global__ void pool_reference(const T* x, float* y, I* indices, int op, int channels_last, i64 batch, i64 channels,
                               int depth, int height, int width, int out_d, int out_h, int out_w, int window_d,
                               int window_h, int window_w, int stride_d, int stride_h, int stride_w, int pad_d,
                               int pad_h, int pad_w) {
  const Shape s{{depth, height, width},
                {out_d, out_h, out_w},
                {window_d, window_h, window_w},
                {stride_d, stride_h, stride_w},
                {pad_d, pad_h, pad_w}};
  const i64 windows = i64(out_d) * out_h * out_w, pixels = i64(depth) * height * width;
  for (i64 i = i64(blockIdx.x) * blockDim.x + threadIdx.x; i < batch * channels * windows;
       i += i64(gridDim.x) * blockDim.x) {
    const i64 window = channels_last ? i / channels % windows : i % windows;
    const i64 image = i / (channels * windows), channel = channels_last ? i % channels : i / windows % channels;
    const int o[3] = {static_cast<int>(window / (i64(out_h) * out_w)), static_cast<int>(window / out_w % out_h),
                      static_cast<int>(window % out_w)};
    int begin[3], end[3];
    i64 padded = 1, inside = 1;
    for (int a = 0; a < 3; ++a) {
      const int start = o[a] * s.stride[a] - s.pad[a];
      begin[a] = start < 0 ? 0 : start;
      end[a] = start + s.window[a] < s.size[a] ? start + s.window[a] : s.size[a];
      padded *= (start + s.window[a] < s.size[a] + s.pad[a] ? start + s.window[a] : s.size[a] + s.pad[a]) - start;
      inside *= end[a] - begin[a];
    }
    double sum = 0, most = __int_as_float(0xff800000);
    i64 at = (i64(begin[0]) * height + begin[1]) * width + begin[2];
    for (int d = begin[0]; d < end[0]; ++d)
      for (int h = begin[1]; h < end[1]; ++h)
        for (int w = begin[2]; w < end[2]; ++w) {
          const i64 pixel = (i64(d) * height + h) * width + w;
          const double v = wt::to_double(x[channels_last ? (image * pixels + pixel) * channels + channel
                                                         : (image * channels + channel) * pixels + pixel]);
          sum += v;
          if (v > most || isnan(v)) {
            most = v;
            at = pixel;
          }
        }
    y[i] = static_cast<float>(op < 3 ? most : sum / static_cast<double>(op == 3 ? padded : inside));
    if (op == 1) indices[i] = static_cast<I>(at);
    if (op == 2) {
      const int place[3] = {static_cast<int>(at / width / height) - (o[0] * stride_d - pad_d),
                            static_cast<int>(at / width % height) - (o[1] * stride_h - pad_h),
                            static_cast<int>(at % width) - (o[2] * stride_w - pad_w)};
      indices[i] = static_cast<I>((place[0] * window_h + place[1]) * window_w + place[2]);
    }
  }
}
