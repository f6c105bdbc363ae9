// A stand-in for cuBLASLt, which stores the description of a product. Its heuristic names three algorithms, of which
// the second is not usable. If C has one column (one row in warptune's order), the heuristic names none. It supports
// custom options up to 7, and no clusters of 8 x 1; a split of k needs a workspace of 200 bytes for each part. The
// library is built as libwt_fake_cublaslt.so and opened through WARPTUNE_CUBLASLT.
#pragma once

#include <cstdint>

struct FakeMatrix {
  std::uint64_t rows = 0, columns = 0;
  std::int64_t leading = 0, stride = 0;
  std::int32_t batch = 0, type = 0, transposed = 0;
};

struct FakeProduct {
  int count = 0;                                            // number of products so far
  int algorithm = 0;                                        // index in the list of the heuristic
  int cluster = 0, split_k = 0, reduction = 0, option = -1; // of the algorithm; 0 and -1: never set
  int checks = 0;                                           // number of algorithms checked so far
  FakeMatrix left, right, out;
  const void *left_data = nullptr, *right_data = nullptr, *workspace = nullptr;
  void* out_data = nullptr;
  std::uint64_t workspace_bytes = 0, most_workspace = 0; // size given to the call; maximum given to the heuristic
  float alpha = 0, beta = 0;
  int epilogue = 0;
  const void *bias = nullptr, *added = nullptr; // `added`: the matrix that beta scales
  std::uint32_t reductions = 0;
  std::uint32_t least_alignments[4] = {}; // alignments of A, B, C and D
};

FakeProduct fake_cublaslt_product();
