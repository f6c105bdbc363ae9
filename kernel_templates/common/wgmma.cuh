// wgmma: the matrix product of a warpgroup of Hopper (sm_90a), 64 x N sums in fp32 from 16-bit operands in shared memory,
// 16 deep. PTX ISA, "Asynchronous warpgroup level matrix instructions". A kernel names the widths that it uses once,
// at namespace scope: WT_WGMMA_SHAPE(256), then calls wt::Wgmma<256>::run<T, ...>.
#pragma once

#include "common/async.cuh"

namespace wt {

// How an operand lies in shared memory, 128-byte swizzled, in blocks of 64 elements by 64 (8192 bytes, aligned to 1024):
// k-major: a row of the block is one row or column of the product, 64 elements along k; blocks follow one another along the
// rows, so that any multiple of 8 rows is one operand.
// mn-major: a row of the block is one k, 64 elements along the rows of the product.
template <bool MN_MAJOR> __device__ __forceinline__ u64 wgmma_descriptor(u32 address) {
  constexpr u64 kSwizzle128 = u64(1) << 62;
  constexpr u64 kBetweenEights = u64(1024 >> 4) << 32; // 8 rows of 128 bytes: the next along rows (k-major) or k (mn-major)
  constexpr u64 kBetweenBlocks = u64(MN_MAJOR ? 8192 >> 4 : 1) << 16; // mn-major only: the next 64 along the rows
  return u64((address & 0x3FFFF) >> 4) | kBetweenBlocks | kBetweenEights | kSwizzle128;
}
// Bytes from one 16 of k to the next within a block.
template <bool MN_MAJOR> inline constexpr u32 kWgmmaStep = MN_MAJOR ? 2048 : 32;

// Before the first wgmma of a group that reads or writes registers which others wrote.
__device__ __forceinline__ void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
// Until at most N groups are under way.
template <int N> __device__ __forceinline__ void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
}
// Keeps the compiler from moving accesses of the sums across this point: the sums of a group under way change behind its back.
template <int N> __device__ __forceinline__ void wgmma_keep(float (&sums)[N]) {
#pragma unroll
  for (int i = 0; i < N; ++i) asm volatile("" : "+f"(sums[i])::"memory");
}

// Registers of a warpgroup: `setmaxnreg`, all four warps together.
template <int N> __device__ __forceinline__ void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(N));
}
template <int N> __device__ __forceinline__ void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(N));
}

template <int N> struct Wgmma; // WT_WGMMA_SHAPE(N) makes it

} // namespace wt

