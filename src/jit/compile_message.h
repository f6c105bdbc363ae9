// Encodes a compile request and its result as bytes, for the cubin cache and between a program and its compile process.
// Integers are in the machine's byte order, because the cubin is for this machine.
#pragma once

#include "jit/compiler.h"

#include <optional>
#include <string>
#include <string_view>

namespace warptune {

// The cache's format, which does not store whether a failure is temporary. Decoding returns nullopt if the bytes are
// truncated or belong to another key.
std::string encode_result(const std::string& key, const CompileResult& result);
std::optional<CompileResult> decode_result(const std::string& key, std::string_view payload);

// A request with its time limit. Not for requests that a command builds.
struct CompileOrder {
  CompileRequest request;
  double timeout_s = 0;
};
std::string encode_order(const CompileOrder& order);
std::optional<CompileOrder> decode_order(std::string_view payload); // nullopt: another version, or truncated

// The whole answer of a compile process.
std::string encode_answer(const std::string& key, const Result<CompileResult>& answer);
std::optional<Result<CompileResult>> decode_answer(const std::string& key, std::string_view payload);

} // namespace warptune
