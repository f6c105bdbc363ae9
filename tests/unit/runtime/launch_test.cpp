// Preparing and launching over a stand-in for the driver: the calls to the driver, the refusals, the shared resources.
#include "support/count_allocations.h"
#include "support/fake_cuda.h"
#include "support/use_fake_cuda.h"
#include "unit/runtime/fixture.h"
#include "warptune/warptune.hpp"

#include <array>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <limits>
#include <thread>

namespace warptune::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

float float_of(std::uint64_t bits) {
  const auto low = static_cast<std::uint32_t>(bits);
  float value = 0;
  std::memcpy(&value, &low, sizeof value);
  return value;
}

class RuntimeLaunch : public testing::Test {
 protected:
  static inline void* const kContext = reinterpret_cast<void*>(0x1000);
  static inline void* const kOther = reinterpret_cast<void*>(0x2000);
  static inline void* const kStream = reinterpret_cast<void*>(0x77);
  RuntimeLaunch() {
    add_tuned(dir_ / "t.db", {{"n=1024;fp32;mode=plain", "WIDTH=4,SPLIT=1", "Fake H200", "fake image"},
                              {"n=4096;fp32;mode=plain", "WIDTH=4,SPLIT=2", "Fake H200", "fake image of two"},
                              {"n=64;bf16;mode=plain", "WIDTH=1,SPLIT=1", "Fake H200", "broken image"}});
    library_ = open_library(dir_ / "t.db");
    fake_set_context(kContext);
    fake_fail_launches(0);
  }

  wt_status launch(const OperationHandle& operation, std::uint64_t x, std::uint64_t y, void* workspace = nullptr,
                   int count = 3) {
    const float alpha = 2.5F;
    const std::array<const void*, 4> args = {&x, &alpha, &y, &y};
    return wt_launch(operation.get(), args.data(), count, workspace, kStream);
  }

  TempDir dir_;
  LibraryHandle library_;
};

TEST_F(RuntimeLaunch, ArgumentsReachTheKernel) {
  const OperationHandle operation = prepare(library_, "n=1024");
  EXPECT_EQ(wt_operation_match(operation.get()), WT_MATCH_EXACT);
  EXPECT_STREQ(wt_operation_config(operation.get()), "WIDTH=4,SPLIT=1");
  EXPECT_THAT(wt_operation_explain(operation.get()), HasSubstr("exactly this problem"));
  fake_set_arg_count(4);
  ASSERT_EQ(launch(operation, 0x10000, 0x20000), WT_OK) << wt_last_error();
  const FakeLaunch seen = fake_launch();
  EXPECT_STREQ(seen.function, "lowered_blend");
  EXPECT_EQ(seen.grid, 1u);
  EXPECT_EQ(seen.block, 256u);
  EXPECT_EQ(seen.stream, kStream);
  EXPECT_EQ(seen.args[0], 0x10000u);
  EXPECT_EQ(seen.args[1], 0x20000u);
  EXPECT_EQ(float_of(seen.args[2]), 2.5F);
  EXPECT_EQ(seen.args[3], 1024u);
}

TEST_F(RuntimeLaunch, ArgumentsDescribeThemselves) {
  const OperationHandle operation = prepare(library_, "n=1024");
  ASSERT_EQ(wt_operation_arg_count(operation.get()), 3);
  EXPECT_STREQ(wt_operation_arg_name(operation.get(), 1), "alpha");
  EXPECT_STREQ(wt_operation_arg_dtype(operation.get(), 1), "fp32");
  EXPECT_EQ(wt_operation_arg_bytes(operation.get(), 1), 4u);
  EXPECT_EQ(wt_operation_arg_is_buffer(operation.get(), 1), 0);
  EXPECT_STREQ(wt_operation_arg_name(operation.get(), 2), "y");
  EXPECT_EQ(wt_operation_arg_bytes(operation.get(), 2), 4096u);
  EXPECT_EQ(wt_operation_arg_is_buffer(operation.get(), 2), 1);
  EXPECT_EQ(wt_operation_arg_is_written(operation.get(), 0), 0);
  EXPECT_EQ(wt_operation_arg_is_written(operation.get(), 2), 1);
  EXPECT_EQ(wt_operation_arg_name(operation.get(), 3), nullptr);
}

