// The other sections of document 003 that the interpreter runs: movement, reductions, contractions,
// control flow. Expected values are the document's, corrected by reference ops_structural.md 15, or
// computed by hand.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conformance/seeds/examples.h"

namespace assay::conformance::sections_003_test {
namespace {

constexpr char kV[] =
    "f32[4,2,3] {{{10,11,12},{15,16,17}}, {{20,21,22},{25,26,27}}, {{30,31,32},{35,36,37}}, "
    "{{40,41,42},{45,46,47}}}";

// 0, 1, 2, ... as s32.
Literal Numbers(absl::Span<const int64_t> sizes) {
  Literal literal = Literal::Zeros(Shape(kS32, sizes));
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    literal.Set(i, {static_cast<uint64_t>(i)});
  }
  return literal;
}

SEED_EXAMPLE("003", AfterAll) {
  Builder b("main");
  const Op token = AfterAll({CreateToken(&b), CreateToken(&b)});
  EXPECT_TRUE(token.shape()->is_token());
  EXPECT_EQ(RunResult(b, token).element_type(), ElementType::kToken);
}

SEED_EXAMPLE("003", BroadcastInDim) {
  Builder b("main");
  const Op root = BroadcastInDim(In(&b, "s32[1,2] {{1,2}}"), {2, 3, 2}, {1, 2});
  ExpectResult(b, root, "s32[2,3,2] {{{1,2},{1,2},{1,2}},{{1,2},{1,2},{1,2}}}");
}

SEED_EXAMPLE("003", CompositeCall_example1) {
  Builder b("main");
  const Callee f = ScalarCallee("funcadd", kF32, &Add);
  const Op root = CompositeCall(f, {In(&b, "f32[] 1"), In(&b, "f32[] 2")}, "foo.bar",
                                "{n = 1 : i32, tensor = dense<1> : tensor<i32>}", 1);
  const absl::StatusOr<std::unique_ptr<Module>> module = b.Build(root);
  ASSERT_TRUE(module.ok()) << module.status();
  const Instruction& call = *(*module)->entry()->root();
  EXPECT_TRUE(call.GetBool(Attr::kIsComposite));
  const FrontendAttributes& attributes = call.annotations().frontend_attributes;
  EXPECT_EQ(attributes.at("composite.name"), "foo.bar");
  EXPECT_EQ(attributes.at("composite.version"), "1");
}

SEED_EXAMPLE("003", CompositeCall_runs_its_decomposition) {
  Builder b("main");
  const Callee f = ScalarCallee("funcadd", kF32, &Add);
  ExpectResult(b, CompositeCall(f, {In(&b, "f32[] 1"), In(&b, "f32[] 2")}, "foo.bar"), "f32[] 3");
}

Callee Scaled(const char* factor) {
  Builder f("scaled");
  const Op x = Parameter(&f, 0, Shape::Scalar(kF32), "x");
  return f.BuildCallee(Mul(x, In(&f, factor)));
}

SEED_EXAMPLE("003", Conditional) {
  for (const auto& [pred, expected] : std::vector<std::pair<const char*, const char*>>{
           {"pred[] true", "f32[] 14"}, {"pred[] false", "f32[] 27"}}) {
    Builder b("main");
    ExpectResult(b,
                 Conditional(In(&b, pred), In(&b, "f32[] 7"), Scaled("f32[] 2"), In(&b, "f32[] 9"),
                             Scaled("f32[] 3")),
                 expected);
  }
  // An index out of range runs the last branch.
  for (const auto& [index, expected] :
       std::vector<std::pair<const char*, const char*>>{{"s32[] 0", "f32[] 1"},
                                                        {"s32[] 2", "f32[] 3"},
                                                        {"s32[] -1", "f32[] 3"},
                                                        {"s32[] 3", "f32[] 3"}}) {
    Builder b("main");
    const Op one = In(&b, "f32[] 1");
    const std::vector<Callee> branches = {Scaled("f32[] 1"), Scaled("f32[] 2"), Scaled("f32[] 3")};
    ExpectResult(b, Conditional(In(&b, index), branches, {one, one, one}), expected);
  }
}

SEED_EXAMPLE("003", ConstantLiteral) {
  Builder b("main");
  ExpectResult(b, ConstantLiteral(&b, Value("f32[2] {1.5,-2}")), "f32[2] {1.5,-2}");
}

SEED_EXAMPLE("003", Conv_groups) {
  // Two features in two groups: each kernel sees one.
  Builder b("main");
  const Op lhs = In(&b, "f32[1,2,2] {{{1,2},{10,20}}}");
  const Op rhs = In(&b, "f32[2,1,1] {{{3}},{{5}}}");
  ExpectResult(b, Conv(lhs, rhs, {1}, Padding::kValid, /*feature_group_count=*/2),
               "f32[1,2,2] {{{3,6},{50,100}}}");
  // Two batch groups: output feature k is that of batch k.
  Builder c("batch_groups");
  const Op batches = In(&c, "f32[2,1,2] {{{1,2}},{{10,20}}}");
  const Op kernels = In(&c, "f32[2,1,1] {{{3}},{{5}}}");
  ExpectResult(c, Conv(batches, kernels, {1}, Padding::kValid, 1, /*batch_group_count=*/2),
               "f32[1,2,2] {{{3,6},{50,100}}}");
}

SEED_EXAMPLE("003", ConvWithGeneralPadding) {
  Builder b("main");
  const Op lhs = In(&b, "f32[1,1,3] {{{1,2,3}}}");
  const Op rhs = In(&b, "f32[1,1,2] {{{1,10}}}");
  ExpectResult(b, ConvWithGeneralPadding(lhs, rhs, {1}, {{1, 0}}, 1, 1),
               "f32[1,1,3] {{{10,21,32}}}");
}

// Batch, spatial, feature; kernels spatial, input feature, output feature.
ConvolutionDimensions ChannelsLast() {
  ConvolutionDimensions numbers;
  numbers.input_batch = numbers.output_batch = 0;
  numbers.input_spatial = numbers.output_spatial = {1};
  numbers.input_feature = numbers.output_feature = 2;
  numbers.kernel_spatial = {0};
  numbers.kernel_input_feature = 1;
  numbers.kernel_output_feature = 2;
  return numbers;
}

SEED_EXAMPLE("003", ConvWithGeneralDimensions) {
  Builder b("main");
  const Op lhs = In(&b, "f32[1,4,1] {{{1},{2},{3},{4}}}");
  const Op rhs = In(&b, "f32[3,1,1] {{{1}},{{1}},{{1}}}");
  ExpectResult(b, ConvWithGeneralDimensions(lhs, rhs, {1}, Padding::kSame, ChannelsLast()),
               "f32[1,4,1] {{{3},{6},{9},{7}}}");
}

SEED_EXAMPLE("003", ConvGeneral) {
  Builder b("main");
  const Op lhs = In(&b, "f32[1,3,1] {{{1},{2},{3}}}");
  const Op rhs = In(&b, "f32[2,1,2] {{{1,2}},{{10,20}}}");
  ExpectResult(b, ConvGeneral(lhs, rhs, {2}, {{1, 0}}, ChannelsLast()),
               "f32[1,2,2] {{{10,20},{32,64}}}");
}

SEED_EXAMPLE("003", ConvGeneralDilated) {
  for (const auto& [reversal, expected] : std::vector<std::pair<bool, const char*>>{
           {false, "f32[1,2,1] {{{1},{30}}}"}, {true, "f32[1,2,1] {{{10},{3}}}"}}) {
    Builder b("main");
    const Op lhs = In(&b, "f32[1,3,1] {{{1},{2},{3}}}");
    const Op rhs = In(&b, "f32[2,1,1] {{{1}},{{10}}}");
    const Op root = ConvGeneralDilated(lhs, rhs, {1}, {{0, 0}}, {2}, {3}, ChannelsLast(), 1, 1, {},
                                       std::nullopt, {reversal});
    ExpectResult(b, root, expected);
  }
}

SEED_EXAMPLE("003", DotGeneral_example1) {
  Builder b("main");
  const DotDimensionNumbers numbers = {{1}, {1}, {}, {}};
  const Op root = DotGeneral(In(&b, "f32[2,3] {{1,2,3},{4,5,6}}"),
                             In(&b, "f32[2,3] {{1,1,1},{2,2,2}}"), numbers);
  ExpectResult(b, root, "f32[2,2] {{6,12},{15,30}}");
}

SEED_EXAMPLE("003", DotGeneral_example2) {
  Builder b("main");
  const DotDimensionNumbers numbers = {{2}, {1}, {0}, {0}};
  const Op root = DotGeneral(In(&b, "f32[2,2,2] {{{1,2},{3,4}},{{5,6},{7,8}}}"),
                             In(&b, "f32[2,2,2] {{{1,0},{0,1}},{{1,0},{0,1}}}"), numbers);
  ExpectResult(b, root, "f32[2,2,2] {{{1,2},{3,4}},{{5,6},{7,8}}}");
}

SEED_EXAMPLE("003", DotGeneral_preferred_element_type) {
  Builder b("main");
  const DotDimensionNumbers numbers = {{0}, {0}, {}, {}};
  const Op x = In(&b, "s8[2] {100,100}");
  ExpectResult(b, DotGeneral(x, x, numbers, {Precision::kHighest, Precision::kDefault}, kS32),
               "s32[] 20000");
}

// result[o] = operand[remapped_offset_dims(o)]: 0->1, 1->3, 2->4, 3->5.
SEED_EXAMPLE("003", Gather_example1) {
  Builder b("main");
  const Literal operand = Numbers({1, 2, 1, 3, 2, 2});
  const GatherDimensionNumbers numbers = {.offset_dims = {0, 1, 2, 3},
                                          .collapsed_slice_dims = {0, 2},
                                          .start_index_map = {0},
                                          .operand_batching_dims = {},
                                          .start_indices_batching_dims = {},
                                          .index_vector_dim = 0};
  const Op root = Gather(Constant(&b, operand), In(&b, "s32[1] {0}"), numbers, {1, 2, 1, 3, 2, 2});
  const Literal result = RunResult(b, root);
  ASSERT_EQ(result.shape().ToString(), "s32[2,3,2,2]");
  // The collapsed dimensions have size 1: the elements are the operand's in order.
  for (int64_t i = 0; i < result.element_count(); ++i) EXPECT_EQ(result.Get(i), operand.Get(i));
}

// Windows [8,6] (or rows [1,11]) of a [16,11] operand at index vectors in `batch` dimensions.
void CheckWindows(const std::vector<int64_t>& batch, const GatherDimensionNumbers& numbers,
                  int64_t vector_size, int64_t rows, int64_t columns) {
  std::vector<int64_t> index_sizes = batch;
  index_sizes.push_back(vector_size);
  Literal indices = Numbers(index_sizes);
  for (int64_t i = 0; i < indices.element_count(); ++i) {
    indices.Set(i, {static_cast<uint64_t>(i * 7 % (i % vector_size == 0 ? 17 - rows : 6))});
  }
  Builder b("main");
  const Op root =
      Gather(Constant(&b, Numbers({16, 11})), Constant(&b, indices), numbers, {rows, columns});
  const Literal result = RunResult(b, root);
  int64_t at = 0;
  for (int64_t g = 0; g < indices.element_count() / vector_size; ++g) {
    const int64_t row = indices.Get(g * vector_size).bits;
    const int64_t column = vector_size == 2 ? indices.Get(g * vector_size + 1).bits : 0;
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < columns; ++c, ++at) {
        ASSERT_EQ(static_cast<int64_t>(result.Get(at).bits), (row + r) * 11 + column + c);
      }
    }
  }
  ASSERT_EQ(result.element_count(), at);
}

