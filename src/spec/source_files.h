// SourceFiles: the text files of a kernel folder. Made by a TemplateStore or read from a database.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace warptune {

// By the names they are included by; the first is the main source.
struct SourceFiles {
  std::vector<std::pair<std::string, std::string>> files;
};

} // namespace warptune
