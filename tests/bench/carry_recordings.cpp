// Carries recordings over to newer sources of their kernels, if the sources of the recorded implementations did not
// change. Then only other implementations or the suites were changed, and the times remain valid. Recordings of kernels
// with one implementation are never carried over.
//   carry_recordings OLD_TEMPLATES NEW_TEMPLATES RECORDING...
// OLD_TEMPLATES: the folder kernel_templates of the commit whose sources were recorded. Rewrites the files that it
// carries over; fails, and leaves the other files unchanged, if a recording is of other sources than OLD_TEMPLATES, or
// if its implementations changed.
#include "jit/template_store.h"
#include "recording/recording.h"
#include "spec/json_members.h"
#include "spec/source_files.h"
#include "spec/source_hash.h"

#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <string>

namespace warptune {
namespace {

// The labels of the param `implementation`; empty if the kernel has only one implementation.
std::set<std::string> implementations_of(const Recording& recording) {
  for (std::size_t p = 0; p < recording.param_names.size() && p < recording.param_labels.size(); ++p)
    if (recording.param_names[p] == "implementation")
      return {recording.param_labels[p].begin(), recording.param_labels[p].end()};
  return {};
}

// The hash of the sources without the suites, and without the implementations that are not in `kept`.
std::string hash_of_kept(Kernel kernel, const std::set<std::string>& kept) {
  std::erase_if(kernel.spec.implementations,
                [&](const Implementation& implementation) { return kept.count(implementation.name) == 0; });
  std::erase_if(kernel.sources.files, [&](const auto& file) {
    return is_implementation_file(file.first) && kept.count(file.first.substr(0, file.first.find('/'))) == 0;
  });
  for (auto& [name, text] : kernel.sources.files)
    if (name == "spec.json")
      text = without_members(text, [](const MemberPath& path) { return path.size() == 1 && path[0] == "suites"; });
  return source_hash(kernel.spec, kernel.sources);
}

Result<std::string> carry(const TemplateStore& before, const TemplateStore& now, const std::filesystem::path& file) {
  WT_TRY(auto recording, load_recording(file));
  WT_TRY(const auto then, before.load(recording.kernel));
  WT_TRY(const auto kernel, now.load(recording.kernel));
  if (recording.source_hash == kernel.source_hash) return std::string("is of these sources already");
  const auto refuse = [&](const char* why) { return fail(ErrorKind::bad_input, file.string() + " " + why); };
  if (recording.source_hash != then.source_hash) return refuse("was recorded with other sources than the older folder");
  const std::set<std::string> kept = implementations_of(recording);
  if (kept.empty()) return refuse("is of a kernel with one implementation, whose sources changed");
  if (hash_of_kept(then, kept) != hash_of_kept(kernel, kept)) return refuse("has an implementation that changed");
  recording.source_hash = kernel.source_hash;
  WT_CHECK(save_recording(recording, file));
  return std::string("carried over");
}

int run(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr, "usage: carry_recordings OLD_TEMPLATES NEW_TEMPLATES RECORDING...\n");
    return 2;
  }
  const TemplateStore before({argv[1]}), now({argv[2]});
  int status = 0;
  for (int i = 3; i < argc; ++i) {
    const auto done = carry(before, now, argv[i]);
    if (!done) status = 1;
    fmt::print(done ? stdout : stderr, "{}\n", done ? fmt::format("{}: {}", argv[i], *done) : done.error().message);
  }
  return status;
}

} // namespace
} // namespace warptune

int main(int argc, char** argv) { return warptune::run(argc, argv); }
