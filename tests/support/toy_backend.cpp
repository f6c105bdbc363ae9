#include "support/toy_backend.h"

#include "cuda/static_checks.h"
#include "spec/config.h"
#include "support/toy.h"
#include "worker/worker_process.h"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <iostream>
#include <map>
#include <signal.h>
#include <sstream>
#include <stdexcept>
#include <unistd.h>
#include <utility>
#include <vector>

namespace warptune::test {
namespace {

struct Fault {
  std::string phase, action, config, when;
  bool once = false;
};

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> parts;
  std::stringstream in(text);
  for (std::string part; std::getline(in, part, by);) parts.push_back(part);
  return parts;
}

class ToyBackend final : public Backend {
 public:
  ToyBackend(const std::string& faults, std::filesystem::path cache) : cache_(std::move(cache)) {
    for (const std::string& text : split(faults, ';')) {
      auto parts = split(text, '/');
      if (parts.size() < 2) throw std::invalid_argument("not PHASE/ACTION/CONFIG: " + text);
      Fault fault{parts[0], parts[1], parts.size() > 2 ? parts[2] : "", "", false};
      if (const auto when = fault.action.find(" when "); when != std::string::npos) {
        fault.when = fault.action.substr(when + 6);
        fault.action.erase(when);
      }
      if (fault.action.rfind("once ", 0) == 0) {
        fault.once = true;
        fault.action.erase(0, 5);
      }
      faults_.push_back(std::move(fault));
    }
  }

  Result<void> set_kernel(const ProblemSetup& setup) override {
    setup_ = setup;
    if (const std::string what = misbehave("set_kernel"); what == "error")
      return fail(ErrorKind::bad_input, "the kernel is unloved");
    return {};
  }
  Result<DeviceInfo> device() override {
    const std::string what = misbehave("device");
    if (what == "error") return fail(ErrorKind::no_device, "there is no toy");
    DeviceInfo device = toy_device();
    if (what.rfind("uuid ", 0) == 0) device.uuid = what.substr(5);
    if (what.rfind("cuda ", 0) == 0) { // pretends to be a device of the driver
      device.backend = "cuda";
      device.name = what.substr(5);
      device.uuid = "GPU-77";
    }
    if (what.rfind("library ", 0) == 0) device.compiler += "; " + what.substr(8);
    return device;
  }
  Result<Roofs> measure_roofs() override {
    if (misbehave("device") == "error") return fail(ErrorKind::no_device, "there is no toy");
    return toy_device().roofs;
  }
  Result<void> open(const ProblemSetup& setup) override {
    setup_ = setup;
    const std::string what = misbehave("open");
    if (what == "error") return fail(ErrorKind::no_device, "out of device memory: 3 GiB wanted, 1 GiB free");
    return {};
  }

  Compiled compile(const Config& config, const DeviceInfo& device, double timeout_s) override {
    const std::string what = misbehave("compile", &config);
    if (what == "fail") return {TrialStatus::compile_failed, "kernel.cu(7): error: expected a ';'", {}, {}, 5};
    if (what == "complain") { // a long message of two-byte characters, none of which ends at a round number
      std::string evidence = "x";
      for (int i = 0; i < 2000; ++i) evidence += "\u00e4";
      return {TrialStatus::compile_failed, evidence, {}, {}, 5};
    }
    if (setup_.kernel.spec.implementation(config).build) return build(config, device, timeout_s);
    Compiled compiled;
    compiled.resources = toy_trial(config).resources;
    return compiled;
  }

  std::vector<std::string> notes() const override {
    std::vector<std::string> all;
    for (const Fault& fault : faults_)
      if (fault.phase == "note") all.push_back(fault.action);
    return all;
  }

  Evaluation evaluate(const Config& config, const Compiled&, const MeasureOptions& options) override {
    count_evaluation();
    std::string what = misbehave("evaluate", &config);
    if (what == "fatal") is_broken_ = true;
    if (is_broken_) what = "fatal"; // like a CUDA context after a fault
    Trial trial = toy_trial(config);
    if (what == "wrong" || what == "fatal") {
      trial.status = what == "wrong" ? TrialStatus::wrong_result : TrialStatus::launch_failed;
      trial.evidence = what == "wrong" ? "y[3] is 7, expected 2" : "illegal address";
      trial.timing.reset(), trial.verdict.reset();
    }
    if (what == "repeat options") { // repeats the request
      trial.timing->sm_clock_mhz = options.settle_ms;
      trial.timing->cold_l2 = options.cold_l2;
    }
    if (what == "race")
      trial.timing->complete = options.drop_above_us <= 0 || trial.timing->median_us <= options.drop_above_us;
    return {std::move(trial), what == "fatal"};
  }

