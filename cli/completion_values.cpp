#include "cli/completion_values.h"

#include "cli/sweep_file.h"
#include "core/device_table.h"
#include "db/reader.h"
#include "profiler/metric_sets.h"
#include "search/strategy.h"

#include <algorithm>
#include <map>
#include <optional>

namespace warptune::cli {
namespace {

using Words = std::vector<std::string>;

// The keys are option names; where commands differ, the command's name comes first.
const std::map<std::string, Words>& fixed_words() {
  static const std::map<std::string, Words> words = {
      {"recheck --device", {"auto", "cuda:0", "recorded", "none"}},
      {"--devices", {"all", "auto", "cuda:0", "recorded"}},
      {"--objective", {"time", "energy", "edp"}},
      {"--profile", {"none", "best", "all"}},
      {"--knowledge", {"all", "none", "prior", "hints"}},
      {"--config", {"best", "default"}},
      {"--align", {"1", "2", "4", "8", "16"}},
      {"export --format", {"kernel-tuner", "t4"}},
      {"import --format", {"recording", "kernel-tuner", "t4"}},
      {"check --sample", {"all"}},
      {"completion SHELL", {"bash", "zsh", "fish"}},
      {"pack WHAT", {"list", "check", "diff"}},
      {"why CONFIG", {"best", "default"}},
      {"show WHAT", {"best", "trials", "sessions", "devices"}},
  };
  return words;
}

std::string option_name(const OptionDoc& option) {
  return option.is_positional() ? option.positional : option.names.back();
}

void add(const Words& words, Completion& out) {
  for (const std::string& word : words) out.candidates.push_back({word, {}});
}

void add_strategies(Completion& out) {
  for (const StrategyEntry& entry : strategies())
    out.candidates.push_back({std::string(entry.name), std::string(entry.summary)});
}

void add_kernels(const TemplateStore& store, Completion& out) {
  for (const std::string& name : store.names()) {
    const auto kernel = store.load(name);
    out.candidates.push_back({name, kernel ? kernel->spec.summary : std::string()});
  }
}

// "softmax,ax" -> "softmax,axpy": offers only words that the list does not contain yet.
void continue_list(const std::string& word, Completion& out) {
  const std::size_t comma = word.rfind(',');
  if (comma == std::string::npos) return;
  const std::string before = word.substr(0, comma + 1);
  std::erase_if(out.candidates,
                [&](const Candidate& c) { return ("," + before).find("," + c.word + ",") != std::string::npos; });
  for (Candidate& candidate : out.candidates) candidate.word.insert(0, before);
}

// Offers the devices of the database that --db names, or of the default database.
void add_stored_devices(const ValueQuery& query, Completion& out) {
  std::string db;
  for (std::size_t i = 1; i + 1 < query.words.size(); ++i)
    if (query.words[i - 1] == "--db") db = query.words[i];
  const auto reader = Reader::open(database_path(db));
  if (!reader) return;
  const auto devices = reader->devices();
  if (!devices) return;
  for (const DeviceInfo& device : *devices)
    if (std::none_of(out.candidates.begin(), out.candidates.end(),
                     [&](const Candidate& c) { return c.word == device.name; }))
      out.candidates.push_back({device.name, device.arch});
}

// The first word after the command that names a kernel, or the value of --kernel.
std::optional<KernelSpec> chosen_kernel(const ValueQuery& query, const TemplateStore& store) {
  for (std::size_t i = 1; i + 1 < query.words.size(); ++i) {
    const std::string& word = query.words[i];
    if (word.rfind('-', 0) == 0 || (query.words[i - 1].rfind("--", 0) == 0 && query.words[i - 1] != "--kernel"))
      continue;
    if (auto kernel = store.load(word)) return std::move(kernel->spec);
  }
  return std::nullopt;
}

// "rows=32768,co" -> "rows=32768,cols=": offers only dims that the list does not contain yet.
void add_dims(const KernelSpec& spec, const std::string& word, Completion& out) {
  const std::size_t comma = word.rfind(',');
  const std::string before = comma == std::string::npos ? std::string() : word.substr(0, comma + 1);
  const auto add = [&](const std::string& dim, const std::string& meaning) {
    if (("," + before).find("," + dim + "=") == std::string::npos)
      out.candidates.push_back({before + dim + "=", meaning});
  };
  for (std::size_t d = 0; d < spec.dims.size(); ++d) {
    const int list = spec.list_of_dim(d);
    if (list < 0 && !spec.dims[d].is_fixed) add(spec.dims[d].name, spec.dims[d].meaning);
    if (list < 0 || spec.lists[static_cast<std::size_t>(list)].first != d) continue;
    add(spec.lists[static_cast<std::size_t>(list)].name, spec.lists[static_cast<std::size_t>(list)].meaning);
  }
}

void add_kernel_values(const std::string& name, const ValueQuery& query, const KernelSpec& spec, Completion& out) {
  if (name == "--shape") add_dims(spec, query.words.back(), out);
  if (name == "--dtype")
    for (const DType dtype : spec.dtypes) out.candidates.push_back({std::string(dtype_name(dtype)), {}});
  if (name == "--set")
    for (const Flag& flag : spec.flags)
      for (const std::string& label : flag.labels) out.candidates.push_back({flag.name + "=" + label, flag.meaning});
}

} // namespace

Completion option_values(const ValueQuery& query, const TemplateStore& store) {
  Completion out;
  const std::string name = option_name(query.option);
  for (const std::string& key : {query.command.name + " " + name, name})
    if (const auto found = fixed_words().find(key); found != fixed_words().end()) {
      add(found->second, out);
      return out;
    }
  if (name == "KERNEL" || name == "--template" || (name == "--kernel" && query.command.name != "new") ||
      name == "--only") {
    add_kernels(store, out);
    out.files = name == "KERNEL";
  } else if (name == "--kernels") {
    add_kernels(store, out);
    continue_list(query.words.back(), out);
  } else if (name == "--gpus") {
    for (const std::string& arch : known_archs())
      out.candidates.push_back({device_of_arch(arch)->arch, {}}); // "sm_90a"
    add_stored_devices(query, out);
    continue_list(query.words.back(), out);
  } else if (name == "--strategy" || query.command.name + name == "strategiesNAME") {
    add_strategies(out);
  } else if (query.command.name + name == "report--device") {
    add_stored_devices(query, out);
  } else if (name == "--device" && query.command.name != "import") {
    add({"auto", "cuda:0", "recorded"}, out);
    if (query.command.name == "explain" || query.command.name == "why" || query.command.name == "space")
      add_stored_devices(query, out);
  } else if (name == "--arch") {
    add(known_archs(), out);
    if (query.command.name == "check" || query.command.name == "new") continue_list(query.words.back(), out);
  } else if (name == "--metrics" || name == "--metric-set") {
    for (const MetricSet& set : metric_sets()) out.candidates.push_back({set.name, set.purpose});
  } else if (query.command.name + name == "sweepFILE") {
    for (const ShippedSweep& sweep : shipped_sweeps(store)) out.candidates.push_back({sweep.name, {}});
    out.files = true;
  } else if (const auto spec = chosen_kernel(query, store)) {
    add_kernel_values(name, query, *spec, out);
  }
  const std::string& value = query.option.value;
  if (out.candidates.empty())
    out.files = value.find("FILE") != std::string::npos || (query.option.is_positional() && name != "NAME");
  return out;
}

} // namespace warptune::cli
