// Packs of one operator as `pack` would make them, over a stand-in for the driver.
#pragma once

#include "db/pack_writer.h"
#include "plan/program_key.h"
#include "support/fake_cuda.h"
#include "support/request_of.h"
#include "support/use_fake_cuda.h"
#include "unit/runtime/fixture.h"

#include <cstdlib>

namespace warptune::test {

// A source that the compiler accepts; the stand-in for the driver does not run it.
inline constexpr const char* kSource = R"(
template <class T, int WIDTH, bool EVEN> __global__ void blend(const T*, T*, float, long long) {}
template <class T, int WIDTH> __global__ void blend_part(const T*, float*, int*, const T*, float, long long) {}
__global__ void blend_rest(const float*, const int*, float*, long long) {}
)";

class RuntimePack : public testing::Test {
 protected:
  RuntimePack() : spec_(must(parse_spec(kBlendSpec, "blend"))), record_(blend_record()) {
    setenv("XDG_CACHE_HOME", dir_.path().c_str(), 1);
    setenv("WARPTUNE_PROGRAM", cli().c_str(), 1); // this program compiles sources that did not come with the library
    static std::uintptr_t contexts = 0x7000; // a new context each time, because modules stay loaded in their context
    fake_set_context(reinterpret_cast<void*>(contexts += 0x100));
    record_.files.front().second = kSource;
    record_ = with_own_hash(std::move(record_));
  }

  CubinRecord program(const std::string& shape, const std::string& config) const {
    const CompileRequest request =
        must(request_of(spec_, SourceFiles{record_.files}, must(make_problem(spec_, shape, "", {})),
                        must(parse_config(spec_, config)), fake_device()));
    return {program_key(request), "sm_90a", "fake " + config,
            std::vector<std::string>(request.name_expressions.size(), config)};
  }

  // Writes a pack in which n=1024 was tuned. The cubin of n=1024 has the name that `pack` gives it without compiling.
  // The pack holds only `programs`.
  std::string write(const char* config, std::vector<CubinRecord> programs) const {
    PackContent content;
    content.values = {{"licence", "none"}};
    content.devices = {fake_device()};
    content.kernels = {record_};
    PackedShape shape;
    shape.session.kernel = "blend";
    shape.session.source_hash = record_.source_hash;
    shape.session.problem = "n=1024;fp32;mode=plain";
    shape.session.device_backend = fake_device().backend;
    shape.session.device_name = fake_device().name;
    shape.session.device_uuid = fake_device().uuid;
    shape.session.arch = "sm_90a";
    shape.session.strategy = "exhaustive";
    shape.version = "0.1.0";
    shape.started_at = shape.ended_at = "2026-01-01T00:00:00Z";
    shape.best.kernel = "blend";
    shape.best.config = config;
    shape.best.median_us = 10;
    shape.best.default_us = 25;
    shape.best.certified = true;
    shape.best.cubin_hash = program("n=1024", config).hash;
    content.shapes = {shape};
    content.cubins = std::move(programs);
    const std::filesystem::path path = dir_ / "ops.wtpack";
    must(write_pack(path, content));
    return path.string();
  }

  TempDir dir_;
  KernelSpec spec_;
  KernelRecord record_;
};

} // namespace warptune::test
