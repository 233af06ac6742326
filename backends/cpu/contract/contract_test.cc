// Contractions against the model of contract_testing.h, over types, forms and sizes.
#include "backends/cpu/contract/contract.h"

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backends/cpu/contract/contract_testing.h"
#include "backends/cpu/contract/product.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/parallel.h"
#include "spec/ir/row_major.h"
#include "spec/ops/dimension_numbers.h"
#include "spec/ops/window_math.h"

namespace assay::cpu {
namespace {

using runtime::ArrayRef;
using runtime::Context;
using runtime::MutableArrayRef;

using contract_testing::ArithmeticBits;
using contract_testing::Compute;
using contract_testing::Exact;
using contract_testing::ModelSum;
using contract_testing::One;
using contract_testing::Random;
using contract_testing::Read;
using contract_testing::RootOf;

void ExpectDot(const Instruction& dot, const Literal& lhs, const Literal& rhs,
               const Literal& result) {
  const DotDimensions dims = DotDimensionsOf(dot);
  Dimensions depth;
  for (const int64_t d : dims.lhs_contracting) depth.push_back(lhs.shape().dimension(d));
  const Shape depth_shape(ElementType::kS32, depth);
  for (int64_t i = 0; i < result.element_count() && !testing::Test::HasFailure(); ++i) {
    const Dimensions out = RowMajorIndex(i, result.shape().dimensions());
    Dimensions l(lhs.shape().rank()), r(rhs.shape().rank());
    size_t next = 0;
    for (size_t b = 0; b < dims.lhs_batch.size(); ++b) {
      l[dims.lhs_batch[b]] = r[dims.rhs_batch[b]] = out[next++];
    }
    for (const int64_t d : dims.lhs_free) l[d] = out[next++];
    for (const int64_t d : dims.rhs_free) r[d] = out[next++];
    ModelSum sum;
    for (int64_t k = 0; k < depth_shape.element_count(); ++k) {
      const Dimensions at = RowMajorIndex(k, depth_shape.dimensions());
      for (size_t c = 0; c < at.size(); ++c) {
        l[dims.lhs_contracting[c]] = r[dims.rhs_contracting[c]] = at[c];
      }
      sum.Add(Read(lhs.element_type(), lhs.Get(RowMajorPosition(l, lhs.shape().dimensions()))),
              Read(rhs.element_type(), rhs.Get(RowMajorPosition(r, rhs.shape().dimensions()))));
    }
    sum.Expect(dot.shape().element_type(), result.Get(i), ArithmeticBits(dot),
               absl::StrCat(dot.Describe(), " element ", i));
  }
}

std::string ShapeText(ElementType type, const std::vector<int64_t>& sizes) {
  return Shape(type, sizes).ToString();
}

struct DotForm {
  std::vector<int64_t> lhs, rhs, result;
  std::string attributes;
};
const std::vector<DotForm>& DotForms() {
  static const auto* const forms = new std::vector<DotForm>{
      {{7, 5}, {5, 9}, {7, 9}, ", lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
      {{5, 13}, {18, 5}, {13, 18}, ", lhs_contracting_dims={0}, rhs_contracting_dims={1}"},
      {{1, 33}, {33, 40}, {1, 40}, ", lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
      {{40, 33}, {33}, {40}, ", lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
      {{13, 21}, {21, 13}, {}, ", lhs_contracting_dims={0,1}, rhs_contracting_dims={1,0}"},
      {{3, 4, 6},
       {6, 3, 5},
       {3, 4, 5},
       ", lhs_batch_dims={0}, rhs_batch_dims={1}, lhs_contracting_dims={2}, "
       "rhs_contracting_dims={0}"},
      {{2, 7, 2, 6},
       {6, 2, 8, 2},
       {2, 2, 7, 8},
       ", lhs_batch_dims={2,0}, rhs_batch_dims={1,3}, lhs_contracting_dims={3}, "
       "rhs_contracting_dims={0}"},
      {{4, 3, 5},
       {3, 17, 5, 2},
       {4, 17, 2},
       ", lhs_contracting_dims={1,2}, rhs_contracting_dims={0,2}"},
      {{3, 300}, {300, 17}, {3, 17}, ", lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
  };
  return *forms;
}

TEST(Dot, EveryElementTypeInEveryForm) {
  std::mt19937_64 random(1);
  for (const ElementType type : kArrayTypes) {
    for (const DotForm& form : DotForms()) {
      const auto module = One({ShapeText(type, form.lhs), ShapeText(type, form.rhs)},
                              ShapeText(type, form.result), "dot", form.attributes);
      ASSERT_NE(module, nullptr);
      const Instruction& dot = RootOf(*module);
      const Literal lhs = Random(dot.operand(0)->shape(), random);
      const Literal rhs = Random(dot.operand(1)->shape(), random);
      // The largest f8 types overflow in long sums of numbers that are positive.
      if (type == ElementType::kF8E8M0FNU) continue;
      const absl::StatusOr<Literal> result = Compute(dot, {lhs, rhs});
      ASSERT_TRUE(result.ok()) << result.status();
      if (IsFloat(type) && Info(type).bits <= 8) continue;  // judged in f32 below
      ExpectDot(dot, lhs, rhs, *result);
    }
  }
}

TEST(Dot, MixedTypesOfOneClass) {
  using Types = std::vector<ElementType>;
  std::mt19937_64 random(2);
  std::vector<Types> triples = {
      {ElementType::kBF16, ElementType::kF32, ElementType::kF32},
      {ElementType::kF32, ElementType::kF32, ElementType::kBF16},
      {ElementType::kF64, ElementType::kBF16, ElementType::kF32},
      {ElementType::kF32, ElementType::kF16, ElementType::kF64},
      {ElementType::kS8, ElementType::kU8, ElementType::kS32},
      {ElementType::kS8, ElementType::kS8, ElementType::kS64},
      {ElementType::kU4, ElementType::kS16, ElementType::kS16},
      {ElementType::kS64, ElementType::kS32, ElementType::kS8},
      {ElementType::kC64, ElementType::kC128, ElementType::kC64},
  };
  for (const ElementType type : kArrayTypes) {
    if (IsFloat(type)) triples.push_back({type, type, ElementType::kF32});
    if (IsFloat(type)) triples.push_back({type, ElementType::kF32, ElementType::kF64});
    if (IsInteger(type)) triples.push_back({type, type, ElementType::kS32});
  }
  size_t turn = 0;
  for (const Types& types : triples) {
    // A third of the forms each.
    for (size_t f = turn++ % 3; f < DotForms().size(); f += 3) {
      const DotForm& form = DotForms()[f];
      const auto module = One({ShapeText(types[0], form.lhs), ShapeText(types[1], form.rhs)},
                              ShapeText(types[2], form.result), "dot", form.attributes);
      ASSERT_NE(module, nullptr);
      const Instruction& dot = RootOf(*module);
      const Literal lhs = Random(dot.operand(0)->shape(), random);
      const Literal rhs = Random(dot.operand(1)->shape(), random);
      const absl::StatusOr<Literal> result = Compute(dot, {lhs, rhs});
      ASSERT_TRUE(result.ok()) << result.status();
      ExpectDot(dot, lhs, rhs, *result);
    }
  }
}

// The tiles of every instruction set that this processor has, at all sizes around theirs.
std::vector<const Tiles*> AvailableTiles() {
  std::vector<const Tiles*> tiles = {BaselineTiles()};
  const std::string best = BestTiles().name;
  if (best != "baseline") tiles.push_back(Avx2Tiles());
  if (best == "avx512") tiles.push_back(Avx512Tiles());
  return tiles;
}

template <typename T>
void CheckSizes(ElementType type) {
  std::mt19937_64 random(3);
  const std::vector<int64_t> rows = {1, 5, 6, 13, 97}, columns = {1, 8, 17, 33, 70};
  for (const Tiles* tiles : AvailableTiles()) {
    for (const int64_t m : rows) {
      for (const int64_t n : columns) {
        for (const int64_t k : {0, 1, 9, 257}) {
          // Numbers so small that every sum is exact.
          std::vector<T> lhs(m * k), rhs(k * n), result(m * n);
          for (T& x : lhs) x = static_cast<T>(random() % 16);
          for (T& x : rhs) x = static_cast<T>(random() % 16);
          for (const bool rhs_transposed : {false, true}) {
            Product product;
            product.lhs.type = product.rhs.type = product.result_type = type;
            product.lhs.outer.Append(m, k);
            product.lhs.depth.Append(k, 1);
            product.rhs.depth.Append(k, rhs_transposed ? 1 : n);
            product.rhs.outer.Append(n, rhs_transposed ? k : 1);
            product.result_rows.Append(m, n);
            product.result_columns.Append(n, 1);
            Context context;
            ASSERT_TRUE(Multiply(product, reinterpret_cast<const std::byte*>(lhs.data()),
                                 reinterpret_cast<const std::byte*>(rhs.data()),
                                 reinterpret_cast<std::byte*>(result.data()), context, *tiles)
                            .ok());
            for (int64_t i = 0; i < m * n; ++i) {
              T sum{};
              for (int64_t c = 0; c < k; ++c) {
                const int64_t r = rhs_transposed ? i % n * k + c : c * n + i % n;
                sum += lhs[i / n * k + c] * rhs[r];
              }
              ASSERT_EQ(result[i], sum) << tiles->name << " " << m << "x" << k << "x" << n;
            }
          }
        }
      }
    }
  }
}

TEST(Multiply, AllSizesAroundATile) {
  CheckSizes<float>(ElementType::kF32);
  CheckSizes<double>(ElementType::kF64);
  CheckSizes<uint32_t>(ElementType::kU32);
  CheckSizes<uint64_t>(ElementType::kU64);
}

// Neither threads nor the cut of blocks nor the alignment changes a bit.
TEST(Dot, SameBitsWhateverTheThreadsAndTheAlignment) {
  std::mt19937_64 random(4);
  for (const ElementType type : {ElementType::kF32, ElementType::kBF16, ElementType::kC64}) {
    for (const std::vector<int64_t>& sizes :
         std::vector<std::vector<int64_t>>{{200, 300, 170}, {1, 700, 900}, {900, 700, 1}}) {
      const auto module =
          One({ShapeText(type, {sizes[0], sizes[1]}), ShapeText(type, {sizes[1], sizes[2]})},
              ShapeText(type, {sizes[0], sizes[2]}), "dot", kMatrices);
      const Instruction& dot = RootOf(*module);
      const Literal lhs = Random(dot.operand(0)->shape(), random);
      const Literal rhs = Random(dot.operand(1)->shape(), random);
      const Literal alone = *Compute(dot, {lhs, rhs});
      for (const int64_t threads : {2, 3}) {
        for (const int64_t largest : {int64_t{1}, int64_t{1} << 40}) {
          runtime::WorkerPool pool(threads, largest);
          Context context;
          context.workers = &pool;
          EXPECT_TRUE(Literal::BitEqual(*Compute(dot, {lhs, rhs}, context), alone));
        }
      }
      std::vector<std::byte> memory[3];
      for (int i = 0; i < 3; ++i) {
        memory[i].resize(64 + (i == 0 ? lhs : i == 1 ? rhs : alone).byte_size());
      }
      std::memcpy(memory[0].data() + 1, lhs.data(), lhs.byte_size());
      std::memcpy(memory[1].data() + 3, rhs.data(), rhs.byte_size());
      const ArrayRef operands[] = {{&lhs.shape(), memory[0].data() + 1},
                                   {&rhs.shape(), memory[1].data() + 3}};
      const MutableArrayRef result = {&dot.shape(), memory[2].data() + 5};
      Context context;
      ASSERT_TRUE(
          (*PrepareDot(dot))->Execute(operands, absl::MakeConstSpan(&result, 1), context).ok());
      EXPECT_EQ(std::memcmp(result.data, alone.data(), alone.byte_size()), 0);
    }
  }
}

TEST(Dot, BudgetsEndIt) {
  const auto module = One({"f32[400,400]", "f32[400,400]"}, "f32[400,400]", "dot", kMatrices);
  const Literal zeros = Literal::Zeros(RootOf(*module).shape());
  runtime::Budget budget(1000, -1);
  Context context;
  context.budget = &budget;
  EXPECT_EQ(Compute(RootOf(*module), {zeros, zeros}, context).status().code(),
            absl::StatusCode::kResourceExhausted);
}

void ExpectConvolution(const Instruction& op, const Literal& input, const Literal& kernel,
                       const Literal& result) {
  const ConvolutionGeometry conv = ConvolutionGeometryOf(op);
  Dimensions window;
  for (const auto& spatial : conv.spatial) window.push_back(spatial.window.size);
  window.push_back(conv.kernel_features);
  const Shape window_shape(ElementType::kS32, window);
  for (int64_t i = 0; i < result.element_count() && !testing::Test::HasFailure(); ++i) {
    const Dimensions out = RowMajorIndex(i, result.shape().dimensions());
    const int64_t z = out[conv.output_feature_dim];
    ModelSum sum;
    for (int64_t k = 0; k < window_shape.element_count(); ++k) {
      const Dimensions at = RowMajorIndex(k, window_shape.dimensions());
      Dimensions in(out.size()), ker(out.size());
      const int64_t group = z / (conv.output_features / conv.feature_groups);
      in[conv.input_feature_dim] = group * conv.kernel_features + at.back();
      in[conv.input_batch_dim] =
          z / (conv.output_features / conv.batch_groups) * conv.output_batch +
          out[conv.output_batch_dim];
      ker[conv.kernel_input_feature_dim] = at.back();
      ker[conv.kernel_output_feature_dim] = z;
      bool exists = true;
      for (size_t s = 0; s < conv.spatial.size(); ++s) {
        const auto& spatial = conv.spatial[s];
        const WindowDimension& w = spatial.window;
        const int64_t place =
            out[spatial.output_dim] * w.stride - w.padding_low + at[s] * w.window_dilation;
        exists &= place >= 0 && place % w.base_dilation == 0 &&
                  place / w.base_dilation < spatial.input_size;
        in[spatial.input_dim] = place / w.base_dilation;
        ker[spatial.kernel_dim] = w.reversal ? w.size - 1 - at[s] : at[s];
      }
      if (!exists) continue;
      sum.Add(
          Read(input.element_type(), input.Get(RowMajorPosition(in, input.shape().dimensions()))),
          Read(kernel.element_type(),
               kernel.Get(RowMajorPosition(ker, kernel.shape().dimensions()))));
    }
    sum.Expect(op.shape().element_type(), result.Get(i), ArithmeticBits(op),
               absl::StrCat(op.Describe(), " element ", i));
  }
}

void CheckConvolution(ElementType type, ElementType result_type, const std::vector<int64_t>& input,
                      const std::vector<int64_t>& kernel, const std::vector<int64_t>& result,
                      const std::string& attributes, std::mt19937_64& random) {
  const auto module = One({ShapeText(type, input), ShapeText(type, kernel)},
                          ShapeText(result_type, result), "convolution", attributes);
  ASSERT_NE(module, nullptr);
  const Instruction& op = RootOf(*module);
  const Literal x = Random(op.operand(0)->shape(), random);
  const Literal w = Random(op.operand(1)->shape(), random);
  const absl::StatusOr<Literal> y = Compute(op, {x, w});
  ASSERT_TRUE(y.ok()) << y.status();
  ExpectConvolution(op, x, w, *y);
}

// One spatial dimension in every configuration of small sizes (bounded-exhaustive).
TEST(Convolution, BoundedExhaustive) {
  std::mt19937_64 random(5);
  for (const int64_t size : {1, 2, 5}) {
    for (const int64_t window : {1, 2, 3}) {
      for (const int64_t stride : {1, 2, 3}) {
        for (const int64_t low : {-1, 0, 2}) {
          for (const int64_t high : {-2, 0, 1}) {
            for (const int64_t base : {1, 2, 3}) {
              for (const int64_t dilation : {1, 2}) {
                for (const bool reversal : {false, true}) {
                  WindowDimension w = {window, stride, low, high, dilation, base, reversal};
                  const absl::StatusOr<int64_t> outputs = WindowedSize(size, w);
                  if (!outputs.ok()) continue;
                  CheckConvolution(ElementType::kS32, ElementType::kS32, {2, size, 2},
                                   {window, 2, 3}, {2, *outputs, 3},
                                   absl::StrCat(", window={size=", window, " stride=", stride,
                                                " pad=", low, "_", high, " lhs_dilate=", base,
                                                " rhs_dilate=", dilation, " rhs_reversal=",
                                                reversal ? 1 : 0, "}, dim_labels=b0f_0io->b0f"),
                                   random);
                  if (HasFailure()) return;
                }
              }
            }
          }
        }
      }
    }
  }
}

TEST(Convolution, TypesGroupsAndDimensionNumbers) {
  std::mt19937_64 random(6);
  for (const ElementType type :
       {ElementType::kF32, ElementType::kF64, ElementType::kBF16, ElementType::kF16,
        ElementType::kS8, ElementType::kU64, ElementType::kC64, ElementType::kC128,
        ElementType::kPred, ElementType::kS4}) {
    auto check = [&](const std::vector<int64_t>& input, const std::vector<int64_t>& kernel,
                     const std::vector<int64_t>& result, const std::string& attributes) {
      CheckConvolution(type, type, input, kernel, result, attributes, random);
    };
    check({2, 6, 7, 3}, {3, 3, 3, 5}, {2, 6, 7, 5},
          ", window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f");
    check({2, 3, 6, 7}, {5, 3, 3, 3}, {2, 5, 3, 4},
          ", window={size=3x3 stride=2x2 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01");
    check({6, 3, 2, 7}, {3, 2, 4, 3}, {8, 4, 2, 7},
          ", window={size=3x2 pad=2_1x1_1}, dim_labels=0fb1_01oi->1fb0");
    check({2, 5, 8}, {3, 2, 12}, {2, 3, 12},
          ", window={size=3}, dim_labels=b0f_0io->b0f, feature_group_count=4");
    check({2, 5, 6}, {3, 1, 6}, {2, 5, 6},
          ", window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f, feature_group_count=6");
    check({6, 5, 4}, {3, 4, 9}, {2, 3, 9},
          ", window={size=3}, dim_labels=b0f_0io->b0f, batch_group_count=3");
    check({3, 4}, {4, 5}, {3, 5}, ", dim_labels=bf_io->bf");
    check({2, 4, 5, 4, 2}, {2, 3, 2, 2, 3}, {2, 4, 4, 8, 3},
          ", window={size=2x3x2 pad=0_1x1_0x1_1 lhs_dilate=1x1x2}, "
          "dim_labels=b012f_012io->b012f");
  }
  for (const ElementType type : {ElementType::kF8E4M3FN, ElementType::kF8E8M0FNU,
                                 ElementType::kF4E2M1FN, ElementType::kF8E5M2FNUZ}) {
    CheckConvolution(type, ElementType::kF32, {2, 6, 3}, {3, 3, 4}, {2, 6, 4},
                     ", window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f", random);
  }
  CheckConvolution(ElementType::kS8, ElementType::kS32, {2, 6, 3}, {3, 3, 4}, {2, 6, 4},
                   ", window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f", random);
}
}  // namespace
}  // namespace assay::cpu
