// Two programs in one, as warptune itself is: a worker with the toy device, and a coordinator for tests to kill.
//   test_worker __worker --device D --cache DIR
//   test_worker session DEVICE DATABASE CACHE resume|new STRATEGY   one line per progress report, then "end STATE BEST"
#include "support/toy.h"
#include "support/toy_backend.h"
#include "tuner/make_backend.h"
#include "tuner/session.h"
#include "worker/worker_main.h"

#include <atomic>
#include <csignal>
#include <cstring>
#include <iostream>
#include <string>

namespace {

std::atomic<bool> stop_requested{false};

int run(char** argv) {
  using namespace warptune;
  const Kernel kernel = test::toy_kernel();
  SessionOptions options;
  options.device = argv[2];
  options.database = argv[3];
  options.cache_directory = argv[4];
  options.resume = std::string(argv[5]) == "resume";
  options.strategy = argv[6];
  options.compile_workers = 2;
  std::signal(SIGTERM, [](int) { stop_requested = true; });
  const auto progress = [](const Progress& p) { std::cout << p.phase << " " << p.done << "/" << p.total << std::endl; };
  const auto result = run_session(kernel, test::toy_problem(kernel), options, progress, stop_requested);
  if (!result) {
    std::cout << "error " << result.error().message << std::endl;
    return static_cast<int>(result.error().kind);
  }
  std::cout << "end " << (result->interrupted ? "interrupted" : "finished") << " " << result->best.config << std::endl;
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  warptune::register_backend("toy", warptune::test::make_toy_backend);
  if (argc > 1 && std::strcmp(argv[1], "__worker") == 0)
    return warptune::worker_main(argc, argv, warptune::make_backend);
  if (argc == 7 && std::strcmp(argv[1], "session") == 0) return run(argv);
  std::cerr << "test_worker is started by tests\n";
  return 2;
}
