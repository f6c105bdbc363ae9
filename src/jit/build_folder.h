// The private folder in which a kernel folder's command runs: copies of the command's input files, and an empty folder
// for its output. The folder is removed when its BuildFolder is destroyed.
#pragma once

#include "core/result.h"
#include "jit/run_command.h"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace warptune {

class BuildFolder {
 public:
  // `inputs`: name -> text. Error (internal): the folder cannot be written.
  static Result<BuildFolder> make(const std::vector<std::pair<std::string, std::string>>& inputs);
  BuildFolder(BuildFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  BuildFolder& operator=(BuildFolder&&) = delete;
  ~BuildFolder();

  std::filesystem::path inputs() const { return path_ / "inputs"; } // the command's working folder
  std::filesystem::path output() const { return path_ / "output"; }
  CommandEnd run(const std::vector<std::string>& words, const CommandOptions& options) const {
    return run_command(words, inputs(), path_, options);
  }

 private:
  explicit BuildFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

} // namespace warptune
