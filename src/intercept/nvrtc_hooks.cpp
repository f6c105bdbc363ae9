// Wraps NVRTC in the application and records the sources that it compiles. CUPTI does not report NVRTC calls, so this
// library is preloaded: the loader binds the four functions below to it, and dlsym returns them too.
//
// A process can load several versions of NVRTC. Each gets a slot: the real functions, and wrappers that call these.
#include "intercept/code_image.h"
#include "intercept/json_line.h"
#include "intercept/record_file.h"
#include "intercept/settings.h"

#include <array>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#define WT_EXPORT extern "C" __attribute__((visibility("default")))

namespace warptune::intercept {
namespace {

using Handle = void*; // nvrtcProgram

using Symbol = void* (*)(void*, const char*);
using Create = int (*)(Handle*, const char*, const char*, int, const char* const*, const char* const*);
using Destroy = int (*)(Handle*);
using Compile = int (*)(Handle, int, const char* const*);
using AddName = int (*)(Handle, const char*);
using GetSize = int (*)(Handle, std::size_t*);
using GetCode = int (*)(Handle, char*);

constexpr int kOk = 0;
constexpr int kInternalError = 11; // NVRTC_ERROR_INTERNAL_ERROR

Symbol real_dlsym() {
  static const Symbol real = [] {
    void* found = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
    return reinterpret_cast<Symbol>(found != nullptr ? found : dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34"));
  }();
  return real;
}

void* library_of(const void* address) {
  Dl_info info{};
  return dladdr(address, &info) == 0 ? nullptr : info.dli_fbase;
}

bool is_own(const void* address) { return library_of(address) == library_of(reinterpret_cast<void*>(&real_dlsym)); }

struct Program {
  std::string name, source;
  std::vector<std::pair<std::string, std::string>> headers; // name, text
  std::vector<std::string> expressions;
};

std::string texts(const std::vector<std::string>& all) {
  std::string elements;
  for (const std::string& one : all) add_element(elements, json_text(one));
  return "[" + elements + "]";
}

std::string program_json(const Program& program, const std::vector<std::string>& options,
                         const std::vector<CodeImage>& images, int result) {
  std::string headers, ids;
  std::vector<std::string> kernels;
  for (const auto& [name, text] : program.headers)
    add_element(headers, "[" + json_text(name) + "," + json_text(text) + "]");
  for (const CodeImage& image : images) {
    if (!image.id.empty()) add_element(ids, json_text(image.id));
    kernels.insert(kernels.end(), image.kernels.begin(), image.kernels.end());
  }
  return JsonObject()
      .raw("program", JsonObject()
                          .text("name", program.name)
                          .text("source", program.source)
                          .raw("headers", "[" + headers + "]")
                          .raw("options", texts(options))
                          .raw("expressions", texts(program.expressions))
                          .raw("images", "[" + ids + "]")
                          .raw("kernels", texts(kernels))
                          .number("result", result)
                          .str())
      .str();
}

struct Slot {
  void* library = nullptr; // the library's base address
  Create create = nullptr;
  Destroy destroy = nullptr;
  Compile compile = nullptr;
  AddName add_name = nullptr;
  GetSize cubin_size = nullptr, ptx_size = nullptr;
  GetCode cubin = nullptr, ptx = nullptr;
  std::map<Handle, Program> programs;
};

constexpr int kSlots = 4;

struct State {
  std::mutex mutex;
  std::array<Slot, kSlots> slots;
};

State& state() {
  static State& all = *new State;
  return all;
}

template <class Function> void look_up(void* handle, const char* name, Function& function) {
  function = reinterpret_cast<Function>(real_dlsym()(handle, name));
}

// The slot of the NVRTC library that contains `function`; -1 if all slots are taken.
int slot_of(void* function) {
  Dl_info info{};
  if (function == nullptr || dladdr(function, &info) == 0) return -1;
  State& all = state();
  const std::lock_guard lock(all.mutex);
  for (int i = 0; i < kSlots; ++i) {
    Slot& slot = all.slots[static_cast<std::size_t>(i)];
    if (slot.library == info.dli_fbase) return i;
    if (slot.library != nullptr) continue;
    void* handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) return -1;
    look_up(handle, "nvrtcCreateProgram", slot.create);
    look_up(handle, "nvrtcDestroyProgram", slot.destroy);
    look_up(handle, "nvrtcCompileProgram", slot.compile);
    look_up(handle, "nvrtcAddNameExpression", slot.add_name);
    look_up(handle, "nvrtcGetCUBINSize", slot.cubin_size);
    look_up(handle, "nvrtcGetCUBIN", slot.cubin);
    look_up(handle, "nvrtcGetPTXSize", slot.ptx_size);
    look_up(handle, "nvrtcGetPTX", slot.ptx);
    dlclose(handle); // the application keeps it open
    if (slot.create == nullptr || slot.destroy == nullptr || slot.compile == nullptr || slot.add_name == nullptr)
      return -1;
    slot.library = info.dli_fbase;
    return i;
  }
  return -1;
}

void add_image(Handle program, GetSize get_size, GetCode get_code, std::vector<CodeImage>& images) {
  std::size_t size = 0;
  if (get_size == nullptr || get_code == nullptr || get_size(program, &size) != kOk || size < 2) return;
  std::string code(size + 1, '\0');
  if (get_code(program, code.data()) == kOk) images.push_back(read_image(code.data()));
}

int create_program(Slot& slot, Handle* program, const char* source, const char* name, int headers,
                   const char* const* header_texts, const char* const* header_names) {
  const int result = slot.create(program, source, name, headers, header_texts, header_names);
  if (result != kOk || program == nullptr || source == nullptr || !settings().is_on()) return result;
  Program made{name == nullptr ? "" : name, source, {}, {}};
  for (int i = 0; i < headers; ++i)
    if (header_texts != nullptr && header_names != nullptr) made.headers.emplace_back(header_names[i], header_texts[i]);
  const std::lock_guard lock(state().mutex);
  slot.programs[*program] = std::move(made);
  return result;
}

int destroy_program(Slot& slot, Handle* program) {
  if (program != nullptr) {
    const std::lock_guard lock(state().mutex);
    slot.programs.erase(*program);
  }
  return slot.destroy(program);
}

int add_name_expression(Slot& slot, Handle program, const char* expression) {
  const int result = slot.add_name(program, expression);
  if (result != kOk || expression == nullptr) return result;
  const std::lock_guard lock(state().mutex);
  if (const auto found = slot.programs.find(program); found != slot.programs.end())
    found->second.expressions.emplace_back(expression);
  return result;
}

int compile_program(Slot& slot, Handle program, int count, const char* const* options) {
  const int result = slot.compile(program, count, options);
  Program copy;
  {
    const std::lock_guard lock(state().mutex);
    const auto found = slot.programs.find(program);
    if (found == slot.programs.end()) return result;
    copy = found->second;
  }
  std::vector<std::string> texts;
  for (int i = 0; i < count; ++i) texts.emplace_back(options[i]);
  std::vector<CodeImage> images;
  if (result == kOk) {
    add_image(program, slot.cubin_size, slot.cubin, images);
    add_image(program, slot.ptx_size, slot.ptx, images);
  }
  RecordFile::get().line(program_json(copy, texts, images, result));
  return result;
}

template <int kSlot> struct Wrappers {
  static Slot& slot() { return state().slots[kSlot]; }
  static int create(Handle* program, const char* source, const char* name, int headers, const char* const* header_texts,
                    const char* const* header_names) {
    return create_program(slot(), program, source, name, headers, header_texts, header_names);
  }
  static int destroy(Handle* program) { return destroy_program(slot(), program); }
  static int compile(Handle program, int count, const char* const* options) {
    return compile_program(slot(), program, count, options);
  }
  static int add_name(Handle program, const char* expression) {
    return add_name_expression(slot(), program, expression);
  }
  static void* find(const char* name) {
    if (std::strcmp(name, "nvrtcCreateProgram") == 0) return reinterpret_cast<void*>(&create);
    if (std::strcmp(name, "nvrtcDestroyProgram") == 0) return reinterpret_cast<void*>(&destroy);
    if (std::strcmp(name, "nvrtcCompileProgram") == 0) return reinterpret_cast<void*>(&compile);
    if (std::strcmp(name, "nvrtcAddNameExpression") == 0) return reinterpret_cast<void*>(&add_name);
    return nullptr;
  }
};

void* wrapper(int slot, const char* name) {
  static constexpr std::array<void* (*)(const char*), kSlots> kFind = {&Wrappers<0>::find, &Wrappers<1>::find,
                                                                       &Wrappers<2>::find, &Wrappers<3>::find};
  return slot < 0 ? nullptr : kFind[static_cast<std::size_t>(slot)](name);
}

struct Search {
  const char* name;
  void* found;
};

int visit_library(dl_phdr_info* info, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  if (search.found != nullptr || std::strstr(info->dlpi_name, "libnvrtc.so") == nullptr) return 0;
  if (void* handle = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD)) {
    search.found = real_dlsym()(handle, search.name);
    dlclose(handle);
  }
  return 0;
}

// The function that a direct call from `caller` would reach without this library. Searches the libraries that the
// caller depends on, then those loaded after this one, then any loaded NVRTC.
void* function_for(const char* name, const void* caller) {
  Dl_info info{};
  if (dladdr(caller, &info) != 0)
    if (void* handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD)) {
      void* found = real_dlsym()(handle, name);
      dlclose(handle);
      if (found != nullptr && !is_own(found)) return found;
    }
  if (void* found = real_dlsym()(RTLD_NEXT, name)) return found;
  Search search{name, nullptr};
  dl_iterate_phdr(visit_library, &search);
  return search.found;
}