SEED_EXAMPLE("003", Gather_informal_example1) {
  GatherDimensionNumbers numbers = {.offset_dims = {1, 2},
                                    .collapsed_slice_dims = {},
                                    .start_index_map = {0, 1},
                                    .operand_batching_dims = {},
                                    .start_indices_batching_dims = {},
                                    .index_vector_dim = 1};
  CheckWindows({5}, numbers, 2, 8, 6);
}
SEED_EXAMPLE("003", Gather_informal_example2) {
  GatherDimensionNumbers numbers = {.offset_dims = {2, 3},
                                    .collapsed_slice_dims = {},
                                    .start_index_map = {0, 1},
                                    .operand_batching_dims = {},
                                    .start_indices_batching_dims = {},
                                    .index_vector_dim = 2};
  CheckWindows({4, 5}, numbers, 2, 8, 6);
}
SEED_EXAMPLE("003", Gather_informal_example3) {
  GatherDimensionNumbers numbers = {.offset_dims = {2},
                                    .collapsed_slice_dims = {0},
                                    .start_index_map = {0},
                                    .operand_batching_dims = {},
                                    .start_indices_batching_dims = {},
                                    .index_vector_dim = 2};
  CheckWindows({4, 5}, numbers, 1, 1, 11);
}

SEED_EXAMPLE("003", Iota_example1) {
  Builder b("main");
  ExpectResult(
      b, Iota(&b, Shape(kS32, {4, 8}), 0),
      "s32[4,8] {{0,0,0,0,0,0,0,0},{1,1,1,1,1,1,1,1},{2,2,2,2,2,2,2,2},{3,3,3,3,3,3,3,3}}");
}
SEED_EXAMPLE("003", Iota_example2) {
  Builder b("main");
  ExpectResult(
      b, Iota(&b, Shape(kS32, {4, 8}), 1),
      "s32[4,8] {{0,1,2,3,4,5,6,7},{0,1,2,3,4,5,6,7},{0,1,2,3,4,5,6,7},{0,1,2,3,4,5,6,7}}");
}

