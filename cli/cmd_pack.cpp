// pack: makes one file for applications from a database, and inspects such files (pack list, check and diff).
#include "cli/asked_problem.h"
#include "cli/command.h"
#include "cli/help_text_results.h"
#include "cli/json_output.h"
#include "cli/option_values.h"
#include "cli/output.h"
#include "cli/overwrite.h"
#include "cli/pack_table.h"
#include "cli/sanitize.h"
#include "cli/table.h"
#include "cli/units.h"
#include "core/shell_words.h"
#include "core/text.h"
#include "pack/inspect.h"
#include "pack/licence.h"
#include "pack/pack.h"
#include "system/text_file.h"
#include "warptune/build_config.h"

#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace warptune::cli {
namespace {

using nlohmann::json;

constexpr std::size_t kLicenceLimit = std::size_t{1} << 20;

struct PackArgs {
  std::string db, output, cover = "3%", licence, check, list, what;
  std::vector<std::string> kernels, gpus, diff, files;
  FolderArgs folders;
  int workers = 0, extra = 16, programs = 128;
  bool no_compile = false, allow_build = false, json = false, wide = false;
};

json rule_json(const PackRule& r, const UntunedShare& untuned) {
  return {{"kernel", r.kernel},
          {"source_hash", r.source_hash},
          {"variant", r.variant},
          {"device", r.device_name},
          {"arch", r.arch},
          {"shapes", r.shapes},
          {"configs", r.configs},
          {"guarded", r.guarded},
          {"worst_loss", r.worst_loss},
          {"method", r.method},
          {"rule", r.rule.empty() ? json() : json(r.rule)},
          {"mean_rule_loss", r.rule_loss ? json(r.rule_loss->mean) : json()},
          {"worst_rule_loss", r.rule_loss ? json(r.rule_loss->worst) : json()},
          {"untuned_probes", untuned.probes},
          {"untuned_served", untuned.served},
          {"untuned_as_chosen", untuned.as_chosen}};
}

json info_json(const PackInfo& info) {
  json values = {{"digest", info.digest}};
  for (const auto& [name, value] : info.values) values[name] = value;
  return values;
}

Result<Reader> open_pack(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::exists(path, none))
    return fail(ErrorKind::database, fmt::format("there is no pack {}; `warptune pack -o FILE` makes one", path));
  if (std::filesystem::is_regular_file(path, none) && !is_database(path))
    return fail(ErrorKind::bad_input, fmt::format("{} is not a pack; `warptune pack -o FILE` makes one", quote(path)));
  auto reader = Reader::open(path);
  if (reader && !reader->pack())
    return fail(ErrorKind::bad_input, fmt::format("{} is a database, not a pack; `warptune pack --db {} -o ops.wtpack` "
                                                  "makes a pack from it",
                                                  path, quote_for_shell(path)));
  return reader;
}

Result<int> run_inspect(const PackArgs& o, bool is_check) {
  WT_TRY(auto pack, open_pack(is_check ? o.check : o.list));
  WT_TRY(auto summary, inspect_pack(pack));
  const PackInfo info = *pack.pack();
  if (o.json) {
    json variants = json::array();
    for (const PackedVariant& v : summary.variants) {
      variants.push_back(rule_json(v.rule, v.untuned));
      variants.back()["cubins"] = v.cubins;
      variants.back()["bytes"] = v.bytes;
    }
    print_json({{"pack", info_json(info)},
                {"kernels", summary.kernels},
                {"shapes", summary.shapes},
                {"cubins", summary.cubins},
                {"cubin_bytes", summary.cubin_bytes},
                {"variants", variants},
                {"problems", summary.problems}});
  } else {
    if (!is_check) {
      print_table(pack_table(summary.variants), o.wide);
      const auto value = [&](const char* name) {
        const auto found = info.values.find(name);
        return found == info.values.end() ? std::string("-") : found->second;
      };
      print("\n");
      print_wrapped(fmt::format("made with --cover {} by warptune {}; tuned from {} to {}", value("cover"),
                                value("warptune"), value("tuned_from"), value("tuned_until")));
    }
    print_wrapped(fmt::format("{}, {}, {} of {}; SHA-256 {}", count_text(summary.kernels, "kernel"),
                              count_text(summary.shapes, "tuned shape"), count_text(summary.cubins, "cubin"),
                              bytes_text(summary.cubin_bytes), info.digest));
    for (const std::string& problem : summary.problems) print_wrapped("problem: " + brief(problem));
    if (is_check)
      print("{}\n", summary.problems.empty() ? "the pack is consistent"
                                             : "the pack is inconsistent; make it again, or get another copy");
  }
  return summary.problems.empty() ? 0 : kNotAllWell;
}

