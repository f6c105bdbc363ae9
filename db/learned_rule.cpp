#include "db/learned_rule.h"

#include "spec/problem.h"

#include <optional>
#include <utility>
#include <vector>

namespace warptune {

Result<LearnedRule> load_learned_rule(const Reader& reader, const KernelSpec& spec, const std::string& source_hash,
                                      const SomeProblems& problems) {
  WT_TRY(auto matrices, reader.timings(spec, source_hash, problems));
  WT_TRY(const auto packed, reader.pack_rules(spec.name));
  std::vector<std::optional<TransferRule>> rules(matrices.size());
  std::set<Config> configs;
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    TimingMatrix& matrix = matrices[i];
    configs.insert(matrix.configs.begin(), matrix.configs.end());
    matrix = without_library_calls(spec, std::move(matrix));
    if (matrix.problems.empty()) continue;
    const std::string key = problem_key(spec, matrix.problems.front());
    for (const PackRule& rule : packed)
      if (rule.source_hash == source_hash && rule.device_name == matrix.device_name && rule.arch == matrix.arch &&
          key.substr(key.find(';') + 1) == rule.variant && !rule.rule.empty())
        if (auto parsed = parse_transfer(rule.rule)) rules[i] = std::move(*parsed);
  }
  return LearnedRule{LearnedTransfers(spec, std::move(matrices), std::move(rules)), std::move(configs)};
}

} // namespace warptune
