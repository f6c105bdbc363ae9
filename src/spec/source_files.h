// SourceFiles: the text files of a kernel folder. A TemplateStore reads them from disk, or they come from a database.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace warptune {

// Each pair is a file's name (as in #include) and its text. The first file is the main source.
struct SourceFiles {
  std::vector<std::pair<std::string, std::string>> files;
};

} // namespace warptune
