#include "cli/asked_problem.h"

#include "core/shell_words.h"
#include "core/text.h"
#include "db/stored_kernel.h"
#include "spec/size_list.h"

#include <algorithm>
#include <fmt/format.h>

namespace warptune::cli {
namespace {

// Drops the dims that the source fixes, because the user need not give them.
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

// A library launches only the kernels of its pack.
Result<void> check_packed(const std::string& name, const Reader& pack) {
  WT_TRY(const auto known, pack.kernel_names());
  if (std::find(known.begin(), known.end(), name) != known.end()) return {};
  return fail(ErrorKind::no_candidate,
              fmt::format("the pack has no kernel {}{}", quote(name),
                          known.empty() ? "; it contains no kernels" : suggest_name(name, known)));
}

} // namespace

std::string unused_include(const KernelSpec& spec, const FolderArgs& folders) {
  if (folders.include.empty() || !spec.include.empty()) return "";
  return fmt::format("--include is not used: {} does not declare \"include\" (docs/spec.md)", spec.name);
}

Result<Kernel> load_kernel(const std::string& name, const Reader* reader, std::vector<std::string>& notes,
                           const FolderArgs& folders) {
  const bool is_path = name.find('/') != std::string::npos;
  if (reader != nullptr && reader->pack() && !is_path) WT_CHECK(check_packed(name, *reader));
  const TemplateStore store = TemplateStore::standard(folders.include);
  auto kernel = store.load(name, folders.also);
  if (kernel)
    if (std::string note = unused_include(kernel->spec, folders); !note.empty()) notes.push_back(std::move(note));
  if (kernel || reader == nullptr || is_path || !folders.also.empty()) return kernel;
  const auto shipped = store.names();
  if (std::find(shipped.begin(), shipped.end(), name) != shipped.end()) return kernel; // exists, but is broken
  WT_TRY(auto record, reader->kernel(name));
  if (!record) return kernel;
  WT_TRY(auto spec, spec_of(*record));
  Kernel stored;
  stored.spec = std::move(spec);
  stored.sources.files = record->files;
  stored.source_hash = record->source_hash;
  stored.origin = kFromDatabase;
  notes.push_back(
      fmt::format("the kernel {} is read from the database, with the sources from which it was tuned", name));
  return stored;
}

Result<Asked> load_problem(const ProblemArgs& args, const Reader* reader, std::vector<std::string>& notes) {
  WT_TRY(auto kernel, load_kernel(args.kernel, reader, notes, args.folders));
  if (args.shape.empty() && !has_fixed_shape(kernel.spec))
    return fail(ErrorKind::bad_input, fmt::format("{} needs --shape {}", kernel.spec.name, example_shape(kernel.spec)));
  WT_TRY(auto problem, make_problem(kernel.spec, args.shape, args.dtype, args.sets));
  return Asked{std::move(kernel), std::move(problem)};
}

std::string command_for(const std::string& command, const ProblemArgs& args, const std::string& db,
                        const std::string& device) {
  std::vector<std::string> words = {"warptune", command, args.kernel};
  if (!args.shape.empty()) words.insert(words.end(), {"--shape", args.shape});
  if (!args.dtype.empty()) words.insert(words.end(), {"--dtype", args.dtype});
  for (const std::string& set : args.sets) words.insert(words.end(), {"--set", set});
  for (const std::string& folder : args.folders.include) words.insert(words.end(), {"--include", folder});
  for (const std::string& folder : args.folders.also) words.insert(words.end(), {"--also", folder});
  if (!device.empty()) words.insert(words.end(), {"--device", device});
  if (!db.empty()) words.insert(words.end(), {"--db", db});
  return quote_for_shell(words);
}

} // namespace warptune::cli