  Result<Round> round(const std::vector<Config>& configs, const std::vector<Compiled>&, const std::vector<float>&,
                      bool) override {
    Round round;
    ++rounds_;
    round.device.sm_clock_mhz = 1980 - 15.0 * static_cast<double>(rounds_ % 8);
    round.device.power_w = 695;
    for (const Config& config : configs) {
      // Like a real device, which checks the first launch of each.
      const bool turned = has_turned_wrong(config) && launches_[config] == 1;
      const std::string what = turned ? "wrong" : misbehave("round", &config);
      if (what == "error") return fail(ErrorKind::internal, "the launch failed");
      if (what == "throttle") round.device.throttle_reasons |= 0x20;
      if (what == "power cap") round.device.throttle_reasons |= 0x4;
      round.wrong.push_back(what == "wrong" ? "y[3] is 7, expected 2" : "");
      const double slowdown = what == "slow" ? 2 : 1;
      round.samples_us.push_back(static_cast<float>(slowdown * toy_time_us(config, 1000 + rounds_ + setup_.seed)));
    }
    return round;
  }

  Result<Profiles> profile(const std::vector<Config>& configs, const std::vector<Compiled>&, const std::string& metrics,
                           bool cold_l2) override {
    Profiles out;
    for (const Config& config : configs) {
      const std::string what = misbehave("profile", &config);
      if (what == "error") return fail(ErrorKind::internal, "the counters are jammed");
      if (what == "denied") return Profiles{{}, {}, "the toy keeps its counters to itself"};
      out.profiles.emplace_back();
      out.evidence.emplace_back(what == "fail" ? "the launch failed" : "");
      if (what != "fail")
        out.profiles.back() = Profile{{{metrics, toy_time_us(config, 1)}}, "toy counters", 1, cold_l2};
    }
    return out;
  }

  Result<Verdict> verify_once_more(const Config& config, const Compiled&) override {
    const std::string what = misbehave("verify", &config);
    if (what == "error") return fail(ErrorKind::internal, "the launch failed");
    Verdict verdict;
    verdict.correct = !has_turned_wrong(config) && what != "wrong";
    if (!verdict.correct) verdict.detail = "y[7] is 5, expected 2";
    return verdict;
  }

  Result<Power> measure_power(const Config& config, const Compiled&, double window_s) override {
    const std::string what = misbehave("power", &config);
    if (what == "error") return fail(ErrorKind::internal, "the launch failed");
    if (what == "unknown") return Power{{}, "the toy has no meter"};
    return Power{toy_power(config, 1000 + ++readings_, window_s), {}};
  }

  Result<Verdict> check(const Config& config, const Problem&, std::uint64_t) override {
    Verdict verdict;
    verdict.correct = misbehave("check", &config) != "wrong";
    if (!verdict.correct) verdict.detail = "y[5] is 9, expected 2";
    return verdict;
  }

  // One instruction, with the given time and cache state.
  Result<Samples> sample(const Config& config, const Compiled&, double us, bool cold_l2) override {
    const std::string fault = misbehave("sample", &config);
    if (fault == "error") return fail(ErrorKind::no_candidate, "the toy failed while it was sampled");
    if (fault == "unavailable") return Samples{{}, "the toy has no instructions"};
    PcSamples samples;
    samples.instructions.push_back(
        {"toy", 16, "/somewhere/toy.cu", setup_.line_info ? 2 : 0, {{cold_l2 ? "cold" : "warm", 3}}, {}});
    samples.launches = static_cast<std::int64_t>(us);
    return Samples{std::move(samples), {}};
  }

  Result<Samples> count_instructions(const Config& config, const Compiled&) override {
    const std::string fault = misbehave("count", &config);
    if (fault == "error") return fail(ErrorKind::internal, "the toy failed while it was counted");
    if (fault == "unavailable") return Samples{{}, "the toy cannot be patched"};
    PcSamples counted;
    const std::int64_t line = setup_.line_info ? 3 : 0;
    for (const std::int64_t offset : {16, 32})
      counted.instructions.push_back({"toy", offset, "/somewhere/toy.cu", line, {}, {}, {10 * offset}});
    return Samples{std::move(counted), {}};
  }

