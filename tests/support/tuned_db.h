// A database with tuned shapes of the kernel `scale` or of another kernel, and with a stand-in for each cubin, as
// packing needs them. It is made without a GPU and without a compiler.
#pragma once

#include "db/writer.h"
#include "jit/compiler.h"
#include "jit/template_store.h"
#include "plan/plan.h"
#include "spec/config.h"
#include "support/paths.h"
#include "support/request_of.h"

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

namespace warptune::test {

inline constexpr const char* kTestCompiler = "NVRTC 0.0";

class TunedDb {
 public:
  explicit TunedDb(const std::filesystem::path& file)
      : TunedDb(file, value(TemplateStore({data_dir() / "specs"}).load("scale")), h200_device()) {}
  TunedDb(const std::filesystem::path& file, Kernel kernel, DeviceInfo device)
      : kernel_(std::move(kernel)), device_(std::move(device)), writer_(value(Writer::open(file))) {
    device_.compiler = kTestCompiler;
    device_.driver = "1.0";
    value(writer_.put_device(device_));
    value(writer_.put_kernel({0, kernel_.spec.name, kernel_.source_hash, kernel_.sources.files}));
  }

  const Kernel& kernel() const { return kernel_; }
  const DeviceInfo& device() const { return device_; }
  Writer& writer() { return writer_; }
  // Sets the text about builders that later sessions store after the compiler's name: "; nvcc: 12.6". The builders make
  // no cubins.
  void set_builders(const std::string& text) { builders_ = text; }
  void set_cold_l2(bool cold) { cold_l2_ = cold; } // for later sessions
  static std::string config(int threads, int vec) {
    return "THREADS=" + std::to_string(threads) + ",VEC=" + std::to_string(vec);
  }
  static constexpr const char* kDefault = "THREADS=128,VEC=1"; // the default of `scale`
  static constexpr double kFloorUs = 4;                        // lower bound that the roofs give for each shape

  // Adds a finished session: `us` of each configuration, with intervals of +-1 %. `winner` is the result of the finals.
  RowId add(const std::string& shape, const std::map<std::string, double>& us, const std::string& winner,
            bool certified = true, const std::string& dtype = "fp32") {
    const Problem problem = value(make_problem(kernel_.spec, shape, dtype, {}));
    SessionIdentity identity{kernel_.spec.name,
                             kernel_.source_hash,
                             problem_key(kernel_.spec, problem),
                             "cuda",
                             device_.name,
                             device_.uuid,
                             device_.arch,
                             device_.driver,
                             device_.compiler + builders_,
                             "exhaustive",
                             "",
                             0,
                             cold_l2_,
                             Objective::time};
    const RowId session = value(writer_.begin_session(identity, static_cast<std::int64_t>(us.size()), "0.1"));
    std::int64_t index = 0;
    for (const auto& [config, time] : us) {
      Trial trial;
      trial.config = value(parse_config(kernel_.spec, config));
      trial.index = index++;
      trial.status = TrialStatus::ok;
      trial.timing = Timing{time, time * 0.99, time * 1.01, time * 0.98, 0.01, {}, cold_l2_, true, 1980, 40, 300};
      value(writer_.record(session, config, trial));
      put_program(problem, trial.config);
    }
    BestRecord best;
    best.session = session;
    best.config = winner;
    const std::string standard = config_text(kernel_.spec, default_config(kernel_.spec));
    best.default_config = standard;
    best.median_us = us.at(winner);
    best.ci_low_us = best.median_us * 0.99;
    best.ci_high_us = best.median_us * 1.01;
    best.default_us = us.count(standard) != 0 ? us.at(standard) : 0;
    best.roofline_share = kFloorUs / best.median_us;
    best.certified = certified;
    best.p_value = 0.001;
    best.outcome = certified ? "faster (p = 0.001)" : "too few rounds";
    best.tie_set = {winner};
    best.created_at = "2026-01-02T03:04:05Z";
    value(writer_.put_best(best));
    value(writer_.end_session(session, SessionState::finished));
    return session;
  }

  // Adds shapes with three configurations each, of which the widest wins; fuzzers change them.
  void add_each(std::initializer_list<const char*> shapes) {
    const std::string wide = config(256, 4);
    for (const char* shape : shapes) add(shape, {{kDefault, 10}, {wide, 5}, {config(64, 2), 7}}, wide);
  }

  void put_program(const Problem& problem, const Config& config) {
    const CompileRequest request = value(request_of(kernel_.spec, kernel_.sources, problem, config, device_));
    if (request.name_expressions.empty()) return; // only library calls
    std::string image = "fake program of " + request.name_expressions.front() + ": _Z5scale\n";
    for (int i = 0; image.size() < 9000; ++i) image += static_cast<char>(i * 7 + i / 256);
    value(writer_.put_cubin({compile_key(request, kTestCompiler), device_.arch, std::move(image),
                             std::vector<std::string>(request.name_expressions.size(), "_Z5scale")}));
  }

  template <class T> static T value(Result<T> result) {
    if (!result) throw std::runtime_error(result.error().message);
    if constexpr (!std::is_void_v<T>) return std::move(*result);
  }

 private:
  Kernel kernel_;
  DeviceInfo device_;
  std::string builders_;
  bool cold_l2_ = true;
  Writer writer_;
};

inline std::string read_bytes(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
inline void write_bytes(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

} // namespace warptune::test
