// A compile request and what came of it as bytes: for the cubin cache, and between a program and its compile process.
// Integers are in the byte order of the machine, which is the machine the cubin is for.
#pragma once

#include "jit/compiler.h"

#include <optional>
#include <string>
#include <string_view>

namespace warptune {

// What the cache keeps: whether a failure may pass is not a part of it. Nothing: the bytes are not of this key, or cut.
std::string encode_result(const std::string& key, const CompileResult& result);
std::optional<CompileResult> decode_result(const std::string& key, std::string_view payload);

// A request that no command builds, with its time limit.
struct CompileOrder {
  CompileRequest request;
  double timeout_s = 0;
};
std::string encode_order(const CompileOrder& order);
std::optional<CompileOrder> decode_order(std::string_view payload); // nothing: of another version, or cut

// The whole answer of a compile process.
std::string encode_answer(const std::string& key, const Result<CompileResult>& answer);
std::optional<Result<CompileResult>> decode_answer(const std::string& key, std::string_view payload);

} // namespace warptune
