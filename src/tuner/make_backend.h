// Makes a Backend from a device name; the word before the colon decides which. The shipped backends are built in. A
// program that drives another kind of device, such as a test, registers its own backend before it calls worker_main.
#pragma once

#include "core/result.h"
#include "worker/backend.h"

#include <functional>
#include <memory>
#include <string>

namespace warptune {

// `device`: "auto", "cuda:0", "replay:PATH" or a registered name. `cache_directory`: the cubin cache through which
// processes exchange cubins; empty: the standard one.
Result<std::unique_ptr<Backend>> make_backend(const std::string& device, const std::string& cache_directory);

// `argument`: the text after the colon of the device name.
using BackendFactory =
    std::function<Result<std::unique_ptr<Backend>>(const std::string& argument, const std::string& cache_directory)>;

void register_backend(const std::string& word, BackendFactory factory);

} // namespace warptune
