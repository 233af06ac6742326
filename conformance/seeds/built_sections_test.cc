// Sections of the documents about random numbers, factorisations and dynamic sizes, and about what
// the documents call internal. The programs are built, their text is
// read back, and they run with the values that the documents print, or with values worked out by
// hand where a document has none.

// First: the Builder's function CustomCall hides the struct of that name.
// clang-format off
#include "interpreter/custom_call.h"
// clang-format on

#include <algorithm>
#include <cmath>

#include "conformance/seeds/examples.h"
#include "gmock/gmock.h"
#include "spec/text/printer.h"

namespace assay::conformance::built_sections_test {
namespace {

using testing::AllOf;
using testing::Each;

constexpr ElementType kU32 = ElementType::kU32;

SEED_EXAMPLE("003", AddDependency) {
  Builder b("main");
  const Op operands[] = {In(&b, "f32[] 3"), CreateToken(&b)};
  ExpectResult(b, AddInstruction(&b, Opcode::kAddDependency, operands), "f32[] 3");
}

SEED_EXAMPLE("003", Async) {
  Builder f("wrapped");
  const Op p = Given(&f, 0, {2});
  const Callee wrapped = f.BuildCallee(Neg(p));
  Builder b("main");
  const Op x = Given(&b, 0, {2});
  const Shape context = ShapeFrom("((f32[2]), f32[2], u32[])");
  const std::pair<Attr, Callee> calls[] = {{Attr::kCalls, wrapped}};
  const Op start = AddInstruction(&b, Opcode::kAsyncStart, {x}, {}, context, calls);
  const Op update = AddInstruction(&b, Opcode::kAsyncUpdate, {start}, {}, context);
  const Op done = AddInstruction(&b, Opcode::kAsyncDone, {update}, {}, ShapeFrom("f32[2]"));
  ExpectOnReplicas(ExpectBuilds(b, done, "f32[2]", {"negate-start(", "negate-done("}),
                   {"f32[2] {1,-2.5}"}, {"f32[2] {-1,2.5}"});
}

// By the formulas, with epsilon 4: feature 0 of 1, 3, 5, 7 has mean 4 and variance 5, so that its
// divisor is 3; feature 1 of 0, 0, 0, 8 has mean 2 and variance 12, and the divisor 4.
constexpr char kBatch[] = "f32[2,2,2] {{{1,0},{3,0}},{{5,0},{7,8}}}";
constexpr char kNormalised[] = "f32[2,2,2] {{{7,0},{9,0}},{{11,0},{13,4}}}";
SEED_EXAMPLE("003 004", BatchNormTraining) {
  Builder b("main");
  const Op root =
      BatchNormTraining(In(&b, kBatch), In(&b, "f32[2] {3,2}"), In(&b, "f32[2] {10,1}"), 4.0f, 2);
  ExpectResult(b, root, absl::StrCat("(", kNormalised, ", f32[2] {4,2}, f32[2] {5,12})"));
}
SEED_EXAMPLE("003 004", BatchNormInference) {
  Builder b("main");
  const Op root =
      BatchNormInference(In(&b, kBatch), In(&b, "f32[2] {3,2}"), In(&b, "f32[2] {10,1}"),
                         In(&b, "f32[2] {4,2}"), In(&b, "f32[2] {5,12}"), 4.0f, 2);
  ExpectResult(b, root, kNormalised);
}
// Feature 0: c = (12 * 3) / 9 / 4 = 1, d = 3. Feature 1: c = (-16 + 48) / 16 / 4 = 1/2, d = 4.
SEED_EXAMPLE("003 004", BatchNormGrad) {
  Builder b("main");
  const Op gradient = In(&b, "f32[2,2,2] {{{0,0},{0,0}},{{0,8},{12,8}}}");
  const Op root = BatchNormGrad(In(&b, kBatch), In(&b, "f32[2] {3,2}"), In(&b, "f32[2] {4,2}"),
                                In(&b, "f32[2] {5,12}"), gradient, 4.0f, 2);
  // The gradients of operand, scale and offset.
  ExpectResult(b, root,
               "(f32[2,2,2] {{{0,-1.5},{-2,-1.5}},{{-4,2.5},{6,0.5}}}, f32[2] {12,8}, "
               "f32[2] {12,16})");
}

SEED_EXAMPLE("003", Bitcast) {
  Builder b("main");
  const Op x = In(&b, "f32[2,2] {{1,2},{3,4}}");
  ExpectResult(b, AddInstruction(&b, Opcode::kBitcast, {x}, {}, ShapeFrom("f32[4]{0}")),
               "f32[4] {1,2,3,4}");
}

// l = {{2,0,0},{1,3,0},{4,-1,1}}; the upper triangle of the input is not read, that of the result
// may be anything.
SEED_EXAMPLE("003", Cholesky) {
  Builder b("main");
  const Op lower = Cholesky(In(&b, "f32[1,3,3] {{{4,99,99},{2,10,99},{8,1,18}}}"), true);
  const Op kept = In(&b, "pred[1,3,3] {{{true,false,false},{true,true,false},{true,true,true}}}");
  ExpectResult(b, Select(kept, lower, In(&b, "f32[1,3,3] {{{0,0,0},{0,0,0},{0,0,0}}}")),
               "f32[1,3,3] {{{2,0,0},{1,3,0},{4,-1,1}}}");
  Builder c("upper");
  const Op upper = Cholesky(In(&c, "f32[2,2] {{4,2},{99,10}}"), false);
  const Op above = In(&c, "pred[2,2] {{true,true},{false,true}}");
  ExpectResult(c, Select(above, upper, In(&c, "f32[2,2] {{0,0},{0,0}}")), "f32[2,2] {{2,1},{0,3}}");
}

SEED_EXAMPLE("003", Copy) {
  Builder b("main");
  const Op x = In(&b, "s32[2] {1,2}");
  ExpectResult(b, AddInstruction(&b, Opcode::kCopy, {x}), "s32[2] {1,2}");
  Builder c("asynchronous");
  const Op start = AddInstruction(&c, Opcode::kCopyStart, {Given(&c, 0, {2})}, {},
                                  ShapeFrom("(f32[2], f32[2], u32[])"));
  const Op done = AddInstruction(&c, Opcode::kCopyDone, {start}, {}, ShapeFrom("f32[2]"));
  ExpectOnReplicas(ExpectBuilds(c, done, "f32[2]", {"copy-start(", "copy-done("}), {"f32[2] {1,2}"},
                   {"f32[2] {1,2}"});
}

SEED_EXAMPLE("003", CustomCall) {
  Builder b("main");
  DeviceRun run;
  run.module =
      ExpectBuilds(b, CustomCall(&b, "target", {Given(&b, 0, {2})}, Shape(kF32, {3}), true),
                   "f32[3]", {"custom_call_target=\"target\"", "custom_call_has_side_effect=true"});
  run.arguments = {{Value("f32[2] {1,2}")}};
  run.expected = {Value("f32[3] {2,1,0}")};
  CustomCallRegistry registry;
  int calls = 0;
  registry.Register("target", [&](const auto& call) -> absl::StatusOr<Literal> {
    ++calls;
    absl::StatusOr<Literal> result = call.Zeros(call.instruction.shape());
    if (!result.ok()) return result;
    for (int64_t i = 0; i < 2; ++i) result->Set(i, call.operands[0].Get(1 - i));
    return result;
  });
  std::vector<DeviceRun> programs;
  programs.push_back(std::move(run));
  ExpectTogether(std::move(programs), {}, &registry);
  EXPECT_EQ(calls, 1);
}
// The function of the document: z[0][0] = x[1] + y[1][0].
SEED_EXAMPLE("000 004", CustomCall_example1) {
  Builder b("main");
  const Op x = In(&b, "f32[2] {1,2}");
  const Op y = In(&b, "f32[2,3] {{10,20,30},{40,50,60}}");
  DeviceRun run;
  run.module = ExpectBuilds(b, CustomCall("myfunc", {x, y}, Shape(kF32, {3, 3})), "f32[3,3]",
                            {"custom_call_target=\"myfunc\""});
  run.expected = {Value("f32[3,3] {{42,0,0},{0,0,0},{0,0,0}}")};
  CustomCallRegistry registry;
  registry.Register("myfunc", [](const auto& call) -> absl::StatusOr<Literal> {
    absl::StatusOr<Literal> z = call.Zeros(call.instruction.shape());
    if (!z.ok()) return z;
    const auto number = [](const Literal& array, int64_t i) {
      return DecodeFloat(kF32, array.Get(i).bits);
    };
    z->Set(0, {EncodeFloat(kF32, number(call.operands[0], 1) + number(call.operands[1], 3))});
    return z;
  });
  std::vector<DeviceRun> programs;
  programs.push_back(std::move(run));
  ExpectTogether(std::move(programs), {}, &registry);
}

SEED_EXAMPLE("003", Domain) {
  Builder b("main");
  const auto sharding = std::make_shared<const DomainSharding>();
  const Attributes::Entry attributes[] = {{Attr::kDomain, sharding}};
  const Op root = AddInstruction(&b, Opcode::kDomain, {Given(&b, 0, {2})}, attributes);
  ExpectOnReplicas(ExpectBuilds(b, root, "f32[2]", {"domain(", "kind=\"sharding\""}),
                   {"f32[2] {1,2}"}, {"f32[2] {1,2}"});
}

// Blocks of 32 ones, scaled by 2^i and 1 from the left, by 1 and 2^j from the right.
SEED_EXAMPLE("003", ScaledDot) {
  Builder b("main");
  const Op one = In(&b, "f8e4m3fn[] 1");
  const Op lhs = Broadcast(one, {4, 64}), rhs = Broadcast(one, {64, 8});
  const Op lhs_scale = In(&b, "f8e8m0fnu[4,2] {{1,1},{2,1},{4,1},{8,1}}");
  const Op rhs_scale = In(&b, "f8e8m0fnu[2,8] {{1,1,1,1,1,1,1,1},{1,2,4,8,16,32,64,128}}");
  const DotDimensionNumbers numbers = {.lhs_contracting_dimensions = {1},
                                       .rhs_contracting_dimensions = {0},
                                       .lhs_batch_dimensions = {},
                                       .rhs_batch_dimensions = {}};
  const Op root = ScaledDot(lhs, lhs_scale, rhs, rhs_scale, numbers, {}, kF32);
  const Literal expected =
      Filled("f32[4,8]", [](int64_t n) { return 32 * (std::pow(2, n / 8) + std::pow(2, n % 8)); });
  ExpectResult(b, root, PrintTypedLiteral(expected));
}
SEED_EXAMPLE("003", RaggedDot) {
  Builder b("main");
  // Group g of rows, of 2, 4 and 5, meets the matrix of g + 1.
  const Op lhs = Broadcast(In(&b, "f32[] 1"), {11, 5});
  const Op rhs = BroadcastInDim(In(&b, "f32[3] {1,2,3}"), {3, 5, 7}, {0});
  const Op sizes = In(&b, "s32[3] {2,4,5}");
  const RaggedDotDimensionNumbers numbers = {
      .dot_dimension_numbers = {.lhs_contracting_dimensions = {1},
                                .rhs_contracting_dimensions = {1},
                                .lhs_batch_dimensions = {},
                                .rhs_batch_dimensions = {}},
      .lhs_ragged_dimensions = {0},
      .rhs_group_dimensions = {0}};
  const Literal expected = Filled("f32[11,7]", [](int64_t n) {
    const int64_t row = n / 7;
    return row < 2 ? 5 : row < 6 ? 10 : 15;
  });
  ExpectResult(b, RaggedDot(lhs, rhs, sizes, numbers), PrintTypedLiteral(expected));
}

// The valid elements of [2,<=6] of size 4, in their order, as [4,2].
SEED_EXAMPLE("003", DynamicReshape) {
  Builder b("main");
  const Op x =
      SetDimensionSize(In(&b, "f32[2,6] {{1,2,3,4,5,6},{7,8,9,10,11,12}}"), In(&b, "s32[] 4"), 1);
  const Op rows = In(&b, "s32[] 4"), columns = In(&b, "s32[] 2");
  const Op reshaped = DynamicReshape(x, {rows, columns}, {4, 3}, {false, true});
  EXPECT_EQ(reshaped.shape()->ToString(), "f32[4,<=3]");
  const Op sums = Reduce(reshaped, In(&b, "f32[] 0"), ScalarCallee("sum", kF32, &Add), {1});
  ExpectResult(b, Tuple({sums, GetDimensionSize(reshaped, 1)}), "(f32[4] {3,7,15,19}, s32[] 2)");
}

SEED_EXAMPLE("003", Fft) {
  Builder b("main");
  const ElementType c64 = ElementType::kC64;
  ExpectBuilds(b, Fft(Given(&b, 0, {3, 8}, c64), FftType::kFft, {8}), "c64[3,8]",
               {"fft_type=FFT", "fft_length={8}"});
  Builder c("real_to_complex");
  ExpectBuilds(c, Fft(Given(&c, 0, {3, 8}), FftType::kRfft, {8}), "c64[3,5]", {"fft_type=RFFT"});
  Builder d("complex_to_real");
  ExpectBuilds(d, Fft(Given(&d, 0, {3, 5}, c64), FftType::kIrfft, {8}), "f32[3,8]",
               {"fft_type=IRFFT"});
}
// The transform of 1, 2, 3, 4 and its way back.
SEED_EXAMPLE("003", Fft_values) {
  Builder b("main");
  ExpectResult(b, Fft(In(&b, "c64[4] {(1,0),(2,0),(3,0),(4,0)}"), FftType::kFft, {4}),
               "c64[4] {(10,0),(-2,2),(-2,0),(-2,-2)}");
  Builder c("inverse");
  ExpectResult(c, Fft(In(&c, "c64[4] {(10,0),(-2,2),(-2,0),(-2,-2)}"), FftType::kIfft, {4}),
               "c64[4] {(1,0),(2,0),(3,0),(4,0)}");
  Builder d("real_to_complex");
  ExpectResult(d, Fft(In(&d, "f32[4] {1,2,3,4}"), FftType::kRfft, {4}),
               "c64[3] {(10,0),(-2,2),(-2,0)}");
  Builder e("complex_to_real");
  ExpectResult(e, Fft(In(&e, "c64[3] {(10,0),(-2,2),(-2,0)}"), FftType::kIrfft, {4}),
               "f32[4] {1,2,3,4}");
}
SEED_EXAMPLE("003", Fft_multidimensional) {
  Builder b("main");
  ExpectBuilds(b, Fft(Given(&b, 0, {2, 4, 8}), FftType::kRfft, {4, 8}), "c64[2,4,5]",
               {"fft_length={4,8}"});
  // Of rows first, then of columns.
  Builder c("values");
  ExpectResult(c, Fft(In(&c, "f32[2,4] {{1,2,3,4},{5,6,7,8}}"), FftType::kRfft, {2, 4}),
               "c64[2,3] {{(36,0),(-4,4),(-4,0)},{(-16,0),(0,0),(0,0)}}");
}

SEED_EXAMPLE("003", Fusion) {
  Builder f("fused");
  const Op p = Parameter(&f, 0, Shape(kS32, {2}), "p");
  const Callee fused = f.BuildCallee(Add(p, p));
  Builder b("main");
  const Attributes::Entry attributes[] = {{Attr::kKind, static_cast<int64_t>(FusionKind::kLoop)}};
  const std::pair<Attr, Callee> calls[] = {{Attr::kCalls, fused}};
  const Op x = In(&b, "s32[2] {1,2}");
  ExpectResult(b, AddInstruction(&b, Opcode::kFusion, {x}, attributes, Shape(kS32, {2}), calls),
               "s32[2] {2,4}");
}

SEED_EXAMPLE("003", GetDimensionSize) {
  Builder b("main");
  const Op x = In(&b, "f32[2,3] {{1,2,3},{4,5,6}}");
  ExpectResult(b, GetDimensionSize(x, 1), "s32[] 3");
  Builder c("dynamic");
  const Op y = SetDimensionSize(In(&c, "f32[2,3] {{1,2,3},{4,5,6}}"), In(&c, "s32[] 2"), 1);
  ExpectResult(c, Tuple({GetDimensionSize(y, 0), GetDimensionSize(y, 1)}), "(s32[] 2, s32[] 2)");
}

SEED_EXAMPLE("003", RngBitGenerator) {
  Builder b("main");
  const Op state = In(&b, "u64[2] {0,0}");
  const Op root = RngBitGenerator(RandomAlgorithm::kThreeFry, state, Shape(kU32, {4}));
  ExpectResult(b, root, "(u64[2] {0,2}, u32[4] {1797259609,2579123966,1351547692,3235790642})");
  Builder c("philox");
  const Op longer = In(&c, "u64[3] {0,0,0}");
  ExpectResult(c, RngBitGenerator(RandomAlgorithm::kPhilox, longer, Shape(kU32, {4})),
               "(u64[3] {0,1,0}, u32[4] {1713891541,3781805453,3159862348,2600524760})");
}
// The state of a module that is loaded once goes on from run to run.
SEED_EXAMPLE("003", RngGetAndUpdateState) {
  Builder b("main");
  const Attributes::Entry attributes[] = {{Attr::kDelta, int64_t{4}}};
  const Op root = AddInstruction(&b, Opcode::kRngGetAndUpdateState, {}, attributes,
                                 Shape(ElementType::kU64, {2}));
  const std::unique_ptr<Module> module =
      ExpectBuilds(b, root, "u64[2]", {"rng-get-and-update-state()", "delta=4"});
  const auto planned = PlannedModule::Create(*module);
  ASSERT_TRUE(planned.ok()) << planned.status();
  RandomStates states;
  RunOptions options;
  options.random = &states;
  for (const char* expected : {"u64[2] {117515157,0}", "u64[2] {117515161,0}"}) {
    const absl::StatusOr<Literal> value = (*planned)->Run({}, options);
    ASSERT_TRUE(value.ok()) << value.status();
    EXPECT_TRUE(Literal::BitEqual(*value, Value(expected))) << expected;
  }
}

std::vector<double> Numbers(const Literal& literal) {
  std::vector<double> numbers;
  const ElementType type = literal.element_type();
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    const uint64_t bits = literal.Get(i).bits;
    numbers.push_back(IsFloat(type)  ? DecodeFloat(type, bits)
                      : type == kS32 ? static_cast<double>(static_cast<int32_t>(bits))
                                     : static_cast<double>(bits));
  }
  return numbers;
}
double Mean(absl::Span<const double> numbers) {
  double sum = 0;
  for (double x : numbers) sum += x;
  return sum / static_cast<double>(numbers.size());
}

// 10,000 numbers each, of one seed: their means lie within five standard deviations.
constexpr int64_t kDraws = 10000;
SEED_EXAMPLE("000 004", RngBernoulli) {
  Builder b("main");
  const std::vector<double> drawn =
      Numbers(RunResult(b, RngBernoulli(In(&b, "f32[] 0.25"), Shape(kU32, {kDraws}))));
  EXPECT_THAT(drawn, Each(testing::AnyOf(0, 1)));
  EXPECT_NEAR(Mean(drawn), 0.25, 5 * std::sqrt(0.25 * 0.75 / kDraws));
}
SEED_EXAMPLE("000 003 004", RngNormal) {
  Builder b("main");
  const std::vector<double> drawn = Numbers(
      RunResult(b, RngNormal(In(&b, "f32[] 3"), In(&b, "f32[] 2"), Shape(kF32, {100, 100}))));
  ASSERT_EQ(drawn.size(), static_cast<size_t>(kDraws));
  EXPECT_NEAR(Mean(drawn), 3, 5 * 2 / std::sqrt(kDraws));
  std::vector<double> squares;
  for (double x : drawn) squares.push_back((x - 3) * (x - 3));
  EXPECT_NEAR(Mean(squares), 4, 5 * 4 * std::sqrt(2.0 / kDraws));
}
SEED_EXAMPLE("000 003 004", RngUniform) {
  Builder b("main");
  const std::vector<double> drawn = Numbers(
      RunResult(b, RngUniform(In(&b, "s32[] -5"), In(&b, "s32[] 5"), Shape(kS32, {kDraws}))));
  EXPECT_THAT(drawn, Each(AllOf(testing::Ge(-5), testing::Le(4))));
  for (int value = -5; value < 5; ++value) {
    const auto count = static_cast<double>(std::count(drawn.begin(), drawn.end(), value));
    EXPECT_NEAR(count, kDraws / 10.0, 5 * std::sqrt(kDraws * 0.1 * 0.9)) << value;
  }
}

// f(x, c) -> (y, c') over [a, b, c]: ([y0, y1, y2], c2).
SEED_EXAMPLE("003", Scan_example1) {
  Builder f("running_sum");
  const Op x = Parameter(&f, 0, Shape::Scalar(kF32), "x");
  const Op carry = Parameter(&f, 1, Shape::Scalar(kF32), "carry");
  const Op sum = Add(x, carry);
  const Callee step = f.BuildCallee(Tuple({sum, sum}));
  Builder b("main");
  const Op root = Scan({In(&b, "f32[3] {1,2,3}")}, {In(&b, "f32[] 10")}, step,
                       /*scan_dimension=*/0);
  ExpectResult(b, root, "(f32[3] {11,13,16}, f32[] 16)");
  Builder reversed("reversed");
  const Op back = Scan({In(&reversed, "f32[3] {1,2,3}")}, {In(&reversed, "f32[] 10")}, step, 0,
                       /*is_reverse=*/true, TriState::kTrue);
  ExpectResult(reversed, back, "(f32[3] {16,15,13}, f32[] 16)");
  // is_associative has three states; text has a word for two of them.
  for (const auto& [state, word] : {std::pair(TriState::kUnknown, "is_associative=false"),
                                    {TriState::kFalse, "is_associative=false"},
                                    {TriState::kTrue, "is_associative=true"}}) {
    Builder c("states");
    ExpectBuilds(c, Scan({Given(&c, 0, {3})}, {In(&c, "f32[] 0")}, step, 0, false, state),
                 "(f32[3], f32[])", {"scan(", "dimensions={0}", "num_carries=1", word});
  }
}

// The sums of the document are 15 and 21, the product 120; none of them sees what is cut off.
void ExpectSized(const char* size, BinaryOperation function, const char* identity,
                 const char* expected) {
  Builder b("main");
  const Op v = In(&b, "f32[10] {1,2,3,4,5,6,7,8,9,10}");
  const Op padded = SetDimensionSize(v, In(&b, size), /*dimension=*/0);
  EXPECT_EQ(padded.shape()->ToString(), "f32[<=10]");
  ExpectResult(b, Reduce(padded, In(&b, identity), ScalarCallee("f", kF32, function), {0}),
               expected);
}
SEED_EXAMPLE("003", SetDimensionSize_example1) {
  ExpectSized("s32[] 5", &Add, "f32[] 0", "f32[] 15");
}
SEED_EXAMPLE("003", SetDimensionSize_example2) {
  ExpectSized("s32[] 5", &Mul, "f32[] 1", "f32[] 120");
}
SEED_EXAMPLE("003", SetDimensionSize_example3) {
  ExpectSized("s32[] 6", &Add, "f32[] 0", "f32[] 21");
}

// a x = b with the lower triangle of a; what stands above it is not read.
SEED_EXAMPLE("003", TriangularSolve) {
  Builder b("main");
  const Op root =
      TriangularSolve(In(&b, "f32[3,3] {{2,99,99},{1,3,99},{4,-1,1}}"),
                      In(&b, "f32[3,2] {{2,4},{10,14},{6,10}}"), /*left_side=*/true,
                      /*lower=*/true, /*unit_diagonal=*/false, TransposeA::kNoTranspose);
  ExpectResult(b, root, "f32[3,2] {{1,2},{3,4},{5,6}}");
}

}  // namespace
}  // namespace assay::conformance::built_sections_test
