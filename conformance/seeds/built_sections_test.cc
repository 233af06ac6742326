// Sections of the documents whose operations the interpreter does not run yet: the module is built
// and its shapes and text are held to the document. Also what the documents call internal.
#include "conformance/seeds/examples.h"

namespace assay {
namespace {

constexpr ElementType kU32 = ElementType::kU32;
constexpr ElementType kU64 = ElementType::kU64;

Op Given(Builder* b, int64_t number, absl::Span<const int64_t> sizes,
         ElementType type = ElementType::kF32) {
  return Parameter(b, number, Shape(type, sizes), absl::StrCat("p", number));
}

SEED_EXAMPLE("003", AddDependency) {
  Builder b("main");
  const Op operands[] = {In(&b, "f32[] 3"), CreateToken(&b)};
  ExpectResult(b, AddInstruction(&b, Opcode::kAddDependency, operands), "f32[] 3");
}

// [1.0, 2.5] and [3.0, 5.25] along dimension 0 give [1.0, 2.5, 3.0, 5.25] on both.
SEED_EXAMPLE("003", AllGather_example1) {
  Builder b("main");
  ExpectBuilds(b, AllGather(Given(&b, 0, {2}), 0, 2), "f32[4]", {"all-gather(", "dimensions={0}"});
}
SEED_EXAMPLE("003", AllGather_example2) {
  Builder b("main");
  ExpectBuilds(b, AllGather(Given(&b, 0, {2}), 0, 2, {{0, 2}, {1, 3}}, 7), "f32[4]",
               {"replica_groups={{0,2},{1,3}}", "channel_id=7"});
}
SEED_EXAMPLE("003", AllGather_start_and_done) {
  Builder b("main");
  const Op x = Given(&b, 0, {2});
  const Attributes::Entry attributes[] = {{Attr::kDimension, int64_t{0}}};
  const Op start =
      AddInstruction(&b, Opcode::kAllGatherStart, {x}, attributes, ShapeFrom("(f32[2], f32[4])"));
  const Op done = AddInstruction(&b, Opcode::kAllGatherDone, {start}, {}, ShapeFrom("f32[4]"));
  ExpectBuilds(b, done, "f32[4]", {"all-gather-start(", "all-gather-done("});
}

// [1.0, 2.5] and [3.0, 5.25] sum to [4.0, 7.75] on both.
SEED_EXAMPLE("003", AllReduce_example1) {
  Builder b("main");
  ExpectBuilds(b, AllReduce(Given(&b, 0, {2}), ScalarCallee("sum", kF32, &Add)), "f32[2]",
               {"all-reduce(", "to_apply=%sum"});
}
SEED_EXAMPLE("003", AllReduce_example2) {
  Builder b("main");
  const Callee sum = ScalarCallee("sum", kF32, &Add);
  ExpectBuilds(b, AllReduce(Given(&b, 0, {2}), sum, {{0, 2}, {1, 3}}), "f32[2]",
               {"replica_groups={{0,2},{1,3}}"});
}
SEED_EXAMPLE("003", CrossReplicaSum) {
  Builder b("main");
  ExpectBuilds(b, CrossReplicaSum(Given(&b, 0, {2}), {{0, 1}}), "f32[2]",
               {"all-reduce(", "replica_groups={{0,1}}", "add("});
  Builder c("truth");
  ExpectBuilds(c, CrossReplicaSum(Given(&c, 0, {2}, ElementType::kPred)), "pred[2]", {" or("});
}

SEED_EXAMPLE("003", AllToAll_groups) {
  Builder b("main");
  ExpectBuilds(b, AllToAll(Given(&b, 0, {6}), 0, 0, 3, {{1, 2, 3}, {4, 5, 0}}), "f32[6]",
               {"all-to-all(", "replica_groups={{1,2,3},{4,5,0}}"});
}
SEED_EXAMPLE("003", AllToAll_example1) {
  Builder b("main");
  const Op x = Given(&b, 0, {4, 16});
  ExpectBuilds(b, AllToAll(x, /*split_dimension=*/1, /*concat_dimension=*/0, /*split_count=*/4),
               "f32[16,4]", {"all-to-all(", "dimensions={1}"});
}
SEED_EXAMPLE("003", AllToAll_example2) {
  Builder b("main");
  ExpectBuilds(b, AllToAll(Given(&b, 0, {2, 4}), 1, 0, 2), "f32[4,2]", {"all-to-all("});
}

Op Ragged(Builder* b, absl::Span<const int64_t> input, absl::Span<const int64_t> output,
          absl::Span<const int64_t> lists) {
  const Op in = Given(b, 0, input), out = Given(b, 1, output);
  std::vector<Op> list;
  for (int i = 0; i < 4; ++i) list.push_back(Given(b, 2 + i, lists, kS32));
  return RaggedAllToAll(in, list[0], list[1], out, list[2], list[3]);
}
// data [8,3] at offsets {0,1,4} with sizes {1,3,4}
SEED_EXAMPLE("003", RaggedAllToAll_example1) {
  Builder b("main");
  ExpectBuilds(b, Ragged(&b, {8, 3}, {8, 3}, {3}), "f32[8,3]", {"ragged-all-to-all("});
}
// Two replicas: [1,3,0,0] and [2,2,4,0].
SEED_EXAMPLE("003", RaggedAllToAll_example2) {
  Builder b("main");
  ExpectBuilds(b, Ragged(&b, {3}, {4}, {2}), "f32[4]", {"ragged-all-to-all("});
}
// Lists [num_devices], and [num_devices, num_updates].
SEED_EXAMPLE("003", RaggedAllToAll_example3) {
  Builder b("main");
  ExpectBuilds(b, Ragged(&b, {16, 2}, {16, 2}, {4}), "f32[16,2]", {"s32[4]"});
}
SEED_EXAMPLE("003", RaggedAllToAll_example4) {
  Builder b("main");
  ExpectBuilds(b, Ragged(&b, {16, 2}, {16, 2}, {4, 2}), "f32[16,2]", {"s32[4,2]"});
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
  ExpectBuilds(b, done, "f32[2]", {"negate-start(", "negate-done("});
}

SEED_EXAMPLE("003 004", BatchNormTraining) {
  Builder b("main");
  const Op root =
      BatchNormTraining(Given(&b, 0, {2, 3, 4}), Given(&b, 1, {4}), Given(&b, 2, {4}), 0.5f, 2);
  ExpectBuilds(b, root, "(f32[2,3,4], f32[4], f32[4])", {"epsilon=0.5", "feature_index=2"});
}
SEED_EXAMPLE("003 004", BatchNormInference) {
  Builder b("main");
  const Op root = BatchNormInference(Given(&b, 0, {2, 3, 4}), Given(&b, 1, {4}), Given(&b, 2, {4}),
                                     Given(&b, 3, {4}), Given(&b, 4, {4}), 0.5f, 2);
  ExpectBuilds(b, root, "f32[2,3,4]", {"batch-norm-inference("});
}
SEED_EXAMPLE("003 004", BatchNormGrad) {
  Builder b("main");
  const Op root = BatchNormGrad(Given(&b, 0, {2, 3, 4}), Given(&b, 1, {4}), Given(&b, 2, {4}),
                                Given(&b, 3, {4}), Given(&b, 4, {2, 3, 4}), 0.5f, 2);
  ExpectBuilds(b, root, "(f32[2,3,4], f32[4], f32[4])", {"batch-norm-grad("});
}

SEED_EXAMPLE("003", Bitcast) {
  Builder b("main");
  const Op x = In(&b, "f32[2,2] {{1,2},{3,4}}");
  ExpectResult(b, AddInstruction(&b, Opcode::kBitcast, {x}, {}, ShapeFrom("f32[4]{0}")),
               "f32[4] {1,2,3,4}");
}

SEED_EXAMPLE("003", Cholesky) {
  Builder b("main");
  ExpectBuilds(b, Cholesky(Given(&b, 0, {5, 3, 3}), true), "f32[5,3,3]",
               {"cholesky(", "lower=true"});
}

SEED_EXAMPLE("003", CollectiveBroadcast) {
  Builder b("main");
  ExpectBuilds(b, CollectiveBroadcast(Given(&b, 0, {2}), {{1, 0}}, 3), "f32[2]",
               {"collective-broadcast(", "replica_groups={{1,0}}", "channel_id=3"});
}
SEED_EXAMPLE("003", CollectivePermute) {
  Builder b("main");
  ExpectBuilds(b, CollectivePermute(Given(&b, 0, {2}), {{0, 1}, {1, 2}}), "f32[2]",
               {"collective-permute(", "source_target_pairs={{0,1},{1,2}}"});
  Builder where("stored_elsewhere");
  ExpectBuilds(where, CollectivePermute(Given(&where, 0, {2}), {{0, 1}}, 3, /*inplace=*/true),
               "f32[2]", {"collective-permute(", "channel_id=3, source_target_pairs={{0,1}}"});
  Builder slices("slices");
  const Op start = Tuple(&slices, {ConstantR0(&slices, ElementType::kS32, 1)});
  ExpectBuilds(slices,
               CollectivePermute(Given(&slices, 0, {2}), Given(&slices, 1, {4}), start, start,
                                 {{0, 1}}, {{1}}),
               "f32[4]", {"collective-permute(", "slice_sizes={{1}}"});
  Builder c("twice");
  ExpectRefused(c, CollectivePermute(Given(&c, 0, {2}), {{0, 1}, {2, 1}}),
                "[collective_permute_c1]");
}

SEED_EXAMPLE("003", Copy) {
  Builder b("main");
  const Op x = In(&b, "s32[2] {1,2}");
  ExpectResult(b, AddInstruction(&b, Opcode::kCopy, {x}), "s32[2] {1,2}");
  Builder c("asynchronous");
  const Op start = AddInstruction(&c, Opcode::kCopyStart, {Given(&c, 0, {2})}, {},
                                  ShapeFrom("(f32[2], f32[2], u32[])"));
  const Op done = AddInstruction(&c, Opcode::kCopyDone, {start}, {}, ShapeFrom("f32[2]"));
  ExpectBuilds(c, done, "f32[2]", {"copy-start(", "copy-done("});
}

SEED_EXAMPLE("003", CustomCall) {
  Builder b("main");
  ExpectBuilds(b, CustomCall(&b, "target", {Given(&b, 0, {2})}, Shape(kF32, {3}), true), "f32[3]",
               {"custom_call_target=\"target\"", "custom_call_has_side_effect=true"});
}

SEED_EXAMPLE("003", Domain) {
  Builder b("main");
  const auto sharding = std::make_shared<const DomainSharding>();
  const Attributes::Entry attributes[] = {{Attr::kDomain, sharding}};
  const Op root = AddInstruction(&b, Opcode::kDomain, {Given(&b, 0, {2})}, attributes);
  ExpectBuilds(b, root, "f32[2]", {"domain(", "kind=\"sharding\""});
}

SEED_EXAMPLE("003", ScaledDot) {
  Builder b("main");
  const ElementType f8 = ElementType::kF8E4M3FN;
  const Op lhs = Given(&b, 0, {4, 64}, f8), rhs = Given(&b, 1, {64, 8}, f8);
  const Op lhs_scale = Given(&b, 2, {4, 2}, ElementType::kF8E8M0FNU);
  const Op rhs_scale = Given(&b, 3, {2, 8}, ElementType::kF8E8M0FNU);
  const DotDimensionNumbers numbers = {.lhs_contracting_dimensions = {1},
                                       .rhs_contracting_dimensions = {0},
                                       .lhs_batch_dimensions = {},
                                       .rhs_batch_dimensions = {}};
  ExpectBuilds(b, ScaledDot(lhs, lhs_scale, rhs, rhs_scale, numbers, {}, kF32), "f32[4,8]",
               {"scaled-dot(%p0, %p1, %p2, %p3)"});
}
SEED_EXAMPLE("003", RaggedDot) {
  Builder b("main");
  const Op lhs = Given(&b, 0, {11, 5}), rhs = Given(&b, 1, {3, 5, 7}),
           sizes = Given(&b, 2, {3}, kS32);
  const RaggedDotDimensionNumbers numbers = {
      .dot_dimension_numbers = {.lhs_contracting_dimensions = {1},
                                .rhs_contracting_dimensions = {1},
                                .lhs_batch_dimensions = {},
                                .rhs_batch_dimensions = {}},
      .lhs_ragged_dimensions = {0},
      .rhs_group_dimensions = {0}};
  ExpectBuilds(b, RaggedDot(lhs, rhs, sizes, numbers), "f32[11,7]", {"ragged-dot("});
}

SEED_EXAMPLE("003", DynamicReshape) {
  Builder b("main");
  const Op x = Given(&b, 0, {2, 6});
  const Op rows = In(&b, "s32[] 4"), columns = In(&b, "s32[] 2");
  ExpectBuilds(b, DynamicReshape(x, {rows, columns}, {4, 3}, {false, true}), "f32[4,<=3]",
               {"dynamic-reshape("});
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
SEED_EXAMPLE("003", Fft_multidimensional) {
  Builder b("main");
  ExpectBuilds(b, Fft(Given(&b, 0, {2, 4, 8}), FftType::kRfft, {4, 8}), "c64[2,4,5]",
               {"fft_length={4,8}"});
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
  ExpectBuilds(b, GetDimensionSize(Given(&b, 0, {2, 3}), 1), "s32[]",
               {"get-dimension-size(", "dimensions={1}"});
}

SEED_EXAMPLE("003", Outfeed) {
  Builder b("main");
  const Shape shape(kF32, {2});
  ExpectBuilds(b, Outfeed(Given(&b, 0, {2}), shape, "there"), "token[]",
               {"outfeed(", "outfeed_shape=f32[2]", "outfeed_config=\"there\""});
}

SEED_EXAMPLE("003", PartitionID) {
  Builder b("main");
  ExpectBuilds(b, PartitionID(&b, Shape::Scalar(kU32)), "u32[]", {"partition-id()"});
}
SEED_EXAMPLE("003", ReplicaId) {
  Builder b("main");
  ExpectBuilds(b, ReplicaId(&b), "u32[]", {"replica-id()"});
}

SEED_EXAMPLE("003 004", Recv) {
  Builder b("main");
  ExpectBuilds(b, Recv(&b, Shape(kF32, {3}), ChannelHandle{5}), "f32[3]",
               {"recv(", "recv-done(", "channel_id=5"});
}
SEED_EXAMPLE("003 004", RecvDone) {
  Builder b("main");
  const Op context = RecvStart(CreateToken(&b), Shape(kF32, {3}), 5);
  EXPECT_EQ(context.shape()->ToString(), "(f32[3], u32[], token[])");
  ExpectBuilds(b, RecvDone(context), "(f32[3], token[])", {"recv-done(", "channel_id=5"});
}
SEED_EXAMPLE("003 004", Send) {
  Builder b("main");
  ExpectBuilds(b, Send(Given(&b, 0, {3}), ChannelHandle{5}), "token[]",
               {"send(", "send-done(", "channel_id=5"});
}
SEED_EXAMPLE("003 004", SendDone) {
  Builder b("main");
  const Op context = SendStart(Given(&b, 0, {3}), CreateToken(&b), 5);
  EXPECT_EQ(context.shape()->ToString(), "(f32[3], u32[], token[])");
  ExpectBuilds(b, SendDone(context), "token[]", {"send-done("});
}
// Recv before Send before RecvDone; each start before its own end.
SEED_EXAMPLE("003 004", SchedulingOfChannelInstructions) {
  Builder b("main");
  const Op x = Given(&b, 0, {3});
  const Op recv = RecvStart(CreateToken(&b), Shape(kF32, {3}), 1);
  const Op send = SendStart(x, CreateToken(&b), 2);
  const Op sent = SendDone(send);
  const Op received = GetTupleElement(RecvDone(recv), 0);
  absl::StatusOr<std::unique_ptr<Module>> module = b.Build(Tuple({received, sent}));
  ASSERT_TRUE(module.ok()) << module.status();
  std::vector<Opcode> order;
  for (const auto& instruction : (*module)->entry()->instructions()) {
    if (instruction->info().family == Family::kHost) order.push_back(instruction->opcode());
  }
  EXPECT_EQ(order, (std::vector<Opcode>{Opcode::kRecv, Opcode::kSend, Opcode::kSendDone,
                                        Opcode::kRecvDone}));
}

SEED_EXAMPLE("003", ReduceScatter_example1) {
  Builder b("main");
  const Op root =
      ReduceScatter(Given(&b, 0, {8, 2}), ScalarCallee("sum", kF32, &Add), 0, 4,
                    {{0, 1, 4, 5}, {2, 3, 6, 7}}, 1, std::nullopt, /*use_global_device_ids=*/true);
  ExpectBuilds(b, root, "f32[2,2]",
               {"replica_groups={{0,1,4,5},{2,3,6,7}}", "use_global_device_ids=true"});
}
// [1.0, 2.25] and [3.0, 5.25] give [4.0] and [7.5].
SEED_EXAMPLE("003", ReduceScatter_example2) {
  Builder b("main");
  const Op root = ReduceScatter(Given(&b, 0, {2}), ScalarCallee("sum", kF32, &Add), 0, 2);
  ExpectBuilds(b, root, "f32[1]", {"reduce-scatter(", "dimensions={0}"});
}
SEED_EXAMPLE("003", ReduceScatter_stablehlo_example1) {
  Builder b("main");
  const Op root = ReduceScatter(Given(&b, 0, {2, 4}), ScalarCallee("sum", kF32, &Add), 1, 2);
  ExpectBuilds(b, root, "f32[2,2]", {"dimensions={1}"});
}

SEED_EXAMPLE("003", RngBitGenerator) {
  Builder b("main");
  const Op state = Given(&b, 0, {2}, kU64);
  const Op root = RngBitGenerator(RandomAlgorithm::kThreeFry, state, Shape(kU32, {4}));
  ExpectBuilds(b, root, "(u64[2], u32[4])", {"algorithm=rng_three_fry"});
  Builder c("philox");
  const Op longer = Given(&c, 0, {3}, kU64);
  ExpectBuilds(c, RngBitGenerator(RandomAlgorithm::kPhilox, longer, Shape(kU32, {4})),
               "(u64[3], u32[4])", {"algorithm=rng_philox"});
}
SEED_EXAMPLE("003", RngGetAndUpdateState) {
  Builder b("main");
  const Attributes::Entry attributes[] = {{Attr::kDelta, int64_t{4}}};
  const Op root =
      AddInstruction(&b, Opcode::kRngGetAndUpdateState, {}, attributes, Shape(kU64, {2}));
  ExpectBuilds(b, root, "u64[2]", {"rng-get-and-update-state()", "delta=4"});
}

// f(x, c) -> (y, c') over [a, b, c]: ([y0, y1, y2], c2).
SEED_EXAMPLE("003", Scan_example1) {
  Builder f("running_sum");
  const Op x = Parameter(&f, 0, Shape::Scalar(kF32), "x");
  const Op carry = Parameter(&f, 1, Shape::Scalar(kF32), "carry");
  const Op sum = Add(x, carry);
  const Callee step = f.BuildCallee(Tuple({sum, sum}));
  Builder b("main");
  const Op root = Scan({Given(&b, 0, {3})}, {In(&b, "f32[] 0")}, step, /*scan_dimension=*/0);
  ExpectBuilds(b, root, "(f32[3], f32[])", {"scan(", "dimensions={0}", "num_carries=1"});
}

// The sums of the document are 15, 120 (a product) and 21.
void ExpectSized(const char* size, BinaryFunction function) {
  Builder b("main");
  const Op v = In(&b, "f32[10] {1,2,3,4,5,6,7,8,9,10}");
  const Op padded = SetDimensionSize(v, In(&b, size), /*dimension=*/0);
  EXPECT_EQ(padded.shape()->ToString(), "f32[<=10]");
  const Op root = Reduce(padded, In(&b, "f32[] 0"), ScalarCallee("f", kF32, function), {0});
  ExpectBuilds(b, root, "f32[]", {"set-dimension-size(", "reduce("});
}
SEED_EXAMPLE("003", SetDimensionSize_example1) { ExpectSized("s32[] 5", &Add); }
SEED_EXAMPLE("003", SetDimensionSize_example2) { ExpectSized("s32[] 5", &Mul); }
SEED_EXAMPLE("003", SetDimensionSize_example3) { ExpectSized("s32[] 6", &Add); }

SEED_EXAMPLE("003", TriangularSolve) {
  Builder b("main");
  const Op root =
      TriangularSolve(Given(&b, 0, {3, 3}), Given(&b, 1, {3, 2}), /*left_side=*/true,
                      /*lower=*/true, /*unit_diagonal=*/false, TransposeA::kNoTranspose);
  ExpectBuilds(b, root, "f32[3,2]",
               {"triangular-solve(", "left_side=true", "lower=true", "transpose_a=NO_TRANSPOSE"});
}

}  // namespace
}  // namespace assay
