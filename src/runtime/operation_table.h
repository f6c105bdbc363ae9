// OperationTable: finds earlier selections without a lock. It is an insert-only hash table from a problem's sizes to
// its operation. Readers probe an array of pointers and write nothing. Only one writer at a time may run, under a lock
// of the caller; it publishes an entry with one store. When the array grows, the old array stays allocated as long as
// the table exists, because a reader may still use the old array. Each new array is twice as large as the array before,
// so all old arrays together are no larger than the current array.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace warptune {

inline constexpr std::size_t kUsualDims = 16; // how many dims fit inside an entry

struct OperationKey {
  std::span<const std::int64_t> dims; // all keys of a table have the same number of dims
  std::uint32_t alignment = 0;
  std::uint64_t context = 0; // the context's id, because CUDA reuses the addresses of contexts
};

template <class Value> class OperationTable {
 public:
  OperationTable() { publish(64); }
  OperationTable(const OperationTable&) = delete;
  OperationTable& operator=(const OperationTable&) = delete;

  // Returns null if the key is not in the table, or was withdrawn.
  Value* find(const OperationKey& key) const noexcept {
    const Entry* entry = find_entry(key, hash_of(key));
    return entry == nullptr ? nullptr : entry->value.load(std::memory_order_acquire);
  }

  // The caller of this function and of those below must hold the writers' lock. Replaces an earlier value of the key.
  void put(const OperationKey& key, Value* value) {
    const std::uint64_t hash = hash_of(key);
    if (const Entry* known = find_entry(key, hash)) {
      known->value.store(value, std::memory_order_release);
      return;
    }
    Entry& entry = add_entry();
    entry.hash = hash;
    entry.context = key.context;
    entry.alignment = key.alignment;
    if (key.dims.size() > kUsualDims) entry.more_dims = std::make_unique<std::int64_t[]>(key.dims.size());
    std::copy(key.dims.begin(), key.dims.end(), entry.more_dims ? entry.more_dims.get() : entry.dims.data());
    entry.value.store(value, std::memory_order_relaxed);
    entries_.push_back(&entry);
    if (2 * entries_.size() > arrays_.back()->size())
      publish(2 * arrays_.back()->size());
    else
      link(*arrays_.back(), entry);
  }

  // After this call, find() returns null for the key until the next put() of the key; find_withdrawn() still returns
  // the value.
  void withdraw(const OperationKey& key) {
    const Entry* known = find_entry(key, hash_of(key));
    if (known == nullptr) return;
    if (Value* value = known->value.exchange(nullptr, std::memory_order_acq_rel)) known->withdrawn = value;
  }
  Value* find_withdrawn(const OperationKey& key) const {
    const Entry* known = find_entry(key, hash_of(key));
    return known == nullptr ? nullptr : known->withdrawn;
  }

  std::size_t size() const { return entries_.size(); }

 private:
  struct alignas(64) Entry { // a key with up to three dims fits in the first cache line
    std::uint64_t hash = 0, context = 0;
    mutable std::atomic<Value*> value{nullptr};
    mutable Value* withdrawn = nullptr;
    std::uint32_t alignment = 0;
    std::array<std::int64_t, kUsualDims> dims{};
    std::unique_ptr<std::int64_t[]> more_dims; // all dims if there are more than kUsualDims
  };
  // The number of slots is a power of two, and at least half of them are empty.
  using Slots = std::vector<std::atomic<const Entry*>>;

  static std::uint64_t hash_of(const OperationKey& key) noexcept {
    std::uint64_t hash = key.context * 0x9E3779B97F4A7C15U ^ key.alignment;
    for (const std::int64_t dim : key.dims) {
      hash = (hash ^ static_cast<std::uint64_t>(dim)) * 0xFF51AFD7ED558CCDU;
      hash ^= hash >> 32;
    }
    return hash;
  }

  const Entry* find_entry(const OperationKey& key, std::uint64_t hash) const noexcept {
    const Slots& slots = *current_.load(std::memory_order_acquire);
    const std::size_t mask = slots.size() - 1;
    for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
      const Entry* entry = slots[at].load(std::memory_order_acquire);
      if (entry == nullptr) return nullptr;
      if (entry->hash == hash && entry->context == key.context && entry->alignment == key.alignment &&
          std::equal(key.dims.begin(), key.dims.end(),
                     key.dims.size() > kUsualDims ? entry->more_dims.get() : entry->dims.data()))
        return entry;
    }
  }

  // Allocates entries in blocks, separate from other allocations, so that a thousand entries are in about fifty pages.
  // A thousand pages would not fit in the TLB.
  Entry& add_entry() {
    if (next_ == end_) {
      const std::size_t more = std::clamp<std::size_t>(entries_.size(), 4, 256);
      blocks_.push_back(std::make_unique<Entry[]>(more));
      next_ = blocks_.back().get();
      end_ = next_ + more;
    }
    return *next_++;
  }

  static void link(Slots& slots, const Entry& entry) {
    std::size_t at = entry.hash & (slots.size() - 1);
    while (slots[at].load(std::memory_order_relaxed) != nullptr) at = (at + 1) & (slots.size() - 1);
    slots[at].store(&entry, std::memory_order_release);
  }

  void publish(std::size_t size) {
    auto slots = std::make_unique<Slots>(size);
    for (const auto& entry : entries_) link(*slots, *entry);
    arrays_.push_back(std::move(slots));
    current_.store(arrays_.back().get(), std::memory_order_release);
  }

  std::vector<const Entry*> entries_;
  std::vector<std::unique_ptr<Entry[]>> blocks_;
  Entry *next_ = nullptr, *end_ = nullptr; // the unused part of the last block
  std::vector<std::unique_ptr<Slots>> arrays_;
  std::atomic<const Slots*> current_{nullptr};
};

} // namespace warptune
