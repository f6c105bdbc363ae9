#include "cli/command_doc.h"

namespace warptune::cli {
namespace {

OptionDoc describe_option(const Option& option) {
  OptionDoc doc;
  for (const std::string& name : option.short_names()) doc.names.push_back("-" + name);
  for (const std::string& name : option.long_names()) doc.names.push_back("--" + name);
  if (doc.names.empty()) doc.positional = option.positional_name();
  if (option.values_max() > 0) doc.value = option.value_name();
  doc.value_optional = option.values_min() == 0;
  doc.help = option.text();
  doc.required = option.is_required();
  doc.repeated = option.values_max() > 1;
  return doc;
}

CommandDoc describe_command(const Command& app) {
  CommandDoc doc;
  doc.name = app.name();
  doc.summary = app.summary();
  doc.text = app.text();
  for (const Option& option : app.options())
    if (!option.is_hidden()) doc.options.push_back(describe_option(option)); // hidden ones are former names
  return doc;
}

} // namespace

ProgramDoc describe_program(const Command& app, const std::string& version) {
  ProgramDoc doc;
  doc.main = describe_command(app);
  doc.version = version;
  for (const Command& command : app.commands()) doc.commands.push_back(describe_command(command));
  return doc;
}

} // namespace warptune::cli
