// What was prepared before, found again without a lock: an insert-only hash table from the very texts of a request to
// its operation. Readers walk immutable nodes; a writer (one at a time, the caller's lock) publishes with one store.
// Replaced bucket arrays live as long as the table, so that no reader can hold a dangling one; sizes double, so they
// are never more than the live one.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

struct LookupKey {
  std::string_view kernel, shape, dtype, flags;
  std::uint64_t context = 0;
  bool operator==(const LookupKey&) const = default;
};

template <class Value> class LookupTable {
 public:
  LookupTable() { publish(64); }

  Value* find(const LookupKey& key) const noexcept {
    const std::size_t hash = hash_of(key);
    const Buckets& buckets = *current_.load(std::memory_order_acquire);
    for (const Node* node = buckets[hash & (buckets.size() - 1)].load(std::memory_order_acquire); node != nullptr;
         node = node->next)
      if (node->entry->hash == hash && node->entry->key == key) return node->entry->value;
    return nullptr;
  }

  // Precondition: the caller holds the writers' lock and the key is new.
  void insert(const LookupKey& key, Value* value) {
    auto entry = std::make_unique<Entry>();
    // One block of text, so that the views stay valid wherever the entry goes.
    for (const std::string_view part : {key.kernel, key.shape, key.dtype, key.flags}) entry->text += part;
    std::string_view rest = entry->text;
    const auto take = [&](std::size_t size) {
      const std::string_view part = rest.substr(0, size);
      rest.remove_prefix(size);
      return part;
    };
    entry->key.kernel = take(key.kernel.size());
    entry->key.shape = take(key.shape.size());
    entry->key.dtype = take(key.dtype.size());
    entry->key.flags = take(key.flags.size());
    entry->key.context = key.context;
    entry->hash = hash_of(key);
    entry->value = value;
    entries_.push_back(std::move(entry));
    const Buckets& buckets = *current_.load(std::memory_order_relaxed);
    if (entries_.size() > buckets.size())
      publish(2 * buckets.size());
    else
      link(*arrays_.back(), *entries_.back());
  }

  // Under the writers' lock.
  std::size_t size() const { return entries_.size(); }
  template <class F> void for_each(F&& f) const {
    for (const auto& entry : entries_) f(*entry->value);
  }

 private:
  struct Entry {
    std::string text;
    LookupKey key;
    std::size_t hash = 0;
    Value* value = nullptr;
  };
  struct Node {
    const Entry* entry;
    const Node* next;
  };
  using Buckets = std::vector<std::atomic<const Node*>>;

  static std::size_t hash_of(const LookupKey& key) noexcept {
    std::size_t hash = static_cast<std::size_t>(key.context);
    for (const std::string_view part : {key.kernel, key.shape, key.dtype, key.flags})
      hash = (hash ^ std::hash<std::string_view>{}(part)) * 0x9E3779B97F4A7C15U;
    return hash ^ (hash >> 32);
  }

  void link(Buckets& buckets, const Entry& entry) {
    auto& head = buckets[entry.hash & (buckets.size() - 1)];
    nodes_.push_back(std::make_unique<Node>(Node{&entry, head.load(std::memory_order_relaxed)}));
    head.store(nodes_.back().get(), std::memory_order_release);
  }

  void publish(std::size_t size) {
    auto buckets = std::make_unique<Buckets>(size);
    for (const auto& entry : entries_) link(*buckets, *entry);
    arrays_.push_back(std::move(buckets));
    current_.store(arrays_.back().get(), std::memory_order_release);
  }

  std::vector<std::unique_ptr<Entry>> entries_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<std::unique_ptr<Buckets>> arrays_;
  std::atomic<const Buckets*> current_{nullptr};
};

} // namespace warptune
