#include "plan/build_request.h"

#include "plan/plan_values.h"

#include <algorithm>

namespace warptune {
namespace {

std::string with_doubled_braces(const std::string& text) {
  std::string out;
  for (const char c : text) out.append(c == '{' || c == '}' ? 2 : 1, c);
  return out;
}

Result<std::string> piece_text(const BuildPiece& piece, const PlanValues& values, const DeviceInfo& device) {
  using Kind = BuildPiece::Kind;
  const std::string what = "'" + piece.expr.text() + "' of the build command";
  switch (piece.kind) {
  case Kind::text:
    return with_doubled_braces(piece.text);
  case Kind::arch:
    return device.arch;
  case Kind::output:
    return std::string("{output}");
  case Kind::folder:
    return std::string("{folder}");
  case Kind::dtype: {
    WT_TRY(const DType type, values.dtype(piece.expr, what));
    return std::string(dtype_name(type));
  }
  case Kind::label:
  case Kind::number:
    break;
  }
  WT_TRY(const std::int64_t value, values.integer(piece.expr, what));
  if (piece.kind == Kind::number) return std::to_string(value);
  const auto found =
      std::find_if(piece.labels.begin(), piece.labels.end(), [&](const auto& label) { return label.first == value; });
  if (found != piece.labels.end()) return found->second;
  return values.refuse(ErrorKind::bad_input, what + " has no label for " + std::to_string(value));
}

} // namespace

Result<BuildRequest> make_build_request(const Implementation& implementation, const PlanValues& values,
                                        const DeviceInfo& device) {
  BuildRequest request;
  request.implementation = implementation.name;
  request.version = implementation.build->version;
  for (const BuildWord& word : implementation.build->command) {
    std::string& text = request.command.emplace_back();
    for (const BuildPiece& piece : word) {
      WT_TRY(const auto part, piece_text(piece, values, device));
      text += part;
    }
  }
  return request;
}

std::string expand_build_word(const std::string& word, const std::string& output, const std::string& folder) {
  std::string out;
  for (std::size_t at = 0; at < word.size();) {
    const std::string_view rest = std::string_view(word).substr(at);
    if (rest.starts_with("{{") || rest.starts_with("}}")) {
      out += rest[0];
      at += 2;
    } else if (rest.starts_with("{output}")) {
      out += output;
      at += std::string_view("{output}").size();
    } else if (rest.starts_with("{folder}")) {
      out += folder;
      at += std::string_view("{folder}").size();
    } else {
      out += rest[0];
      ++at;
    }
  }
  return out;
}

} // namespace warptune