TEST_F(RuntimeLaunch, WorkspacesShareOneBlock) {
  const OperationHandle operation = prepare(library_, "n=4096");
  EXPECT_EQ(wt_operation_workspace_bytes(operation.get()), 4096u * 4 + 256);
  EXPECT_EQ(launch(operation, 0x10000, 0x20000), WT_BAD_INPUT);
  EXPECT_THAT(wt_last_error(), HasSubstr("needs a workspace of 16640 bytes"));
  EXPECT_EQ(launch(operation, 0x10000, 0x20000, reinterpret_cast<void*>(0x40010)), WT_BAD_INPUT);
  EXPECT_THAT(wt_last_error(), HasSubstr("not aligned to 256"));
  fake_set_arg_count(4);
  const int before = fake_launch().count;
  ASSERT_EQ(launch(operation, 0x10000, 0x20000, reinterpret_cast<void*>(0x40000)), WT_OK) << wt_last_error();
  const FakeLaunch seen = fake_launch();
  EXPECT_EQ(seen.count, before + 2);
  EXPECT_STREQ(seen.function, "lowered_rest");
  EXPECT_EQ(seen.args[0], 0x40000u);
  EXPECT_EQ(seen.args[1], 0x44000u);
  EXPECT_EQ(seen.cleared, 0x44000u);
}

TEST_F(RuntimeLaunch, AContextAtTheAddressOfADestroyedOneIsAnother) {
  const OperationHandle stale = prepare(library_, "n=1024");
  ASSERT_EQ(launch(stale, 0x10000, 0x20000), WT_OK) << wt_last_error();
  fake_renew_contexts();
  const int before = fake_launch().count;
  EXPECT_EQ(launch(stale, 0x10000, 0x20000), WT_BAD_INPUT);
  EXPECT_THAT(wt_last_error(), AllOf(HasSubstr("was destroyed"), HasSubstr("select it again")));
  EXPECT_EQ(fake_launch().count, before);
  const OperationHandle fresh = prepare(library_, "n=1024");
  EXPECT_NE(fresh.get(), stale.get());
  EXPECT_EQ(launch(fresh, 0x10000, 0x20000), WT_OK) << wt_last_error();
}

TEST_F(RuntimeLaunch, WrongArgumentsAreRefused) {
  const OperationHandle operation = prepare(library_, "n=1024");
  const int before = fake_launch().count;
  EXPECT_EQ(launch(operation, 0x10000, 0x20000, nullptr, 2), WT_BAD_INPUT);
  EXPECT_THAT(wt_last_error(),
              AllOf(HasSubstr("2 arguments were given, but it takes 3"), HasSubstr("alpha (fp32 scalar)")));
  EXPECT_EQ(launch(operation, 0x10000, 0x20000, nullptr, 1), WT_BAD_INPUT);
  EXPECT_THAT(wt_last_error(), HasSubstr("1 argument was given, but it takes 3"));
  EXPECT_EQ(launch(operation, 0x10000, 0x20000, nullptr, 4), WT_BAD_INPUT);
  EXPECT_EQ(launch(operation, 0x10000, 0x20000, nullptr, -1), WT_BAD_INPUT);
  EXPECT_EQ(launch(operation, 0, 0x20000), WT_BAD_INPUT);
  EXPECT_THAT(wt_last_error(), HasSubstr("the buffer x is a null pointer; give device memory of 4096 bytes"));
  EXPECT_EQ(launch(operation, 0x10000, 0x20004), WT_BAD_INPUT);
  EXPECT_THAT(wt_last_error(), HasSubstr("the buffer y at 0x20004 is not aligned to 16 bytes"));
  const std::array<const void*, 3> none{};
  EXPECT_EQ(wt_launch(operation.get(), none.data(), 3, nullptr, nullptr), WT_BAD_INPUT);
  EXPECT_EQ(wt_launch(operation.get(), nullptr, 3, nullptr, nullptr), WT_BAD_INPUT);
  EXPECT_EQ(fake_launch().count, before);
}