// One specialisation. run: sums = (accumulate ? sums : 0) + left * right, where `left` and `right` are descriptors.
#define WT_WGMMA_SHAPE(N) WT_WGMMA_SHAPE_(N)
#define WT_WGMMA_SHAPE_(N)                                                                                             \
  template <> struct wt::Wgmma<N> {                                                                                    \
    template <typename T, bool LEFT_MN, bool RIGHT_MN>                                                                 \
    static __device__ __forceinline__ void run(float (&d)[N / 2], u64 left, u64 right, int accumulate) {               \
      if constexpr (wt::is_same<T, __half>)                                                                            \
        WT_WGMMA_ASM(N, "f16", WT_WGMMA_INPUTS##N);                                                                    \
      else                                                                                                             \
        WT_WGMMA_ASM(N, "bf16", WT_WGMMA_INPUTS##N);                                                                   \
    }                                                                                                                  \
  };
#define WT_WGMMA_ASM(...) WT_WGMMA_ASM_(__VA_ARGS__)
#define WT_WGMMA_ASM_(N, TYPE, LEFT, RIGHT, ACCUMULATE, LEFT_TRANSPOSED, RIGHT_TRANSPOSED)                             \
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " ACCUMULATE ", 0;\n"                                                 \
               "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32." TYPE "." TYPE " {" WT_WGMMA_TEXT##N "}, " LEFT        \
               ", " RIGHT ", p, 1, 1, " LEFT_TRANSPOSED ", " RIGHT_TRANSPOSED ";\n}"                                   \
               : WT_WGMMA_SUMS##N(d)                                                                                   \
               : "l"(left), "l"(right), "r"(accumulate), "n"(int(LEFT_MN)), "n"(int(RIGHT_MN)))

// Of N / 2 sums a thread: their places in the text of the instruction, the operands, and the places of the five inputs
// behind them. Each continues the one for eight columns less.
#define WT_WGMMA_TEXT8 "%0, %1, %2, %3"
#define WT_WGMMA_SUMS8(d) "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
#define WT_WGMMA_INPUTS8 "%4", "%5", "%6", "%7", "%8"
#define WT_WGMMA_TEXT16 WT_WGMMA_TEXT8 ", %4, %5, %6, %7"
#define WT_WGMMA_SUMS16(d) WT_WGMMA_SUMS8(d), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
#define WT_WGMMA_INPUTS16 "%8", "%9", "%10", "%11", "%12"
#define WT_WGMMA_TEXT24 WT_WGMMA_TEXT16 ", %8, %9, %10, %11"
#define WT_WGMMA_SUMS24(d) WT_WGMMA_SUMS16(d), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11])
#define WT_WGMMA_INPUTS24 "%12", "%13", "%14", "%15", "%16"
#define WT_WGMMA_TEXT32 WT_WGMMA_TEXT24 ", %12, %13, %14, %15"
#define WT_WGMMA_SUMS32(d) WT_WGMMA_SUMS24(d), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15])
#define WT_WGMMA_INPUTS32 "%16", "%17", "%18", "%19", "%20"
#define WT_WGMMA_TEXT40 WT_WGMMA_TEXT32 ", %16, %17, %18, %19"
#define WT_WGMMA_SUMS40(d) WT_WGMMA_SUMS32(d), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19])
#define WT_WGMMA_INPUTS40 "%20", "%21", "%22", "%23", "%24"
#define WT_WGMMA_TEXT48 WT_WGMMA_TEXT40 ", %20, %21, %22, %23"
#define WT_WGMMA_SUMS48(d) WT_WGMMA_SUMS40(d), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23])
#define WT_WGMMA_INPUTS48 "%24", "%25", "%26", "%27", "%28"
#define WT_WGMMA_TEXT56 WT_WGMMA_TEXT48 ", %24, %25, %26, %27"
#define WT_WGMMA_SUMS56(d) WT_WGMMA_SUMS48(d), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27])
#define WT_WGMMA_INPUTS56 "%28", "%29", "%30", "%31", "%32"
#define WT_WGMMA_TEXT64 WT_WGMMA_TEXT56 ", %28, %29, %30, %31"
#define WT_WGMMA_SUMS64(d) WT_WGMMA_SUMS56(d), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
#define WT_WGMMA_INPUTS64 "%32", "%33", "%34", "%35", "%36"
#define WT_WGMMA_TEXT72 WT_WGMMA_TEXT64 ", %32, %33, %34, %35"
#define WT_WGMMA_SUMS72(d) WT_WGMMA_SUMS64(d), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35])
#define WT_WGMMA_INPUTS72 "%36", "%37", "%38", "%39", "%40"
#define WT_WGMMA_TEXT80 WT_WGMMA_TEXT72 ", %36, %37, %38, %39"
#define WT_WGMMA_SUMS80(d) WT_WGMMA_SUMS72(d), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39])
#define WT_WGMMA_INPUTS80 "%40", "%41", "%42", "%43", "%44"
#define WT_WGMMA_TEXT88 WT_WGMMA_TEXT80 ", %40, %41, %42, %43"
#define WT_WGMMA_SUMS88(d) WT_WGMMA_SUMS80(d), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43])
#define WT_WGMMA_INPUTS88 "%44", "%45", "%46", "%47", "%48"
#define WT_WGMMA_TEXT96 WT_WGMMA_TEXT88 ", %44, %45, %46, %47"
#define WT_WGMMA_SUMS96(d) WT_WGMMA_SUMS88(d), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47])
#define WT_WGMMA_INPUTS96 "%48", "%49", "%50", "%51", "%52"
#define WT_WGMMA_TEXT104 WT_WGMMA_TEXT96 ", %48, %49, %50, %51"
#define WT_WGMMA_SUMS104(d) WT_WGMMA_SUMS96(d), "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51])
#define WT_WGMMA_INPUTS104 "%52", "%53", "%54", "%55", "%56"
#define WT_WGMMA_TEXT112 WT_WGMMA_TEXT104 ", %52, %53, %54, %55"
#define WT_WGMMA_SUMS112(d) WT_WGMMA_SUMS104(d), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55])
#define WT_WGMMA_INPUTS112 "%56", "%57", "%58", "%59", "%60"
#define WT_WGMMA_TEXT120 WT_WGMMA_TEXT112 ", %56, %57, %58, %59"
#define WT_WGMMA_SUMS120(d) WT_WGMMA_SUMS112(d), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59])
#define WT_WGMMA_INPUTS120 "%60", "%61", "%62", "%63", "%64"
#define WT_WGMMA_TEXT128 WT_WGMMA_TEXT120 ", %60, %61, %62, %63"
#define WT_WGMMA_SUMS128(d) WT_WGMMA_SUMS120(d), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
#define WT_WGMMA_INPUTS128 "%64", "%65", "%66", "%67", "%68"
#define WT_WGMMA_TEXT136 WT_WGMMA_TEXT128 ", %64, %65, %66, %67"
#define WT_WGMMA_SUMS136(d) WT_WGMMA_SUMS128(d), "+f"(d[64]), "+f"(d[65]), "+f"(d[66]), "+f"(d[67])
#define WT_WGMMA_INPUTS136 "%68", "%69", "%70", "%71", "%72"
#define WT_WGMMA_TEXT144 WT_WGMMA_TEXT136 ", %68, %69, %70, %71"
#define WT_WGMMA_SUMS144(d) WT_WGMMA_SUMS136(d), "+f"(d[68]), "+f"(d[69]), "+f"(d[70]), "+f"(d[71])
#define WT_WGMMA_INPUTS144 "%72", "%73", "%74", "%75", "%76"
#define WT_WGMMA_TEXT152 WT_WGMMA_TEXT144 ", %72, %73, %74, %75"
#define WT_WGMMA_SUMS152(d) WT_WGMMA_SUMS144(d), "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75])
#define WT_WGMMA_INPUTS152 "%76", "%77", "%78", "%79", "%80"
#define WT_WGMMA_TEXT160 WT_WGMMA_TEXT152 ", %76, %77, %78, %79"
#define WT_WGMMA_SUMS160(d) WT_WGMMA_SUMS152(d), "+f"(d[76]), "+f"(d[77]), "+f"(d[78]), "+f"(d[79])
#define WT_WGMMA_INPUTS160 "%80", "%81", "%82", "%83", "%84"
#define WT_WGMMA_TEXT168 WT_WGMMA_TEXT160 ", %80, %81, %82, %83"
#define WT_WGMMA_SUMS168(d) WT_WGMMA_SUMS160(d), "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83])
#define WT_WGMMA_INPUTS168 "%84", "%85", "%86", "%87", "%88"
#define WT_WGMMA_TEXT176 WT_WGMMA_TEXT168 ", %84, %85, %86, %87"
#define WT_WGMMA_SUMS176(d) WT_WGMMA_SUMS168(d), "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), "+f"(d[87])
#define WT_WGMMA_INPUTS176 "%88", "%89", "%90", "%91", "%92"
#define WT_WGMMA_TEXT184 WT_WGMMA_TEXT176 ", %88, %89, %90, %91"
#define WT_WGMMA_SUMS184(d) WT_WGMMA_SUMS176(d), "+f"(d[88]), "+f"(d[89]), "+f"(d[90]), "+f"(d[91])
#define WT_WGMMA_INPUTS184 "%92", "%93", "%94", "%95", "%96"
#define WT_WGMMA_TEXT192 WT_WGMMA_TEXT184 ", %92, %93, %94, %95"
#define WT_WGMMA_SUMS192(d) WT_WGMMA_SUMS184(d), "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95])
#define WT_WGMMA_INPUTS192 "%96", "%97", "%98", "%99", "%100"
#define WT_WGMMA_TEXT200 WT_WGMMA_TEXT192 ", %96, %97, %98, %99"
#define WT_WGMMA_SUMS200(d) WT_WGMMA_SUMS192(d), "+f"(d[96]), "+f"(d[97]), "+f"(d[98]), "+f"(d[99])
#define WT_WGMMA_INPUTS200 "%100", "%101", "%102", "%103", "%104"
#define WT_WGMMA_TEXT208 WT_WGMMA_TEXT200 ", %100, %101, %102, %103"
#define WT_WGMMA_SUMS208(d) WT_WGMMA_SUMS200(d), "+f"(d[100]), "+f"(d[101]), "+f"(d[102]), "+f"(d[103])
#define WT_WGMMA_INPUTS208 "%104", "%105", "%106", "%107", "%108"
#define WT_WGMMA_TEXT216 WT_WGMMA_TEXT208 ", %104, %105, %106, %107"
#define WT_WGMMA_SUMS216(d) WT_WGMMA_SUMS208(d), "+f"(d[104]), "+f"(d[105]), "+f"(d[106]), "+f"(d[107])
#define WT_WGMMA_INPUTS216 "%108", "%109", "%110", "%111", "%112"
#define WT_WGMMA_TEXT224 WT_WGMMA_TEXT216 ", %108, %109, %110, %111"
#define WT_WGMMA_SUMS224(d) WT_WGMMA_SUMS216(d), "+f"(d[108]), "+f"(d[109]), "+f"(d[110]), "+f"(d[111])
#define WT_WGMMA_INPUTS224 "%112", "%113", "%114", "%115", "%116"
#define WT_WGMMA_TEXT232 WT_WGMMA_TEXT224 ", %112, %113, %114, %115"
#define WT_WGMMA_SUMS232(d) WT_WGMMA_SUMS224(d), "+f"(d[112]), "+f"(d[113]), "+f"(d[114]), "+f"(d[115])
#define WT_WGMMA_INPUTS232 "%116", "%117", "%118", "%119", "%120"
#define WT_WGMMA_TEXT240 WT_WGMMA_TEXT232 ", %116, %117, %118, %119"
#define WT_WGMMA_SUMS240(d) WT_WGMMA_SUMS232(d), "+f"(d[116]), "+f"(d[117]), "+f"(d[118]), "+f"(d[119])
#define WT_WGMMA_INPUTS240 "%120", "%121", "%122", "%123", "%124"
#define WT_WGMMA_TEXT248 WT_WGMMA_TEXT240 ", %120, %121, %122, %123"
#define WT_WGMMA_SUMS248(d) WT_WGMMA_SUMS240(d), "+f"(d[120]), "+f"(d[121]), "+f"(d[122]), "+f"(d[123])
#define WT_WGMMA_INPUTS248 "%124", "%125", "%126", "%127", "%128"
#define WT_WGMMA_TEXT256 WT_WGMMA_TEXT248 ", %124, %125, %126, %127"
#define WT_WGMMA_SUMS256(d) WT_WGMMA_SUMS248(d), "+f"(d[124]), "+f"(d[125]), "+f"(d[126]), "+f"(d[127])
#define WT_WGMMA_INPUTS256 "%128", "%129", "%130", "%131", "%132"