template <class Function, class... Values> int call(const char* name, const void* caller, Values... values) {
  void* real = function_for(name, caller);
  void* chosen = wrapper(slot_of(real), name);
  if (chosen == nullptr) chosen = real;
  return chosen == nullptr ? kInternalError : reinterpret_cast<Function>(chosen)(values...);
}

} // namespace
} // namespace warptune::intercept

using namespace warptune::intercept;

WT_EXPORT int nvrtcCreateProgram(void** program, const char* source, const char* name, int headers,
                                 const char* const* header_texts, const char* const* header_names) {
  return call<Create>("nvrtcCreateProgram", __builtin_return_address(0), program, source, name, headers, header_texts,
                      header_names);
}
WT_EXPORT int nvrtcDestroyProgram(void** program) {
  return call<Destroy>("nvrtcDestroyProgram", __builtin_return_address(0), program);
}
WT_EXPORT int nvrtcCompileProgram(void* program, int count, const char* const* options) {
  return call<Compile>("nvrtcCompileProgram", __builtin_return_address(0), program, count, options);
}
WT_EXPORT int nvrtcAddNameExpression(void* program, const char* expression) {
  return call<AddName>("nvrtcAddNameExpression", __builtin_return_address(0), program, expression);
}

// Called by dlsym below. Returns the wrapper, or null if the real dlsym must answer.
extern "C" __attribute__((visibility("hidden"), used)) void* wt_intercepted_symbol(void* handle, const char* name) {
  if (name == nullptr || std::strncmp(name, "nvrtc", 5) != 0 || handle == RTLD_NEXT || handle == RTLD_DEFAULT)
    return nullptr;
  if (Wrappers<0>::find(name) == nullptr) return nullptr;
  void* real = real_dlsym()(handle, name);
  return real == nullptr || is_own(real) ? nullptr : wrapper(slot_of(real), name);
}
extern "C" __attribute__((visibility("hidden"), used)) void* wt_real_dlsym() {
  return reinterpret_cast<void*>(real_dlsym());
}

// The result of dlsym can depend on the address of its caller (RTLD_NEXT), so all other names reach the real dlsym by a
// jump.
asm(R"(
  .text
  .globl dlsym
  .type dlsym, @function
dlsym:
  .cfi_startproc
  pushq %rdi
  .cfi_adjust_cfa_offset 8
  pushq %rsi
  .cfi_adjust_cfa_offset 8
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  call wt_intercepted_symbol
  testq %rax, %rax
  .cfi_remember_state
  jne 1f
  call wt_real_dlsym
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  popq %rsi
  .cfi_adjust_cfa_offset -8
  popq %rdi
  .cfi_adjust_cfa_offset -8
  jmp *%rax
1:
  .cfi_restore_state
  addq $24, %rsp
  .cfi_adjust_cfa_offset -24
  ret
  .cfi_endproc
  .size dlsym, . - dlsym
)");
