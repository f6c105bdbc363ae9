// Chooses the Backend by the word before the colon in a device name. The shipped backends are built in; a program that
// drives another kind of device, such as a test, registers its own backend before worker_main.
#pragma once

#include "core/result.h"
#include "worker/backend.h"

#include <functional>
#include <memory>
#include <string>

namespace warptune {

// `device` is "auto", "cuda:0", "replay:PATH" or a registered name. Processes exchange cubins in the cache directory;
// empty: the standard one.
Result<std::unique_ptr<Backend>> make_backend(const std::string& device, const std::string& cache_directory);

// `argument`: the text after the colon.
using BackendFactory =
    std::function<Result<std::unique_ptr<Backend>>(const std::string& argument, const std::string& cache_directory)>;

void register_backend(const std::string& word, BackendFactory factory);

} // namespace warptune
