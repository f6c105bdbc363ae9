// new: makes a kernel folder from a .cu file, a shipped kernel or a Kernel Tuner script. draft_kernel_folder does the
// work; this file has the options, the questions on a terminal and the output.
#include "cli/cmd_check.h"
#include "cli/command.h"
#include "cli/compiler_complaint.h"
#include "cli/help_text.h"
#include "cli/output.h"
#include "cli/overwrite.h"
#include "cli/sanitize.h"
#include "core/shell_words.h"
#include "core/text.h"
#include "jit/kernel_sources.h"
#include "starter/new_folder.h"
#include "starter/starter.h"
#include "starter/tuner_script.h"

#include <algorithm>
#include <fmt/format.h>
#include <iostream>
#include <memory>
#include <unistd.h>

namespace warptune::cli {
namespace {

struct NewArgs {
  std::string folder, from, shipped, script, archs;
  std::vector<std::string> dims, buffers, scalars, values, types, inputs, inouts;
  std::string grid, block;
  StarterFacts facts;
};

Result<StarterFacts> read_facts(const NewArgs& args) {
  StarterFacts facts = args.facts;
  const auto add = [](const char* option, const std::vector<std::string>& texts, Entries& entries) -> Result<void> {
    for (const std::string& text : texts) WT_CHECK(add_entries(option, text, entries));
    return {};
  };
  WT_CHECK(add("--dims", args.dims, facts.dims));
  WT_CHECK(add("--buffer", args.buffers, facts.buffers));
  WT_CHECK(add("--scalar", args.scalars, facts.scalars));
  WT_CHECK(add("--values", args.values, facts.values));
  WT_CHECK(add("--type", args.types, facts.types));
  for (const std::string& text : args.inputs)
    for (std::string& name : split_list(text)) facts.inputs.push_back(std::move(name));
  for (const std::string& text : args.inouts)
    for (std::string& name : split_list(text)) facts.inouts.push_back(std::move(name));
  if (!args.grid.empty()) facts.grid = split_list(args.grid);
  if (!args.block.empty()) facts.block = split_list(args.block);
  return facts;
}

// Returns false at the end of the input.
Result<bool> ask(const std::vector<MissingFact>& missing, StarterFacts& facts) {
  for (const MissingFact& fact : missing) {
    print("{} (such as {}): ", sanitize(fact.meaning), fact.example);
    flush_output();
    std::string text;
    while (trim(text).empty())
      if (!std::getline(std::cin, text)) return false;
    WT_CHECK(answer(fact, std::string(trim(text)), facts));
  }
  return true;
}

Error missing_error(const std::vector<MissingFact>& missing) {
  std::string message =
      "some facts that warptune needs are not in the source; add these options, with your own values:";
  for (const MissingFact& fact : missing) message += fmt::format("\n  {:<32} {}", fact.text(), fact.meaning);
  return {ErrorKind::bad_input, message};
}

Error source_error(const std::string& file, const std::string& log, const SourceFiles& sources) {
  const CompilerComplaint complaint = first_complaint(log, sources);
  std::string message = fmt::format("{} does not compile: {}", file, complaint.message);
  if (!complaint.source.empty()) message += "\n  " + complaint.source;
  message +=
      "\nNVRTC compiles device code only: put host code and its headers between #ifndef __CUDACC_RTC__ and "
      "#endif. If an undefined name is a macro that your build sets, add --values NAME=64,128 or --type NAME=fp32";
  return {ErrorKind::bad_input, message};
}

void print_folder(const NewArgs& args, const StarterDraft& draft) {
  std::string names;
  for (const auto& [name, text] : draft.files.files) names += (names.empty() ? "" : ", ") + name;
  print("wrote {}: {}\n", sanitize(args.folder), sanitize(names));
  print_notes(draft.notes);
}

// Adds "./", so that the folder is not taken for the name of a shipped kernel.
std::string as_path(const std::string& folder) {
  return folder.find('/') == std::string::npos ? "./" + folder : folder;
}

void print_next(const NewArgs& args, const std::string& shape) {
  const std::string kernel = quote_for_shell(as_path(args.folder));
  print("Next:\n  warptune check {0}\n  warptune tune {0} --shape {1}   on a machine with a GPU\n", kernel,
        quote_for_shell(shape));
}

// Fills in the options that are not given with the script's facts.
Result<NewArgs> with_script(NewArgs args, std::vector<std::string>& notes) {
  const std::filesystem::path file = args.script;
  auto text = read_source_file(file);
  if (!text) return fail(ErrorKind::bad_input, fmt::format("cannot read {}: {}", args.script, text.error().message));
  Entries values;
  for (const std::string& given : args.values) WT_CHECK(add_entries("--values", given, values));
  auto script = read_tuner_script(*text, values);
  if (!script) return fail(ErrorKind::bad_input, fmt::format("{}: {}", args.script, script.error().message));
  notes = std::move(script->notes);
  if (args.from.empty() && !script->source.ends_with(".cu"))
    return fail(ErrorKind::bad_input,
                fmt::format("the call of tune_kernel in {} names no .cu file; add --from FILE.cu", args.script));
  if (args.from.empty()) args.from = (file.parent_path() / script->source).string();
  if (!args.facts.kernel.empty()) script->facts.kernel = args.facts.kernel;
  StarterFacts given = std::move(args.facts);
  args.facts = std::move(script->facts);
  args.facts.name = given.name;
  args.facts.shared = given.shared;
  args.facts.tolerance = given.tolerance;
  args.facts.constraints.insert(args.facts.constraints.end(), given.constraints.begin(), given.constraints.end());
  return args;
}

// --from names a source file, --template a shipped kernel.
Result<void> refuse_kernel_name(const NewArgs& args) {
  std::error_code ec;
  const auto shipped = TemplateStore::standard().names();
  if (std::filesystem::exists(args.from, ec) || std::find(shipped.begin(), shipped.end(), args.from) == shipped.end())
    return {};
  return fail(ErrorKind::bad_input, fmt::format("there is no file {0}; to copy the shipped kernel {0}, use --template "
                                                "{0} instead of --from {0}",
                                                args.from));
}

Result<int> from_file(const NewArgs& given) {
  std::vector<std::string> notes;
  NewArgs args = given;
  if (!given.script.empty()) {
    WT_TRY(args, with_script(given, notes));
  }
  WT_TRY(auto facts, read_facts(args));
  WT_CHECK(refuse_kernel_name(args));
  WT_TRY(const auto sources, read_starter_source(args.from));
  WT_TRY(const auto devices, find_check_devices(args.archs));
  const std::string file = std::filesystem::path(args.from).filename().string();
  StarterDraft draft;
  bool can_ask = ::isatty(STDIN_FILENO) == 1 && is_terminal(STDOUT_FILENO);
  while (true) {
    WT_TRY(draft, draft_kernel_folder(sources, file, facts, devices.front().arch));
    if (!draft.log.empty()) return fail(source_error(file, draft.log, draft.files));
    if (draft.missing.empty()) break;
    if (can_ask) {
      WT_TRY(can_ask, ask(draft.missing, facts));
    }
    if (!can_ask) return fail(missing_error(draft.missing));
  }
  WT_CHECK(write_new_folder(args.folder, draft.files));
  draft.notes.insert(draft.notes.end(), notes.begin(), notes.end());
  print_folder(args, draft);
  CheckArgs check;
  check.problem.kernel = as_path(args.folder);
  check.archs = args.archs;
  check.sample = "16"; // a quick check; `warptune check` compiles more
  WT_TRY(const int code, run_check(check));
  print_next(args, draft.shape);
  return code;
}

Result<int> from_template(const NewArgs& args) {
  const TemplateStore store = TemplateStore::standard();
  WT_TRY(const auto kernel, store.load(args.shipped));
  const std::string name = args.facts.name.empty() ? operator_name_of(args.folder) : args.facts.name;
  StarterDraft draft;
  WT_TRY(draft.files, renamed_folder(kernel.origin, name));
  WT_CHECK(write_new_folder(args.folder, draft.files));
  print_folder(args, draft);
  WT_TRY(const auto copy, store.load(as_path(args.folder)));
  const auto suite = copy.spec.suites.find("default");
  const bool has_suite = suite != copy.spec.suites.end() && !suite->second.empty();
  print_next(args, has_suite ? shape_text(copy.spec, suite->second.front().shape)
                             : shape_text(copy.spec, smallest_shape(copy.spec)));
  return 0;
}

Result<int> run_new(const NewArgs& args) {
  if ((args.from.empty() && args.script.empty()) == args.shipped.empty())
    return fail(ErrorKind::bad_input,
                "`warptune new` needs either --template KERNEL or a source (--from FILE.cu, --from-kernel-tuner "
                "SCRIPT.py), but not both");
  WT_CHECK(refuse_existing_folder(args.folder));
  const auto parent = (std::filesystem::absolute(args.folder) / "").parent_path().parent_path();
  WT_CHECK(refuse_readonly(parent, args.folder, "choose another DIR"));
  return args.shipped.empty() ? from_file(args) : from_template(args);
}

void add_repeated(Command& command, const char* name, std::vector<std::string>& values, const char* value,
                  const char* help) {
  command.add_option(name, values, help)->type_name(value)->allow_extra_args(false);
}

} // namespace

void add_new(Command& app, Invocation& invocation) {
  auto args = std::make_shared<NewArgs>();
  Command* command = add_command(app, "new", "Make a kernel folder from a .cu file or a shipped kernel", kNewHelp);
  StarterFacts& facts = args->facts;
  command->add_option("DIR", args->folder, "The folder to make")->required()->type_name("");
  command->add_option("--from", args->from, "A CUDA source with the kernel")->type_name("FILE");
  command->add_option("--template", args->shipped, "The shipped kernel to copy, in place of --from")
      ->type_name("KERNEL");
  command
      ->add_option("--from-kernel-tuner", args->script,
                   "Read tune_params and restrictions from this script, without executing it")
      ->type_name("FILE");
  command->add_option("--kernel", facts.kernel, "Name of the __global__ function, if the source has several")
      ->type_name("NAME");
  add_repeated(*command, "--dims", args->dims, "DIM=N", "Dims of the problem, each with the size to tune for");
  add_repeated(*command, "--buffer", args->buffers, "NAME=COUNT",
               "Number of elements in the buffer of each pointer, as a formula");
  add_repeated(*command, "--scalar", args->scalars, "NAME=VALUE", "Values of kernel parameters that are not dims");
  add_repeated(*command, "--values", args->values, "NAME=N", "Values to try for a macro or template argument");
  add_repeated(*command, "--type", args->types, "NAME=TYPE", "Dtypes to try for a type macro or template argument");
  add_repeated(*command, "--input", args->inputs, "NAME",
               "Pointers that the kernel only reads; not needed for pointers to const");
  add_repeated(*command, "--inout", args->inouts, "NAME", "Pointers that the kernel reads and writes");
  command->add_option("--grid", args->grid, "Blocks per launch: one to three formulas")->type_name("X,...");
  command->add_option("--block", args->block, "Threads per block: one to three formulas")->type_name("X,...");
  command->add_option("--shared", facts.shared, "Bytes of dynamic shared memory, as a formula")->type_name("BYTES");
  add_repeated(*command, "--constraint", facts.constraints, "FORMULA",
               "A condition that every configuration must meet");
  command->add_option("--tolerance", facts.tolerance, "Allowed relative error; the default depends on the dtype")
      ->type_name("X");
  command
      ->add_option("--name", facts.name,
                   "Name of the operator; default: the kernel's name (--from) or the name of DIR (--template)")
      ->type_name("NAME");
  command
      ->add_option("--arch", args->archs,
                   "Architectures or GPUs to check for; default: the first GPU, or an H200 if there is no GPU")
      ->type_name("ARCH,...");
  command->callback([args, &invocation] { invocation.run = [args] { return run_new(*args); }; });
}

} // namespace warptune::cli
