// Declares the options of a command, and reports how the command line was parsed. Wraps CLI11, whose headers take
// seconds to compile; only options.cpp includes them. Functions behave like the functions of CLI11 with the same
// names.
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

// An option is valid as long as its command.
class Option {
 public:
  // Returns the error in the value, to be printed after the option's name; empty: no error.
  using Check = std::function<std::string(const std::string&)>;

  explicit Option(CLI::Option* option) : option_(option) {}
  Option* required(bool needed = true);
  Option* description(const std::string& text);
  Option* type_name(const std::string& name);   // "FILE": the name of the value in help
  Option* option_text(const std::string& text); // sets the help after the names, in place of type and default
  Option* group(const std::string& name);       // "": hidden in help
  Option* expected(int values);
  Option* expected(int low, int high);
  Option* allow_extra_args(bool allowed); // allows several values after one name
  Option* delimiter(char between);
  Option* default_str(const std::string& text); // the value if only the name is given
  Option* capture_default_str();                // help shows the variable's current value as the default
  Option* excludes(Option* other);
  Option* check(Check check);
  Option* one_of(std::initializer_list<int> values);

  std::vector<std::string> short_names() const, long_names() const; // without their hyphens
  std::string positional_name() const, value_name() const, text() const;
  bool is_hidden() const, is_required() const;
  int values_min() const, values_max() const; // the number of values that each use of the option takes
  bool takes_none() const;                    // never takes a value: a flag

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
  Option* get_option(const char* name); // precondition: it exists
  void alias(const char* name);
  void footer(const std::string& text);
  void callback(std::function<void()> chosen);
  Command* add_command(const char* name, const char* summary);
  void add_version_flag(const char* names, const std::string& version, const char* help);

  std::string name() const, summary() const, text() const;
  bool is_called(const std::string& word) const; // whether `word` is the command's name or an alias
  std::vector<Option> options() const;           // all options in the order of declaration, including --help
  const std::deque<Command>& commands() const { return commands_; }
  std::optional<Option> find(const std::string& name) const; // the option with a name such as "--limit"
  const Command* chosen() const;                             // the command that the last parse found; null: none
  std::vector<std::string> left_over() const;
  std::string help() const; // the help of the chosen command, otherwise of the program

  enum class End { parsed, version, help, complaint };
  struct Complaint {
    enum class Kind { left_over, missing, no_number, refused, too_few, other } kind = Kind::other;
    std::string text; // CLI11's text
  };
  // Reads the words after the program's name; calls the callback of the chosen command.
  End parse(std::vector<std::string> words, Complaint& complaint);

 private:
  Option* keep(CLI::Option* option);

  std::shared_ptr<CLI::App> app_;
  std::deque<Option> options_;
  std::deque<Command> commands_;
};

} // namespace warptune::cli
