// Declares the options of a command, and says how the command line was parsed. Wraps CLI11, so that only options.cpp
// includes its headers, which take seconds to compile. Functions do what CLI11's functions with the same names do.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI { // NOLINT(readability-identifier-naming): CLI11's name
class App;
class Option;
} // namespace CLI

namespace warptune::cli {

// Valid as long as its command exists.
class Option {
 public:
  // Checks a value. Returns the error, which is printed after the option's name; empty: the value is valid.
  using Check = std::function<std::string(const std::string&)>;

  explicit Option(CLI::Option* option) : option_(option) {}
  Option* required(bool needed = true);
  Option* description(const std::string& text);
  Option* type_name(const std::string& name);   // name of the value in the help: "FILE"
  Option* option_text(const std::string& text); // what the help shows after the names, in place of type and default
  Option* group(const std::string& name);       // "": the help does not show the option
  Option* expected(int values);
  Option* expected(int low, int high);
  Option* allow_extra_args(bool allowed); // whether several values may follow one name
  Option* delimiter(char between);
  Option* default_str(const std::string& text); // the value if the user gives only the name
  Option* capture_default_str();                // the help shows the variable's present value as the default
  Option* excludes(Option* other);
  Option* check(Check check);
  Option* one_of(std::initializer_list<int> values);

  std::vector<std::string> short_names() const, long_names() const; // without hyphens
  std::string positional_name() const, value_name() const, text() const;
  bool is_hidden() const, is_required() const;
  int values_min() const, values_max() const; // how many values each use of the option takes
  bool takes_none() const;                    // whether it is a flag, which never takes a value
  std::vector<std::string> values() const;    // as the last parse found them

 private:
  CLI::Option* option_;
};

// A command, or the program with its commands.
class Command {
 public:
  Command(const char* name, const char* description);
  explicit Command(std::shared_ptr<CLI::App> app) : app_(std::move(app)) {}

  Option* add_option(const char* names, std::string& value, const std::string& help = "");
  Option* add_option(const char* names, std::filesystem::path& value, const std::string& help = "");
  Option* add_option(const char* names, std::vector<std::string>& values, const std::string& help = "");
  Option* add_option(const char* names, std::vector<std::int64_t>& values, const std::string& help = "");
  Option* add_option(const char* names, int& value, const std::string& help = "");
  Option* add_option(const char* names, std::int64_t& value, const std::string& help = "");
  Option* add_option(const char* names, std::uint64_t& value, const std::string& help = "");
  Option* add_flag(const char* names, bool& value, const std::string& help = "");
  Option* get_option(const char* name); // precondition: the option exists
  void alias(const char* name);
  void footer(const std::string& text);
  void callback(std::function<void()> chosen);
  Command* add_command(const char* name, const char* summary);
  void add_version_flag(const char* names, const std::string& version, const char* help);

  std::string name() const, summary() const, text() const;
  bool is_called(const std::string& word) const; // whether `word` is the name or an alias
  std::vector<Option> options() const;           // all options, also --help, in the order of declaration
  const std::deque<Command>& commands() const { return commands_; }
  std::optional<Option> find(const std::string& name) const; // finds an option by a name such as "--limit"
  const Command* chosen() const;                             // the command that the last parse chose; null: none
  std::vector<std::string> left_over() const;
  std::string help() const; // help of the chosen command, or else of the program

  enum class End { parsed, version, help, complaint };
  struct Complaint {
    enum class Kind { left_over, missing, no_number, refused, too_few, other } kind = Kind::other;
    std::string text; // CLI11's text
  };
  // Parses the words after the program's name, and calls the callback of the chosen command.
  End parse(std::vector<std::string> words, Complaint& complaint);

 private:
  Option* keep(CLI::Option* option);

  std::shared_ptr<CLI::App> app_;
  std::deque<Option> options_;
  std::deque<Command> commands_;
};

} // namespace warptune::cli
