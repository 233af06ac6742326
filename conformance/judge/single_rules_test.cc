// Single rules of the judge, each on the smallest example that another rule would judge otherwise:
// which sizes count, which operand and which place is meant, and where a bound begins and ends.
#include "absl/strings/str_replace.h"
#include "conformance/judge/batch_norm_errors.h"
#include "conformance/judge/evidence.h"
#include "conformance/judge/given_nans.h"
#include "conformance/judge/order_freedoms.h"
#include "conformance/judge/start_values.h"
#include "conformance/judge/testing.h"

namespace assay::conformance {
namespace {

using ElementType::kBF16;
using ElementType::kF16;
using ElementType::kF32;
using ElementType::kF64;

Literal Whole(ElementType type, const std::vector<int64_t>& values, const Dimensions& sizes) {
  Literal literal = Literal::Zeros(Shape(type, sizes));
  for (size_t i = 0; i < values.size(); ++i) {
    literal.Set(static_cast<int64_t>(i), {EncodeInteger(type, static_cast<uint64_t>(values[i]))});
  }
  return literal;
}

Literal Number(ElementType type, double value) {
  return Literal::Scalar(type, {EncodeFloat(type, value)});
}

std::string Folding(const std::string& type, const std::string& opcode) {
  return absl::StrCat("f {\n  a = ", type, "[] parameter(0)\n  b = ", type,
                      "[] parameter(1)\n  ROOT s = ", type, "[] ", opcode, "(a, b)\n}\n");
}

TargetProfile ProfileOf(const std::string& text) {
  const absl::StatusOr<TargetProfile> profile = TargetProfile::FromText(text, "here");
  EXPECT_TRUE(profile.ok()) << profile.status();
  return *profile;
}

// Elements beyond the current size are no result.
TEST(SingleRules, ElementsBeyondTheCurrentSizeAreNotCompared) {
  const Case copy("s32[<=3] copy(p0)", {"s32[<=3]"});
  const auto sized = [](int64_t last) {
    Shape shape(ElementType::kS32, {3});
    shape.set_dynamic_dimension(0, true);
    Literal array = Literal::Zeros(shape);
    array.Set(1, {7});
    array.Set(2, {static_cast<uint64_t>(last)});
    array.set_dynamic_size(0, 2);
    return array;
  };
  EXPECT_EQ(copy.Explain({sized(1)}, sized(2)), "golden");
  Literal other = sized(1);
  other.Set(1, {8});
  EXPECT_EQ(copy.Explain({sized(1)}, other), "wrong");
}

TEST(SingleRules, EvidenceHasBothCurrentSizes) {
  const auto sized = [](int64_t size) {
    Shape shape(ElementType::kS32, {3});
    shape.set_dynamic_dimension(0, true);
    Literal array = Literal::Zeros(shape);
    array.set_dynamic_size(0, size);
    return array;
  };
  Judgement judgement;
  CountOtherSizes(sized(2), sized(1), 0, &judgement);
  ASSERT_EQ(judgement.evidence.size(), 1);
  EXPECT_NE(judgement.evidence[0].golden.find('2'), std::string::npos);
  EXPECT_NE(judgement.evidence[0].actual.find('1'), std::string::npos);
}

// -128.9 is -128 and -0.9 is 0: nothing leaves the range (V-1).
TEST(SingleRules, TheLeastIntegerIsWithinTheRange) {
  const auto convert = [](ElementType type, double value, int64_t actual) {
    const Case to(absl::StrCat(Name(type), "[1] convert(p0)"), {"f32[1]"});
    const TargetProfile admits =
        ProfileOf("extends: 'golden' grant: 'implementation_defined' admit: 'V-1'");
    return to.JudgeBy(admits, {Array(kF32, {value})}, Whole(type, {actual}, {1})).verdict;
  };
  EXPECT_LE(convert(ElementType::kS8, -128, -128), Verdict::kCorrectlyRounded);
  EXPECT_LE(convert(ElementType::kS8, -128.5, -128), Verdict::kCorrectlyRounded);
  EXPECT_EQ(convert(ElementType::kS8, -128, 127), Verdict::kWrong);
  EXPECT_EQ(convert(ElementType::kS8, -129, 127), Verdict::kAllowed);
  EXPECT_EQ(convert(ElementType::kU8, -0.5, 255), Verdict::kWrong);
  EXPECT_EQ(convert(ElementType::kU8, 0, 255), Verdict::kWrong);
  EXPECT_EQ(convert(ElementType::kU8, -1, 255), Verdict::kAllowed);
}

// 4 - 1 is as far from 2 as from 4 (N-9.1).
TEST(SingleRules, DifferencesOfScalesMayBeTies) {
  constexpr ElementType kType = ElementType::kF8E8M0FNU;
  const TargetProfile admits = ProfileOf("extends: 'cpu-strict' admit: 'N-9.1'");
  const Case minus("f8e8m0fnu[1] subtract(p0, p1)", {"f8e8m0fnu[1]", "f8e8m0fnu[1]"});
  const auto verdict = [&](double a, double b, double actual) {
    return minus.JudgeBy(admits, {Array(kType, {a}), Array(kType, {b})}, Array(kType, {actual}))
        .verdict;
  };
  EXPECT_LE(std::min(verdict(4, 1, 2), verdict(4, 1, 4)), Verdict::kCorrectlyRounded);
  EXPECT_EQ(std::max(verdict(4, 1, 2), verdict(4, 1, 4)), Verdict::kAllowed);
  EXPECT_EQ(verdict(4, 1, 8), Verdict::kWrong);
  EXPECT_EQ(verdict(4, 2, 4), Verdict::kWrong);
}

// Unsigned numbers are divided by zero as others are (I-1).
TEST(SingleRules, UnsignedDivisionByZero) {
  for (const ElementType type : {ElementType::kU8, ElementType::kU32, ElementType::kU64}) {
    const std::string name(Name(type));
    const Case quotient(name + "[1] divide(p0, p1)", {name + "[1]", name + "[1]"});
    const TargetProfile admits =
        ProfileOf("extends: 'golden' grant: 'implementation_defined' admit: 'I-1'");
    const auto verdict = [&](int64_t a, int64_t b, int64_t actual) {
      return quotient
          .JudgeBy(admits, {Whole(type, {a}, {1}), Whole(type, {b}, {1})},
                   Whole(type, {actual}, {1}))
          .verdict;
    };
    EXPECT_EQ(verdict(5, 0, 5), Verdict::kAllowed) << name;
    EXPECT_EQ(verdict(5, 1, 4), Verdict::kWrong) << name;
  }
}

TEST(SingleRules, EvidenceShowsAsManyDigitsAsTheTypeHas) {
  const Case copy("s4[1] copy(p0)", {"s4[1]"});
  const auto of = [](int64_t value) { return Whole(ElementType::kS4, {value}, {1}); };
  const Judgement judgement = copy.Judge({of(-1)}, of(2));
  ASSERT_EQ(judgement.evidence.size(), 1);
  EXPECT_EQ(judgement.evidence[0].golden_bits, "0xf");
  EXPECT_EQ(judgement.evidence[0].actual_bits, "0x2");
}

// The lengths whose factors are 13 at most have the bound of their radices; 17 is transformed as a
// convolution.
TEST(SingleRules, LargePrimesAreTransformedByConvolution) {
  const auto rule = [](int64_t length) {
    const Case fft(
        absl::StrCat("c64[", length, "] fft(p0), fft_type=FFT, fft_length={", length, "}"),
        {absl::StrCat("c64[", length, "]")});
    Literal ones = Literal::Zeros(Shape(ElementType::kC64, {length}));
    for (int64_t i = 0; i < length; ++i) ones.Set(i, C64(1, 0).Get(0));
    return fft.Judge({ones}, ones, "cpu-strict").rule;
  };
  for (const int64_t length : {8, 13, 15, 1001}) EXPECT_EQ(rule(length)[0], '1') << length;
  for (const int64_t length : {17, 34, 289}) EXPECT_EQ(rule(length)[0], '6') << length;
}

// The bins of the second row are those of the first.
TEST(SingleRules, EveryRowOfATransformHasItsBins) {
  const Case fft("c64[2,4] fft(p0), fft_type=RFFT, fft_length={6}", {"f32[2,6]"});
  Literal operand = Literal::Zeros(Shape(kF32, {2, 6}));
  for (int64_t i = 0; i < 12; ++i) operand.Set(i, {EncodeFloat(kF32, i % 6 == 1 ? kNan : 1)});
  const auto judged = [&](int64_t i, double imaginary) {
    Literal actual = Literal::Zeros(Shape(ElementType::kC64, {2, 4}));
    for (int64_t k = 0; k < 8; ++k) actual.Set(k, C64(kNan, kNan).Get(0));
    actual.Set(i, C64(kNan, static_cast<float>(imaginary)).Get(0));
    return fft.Explain({operand}, actual);
  };
  for (const int64_t i : {0, 3, 4, 7}) {
    EXPECT_EQ(judged(i, 0), "reassociation") << i;
    EXPECT_EQ(judged(i, 5), "wrong") << i;
  }
  for (const int64_t i : {1, 2, 5, 6}) EXPECT_EQ(judged(i, 5), "reassociation") << i;
}

// Sixteen ones in bf16 whose partial sums are kept in bf16 err by 15 * 2^-8 * 16 at most; the
// distance of half a unit beside 4 is two thirds of 3 * 2^-8 * 4.
TEST(SingleRules, PartialSumsInTheTypeOfTheResult) {
  const auto sum = [](int64_t count) {
    return Case("bf16[] reduce(p0, p1), dimensions={0}, to_apply=f",
                {absl::StrCat("bf16[", count, "]"), "bf16[]"}, Folding("bf16", "add"));
  };
  const auto ones = [](int64_t count) {
    return std::vector<Literal>{Array(kBF16, std::vector<double>(count, 1)), Number(kBF16, 0)};
  };
  EXPECT_EQ(sum(16).Explain(ones(16), Number(kBF16, 16.5)), "reassociation");
  EXPECT_EQ(sum(16).Explain(ones(16), Number(kBF16, 16.5), "cpu-strict"), "wrong");
  const Judgement judgement = sum(4).Judge(ones(4), Number(kBF16, 4 + 0x1p-5));
  EXPECT_EQ(judgement.verdict, Verdict::kAllowed);
  EXPECT_NEAR(judgement.largest_fraction, 2.0 / 3, 1e-6);
}

// A term is its own sum, the largest number too.
TEST(SingleRules, OneTermDoesNotOverflow) {
  const Case sum("f16[1] reduce(p0, p1), dimensions={1}, to_apply=f", {"f16[1,1]", "f16[]"},
                 Folding("f16", "add"));
  const TargetProfile partials = ProfileOf(
      "extends: 'cpu-strict' accumulation { type: 'f16' accumulator: 'f32' partials: true }");
  const std::vector<Literal> operands = {Array(kF16, {65504}).WithShape(Shape(kF16, {1, 1})),
                                         Number(kF16, 0)};
  EXPECT_EQ(sum.JudgeBy(partials, operands, Array(kF16, {kInfinity})).verdict, Verdict::kWrong);
}

// Beside a denormal that may count as zero the other terms have their bound of 3 u sum|terms|.
TEST(SingleRules, ADenormalTermTakesNothingFromTheBound) {
  const Case sum("f64[] reduce(p0, p1), dimensions={0}, to_apply=f", {"f64[4]", "f64[]"},
                 Folding("f64", "add"));
  const std::vector<Literal> operands = {Array(kF64, {1, 0.1, 0.2, 1e-310}), Number(kF64, 0)};
  const auto golden = sum.Evaluate(operands);
  ASSERT_TRUE(golden.ok()) << golden.status();
  const double value = DecodeFloat(kF64, golden->Get(0).bits);
  for (const double actual : {std::nextafter(value, 2), std::nextafter(value, 0)}) {
    EXPECT_EQ(sum.Explain(operands, Number(kF64, actual)), "reassociation");
  }
  EXPECT_EQ(sum.Explain(operands, Number(kF64, value + 0x1p-45)), "wrong");
}

// A range that holds more than the identity counts.
TEST(SingleRules, RangesOfStartValues) {
  const auto range = [](double low, double high) {
    return ElementRange::Of(kF32, Number(kF32, low).Get(0), Number(kF32, high).Get(0));
  };
  EXPECT_FALSE(StartCounts(analysis::ReducerKind::kAdd, range(0, 0)));
  EXPECT_TRUE(StartCounts(analysis::ReducerKind::kAdd, range(0, 5)));
  EXPECT_TRUE(StartCounts(analysis::ReducerKind::kAdd, range(-5, 0)));
  EXPECT_FALSE(StartCounts(analysis::ReducerKind::kMultiply, range(1, 1)));
  EXPECT_TRUE(StartCounts(analysis::ReducerKind::kMultiply, range(1, 2)));
  const Case one("f32[1] reduce(p0, p1), dimensions={1}, to_apply=f", {"f32[1,1]", "f32[]"},
                 Folding("f32", "add"));
  EXPECT_FALSE(MayCountStart(one.root(), {range(0, 0)}));
  EXPECT_TRUE(MayCountStart(one.root(), {range(0, 5)}));
}

// Only `true` and a word of ones are neutral in a conjunction.
TEST(SingleRules, StartValuesOfConjunctions) {
  const auto reduce = [](const std::string& type) {
    return Case(type + "[] reduce(p0, p1), dimensions={0}, to_apply=f", {type + "[2]", type + "[]"},
                Folding(type, "and"));
  };
  const auto explain = [&](ElementType type, int64_t term, int64_t start, int64_t actual) {
    return reduce(std::string(Name(type)))
        .Explain({Whole(type, {term, term}, {2}), Whole(type, {start}, {})},
                 Whole(type, {actual}, {}));
  };
  EXPECT_EQ(explain(ElementType::kPred, 1, 0, 0), "golden");
  EXPECT_EQ(explain(ElementType::kPred, 1, 0, 1), "implementation_defined");
  EXPECT_EQ(explain(ElementType::kU8, 3, 1, 3), "implementation_defined");
  EXPECT_EQ(explain(ElementType::kU8, 3, 1, 2), "wrong");
}

// Windows and convolutions have decision points of their own for what pads them.
TEST(SingleRules, PaddingOfWindowsAndOfConvolutions) {
  const Case window(
      "f32[1] reduce-window(p0, p1), window={size=3 pad=0_1}, to_apply=f", {"f32[2]", "f32[]"},
      "f {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
      "  c = f32[] constant(1)\n  d = f32[] add(b, c)\n  ROOT s = f32[] add(a, d)\n}\n");
  const auto verdict = [&](const char* point, double actual) {
    const TargetProfile admits = ProfileOf(
        absl::StrCat("extends: 'golden' grant: 'implementation_defined' admit: '", point, "'"));
    return window.JudgeBy(admits, {F32({5, 7}), Scalar(0)}, F32({actual})).verdict;
  };
  EXPECT_LE(verdict("W-14", 14), Verdict::kCorrectlyRounded);
  EXPECT_EQ(verdict("W-14", 15), Verdict::kAllowed);
  EXPECT_EQ(verdict("W-26", 15), Verdict::kWrong);
  EXPECT_EQ(verdict("W-14", 16), Verdict::kWrong);
}

// 10.1 + 1.1 + 2.3 and once more 10.1, rounded after every sum, by the padding alone.
TEST(SingleRules, FoldedPaddingIsRounded) {
  const Case window("f32[1] reduce-window(p0, p1), window={size=3 pad=1_0}, to_apply=f",
                    {"f32[2]", "f32[]"}, Folding("f32", "add"));
  const TargetProfile admits = ProfileOf("extends: 'cpu-strict' admit: 'W-14'");
  const double sum = static_cast<float>(double{10.1F} + 10.1F + 1.1F + 2.3F);
  const auto verdict = [&](double actual) {
    return window.JudgeBy(admits, {F32({1.1, 2.3}), Scalar(10.1)}, F32({actual})).verdict;
  };
  for (const int steps : {-1, 0, 1}) {
    EXPECT_EQ(verdict(Step(sum, steps)), Verdict::kAllowed) << steps;
  }
  EXPECT_EQ(verdict(Step(sum, 40)), Verdict::kWrong);
}

// Of windows without padding and holes there is one reading, zeros and their signs included.
TEST(SingleRules, WindowsWithoutPaddingHaveOneReading) {
  const Case window("f32[1] reduce-window(p0, p1), window={size=2}, to_apply=f",
                    {"f32[2]", "f32[]"}, Folding("f32", "multiply"));
  const std::vector<Literal> operands = {F32({2, -0.0}), Scalar(1)};
  EXPECT_EQ(window.Explain(operands, F32({-0.0})), "golden");
  EXPECT_EQ(window.Explain(operands, F32({0.0})), "wrong");
}

constexpr char kTakeTwo[] =
    "take {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  c = f32[] parameter(2)\n"
    "  d = f32[] parameter(3)\n  ROOT t = (f32[], f32[]) tuple(c, d)\n}\n";
constexpr char kTakeFirstUpdate[] =
    "take {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  c = f32[] parameter(2)\n"
    "  d = f32[] parameter(3)\n  ROOT t = (f32[], f32[]) tuple(c, b)\n}\n";

// Two arrays are overwritten by the updates of one index, whichever that is.
TEST(SingleRules, ScattersThatOverwriteTwoArrays) {
  const std::string text =
      "(f32[2], f32[2]) scatter(p0, p1, p2, p3, p4), update_window_dims={}, "
      "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
      "to_apply=take";
  const std::vector<std::string> parameters = {"f32[2]", "f32[2]", "s32[8,1]", "f32[8]", "f32[8]"};
  std::vector<double> first, second;
  for (int k = 1; k <= 8; ++k) {
    first.push_back(10 * k);
    second.push_back(10 * k + 1);
  }
  const std::vector<Literal> operands = {F32({1, 2}), F32({3, 4}),
                                         Literal::Zeros(Shape(ElementType::kS32, {8, 1})),
                                         F32(first), F32(second)};
  const auto explain = [&](const char* region, double a, double b) {
    return Case(text, parameters, region)
        .Explain(operands, Literal::Tuple({F32({a, 2}), F32({b, 4})}), "cpu-strict");
  };
  EXPECT_EQ(explain(kTakeTwo, 80, 81), "golden");
  EXPECT_EQ(explain(kTakeTwo, 20, 21), "scatter_order");
  EXPECT_EQ(explain(kTakeTwo, 25, 21), "wrong");
  EXPECT_NE(explain(kTakeFirstUpdate, 20, 21), "scatter_order");
}

// The digits of {3, 4} behind 1 and behind 2, in a batch each.
TEST(SingleRules, ScattersOfSeveralBatches) {
  const Case scatter(
      "f32[2,3] scatter(p0, p1, p2), update_window_dims={}, inserted_window_dims={1}, "
      "scatter_dims_to_operand_dims={1}, input_batching_dims={0}, "
      "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=digits",
      {"f32[2,3]", "s32[2,2,1]", "f32[2,2]"},
      "digits {\n  a = f32[] parameter(0)\n  x = f32[] parameter(1)\n"
      "  ten = f32[] constant(10)\n  s = f32[] multiply(a, ten)\n  ROOT r = f32[] add(s, x)\n}\n");
  const auto rows = [](const std::vector<double>& values, int64_t columns) {
    return F32(values).WithShape(Shape(kF32, {2, columns}));
  };
  const std::vector<Literal> operands = {rows({1, 0, 0, 2, 0, 0}, 3),
                                         Literal::Zeros(Shape(ElementType::kS32, {2, 2, 1})),
                                         rows({3, 4, 3, 4}, 2)};
  const auto explain = [&](double first, double second) {
    return scatter.Explain(operands, rows({first, 0, 0, second, 0, 0}, 3), "cpu-strict");
  };
  EXPECT_EQ(explain(134, 234), "golden");
  EXPECT_EQ(explain(143, 234), "scatter_order");
  EXPECT_EQ(explain(134, 243), "scatter_order");
  EXPECT_EQ(explain(134, 233), "wrong");
}

// What a product of the scaled normal number errs by where it underflows is enlarged by scale /
// root, and so is what the gradient loses in its parts (ops_structural.md 14.6).
TEST(SingleRules, LossesToUnderflowAreScaledInABatch) {
  const Case norm("f32[2,1] batch-norm-inference(p0, p1, p2, p3, p4), epsilon=0, feature_index=1",
                  {"f32[2,1]", "f32[1]", "f32[1]", "f32[1]", "f32[1]"});
  const BatchNormErrors errors(norm.root(), kF32, 2, BuiltInProfile("cpu-strict"));
  BatchNormMagnitudes magnitudes;
  magnitudes.cells = 2;
  magnitudes.variance = magnitudes.least_variance = 1;
  const double least = UlpOf(kF32, 0);
  for (const double scale : {1.0, 1000.0, 1e6}) {
    EXPECT_GE(errors.Normalized(magnitudes, 0, 0, scale, 0), scale * least) << scale;
    EXPECT_LE(errors.Normalized(magnitudes, 0, 0, scale, 0), (scale + 3) * 8 * least) << scale;
    EXPECT_GE(errors.OperandGradient(magnitudes, 0, 0, scale), scale * least) << scale;
  }
}

constexpr char kLogSum[] =
    "f {\n  a = $[] parameter(0)\n  b = $[] parameter(1)\n  e = $[] exponential(a)\n"
    "  g = $[] exponential(b)\n  s = $[] add(e, g)\n  ROOT r = $[] log(s)\n}\n";

// The exponential of -87.4 is a denormal number, which has lost digits. Sums of three numbers whose
// size and steps come to 86.3 have no bound.
TEST(SingleRules, ExponentialsThatAreDenormalBoundNothing) {
  const Case sum("f32[] reduce(p0, p1), dimensions={0}, to_apply=f", {"f32[3]", "f32[]"},
                 absl::StrReplaceAll(kLogSum, {{"$", "f32"}}));
  const auto explain = [&](double size) {
    const std::vector<Literal> operands = {F32({size, size, size}), Scalar(-kInf)};
    const auto golden = sum.Evaluate(operands);
    EXPECT_TRUE(golden.ok()) << golden.status();
    return sum.Explain(operands, Scalar(Step(DecodeFloat(kF32, golden->Get(0).bits), 1)),
                       "cpu-strict");
  };
  EXPECT_EQ(explain(-84), "reassociation");
  EXPECT_EQ(explain(-85), "not judgeable");
}

constexpr char kSoftmaxPair[] =
    "f {\n  m1 = $[] parameter(0)\n  v1 = $[] parameter(1)\n  m2 = $[] parameter(2)\n"
    "  v2 = $[] parameter(3)\n  m = $[] maximum(m1, m2)\n  d1 = $[] subtract(m1, m)\n"
    "  d2 = $[] subtract(m2, m)\n  e1 = $[] exponential(d1)\n  e2 = $[] exponential(d2)\n"
    "  t1 = $[] multiply(v1, e1)\n  t2 = $[] multiply(e2, v2)\n  s = $[] add(t1, t2)\n"
    "  ROOT r = ($[], $[]) tuple(m, s)\n}\n";

Case SoftmaxOf(const std::string& type, int64_t count) {
  return Case(absl::StrCat("(", type, "[], ", type,
                           "[]) reduce(p0, p1, p2, p3), dimensions={0}, to_apply=f"),
              {absl::StrCat(type, "[", count, "]"), absl::StrCat(type, "[", count, "]"),
               absl::StrCat(type, "[]"), absl::StrCat(type, "[]")},
              absl::StrReplaceAll(kSoftmaxPair, {{"$", type}}));
}

// The verdict of the sum that is `steps` values above golden.
Verdict SoftmaxBeside(const Case& pair, ElementType type, const std::vector<Literal>& operands,
                      int steps, const std::string& profile = "cpu-strict") {
  const auto golden = pair.Evaluate(operands);
  EXPECT_TRUE(golden.ok()) << golden.status();
  const std::vector<Literal> leaves = Flatten(*golden);
  Literal sum = leaves[1];
  sum.Set(0, {sum.Get(0).bits + steps});
  (void)type;
  return pair.Judge(operands, Literal::Tuple({leaves[0], sum}), profile).verdict;
}

// Only a start value of (-inf, 0) changes nothing. Of others the order is golden's alone.
TEST(SingleRules, SoftmaxesFromOtherStartValues) {
  const Case pair = SoftmaxOf("f32", 3);
  const auto from = [&](double exponent, double sum) {
    return SoftmaxBeside(pair, kF32,
                         {F32({1, 2, 3}), F32({1, 1.5, 1.25}), Scalar(exponent), Scalar(sum)}, 1);
  };
  EXPECT_EQ(from(-kInf, 0), Verdict::kAllowed);
  EXPECT_EQ(from(-5, 0), Verdict::kNotJudgeable);
  EXPECT_EQ(from(-kInf, 2), Verdict::kNotJudgeable);
}

// Exponents that are far apart are rounded before they are taken from each other: u times their
// distance, times the term.
TEST(SingleRules, DistancesOfExponentsAreRounded) {
  const Case pair = SoftmaxOf("f32", 2);
  const auto bound = [&](double distance) {
    // The second term is as large as the first, however far below its exponent is.
    const std::vector<Literal> operands = {F32({0, -distance}), F32({1, std::exp(distance)}),
                                           Scalar(-kInf), Scalar(0)};
    const auto golden = pair.Evaluate(operands);
    EXPECT_TRUE(golden.ok()) << golden.status();
    const std::vector<Literal> leaves = Flatten(*golden);
    Literal far = leaves[1];
    far.Set(0, {EncodeFloat(kF32, 1.5 * DecodeFloat(kF32, far.Get(0).bits))});
    const Judgement judgement =
        pair.Judge(operands, Literal::Tuple({leaves[0], far}), "cpu-strict");
    EXPECT_EQ(judgement.evidence.size(), 1);
    return judgement.evidence.empty() ? 0 : judgement.evidence[0].bound.value_or(0);
  };
  EXPECT_GE(bound(40) - bound(0), 40 * kUnit);
  EXPECT_LE(bound(40) - bound(0), 3 * 40 * kUnit);
}

// Sixteen steps whose exponentials are off by several units of f16 come to more than a sixteenth.
TEST(SingleRules, ManyStepsOfASoftmaxInF16BoundNothing) {
  const auto verdict = [](int64_t count) {
    const std::vector<Literal> operands = {Array(kF16, std::vector<double>(count, 1)),
                                           Array(kF16, std::vector<double>(count, 1)),
                                           Number(kF16, -kInfinity), Number(kF16, 0)};
    return SoftmaxBeside(SoftmaxOf("f16", count), kF16, operands, 1, "xla-cpu");
  };
  EXPECT_EQ(verdict(2), Verdict::kAllowed);
  EXPECT_EQ(verdict(20), Verdict::kNotJudgeable);
}

// Two arrays of windows are no reduce of two arrays.
TEST(SingleRules, SoftmaxesOfWindowsHaveNoBound) {
  const Case windows("(f32[2], f32[2]) reduce-window(p0, p1, p2, p3), window={size=2}, to_apply=f",
                     {"f32[3]", "f32[3]", "f32[]", "f32[]"},
                     absl::StrReplaceAll(kSoftmaxPair, {{"$", "f32"}}));
  EXPECT_EQ(
      SoftmaxBeside(windows, kF32, {F32({1, 2, 3}), F32({1, 1, 1}), Scalar(-kInf), Scalar(0)}, 1),
      Verdict::kNotJudgeable);
}

// Random bits of which some come twice in a row.
TEST(SingleRules, BitsThatAreDrawnTwice) {
  const Case generator("(u64[2], u32[1024]) rng-bit-generator(p0), algorithm=rng_default",
                       {"u64[2]"});
  const Literal state = Whole(ElementType::kU64, {5, 0}, {2});
  const auto explain = [&](bool repeats) {
    uint64_t word = 9;
    std::vector<int64_t> bits;
    for (int64_t i = 0; i < 1024; ++i) {
      if (!repeats || i % 50 != 49) word = word * 6364136223846793005u + 1442695040888963407u;
      bits.push_back(static_cast<int64_t>(word >> 32));
    }
    return generator.Explain({state},
                             Literal::Tuple({Whole(ElementType::kU64, {5, 77}, {2}),
                                             Whole(ElementType::kU32, bits, {1024})}),
                             "cpu-strict");
  };
  EXPECT_EQ(explain(false), "random");
  EXPECT_EQ(explain(true), "wrong");
}

// The second of each two numbers comes again as the first of the next two.
TEST(SingleRules, NumbersThatAreDrawnTwice) {
  const Case uniform("f32[1024] rng(p0, p1), distribution=rng_uniform", {"f32[]", "f32[]"});
  const auto explain = [&](int64_t shared) {
    uint64_t word = 9;
    std::vector<double> numbers;
    for (int64_t i = 0; i < 1024; ++i) {
      if (shared == 0 || i % 2 == 1) word = word * 6364136223846793005u + 1442695040888963407u;
      numbers.push_back(static_cast<double>(word >> 40) * 0x1p-24);
    }
    return uniform.Explain({Scalar(0), Scalar(1)}, F32(numbers), "cpu-strict");
  };
  EXPECT_EQ(explain(0), "random");
  EXPECT_EQ(explain(1), "wrong");
}

// What is within the residual's bound needs no unspecified imaginary part of the diagonal.
TEST(SingleRules, FactorsWithinTheirBoundNeedNothingElse) {
  const Case factor("c64[1,1] cholesky(p0), lower=true", {"c64[1,1]"});
  const auto c64 = [](double re, double im) {
    return C64(static_cast<float>(re), static_cast<float>(im))
        .WithShape(Shape(ElementType::kC64, {1, 1}));
  };
  EXPECT_EQ(factor.Explain({c64(4, 1)}, c64(2, 0)), "golden");
  EXPECT_EQ(factor.Explain({c64(4, 1)}, c64(Step(2, 1), 0)), "within bound");
  EXPECT_EQ(factor.Explain({c64(4, 1)}, c64(2.5, 0)), "implementation_defined");
}

// Digits behind the first of two cells: each begins with its own number.
TEST(SingleRules, EveryCellOfAScatterBeginsWithItsNumber) {
  const Case scatter(
      "f32[2] scatter(p0, p1, p2), update_window_dims={}, inserted_window_dims={0}, "
      "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=digits",
      {"f32[2]", "s32[4,1]", "f32[4]"},
      "digits {\n  a = f32[] parameter(0)\n  x = f32[] parameter(1)\n"
      "  ten = f32[] constant(10)\n  s = f32[] multiply(a, ten)\n  ROOT r = f32[] add(s, x)\n}\n");
  const std::vector<Literal> operands = {
      F32({7, 8}), Whole(ElementType::kS32, {0, 0, 1, 1}, {4, 1}), F32({3, 4, 5, 6})};
  const auto explain = [&](double first, double second) {
    return scatter.Explain(operands, F32({first, second}), "cpu-strict");
  };
  EXPECT_EQ(explain(734, 856), "golden");
  EXPECT_EQ(explain(743, 856), "scatter_order");
  EXPECT_EQ(explain(743, 865), "scatter_order");
  EXPECT_EQ(explain(43, 856), "wrong");
}

// A NaN that a collective moves is given, and one that is rounded is not.
TEST(SingleRules, WhatOnlyMovesGivesItsNans) {
  const auto given = [](const std::string& root) {
    return HasGivenNansAlone(Case(root, {"f32[4]", "f32[4]"}).root());
  };
  EXPECT_TRUE(given("f32[4] reverse(p0), dimensions={0}"));
  EXPECT_TRUE(given("f32[8] concatenate(p0, p1), dimensions={0}"));
  EXPECT_FALSE(given("f32[4] add(p0, p1)"));
  EXPECT_FALSE(given("f32[4] negate(p0)"));
  EXPECT_FALSE(given("f32[4] abs(p0)"));
}

// A region that converts to a narrower type may select otherwise.
TEST(SingleRules, SelectionsThatConvertAreNotJudgeable) {
  const auto scatter = [](const char* narrow) {
    return Case(
        "f32[2] select-and-scatter(p0, p1, p2), window={size=2 stride=2}, select=ge, scatter=add",
        {"f32[2]", "f32[1]", "f32[]"},
        absl::StrCat("ge {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  c = ", narrow,
                     "[] convert(a)\n  d = ", narrow,
                     "[] convert(b)\n  ROOT r = pred[] compare(c, d), direction=GE\n}\n",
                     "add {\n  c = f32[] parameter(0)\n  d = f32[] parameter(1)\n"
                     "  ROOT s = f32[] add(c, d)\n}\n"));
  };
  const std::vector<Literal> operands = {F32({1, 1.0009765625F}), F32({5}), Scalar(0)};
  EXPECT_EQ(scatter("bf16").Explain(operands, F32({5, 0})), "golden");
  EXPECT_EQ(scatter("bf16").Explain(operands, F32({0, 5})), "not judgeable");
  EXPECT_EQ(scatter("f64").Explain(operands, F32({5, 0})), "wrong");
}

}  // namespace
}  // namespace assay::conformance