Result<int> run_diff(const PackArgs& o) {
  WT_TRY(auto before, open_pack(o.diff[0]));
  WT_TRY(auto after, open_pack(o.diff[1]));
  WT_TRY(auto changes, diff_packs(before, after));
  if (o.json) {
    json rows = json::array();
    const auto said = [](const std::string& value) { return value.empty() ? json() : json(value); };
    for (const PackChange& c : changes)
      rows.push_back({{"subject", c.subject}, {"before", said(c.before)}, {"after", said(c.after)}});
    print_json({{"same", changes.empty()}, {"changes", rows}});
  } else {
    for (const PackChange& c : changes) {
      const char* sign = c.before.empty() ? "+" : c.after.empty() ? "-" : "~";
      const std::string said = c.before.empty() ? c.after : c.after.empty() ? c.before : c.before + " -> " + c.after;
      print("{} {}: {}\n", sign, sanitize(c.subject), sanitize(said));
    }
    if (changes.empty()) print("the packs have the same content\n");
  }
  return changes.empty() ? 0 : kNotAllWell;
}

void print_report(const PackReport& report, const PackArgs& o) {
  print_table(pack_table(report.rules, report.untuned), o.wide);
  print("\n");
  print_wrapped(fmt::format("{}: {}, {} in total; {} reused, {} compiled", o.output,
                            count_text(static_cast<std::int64_t>(report.stored + report.compiled), "cubin"),
                            bytes_text(report.cubin_bytes), report.stored, report.compiled));
  print_notes(report.notes);
}

// With --also or --include, packs the results of the kernel sources that these options select, not of those tuned last.
Result<void> choose_sources(const PackArgs& o, PackOptions& options) {
  if (o.folders.also.empty() && o.folders.include.empty()) return {};
  if (o.kernels.empty())
    return fail(ErrorKind::bad_input,
                "--also and --include need --kernels, because they apply only to the named kernels");
  options.kernels.clear();
  for (const std::string& name : o.kernels) {
    std::vector<std::string> notes;
    WT_TRY(const auto kernel, load_kernel(name, nullptr, notes, o.folders));
    options.kernels.push_back(kernel.spec.name);
    options.source_hashes[kernel.spec.name] = kernel.source_hash;
    for (const std::string& note : notes) complain("note: " + note);
  }
  return {};
}

Result<PackOptions> read_options(const PackArgs& o) {
  PackOptions options;
  options.kernels = o.kernels;
  options.gpus = o.gpus;
  WT_TRY(auto cover, parse_percent(o.cover, "--cover"));
  options.cover = cover;
  options.licence = shipped_licence();
  if (!o.licence.empty()) {
    WT_TRY(auto text, read_text_file(o.licence, "licence", kLicenceLimit));
    options.licence = std::move(text);
  }
  options.version = kVersion;
  options.extra_configs = static_cast<std::size_t>(o.extra);
  options.untuned_programs = static_cast<std::size_t>(o.programs);
  options.cubins.compile = !o.no_compile;
  options.cubins.allow_build = o.allow_build;
  options.cubins.workers = o.workers;
  WT_CHECK(choose_sources(o, options));
  return options;
}

// Translates `pack list FILE`, `pack check FILE` and `pack diff A B` to the former options.
Result<PackArgs> with_files(PackArgs o) {
  if (o.what.empty()) return o;
  const std::size_t wanted = o.what == "diff" ? 2 : 1;
  if (o.what != "list" && o.what != "check" && o.what != "diff")
    return fail(ErrorKind::bad_input,
                with_advice("pack has no action " + quote(o.what) + suggest_name(o.what, {"list", "check", "diff"}),
                            "`warptune pack -o FILE` makes a pack"));
  if (o.files.size() != wanted)
    return fail(ErrorKind::bad_input,
                fmt::format("pack {} needs {}, not {}", o.what, count_text(static_cast<std::int64_t>(wanted), "pack"),
                            o.files.size()));
  if (o.what == "diff")
    o.diff = o.files;
  else
    (o.what == "list" ? o.list : o.check) = o.files.front();
  return o;
}

