// SourceFiles: the text files of a kernel folder. A TemplateStore reads them from disk, or they come from a database.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace warptune {

// Pairs of a file's name, as #include uses it, and its text. The first file is the main source.
struct SourceFiles {
  std::vector<std::pair<std::string, std::string>> files;
};

} // namespace warptune