TEST_F(RuntimeLaunch, ContextsAreKeptApart) {
  const OperationHandle here = prepare(library_, "n=1024");
  fake_set_context(kOther);
  EXPECT_EQ(launch(here, 0x10000, 0x20000), WT_BAD_INPUT);
  EXPECT_THAT(wt_last_error(), HasSubstr("a CUDA context that is not the current one"));
  const OperationHandle there = prepare(library_, "n=1024");
  EXPECT_NE(here.get(), there.get());
  EXPECT_EQ(launch(there, 0x10000, 0x20000), WT_OK) << wt_last_error();
  fake_set_context(nullptr);
  EXPECT_EQ(launch(here, 0x10000, 0x20000), WT_BAD_INPUT);
  const wt_operation* none = nullptr;
  EXPECT_EQ(wt_prepare(library_.get(), "blend", "n=1024", nullptr, nullptr, &none), WT_NO_DEVICE);
  EXPECT_THAT(wt_last_error(), HasSubstr("no CUDA context is current"));
}

TEST_F(RuntimeLaunch, AFailureOfTheDriverIsExplained) {
  const OperationHandle operation = prepare(library_, "n=1024");
  fake_fail_launches(CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(launch(operation, 0x10000, 0x20000), WT_BAD_INPUT);
  EXPECT_THAT(wt_last_error(), AllOf(HasSubstr("cannot launch blend"), HasSubstr("CUDA_ERROR_INVALID_HANDLE"),
                                     HasSubstr("check that the stream belongs to the current context")));
  fake_fail_launches(CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(launch(operation, 0x10000, 0x20000), WT_NO_DEVICE);
}

TEST_F(RuntimeLaunch, WarmCallsNeitherAllocateNorLoad) {
  const long cold = allocation_count();
  const OperationHandle first = prepare(library_, "n=4096");
  const int modules = fake_modules_loaded();
  ASSERT_GT(allocation_count(), cold) << "what the library allocates is counted";
  const wt_operation* again = nullptr;
  const wt_kernel* kernel = find_kernel(library_);
  const std::int64_t n = 4096;
  const long warm = allocation_count();
  ASSERT_EQ(wt_select(kernel, &n, 1, 0, kStream, &again), WT_OK) << wt_last_error();
  EXPECT_EQ(launch(first, 0x10000, 0x20000, reinterpret_cast<void*>(0x40000)), WT_OK);
  EXPECT_EQ(allocation_count(), warm);
  EXPECT_EQ(again, first.get());
  EXPECT_EQ(fake_modules_loaded(), modules);
}

TEST_F(RuntimeLaunch, OneProgramServesManyShapes) {
  prepare(library_, "n=1024");
  const int modules = fake_modules_loaded();
  const OperationHandle near = prepare(library_, "n=1280"); // n % 16 == 0 as well, so it has the same cubin
  EXPECT_EQ(wt_operation_match(near.get()), WT_MATCH_NEAREST_SHAPE);
  EXPECT_EQ(fake_modules_loaded(), modules);
}

TEST_F(RuntimeLaunch, AnUnusableStoredProgramIsNamed) {
  setenv("WARPTUNE_NVRTC", "libno_such_nvrtc.so", 1);
  setenv("XDG_CACHE_HOME", dir_.path().c_str(), 1);
  const wt_operation* operation = nullptr;
  EXPECT_NE(wt_prepare(library_.get(), "blend", "n=64", "bf16", nullptr, &operation), WT_OK);
  EXPECT_THAT(wt_last_error(), AllOf(HasSubstr("cannot prepare blend n=64;bf16"), HasSubstr("stored cubin")));
}

// The driver might load it, because the architecture is an older one of the same family.
TEST_F(RuntimeLaunch, AnImageOfAnotherArchitectureIsNotLoaded) {
  setenv("WARPTUNE_NVRTC", "libno_such_nvrtc.so", 1);
  setenv("XDG_CACHE_HOME", dir_.path().c_str(), 1);
  const KernelRecord record = blend_record();
  const std::string key = cubin_key(record, "n=1024;fp32;mode=plain", "WIDTH=2,SPLIT=1", fake_device());
  add_tuned(dir_ / "other.db", {{"n=1024;fp32;mode=plain", "WIDTH=2,SPLIT=1"}});
  const auto error_with = [&](const char* arch) {
    must(must(Writer::open(dir_ / "other.db")).put_cubin({key, arch, "fake image", {"lowered_blend"}}));
    const LibraryHandle other = open_library(dir_ / "other.db");
    const wt_operation* operation = nullptr;
    const wt_status status = wt_prepare(other.get(), "blend", "n=1024", nullptr, nullptr, &operation);
    return status == WT_OK ? std::string() : wt_last_error();
  };
  EXPECT_THAT(error_with("sm_80"), HasSubstr("(sm_80) does not match the architecture"));
  std::filesystem::remove(dir_ / "other.db");
  add_tuned(dir_ / "other.db", {{"n=1024;fp32;mode=plain", "WIDTH=2,SPLIT=1"}});
  EXPECT_EQ(error_with("sm_90a"), "");
}

TEST_F(RuntimeLaunch, ManyThreadsPrepareAndLaunch) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      fake_set_context(t % 2 == 0 ? kContext : kOther);
      fake_set_arg_count(4);
      for (int i = 1; i <= 200; ++i) {
        const std::string shape = "n=" + std::to_string(1024 * (1 + (i * 7 + t) % 40));
        const OperationHandle operation = prepare(library_, shape.c_str());
        const std::uint64_t x = 0x10000u * static_cast<unsigned>(i + 1000 * t + 1);
        ASSERT_EQ(launch(operation, x, 0x20000, reinterpret_cast<void*>(0x40000)), WT_OK) << wt_last_error();
        if (wt_operation_workspace_bytes(operation.get()) == 0) {
          ASSERT_EQ(fake_launch().args[0], x);
        }
      }
    });
  for (std::thread& thread : threads) thread.join();
}

