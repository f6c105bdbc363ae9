// Replaces link(2) of the test program by a file server with faults.
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

class WithLinkFault {
 public:
  explicit WithLinkFault(LinkFault fault) { link_fault = fault; }
  ~WithLinkFault() { link_fault = LinkFault::none; }
  WithLinkFault(const WithLinkFault&) = delete;
  WithLinkFault& operator=(const WithLinkFault&) = delete;
};

} // namespace warptune::test
