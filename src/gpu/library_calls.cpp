#include "gpu/library_calls.h"

#include "core/text.h"
#include "gpu/cublaslt_library.h"
#include "gpu/driver_library.h"

#include <cstdlib>
#include <fmt/format.h>
#include <set>

namespace warptune {
namespace {

constexpr const char* kDisable = "WARPTUNE_DISABLE_LIBRARIES";

bool is_disabled(std::string_view name) {
  const char* list = std::getenv(kDisable);
  if (list == nullptr) return false;
  for (const std::string_view item : split(list, ','))
    if (item == name) return true;
  return false;
}

} // namespace

bool vendor_is_allowed() {
  const char* chosen = std::getenv("WARPTUNE_ALLOW_VENDOR");
  return chosen != nullptr && std::string_view(chosen) == "1";
}

Result<const VendorLibrary*> find_vendor_library(std::string_view name) {
  if (is_disabled(name))
    return fail(ErrorKind::no_candidate,
                fmt::format("the library {} is disabled by {}; remove it from this variable", quote(name), kDisable));
  if (name == "driver") return &driver_library();
  if (name == "cublaslt") return &cublaslt_library();
  return fail(ErrorKind::no_candidate,
              fmt::format("this version of warptune does not support the library {}", quote(name)));
}

Result<std::unique_ptr<const PreparedCall>> prepare_call(const Driver& driver, const LibraryCallPlan& call,
                                                         const LaunchPlan& plan) {
  WT_TRY(const VendorLibrary* const library, find_vendor_library(call.library));
  return library->prepare(driver, call, plan);
}

std::vector<std::string> library_versions(const Driver& driver, const KernelSpec& spec) {
  std::set<std::string> names;
  for (const Implementation& implementation : spec.implementations)
    for (const LibraryCall& call : implementation.library_calls) names.insert(call.library);
  names.erase("driver");
  std::vector<std::string> versions;
  for (const std::string& name : names) {
    const auto library = find_vendor_library(name);
    const auto version = library ? (*library)->version(driver) : tl::make_unexpected(library.error());
    if (version) versions.push_back(name + " " + *version);
  }
  return versions;
}

Result<void> check_library_calls(const Driver& driver, const LaunchPlan& plan) {
  for (const LibraryCallPlan& call : plan.library_calls) WT_CHECK(prepare_call(driver, call, plan));
  return {};
}

} // namespace warptune