Result<int> run_pack(const PackArgs& typed) {
  WT_TRY(const auto o, with_files(typed));
  const int modes = static_cast<int>(!o.check.empty()) + static_cast<int>(!o.list.empty()) +
                    static_cast<int>(!o.diff.empty()) + static_cast<int>(!o.output.empty());
  if (modes != 1)
    return fail(ErrorKind::bad_input, modes == 0
                                          ? "name an action: -o FILE makes a pack of the database; `pack list FILE`, "
                                            "`pack check FILE` and `pack diff A B` inspect packs"
                                          : "-o, list, check and diff exclude each other; give only one of them");
  if (!o.check.empty() || !o.list.empty()) return run_inspect(o, !o.check.empty());
  if (!o.diff.empty()) return run_diff(o);

  WT_CHECK(refuse_log_name(o.output));
  WT_CHECK(refuse_unwritable(o.output));
  WT_TRY(auto options, read_options(o));
  WT_TRY(auto reader, Reader::open(database_path(o.db)));
  if (reader.pack())
    return fail(ErrorKind::bad_input,
                fmt::format("{} is a pack; name the database that it was made from", database_path(o.db).string()));
  if (!o.json && is_terminal(2))
    options.cubins.progress = [](std::size_t done, std::size_t total) {
      print_now(stderr, fmt::format("\rcompiling {} of {}{}", done, total, done == total ? "\n" : ""));
    };
  WT_TRY(auto report, make_pack(reader, o.output, options));
  if (o.json) {
    json rules = json::array();
    for (std::size_t i = 0; i < report.rules.size(); ++i)
      rules.push_back(rule_json(report.rules[i], report.untuned[i]));
    print_json({{"output", o.output},
                {"variants", rules},
                {"programs", report.programs},
                {"stored", report.stored},
                {"compiled", report.compiled},
                {"cubin_bytes", report.cubin_bytes},
                {"notes", report.notes}});
  } else {
    print_report(report, o);
  }
  if (!report.lacks_all_programs()) return 0;
  complain(fmt::format("{} contains no cubin, so applications must compile the kernels before they can launch them; {}",
                       o.output, o.no_compile ? "leave out --no-compile" : "the notes say why"));
  return kNotAllWell;
}

} // namespace

void add_pack(Command& app, Invocation& invocation) {
  auto options = std::make_shared<PackArgs>();
  Command* command =
      add_command(app, "pack", "Make a pack (one file of tuned kernels for applications), or inspect packs", kPackHelp);
  command->add_option("WHAT", options->what, "list, check or diff, to inspect packs; default: make a pack")
      ->type_name("");
  command->add_option("PACK", options->files, "The pack to list or check, or the two packs to compare")
      ->type_name("FILE")
      ->option_text("FILE...")
      ->expected(0, 2);
  add_db_option(*command, options->db);
  command->add_option("--kernels", options->kernels, "Only these kernels; default: all in the database")
      ->type_name("NAME,...")
      ->option_text("NAME,...")
      ->delimiter(',');
  command->add_option("--gpus", options->gpus, "Only results of these devices or architectures; default: all")
      ->type_name("NAME,...")
      ->option_text("NAME,...")
      ->delimiter(',');
  command
      ->add_option("--cover", options->cover, "Allowed slowdown of a tuned shape relative to its best time; default 3%")
      ->type_name("N%");
  command
      ->add_option("-o,--output", options->output,
                   "The pack to make; an existing file is replaced only if it is a pack")
      ->type_name("FILE");
  command->add_option("--licence", options->licence, "A text file with the licence of the kernels, stored in the pack")
      ->type_name("FILE");
  command->add_flag("--no-compile", options->no_compile,
                    "Use only cubins from the database and the cubin cache; needs no NVRTC");
  add_folder_options(*command, options->folders);
  add_build_option(*command, options->allow_build);
  add_number_option(*command, "--extra", options->extra, 0, 1000,
                    "At most N configurations for untuned shapes, per dtype and flags; default 16");
  add_number_option(*command, "--programs", options->programs, 0, 100'000,
                    "At most N cubins for untuned shapes, per dtype and flags; default 128");
  add_number_option(*command, "--compile-workers", options->workers, 0, 1024,
                    "Number of compiling processes; default: one per core");
  // The former options for the words list, check and diff.
  command->add_option("--list", options->list)->group("");
  command->add_option("--check", options->check)->group("");
  command->add_option("--diff", options->diff)->expected(2)->group("");
  add_wide_flag(*command, options->wide);
  add_json_flag(*command, options->json);
  command->callback([options, &invocation] { invocation.run = [options] { return run_pack(*options); }; });
}

} // namespace warptune::cli
