// Encodes a compile request and its result as bytes, for the cubin cache and for messages to a compile process.
// Integers have this machine's byte order, because requests and results never leave the machine.
#pragma once

#include "jit/compiler.h"

#include <optional>
#include <string>
#include <string_view>

namespace warptune {

// The format of the cache. It does not store CompileFailure::passing. Decoding returns nullopt if the bytes are
// truncated or belong to another key.
std::string encode_result(const std::string& key, const CompileResult& result);
std::optional<CompileResult> decode_result(const std::string& key, std::string_view payload);

// A request with its time limit. Precondition: request.build is not set.
struct CompileOrder {
  CompileRequest request;
  double timeout_s = 0;
};
std::string encode_order(const CompileOrder& order);
std::optional<CompileOrder> decode_order(std::string_view payload); // nullopt: truncated, or written by another version

// The complete answer of a compile process.
std::string encode_answer(const std::string& key, const Result<CompileResult>& answer);
std::optional<Result<CompileResult>> decode_answer(const std::string& key, std::string_view payload);

} // namespace warptune
