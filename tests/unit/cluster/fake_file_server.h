// Replaces link, rename and fstat in the test program by those of a file server with faults (shared_file_test.cpp).
#pragma once

#include <atomic>

namespace warptune::test {

enum class LinkFault {
  none,
  reply_lost, // the link is made, but the client's retry finds that the name exists
  few_links,  // a file may have at most three names
  failed      // the server reports an error and makes no link
};
inline std::atomic<LinkFault> link_fault{LinkFault::none};
inline std::atomic<int> stale_answers{0}; // the next N files are replaced while they are open here
inline std::atomic<int> slow_renames{0};  // the next N renames take 0.25 s

class WithLinkFault {
 public:
  explicit WithLinkFault(LinkFault fault) { link_fault = fault; }
  ~WithLinkFault() { link_fault = LinkFault::none; }
  WithLinkFault(const WithLinkFault&) = delete;
  WithLinkFault& operator=(const WithLinkFault&) = delete;
};

} // namespace warptune::test
