// million_trials: measurements within one process.
#include "bench/million_trials.h"
#include "db/reader.h"
#include "support/fake_cuda.h"
#include "tuner/ledger.h"
#include "warptune/warptune.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <stdexcept>
#include <vector>

namespace warptune::bench {
namespace {

void must(wt_status status) {
  if (status != WT_OK) throw std::runtime_error(wt_last_error());
}

double cpu_ms() { return static_cast<double>(std::clock()) * 1e3 / CLOCKS_PER_SEC; }

void report(const std::string& what, const std::function<void()>& work) {
  const double before = cpu_ms();
  const auto start = std::chrono::steady_clock::now();
  work();
  const double wall = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  std::printf("%-40s cpu_ms %9.2f wall_ms %9.2f\n", what.c_str(), cpu_ms() - before, wall);
}

struct Dims {
  const char* kernel;
  const char* dtype;
  const char* flags;
  std::string problem; // in the database
};

// The dims of a problem's key: "rows=1,cols=2;bf16".
std::vector<std::int64_t> dims_of(const std::string& key) {
  std::vector<std::int64_t> dims;
  for (std::size_t at = key.find('='); at != std::string::npos && at < key.find(';'); at = key.find('=', at + 1))
    dims.push_back(std::atoll(key.c_str() + at + 1));
  return dims;
}

} // namespace

void time_resume(const std::filesystem::path& database) {
  std::vector<SessionIdentity> identities;
  for (const SessionRecord& session : must(must(Reader::open(database)).sessions()))
    identities.push_back(session.identity);
  std::printf("%zu sessions\n", identities.size());
  report("resume: state of every session", [&] {
    const Ledger ledger = must(Ledger::open(database));
    std::size_t known = 0;
    for (const SessionIdentity& identity : identities)
      known += ledger.earlier_state(identity) == SessionState::finished ? 1 : 0;
    if (known != identities.size()) throw std::runtime_error("a session was not found");
  });
}

void time_select(const std::filesystem::path& database, const std::string& libcuda) {
  setenv("WARPTUNE_LIBCUDA", libcuda.c_str(), 1);
  setenv("WARPTUNE_UNTUNED", "", 1);
  std::vector<Dims> asked = {
      {"softmax", "bf16", "log=0", {}}, {"sgemm", "fp32", "layout=nn", {}}, {"axpy", "fp32", "", {}}};
  for (Dims& dims : asked) {
    const Reader reader = must(Reader::open(database));
    for (const BestRecord& best : must(reader.best(dims.kernel)))
      if (!best.cubin_hash.empty() && best.problem.find(std::string(";") + dims.dtype) != std::string::npos) {
        dims.problem = best.problem;
        break;
      }
  }
  fake_set_context(reinterpret_cast<void*>(0x1000));
  wt_library* library = nullptr;
  report("wt_open", [&] { must(wt_open(database.c_str(), &library)); });
  for (const Dims& dims : asked) {
    const wt_kernel* kernel = nullptr;
    const wt_operation* operation = nullptr;
    report(std::string("wt_find_kernel ") + dims.kernel,
           [&] { must(wt_find_kernel(library, dims.kernel, dims.dtype, dims.flags, &kernel)); });
    std::vector<std::int64_t> sizes = dims_of(dims.problem);
    report("wt_select " + dims.problem,
           [&] { must(wt_select(kernel, sizes.data(), static_cast<int>(sizes.size()), 0, nullptr, &operation)); });
    std::printf("  %s\n", wt_operation_explain(operation));
    sizes.front() += 24;
    report("wt_select of an untuned shape",
           [&] { must(wt_select(kernel, sizes.data(), static_cast<int>(sizes.size()), 0, nullptr, &operation)); });
    std::printf("  %s\n", wt_operation_explain(operation));
  }
  wt_close(library);
}

} // namespace warptune::bench
