// Launches that are library calls: the forms that the spec's reader accepts and refuses.
#include "support/spec_text.h"
#include "support/toy.h"

#include <gmock/gmock.h>

namespace warptune {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::SpecText;

constexpr const char* kCopy = R"({"library": "driver", "call": "copy", "values": {"bytes": "rows * WARPS"},
                                  "args": {"to": "y", "from": "x"}})";
constexpr const char* kLaunch = R"({"kernel": "k", "grid": [1], "block": [32], "args": ["x", "y"]})";

SpecText with_launches(const std::string& launches) {
  SpecText text;
  text.set("format", "2").set("launches", "[" + launches + "]");
  return text;
}
SpecText without_kernel(const std::string& call) { return with_launches(call).drop("compile"); }

TEST(LibraryCalls, StandAmongKernelsInTheirOrder) {
  const std::string fill = R"({"library": "driver", "call": "fill", "when": "WARPS > 1", "values": {"bytes": 4},
                               "args": {"to": "tmp"}})";
  const KernelSpec spec = with_launches(fill + "," + kLaunch + "," + kCopy + "," + kLaunch).parse();
  const Implementation& only = spec.implementations.front();
  ASSERT_EQ(only.launches.size(), 2U);
  ASSERT_EQ(only.library_calls.size(), 2U);
  EXPECT_EQ(only.library_calls[0].call, "fill");
  EXPECT_EQ(only.library_calls[0].position, 0U);
  EXPECT_TRUE(only.library_calls[0].when);
  EXPECT_EQ(only.library_calls[1].position, 1U);
  EXPECT_THAT(only.library_calls[1].args,
              ElementsAre(std::pair<std::string, int>("to", 1), std::pair<std::string, int>("from", 0)));
  EXPECT_EQ(only.source, "kernel.cu");
}

TEST(LibraryCalls, AloneNeedNoSource) {
  const KernelSpec spec = without_kernel(kCopy).parse();
  EXPECT_TRUE(spec.implementations.front().launches.empty());
  EXPECT_EQ(spec.implementations.front().source, "");
}

TEST(LibraryCalls, AreNotTheDefaultWhereAnotherImplementationHasNone) {
  const KernelSpec spec = test::toy_kernel("duplicate").spec;
  ASSERT_EQ(spec.implementations.size(), 3U);
  EXPECT_EQ(spec.implementations.front().name, "plain") << "cleared and copy are earlier by name";
}

TEST(LibraryCalls, WhatIsRefusedWhenRead) {
  const auto error = [](const std::string& call) { return without_kernel(call).error(); };
  EXPECT_THAT(with_launches(kCopy).set("format", "1").error(), HasSubstr("unknown key 'library'"));
  EXPECT_THAT(error(R"({"library": "driven", "call": "copy"})"),
              HasSubstr("/launches/0/library: unknown library 'driven'; did you mean 'driver'?"));
  EXPECT_THAT(error(R"({"library": "driver", "call": "cop"})"),
              HasSubstr("the library 'driver' has no call 'cop'; did you mean 'copy'?"));
  EXPECT_THAT(error(R"({"library": "driver", "call": "copy", "values": {"byte": 4}})"),
              HasSubstr("'driver.copy' has no value 'byte'; did you mean 'bytes'?"));
  EXPECT_THAT(error(R"({"library": "driver", "call": "copy", "args": {"to": "y", "from": "x"}})"),
              HasSubstr("'driver.copy' needs the value 'bytes'"));
  EXPECT_THAT(error(R"({"library": "driver", "call": "copy", "values": {"bytes": 4}, "args": {"form": "x"}})"),
              HasSubstr("'driver.copy' has no argument 'form'; did you mean 'from'?"));
  EXPECT_THAT(error(R"({"library": "driver", "call": "copy", "values": {"bytes": 4}, "args": {"from": "x"}})"),
              HasSubstr("'driver.copy' needs the argument 'to'"));
  EXPECT_THAT(error(R"({"library": "driver", "call": "fill", "values": {"bytes": 4}, "args": {"to": "tmq"}})"),
              HasSubstr("unknown argument 'tmq'; did you mean 'tmp'?"));
  EXPECT_THAT(error(R"({"library": "driver", "call": "fill", "values": {"bytes": 4}, "args": {"to": "x"}})"),
              HasSubstr("'x' is an input, but 'to' of the call is written"));
  EXPECT_THAT(error(R"({"library": "driver", "call": "fill", "values": {"bytes": 4}, "args": {"to": "alpha"}})"),
              HasSubstr("'alpha' is not a buffer"));
  EXPECT_THAT(error(R"({"library": "driver", "call": "fill", "grid": [1]})"), HasSubstr("unknown key 'grid'"));
  EXPECT_THAT(without_kernel(kCopy).set("source", R"("k.cu")").error(), HasSubstr("remove 'source'"));
  EXPECT_THAT(with_launches(kCopy).error(), HasSubstr("remove 'compile'"));
  EXPECT_THAT(without_kernel(kCopy).set("symbols", R"({"d": {"buffer": "x"}})").error(), HasSubstr("remove 'symbols'"));
  EXPECT_THAT(with_launches(kLaunch).set("reference", R"({"launches": [)" + std::string(kCopy) + "]}").error(),
              HasSubstr("the reference launches kernels only"));
}

} // namespace
} // namespace warptune
