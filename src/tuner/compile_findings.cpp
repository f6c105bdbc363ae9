#include "tuner/compile_findings.h"

#include "spec/config.h"
#include "spec/spec_places.h"
#include "spec/spec_uses.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string_view>

namespace warptune {
namespace {

std::string amount_text(const CheckedLaunch& launch) {
  if (!launch.spills) return fmt::format("{} bytes per thread", launch.spill_bytes);
  return fmt::format("{} bytes (stores) and {} bytes (loads) per thread", launch.spills->stores, launch.spills->loads);
}

// The macro that a warning names; empty: it is another warning.
std::string_view redefined_macro(std::string_view warning) {
  constexpr std::string_view kSign = "redefinition of macro \"";
  const std::size_t at = warning.find(kSign);
  if (at == std::string_view::npos) return {};
  warning.remove_prefix(at + kSign.size());
  return warning.substr(0, warning.find('"'));
}

bool defines(const Implementation& implementation, std::string_view macro) {
  return std::any_of(implementation.defines.begin(), implementation.defines.end(),
                     [&](const Define& define) { return define.name == macro; });
}

// The params that set blocks but reach the source neither as a macro nor as a template argument: "'BLOCK'".
std::string params_of_blocks_alone(const KernelSpec& spec, const Implementation& implementation) {
  SpecUses blocks, source;
  for (const Define& define : implementation.defines) source.add(define.value.expr);
  for (const Launch& launch : implementation.launches) {
    for (const Expr& expr : launch.block) blocks.add(expr);
    for (const SourceValue& value : launch.template_args) source.add(value.expr);
  }
  std::string names;
  for (const OwnParam& own : implementation.params) {
    const int slot = spec.first_param_slot + static_cast<int>(own.index);
    if (blocks.has(slot) && !source.has(slot))
      names += (names.empty() ? "'" : " and '") + spec.params[own.index].name + "'";
  }
  return names;
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
    add_spill(*worst, FindingLevel::note,
              fmt::format("{} of {} compiled configurations spill; this configuration spills the most: {}; a "
                          "constraint could exclude them",
                          count, compiled, amount_text(worst->launches.front())));
  }

  void add_warnings(const CompileCheck& check) {
    struct Group {
      const CompilerWarning* warning;
      const CheckedConfig* first;
      std::int64_t count;
      bool has_default;
      bool hides_value; // the source replaces the value of a macro of the spec
    };
    std::vector<Group> groups;
    for (const CheckedConfig& one : check.configs)
      for (const CompilerWarning& warning : one.warnings) {
        const auto known = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
          return std::tie(group.warning->file, group.warning->line, group.warning->text) ==
                 std::tie(warning.file, warning.line, warning.text);
        });
        if (known == groups.end()) {
          groups.push_back({&warning, &one, 1, one.is_default,
                            defines(kernel_.spec.implementation(one.config), redefined_macro(warning.text))});
          continue;
        }
        ++known->count;
        known->has_default = known->has_default || one.is_default;
      }
    for (const Group& group : groups) {
      const CompilerWarning& warning = *group.warning;
      const Place place = warning.file.empty() ? place_of(*group.first) : Place{warning.file, warning.line, {}};
      add("compiler-warning", group.has_default || group.hides_value ? FindingLevel::warning : FindingLevel::note,
          place, *group.first,
          fmt::format("a compiler warning in {}: {}{}",
                      group.count == 1 ? "a configuration" : fmt::format("{} configurations", group.count),
                      warning.text,
                      group.hides_value ? "; the value in the source replaces the value in compile.defines; put "
                                          "#ifndef before the #define"
                                        : ""));
    }
  }

  void add_bounds(const CompileCheck& check) {
    const CheckedConfig* first = nullptr;
    std::int64_t count = 0;
    for (const CheckedConfig& one : check.configs) {
      if (one.exceeds_bounds.empty()) continue;
      ++count;
      if (first == nullptr) first = &one;
    }
    if (first == nullptr) return;
    const Implementation& implementation = kernel_.spec.implementation(first->config);
    const std::string params = params_of_blocks_alone(kernel_.spec, implementation);
    add("launch-bounds", FindingLevel::warning,
        place_of_kernel(kernel_.sources, implementation.source,
                        first->exceeds_bounds.substr(0, first->exceeds_bounds.find(": "))),
        *first,
        fmt::format("{} of {} configurations cannot be launched; the first: {}; {}", count, check.configs.size(),
                    first->exceeds_bounds,
                    params.empty() ? "raise the bound, or exclude such blocks with a constraint"
                                   : "add " + params + " to compile.defines, or raise the bound"));
  }

  void add_constants(const CompileCheck& check) {
    std::map<std::string, const CheckedConfig*> unfilled; // with the first configuration that has it
    for (const CheckedConfig& one : check.configs)
      for (const std::string& name : one.unfilled_constants) unfilled.try_emplace(name, &one);
    for (const auto& [name, first] : unfilled)
      add("unfilled-constant", FindingLevel::warning, {kernel_.spec.implementation(first->config).source, 0, {}},
          *first,
          "__constant__ " + name +
              " is never filled, so it is 0 in every launch; list it in 'symbols', or give it a value in the source");
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
  findings.add_bounds(check);
  findings.add_constants(check);
  return findings.take();
}

} // namespace warptune
