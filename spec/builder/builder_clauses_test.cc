// A pair of calls for each clause that the Builder itself demands: one that it accepts, and one
// that differs as little as possible and is refused with the clause. docs/clauses.md lists them.
// Expected values: the clauses of the documents (reference ops_structural.md 3, 15;
// ops_control_and_collectives.md 15).
#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/builder/functions.h"
#include "spec/text/parser.h"

namespace assay {
namespace {

using enum ElementType;

// A builder that makes parameters of the shapes that it is called with.
class B {
 public:
  explicit B(Semantics semantics) : builder_("test", semantics) {}

  Op operator()(absl::string_view shape) {
    const absl::StatusOr<Shape> parsed = ParseShape(shape);
    EXPECT_TRUE(parsed.ok()) << parsed.status();
    return Parameter(&builder_, next_++, *parsed, "");
  }
  Builder* get() { return &builder_; }

  // Operations as they should not be.
  Op Elsewhere() { return Parameter(other_.get(), 0, Shape(kF32, {2}), ""); }
  Op Spent() {
    const Op op = (*this)("f32[2]");
    EXPECT_TRUE(builder_.Build(op).ok());
    return op;
  }
  // What makes the test build without naming a root.
  Op Nothing() {
    rootless_ = true;
    return Op();
  }

  absl::Status Build(const Op& root) {
    return rootless_ ? builder_.Build().status() : builder_.Build(root).status();
  }