TEST_F(RuntimeLaunch, TypedLaunchesConvertNumbers) {
  const warptune::Library library((dir_ / "t.db").string());
  EXPECT_EQ(library.kernels(), std::vector<std::string>{"blend"});
  const warptune::Operation operation = library.prepare("blend", "n=1024", "fp32", "mode=plain");
  EXPECT_EQ(operation.match(), WT_MATCH_EXACT);
  auto* x = reinterpret_cast<float*>(0x10000);
  const CUdeviceptr y = 0x20000;
  fake_set_arg_count(4);
  operation.launch(kStream, x, 3, y); // an int for an fp32 scalar
  EXPECT_EQ(float_of(fake_launch().args[2]), 3.0F);
  operation.launch(kStream, x, 0.25, y);
  EXPECT_EQ(float_of(fake_launch().args[2]), 0.25F);
  EXPECT_THROW(operation.launch(kStream, x, x, y), std::runtime_error);
  EXPECT_THROW(operation.launch(kStream, x, 1.0), std::runtime_error);
  EXPECT_THROW(operation.launch(kStream, 1.0, 1.0, y), std::runtime_error);
  try {
    library.prepare("blend", "n=none");
    FAIL();
  } catch (const warptune::v0::Error& error) {
    EXPECT_EQ(error.status(), WT_BAD_INPUT);
    EXPECT_THAT(error.what(), HasSubstr("n=none"));
  }
}

