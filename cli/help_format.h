// How --help is laid out: no line is wider than kHelpWidth. The texts below the options (cli/help_text.h) are written
// that narrow; what an option or a command is for is wrapped here.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace warptune::cli {

inline constexpr std::size_t kHelpWidth = 100, kHelpColumn = 34; // where what it is for begins

class HelpFormat : public CLI::Formatter {
 public:
  HelpFormat() { column_width(kHelpColumn); }
  std::string make_option_desc(const CLI::Option* option) const override;
  std::string make_option_usage(const CLI::Option* option) const override;
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
  std::string make_subcommand(const CLI::App* command) const override;
};

} // namespace warptune::cli