 private:
  Builder builder_;
  std::unique_ptr<Builder> other_ = std::make_unique<Builder>("other");
  int64_t next_ = 0;
  bool rootless_ = false;
};

Callee Of(Op (*make)(const Op& a, const Op& b)) {
  Builder builder("callee");
  const Op a = Parameter(&builder, 0, Shape(kF32, {}), "a");
  const Op b = Parameter(&builder, 1, Shape(kF32, {}), "b");
  return builder.BuildCallee(make(a, b));
}
Callee Sum() {
  return Of([](const Op& a, const Op& b) { return Add(a, b); });
}
Callee Largest() {
  return Of([](const Op& a, const Op& b) { return Max(a, b); });
}

// A condition and two bodies on f32[]; the second has a loop inside.
Callee Never() {
  Builder builder("never");
  const Op a = Parameter(&builder, 0, Shape(kF32, {}), "a");
  return builder.BuildCallee(Lt(a, a));
}
Callee Step() {
  Builder builder("step");
  return builder.BuildCallee(Neg(Parameter(&builder, 0, Shape(kF32, {}), "a")));
}
Callee Loop() {
  Builder builder("loop");
  return builder.BuildCallee(While(Never(), Step(), Parameter(&builder, 0, Shape(kF32, {}), "a")));
}

ConvolutionDimensions Numbers(int64_t kernel_spatial) {
  ConvolutionDimensions numbers;
  numbers.input_feature = numbers.kernel_output_feature = numbers.output_feature = 1;
  numbers.input_spatial = numbers.output_spatial = {2};
  numbers.kernel_spatial = {kernel_spatial};
  return numbers;
}

// Two infeeds: the second takes the token of the first, or the same token.
Op TwoInfeeds(B& b, bool ordered) {
  const Op now = b("token[]");
  const Op first = InfeedWithToken(now, Shape(kF32, {2}));
  return InfeedWithToken(ordered ? GetTupleElement(first, 1) : now, Shape(kF32, {2}));
}
// One context of a send, ended once or twice.
Op Ended(B& b, bool twice) {
  const Op context = SendStart(b("f32[2]"), b("token[]"), 1);
  const Op sent = SendDone(context);
  return twice ? SendDone(context) : sent;
}

Attributes::Entry With(Attr attr, AttributeValue value) { return {attr, std::move(value)}; }

struct Pair {
  const char* clause;
  Op (*accepted)(B& b);
  Op (*refused)(B& b);
  Semantics semantics = Semantics::kToday;
};

// One statement a call, so that tools/checks/clauses_check.py can show it.
const Pair kPairs[] = {
    {"builder_c1", [](B& b) { return Neg(b("f32[2]")); }, [](B& b) { return Neg(b.Spent()); }},
    {"builder_c2", [](B& b) { return Neg(b("f32[2]")); },
     [](B& b) { return Add(b("f32[2]"), Op()); }},
    {"builder_c3", [](B& b) { return Neg(b("f32[2]")); },
     [](B& b) { return Add(b("f32[2]"), b.Elsewhere()); }},
    {"builder_c4",
     [](B& b) {
       return AddInstruction(b.get(), Opcode::kReverse, {b("f32[2]")},
                             {With(Attr::kDimensions, std::vector<int64_t>{0})});
     },
     [](B& b) {
       return AddInstruction(b.get(), Opcode::kNegate, {b("f32[2]")},
                             {With(Attr::kDimensions, std::vector<int64_t>{0})});
     }},
    {"builder_c5", [](B& b) { return b("f32[2]"); }, [](B& b) { return b.Nothing(); }},
    {"builder_c6", [](B& b) { return Parameter(b.get(), 0, Shape(kF32, {2}), "p"); },
     [](B& b) { return Parameter(b.get(), 1, Shape(kF32, {2}), "p"); }},
    {"builder_c7", [](B& b) { return AddInstruction(b.get(), Opcode::kAfterAll, {}); },
     [](B& b) { return AddInstruction(b.get(), Opcode::kParameter, {}); }},
    {"builder_c8",
     [](B& b) {
       return Call(b.get(), Sum(), {b("f32[]"), b("f32[]")});
     },
     [](B& b) {
       return Call(b.get(), Callee(), {b("f32[]"), b("f32[]")});
     }},
    {"builder_c9",
     [](B& b) {
       return AddInstruction(b.get(), Opcode::kReverse, {b("f32[2]")},
                             {With(Attr::kDimensions, std::vector<int64_t>{0})});
     },
     [](B& b) {
       return AddInstruction(b.get(), Opcode::kReverse, {b("f32[2]")},
                             {With(Attr::kDimensions, int64_t{0})});
     }},
    {"implicit_broadcast_c1",
     [](B& b) {
       return Add(b("f32[2,3]"), b("f32[2,3]"), {0, 1});
     },
     [](B& b) {
       return Add(b("f32[2,3]"), b("f32[2,3]"), {1, 0});
     }},
    {"implicit_broadcast_c2", [](B& b) { return Add(b("f32[2,3]"), b("f32[3]"), {1}); },
     [](B& b) { return Add(b("f32[2,3]"), b("f32[3]"), {}); }},
    {"implicit_broadcast_c3", [](B& b) { return Add(b("f32[2,3]"), b("f32[3]"), {1}); },
     [](B& b) { return Add(b("f32[2,3]"), b("f32[3]"), {2}); }},
    {"implicit_broadcast_c3",
     [](B& b) {
       return Add(b("f32[2,2,2]"), b("f32[2,2]"), {0, 2});
     },
     [](B& b) {
       return Add(b("f32[2,2,2]"), b("f32[2,2]"), {2, 0});
     }},
    {"implicit_broadcast_c4", [](B& b) { return Add(b("f32[2,3]"), b("f32[3]"), {1}); },
     [](B& b) { return Add(b("f32[2,3]"), b("f32[3]"), {0}); }},
    {"constant_r0_c1", [](B& b) { return ConstantR0(b.get(), kF32, 1); },
     [](B& b) { return ConstantR0(b.get(), kToken, 1); }},
    {"constant_r0_c2", [](B& b) { return ConstantR0(b.get(), kS32, 1); },
     [](B& b) { return ConstantR0(b.get(), kS32, 1e30); }},
    {"broadcast_in_dim_c1",
     [](B& b) {
       return BroadcastInDim(b("f32[4]"), {4, 5}, {0});
     },
     [](B& b) {
       return BroadcastInDim(b("f32[4]"), {4, 5}, {});
     }},
    {"broadcast_in_dim_c2",
     [](B& b) {
       return BroadcastInDim(b("f32[4,4]"), {4, 4}, {0, 1});
     },
     [](B& b) {
       return BroadcastInDim(b("f32[4,4]"), {4, 4}, {1, 0});
     }},
    {"broadcast_in_dim_c3", [](B& b) { return BroadcastInDim(b("f32[1]"), {4}, {0}); },
     [](B& b) { return BroadcastInDim(b("f32[3]"), {4}, {0}); }},
    {"reshape_c3",
     [](B& b) {
       return Reshape(b("f32[2,2]"), {1, 0}, {4});
     },
     [](B& b) {
       return Reshape(b("f32[2,2]"), {0, 0}, {4});
     }},
    {"reshape_c4", [](B& b) { return Reshape(Shape(kF32, {4}), b("f32[2,2]")); },
     [](B& b) { return Reshape(Shape(kBF16, {4}), b("f32[2,2]")); }},
    {"dynamic_reshape_c5",
     [](B& b) { return DynamicReshape(b("f32[6]"), {b("s32[]")}, {6}, {true}); },
     [](B& b) {
       return DynamicReshape(b("f32[6]"), {b("s32[]")}, {6}, {true, false});
     }},
    {"collapse_c1",
     [](B& b) {
       return Collapse(b("f32[2,3,4]"), {1, 2});
     },
     [](B& b) {
       return Collapse(b("f32[2,3,4]"), {0, 2});
     }},
    {"collapse_c2",
     [](B& b) {
       return Collapse(b("s8[0,4294967296,4]"), {1, 2});
     },
     [](B& b) {
       return Collapse(b("s8[0,4294967296,4294967296]"), {1, 2});
     }},
    {"pad_in_dim_c1", [](B& b) { return PadInDim(b("f32[2]"), b("f32[]"), 0, 1, 1); },
     [](B& b) { return PadInDim(b("f32[2]"), b("f32[]"), 1, 1, 1); }},
    {"slice_c7",
     [](B& b) {
       return Slice(b("f32[4,4]"), {0, 0}, {1, 1});
     },
     [](B& b) {
       return Slice(b("f32[4,4]"), {0, 0}, {1});
     }},
    {"slice_in_dim_c1", [](B& b) { return SliceInDim(b("f32[4]"), 0, 2, 1, 0); },
     [](B& b) { return SliceInDim(b("f32[4]"), 0, 2, 1, 1); }},
    {"slice_2017_c1", [](B& b) { return Slice(b("f32[4]"), {1}, {2}); },
     [](B& b) { return Slice(b("f32[4]"), {1}, {1}); }, Semantics::k2017},
    {"all_gather_c1", [](B& b) { return AllGather(b("f32[4]"), 0, 2); },
     [](B& b) { return AllGather(b("f32[4]"), 1, 2); }},
    {"builder_group_c1",
     [](B& b) {
       return AllReduce(b("f32[4]"), Sum(), {{0, 1}, {2}});
     },
     [](B& b) {
       return AllReduce(b("f32[4]"), Sum(), {{0, 1}, {1}});
     }},
    {"builder_group_c1",
     [](B& b) {
       return CollectiveBroadcast(b("f32[4]"), {{0, 1}});
     },
     [](B& b) {
       return CollectiveBroadcast(b("f32[4]"), {{0, -1}});
     }},
    {"builder_group_c1",
     [](B& b) {
       return CrossReplicaSum(b("f32[4]"), {{0, 1}});
     },
     [](B& b) {
       return CrossReplicaSum(b("f32[4]"), {{0, 1}, {}});
     }},
    {"builder_group_c2",
     [](B& b) {
       return AllGather(b("f32[4]"), 0, 2, {{0, 1}});
     },
     [](B& b) {
       return AllGather(b("f32[4]"), 0, 4, {{0, 1}});
     }},
    {"builder_group_c2",
     [](B& b) {
       return AllToAll(b("f32[4]"), 0, 0, 2, {{0, 2}, {1, 3}});
     },
     [](B& b) {
       return AllToAll(b("f32[4]"), 0, 0, 4, {{0, 2}, {1, 3}});
     }},
    {"builder_group_c2",
     [](B& b) {
       return ReduceScatter(b("f32[4]"), Sum(), 0, 2, {{0, 1}});
     },
     [](B& b) {
       return ReduceScatter(b("f32[4]"), Sum(), 0, 4, {{0, 1}});
     }},
    {"reduced_tuple_c1", [](B& b) { return AllReduce(b("(f32[4], f32[])"), Sum()); },
     [](B& b) { return AllReduce(b("(f32[4], s32[])"), Sum()); }},
    {"reduced_tuple_c1", [](B& b) { return CrossReplicaSum(b("(f32[4])")); },
     [](B& b) { return CrossReplicaSum(b("()")); }},
    {"reduced_tuple_c1", [](B& b) { return ReduceScatter(b("(f32[4])"), Sum(), 0, 2); },
     [](B& b) { return ReduceScatter(b("((f32[4]))"), Sum(), 0, 2); }},
    {"layout_c1",
     [](B& b) { return AllReduce(b("f32[4]"), Sum(), {}, std::nullopt, Shape(kF32, {4})); },
     [](B& b) { return AllReduce(b("f32[4]"), Sum(), {}, std::nullopt, Shape(kF32, {5})); }},
    {"cross_replica_sum_2017_c1", [](B& b) { return CrossReplicaSum(b("f32[4]")); },
     [](B& b) {
       return CrossReplicaSum(b("f32[4]"), {{0, 1}});
     },
     Semantics::k2017},
    {"all_to_all_c3", [](B& b) { return AllToAll(b("f32[4]"), 0, 0, 2); },
     [](B& b) { return AllToAll(b("f32[4]"), 0, 0, 3); }},
    {"reduce_scatter_c1", [](B& b) { return ReduceScatter(b("f32[4]"), Sum(), 0, 2); },
     [](B& b) { return ReduceScatter(b("f32[4]"), Sum(), 0, 3); }},
    {"partition_id_c1", [](B& b) { return PartitionID(b.get(), Shape(kU32, {})); },
     [](B& b) { return PartitionID(b.get(), Shape(kS32, {})); }},
    {"after_all_c1", [](B& b) { return AfterAll({b("token[]")}); },
     [](B& b) { return AfterAll({b("f32[]")}); }},
    {"transfer_c1", [](B& b) { return SendDone(SendStart(b("f32[2]"), b("token[]"), 1)); },
     [](B& b) { return SendDone(RecvStart(b("token[]"), Shape(kF32, {2}), 1)); }},
    {"transfer_c2", [](B& b) { return Ended(b, false); }, [](B& b) { return Ended(b, true); }},
    {"transfer_c2", [](B& b) { return RecvDone(RecvStart(b("token[]"), Shape(kF32, {2}), 1)); },
     [](B& b) { return GetTupleElement(RecvStart(b("token[]"), Shape(kF32, {2}), 1), 0); }},
    {"infeed_builder_c1", [](B& b) { return Infeed(b.get(), Shape::Tuple({Shape(kF32, {2})})); },
     [](B& b) { return Infeed(b.get(), Shape::Tuple({Shape::Tuple({Shape(kF32, {2})})})); }},
    {"infeed_2017_c1", [](B& b) { return TwoInfeeds(b, true); },
     [](B& b) { return TwoInfeeds(b, false); }, Semantics::k2017},
    {"custom_call_c6", [](B& b) { return CustomCall(b.get(), "target", {}, Shape(kF32, {2})); },
     [](B& b) { return CustomCall(b.get(), "", {}, Shape(kF32, {2})); }},
    {"bernoulli_c1", [](B& b) { return RngBernoulli(b("f32[]"), Shape(kU32, {2})); },
     [](B& b) { return RngBernoulli(b("f64[]"), Shape(kU32, {2})); }},
    {"while_2017_c1", [](B& b) { return While(Never(), Step(), b("f32[]")); },
     [](B& b) { return While(Never(), Loop(), b("f32[]")); }, Semantics::k2017},
    {"custom_call_2017_c1",
     [](B& b) { return CustomCall(b.get(), "target", {}, Shape(kF32, {2}), false); },
     [](B& b) { return CustomCall(b.get(), "target", {}, Shape(kF32, {2}), true); },
     Semantics::k2017},
    {"rng_2017_c1", [](B& b) { return RngUniform(b("s32[]"), b("s32[]"), Shape(kS32, {2})); },
     [](B& b) { return RngUniform(b("s64[]"), b("s64[]"), Shape(kS64, {2})); }, Semantics::k2017},
    {"logical_c1", [](B& b) { return LogicalAnd(b("pred[2]"), b("pred[2]")); },
     [](B& b) { return LogicalAnd(b("f32[2]"), b("f32[2]")); }},
    {"select_c6", [](B& b) { return Select(b("pred[]"), b("(f32[2])"), b("(f32[2])")); },
     [](B& b) { return Select(b("pred[2]"), b("(f32[2])"), b("(f32[2])")); }},
    {"select_2017_c1", [](B& b) { return Select(b("pred[2]"), b("f32[2]"), b("f32[2]")); },
     [](B& b) { return Select(b("pred[2]"), b("f32[2]"), b("f32[]")); }, Semantics::k2017},
    {"dot_2017_c1", [](B& b) { return Dot(b("f32[2,3]"), b("f32[3]")); },
     [](B& b) { return Dot(b("f32[2,3]"), b("bf16[3]")); }, Semantics::k2017},
    {"dot_builder_c1", [](B& b) { return Dot(b("f32[2,3]"), b("f32[3]")); },
     [](B& b) { return Dot(b("f32[2,2,3]"), b("f32[3]")); }},
    {"conv_builder_c1",
     [](B& b) {
       return ConvGeneral(b("f32[1,1,3]"), b("f32[1,1,3]"), {1}, {{0, 0}}, Numbers(2));
     },
     [](B& b) {
       return ConvGeneral(b("f32[1,1,3]"), b("f32[1,1,3]"), {1}, {{0, 0}}, Numbers(7));
     }},
    {"windows_c1",
     [](B& b) {
       return ReduceWindow(b("f32[4,4]"), b("f32[]"), Largest(), {2, 2}, {1, 1}, Padding::kValid);
     },
     [](B& b) {
       return ReduceWindow(b("f32[4,4]"), b("f32[]"), Largest(), {2, 2}, {1}, Padding::kValid);
     }},
    {"dynamic_slice_2017_c1", [](B& b) { return DynamicSlice(b("f32[4]"), {b("s32[]")}, {1}); },
     [](B& b) { return DynamicSlice(b("f32[4]"), {b("s32[]")}, {0}); }, Semantics::k2017},
    {"dynamic_update_slice_2017_c1",
     [](B& b) { return DynamicUpdateSlice(b("f32[4]"), b("f32[1]"), {b("s32[]")}); },
     [](B& b) { return DynamicUpdateSlice(b("f32[4]"), b("f32[0]"), {b("s32[]")}); },
     Semantics::k2017},
    {"sort_c8", [](B& b) { return Sort(b("f32[4]")); }, [](B& b) { return Sort(b("c64[4]")); },
     Semantics::k2017},
};

absl::Status Built(Op (*make)(B&), Semantics semantics) {
  B b(semantics);
  const Op root = make(b);
  return b.Build(root);
}

TEST(BuilderClauses, EveryPair) {
  for (const Pair& pair : kPairs) {
    SCOPED_TRACE(pair.clause);
    const absl::Status accepted = Built(pair.accepted, pair.semantics);
    EXPECT_TRUE(accepted.ok()) << accepted;
    EXPECT_THAT(std::string(Built(pair.refused, pair.semantics).message()),
                testing::HasSubstr("[" + std::string(pair.clause) + "]"));
  }
}

}  // namespace
}  // namespace assay
