// A fuzzer's input as a stream of numbers and texts; after its end, all values are zero.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace warptune::fuzz {

class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  bool is_empty() const { return at_ >= size_; }
  std::uint8_t byte() { return at_ < size_ ? data_[at_++] : 0; }
  std::uint64_t word(int bytes = 8) { // big-endian
    std::uint64_t value = 0;
    for (int i = 0; i < bytes; ++i) value = value << 8 | byte();
    return value;
  }
  std::string text(std::size_t length) { // the text is shorter at the end of the input
    std::string out;
    while (out.size() < length && !is_empty()) out += static_cast<char>(byte());
    return out;
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_, at_ = 0;
};

} // namespace warptune::fuzz