  // The action may name an examination: examine/wrong nan.
  Result<Verdict> examine(const Config& config, const Compiled&, Examination what) override {
    const std::string fault = misbehave("examine", &config), name(name_of(what).name);
    if (fault == "error " + name) return fail(ErrorKind::bad_input, "the reference has no value there");
    if (fault == "crash " + name) misbehave("crash", &config);
    Verdict verdict;
    verdict.correct = fault != "wrong " + name;
    if (!verdict.correct) verdict.detail = "y[4] is 3, expected 2";
    if (what == Examination::offset) verdict.detail = verdict.correct ? "the toy has no buffers" : verdict.detail;
    return verdict;
  }

 private:
  // Like a real backend.
  Compiled build(const Config& config, const DeviceInfo& device, double timeout_s) const {
    const Kernel& kernel = setup_.kernel;
    const auto plan = make_plan(kernel.spec, setup_.problem, config, device);
    if (!plan) return {TrialStatus::invalid, plan.error().message, {}, {}, 0};
    auto request = make_compile_request(kernel.spec, kernel.sources, setup_.problem, config, device, *plan);
    if (!request) return {TrialStatus::invalid, request.error().message, {}, {}, 0};
    set_builder(*request, setup_.builders);
    Prescreen prescreen;
    return compile_checked(CubinCache(cache_), prescreen, *plan, *request, device.limits, timeout_s);
  }

  // Counts a launch.
  bool has_turned_wrong(const Config& config) {
    const int launch = ++launches_[config];
    const std::string what = misbehave("launch", &config);
    return what.rfind("wrong after ", 0) == 0 && launch > std::stoi(what.substr(12));
  }

  // Appends a byte to one file for all runs: it shows how often a resumed session evaluated again.
  void count_evaluation() const {
    const int fd = ::open((cache_ / "evaluations").c_str(), O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0644);
    if (fd < 0) return;
    [[maybe_unused]] const auto written = ::write(fd, ".", 1);
    ::close(fd);
  }

  // Selects the answer; faults of the process itself happen here.
  std::string misbehave(const std::string& phase, const Config* config = nullptr) {
    const std::string text = config ? config_text(setup_.kernel.spec, *config) : "";
    for (const Fault& fault : faults_) {
      if (fault.phase != phase || (!fault.config.empty() && fault.config != text)) continue;
      if (!fault.when.empty() && !std::filesystem::exists(cache_ / fault.when)) continue;
      if (fault.once) {
        const auto marker = cache_ / ("happened_" + phase + fault.action + fault.config);
        const int fd = ::open(marker.c_str(), O_CREAT | O_EXCL | O_WRONLY, 0644);
        if (fd < 0) continue;
        ::close(fd);
      }
      if (fault.action == "segv") ::signal(SIGSEGV, SIG_DFL), ::raise(SIGSEGV);
      if (fault.action == "sigkill") ::raise(SIGKILL);
      if (fault.action == "exit") ::_exit(42);
      if (fault.action == "throw") throw std::runtime_error("the backend threw");
      if (fault.action == "hang")
        while (true) ::pause();
      if (fault.action == "wait") { // until the test creates a file that makes it crash
        while (!std::filesystem::exists(cache_ / "crash")) ::usleep(1000);
        ::signal(SIGSEGV, SIG_DFL), ::raise(SIGSEGV);
      }
      if (fault.action == "talk") {
        for (int i = 0; i < 20000; ++i) std::cout << "chatter " << i << "\n";
        std::cout << "the last words" << std::endl;
        std::abort();
      }
      if (fault.action == "garbage") {
        [[maybe_unused]] auto n = ::write(kWorkerFd, "\x05\0\0\0hello", 9);
      }
      if (fault.action == "flood") {
        [[maybe_unused]] auto n = ::write(kWorkerFd, "\xff\xff\xff\xff too much", 13);
      }
      return fault.action;
    }
    return {};
  }

  std::filesystem::path cache_;
  std::vector<Fault> faults_;
  ProblemSetup setup_;
  std::map<Config, int> launches_; // numbers of launches of finalists
  std::uint64_t rounds_ = 0, readings_ = 0;
  bool is_broken_ = false;
};

} // namespace

Result<std::unique_ptr<Backend>> make_toy_backend(const std::string& faults, const std::string& cache_directory) {
  return std::make_unique<ToyBackend>(faults, cache_directory);
}

} // namespace warptune::test
