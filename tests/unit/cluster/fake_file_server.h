// Replaces link, rename and fstat of the test program by those of a file server with faults (shared_file_test.cpp).
#pragma once

#include <atomic>

namespace warptune::test {

enum class LinkFault {
  none,
  reply_lost, // the link is made, but the repeated request finds the name
  few_links,  // a file may have three names
  failed      // the server reports an error, and makes no link
};
inline std::atomic<LinkFault> link_fault{LinkFault::none};
inline std::atomic<int> stale_answers{0}; // N files were replaced while they were open here
inline std::atomic<int> slow_renames{0};  // N renames take a quarter of a second

class WithLinkFault {
 public:
  explicit WithLinkFault(LinkFault fault) { link_fault = fault; }
  ~WithLinkFault() { link_fault = LinkFault::none; }
  WithLinkFault(const WithLinkFault&) = delete;
  WithLinkFault& operator=(const WithLinkFault&) = delete;
};

} // namespace warptune::test
