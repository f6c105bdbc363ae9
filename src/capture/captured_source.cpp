#include "capture/captured_source.h"

#include "core/text.h"
#include "jit/kernel_sources.h"
#include "spec/compile_options.h"
#include "spec/source_comments.h"
#include "spec/source_hash.h"
#include "starter/words.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <string_view>
#include <system_error>

namespace warptune {
namespace {

namespace fs = std::filesystem;

// "X=1" from "-DX=1", "--define-macro=X=1", or "-D" and the next option. nullopt for any other option.
std::optional<std::string> value_of(const std::vector<std::string>& options, std::size_t& at, std::string_view brief,
                                    std::string_view full) {
  const std::string_view option = trim(options[at]);
  if ((option == brief || option == full) && at + 1 < options.size()) return std::string(trim(options[++at]));
  if (option.starts_with(brief)) return std::string(trim(option.substr(brief.size())));
  if (option.starts_with(full) && option.substr(full.size()).starts_with('='))
    return std::string(option.substr(full.size() + 1));
  return std::nullopt;
}

// Options that a kernel folder sets itself, or that do not change a kernel's code.
bool is_set_anyway(std::string_view option) {
  constexpr std::string_view kNames[] = {"arch",     "gpu-architecture",
                                         "std",      "default-device",
                                         "lineinfo", "generate-line-info",
                                         "pch",      "device-as-default-execution-space",
                                         "no-cache", "no-source-include",
                                         "time",     "split-compile",
                                         "pch-dir",  "relocatable-device-code=false",
                                         "rdc=false"};
  option.remove_prefix(std::min(option.find_first_not_of('-'), option.size()));
  return std::any_of(std::begin(kNames), std::end(kNames), [&](std::string_view name) {
    return option.starts_with(name) && (option.size() == name.size() || option[name.size()] == '=');
  });
}

bool uses_word(const std::string& source, std::string_view word) {
  const std::string code = without_comments(source);
  const auto words = words_in(code);
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_toolkit(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "cuda_fp16.h", ignored);
}

class SourceMaker {
 public:
  explicit SourceMaker(const CapturedProgram& program) : program_(program) {}

  CapturedSource make() {
    out_.files.files = {{"kernel.cu", program_.source}};
    for (const auto& [name, text] : program_.headers)
      if (const std::string plain = normal_include(name);
          !name.starts_with('/') && is_inside(plain) && !find_source(out_.files, plain))
        out_.files.files.emplace_back(plain, text);
    read_options();
    add_headers_of_folders();
    if (!defines_.empty())
      out_.files.files.front().second = "// Options of the application's compile.\n" + defines_ + program_.source;
    return std::move(out_);
  }

 private:
  static bool is_inside(const std::string& name) {
    return !name.empty() && name.front() != '/' && !name.starts_with("..") && name != "kernel.cu";
  }

  void read_options() {
    std::vector<std::string> dropped;
    const std::vector<std::string>& options = program_.options;
    for (std::size_t at = 0; at < options.size(); ++at) {
      if (const auto macro = value_of(options, at, "-D", "--define-macro"))
        add_macro(*macro);
      else if (const auto folder = value_of(options, at, "-I", "--include-path"))
        folders_.emplace_back(*folder);
      else if (const std::string option(trim(options[at])); is_set_anyway(option))
        continue;
      else if (is_compile_option(option))
        out_.options.push_back(option);
      else
        dropped.push_back(option);
    }
    if (!dropped.empty())
      out_.notes.push_back(fmt::format("compile options that a kernel folder does not support were left out: {}",
                                       fmt::join(dropped, " ")));
  }

  void add_macro(const std::string& text) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const std::string value = equals == std::string::npos ? "1" : text.substr(equals + 1);
    if (name.empty()) return;
    std::int64_t number = 0;
    if (equals != std::string::npos && is_identifier(name) && parse_integer(value, number) == IntegerError::none &&
        uses_word(program_.source, name))
      out_.macros.emplace_back(name, number);
    else
      defines_ += fmt::format("#define {} {}\n", name, value);
  }

  void add_headers_of_folders() {
    for (std::size_t i = 0; i < out_.files.files.size(); ++i)
      for (const IncludedName& included : included_names(out_.files.files[i].second)) {
        const std::string name = normal_include(included.name);
        if (!is_inside(name) || find_source(out_.files, name)) continue;
        for (const fs::path& folder : folders_)
          if (!is_toolkit(folder))
            if (auto text = read_source_file(folder / name)) {
              out_.files.files.emplace_back(name, std::move(*text));
              break;
            }
      }
  }

  const CapturedProgram& program_;
  CapturedSource out_;
  std::vector<fs::path> folders_;
  std::string defines_;
};

} // namespace

CapturedSource captured_source(const CapturedProgram& program) { return SourceMaker(program).make(); }

} // namespace warptune
