#include "cli/common.h"

#include "cli/output.h"
#include "cli/sanitize.h"
#include "core/device_table.h"
#include "core/text.h"
#include "db/learned_rule.h"
#include "db/writer.h"
#include "gpu/devices.h"
#include "plan/plan.h"
#include "plan/program_key.h"
#include "recording/recording.h"
#include "search/strategy.h"
#include "spec/size_list.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>

namespace warptune::cli {
namespace {

namespace fs = std::filesystem;

// Sizes that the source fixes need not be given.
std::string without_fixed(const KernelSpec& spec, const std::string& shape) {
  std::string text;
  for (const std::string_view item : split_sizes(shape)) {
    const std::string_view name = item.substr(0, item.find('='));
    const bool fixed =
        std::any_of(spec.dims.begin(), spec.dims.end(), [&](const Dim& d) { return d.is_fixed && d.name == name; });
    if (!fixed) text += (text.empty() ? "" : ",") + std::string(item);
  }
  return text;
}

std::string example_shape(const KernelSpec& spec) {
  std::string example;
  const auto suite = spec.suites.find("default");
  if (suite != spec.suites.end() && !suite->second.empty()) {
    const SuiteEntry& entry = suite->second.front();
    example =
        ", for example --shape " + quote_for_shell(without_fixed(spec, shape_text(spec, entry.shape, entry.lists)));
  }
  return shape_form(spec) + example;
}

// Devices of the database, one of each name: replayed and measured rows of a GPU have the same limits.
Result<std::vector<DeviceInfo>> stored_devices(const Reader* reader) {
  std::vector<DeviceInfo> distinct;
  if (reader == nullptr) return distinct;
  WT_TRY(auto devices, reader->devices());
  for (DeviceInfo& device : devices) {
    const bool seen =
        std::any_of(distinct.begin(), distinct.end(), [&](const DeviceInfo& d) { return d.name == device.name; });
    if (!seen) distinct.push_back(std::move(device));
  }
  return distinct;
}

std::vector<std::string> names_of(const std::vector<DeviceInfo>& devices) {
  std::vector<std::string> names;
  names.reserve(devices.size());
  for (const DeviceInfo& device : devices) names.push_back(device.name);
  return names;
}

// "H200" is in "NVIDIA H200", "H20" is not.
bool has_words(const std::string& text, const std::string& words) {
  const auto ends_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; };
  for (const char* at = text.c_str(); !words.empty() && (at = ::strcasestr(at, words.c_str())) != nullptr; ++at)
    if ((at == text.c_str() || ends_word(at[-1])) && (at[words.size()] == 0 || ends_word(at[words.size()])))
      return true;
  return false;
}

Result<DeviceInfo> device_by_name(const std::string& name, const std::vector<DeviceInfo>& stored) {
  std::vector<const DeviceInfo*> similar;
  for (const DeviceInfo& device : stored) {
    if (::strcasecmp(device.name.c_str(), name.c_str()) == 0) return device;
    if (has_words(device.name, name)) similar.push_back(&device);
  }
  if (similar.size() == 1) return *similar.front();
  if (similar.size() > 1) {
    std::vector<std::string> names;
    for (const DeviceInfo* device : similar) names.push_back(quote(device->name));
    return fail(ErrorKind::bad_input, fmt::format("--device {} may be {}; write one of these names in full",
                                                  quote(name), join_choices(names)));
  }
  if (stored.empty())
    return fail(ErrorKind::no_device,
                fmt::format("no device {}: the database knows none yet; use auto, cuda:N, recorded:PATH or "
                            "--arch sm_NN",
                            quote(name)));
  return fail(ErrorKind::no_device, fmt::format("no device {} in the database{}; --device also takes auto, cuda:N and "
                                                "recorded:PATH, and --arch sm_NN needs no "
                                                "device",
                                                quote(name), suggest_name(name, names_of(stored))));
}

// Why a pack cannot serve a configuration for this problem: applications compile nothing unless they ask for it. Of
// those that it never names (`known`) it has no programs, which spares a plan of each in a large space.
std::optional<std::string> missing_program(const Reader& pack, const Asked& asked, const std::set<Config>& known,
                                           const Config& config, const DeviceInfo& device) {
  if (known.count(config) == 0) return "the pack holds no program of it";
  const KernelSpec& spec = asked.kernel.spec;
  const auto plan = make_plan(spec, asked.problem, config, device);
  if (!plan) return plan.error().message;
  if (!plan->has_program()) return std::nullopt;
  const auto request = make_compile_request(spec, asked.kernel.sources, asked.problem, config, device, *plan);
  if (!request) return request.error().message;
  const auto cubin = pack.cubin(program_key(*request));
  if (!cubin) return cubin.error().message;
  if (!*cubin) return "the pack holds no program of it for this shape";
  return std::nullopt;
}

// Why an application that allows no calls into libraries cannot launch a configuration.
std::optional<std::string> forbidden_call(const Asked& asked, const Config& config, const DeviceInfo& device) {
  const std::vector<std::string> calls = library_calls_of(asked, config, device);
  if (calls.empty()) return std::nullopt;
  return fmt::format("it calls {}, and calls into libraries are not allowed (--allow-vendor)", calls.front());
}

// An application has no folder of the kernel: it launches what the database or pack holds.
Result<void> note_other_sources(const Reader& reader, const Kernel& kernel, std::vector<std::string>& notes) {
  WT_TRY(const auto stored, reader.kernel(kernel.spec.name));
  if (stored && stored->source_hash != kernel.source_hash)
    notes.push_back(fmt::format("an application that opens this {} launches {} from the sources stored in it, which "
                                "differ from those of {}",
                                reader.pack() ? "pack" : "database", kernel.spec.name, kernel.origin));
  return {};
}

bool vendor_is_allowed() {
  const char* chosen = std::getenv("WARPTUNE_ALLOW_VENDOR");
  return chosen != nullptr && std::string_view(chosen) == "1";
}

} // namespace

