// Parts of the library that `capture` loads into applications, without an application.
#include "intercept/code_image.h"
#include "intercept/json_line.h"
#include "support/small_cubin.h"

#include <cstddef>
#include <elf.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace warptune::intercept {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(InterceptJson, EveryTextIsAValidLine) {
  const std::string text = "a \"quoted\" \\ path\n\ttab \x01 \xc3\xa9 \xff \xe2\x82 end \xed\xa0\x80 \xf0\x9f\x98\x80";
  const std::string line = JsonObject().text("text", text).number("n", -3).raw("list", "[1,2]").str();
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto read = nlohmann::json::parse(line);
  EXPECT_EQ(read.at("text").get<std::string>(),
            "a \"quoted\" \\ path\n\ttab \x01 \xc3\xa9 ? ?? end ??? \xf0\x9f\x98\x80");
  EXPECT_EQ(read.at("n"), -3);
  EXPECT_EQ(read.at("list").size(), 2U);
}

TEST(InterceptImages, PtxNamesItsKernels) {
  const std::string ptx = "//\n.version 8.0\n.visible .entry saxpy(\n.param .u64 a)\n{}\n.entry _Z1kv()\n{}\n";
  const CodeImage image = read_image(ptx.c_str());
  EXPECT_STREQ(image.kind, "ptx");
  EXPECT_THAT(image.kernels, ElementsAre("saxpy", "_Z1kv"));
  EXPECT_EQ(image.id, read_image(std::string(ptx).c_str()).id);
  EXPECT_NE(image.id, read_image((ptx + " ").c_str()).id);
}

TEST(InterceptImages, ACubinEndsWhereItsSectionsEnd) {
  test::SmallCubin cubin;
  cubin.kernels = {"saxpy", "_Z1kv"};
  std::string bytes = cubin.image();
  bytes[offsetof(Elf64_Ehdr, e_shentsize)] = sizeof(Elf64_Shdr);
  const CodeImage image = read_image(bytes.data());
  EXPECT_STREQ(image.kind, "cubin");
  EXPECT_THAT(image.kernels, ElementsAre("saxpy", "_Z1kv"));
  EXPECT_THAT(image.id, testing::EndsWith("-" + std::to_string(bytes.size())));
  const std::string followed = bytes + "what the application has behind it";
  EXPECT_EQ(read_image(followed.data()).id, image.id);
  bytes[bytes.find("code")] = 'C';
  EXPECT_NE(read_image(bytes.data()).id, image.id);
}

TEST(InterceptImages, WhatIsNoCodeHasNoIdentity) {
  EXPECT_THAT(read_image(nullptr).id, IsEmpty());
  EXPECT_THAT(read_image("").id, IsEmpty());
  EXPECT_THAT(read_image("x").id, IsEmpty());
  const unsigned char fatbin[] = {0x50, 0xed, 0x55, 0xba, 1, 0, 0, 0};
  EXPECT_STREQ(read_image(fatbin).kind, "fatbin");
  EXPECT_THAT(read_image(fatbin).id, IsEmpty());
}

} // namespace
} // namespace warptune::intercept
