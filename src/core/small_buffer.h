// SmallBuffer: an array that is on the stack for up to `Usual` elements and on the heap for more. A launch collects its
// arguments in such a buffer, so a usual launch does not allocate.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>

namespace warptune {

template <class T, std::size_t Usual> class SmallBuffer {
  static_assert(std::is_trivial_v<T>, "it is neither filled nor emptied");

 public:
  explicit SmallBuffer(std::size_t count) noexcept {
    if (count <= Usual) return;
    more_.reset(new (std::nothrow) T[count]);
    data_ = more_.get();
  }
  SmallBuffer(const SmallBuffer&) = delete;
  SmallBuffer& operator=(const SmallBuffer&) = delete;

  T* data() { return data_; } // null if memory ran out
  T& operator[](std::size_t i) { return data_[i]; }

 private:
  alignas(64) std::array<T, Usual> few_; // uninitialised: elements are written before they are read
  std::unique_ptr<T[]> more_;
  T* data_ = few_.data();
};

} // namespace warptune