SEED_EXAMPLE("003", Parameter) {
  Builder b("main");
  const Op second = Parameter(&b, 1, Shape::Scalar(kF32), "y");
  const Op first = Parameter(&b, 0, Shape::Scalar(kF32), "x");
  ExpectResult(b, Sub(first, second), "f32[] 3", {Value("f32[] 5"), Value("f32[] 2")});
}

// Several operands at once: sum and product.
SEED_EXAMPLE("003", Reduce) {
  Builder f("sum_and_product");
  const Shape scalar = Shape::Scalar(kS32);
  const Op s = Parameter(&f, 0, scalar, "s"), p = Parameter(&f, 1, scalar, "p");
  const Op x = Parameter(&f, 2, scalar, "x"), y = Parameter(&f, 3, scalar, "y");
  const Callee computation = f.BuildCallee(Tuple({Add(s, x), Mul(p, y)}));
  Builder b("main");
  const std::vector<Op> operands = {In(&b, "s32[2,3] {{1,2,3},{4,5,6}}"),
                                    In(&b, "s32[2,3] {{1,2,3},{4,5,6}}")};
  const std::vector<Op> inits = {In(&b, "s32[] 0"), In(&b, "s32[] 1")};
  ExpectResult(b, Reduce(operands, inits, computation, {1}), "(s32[2] {6,15}, s32[2] {6,120})");
}