std::vector<std::string> library_calls_of(const Asked& asked, const Config& config, const DeviceInfo& device) {
  std::vector<std::string> names;
  if (asked.kernel.spec.implementation(config).library_calls.empty()) return names;
  if (const auto plan = make_plan(asked.kernel.spec, asked.problem, config, device))
    for (const LibraryCallPlan& call : plan->library_calls) names.push_back(call.name());
  return names;
}

std::string unused_include(const KernelSpec& spec, const FolderArgs& folders) {
  if (folders.include.empty() || !spec.include.empty()) return "";
  return fmt::format("--include is not used: {} has no key \"include\" that names headers of others (docs/spec.md)",
                     spec.name);
}

Result<Kernel> load_kernel(const std::string& name, const Reader* reader, std::vector<std::string>& notes,
                           const FolderArgs& folders) {
  const TemplateStore store = TemplateStore::standard(folders.include);
  auto kernel = store.load(name, folders.also);
  if (kernel)
    if (std::string note = unused_include(kernel->spec, folders); !note.empty()) notes.push_back(std::move(note));
  const bool is_path = name.find('/') != std::string::npos;
  if (kernel || reader == nullptr || is_path || !folders.also.empty()) return kernel;
  const auto shipped = store.names();
  if (std::find(shipped.begin(), shipped.end(), name) != shipped.end()) return kernel; // there, but broken
  WT_TRY(auto record, reader->kernel(name));
  if (!record) return kernel;
  WT_TRY(auto spec, spec_of(*record));
  Kernel stored;
  stored.spec = std::move(spec);
  stored.sources.files = record->files;
  stored.source_hash = record->source_hash;
  stored.origin = kFromDatabase;
  notes.push_back(fmt::format("{} is taken from the database, with the sources it was tuned from", name));
  return stored;
}

Result<Asked> load_problem(const ProblemArgs& args, const Reader* reader, std::vector<std::string>& notes) {
  WT_TRY(auto kernel, load_kernel(args.kernel, reader, notes, args.folders));
  if (args.shape.empty() && !has_fixed_shape(kernel.spec))
    return fail(ErrorKind::bad_input, fmt::format("{} needs --shape {}", kernel.spec.name, example_shape(kernel.spec)));
  WT_TRY(auto problem, make_problem(kernel.spec, args.shape, args.dtype, args.sets));
  return Asked{std::move(kernel), std::move(problem)};
}

