// Facts: the JSON objects in the files of a run folder. A damaged file reads as one without facts.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace warptune {

// Returns one line. Bytes that are not UTF-8, which names and messages may contain, are replaced.
std::string facts_text(const nlohmann::json& facts);

// A member of `facts`, the text of a file; empty or 0 if there is none of that type.
std::string fact_text(const std::optional<std::string>& facts, const char* key);
double fact_number(const std::optional<std::string>& facts, const char* key);
std::int64_t fact_integer(const std::optional<std::string>& facts, const char* key);

} // namespace warptune
