// The operators of language models and of training give the results of their references on an
// emulated device, also with NaN and infinities, and their gradients are derivatives.
#include "support/emulated_operator.h"
#include "support/emulated_reference.h"

#include <gmock/gmock.h>
#include <limits>
#include <set>

namespace warptune::test {
namespace {

// Puts NaN, infinities, zeros, and large and small numbers among the elements of inputs with these names.
void put_scattered(const BufferPlan& buffer, const Problem&, unsigned char* data) {
  static const std::set<std::string> names = {"q", "k", "table", "dy", "grads", "means", "weights", "x", "target"};
  if (names.count(buffer.name) == 0) return;
  const double infinity = std::numeric_limits<double>::infinity();
  const double numbers[] = {std::nan(""), infinity, -infinity, 0.0, -0.0, 60, -1e-3};
  for (std::int64_t i = 3, which = 0; i < buffer.count; i += 29, ++which)
    put(data, buffer.dtype, i, encode_number(buffer.dtype, numbers[which % 7]));
}

// Indices outside the table.
void put_bad_indices(const BufferPlan& buffer, const Problem& problem, unsigned char* data) {
  const std::int64_t rows = problem.dims.size() > 1 ? problem.dims[1] : 0, far = std::int64_t{1} << 30;
  const auto put_index = [&](std::int64_t i, std::int64_t index) {
    if (i >= 0 && i < buffer.count) put(data, buffer.dtype, i, encode_integer(buffer.dtype, index));
  };
  if (buffer.name == "sorted_ids") { // they stay sorted
    put_index(0, -3);
    put_index(1, buffer.count > 3 ? -1 : far);
    put_index(buffer.count - 2, buffer.count > 3 ? rows : far);
    put_index(buffer.count - 1, far);
  } else if (buffer.name == "ids") {
    const std::int64_t bad[] = {rows, -1, far, -far};
    for (std::int64_t i = 0; i < buffer.count; i += 3) put_index(i, bad[i / 3 % 4]);
  }
}

// Puts targets of hinge_embedding, and probabilities of 0 and 1.
void put_signs(const BufferPlan& buffer, const Problem&, unsigned char* data) {
  const double signs[] = {1, -1, 1, 0, -1};
  for (std::int64_t i = 0; i < buffer.count && buffer.name == "target"; ++i)
    put(data, buffer.dtype, i, encode_number(buffer.dtype, signs[i % 5]));
}

class EmulatedLanguage : public testing::TestWithParam<const char*> {};

TEST_P(EmulatedLanguage, givesTheResultsOfTheReference) {
  EmulatedOperator tested(GetParam());
  // Each block of a sort reads all indices, which takes long here; Embedding.groupsShareTheTokensOfARow has large
  // tables. A long list of tensors has gaps between them.
  const std::string name = GetParam();
  tested.add_ragged(name == "embedding_backward" ? 20'100 : name == "adam_list" ? 100'000 : 40'000);
  tested.build();
  EXPECT_EQ(tested.check(), "");
  EXPECT_EQ(tested.check(put_scattered), "") << "with NaN and infinities";
  EXPECT_EQ(tested.check(put_bad_indices), "") << "with indices that are not rows";
  EXPECT_EQ(tested.check(put_signs), "") << "with targets of 1, -1 and 0";
  EXPECT_GT(tested.checked, 8);
  std::printf("%s: %d results checked\n", GetParam(), tested.checked);
}

INSTANTIATE_TEST_SUITE_P(All, EmulatedLanguage,
                         testing::Values("rotary", "embedding", "embedding_backward", "adam", "adam_list", "loss",
                                         "loss_backward", "scan"),
                         [](const auto& tested) { return tested.param; });

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// Rotation is linear, so the gradient of x is the transposed rotation: <R x, w> = <x, R^T w>.
TEST(Rotary, inverseIsTheGradient) {
  for (const char* pairs : {"pairs=halves", "pairs=neighbours"}) {
    const std::string shape = "seq=3,q_heads=2,k_heads=1,head_dim=10,rotated=6";
    EmulatedReference forward("rotary", shape, {pairs}), backward("rotary", shape, {pairs, "inverse=1"});
    Values inputs{{"q", draw_normal(60, 1)},
                  {"k", draw_normal(30, 2)},
                  {"cosines", draw_normal(9, 3)},
                  {"sines", draw_normal(9, 4)}};
    const Values results = forward.results(inputs);
    Values grads = inputs;
    grads["q"] = draw_normal(60, 5);
    grads["k"] = draw_normal(30, 6);
    const Values gradients = backward.results(grads);
    for (const auto& [x, y] : {std::pair("q", "q_out"), std::pair("k", "k_out")})
      EXPECT_NEAR(dot(results.at(y), grads.at(x)), dot(inputs.at(x), gradients.at(y)), 1e-5) << pairs << x;
  }
}

// As in PyTorch's code of Llama in transformers and of GPT-J: x * cos + rotate(x) * sin.
TEST(Rotary, pairsAreThoseOfPyTorch) {
  const Values inputs{{"q", {1, 2, 3, 4, 5, 6}}, {"cosines", {0.5, 0.25}}, {"sines", {0.75, -1}}};
  const std::string shape = "seq=1,q_heads=1,k_heads=0,head_dim=6,rotated=4";
  EmulatedReference halves("rotary", shape, {"pairs=halves"}), neighbours("rotary", shape, {"pairs=neighbours"});
  EXPECT_EQ(halves.results(inputs).at("q_out"), (std::vector<double>{-1.75, 4.5, 2.25, -1, 5, 6}));
  EXPECT_EQ(neighbours.results(inputs).at("q_out"), (std::vector<double>{-1, 1.75, 4.75, -2, 5, 6}));
}

// What no configuration of rotary allows for a problem; "" if the default is valid.
std::string refusal_of_rotary(const Shape& shape, bool has_positions) {
  const Kernel rotary = shipped_store().load("rotary").value();
  std::vector<std::int64_t> flags;
  for (const Flag& flag : rotary.spec.flags)
    flags.push_back(flag.name == "positions" ? std::int64_t{has_positions} : flag.values.front());
  const Problem problem = make_problem(rotary.spec, shape, DType::bf16, flags).value();
  const auto refusal = check_config(rotary.spec, problem, h200_device(), default_config(rotary.spec, 0));
  EXPECT_NE(SearchSpace::build(rotary.spec, problem, h200_device()).has_value(), refusal.has_value());
  return refusal.value_or("");
}

// seq, q_heads, k_heads, head_dim, batch, rotated, length.
TEST(Rotary, TablesHaveARowForEachTokenOfASequence) {
  EXPECT_EQ(refusal_of_rotary({4, 2, 1, 8, 1, 0, 0}, false), "");
  EXPECT_EQ(refusal_of_rotary({4, 2, 1, 8, 1, 0, 4}, false), "");
  EXPECT_THAT(refusal_of_rotary({4, 2, 1, 8, 1, 0, 3}, false), testing::HasSubstr("token t of a sequence has row t"));
  EXPECT_EQ(refusal_of_rotary({4, 2, 1, 8, 1, 0, 3}, true), "") << "positions may name any rows";
}

// The kernel numbers the heads of q and k in one order, in 32-bit integers.
TEST(Rotary, IndicesOfHeadsFitInt32) {
  constexpr std::int64_t kMax = 2147483647;
  EXPECT_EQ(refusal_of_rotary({1, 1 << 30, 1 << 20, 2, 1, 0, 0}, false), "");
  for (const std::int64_t k_heads : {std::int64_t{1}, kMax})
    EXPECT_THAT(refusal_of_rotary({1, kMax, k_heads, 2, 1, 0, 0}, false), testing::HasSubstr("31 bits"));
}

// Groups of threads share the tokens of a row, of few tokens and of several pieces; `main` sorts up to 1024 rows a
// block, and `segments` up to 2048.
TEST(Embedding, groupsShareTheTokensOfARow) {
  EmulatedOperator tested("embedding_backward");
  for (const std::int64_t rows : {7, 250}) {
    tested.add(tested.problem_of({1003, rows, 40}, DType::bf16, {std::nullopt, 0, 1}),
               {"THREADS_PER_ROW=8,ROWS_PER_BLOCK=1,SPLIT=4,BATCH=2,PIECE=16,BYTES=16,STORES=plain",
                "THREADS_PER_ROW=8,ROWS_PER_BLOCK=1,SPLIT=8,BATCH=1,PIECE=64,BYTES=8,STORES=streaming"});
    tested.add(tested.problem_of({1003, rows, 40}, DType::bf16, {std::nullopt, 1, 0}),
               {"THREADS_PER_ROW=16,ROWS_PER_BLOCK=1,SPLIT=2,BATCH=4,PIECE=128,BYTES=8,STORES=plain",
                "THREADS_PER_ROW=8,ROWS_PER_BLOCK=4,SPLIT=1,BATCH=8,PIECE=32,BYTES=16,STORES=plain"});
  }
  for (const std::int64_t rows : {3'001, 20'011, 70'003})
    tested.add(tested.problem_of({203, rows, 1}, DType::fp32, {std::nullopt, 0, 0}),
               {"THREADS_PER_ROW=8,ROWS_PER_BLOCK=32,SPLIT=1,BATCH=2,PIECE=32,BYTES=16,STORES=plain",
                "implementation=segments,BATCH=2,STORES=plain,THREADS=32,ITEMS=64"});
  // One row in more segments than a block has threads to look for its first one.
  tested.add(tested.problem_of({17'001, 1, 1}, DType::fp32, {std::nullopt, 0, 1}),
             {"implementation=segments,BATCH=8,STORES=plain,THREADS=64,ITEMS=32"});
  tested.build();
  EXPECT_EQ(tested.check(), "");
  EXPECT_EQ(tested.check(put_bad_indices), "") << "with indices that are not rows";
}

// `few`: several rows of a thread and of a warp, rows of several warps, several rounds of tokens of a row, and lists
// that do not fill the lanes.
TEST(Embedding, warpsFindTheTokensOfTheirRows) {
  EmulatedOperator tested("embedding_backward");
  const auto add = [&](const char* shape, const char* dtype, const char* index, const std::vector<std::string>& texts) {
    std::vector<std::string> configs;
    for (const std::string& text : texts) configs.push_back("implementation=few," + text);
    for (const char* padding : {"padding=0", "padding=1"})
      for (const char* sorted : {"sorted=0", "sorted=1"})
        tested.add(make_problem(tested.spec(), shape, dtype, {index, padding, sorted}).value(), configs);
  };
  add("tokens=1003,rows=250,cols=40", "bf16", "index=int64",
      {"THREADS_PER_ROW=4,BATCH=4,ROWS=2,THREADS=64", "THREADS_PER_ROW=8,BATCH=8,ROWS=4,THREADS=128"});
  add("tokens=1024,rows=301,cols=264", "fp32", "index=int32",
      {"THREADS_PER_ROW=64,BATCH=8,ROWS=8,THREADS=64", "THREADS_PER_ROW=16,BATCH=4,ROWS=1,THREADS=256"});
  add("tokens=33,rows=2003,cols=1", "fp16", "index=int64", {"THREADS_PER_ROW=4,BATCH=8,ROWS=8,THREADS=256"});
  add("tokens=517,rows=3,cols=24", "bf16", "index=int32", {"THREADS_PER_ROW=4,BATCH=8,ROWS=1,THREADS=64"});
  tested.build();
  EXPECT_EQ(tested.check(), "");
  EXPECT_EQ(tested.check(put_scattered), "") << "with NaN and infinities";
  EXPECT_EQ(tested.check(put_bad_indices), "") << "with indices that are not rows";
  EXPECT_EQ(tested.checked, 3 * 24);
}

// Gathering is linear, so the gradient of the table is the transposed gathering.
TEST(Embedding, backwardIsTheGradient) {
  EmulatedReference forward("embedding", "tokens=40,rows=5,cols=3", {}),
      backward("embedding_backward", "tokens=40,rows=5,cols=3", {});
  const std::vector<double> table = draw_normal(15, 1), dy = draw_normal(120, 2);
  std::vector<double> ids(40), order(40);
  for (std::size_t i = 0; i < 40; ++i) {
    ids[i] = static_cast<double>(i * i % 5); // 2 and 3 do not occur
    order[i] = static_cast<double>(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](double a, double b) {
    return ids[static_cast<std::size_t>(a)] < ids[static_cast<std::size_t>(b)];
  });
  std::vector<double> sorted = ids;
  std::sort(sorted.begin(), sorted.end());
  const std::vector<double> y = forward.results({{"table", table}, {"ids", ids}}).at("y");
  const Values gradient = backward.results({{"dy", dy}, {"sorted_ids", sorted}, {"order", order}});
  EXPECT_NEAR(dot(y, dy), dot(table, gradient.at("dtable")), 1e-5);
}

// The second group begins with the result of the first.
TEST(Scan, groupsOfPiecesFollowEachOther) {
  EmulatedOperator tested("scan");
  for (const auto& [shape, dtype, flag] :
       {std::tuple("rows=2,cols=140000", "fp32", "reverse=1"), std::tuple("rows=1,cols=270001", "bf16", "exclusive=1")})
    tested.add(make_problem(tested.spec(), shape, dtype, {flag}).value(),
               {"implementation=once,BLOCK=128,ITERS=4,RESIDENT=1536,LOAD_BYTES=8"});
  tested.add(make_problem(tested.spec(), "rows=1,cols=600001", "bf16", {"mask=1"}).value(),
             {"implementation=once,BLOCK=128,ITERS=8,RESIDENT=1024,LOAD_BYTES=8"});
  tested.build();
  EXPECT_EQ(tested.check(), "");
  EXPECT_EQ(tested.checked, 3);
}

// Elements that the mask leaves out do not contribute even if they are NaN. Rows of which the mask chooses all
// elements, none, only the first or only the last.
TEST(Scan, leavesOutWhatTheMaskDoesNotChoose) {
  EmulatedOperator tested("scan");
  for (const char* op : {"op=sum", "op=prod"})
    for (const char* reverse : {"reverse=0", "reverse=1"}) {
      for (const char* shape : {"rows=9,cols=203", "rows=9,cols=96", "rows=5,cols=4099"})
        tested.add(make_problem(tested.spec(), shape, "bf16", {op, reverse, "mask=1"}).value(), 0);
      tested.add(make_problem(tested.spec(), "rows=2,cols=40003", "fp32", {op, reverse, "mask=1"}).value(),
                 {"implementation=chunks,THREADS_PER_ROW=128,ROWS_PER_BLOCK=1,PIECE_KIB=32,BATCH=2,LOAD_BYTES=16",
                  "implementation=once,BLOCK=128,ITERS=8,RESIDENT=1024,LOAD_BYTES=8"});
    }
  tested.build();
  EXPECT_EQ(tested.check([](const BufferPlan& buffer, const Problem& problem, unsigned char* data) {
    const std::int64_t cols = problem.dims[1];
    for (std::int64_t i = 0; buffer.name == "mask" && i < buffer.count; ++i) {
      const std::int64_t row = i / cols % 4, column = i % cols;
      data[i] = row == 0 || (row == 2 && column == 0) || (row == 3 && column == cols - 1);
    }
  }),
            "");
  EXPECT_EQ(tested.check([](const BufferPlan& buffer, const Problem&, unsigned char* data) {
    for (std::int64_t i = 0; i < buffer.count; ++i) {
      if (buffer.name == "mask") data[i] = i % 3 != 1;
      if (buffer.name == "x") put(data, buffer.dtype, i, encode_number(buffer.dtype, i % 3 != 1 ? 1.0 : std::nan("")));
    }
  }),
            "");
  EXPECT_GT(tested.checked, 40);
}

// A product of 0 changes its sign with each negative factor, in all pieces and groups of pieces behind the first 0. A
// sum of zeros is 0 even if all of them are -0, because PyTorch begins with 0.
TEST(Scan, zerosHaveTheSignsOfPyTorch) {
  EmulatedOperator tested("scan");
  tested.compares_signs_of_zeros = true;
  const std::string once = "implementation=once,BLOCK=128,ITERS=4,RESIDENT=1536,LOAD_BYTES=8";
  for (const char* op : {"op=prod", "op=sum"}) {
    for (const auto& [shape, dtype, flag] : {std::tuple("rows=2,cols=140000", "fp32", "reverse=1"),
                                             std::tuple("rows=1,cols=270001", "bf16", "exclusive=1"),
                                             std::tuple("rows=2,cols=140000", "fp32", "reverse=0")})
      tested.add(make_problem(tested.spec(), shape, dtype, {op, flag}).value(), {once});
    tested.add(make_problem(tested.spec(), "rows=3,cols=5000", "fp32", {op}).value(), 0);
  }
  tested.build();
  const auto fill = [](double (*element)(std::int64_t)) {
    return [element](const BufferPlan& buffer, const Problem&, unsigned char* data) {
      for (std::int64_t i = 0; buffer.name == "x" && i < buffer.count; ++i)
        put(data, buffer.dtype, i, encode_number(buffer.dtype, element(i)));
    };
  };
  EXPECT_EQ(tested.check(fill([](std::int64_t i) { return i % 3000 == 5 ? 0.0 : i % 7919 == 6 ? -1.0 : 1.0; })), "");
  EXPECT_EQ(tested.check(fill([](std::int64_t) { return -0.0; })), "");
  EXPECT_EQ(tested.check(fill([](std::int64_t i) { return i % 2 == 0 ? -0.0 : 0.0; })), "");
  EXPECT_EQ(tested.checked % 3, 0);
  EXPECT_GE(tested.checked, 3 * 8);
}

// Products of 16 Mi elements neither vanish nor overflow; in fp32 their rounding errors are within the tolerance, but a
// missing element or carry is not. Half of the wrong elements differ in sign, the others in magnitude.
TEST(Scan, dataOfProductsShowErrorsAtAnyLength) {
  constexpr std::int64_t kCount = std::int64_t{1} << 24, kMissing = 1000, kPiece = 1 << 20;
  EmulatedReference reference("scan", fmt::format("rows=1,cols={}", kCount), {"op=prod"});
  const std::vector<double> x = reference.input("x"), exact = reference.results({}).at("y");
  const KernelSpec spec = shipped_store().load("scan").value().spec;
  const Problem problem = make_problem(spec, fmt::format("rows=1,cols={}", kCount), "fp32", {"op=prod"}).value();
  const double rtol = tolerance_of(spec, problem, "y").value().rtol;
  float sequential = 1, without_element = 1, in_piece = 1;
  std::int64_t wrong = 0, missed_element = 0, missed_carry = 0, outside = 0;
  for (std::int64_t i = 0; i < kCount; ++i) {
    const auto number = static_cast<float>(x[static_cast<std::size_t>(i)]);
    const double wanted = exact[static_cast<std::size_t>(i)], allowed = rtol * std::abs(wanted);
    sequential *= number;
    if (i != kMissing) without_element *= number;
    in_piece = i % kPiece == 0 ? number : in_piece * number;
    wrong += !(std::abs(sequential - wanted) <= allowed);
    outside += !(std::abs(wanted) >= 0.24 && std::abs(wanted) <= 4.1);
    if (i >= kMissing) missed_element += std::abs(without_element - wanted) <= allowed;
    if (i >= kPiece) missed_carry += std::abs(in_piece - wanted) <= allowed;
  }
  EXPECT_EQ(outside, 0);
  EXPECT_EQ(wrong, 0) << "within " << rtol;
  EXPECT_EQ(missed_element, 0);
  EXPECT_EQ(missed_carry, 0);
}

} // namespace
} // namespace warptune::test
