// Contractions against worked examples and against a model that forms every sum element by element
// in integers of 128 bits or in long double, whose results may differ by the rounding of the sums.
#include "backends/cpu/contract/contract.h"

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backends/cpu/contract/product.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/parallel.h"
#include "spec/ops/dimension_numbers.h"
#include "spec/ops/window_math.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace assay::cpu {
namespace {

using runtime::ArrayRef;
using runtime::Context;
using runtime::MutableArrayRef;

Literal Value(const std::string& text) {
  absl::StatusOr<Literal> value = ParseTypedLiteral(text);
  EXPECT_TRUE(value.ok()) << value.status() << " in " << text;
  return std::move(value).value_or(Literal());
}

// An instruction alone, on parameters of these shapes.
std::unique_ptr<Module> One(const std::vector<std::string>& shapes, const std::string& result,
                            const std::string& opcode, const std::string& attributes) {
  std::string text = "HloModule m\nENTRY e {\n", names;
  for (size_t i = 0; i < shapes.size(); ++i) {
    absl::StrAppend(&text, "  p", i, " = ", shapes[i], " parameter(", i, ")\n");
    absl::StrAppend(&names, i == 0 ? "" : ", ", "p", i);
  }
  absl::StrAppend(&text, "  ROOT r = ", result, " ", opcode, "(", names, ")", attributes, "\n}\n");
  absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status() << "\n" << text;
  return module.ok() ? *std::move(module) : nullptr;
}

const Instruction& RootOf(const Module& module) { return *module.entry()->root(); }

absl::StatusOr<Literal> Compute(const Instruction& op, const std::vector<Literal>& operands,
                                Context& context) {
  runtime::KernelOr kernel =
      op.opcode() == Opcode::kConvolution ? PrepareConvolution(op) : PrepareDot(op);
  if (!kernel.ok()) return kernel.status();
  Literal result = Literal::Zeros(op.shape());
  std::memset(result.mutable_data(), 0xee, result.byte_size());
  std::vector<ArrayRef> arrays;
  for (const Literal& operand : operands) arrays.push_back({&operand.shape(), operand.data()});
  const MutableArrayRef to = {&op.shape(), result.mutable_data()};
  absl::Status status = (*kernel)->Execute(arrays, absl::MakeConstSpan(&to, 1), context);
  if (!status.ok()) return status;
  return result;
}
absl::StatusOr<Literal> Compute(const Instruction& op, const std::vector<Literal>& operands) {
  Context context;
  return Compute(op, operands, context);
}

struct Example {
  std::string opcode;
  std::vector<std::string> operands;
  std::string attributes;
  std::string expected;
};

void Check(const Example& example) {
  std::vector<Literal> operands;
  std::vector<std::string> shapes;
  for (const std::string& operand : example.operands) {
    operands.push_back(Value(operand));
    shapes.push_back(operands.back().shape().ToString());
  }
  const Literal expected = Value(example.expected);
  const auto module = One(shapes, expected.shape().ToString(), example.opcode, example.attributes);
  ASSERT_NE(module, nullptr);
  const absl::StatusOr<Literal> result = Compute(RootOf(*module), operands);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(PrintTypedLiteral(*result), PrintTypedLiteral(expected))
      << RootOf(*module).Describe() << example.attributes;
}

constexpr char kVectors[] = ", lhs_contracting_dims={0}, rhs_contracting_dims={0}";
constexpr char kMatrices[] = ", lhs_contracting_dims={1}, rhs_contracting_dims={0}";

// Those of reference ops_structural.md 7.
TEST(Dot, WorkedExamples) {
  const std::vector<Example> examples = {
      {"dot", {"s32[3] {1,2,3}", "s32[3] {4,5,6}"}, kVectors, "s32[] 32"},
      {"dot", {"f32[2,2] {{1,2},{3,4}}", "f32[2] {5,6}"}, kMatrices, "f32[2] {17,39}"},
      {"dot", {"f32[2] {5,6}", "f32[2,2] {{1,2},{3,4}}"}, kVectors, "f32[2] {23,34}"},
      {"dot",
       {"f64[2,2] {{1,2},{3,4}}", "f64[2,2] {{5,6},{7,8}}"},
       kMatrices,
       "f64[2,2] {{19,22},{43,50}}"},
      {"dot", {"f32[2,0] {{},{}}", "f32[0,3] {}"}, kMatrices, "f32[2,3] {{0,0,0},{0,0,0}}"},
      {"dot",
       {"f32[2,3] {{1,2,3},{4,5,6}}", "f32[2,3] {{1,1,1},{2,2,2}}"},
       ", lhs_contracting_dims={1}, rhs_contracting_dims={1}",
       "f32[2,2] {{6,12},{15,30}}"},
      {"dot",
       {"s32[2,3] {{1,2,3},{4,5,6}}", "s32[2,3] {{1,2,3},{4,5,6}}"},
       ", lhs_batch_dims={1,0}, rhs_batch_dims={1,0}",
       "s32[3,2] {{1,16},{4,25},{9,36}}"},
      {"dot", {"c64[2] {(1,2),(0,1)}", "c64[2] {(3,-1),(0,1)}"}, kVectors, "c64[] (4,5)"},
      {"dot", {"f32[2] {1,2}", "f32[3] {3,4,5}"}, "", "f32[2,3] {{3,4,5},{6,8,10}}"},
      {"dot",
       {"s64[2,2] {{1,2},{3,4}}", "s64[2,2] {{5,6},{7,8}}"},
       ", lhs_contracting_dims={0,1}, rhs_contracting_dims={1,0}",
       "s64[] 69"},
      {"dot",
       {"u8[2,3] {{1,2,3},{4,5,6}}", "u8[2,3] {{1,2,3},{4,5,6}}"},
       ", lhs_batch_dims={1}, rhs_batch_dims={1}, lhs_contracting_dims={0}, "
       "rhs_contracting_dims={0}",
       "u8[3] {17,29,45}"},
      {"dot", {"s8[2] {100,100}", "s8[2] {100,100}"}, kVectors, "s8[] 32"},
      {"dot", {"s8[2] {100,100}", "s8[2] {100,100}"}, kVectors, "s32[] 20000"},
      {"dot", {"f16[2] {256,1}", "f16[2] {256,1}"}, kVectors, "f16[] inf"},
      {"dot", {"f16[2] {256,1}", "f16[2] {256,1}"}, kVectors, "f32[] 65537"},
      {"dot", {"bf16[2] {1,1}", "bf16[2] {256,1}"}, kVectors, "bf16[] 256"},
      {"dot", {"bf16[2] {1,1}", "bf16[2] {256,1}"}, kVectors, "f32[] 257"},
      {"dot", {"f16[3] {300,300,1}", "f16[3] {300,-300,1}"}, kVectors, "f16[] 1"},
      {"dot", {"s32[1] {100}", "s32[1] {3}"}, kVectors, "s8[] 44"},
      {"dot", {"s4[2] {-8,7}", "s4[2] {-8,7}"}, kVectors, "s32[] 113"},
      {"dot", {"f8e4m3fn[2] {448,1}", "f8e4m3fn[2] {448,1}"}, kVectors, "f32[] 200705"},
      {"dot", {"u8[1] {200}", "s8[1] {-1}"}, kVectors, "s32[] -200"},
      {"dot", {"pred[2] {1,1}", "pred[2] {1,1}"}, kVectors, "pred[] true"},
      {"dot", {"pred[2] {1,0}", "pred[2] {0,1}"}, kVectors, "pred[] false"},
  };
  for (const Example& example : examples) Check(example);
}

// Where the classes differ, factors are converted first: 2.9 * 3.9 in s32 is 2 * 3.
TEST(Dot, FactorsOfOtherClassesAreConverted) {
  const std::vector<Example> examples = {
      {"dot", {"pred[2] {1,1}", "pred[2] {1,1}"}, kVectors, "s32[] 2"},
      {"dot", {"f32[1] {2.9}", "f32[1] {3.9}"}, kVectors, "s32[] 6"},
      {"dot", {"f32[2] {nan,-1}", "f32[2] {1,3e9}"}, kVectors, "s32[] -2147483647"},
      {"dot", {"f32[2] {-5,300}", "u8[2] {1,1}"}, kVectors, "u8[] 255"},
      {"dot", {"s8[2] {-3,2}", "f32[2] {0.5,0.25}"}, kVectors, "f32[] -1"},
      {"dot", {"s32[1] {16777217}", "f32[1] {1}"}, kVectors, "f32[] 16777216"},
      {"dot", {"f64[1] {0.1}", "c64[1] {(0,1)}"}, kVectors, "c64[] (0,0.1)"},
      {"dot", {"s32[1] {-3}", "s32[1] {2}"}, kVectors, "pred[] true"},
      {"dot",
       {"u64[1] {18446744073709551615}", "f64[1] {1}"},
       kVectors,
       "f64[] 1.8446744073709552e19"},
  };
  for (const Example& example : examples) Check(example);
}

TEST(RaggedDot, WorkedExamples) {
  const std::string rows =
      ", lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, "
      "rhs_group_dims={0}";
  const std::string lhs = "f32[4,1] {{1},{2},{3},{4}}", rhs = "f32[2,1,3] {{{1,2,3}},{{4,5,6}}}";
  const std::string depth =
      ", lhs_contracting_dims={1}, rhs_contracting_dims={0}, lhs_ragged_dims={1}";
  const std::string batch =
      ", lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
      "rhs_contracting_dims={1}, lhs_ragged_dims={0}";
  const std::vector<Example> examples = {
      {"ragged-dot",
       {lhs, rhs, "s32[2] {2,2}"},
       rows,
       "f32[4,3] {{1,2,3},{2,4,6},{12,15,18},{16,20,24}}"},
      {"ragged-dot",
       {lhs, rhs, "s32[2] {1,2}"},
       rows,
       "f32[4,3] {{1,2,3},{8,10,12},{12,15,18},{0,0,0}}"},
      {"ragged-dot",
       {lhs, rhs, "s64[2] {0,9}"},
       rows,
       "f32[4,3] {{4,5,6},{8,10,12},{12,15,18},{16,20,24}}"},
      {"ragged-dot",
       {lhs, rhs, "s32[2] {-1,4}"},
       rows,
       "f32[4,3] {{4,5,6},{8,10,12},{12,15,18},{16,20,24}}"},
      {"ragged-dot",
       {"s32[4,5] {{1,2,3,4,5},{6,7,8,9,10},{11,12,13,14,15},{16,17,18,19,20}}",
        "s32[5,3] {{1,2,3},{4,5,6},{7,8,9},{10,11,12},{13,14,15}}", "s32[2] {2,3}"},
       depth,
       "s32[2,4,3] {{{9,12,15},{34,47,60},{59,82,105},{84,117,150}},"
       "{{126,138,150},{276,303,330},{426,468,510},{576,633,690}}}"},
      {"ragged-dot",
       {"c64[1,3] {{(1,0),(2,0),(3,0)}}", "c64[3,1] {{(1,0)},{(1,0)},{(0,1)}}", "s32[3] {1,0,1}"},
       depth,
       "c64[3,1,1] {{{(1,0)}},{{(0,0)}},{{(2,0)}}}"},
      {"ragged-dot",
       {"f32[3,1,1] {{{1}},{{2}},{{3}}}", "f32[3,1,1] {{{10}},{{10}},{{10}}}", "s32[2] {1,1}"},
       batch,
       "f32[3,1,1] {{{10}},{{20}},{{0}}}"},
      // Sizes of groups of their own for each element of the batch.
      {"ragged-dot",
       {"s32[2,3,1] {{{1},{2},{3}},{{4},{5},{6}}}", "s32[2,2,1,1] {{{{1}},{{10}}},{{{2}},{{20}}}}",
        "s32[2,2] {{1,2},{3,0}}"},
       ", lhs_batch_dims={0}, rhs_batch_dims={1}, lhs_contracting_dims={2}, "
       "rhs_contracting_dims={2}, lhs_ragged_dims={1}, rhs_group_dims={0}",
       "s32[2,3,1] {{{1},{4},{6}},{{40},{50},{60}}}"},
  };
  for (const Example& example : examples) Check(example);
}

TEST(ScaledDot, WorkedExamples) {
  const std::string lhs = "f32[1,4] {{1,2,3,4}}", rhs = "f32[4,1] {{1},{1},{1},{1}}";
  const std::vector<Example> examples = {
      {"scaled-dot",
       {lhs, rhs, "f32[1,2] {{1,2}}", "f32[2,1] {{1},{0.5}}"},
       kMatrices,
       "f32[1,1] {{10}}"},
      {"scaled-dot",
       {lhs, rhs, "f32[1,2] {{1,2}}", "f32[1,1] {{1}}"},
       kMatrices,
       "f32[1,1] {{17}}"},
      {"scaled-dot", {lhs, rhs, "f32[1,1] {{4}}", "f32[1,1] {{1}}"}, kMatrices, "f32[1,1] {{40}}"},
      // The value of a scalar does not count.
      {"scaled-dot",
       {"bf16[1,4] {{1,2,3,4}}", "bf16[4,1] {{1},{1},{1},{1}}", "f8e8m0fnu[1,2] {{2,4}}",
        "bf16[] 3"},
       kMatrices,
       "f32[1,1] {{34}}"},
      // Products that leave the range of f32 on the way.
      {"scaled-dot",
       {"f8e4m3fn[1,1] {{448}}", "f8e4m3fn[1,1] {{2}}", "f8e8m0fnu[1,1] {{1.7014118346046923e38}}",
        "f8e8m0fnu[1,1] {{5.877471754111438e-39}}"},
       kMatrices,
       "f32[1,1] {{896}}"},
  };
  for (const Example& example : examples) Check(example);
}

// Numbers of the model.
struct Exact {
  __int128 integer = 0;
  long double re = 0, im = 0;
};
Exact Read(ElementType type, Element element) {
  if (IsFloat(type)) return {0, DecodeFloat(type, element.bits), 0};
  if (IsComplex(type)) {
    const ElementType part = Info(type).component;
    return {0, DecodeFloat(part, element.bits), DecodeFloat(part, element.imag)};
  }
  if (IsSigned(type)) return {DecodeSigned(type, element.bits), 0, 0};
  return {static_cast<__int128>(DecodeUnsigned(type, element.bits)), 0, 0};
}

// A sum of products and what it may be in a result.
struct ModelSum {
  Exact sum;
  long double magnitudes = 0;
  int64_t products = 0;
  void Add(const Exact& a, const Exact& b) {
    sum.integer += static_cast<__int128>(static_cast<unsigned __int128>(a.integer) *
                                         static_cast<unsigned __int128>(b.integer));
    sum.re += a.re * b.re - a.im * b.im;
    sum.im += a.re * b.im + a.im * b.re;
    magnitudes += (std::fabs(a.re) + std::fabs(a.im)) * (std::fabs(b.re) + std::fabs(b.im));
    ++products;
  }
  // `bits`: precision of the arithmetic.
  void Expect(ElementType type, Element actual, int bits, const std::string& where) const {
    if (IsPred(type)) {
      EXPECT_EQ(actual.bits, sum.integer != 0) << where;
    } else if (IsInteger(type)) {
      EXPECT_EQ(actual.bits, EncodeInteger(type, static_cast<uint64_t>(sum.integer))) << where;
    } else {
      const ElementType part = Info(type).component;
      const long double own = std::ldexp(1.0L, -Info(part).format->precision());
      const long double bound =
          static_cast<long double>(products + 3) * std::ldexp(magnitudes, -bits) * 2 +
          std::ldexp(1.0L, -140);
      const Exact got = Read(type, actual);
      EXPECT_LE(std::fabs(got.re - sum.re), bound + own * std::fabs(sum.re)) << where;
      EXPECT_LE(std::fabs(got.im - sum.im), bound + own * std::fabs(sum.im)) << where;
    }
  }
};

int ArithmeticBits(const Instruction& op) {
  for (const Shape* shape : {&op.operand(0)->shape(), &op.operand(1)->shape(), &op.shape()}) {
    if (Info(shape->element_type()).component == ElementType::kF64) return 53;
  }
  return 24;
}

// Small numbers, so that the narrowest types hold sums of some of them.
Literal Random(const Shape& shape, std::mt19937_64& random) {
  Literal literal = Literal::Zeros(shape);
  const ElementType type = shape.element_type();
  auto element = [&]() -> uint64_t {
    const ElementType part = Info(type).component;
    if (!IsFloat(part)) return EncodeInteger(type, random());
    const double value = std::ldexp(static_cast<double>(random() % 4001) - 2000, -11);
    return EncodeFloat(part, Info(part).format->has_sign ? value : std::fabs(value) + 0.01);
  };
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    literal.Set(i, {element(), IsComplex(type) ? element() : 0});
  }
  return literal;
}

