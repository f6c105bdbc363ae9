#include "jit/cubin_file.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace warptune {
namespace {

constexpr unsigned kMachineCuda = 190;                      // EM_CUDA
constexpr unsigned char kLateAbi = 8;                       // CUDA 13: the architecture is one byte higher in e_flags
constexpr std::size_t kMaxName = 4096, kMaxSymbols = 65536; // compilers emit a few hundred, of a few hundred bytes
// Entries of .nv.info: the forms that hold 2 bytes and a sized value, and attributes.
constexpr unsigned char kHalfword = 3, kValue = 4;
constexpr unsigned char kRegisterCount = 0x2f, kParameter = 0x17, kLargeParameter = 0x45, kParameterBytes = 0x19,
                        kLaunchBounds = 0x05;

constexpr std::string_view kConstants = ".nv.constant3"; // the section of __constant__ variables

constexpr const char* kLongName = "a name in it has more than 4096 bytes";

tl::unexpected<Error> refuse(const char* why) { return fail(ErrorKind::bad_input, why); }

// Reads that stay inside the image.
class Image {
 public:
  explicit Image(std::string_view bytes) : bytes_(bytes) {}

  template <class T> bool read(std::uint64_t at, T& value) const {
    static_assert(std::is_trivially_copyable_v<T>);
    if (at > bytes_.size() || bytes_.size() - at < sizeof(T)) return false;
    std::memcpy(&value, bytes_.data() + at, sizeof(T));
    return true;
  }
  std::string_view part(std::uint64_t at, std::uint64_t size) const {
    if (at > bytes_.size() || bytes_.size() - at < size) return {};
    return bytes_.substr(at, size);
  }
  std::string_view part(const Elf64_Shdr& section) const {
    return section.sh_type == SHT_NOBITS ? std::string_view() : part(section.sh_offset, section.sh_size);
  }

 private:
  std::string_view bytes_;
};

// nullopt: it is too long.
std::optional<std::string_view> text_at(std::string_view table, std::uint64_t at) {
  if (at >= table.size()) return std::string_view();
  const std::string_view text = table.substr(at, kMaxName + 1);
  const std::size_t size = std::min(text.find('\0'), text.size());
  if (size > kMaxName) return std::nullopt;
  return text.substr(0, size);
}

// Each entry of a section is a form, an attribute, a size, and a value of that size. Forms other than kValue have their
// value in place of the size. Calls `visit(form, attribute, size, value)`.
template <class Visit> void each_entry(std::string_view info, Visit&& visit) {
  const Image image(info);
  std::uint8_t form = 0, attribute = 0;
  std::uint16_t size = 0;
  for (std::uint64_t at = 0; image.read(at, form) && image.read(at + 1, attribute) && image.read(at + 2, size);) {
    at += 4;
    visit(form, attribute, size, Image(form == kValue ? image.part(at, size) : std::string_view()));
    if (form == kValue) at += size;
  }
}

// The section has pairs of symbol and register count.
void read_registers(std::string_view info, const std::vector<std::string_view>& symbol_names, CubinFile& file) {
  each_entry(info, [&](unsigned char, unsigned char attribute, std::uint16_t, const Image& value) {
    std::uint32_t symbol = 0, count = 0;
    if (attribute != kRegisterCount || !value.read(0, symbol) || !value.read(4, count)) return;
    if (symbol >= symbol_names.size()) return;
    if (const auto kernel = file.kernels.find(symbol_names[symbol]); kernel != file.kernels.end())
      kernel->second = static_cast<int>(count & 0xffff);
  });
}

// The parameters of one kernel, in any order: an index, an ordinal, an offset and a size. The size is above 18 bits of
// flags, or on its own if the parameters take more than 4 KB. The result is used only if the parameters end where the
// kernel says that they end.
std::optional<std::vector<std::uint32_t>> read_parameters(std::string_view info) {
  std::map<std::uint16_t, std::uint32_t> sizes;
  std::uint32_t end = 0, stated_end = 0;
  each_entry(info, [&](unsigned char form, unsigned char attribute, std::uint16_t size, const Image& value) {
    if (form == kHalfword && attribute == kParameterBytes) stated_end = size;
    std::uint16_t ordinal = 0, offset = 0;
    std::uint32_t bytes = 0;
    const bool is_large = attribute == kLargeParameter;
    if ((attribute != kParameter && !is_large) || !value.read(4, ordinal) || !value.read(6, offset) ||
        !value.read(8, bytes))
      return;
    if (!is_large) bytes >>= 18U;
    sizes[ordinal] = bytes;
    end = std::max(end, offset + bytes);
  });
  if (end != stated_end || (!sizes.empty() && sizes.rbegin()->first + std::size_t{1} != sizes.size()))
    return std::nullopt;
  std::vector<std::uint32_t> in_order;
  for (const auto& [ordinal, size] : sizes) in_order.push_back(size);
  return in_order;
}

// The threads per block of __launch_bounds__: three numbers, and the driver compares their product.
std::optional<std::int64_t> read_max_threads(std::string_view info) {
  std::optional<std::int64_t> threads;
  each_entry(info, [&](unsigned char, unsigned char attribute, std::uint16_t, const Image& value) {
    std::uint32_t x = 0, y = 0, z = 0;
    if (attribute != kLaunchBounds || !value.read(0, x) || !value.read(4, y) || !value.read(8, z)) return;
    constexpr std::uint32_t kMost = 65536; // a block has at most 1024
    threads = std::int64_t{std::min(x, kMost)} * std::min(y, kMost) * std::min(z, kMost);
  });
  return threads;
}

} // namespace

