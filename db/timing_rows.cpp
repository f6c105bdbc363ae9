#include "db/timing_rows.h"

#include "db/stored_numbers.h"
#include "db/stored_values.h"
#include "predict/transfer_model.h"
#include "spec/former_config.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <tuple>
#include <utility>

namespace warptune::db {
namespace {

constexpr std::size_t kNearProblems = 64; // four times the number that one fit of the learned rule uses

struct Times {
  TimingMatrix matrix;
  std::map<std::size_t, std::map<std::size_t, double>> us; // keyed by problem, then by configuration
  std::map<std::string, std::size_t> problems;             // keyed by problem key
  std::map<Config, std::size_t> configs;
};

// Device, architecture, and the rest of the problem key after the dims: dtype and flags.
using Variant = std::tuple<std::string, std::string, std::string>;

// If true, results of other sources may count; otherwise the query skips them.
bool has_former(const KernelSpec& spec) {
  return std::any_of(spec.implementations.begin(), spec.implementations.end(),
                     [](const Implementation& implementation) { return !implementation.formerly.empty(); });
}

std::string only_of(const SomeProblems& problems) {
  return problems ? fmt::format("AND s.problem_id IN ({}) ", fmt::join(*problems, ",")) : "";
}

TimingMatrix filled(Times& times) {
  TimingMatrix& matrix = times.matrix;
  matrix.configs.resize(times.configs.size());
  for (const auto& [config, position] : times.configs) matrix.configs[position] = config;
  matrix.us.assign(matrix.problems.size() * matrix.configs.size(), std::numeric_limits<double>::quiet_NaN());
  for (const auto& [problem, row] : times.us)
    for (const auto& [config, us] : row) matrix.us[problem * matrix.configs.size() + config] = us;
  return canonical(matrix);
}

} // namespace

std::vector<TimingMatrix> read_timings(SQLite::Database& db, const KernelSpec& spec, const std::string& source_hash,
                                       const SomeProblems& problems, std::int64_t& skipped) {
  // Warm times come before cold ones: a variant restarts when its first cold time appears. Times of the kernel's own
  // source come after those of former sources, and later sessions after earlier ones: the last one read wins.
  SQLite::Statement row(db, "SELECT d.name, s.arch, p.key, c.text, t.median_us, s.cold_l2, k.source_hash FROM trials t "
                            "JOIN sessions s ON s.id = t.session_id JOIN kernels k ON k.id = s.kernel_id "
                            "JOIN problems p ON p.id = s.problem_id JOIN devices d ON d.id = s.device_id "
                            "JOIN configs c ON c.id = t.config_id "
                            "WHERE k.name = ?1 AND (?2 = '' OR ?3 OR k.source_hash = ?2) AND t.status = 'ok' " +
                                only_of(problems) + "ORDER BY s.cold_l2, k.source_hash = ?2, s.started_at, s.id, t.id");
  row.bind(1, spec.name);
  row.bind(2, source_hash);
  row.bind(3, has_former(spec) ? 1 : 0);
  std::map<Variant, std::pair<bool, Times>> variants; // first: whether the times are cold
  StoredValues values(spec);
  while (row.executeStep()) {
    const std::string key = row.getColumn(2).getString(), text = row.getColumn(3).getString();
    if (!counts_for(spec, source_hash, row.getColumn(6).getString(), text)) continue;
    const Result<Problem>& problem = values.problem(key);
    const Result<Config>& config = values.config(text);
    const double us = row.getColumn(4).getDouble();
    if (!problem || !config || !is_stored_time(us)) {
      ++skipped;
      continue;
    }
    const bool cold = row.getColumn(5).getInt() != 0;
    const std::string device = row.getColumn(0).getString(), arch = row.getColumn(1).getString();
    auto& [is_cold, times] = variants[{device, arch, key.substr(std::min(key.find(';'), key.size()))}];
    if (cold && !is_cold) times = {};
    is_cold = cold;
    times.matrix.device_name = device;
    times.matrix.arch = arch;
    const auto [p, new_problem] = times.problems.emplace(key, times.problems.size());
    if (new_problem) times.matrix.problems.push_back(*problem);
    const auto c = times.configs.emplace(*config, times.configs.size()).first;
    times.us[p->second][c->second] = us;
  }
  std::vector<TimingMatrix> out;
  for (auto& [variant, times] : variants) out.push_back(filled(times.second));
  return out;
}

SomeProblems near_problems(SQLite::Database& db, const KernelSpec& spec, const Problem& problem,
                           const DeviceInfo& device) {
  SQLite::Statement row(db, "SELECT DISTINCT p.id, p.key FROM kernels k JOIN sessions s ON s.kernel_id = k.id "
                            "JOIN problems p ON p.id = s.problem_id JOIN devices d ON d.id = s.device_id "
                            "WHERE k.name = ?1 AND d.name = ?2 AND s.arch = ?3 ORDER BY p.id");
  row.bind(1, spec.name);
  row.bind(2, device.name);
  row.bind(3, device.arch);
  StoredValues values(spec);
  std::vector<std::pair<double, RowId>> near; // (distance, id)
  std::size_t all = 0;
  for (; row.executeStep(); ++all) {
    const Result<Problem>& other = values.problem(row.getColumn(1).getString());
    if (other && other->dtype == problem.dtype && other->flags == problem.flags)
      near.emplace_back(shape_distance(other->dims, problem.dims), row.getColumn(0).getInt64());
  }
  if (all <= kNearProblems) return std::nullopt;
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  if (near.size() > kNearProblems) near.resize(kNearProblems);
  std::vector<RowId> ids;
  for (const auto& [distance, id] : near) ids.push_back(id);
  std::sort(ids.begin(), ids.end());
  return ids;
}

} // namespace warptune::db