// value >= max takes the new element: the last maximum wins.
SEED_EXAMPLE("003", VariadicReduce_example1) {
  Builder f("argmax");
  const Op max = Parameter(&f, 0, Shape::Scalar(kF32), "max");
  const Op argmax = Parameter(&f, 1, Shape::Scalar(kS32), "argmax");
  const Op value = Parameter(&f, 2, Shape::Scalar(kF32), "value");
  const Op index = Parameter(&f, 3, Shape::Scalar(kS32), "index");
  const Op is_new = Ge(value, max);
  const Callee computation =
      f.BuildCallee(Tuple({Select(is_new, value, max), Select(is_new, index, argmax)}));
  Builder b("main");
  const std::vector<Op> operands = {In(&b, "f32[4] {3,9,9,1}"), Iota(&b, Shape(kS32, {4}), 0)};
  const std::vector<Op> inits = {In(&b, "f32[] -inf"), In(&b, "s32[] 0")};
  ExpectResult(b, Reduce(operands, inits, computation, {0}), "(f32[] 9, s32[] 2)");
}
// The recursion f_0, ..., f_(N-1): accumulators come first, in the order of the elements.
SEED_EXAMPLE("003", VariadicReduce_example2) {
  Builder f("digits");
  const Op acc = Parameter(&f, 0, Shape::Scalar(kS32), "acc");
  const Op digit = Parameter(&f, 1, Shape::Scalar(kS32), "digit");
  const Callee computation = f.BuildCallee(Add(Mul(acc, In(&f, "s32[] 10")), digit));
  Builder b("main");
  ExpectResult(b, Reduce(In(&b, "s32[5] {1,2,3,4,5}"), In(&b, "s32[] 9"), computation, {0}),
               "s32[] 912345");
}

