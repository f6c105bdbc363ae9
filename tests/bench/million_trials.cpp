// A database of a cluster's sweep: 10,000 problems of the shipped kernels with 100 trials each, in 256 shard databases
// of one GPU each, written by the tuner's own writer.
//   million_trials make DIR [PROBLEMS] [TRIALS] [SHARDS]   writes DIR/shard-NNN.db
//   million_trials resume DB      the queries of `sweep --resume` before its first job, for all its sessions
//   million_trials select DB LIBCUDA   the runtime library: open, first wt_find_kernel, first wt_select; `LIBCUDA`: the
//                                 stand-in for the driver
// Configurations come from the kernels' spaces; times are the roofline's, with a smooth slowdown for each parameter and
// 1 % of noise. Cubins are random bytes under their true keys. No GPU needed. million_trials.py measures the commands.
#include "bench/million_trials.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>

int main(int argc, char** argv) {
  using namespace warptune;
  const auto number = [&](int at, std::int64_t otherwise) { return argc > at ? std::atoll(argv[at]) : otherwise; };
  try {
    if (argc > 2 && std::strcmp(argv[1], "make") == 0)
      bench::make_shards(argv[2], {number(3, 10'000), number(4, 100), number(5, 256)});
    else if (argc > 2 && std::strcmp(argv[1], "resume") == 0)
      bench::time_resume(argv[2]);
    else if (argc > 3 && std::strcmp(argv[1], "select") == 0)
      bench::time_select(argv[2], argv[3]);
    else
      std::fputs("million_trials make DIR [PROBLEMS] [TRIALS] [SHARDS] | resume DB | select DB LIBCUDA\n", stderr);
    return argc > 2 ? 0 : 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "million_trials: %s\n", error.what());
    return 1;
  }
}
