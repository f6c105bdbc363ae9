// kernels: lists the kernels that can be tuned, or describes one.
#include "cli/asked_problem.h"
#include "cli/command.h"
#include "cli/help_text.h"
#include "cli/implementation_kind.h"
#include "cli/json_output.h"
#include "cli/output.h"
#include "cli/sanitize.h"
#include "cli/table.h"
#include "space/space_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace warptune::cli {
namespace {

using nlohmann::json;

struct KernelsArgs {
  std::string kernel;
  FolderArgs folders;
  bool json = false, wide = false;
};

template <class List, class Text> std::string join(const List& list, Text text, const char* separator = ", ") {
  std::string out;
  for (const auto& item : list) out += (out.empty() ? "" : separator) + std::string(text(item));
  return out;
}

std::string flag_text(const Flag& flag) {
  return flag.name + "=" +
         join(
             flag.labels, [](const auto& l) { return l; }, "|");
}
std::string dims_text(const KernelSpec& spec) {
  std::vector<std::string> names;
  for (std::size_t d = 0; d < spec.dims.size(); ++d) {
    const int list = spec.list_of_dim(d);
    if (list < 0) names.push_back(spec.dims[d].name);
    if (list >= 0 && spec.lists[static_cast<std::size_t>(list)].first == d)
      names.push_back(spec.lists[static_cast<std::size_t>(list)].name + "[]");
  }
  return join(names, [](const std::string& name) { return name; });
}
std::string dtypes_text(const KernelSpec& spec) {
  return join(spec.dtypes, [](DType t) { return dtype_name(t); });
}
std::string flags_text(const KernelSpec& spec) { return join(spec.flags, flag_text); }
std::string values_text(const Param& param, const std::vector<std::int64_t>& values) {
  return join(values, [&](auto v) { return param.text_of(v); });
}

json value_json(const Param& param, std::int64_t value) {
  return param.labels.empty() ? json(value) : json(param.text_of(value));
}

json params_json(const KernelSpec& spec, const Implementation& implementation) {
  json out = json::array();
  for (const OwnParam& own : implementation.params) {
    const Param& param = spec.params[own.index];
    json values = json::array();
    for (const std::int64_t value : own.values) values.push_back(value_json(param, value));
    json& row = out.emplace_back(json{{"name", param.name},
                                      {"meaning", param.meaning_in(implementation.name)},
                                      {"values", std::move(values)},
                                      {"default", value_json(param, own.default_value)}});
    if (own.when) row["when"] = own.when->text();
  }
  return out;
}

json constraints_json(const Implementation& implementation) {
  json out = json::array();
  for (const Constraint& c : implementation.constraints) out.push_back({{"expr", c.expr.text()}, {"why", c.why}});
  return out;
}

json spec_json(const Kernel& kernel) {
  const KernelSpec& spec = kernel.spec;
  json out = {{"name", spec.name},
              {"summary", spec.summary},
              {"origin", kernel.origin},
              {"source_hash", kernel.source_hash},
              {"combinations", count_json(combinations(spec))},
              {"dims", json::array()},
              {"dtypes", json::array()},
              {"flags", json::array()},
              {"params", json::array()},
              {"constraints", json::array()},
              {"suites", json::object()}};
  for (const Dim& d : spec.dims) {
    json& row =
        out["dims"].emplace_back(json{{"name", d.name}, {"meaning", d.meaning}, {"min", d.min}, {"max", d.max}});
    if (d.is_fixed) row["value"] = d.min;
    if (d.standard) row["default"] = *d.standard;
  }
  for (const ListDim& list : spec.lists)
    out["lists"].push_back({{"name", list.name},
                            {"meaning", list.meaning},
                            {"min", list.min},
                            {"max", list.max},
                            {"max_count", list.max_count}});
  for (const DType t : spec.dtypes) out["dtypes"].push_back(dtype_name(t));
  for (const Flag& f : spec.flags)
    out["flags"].push_back(
        {{"name", f.name}, {"meaning", f.meaning}, {"values", f.labels}, {"default", f.labels.front()}});
  // The params of the default implementation; if there are several implementations, "implementations" has the params of
  // each.
  out["params"] = params_json(spec, spec.implementations.front());
  out["constraints"] = constraints_json(spec.implementations.front());
  add_kind(out, spec.implementations.front());
  if (spec.has_choice()) {
    out["default_implementation"] = spec.implementations.front().name;
    for (const Implementation& implementation : spec.implementations) {
      json& row = out["implementations"].emplace_back(json{{"name", implementation.name},
                                                           {"summary", implementation.summary},
                                                           {"params", params_json(spec, implementation)},
                                                           {"constraints", constraints_json(implementation)}});
      add_kind(row, implementation);
    }
  }
  for (const auto& [name, entries] : spec.suites) {
    out["suites"][name] = json::array();
    for (const SuiteEntry& entry : entries) out["suites"][name].push_back(suite_entry_text(spec, entry));
  }
  return out;
}

// The build command with placeholders, as in the description of the kernel.
std::string command_text(const Build& build) {
  std::vector<std::string> words;
  for (const BuildWord& word : build.command) {
    std::string& text = words.emplace_back();
    for (const BuildPiece& piece : word) {
      using Kind = BuildPiece::Kind;
      text += piece.kind == Kind::text     ? piece.text
              : piece.kind == Kind::arch   ? "{arch}"
              : piece.kind == Kind::output ? "{output}"
              : piece.kind == Kind::folder ? "{folder}"
                                           : "{" + piece.expr.text() + "}";
    }
  }
  return fmt::format("{}", fmt::join(words, " "));
}

void print_implementation(const KernelSpec& spec, const Implementation& implementation, int width) {
  if (spec.has_choice()) {
    print("\n");
    print_wrapped(fmt::format("implementation {}{}{}", implementation.name,
                              &implementation == &spec.implementations.front() ? " (default)" : "",
                              implementation.summary.empty() ? "" : ": " + implementation.summary));
  }
  if (const std::string kind = kind_text(implementation); !kind.empty()) print("\n{}\n", sanitize(kind));
  if (implementation.build) print("  {}\n", sanitize(command_text(*implementation.build)));
  if (!implementation.params.empty()) {
    Table params({left("param"), left("values"), right("default"), whole("meaning")});
    for (const OwnParam& own : implementation.params) {
      const Param& param = spec.params[own.index];
      const std::string when = own.when ? " (only where " + own.when->text() + ")" : "";
      params.add({param.name, values_text(param, own.values), param.text_of(own.default_value),
                  param.meaning_in(implementation.name) + when});
    }
    print("\n{}", params.render(width));
  }
  if (implementation.constraints.empty()) return;
  print("\nconstraints\n");
  for (const Constraint& c : implementation.constraints) {
    print("  ");
    print_wrapped(c.expr.text(), 2);
    print("      ");
    print_wrapped(c.why, 6);
  }
}

void add_list(Table& dims, const ListDim& list) {
  dims.add({list.name, std::to_string(list.min), std::to_string(list.max), "-",
            list.meaning + " (a list of at most " + std::to_string(list.max_count) + ")"});
}

std::string default_text(const Dim& dim) {
  if (dim.is_fixed) return std::to_string(dim.min);
  return dim.standard ? std::to_string(*dim.standard) : "-";
}

void print_details(const Kernel& kernel) {
  const KernelSpec& spec = kernel.spec;
  print_wrapped(spec.name + ": " + spec.summary);
  print("  ");
  print_wrapped(fmt::format("from {}, source {}", kernel.origin, kernel.source_hash.substr(0, 12)), 2);
  print("\n");
  const int width = terminal_width(1);
  Table dims({left("dim"), right("from"), right("to"), right("default"), whole("meaning")});
  for (std::size_t d = 0; d < spec.dims.size(); ++d) {
    const Dim& dim = spec.dims[d];
    const int list = spec.list_of_dim(d);
    if (list >= 0 && spec.lists[static_cast<std::size_t>(list)].first == d)
      add_list(dims, spec.lists[static_cast<std::size_t>(list)]);
    if (list < 0)
      dims.add({dim.name, std::to_string(dim.min), std::to_string(dim.max), default_text(dim), dim.meaning});
  }
  print(std::string_view(dims.render(width)));
  print("\ndtypes: {} (default {})\n", dtypes_text(spec), dtype_name(spec.dtypes.front()));
  if (!spec.flags.empty()) {
    Table flags({left("flag"), left("values"), left("default"), whole("meaning")});
    for (const Flag& f : spec.flags)
      flags.add({f.name, join(f.labels, [](const auto& l) { return l; }), f.labels.front(), f.meaning});
    print("\n{}", flags.render(width));
  }
  for (const Implementation& implementation : spec.implementations) print_implementation(spec, implementation, width);
  if (!spec.suites.empty()) print("\nshape suites\n");
  for (const auto& [name, entries] : spec.suites) {
    print("  {}: ", sanitize(name));
    print_wrapped(join(
                      entries, [&](const SuiteEntry& e) { return suite_entry_text(spec, e); }, "  "),
                  display_width(name) + 4);
  }
}

Result<int> list_kernels(const FolderArgs& folders, bool as_json, bool wide) {
  const TemplateStore store = TemplateStore::standard(folders.include);
  const auto names = store.names();
  if (names.empty())
    return fail(ErrorKind::bad_input,
                "no shipped kernels were found beside this program; set WARPTUNE_TEMPLATES to the folder "
                "kernel_templates, or name your own kernel folder: warptune kernels PATH");
  json all = json::array();
  Table table({left("kernel"), whole("dims"), left("dtypes"), left_out(1, left("flags")), whole("summary")});
  std::vector<std::string> broken;
  bool is_used = folders.include.empty();
  for (const std::string& name : names) {
    auto kernel = store.load(name);
    if (!kernel) {
      broken.push_back(kernel.error().message);
      continue;
    }
    const KernelSpec& spec = kernel->spec;
    is_used = is_used || !spec.include.empty();
    all.push_back(spec_json(*kernel));
    table.add(
        {spec.name, dims_text(spec), dtypes_text(spec), spec.flags.empty() ? "-" : flags_text(spec), spec.summary});
  }
  if (as_json) {
    print_json({{"kernels", all}, {"broken", broken}});
    return 0;
  }
  print_table(table, wide);
  for (const std::string& message : broken) print("broken: {}\n", sanitize(message));
  if (!is_used && broken.empty()) print("note: --include is not used: none of these kernels declares \"include\"\n");
  print(
      "\n`warptune kernels NAME` shows flags, parameters and constraints;\n`warptune tune NAME --shape ...` tunes.\n");
  return 0;
}

Result<int> run_kernels(const KernelsArgs& options) {
  if (options.kernel.empty()) return list_kernels(options.folders, options.json, options.wide);
  std::vector<std::string> notes;
  WT_TRY(auto kernel, load_kernel(options.kernel, nullptr, notes, options.folders));
  if (options.json) {
    json out = spec_json(kernel);
    out["notes"] = notes;
    print_json(out);
  } else {
    print_details(kernel);
    print_notes(notes);
  }
  return 0;
}

} // namespace

void add_kernels(Command& app, Invocation& invocation) {
  auto options = std::make_shared<KernelsArgs>();
  Command* command = add_command(app, "kernels", "List the kernels that can be tuned, or describe one", kKernelsHelp);
  command->add_option("KERNEL", options->kernel, "The kernel to describe: a shipped name, or the path of a folder")
      ->type_name("");
  add_folder_options(*command, options->folders);
  add_wide_flag(*command, options->wide);
  add_json_flag(*command, options->json);
  command->callback([options, &invocation] { invocation.run = [options] { return run_kernels(*options); }; });
}

} // namespace warptune::cli
