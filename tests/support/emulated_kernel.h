// Compiles a folder's kernels with the host's compiler and runs them on an emulated device
// (tests/data/emulated_device), to test their results without a GPU. Blocks have one dimension, grids three.
#pragma once

#include "jit/template_store.h"
#include "plan/plan.h"
#include "support/paths.h"

#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace warptune::test {

// The launches of some configurations, from one source each.
class EmulatedKernels {
 public:
  using Launch = void (*)(void** args, const unsigned* grid, int threads, int cluster_blocks);

  // `source`: a name in Kernel::sources. Call it before build().
  void add(const std::string& source, const LaunchPlan& plan) {
    for (const KernelLaunch& launch : plan.launches) wanted_[source].insert(launch.name_expression);
  }

  // Compiles one library below `folder`. Throws if the compiler fails; its messages are on stderr.
  void build(const Kernel& kernel, const std::filesystem::path& folder) {
    const std::filesystem::path device = data_dir() / "emulated_device";
    for (const auto& [name, text] : kernel.sources.files) {
      if (name.starts_with("common/") || name == "spec.json") continue;
      std::filesystem::create_directories((folder / name).parent_path());
      // Uses a replacement if the original contains PTX.
      const std::filesystem::path instead = device / kernel.spec.name / name;
      if (exists(instead))
        copy_file(instead, folder / name);
      else
        write(folder / name, text);
    }
    write(folder / "launches.cpp", program(kernel));
    const std::string library = (folder / "launches.so").string();
    const std::string command = fmt::format("{} -shared -I'{}' -I'{}' -I'{}' {} '{}' '{}' -o '{}'", WT_HOST_COMPILER,
                                            device.string(), (share_dir() / "kernel_templates").string(),
                                            folder.string(), macros(kernel.spec.implementations.front()),
                                            (folder / "launches.cpp").string(), WT_EMULATED_FIBERS, library);
    if (std::system(command.c_str()) != 0) throw std::runtime_error("does not compile: " + command);
    library_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library_) throw std::runtime_error(dlerror());
  }

  // The memory that the next launches may access: begin and end of each buffer.
  void set_buffers(const std::vector<std::pair<std::uintptr_t, std::uintptr_t>>& buffers) const {
    using Set = void (*)(const std::pair<std::uintptr_t, std::uintptr_t>*, std::size_t);
    reinterpret_cast<Set>(dlsym(library_, "set_buffers"))(buffers.data(), buffers.size());
  }

  Launch find(const std::string& source, const std::string& name_expression) const {
    const auto launch = reinterpret_cast<Launch>(dlsym(library_, symbol(source, name_expression).c_str()));
    if (!launch) throw std::runtime_error("not built: " + name_expression);
    return launch;
  }

 private:
  static void write(const std::filesystem::path& path, const std::string& text) {
    std::FILE* const file = std::fopen(path.c_str(), "w");
    if (!file || std::fwrite(text.data(), 1, text.size(), file) != text.size()) throw std::runtime_error(path);
    std::fclose(file);
  }
  // Returns only macros with a fixed text, because others may differ between the configurations of a library.
  static std::string macros(const Implementation& implementation) {
    std::string options;
    for (const Define& define : implementation.defines)
      if (define.value.kind == SourceValue::Kind::text)
        options += fmt::format("'-D{}={}' ", define.name, define.value.text);
    return options;
  }
  std::string symbol(const std::string& source, const std::string& name_expression) const {
    const auto found = wanted_.find(source);
    const auto at = found->second.find(name_expression);
    return fmt::format("launch_{}_{}", std::distance(wanted_.begin(), found),
                       at == found->second.end() ? -1 : std::distance(found->second.begin(), at));
  }

  // Finds the `operand` of an #include line in the file `source` of the kernel's folder; a header beside the source
  // comes first.
  static std::string included(const Kernel& kernel, const std::string& source, const std::string& operand) {
    if (!operand.starts_with('"')) return operand;
    const std::string beside = source.substr(0, source.rfind('/') + 1) + operand.substr(1, operand.find('"', 1) - 1);
    for (const auto& [name, text] : kernel.sources.files)
      if (name == beside) return '"' + beside + '"';
    return operand;
  }

  // Defines memory for the `extern __shared__ TYPE NAME[];` of a source, as large as a block can have.
  static std::string dynamic_shared(const std::string& code) {
    static const std::regex declaration(R"(extern __shared__ (?:__align__\(\d+\) )?([\w ]+) (\w+)\[\];)");
    std::smatch found;
    if (!std::regex_search(code, found, declaration)) return "";
    return fmt::format("thread_local {0} {1}[232448 / sizeof({0})] alignas(128);\n", found[1].str(), found[2].str());
  }

  // Implementations have kernels with the same name, so each source gets a namespace. The includes, and the memory that
  // headers declare, are placed before the namespaces.
  std::string program(const Kernel& kernel) const {
    std::string includes = "#include \"emulated_device.h\"\n", sources, memory;
    for (const auto& [name, code] : kernel.sources.files)
      if (name.ends_with(".cuh")) memory += dynamic_shared(code);
    for (const auto& [source, expressions] : wanted_) {
      std::string own_memory;
      for (const auto& [name, code] : kernel.sources.files) {
        if (name != source) continue;
        own_memory = dynamic_shared(code);
        for (std::size_t at = 0; (at = code.find("#include ", at)) != std::string::npos; ++at)
          includes +=
              fmt::format("#include {}\n", included(kernel, name, code.substr(at + 9, code.find('\n', at) - at - 9)));
      }
      sources += fmt::format("namespace of_{} {{\n{}#include \"{}\"\n",
                             std::distance(wanted_.begin(), wanted_.find(source)), own_memory, source);
      for (const std::string& expression : expressions)
        sources += fmt::format("extern \"C\" void {}(void** args, const unsigned* grid, int threads, int blocks) {{\n"
                               "  emulated::launch({}, args, grid, threads, blocks);\n}}\n",
                               symbol(source, expression), expression);
      sources += "}\n";
    }
    return includes + memory + sources;
  }

  std::map<std::string, std::set<std::string>> wanted_; // source -> name expressions
  void* library_ = nullptr;
};

} // namespace warptune::test