Dimensions IndexOf(const Shape& shape, int64_t number) {
  Dimensions index(shape.rank());
  for (int64_t d = shape.rank() - 1; d >= 0; --d) {
    index[d] = number % shape.dimension(d);
    number /= shape.dimension(d);
  }
  return index;
}
int64_t NumberOf(const Shape& shape, const Dimensions& index) {
  int64_t number = 0;
  for (int64_t d = 0; d < shape.rank(); ++d) number = number * shape.dimension(d) + index[d];
  return number;
}

void ExpectDot(const Instruction& dot, const Literal& lhs, const Literal& rhs,
               const Literal& result) {
  const DotDimensions dims = DotDimensionsOf(dot);
  Dimensions depth;
  for (const int64_t d : dims.lhs_contracting) depth.push_back(lhs.shape().dimension(d));
  const Shape depth_shape(ElementType::kS32, depth);
  for (int64_t i = 0; i < result.element_count() && !testing::Test::HasFailure(); ++i) {
    const Dimensions out = IndexOf(result.shape(), i);
    Dimensions l(lhs.shape().rank()), r(rhs.shape().rank());
    size_t next = 0;
    for (size_t b = 0; b < dims.lhs_batch.size(); ++b) {
      l[dims.lhs_batch[b]] = r[dims.rhs_batch[b]] = out[next++];
    }
    for (const int64_t d : dims.lhs_free) l[d] = out[next++];
    for (const int64_t d : dims.rhs_free) r[d] = out[next++];
    ModelSum sum;
    for (int64_t k = 0; k < depth_shape.element_count(); ++k) {
      const Dimensions at = IndexOf(depth_shape, k);
      for (size_t c = 0; c < at.size(); ++c) {
        l[dims.lhs_contracting[c]] = r[dims.rhs_contracting[c]] = at[c];
      }
      sum.Add(Read(lhs.element_type(), lhs.Get(NumberOf(lhs.shape(), l))),
              Read(rhs.element_type(), rhs.Get(NumberOf(rhs.shape(), r))));
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
    const Dimensions out = IndexOf(result.shape(), i);
    const int64_t z = out[conv.output_feature_dim];
    ModelSum sum;
    for (int64_t k = 0; k < window_shape.element_count(); ++k) {
      const Dimensions at = IndexOf(window_shape, k);
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
      sum.Add(Read(input.element_type(), input.Get(NumberOf(input.shape(), in))),
              Read(kernel.element_type(), kernel.Get(NumberOf(kernel.shape(), ker))));
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

// Those of reference ops_structural.md 8.
TEST(Convolution, WorkedExamples) {
  const std::string labels = ", dim_labels=bf0_oi0->bf0";
  const std::vector<Example> examples = {
      // An absent element meets nothing.
      {"convolution",
       {"f32[1,1,2] {{{1,2}}}", "f32[1,1,2] {{{inf,1}}}"},
       ", window={size=2 pad=1_1}" + labels,
       "f32[1,1,3] {{{1,inf,inf}}}"},
      {"convolution",
       {"f32[1,1,5] {{{1,2,3,4,5}}}", "f32[1,1,2] {{{10,1}}}"},
       ", window={size=2 pad=3_2 lhs_dilate=2 rhs_dilate=2}" + labels,
       "f32[1,1,12] {{{0,1,0,12,0,23,0,34,0,45,0,50}}}"},
      {"convolution",
       {"f32[1,1,5] {{{1,2,3,4,5}}}", "f32[1,1,2] {{{10,1}}}"},
       ", window={size=2 pad=-3_-2 lhs_dilate=2 rhs_dilate=2}" + labels,
       "f32[1,1,2] {{{0,34}}}"},
      {"convolution",
       {"s8[1,1,2] {{{100,100}}}", "s8[1,1,2] {{{1,1}}}"},
       ", window={size=2}" + labels,
       "s8[1,1,1] {{{-56}}}"},
      {"convolution",
       {"f32[4,1,1] {{{1}},{{2}},{{3}},{{4}}}", "f32[4,1,1] {{{1}},{{10}},{{100}},{{1000}}}"},
       ", window={size=1}" + labels + ", batch_group_count=2",
       "f32[2,4,1] {{{1},{10},{300},{3000}},{{2},{20},{400},{4000}}}"},
      {"convolution",
       {"f32[1,2,3] {{{1,2,3},{4,5,6}}}", "f32[2,1,2] {{{1,1}},{{1,-1}}}"},
       ", window={size=2}" + labels + ", feature_group_count=2",
       "f32[1,2,2] {{{3,5},{-1,-1}}}"},
      {"convolution",
       {"f32[1,2] {{1,2}}", "f32[2,2] {{3,4},{5,6}}"},
       ", dim_labels=bf_oi->bf",
       "f32[1,2] {{11,17}}"},
  };
  for (const Example& example : examples) Check(example);
}

}  // namespace
}  // namespace assay::cpu
