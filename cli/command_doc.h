// The commands and options of the command line as values, for the manual and for completion in a shell.
#pragma once

#include "cli/options.h"

#include <algorithm>
#include <string>
#include <vector>

namespace warptune::cli {

struct OptionDoc {
  std::vector<std::string> names; // "-o", "--output"; empty: a positional argument
  std::string positional;         // "KERNEL"
  std::string value;              // "FILE"; empty: the option is a flag
  std::string help;
  bool required = false;
  bool value_optional = false;
  bool repeated = false; // whether it may be given several times, or takes several values

  bool is_positional() const { return !positional.empty(); }
  bool is_named(const std::string& name) const { return std::find(names.begin(), names.end(), name) != names.end(); }
};

struct CommandDoc {
  std::string name, summary;
  std::string text; // the help text that follows the options
  std::vector<OptionDoc> options;
};

struct ProgramDoc {
  CommandDoc main; // the program itself, with the options that precede a command
  std::string version;
  std::vector<CommandDoc> commands;
};

ProgramDoc describe_program(const Command& app, const std::string& version);

} // namespace warptune::cli