Result<CubinFile> read_cubin_file(std::string_view bytes) {
  const Image image(bytes);
  Elf64_Ehdr header{};
  if (!image.read(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return refuse("it is not an ELF file");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != kMachineCuda)
    return refuse("it is not an ELF file for a GPU");
  CubinFile file;
  const bool late = header.e_ident[EI_ABIVERSION] >= kLateAbi;
  file.architecture = static_cast<int>((late ? header.e_flags >> 8U : header.e_flags) & 0xffU);

  std::vector<Elf64_Shdr> sections(header.e_shnum);
  for (std::size_t i = 0; i < sections.size(); ++i)
    if (!image.read(header.e_shoff + i * sizeof(Elf64_Shdr), sections[i]))
      return refuse("its section table is cut off");
  if (header.e_shstrndx >= sections.size()) return refuse("its sections have no names");
  const std::string_view names = image.part(sections[header.e_shstrndx]);
  std::vector<std::string_view> symbol_names;
  bool has_symbols = false;
  std::size_t unread = bytes.size(); // shared by all constants
  const auto is_zero_constant = [&](const Elf64_Sym& symbol) {
    if (symbol.st_size == 0 || symbol.st_shndx >= sections.size()) return false;
    const Elf64_Shdr& section = sections[symbol.st_shndx];
    if (text_at(names, section.sh_name) != kConstants) return false;
    const std::string_view value = Image(image.part(section)).part(symbol.st_value, symbol.st_size);
    if (value.empty() || value.size() > unread) return false; // overlapping variables: no compiler emits them
    unread -= value.size();
    return value.find_first_not_of('\0') == std::string_view::npos;
  };
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size()) continue;
    if (std::exchange(has_symbols, true)) return refuse("it has more than one symbol table");
    if (section.sh_size / sizeof(Elf64_Sym) > kMaxSymbols) return refuse("it has more than 65536 symbols");
    const std::string_view strings = image.part(sections[section.sh_link]);
    const Image table(image.part(section));
    Elf64_Sym symbol{};
    for (std::uint64_t at = 0; table.read(at, symbol); at += sizeof symbol) {
      const auto name = text_at(strings, symbol.st_name);
      if (!name) return refuse(kLongName);
      symbol_names.push_back(*name);
      if (ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT || symbol.st_shndx == SHN_UNDEF) continue;
      file.symbols.insert(symbol_names.back());
      if (is_zero_constant(symbol)) file.zero_constants.insert(symbol_names.back());
    }
  }
  constexpr std::string_view kCode = ".text.", kKernelInfo = ".nv.info.";
  std::string_view info;
  unread = bytes.size(); // shared by the sections of all kernels
  for (const Elf64_Shdr& section : sections) {
    const auto name = text_at(names, section.sh_name);
    if (!name) return refuse(kLongName);
    if (name->starts_with(kCode)) file.kernels.emplace(name->substr(kCode.size()), 0);
    if (*name == ".nv.info") info = image.part(section); // there is one
    if (!name->starts_with(kKernelInfo)) continue;
    const std::string_view of_kernel = image.part(section);
    if (of_kernel.size() > unread) continue; // overlapping sections: no compiler emits them
    unread -= of_kernel.size();
    if (auto parameters = read_parameters(of_kernel))
      file.parameters.emplace(name->substr(kKernelInfo.size()), std::move(*parameters));
    if (const auto threads = read_max_threads(of_kernel))
      file.max_threads.emplace(name->substr(kKernelInfo.size()), *threads);
  }
  read_registers(info, symbol_names, file);
  return file;
}

} // namespace warptune
