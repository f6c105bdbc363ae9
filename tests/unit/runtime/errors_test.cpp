// The C interface on a machine without a driver: every failure has a status and a message.
#include "unit/runtime/fixture.h"

#include <cstdlib>
#include <fstream>
#include <thread>

namespace warptune::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Set before anything opens the driver, because these tests need a machine without one.
const int no_driver = setenv("WARPTUNE_LIBCUDA", "libno_such_driver.so", 1);

class RuntimeErrors : public testing::Test {
 protected:
  RuntimeErrors() { add_tuned(dir_ / "t.db", {{"n=1024;fp32;mode=plain", "WIDTH=4,SPLIT=1"}}); }

  wt_status open(const std::filesystem::path& path) {
    wt_library* library = nullptr;
    const wt_status status = wt_open(path.c_str(), &library);
    EXPECT_EQ(library == nullptr, status != WT_OK);
    wt_close(library);
    return status;
  }
  wt_status explain(const char* kernel, const char* shape, const char* dtype = nullptr, const char* flags = nullptr,
                    const char* device = "Fake H200") {
    const LibraryHandle library = open_library(dir_ / "t.db");
    const char* text = nullptr;
    return wt_explain(library.get(), kernel, shape, dtype, flags, device, nullptr, &text);
  }

  TempDir dir_;
};

TEST_F(RuntimeErrors, OpensAndListsWithoutADriver) {
  const LibraryHandle library = open_library(dir_ / "t.db");
  ASSERT_EQ(wt_kernel_count(library.get()), 1);
  EXPECT_STREQ(wt_kernel_name(library.get(), 0), "blend");
  EXPECT_EQ(wt_kernel_name(library.get(), 1), nullptr);
  EXPECT_EQ(wt_kernel_name(library.get(), -1), nullptr);
  EXPECT_STREQ(wt_version(), "0.1.0");
}

TEST_F(RuntimeErrors, PrepareSaysThatThereIsNoDriver) {
  const LibraryHandle library = open_library(dir_ / "t.db");
  const wt_operation* operation = nullptr;
  EXPECT_EQ(wt_prepare(library.get(), "blend", "n=1024", nullptr, nullptr, &operation), WT_NO_DEVICE);
  EXPECT_EQ(operation, nullptr);
  EXPECT_THAT(wt_last_error(), HasSubstr("no NVIDIA driver"));
  const char* text = nullptr;
  EXPECT_EQ(wt_explain(library.get(), "blend", "n=1024", nullptr, nullptr, nullptr, nullptr, &text), WT_NO_DEVICE);
}

TEST_F(RuntimeErrors, NullArguments) {
  const LibraryHandle library = open_library(dir_ / "t.db");
  const wt_operation* operation = nullptr;
  const char* text = nullptr;
  EXPECT_EQ(wt_open("x", nullptr), WT_BAD_INPUT);
  EXPECT_EQ(wt_prepare(nullptr, "blend", "n=1", nullptr, nullptr, &operation), WT_BAD_INPUT);
  EXPECT_THAT(wt_last_error(), AllOf(HasSubstr("wt_prepare"), HasSubstr("'library' is NULL")));
  EXPECT_EQ(wt_prepare(library.get(), nullptr, "n=1", nullptr, nullptr, &operation), WT_BAD_INPUT);
  EXPECT_EQ(wt_prepare(library.get(), "blend", nullptr, nullptr, nullptr, &operation), WT_BAD_INPUT);
  EXPECT_EQ(wt_prepare(library.get(), "blend", "n=1", nullptr, nullptr, nullptr), WT_BAD_INPUT);
  EXPECT_EQ(wt_explain(library.get(), "blend", "n=1", nullptr, nullptr, nullptr, nullptr, nullptr), WT_BAD_INPUT);
  EXPECT_EQ(wt_explain(nullptr, "blend", "n=1", nullptr, nullptr, nullptr, nullptr, &text), WT_BAD_INPUT);
  EXPECT_EQ(wt_launch(nullptr, nullptr, 0, nullptr, nullptr), WT_BAD_INPUT);
}

