#include "intercept/code_image.h"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <elf.h>
#include <string_view>

namespace warptune::intercept {
namespace {

constexpr std::uint32_t kFatbinMagic = 0xba55ed50, kFatbinWrapperMagic = 0x466243b1;

std::string id_of(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325; // FNV-1a
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  char text[48];
  std::snprintf(text, sizeof text, "%016llx-%zu", static_cast<unsigned long long>(hash), bytes.size());
  return text;
}

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '%';
}

std::vector<std::string> ptx_kernels(std::string_view text) {
  std::vector<std::string> names;
  constexpr std::string_view kEntry = ".entry";
  for (std::size_t at = 0; (at = text.find(kEntry, at)) != std::string_view::npos;) {
    at += kEntry.size();
    const std::size_t begin = text.find_first_not_of(" \t\r\n", at);
    if (begin == at || begin == std::string_view::npos) continue;
    std::size_t end = begin;
    while (end < text.size() && is_name_char(text[end])) ++end;
    if (end > begin) names.emplace_back(text.substr(begin, end - begin));
  }
  return names;
}

// Each section ".text.NAME" of a cubin is a kernel.
CodeImage read_cubin(const char* bytes) {
  CodeImage image{"cubin", {}, {}};
  Elf64_Ehdr head;
  std::memcpy(&head, bytes, sizeof head);
  if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_shentsize != sizeof(Elf64_Shdr)) return image;
  std::size_t size = sizeof head;
  const auto reach = [&](std::size_t end) { size = end > size ? end : size; };
  reach(head.e_shoff + std::size_t{head.e_shnum} * head.e_shentsize);
  reach(head.e_phoff + std::size_t{head.e_phnum} * head.e_phentsize);
  std::vector<Elf64_Shdr> sections(head.e_shnum);
  if (!sections.empty()) std::memcpy(sections.data(), bytes + head.e_shoff, sections.size() * sizeof(Elf64_Shdr));
  for (const Elf64_Shdr& section : sections)
    if (section.sh_type != SHT_NOBITS) reach(section.sh_offset + section.sh_size);
  image.id = id_of({bytes, size});
  if (head.e_shstrndx >= sections.size()) return image;
  const char* names = bytes + sections[head.e_shstrndx].sh_offset;
  constexpr std::string_view kText = ".text.";
  for (const Elf64_Shdr& section : sections)
    if (const std::string_view name = names + section.sh_name; name.substr(0, kText.size()) == kText)
      image.kernels.emplace_back(name.substr(kText.size()));
  return image;
}

} // namespace

CodeImage read_image(const void* image) {
  if (image == nullptr) return {};
  const char* bytes = static_cast<const char*>(image);
  std::uint32_t magic = 0;
  for (std::size_t i = 0; i < sizeof magic; ++i) { // stops at the end of a shorter text
    magic |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    if (bytes[i] == '\0') break;
  }
  if (magic == kFatbinMagic || magic == kFatbinWrapperMagic) return {"fatbin", {}, {}};
  if (std::strncmp(bytes, ELFMAG, SELFMAG) == 0) return read_cubin(bytes);
  if (bytes[0] != '/' && bytes[0] != '.' && bytes[0] != '\n' && bytes[0] != ' ' && bytes[0] != '\t') return {};
  const std::string_view text = bytes;
  return {"ptx", id_of(text), ptx_kernels(text)};
}

} // namespace warptune::intercept
