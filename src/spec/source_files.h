// SourceFiles: the text files of a kernel folder. A TemplateStore makes it, or it is read from a database.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace warptune {

// Pairs of a name, as used by #include, and the file's text. The first file is the main source.
struct SourceFiles {
  std::vector<std::pair<std::string, std::string>> files;
};

} // namespace warptune
