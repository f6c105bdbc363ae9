// The commands and options of the command line as values, from which the manual and the completion are made. Does not
// depend on what a command does.
#pragma once

#include "cli/options.h"

#include <algorithm>
#include <string>
#include <vector>

namespace warptune::cli {

struct OptionDoc {
  std::vector<std::string> names; // "-o", "--output"; empty: a positional
  std::string positional;         // "KERNEL"
  std::string value;              // "FILE"; empty: a flag
  std::string help;
  bool required = false;
  bool value_optional = false;
  bool repeated = false; // whether the option may be repeated, or takes several values

  bool is_positional() const { return !positional.empty(); }
  bool is_named(const std::string& name) const { return std::find(names.begin(), names.end(), name) != names.end(); }
};

struct CommandDoc {
  std::string name, summary;
  std::string text; // the help text below the options
  std::vector<OptionDoc> options;
};

struct ProgramDoc {
  CommandDoc main; // the program itself, with the options before a command
  std::string version;
  std::vector<CommandDoc> commands;
};

ProgramDoc describe_program(const Command& app, const std::string& version);

} // namespace warptune::cli