SEED_EXAMPLE("003", ReduceWindow) {
  Builder f("sum_and_product");
  const Shape scalar = Shape::Scalar(kS32);
  const Op s = Parameter(&f, 0, scalar, "s"), p = Parameter(&f, 1, scalar, "p");
  const Op x = Parameter(&f, 2, scalar, "x"), y = Parameter(&f, 3, scalar, "y");
  const Callee computation = f.BuildCallee(Tuple({Add(s, x), Mul(p, y)}));
  Builder b("main");
  const std::vector<Op> operands = {In(&b, "s32[3] {1,2,3}"), In(&b, "s32[3] {4,5,6}")};
  const std::vector<Op> inits = {In(&b, "s32[] 0"), In(&b, "s32[] 1")};
  ExpectResult(b, ReduceWindow(operands, inits, computation, {2}, {1}, Padding::kValid),
               "(s32[2] {3,5}, s32[2] {20,30})");
}

void ExpectMinima(Padding padding, absl::string_view expected) {
  Builder b("main");
  const Op root = ReduceWindow(In(&b, "f32[5] {10000,1000,100,10,1}"), In(&b, "f32[] inf"),
                               ScalarCallee("min", kF32, &Min), {3}, {2}, padding);
  ExpectResult(b, root, expected);
}
SEED_EXAMPLE("003", ReduceWindow_strides_valid) { ExpectMinima(Padding::kValid, "f32[2] {100,1}"); }
SEED_EXAMPLE("003", ReduceWindow_strides_same) {
  ExpectMinima(Padding::kSame, "f32[3] {1000,10,1}");
}

SEED_EXAMPLE("003", ReduceWindow_example2) {
  Builder b("main");
  const std::vector<Op> operands = {In(&b, "s32[3,2] {{1,2},{3,4},{5,6}}")};
  const std::vector<Op> inits = {In(&b, "s32[] 0")};
  const Op root = ReduceWindowWithGeneralPadding(
      operands, inits, ScalarCallee("sum", kS32, &Add), /*window_dimensions=*/{2, 1},
      /*window_strides=*/{4, 1}, /*base_dilations=*/{2, 1}, /*window_dilations=*/{3, 1},
      /*padding=*/{{2, 1}, {0, 0}});
  ExpectResult(b, root, "s32[2,2] {{0,0},{3,4}}");
}

SEED_EXAMPLE("003", Reshape_example1) {
  Builder b("main");
  ExpectResult(b, Reshape(In(&b, kV), {24}),
               "f32[24] {10,11,12,15,16,17,20,21,22,25,26,27,30,31,32,35,36,37,40,41,42,45,46,47}");
}
SEED_EXAMPLE("003", Reshape_example2) {
  Builder b("main");
  ExpectResult(b, Reshape(In(&b, kV), {8, 3}),
               "f32[8,3] {{10,11,12},{15,16,17},{20,21,22},{25,26,27},{30,31,32},{35,36,37},"
               "{40,41,42},{45,46,47}}");
}
SEED_EXAMPLE("003", Reshape_example3) {
  Builder b("main");
  ExpectResult(b, Reshape(In(&b, "f32[1,1] {{5}}"), {}), "f32[] 5");
}
SEED_EXAMPLE("003", Reshape_example4) {
  Builder b("main");
  ExpectResult(b, Reshape(In(&b, "f32[] 5"), {1, 1}), "f32[1,1] {{5}}");
}
SEED_EXAMPLE("003", Reshape_explicit) {
  Builder b("main");
  ExpectResult(b, Reshape(Shape(kF32, {3, 2}), In(&b, "f32[2,3] {{1,2,3},{4,5,6}}")),
               "f32[3,2] {{1,2},{3,4},{5,6}}");
}