void settle_database(const std::filesystem::path& path) {
  std::error_code ec;
  if (!std::filesystem::exists(path, ec)) return;
  const auto writer = Writer::open(path);
  if (writer && !writer->settle())
    complain(
        fmt::format("note: another program is still reading {0}, so a part of what was written is still in {0}-wal; "
                    "copy both, or make a copy with `warptune backup`",
                    path.string()));
}

Result<std::optional<Reader>> open_if_present(const fs::path& path) {
  std::error_code error;
  const bool present = fs::exists(path, error);
  if (!present && (!error || error == std::errc::no_such_file_or_directory)) return std::optional<Reader>();
  WT_TRY(auto reader, Reader::open(path));
  return std::optional<Reader>(std::move(reader));
}

fs::path recordings_of(const std::string& device) {
  const std::size_t colon = device.find(':');
  return colon == std::string::npos || colon + 1 == device.size() ? recordings_directory()
                                                                  : fs::path(device.substr(colon + 1));
}

Result<DeviceInfo> device_of_recording(const std::string& device) {
  const fs::path path = recordings_of(device);
  const auto entries = list_recordings(path);
  std::error_code none;
  if (entries.empty() && fs::is_directory(path, none))
    return fail(ErrorKind::bad_input,
                fmt::format("there is no recording in {}; `warptune record` makes them on a machine with a GPU",
                            path.string()));
  WT_TRY(auto recording, load_recording(entries.empty() ? path : entries.front().file));
  return recording.device;
}

Result<DeviceInfo> find_cuda_device(const std::string& device, std::string_view instead) {
  auto devices = list_cuda_devices();
  if (!devices) return fail(devices.error().kind, devices.error().message + std::string(instead));
  if (device.empty() || device == "auto" || device == "cuda") return devices->front();
  std::int64_t ordinal = -1;
  if (device.rfind("cuda:", 0) != 0 ||
      parse_integer(std::string_view(device).substr(5), ordinal) != IntegerError::none || ordinal < 0)
    return fail(ErrorKind::bad_input, fmt::format("{} is not a device: use auto or cuda:N", quote(device)));
  if (static_cast<std::size_t>(ordinal) >= devices->size())
    return fail(ErrorKind::no_device,
                fmt::format("no device {}: this machine has cuda:0 to cuda:{}; `warptune doctor` lists them", device,
                            devices->size() - 1));
  return (*devices)[static_cast<std::size_t>(ordinal)];
}

Result<ChosenDevice> choose_device(const std::string& device, const std::string& arch, const Reader* reader) {
  if (!arch.empty()) {
    if (!device.empty()) return fail(ErrorKind::bad_input, "--device and --arch exclude one another; give one of them");
    if (auto known = device_of_arch(arch)) return ChosenDevice{std::move(*known), "the table of architectures"};
    return fail(ErrorKind::bad_input,
                fmt::format("the table has no architecture {}; known: {}", quote(arch), join_choices(known_archs())));
  }
  WT_TRY(auto stored, stored_devices(reader));
  if (device.rfind("cuda", 0) == 0 && (device.size() == 4 || device[4] == ':')) {
    WT_TRY(auto found, find_cuda_device(device, kReplayInstead));
    return ChosenDevice{std::move(found), {}};
  }
  if (device == "replay" || device.rfind("replay:", 0) == 0) {
    WT_TRY(auto found, device_of_recording(device));
    return ChosenDevice{std::move(found), "the recording"};
  }
  if (!device.empty() && device != "auto" && device != "default") {
    WT_TRY(auto found, device_by_name(device, stored));
    return ChosenDevice{std::move(found), "the database"};
  }
  if (auto gpus = list_cuda_devices(); gpus && !gpus->empty())
    return ChosenDevice{gpus->front(), "the first GPU of this machine"};
  if (stored.size() == 1) return ChosenDevice{stored.front(), "no GPU here; the only device in the database"};
  if (stored.size() > 1)
    return fail(
        ErrorKind::bad_input,
        fmt::format("no GPU here, and the database has results of {} devices; choose one with --device \"NAME\": {}",
                    stored.size(), join_choices(names_of(stored))));
  return ChosenDevice{h200_device(), "no GPU here; the limits of an H200"};
}

