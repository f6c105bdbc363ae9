#include "cli/command_doc.h"

#include <CLI/CLI.hpp>

namespace warptune::cli {
namespace {

OptionDoc describe_option(const CLI::Option& option) {
  OptionDoc doc;
  for (const std::string& name : option.get_snames()) doc.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) doc.names.push_back("--" + name);
  if (doc.names.empty()) doc.positional = option.get_name(true);
  if (option.get_items_expected_max() > 0) doc.value = option.get_type_name();
  doc.value_optional = option.get_items_expected_min() == 0;
  doc.help = option.get_description();
  doc.required = option.get_required();
  doc.repeated = option.get_items_expected_max() > 1;
  return doc;
}

CommandDoc describe_command(const CLI::App& app) {
  CommandDoc doc;
  doc.name = app.get_name();
  doc.summary = app.get_description();
  doc.text = app.get_footer();
  for (const CLI::Option* option : app.get_options())
    if (!option->get_group().empty()) doc.options.push_back(describe_option(*option)); // the rest: names from before
  return doc;
}

} // namespace

ProgramDoc describe_program(const CLI::App& app, const std::string& version) {
  ProgramDoc doc;
  doc.main = describe_command(app);
  doc.version = version;
  for (const CLI::App* command : app.get_subcommands({})) doc.commands.push_back(describe_command(*command));
  return doc;
}

} // namespace warptune::cli