TEST_F(RuntimeErrors, NullHandlesAnswerNothing) {
  wt_close(nullptr);
  EXPECT_EQ(wt_kernel_count(nullptr), 0);
  EXPECT_EQ(wt_kernel_name(nullptr, 0), nullptr);
  EXPECT_EQ(wt_operation_match(nullptr), WT_MATCH_DEFAULT);
  EXPECT_EQ(wt_operation_config(nullptr), nullptr);
  EXPECT_EQ(wt_operation_explain(nullptr), nullptr);
  EXPECT_EQ(wt_operation_workspace_bytes(nullptr), 0u);
  EXPECT_EQ(wt_operation_arg_count(nullptr), 0);
  EXPECT_EQ(wt_operation_arg_name(nullptr, 0), nullptr);
  EXPECT_EQ(wt_operation_arg_dtype(nullptr, 0), nullptr);
  EXPECT_EQ(wt_operation_arg_bytes(nullptr, 0), 0u);
  EXPECT_EQ(wt_operation_arg_is_buffer(nullptr, 0), 0);
}

TEST_F(RuntimeErrors, DatabaseThatIsNone) {
  EXPECT_EQ(open(dir_ / "absent.db"), WT_DATABASE);
  EXPECT_THAT(wt_last_error(), HasSubstr("absent.db"));
  EXPECT_EQ(open(dir_.path()), WT_DATABASE);
  std::ofstream(dir_ / "garbage.db") << std::string(5000, 'x');
  EXPECT_EQ(open(dir_ / "garbage.db"), WT_DATABASE);
  EXPECT_THAT(wt_last_error(), HasSubstr("garbage.db"));
  std::ofstream(dir_ / "empty.db").flush();
  EXPECT_EQ(open(dir_ / "empty.db"), WT_DATABASE);
}

TEST_F(RuntimeErrors, TheEnvironmentNamesTheDatabase) {
  setenv("WARPTUNE_DB", (dir_ / "t.db").c_str(), 1);
  wt_library* library = nullptr;
  EXPECT_EQ(wt_open(nullptr, &library), WT_OK) << wt_last_error();
  wt_close(library);
  unsetenv("WARPTUNE_DB");
}

TEST_F(RuntimeErrors, UnknownNames) {
  EXPECT_EQ(explain("blent", "n=1024"), WT_BAD_INPUT);
  EXPECT_THAT(wt_last_error(), AllOf(HasSubstr("unknown kernel 'blent'"), HasSubstr("did you mean 'blend'")));
  EXPECT_EQ(explain("", "n=1024"), WT_BAD_INPUT);
  EXPECT_EQ(explain("no/such/folder", "n=1024"), WT_BAD_INPUT);
  EXPECT_EQ(explain("blend", "n=1024", "fp63"), WT_BAD_INPUT);
  EXPECT_THAT(wt_last_error(), HasSubstr("fp32 or bf16"));
  EXPECT_EQ(explain("blend", "n=1024", nullptr, "mod=plain"), WT_BAD_INPUT);
  EXPECT_EQ(explain("blend", "n=1024", nullptr, "mode=cut"), WT_BAD_INPUT);
  EXPECT_EQ(explain("blend", "n=1024", nullptr, nullptr, "Fake H300"), WT_NO_DEVICE);
  EXPECT_THAT(wt_last_error(), HasSubstr("did you mean 'Fake H200'"));
}

TEST_F(RuntimeErrors, BadShapes) {
  for (const char* shape : {"", "n", "n=", "n=x", "n=0", "n=-4", "m=4", "n=4,n=4", "n=4,m=4", "n=1073741825",
                            "n=99999999999999999999999", "n=4;"}) {
    EXPECT_EQ(explain("blend", shape), WT_BAD_INPUT) << shape;
    EXPECT_STRNE(wt_last_error(), "") << shape;
  }
}

TEST_F(RuntimeErrors, ErrorsBelongToTheirThread) {
  EXPECT_EQ(explain("blend", "n=0"), WT_BAD_INPUT);
  const std::string mine = wt_last_error();
  std::thread([this] {
    EXPECT_STREQ(wt_last_error(), "");
    EXPECT_EQ(explain("nothing", "n=1"), WT_BAD_INPUT);
    EXPECT_THAT(wt_last_error(), HasSubstr("nothing"));
  }).join();
  EXPECT_EQ(wt_last_error(), mine);
  EXPECT_EQ(explain("blend", "n=1024"), WT_OK);
  EXPECT_EQ(wt_last_error(), mine) << "a success leaves the last failure readable";
}

} // namespace
} // namespace warptune::test