// window_dims_to_operand_dims: 0->1, 1->3, 2->4, 3->5.
SEED_EXAMPLE("003", Scatter_example1) {
  Builder b("main");
  const Op operand = Broadcast(In(&b, "s32[] 0"), {1, 2, 1, 3, 2, 2});
  const Literal updates = Numbers({2, 3, 2, 2});
  const ScatterDimensionNumbers numbers = {.update_window_dims = {0, 1, 2, 3},
                                           .inserted_window_dims = {0, 2},
                                           .scatter_dims_to_operand_dims = {0},
                                           .input_batching_dims = {},
                                           .scatter_indices_batching_dims = {},
                                           .index_vector_dim = 0};
  const Op root = Scatter(operand, In(&b, "s32[1] {0}"), Constant(&b, updates),
                          ScalarCallee("sum", kS32, &Add), numbers);
  const Literal result = RunResult(b, root);
  ASSERT_EQ(result.shape().ToString(), "s32[1,2,1,3,2,2]");
  for (int64_t i = 0; i < result.element_count(); ++i) EXPECT_EQ(result.Get(i), updates.Get(i));
}

// Batched: operand 1..48, updates of ones; the start {0,9} lies outside and is skipped.
SEED_EXAMPLE("003", Scatter_stablehlo_example1) {
  Builder b("main");
  Literal operand = Numbers({2, 3, 4, 2});
  for (int64_t i = 0; i < 48; ++i) operand.Set(i, {static_cast<uint64_t>(i + 1)});
  const Op indices = In(&b,
                        "s64[2,2,3,2] {{{{0,0},{1,0},{2,1}},{{0,1},{1,1},{0,9}}},"
                        "{{{0,0},{2,1},{2,2}},{{1,2},{0,1},{1,0}}}}");
  const Op updates = Broadcast(In(&b, "s32[] 1"), {2, 2, 3, 1, 2});
  const ScatterDimensionNumbers numbers = {.update_window_dims = {3, 4},
                                           .inserted_window_dims = {1},
                                           .scatter_dims_to_operand_dims = {2, 1},
                                           .input_batching_dims = {0},
                                           .scatter_indices_batching_dims = {1},
                                           .index_vector_dim = 3};
  const Op root =
      Scatter(Constant(&b, operand), indices, updates, ScalarCallee("sum", kS32, &Add), numbers);
  const Literal result = RunResult(b, root);
  // By the definition, element by element.
  Literal expected = operand;
  const Literal starts = Value(
      "s64[2,2,3,2] {{{{0,0},{1,0},{2,1}},{{0,1},{1,1},{0,9}}},"
      "{{{0,0},{2,1},{2,2}},{{1,2},{0,1},{1,0}}}}");
  for (int64_t g = 0; g < 12; ++g) {
    const int64_t batch = g / 3 % 2;
    const int64_t d2 = starts.Get(2 * g).bits, d1 = starts.Get(2 * g + 1).bits;
    if (d1 >= 3 || d2 >= 4) continue;
    for (int64_t w = 0; w < 2; ++w) {
      const int64_t at = ((batch * 3 + d1) * 4 + d2) * 2 + w;
      expected.Set(at, {expected.Get(at).bits + 1});
    }
  }
  EXPECT_TRUE(Literal::BitEqual(result, expected));
}

SEED_EXAMPLE("003", Slice_empty_and_strides) {
  Builder b("main");
  const Op x = In(&b, "s32[5] {0,1,2,3,4}");
  ExpectResult(b, Tuple({Slice(x, {1}, {5}, {2}), Slice(x, {5}, {5})}),
               "(s32[2] {1,3}, s32[0] {})");
}

SEED_EXAMPLE("003", Sort_example1) {
  Builder f("comparator");
  const ElementType types[] = {kS32, kS32, kF32};
  std::vector<Op> p;
  for (int i = 0; i < 6; ++i) p.push_back(Parameter(&f, i, Shape::Scalar(types[i / 2]), "p"));
  const Callee comparator = f.BuildCallee(Lt(p[0], p[1]));
  Builder b("main");
  const std::vector<Op> operands = {In(&b, "s32[2] {3,1}"), In(&b, "s32[2] {42,50}"),
                                    In(&b, "f32[2] {-3,1.1}")};
  ExpectResult(b, Sort(operands, comparator), "(s32[2] {1,3}, s32[2] {50,42}, f32[2] {1.1,-3})");
}

SEED_EXAMPLE("003", TopK) {
  Builder b("main");
  ExpectResult(b, TopK(In(&b, "f32[2,3] {{5,1,5},{2,8,4}}"), 2),
               "(f32[2,2] {{5,5},{8,4}}, s32[2,2] {{0,2},{1,2}})");
}

}  // namespace
}  // namespace assay::conformance::sections_003_test
