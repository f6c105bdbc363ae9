// Which Backend answers to which word before the colon of a device name. The shipped ones are known; a program that
// drives another kind of device (a test, for one) registers it before worker_main.
#pragma once

#include "core/result.h"
#include "worker/backend.h"

#include <functional>
#include <memory>
#include <string>

namespace warptune {

// "auto", "cuda:0", "replay:PATH" or what was registered. The cache directory is where cubins travel; empty: the
// standard one.
Result<std::unique_ptr<Backend>> make_backend(const std::string& device, const std::string& cache_directory);

// `argument`: what follows the colon.
using BackendFactory =
    std::function<Result<std::unique_ptr<Backend>>(const std::string& argument, const std::string& cache_directory)>;

void register_backend(const std::string& word, BackendFactory factory);

} // namespace warptune
