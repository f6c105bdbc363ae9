// import: converts recorded spaces of other tuners to warptune's recordings, or to another tuner's format.
#include "cli/command.h"
#include "cli/help_text_results.h"
#include "cli/json_output.h"
#include "cli/output.h"
#include "cli/overwrite.h"
#include "cli/sanitize.h"
#include "cli/space_format.h"
#include "cli/units.h"
#include "core/device_table.h"
#include "core/text.h"
#include "interchange/recorded_row.h"
#include "recording/recorded_space_file.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace warptune::cli {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

struct ImportArgs {
  std::vector<std::string> inputs;
  std::string output, format = "recording", kernel, problem, device, arch;
  bool force = false, json = false;
};

// With several inputs, or a folder as output, each output file keeps its input's name.
fs::path output_of(const ImportArgs& o, const fs::path& input, bool several) {
  std::error_code ec;
  const bool folder = several || o.output.ends_with('/') || fs::is_directory(o.output, ec);
  return folder ? fs::path(o.output) / (space_name(input) + ".json") : fs::path(o.output);
}

// One output for each of `files`. No output is one of `files`, and all outputs differ.
Result<std::vector<fs::path>> plan_outputs(const ImportArgs& o, SpaceFormat format,
                                           const std::vector<fs::path>& files) {
  std::vector<fs::path> outputs;
  for (const fs::path& file : files) {
    fs::path output = output_of(o, file, files.size() > 1);
    WT_CHECK(refuse_overwriting(output, files));
    WT_CHECK(refuse_replacing(output, files_of(format), o.force));
    if (const auto same = std::find(outputs.begin(), outputs.end(), output); same != outputs.end())
      return fail(ErrorKind::bad_input, fmt::format("{} and {} would both be written to {}; import them one by one",
                                                    files[static_cast<std::size_t>(same - outputs.begin())].string(),
                                                    file.string(), output.string()));
    outputs.push_back(std::move(output));
  }
  return outputs;
}

Result<DeviceInfo> device_for(const ImportArgs& o, SpaceFormat format) {
  if (o.arch.empty()) return DeviceInfo{};
  if (format != SpaceFormat::recording)
    return fail(ErrorKind::bad_input, "--arch is only for --format recording, because the other formats do not store "
                                      "the limits of an architecture; remove --arch");
  if (const auto device = device_of_arch_or_gpu(o.arch)) return *device;
  return fail(ErrorKind::bad_input,
              fmt::format("unknown architecture {}{}", quote(o.arch), suggest_name(o.arch, known_archs())));
}

Result<int> run_import(const ImportArgs& o) {
  WT_TRY(auto format, parse_space_format(o.format, true));
  WT_TRY(const auto device, device_for(o, format));
  WT_TRY(auto files, find_space_files(o.inputs));
  WT_TRY(const auto targets, plan_outputs(o, format, files));
  json written = json::array();
  for (std::size_t i = 0; i < files.size(); ++i) {
    const fs::path &file = files[i], &target = targets[i];
    WT_TRY(auto space, load_recorded_space(file));
    if (format == SpaceFormat::recording && o.arch.empty())
      space.notes.emplace_back(
          "without --arch, the recording lacks the device's limits: `replay` can use it, `tune` cannot");
    if (!o.kernel.empty()) space.kernel = o.kernel;
    if (!o.device.empty()) space.device = o.device;
    if (!o.problem.empty()) space.problem = json_text(o.problem);
    WT_CHECK(write_space(space, format, target, device));
    if (o.json) {
      written.push_back({{"input", file.string()},
                         {"read_as", space.format},
                         {"file", target.string()},
                         {"configurations", space.space.size()},
                         {"notes", space.notes}});
      continue;
    }
    print("{}: {} of {}, read as {}\n", sanitize(target.string()), count_text(space.space.size(), "configuration"),
          sanitize(file.string()), space.format);
    print_notes(space.notes);
  }
  if (o.json) print_json({{"format", o.format}, {"files", written}});
  return 0;
}

} // namespace

void add_import(Command& app, Invocation& invocation) {
  auto options = std::make_shared<ImportArgs>();
  Command* command = add_command(app, "import", "Convert recordings of other tuners", kImportHelp);
  command->add_option("FILE", options->inputs, "Kernel Tuner caches, T4 files, or folders of them")
      ->required()
      ->type_name("");
  command->add_option("-o,--output", options->output, "The output file; for several inputs, a folder")
      ->required()
      ->type_name("FILE");
  command->add_option("--format", options->format, "recording (default), kernel-tuner (a cache) or t4")
      ->type_name("FORMAT");
  command->add_option("--kernel", options->kernel, "The kernel's name; default: the name in the file")
      ->type_name("NAME");
  command
      ->add_option("--problem", options->problem,
                   "The problem, such as 'n=1024;fp32'; default: the problem in the file")
      ->type_name("KEY");
  command->add_option("--device", options->device, "The device's name; default: the name in the file")
      ->type_name("NAME");
  command
      ->add_option("--arch", options->arch,
                   "The device's architecture, such as sm_80; `tune` takes the device's limits from it")
      ->type_name("ARCH");
  command->add_flag("--force", options->force, kForceHelp);
  add_json_flag(*command, options->json);
  command->callback([options, &invocation] { invocation.run = [options] { return run_import(*options); }; });
}

} // namespace warptune::cli
