// A locale whose decimal point is a comma, as an application may have. The locale before returns afterwards.
#pragma once

#include "support/temp_dir.h"

#include <clocale>
#include <cstdlib>
#include <optional>
#include <string>

namespace warptune::test {

class CommaLocale {
 public:
  CommaLocale() : before_(std::setlocale(LC_NUMERIC, nullptr)) {
    for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"})
      if ((active_ = activate(name))) return;
    // A machine without such a locale may have the sources of all locales.
    made_.emplace();
    const std::string make = "localedef -c -i de_DE -f UTF-8 " + (*made_ / "de_DE.UTF-8").string() + " >&2";
    if (std::system(make.c_str()) != 0) return;
    ::setenv("LOCPATH", made_->path().c_str(), 1);
    active_ = activate("de_DE.UTF-8");
  }
  ~CommaLocale() {
    std::setlocale(LC_NUMERIC, before_.c_str());
    if (made_) ::unsetenv("LOCPATH");
  }
  CommaLocale(const CommaLocale&) = delete;
  CommaLocale& operator=(const CommaLocale&) = delete;

  // False if this machine has no such locale and cannot make one.
  bool is_active() const { return active_; }

 private:
  static bool activate(const char* name) {
    return std::setlocale(LC_NUMERIC, name) != nullptr && *std::localeconv()->decimal_point == ',';
  }

  std::string before_;
  std::optional<TempDir> made_;
  bool active_ = false;
};

} // namespace warptune::test
