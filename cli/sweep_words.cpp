#include "cli/sweep_words.h"

#include "cli/spellings.h"
#include "core/text.h"

#include <cstdint>
#include <filesystem>
#include <utility>

namespace warptune::cli {
namespace {

// The options with a text among those of words_for_tasks.
std::vector<std::pair<const char*, std::string*>> texts_for_tasks(SweepArgs& o) {
  return {{"--devices", &o.devices},
          {"--only", &o.only},
          {"--profile", &o.profile},
          {"--objective", &o.objective},
          {"--strategy", &o.search.strategy},
          {"--budget", &o.search.budget},
          {"--target", &o.search.target},
          {"--stop-below", &o.search.stop_below},
          {"--knowledge", &o.search.knowledge},
          {"--compile-timeout", &o.compile_timeout},
          {"--evaluate-timeout", &o.evaluate_timeout},
          {"--local", &o.run.local}};
}

} // namespace

std::vector<std::string> words_for_tasks(SweepArgs o) {
  std::vector<std::string> words;
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  for (const auto& [option, value] : texts_for_tasks(o)) add(option, *value);
  for (const std::string& folder : o.folders.include) add("--include", std::filesystem::absolute(folder).string());
  if (o.seed >= 0) add("--seed", std::to_string(o.seed));
  if (o.compile_workers > 0) add("--compile-workers", std::to_string(o.compile_workers));
  if (o.energy) words.emplace_back("--energy");
  if (o.baseline) words.emplace_back("--baseline");
  if (o.allow_build) words.emplace_back("--allow-build");
  return words;
}

void add_stored_words(SweepArgs& o, const std::vector<std::string>& words) {
  const bool has_include = !o.folders.include.empty();
  const auto texts = texts_for_tasks(o);
  for (std::size_t i = 0; i < words.size(); ++i) {
    o.energy = o.energy || words[i] == "--energy";
    o.baseline = o.baseline || words[i] == "--baseline";
    o.allow_build = o.allow_build || words[i] == "--allow-build";
    if (i + 1 == words.size()) return;
    const std::string& value = words[i + 1];
    for (const auto& [option, text] : texts)
      if (words[i] == option && text->empty())
        *text = with_usual_spellings({"warptune", "sweep", option, value}).back();
    if (words[i] == "--include" && !has_include) o.folders.include.push_back(value);
    std::int64_t number = 0;
    (void)parse_integer(value, number);
    if (words[i] == "--seed" && o.seed < 0) o.seed = number;
    if (words[i] == "--compile-workers" && o.compile_workers == 0) o.compile_workers = static_cast<int>(number);
  }
}

} // namespace warptune::cli