// A kernel whose arguments are numbers of all integer types and of fp32.
KernelRecord numbers_record() {
  std::string arguments = R"("y": {"buffer": "dtype", "count": "n", "role": "output"})", names = R"("y")";
  for (const std::string type :
       {"int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8", "bool", "fp32"}) {
    arguments += ", \"" + type + "_\": {\"scalar\": \"" + type + "\", \"value\": 1, \"role\": \"parameter\"}";
    names += ", \"" + type + "_\"";
  }
  KernelRecord record = blend_record();
  record.name = "numbers";
  record.files.back().second = R"({"format": 2, "name": "numbers", "summary": "numbers",
    "problem": {"dims": {"n": {}}, "dtypes": ["fp32"]}, "params": {"WIDTH": {"values": [1], "default": 1}},
    "arguments": {)" + arguments +
                               R"(},
    "launches": [{"kernel": "k", "grid": [1], "block": [32], "args": [)" +
                               names + R"(]}],
    "reference": {"launches": [{"kernel": "r", "grid": [1], "block": [32], "args": [)" +
                               names + R"(]}]},
    "cost": {"bytes_read": "n", "bytes_written": "n", "flops": {}}, "tolerance": {"default": {"rtol": 1e-6}}})";
  return with_own_hash(std::move(record));
}

TEST_F(RuntimeLaunch, TypedLaunchesRefuseNumbersOutsideTheirType) {
  add_tuned(dir_ / "n.db", {{"n=8;fp32", "WIDTH=1", "Fake H200", "fake numbers"}}, numbers_record());
  const warptune::Library library((dir_ / "n.db").string());
  const warptune::Operation operation = library.prepare("numbers", "n=8");
  const warptune::Kernel kernel = library.kernel("numbers");
  const CUdeviceptr y = 0x20000;
  fake_set_arg_count(11);
  EXPECT_EQ(kernel.arg_dtype(0), "") << "a buffer";
  EXPECT_EQ(kernel.arg_dtype(2), "int32");
  EXPECT_EQ(operation.arg_dtype(2), "int32");
  EXPECT_EQ(kernel.arg_dtype(11), "");
  // Launches with `value` for one argument, through both handles.
  const auto launch = [&](int index, auto value) {
    const auto at = [&](int i) { return i == index ? value : decltype(value){1}; };
    const auto with = [&](const auto& call) {
      call(y, at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8), at(9), at(10));
    };
    std::string refusal;
    try {
      with([&](const auto&... args) { operation.launch(kStream, args...); });
    } catch (const warptune::v0::Error& error) {
      refusal = error.what();
      EXPECT_EQ(error.status(), WT_BAD_INPUT);
    }
    try {
      with([&](const auto&... args) { kernel(kStream, {8}, args...); });
      EXPECT_EQ(refusal, "");
    } catch (const warptune::v0::Error& error) {
      EXPECT_EQ(error.what(), refusal);
    }
    return refusal;
  };
  const auto range_of = [&](int index, std::int64_t least, std::int64_t most, const std::string& type) {
    EXPECT_EQ(launch(index, least), "") << type;
    EXPECT_EQ(launch(index, most), "") << type;
    if (most == INT64_MAX) return;
    const std::string refusal = "launch: the value for '" + type + "_' is outside the range of its type " + type;
    EXPECT_EQ(launch(index, least - 1), refusal);
    EXPECT_EQ(launch(index, most + 1), refusal);
    EXPECT_EQ(launch(index, std::int64_t{1} + (std::int64_t{1} << 32)), refusal) << "its low bytes would fit";
  };
  range_of(1, INT64_MIN, INT64_MAX, "int64");
  range_of(2, INT32_MIN, INT32_MAX, "int32");
  range_of(3, INT16_MIN, INT16_MAX, "int16");
  range_of(4, INT8_MIN, INT8_MAX, "int8");
  range_of(5, 0, INT64_MAX, "uint64");
  range_of(6, 0, UINT32_MAX, "uint32");
  range_of(7, 0, UINT16_MAX, "uint16");
  range_of(8, 0, UINT8_MAX, "uint8");
  range_of(9, 0, 1, "bool");
  EXPECT_NE(launch(5, -1), "");
  EXPECT_EQ(launch(5, UINT64_MAX), "");
  EXPECT_NE(launch(1, UINT64_MAX), "");
  EXPECT_NE(launch(4, static_cast<unsigned char>(200)), "");
  EXPECT_EQ(launch(8, static_cast<unsigned char>(200)), "");
  EXPECT_EQ(launch(9, true), "");
  EXPECT_EQ(launch(2, -5), "");
  EXPECT_EQ(static_cast<std::int32_t>(fake_launch().args[2]), -5);
}

TEST_F(RuntimeLaunch, TypedLaunchesRefuseNumbersTooLargeForFp32) {
  const warptune::Library library((dir_ / "t.db").string());
  const warptune::Operation operation = library.prepare("blend", "n=1024", "fp32", "mode=plain");
  auto* x = reinterpret_cast<float*>(0x10000);
  fake_set_arg_count(4);
  EXPECT_THROW(operation.launch(kStream, x, 1e39, x), warptune::v0::Error);
  EXPECT_THROW(operation.launch(kStream, x, -1e39, x), warptune::v0::Error);
  operation.launch(kStream, x, -std::numeric_limits<double>::infinity(), x);
  EXPECT_EQ(float_of(fake_launch().args[2]), -std::numeric_limits<float>::infinity());
  EXPECT_THROW(operation.launch(kStream, x, std::numeric_limits<long double>::max(), x), warptune::v0::Error);
}

} // namespace
} // namespace warptune::test
