// roofs: shows a device's measured and theoretical roofs. Measures them if the database has none that are current.
#include "cli/command.h"
#include "cli/database_file.h"
#include "cli/device_choice.h"
#include "cli/help_text_results.h"
#include "cli/json_output.h"
#include "cli/output.h"
#include "cli/roof_rows.h"
#include "cli/sanitize.h"
#include "core/device.h"
#include "db/writer.h"
#include "tuner/stale_roofs.h"
#include "worker/device_worker.h"

#include <chrono>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace warptune::cli {
namespace {

using nlohmann::json;

struct RoofsArgs {
  std::string device = "auto", db;
  bool remeasure = false, json = false;
};

void show(const std::vector<DeviceInfo>& devices, bool measured_now, const std::string& why, const RoofsArgs& options) {
  if (options.json) {
    json all = json::array();
    for (const DeviceInfo& device : devices) {
      all.push_back(roofs_json(device));
      all.back()["measured_at"] = or_null(device.roofs.measured_at);
    }
    print_json({{"measured_now", measured_now}, {"why", why}, {"devices", all}});
    return;
  }
  for (const DeviceInfo& device : devices) {
    print("{}\n", roofs_text(device, terminal_width(1)));
    const std::string& at = device.roofs.measured_at;
    if (!measured_now) print("Measured {}.\n", at.empty() ? "at an unknown time" : sanitize(at));
  }
  print("{}\n", why);
}

// Measures in a worker process, like everything that opens a device.
Result<DeviceInfo> measure(const std::string& name) {
  DeviceWorker worker({{}, name, {}});
  auto device = worker.describe();
  if (!device) return device;
  WT_TRY(auto roofs, worker.measure_roofs());
  device->roofs = roofs;
  return device;
}

Result<void> store(const DeviceInfo& device, const std::filesystem::path& path) {
  WT_TRY(auto writer, Writer::open(path));
  WT_CHECK(writer.put_device(device));
  return writer.put_roofs(device, device.roofs);
}

// Shows all stored roofs if there is nothing to measure.
Result<int> show_stored(const std::string& reason, const Reader* database, const RoofsArgs& options) {
  std::vector<DeviceInfo> known;
  if (database == nullptr && !options.db.empty()) WT_CHECK(Reader::open(options.db)); // says that there is none
  if (database != nullptr) {
    WT_TRY(auto stored, database->devices());
    for (DeviceInfo& one : stored)
      if (one.roofs.measured) known.push_back(std::move(one));
  }
  if (known.empty())
    return fail(ErrorKind::no_device,
                fmt::format("{}, and {}; run `warptune roofs` on a machine with a GPU, then add that machine's "
                            "database to this one with `warptune merge`",
                            reason,
                            database == nullptr
                                ? fmt::format("there is no database {}", database_path(options.db).string())
                                : "the database has no measured roofs"));
  show(known, false, fmt::format("Not measured now, because {}.", reason), options);
  return 0;
}

Result<int> run_roofs(const RoofsArgs& options) {
  const auto path = database_path(options.db);
  WT_TRY(auto reader, open_if_present(path));
  const Reader* database = reader ? &*reader : nullptr;
  if (is_recorded_device(options.device))
    return show_stored("--device recorded only shows stored roofs", database, options);
  auto device = find_cuda_device(options.device);
  if (!device && device.error().kind == ErrorKind::no_device && options.device == "auto" && !options.remeasure)
    return show_stored("this machine has no GPU", database, options);
  WT_CHECK(device);

  std::string why = "no roofs were stored";
  if (database != nullptr) {
    WT_TRY(auto stored, database->roofs(device->uuid));
    if (stored) {
      device->roofs = *stored;
      const std::string stale = why_stale(*stored, *device, std::chrono::system_clock::now());
      why = stale.empty() ? "" : "the stored roofs " + stale;
    }
  }
  if (options.remeasure) why = "--remeasure was given";
  if (why.empty()) {
    show({*device}, false,
         "Not measured again: the driver is the same, and the roofs are less than 30 days old; use --remeasure to "
         "measure them again.",
         options);
    return 0;
  }
  reader = std::nullopt; // so that the writer closes the database last, which removes its log
  WT_TRY(auto measured, measure(options.device));
  WT_CHECK(store(measured, path));
  show({measured}, true, fmt::format("Measured now and stored, because {}.", why), options);
  return 0;
}

} // namespace

void add_roofs(Command& app, Invocation& invocation) {
  auto options = std::make_shared<RoofsArgs>();
  Command* command = add_command(
      app, "roofs", "Measure the roofs (highest rates) of a GPU, and show the theoretical ones too", kRoofsHelp);
  command->alias("peaks"); // its former name; help does not show it
  command->add_option("--device", options->device, "auto, cuda:N, or recorded (shows stored roofs, measures nothing)")
      ->type_name("DEVICE");
  command->add_flag("--remeasure", options->remeasure, "Measure even if the stored roofs are current");
  add_db_option(*command, options->db);
  add_json_flag(*command, options->json);
  command->callback([options, &invocation] { invocation.run = [options] { return run_roofs(*options); }; });
}

} // namespace warptune::cli
