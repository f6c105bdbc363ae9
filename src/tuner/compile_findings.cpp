#include "tuner/compile_findings.h"

#include "spec/config.h"
#include "spec/spec_places.h"

#include <algorithm>
#include <fmt/format.h>

namespace warptune {
namespace {

std::string amount_text(const CheckedLaunch& launch) {
  if (!launch.spills) return fmt::format("{} bytes per thread", launch.spill_bytes);
  return fmt::format("{} bytes (stores) and {} bytes (loads) per thread", launch.spills->stores, launch.spills->loads);
}

class CompileFindings {
 public:
  CompileFindings(const Kernel& kernel, const Problem& problem, const DeviceInfo& device)
      : kernel_(kernel), problem_(problem_key(kernel.spec, problem)), arch_(device.arch) {}

  void add_spills(const CompileCheck& check) {
    const CheckedConfig* worst = nullptr;
    std::int64_t count = 0, compiled = 0;
    for (const CheckedConfig& one : check.configs) {
      if (one.launches.empty()) continue;
      ++compiled;
      if (one.launches.front().spill_bytes == 0) continue;
      ++count;
      if (one.is_default) {
        add_spill(one, FindingLevel::warning,
                  "the default configuration spills " + amount_text(one.launches.front()) +
                      "; raise its register limit (__launch_bounds__), give its threads less work, or choose another "
                      "default");
        continue;
      }
      if (worst == nullptr || is_worse(one.launches.front(), worst->launches.front())) worst = &one;
    }
    if (worst == nullptr) return;
    add_spill(
        *worst, FindingLevel::note,
        fmt::format(
            "{} of {} compiled configurations spill; this one spills the most: {}; a constraint could exclude them",
            count, compiled, amount_text(worst->launches.front())));
  }

  void add_warnings(const CompileCheck& check) {
    struct Group {
      const CompilerWarning* warning;
      const CheckedConfig* first;
      std::int64_t count;
      bool has_default;
    };
    std::vector<Group> groups;
    for (const CheckedConfig& one : check.configs)
      for (const CompilerWarning& warning : one.warnings) {
        const auto known = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
          return std::tie(group.warning->file, group.warning->line, group.warning->text) ==
                 std::tie(warning.file, warning.line, warning.text);
        });
        if (known == groups.end()) {
          groups.push_back({&warning, &one, 1, one.is_default});
          continue;
        }
        ++known->count;
        known->has_default = known->has_default || one.is_default;
      }
    for (const Group& group : groups) {
      const CompilerWarning& warning = *group.warning;
      const Place place = warning.file.empty() ? place_of(*group.first) : Place{warning.file, warning.line, {}};
      add("compiler-warning", group.has_default ? FindingLevel::warning : FindingLevel::note, place, *group.first,
          fmt::format("a compiler warning in {}: {}",
                      group.count == 1 ? "a configuration" : fmt::format("{} configurations", group.count),
                      warning.text));
    }
  }

  std::vector<Finding> take() { return std::move(findings_); }

 private:
  Place place_of(const CheckedConfig& one) const {
    return place_of_kernel(kernel_.sources, kernel_.spec.implementation(one.config).source,
                           one.launches.empty() ? std::string_view() : one.launches.front().kernel);
  }
  void add_spill(const CheckedConfig& one, FindingLevel level, std::string sentence) {
    add("spill", level, place_of(one), one, std::move(sentence));
  }
  void add(const char* kind, FindingLevel level, Place place, const CheckedConfig& one, std::string sentence) {
    findings_.push_back(
        {kind, level, std::move(place), std::move(sentence), arch_, problem_, config_text(kernel_.spec, one.config)});
  }

  const Kernel& kernel_;
  std::string problem_, arch_;
  std::vector<Finding> findings_;
};

} // namespace

std::vector<Finding> compile_findings(const Kernel& kernel, const Problem& problem, const DeviceInfo& device,
                                      const CompileCheck& check) {
  CompileFindings findings(kernel, problem, device);
  findings.add_spills(check);
  findings.add_warnings(check);
  return findings.take();
}

} // namespace warptune