Result<Choice> choose_config(const Asked& asked, const DeviceInfo& device, const Reader* reader,
                             std::vector<std::string>& notes, bool allow_vendor, std::int64_t alignment) {
  const KernelSpec& spec = asked.kernel.spec;
  Choice choice;
  SelectOptions options;
  options.alignment = alignment;
  const bool is_allowed = allow_vendor || vendor_is_allowed();
  const auto refuse_calls = [&](const Config& config) {
    return is_allowed ? std::nullopt : forbidden_call(asked, config, device);
  };
  options.refuse = refuse_calls;
  std::optional<LearnedRule> learned;
  if (reader != nullptr) {
    WT_TRY(auto tuned, load_tuned_entries(*reader, spec, asked.kernel.source_hash));
    choice.entries = std::move(tuned.entries);
    notes.insert(notes.end(), tuned.notes.begin(), tuned.notes.end());
    WT_CHECK(note_other_sources(*reader, asked.kernel, notes));
    WT_TRY(auto rule, load_learned_rule(*reader, spec, asked.kernel.source_hash));
    learned.emplace(std::move(rule));
    options.learned = &learned->transfers;
    if (reader->pack()) {
      for (const TunedEntry& entry : choice.entries) learned->configs.insert(entry.config);
      learned->configs.insert(default_config(spec, asked.problem, device));
      options.refuse = [&](const Config& config) {
        auto why = refuse_calls(config);
        return why ? why : missing_program(*reader, asked, learned->configs, config, device);
      };
    }
  }
  WT_TRY(auto selection, select(spec, choice.entries, asked.problem, device, options));
  choice.selection = std::move(selection);
  return choice;
}

std::string default_strategy(const Budget& budget, const StopRules& rules) {
  return std::string(budget.all() && !rules.any() ? "exhaustive" : kDefaultStrategy);
}

Result<void> read_profile_scope(const std::string& text, ProfileScope& scope) {
  const auto parsed = parse_profile_scope(text);
  if (!parsed) return fail(ErrorKind::bad_input, fmt::format("--profile takes none, best or all, not {}", quote(text)));
  scope = *parsed;
  return {};
}

Result<double> parse_percent(const std::string& text, const std::string& what) {
  const std::string number = text.substr(0, text.find('%'));
  char* end = nullptr;
  const double percent = std::strtod(number.c_str(), &end);
  const bool is_number =
      !number.empty() && *end == '\0' && number.find_first_not_of("0123456789.") == std::string::npos;
  if (!is_number || text.size() > number.size() + 1 || percent > 100)
    return fail(ErrorKind::bad_input, fmt::format("{} is not a {} from 0% to 100%, such as 2%", quote(text), what));
  constexpr double kMinWithoutSign = 0.1;
  if (text == number && percent > 0 && percent < kMinWithoutSign)
    return fail(ErrorKind::bad_input, fmt::format("write {:g}% or {:g}%: {} may be either, and is not a {}", percent,
                                                  100 * percent, quote(text), what));
  return percent / 100;
}

std::string resume_command(std::vector<std::string> words) {
  if (std::find(words.begin(), words.end(), "--resume") == words.end()) words.emplace_back("--resume");
  return quote_for_shell(words);
}

std::string quote_for_shell(const std::string& word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=,./:@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  if (std::any_of(word.begin(), word.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; })) {
    // Control characters would be shown as escapes, so they are written as escapes that a shell reads back.
    std::string out = "$'";
    for (const char c : word) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x20 || byte == 0x7f)
        out += fmt::format("\\x{:02x}", byte);
      else
        out += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    }
    return out + "'";
  }
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string quote_for_shell(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + quote_for_shell(word);
  return out;
}

std::string command_for(const std::string& command, const ProblemArgs& args, const std::string& db) {
  std::vector<std::string> words = {"warptune", command, args.kernel};
  if (!args.shape.empty()) words.insert(words.end(), {"--shape", args.shape});
  if (!args.dtype.empty()) words.insert(words.end(), {"--dtype", args.dtype});
  for (const std::string& set : args.sets) words.insert(words.end(), {"--set", set});
  for (const std::string& folder : args.folders.include) words.insert(words.end(), {"--include", folder});
  for (const std::string& folder : args.folders.also) words.insert(words.end(), {"--also", folder});
  if (!db.empty()) words.insert(words.end(), {"--db", db});
  return quote_for_shell(words);
}

void print_notes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) print("note: {}\n", sanitize(note));
}

} // namespace warptune::cli
