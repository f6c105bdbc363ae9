// Measures the library's memory for a pack whose kernels are used one after another: pack_memory [KERNELS] [BYTES].
// Makes a synthetic pack of that many kernels, with ten tuned shapes and a cubin of that many bytes each. It uses the
// stand-in for the driver, so only the library makes the heap grow; a real driver's memory for each cubin is extra.
#include "db/pack_writer.h"
#include "plan/program_key.h"
#include "support/fake_cuda.h"
#include "support/paths.h"
#include "support/request_of.h"
#include "unit/runtime/fixture.h"

#include <cstdio>
#include <cstdlib>
#include <malloc.h>

namespace {

using namespace warptune;
using test::must;

constexpr const char* kConfig = "WIDTH=4,SPLIT=1";

double heap_mb() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd) * 1e-6;
}

std::string name_of(int kernel) { return "blend" + std::to_string(kernel); }

PackContent synthetic(int kernels, std::size_t bytes) {
  PackContent content;
  content.values = {{"licence", "none"}};
  const DeviceInfo device = test::fake_device();
  content.devices = {device};
  for (int k = 0; k < kernels; ++k) {
    KernelRecord record = test::blend_record("hash" + std::to_string(k));
    record.name = name_of(k);
    record.files.front().second += "// " + record.name + "\n";
    std::string& text = record.files.back().second;
    text.replace(text.find("\"blend\""), 7, "\"" + record.name + "\"");
    const KernelSpec spec = must(parse_spec(text, record.name));
    const CompileRequest request =
        must(test::request_of(spec, SourceFiles{record.files}, must(make_problem(spec, "n=1024", "", {})),
                              must(parse_config(spec, kConfig)), device));
    std::string image = "fake " + record.name;
    while (image.size() < bytes) image += static_cast<char>(image.size() * 31 + static_cast<std::size_t>(k));
    content.cubins.push_back({program_key(request), device.arch, std::move(image), {record.name}});
    for (int i = 1; i <= 10; ++i) {
      PackedShape shape;
      shape.session.kernel = record.name;
      shape.session.source_hash = record.source_hash;
      shape.session.problem = "n=" + std::to_string(1024 * i) + ";fp32;mode=plain";
      shape.session.device_backend = device.backend;
      shape.session.device_name = device.name;
      shape.session.device_uuid = device.uuid;
      shape.session.arch = device.arch;
      shape.best.config = kConfig;
      shape.best.median_us = shape.best.default_us = 10;
      shape.best.cubin_hash = content.cubins.back().hash;
      content.shapes.push_back(std::move(shape));
    }
    content.kernels.push_back(std::move(record));
  }
  return content;
}

void run(int kernels, std::size_t bytes) {
  const test::TempDir dir;
  must(write_pack(dir / "many.wtpack", synthetic(kernels, bytes)));
  fake_set_context(reinterpret_cast<void*>(0x1000));
  const double before = heap_mb();
  const test::LibraryHandle library = test::open_library(dir / "many.wtpack");
  std::printf("opened: %.2f MB of heap\n", heap_mb() - before);
  for (int used = 1, report = 1; used <= kernels; ++used) {
    const wt_kernel* kernel = test::find_kernel(library, name_of(used - 1).c_str());
    const std::int64_t n = 1024;
    const wt_operation* operation = nullptr;
    if (wt_select(kernel, &n, 1, 0, nullptr, &operation) != WT_OK) throw std::runtime_error(wt_last_error());
    if (used != report && used != kernels) continue;
    const double programs = static_cast<double>(bytes) * used * 1e-6, kept = heap_mb() - before;
    std::printf("%5d programs used, %.2f MB: %.2f MB of heap, %.2f times as much\n", used, programs, kept,
                kept / programs);
    report *= 10;
  }
}

} // namespace

int main(int argc, char** argv) {
  setenv("WARPTUNE_LIBCUDA", (test::program_dir() / "libwt_fake_cuda.so").c_str(), 1);
  try {
    run(argc > 1 ? std::max(1, std::atoi(argv[1])) : 1000,
        argc > 2 ? std::max(64UL, std::strtoul(argv[2], nullptr, 10)) : 40960);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "pack_memory: %s\n", error.what());
    return 1;
  }
}
