// Facts: the JSON objects that are in the files of a run folder. A damaged file counts as a file without facts.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace warptune {

// Returns one line. Replaces bytes that are not UTF-8.
std::string facts_text(const nlohmann::json& facts);

// These functions return one member of `facts`, which is the text of a file. If there is no member of this type, they
// return an empty text or 0.
std::string fact_text(const std::optional<std::string>& facts, const char* key);
double fact_number(const std::optional<std::string>& facts, const char* key);
std::int64_t fact_integer(const std::optional<std::string>& facts, const char* key);

} // namespace warptune
