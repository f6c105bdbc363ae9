// The smallest files that can be read as cubins: kernels, variables and registers, but no code. Also an operator whose
// second implementation is built by a script that returns such files.
#pragma once

#include <cstdint>
#include <elf.h>
#include <string>
#include <utility>
#include <vector>

namespace warptune::test {

template <class T> std::string bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

struct SmallCubin {
  unsigned architecture = 90;
  std::vector<std::string> kernels, variables;
  std::uint32_t registers = 40;          // per kernel
  unsigned char abi = 8;                 // 7: CUDA 12's, with the architecture in another place
  std::vector<std::string> missing = {}; // variables that the cubin declares but no file defines

  std::string image() const {
    std::string names(1, '\0'), strings(1, '\0'), symbols = bytes_of(Elf64_Sym{}), info;
    const auto name = [](std::string& table, const std::string& text) {
      const auto at = static_cast<Elf64_Word>(table.size());
      table += text + '\0';
      return at;
    };
    const auto add_variable = [&](const std::string& variable, Elf64_Section section) {
      Elf64_Sym symbol{};
      symbol.st_name = name(strings, variable);
      symbol.st_info = ELF64_ST_INFO(STB_LOCAL, STT_OBJECT);
      symbol.st_shndx = section;
      symbols += bytes_of(symbol);
    };
    for (const std::string& variable : variables) add_variable(variable, 1);
    for (const std::string& variable : missing) add_variable(variable, SHN_UNDEF);
    for (const std::string& kernel : kernels) {
      Elf64_Sym symbol{};
      symbol.st_name = name(strings, kernel);
      symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
      symbol.st_shndx = 1;
      const auto index = static_cast<std::uint32_t>(symbols.size() / sizeof symbol);
      symbols += bytes_of(symbol);
      info += std::string("\x04\x2f\x08\0", 4) + bytes_of(index) + bytes_of(registers);
    }
    std::vector<std::pair<Elf64_Shdr, std::string>> sections(1);
    const auto add = [&](const std::string& title, Elf64_Word type, std::string content, Elf64_Word link = 0) {
      Elf64_Shdr section{};
      section.sh_name = name(names, title);
      section.sh_type = type;
      section.sh_link = link;
      section.sh_size = content.size();
      sections.emplace_back(section, std::move(content));
    };
    add(".strtab", SHT_STRTAB, strings);
    add(".symtab", SHT_SYMTAB, symbols, 1);
    add(".nv.info", SHT_LOPROC, info, 2);
    for (const std::string& kernel : kernels) add(".text." + kernel, SHT_PROGBITS, "code");
    add(".shstrtab", SHT_STRTAB, {});
    sections.back().second = names;
    sections.back().first.sh_size = names.size();

    Elf64_Ehdr header{};
    const std::string magic = ELFMAG;
    std::copy(magic.begin(), magic.end(), header.e_ident);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_ABIVERSION] = abi;
    header.e_machine = 190;
    header.e_flags = abi >= 8 ? architecture << 8U : architecture | architecture << 16U;
    header.e_shnum = static_cast<Elf64_Half>(sections.size());
    header.e_shstrndx = static_cast<Elf64_Half>(sections.size() - 1);
    std::string body, table;
    for (auto& [section, content] : sections) {
      section.sh_offset = sizeof header + body.size();
      body += content;
      table += bytes_of(section);
    }
    header.e_shoff = sizeof header + body.size();
    return bytes_of(header) + body + table;
  }
};

} // namespace warptune::test
