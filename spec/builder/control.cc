// What these functions demand beyond the rules of the operations that they make (spec/ops). Tests:
// builder_clauses_test.cc.
//   after_all_c1 operands are tokens
//   infeed_builder_c1 the data of an infeed is an array or a tuple of arrays
//   transfer_c1 send-done and recv-done get what a send or recv starts
//   custom_call_c6 a custom call has a target
//   bernoulli_c1 the mean is f32[], the result u32
//   while_2017_c1 in 2017 no while is in another
//   custom_call_2017_c1 in 2017 a custom call has no side effects
//   rng_2017_c1 in 2017 there are uniform numbers of f32, s32 and u32, normal ones of f32
#include "spec/builder/control.h"

#include "absl/container/flat_hash_set.h"
#include "spec/builder/elementwise.h"
#include "spec/builder/lowering_2017.h"

namespace assay {

using builder_internal::Join;
using builder_internal::Maker;

Op Call(const Callee& computation, absl::Span<const Op> operands, CallSite site) {
  return Call(nullptr, computation, operands, site);
}

Op Call(Builder* builder, const Callee& computation, absl::Span<const Op> operands, CallSite site) {
  Maker maker("Call", site, operands, builder);
  Computation* callee = maker.Import(computation);
  return maker.Make(Opcode::kCall, operands, {}, Shape(), {{Attr::kToApply, callee}});
}

Op CompositeCall(const Callee& computation, absl::Span<const Op> operands, std::string name,
                 std::string attributes, int64_t version, CallSite site) {
  Maker maker("CompositeCall", site, operands);
  Computation* callee = maker.Import(computation);
  ASSAY_MAKER_REQUIRE(maker, "call_c3", !name.empty(), "a composite must have a name");
  ASSAY_MAKER_REQUIRE(maker, "call_c4", version >= 0, "the version must not be negative, found ",
                      version);
  const Op call = maker.Make(Opcode::kCall, operands, {}, Shape(), {{Attr::kToApply, callee}});
  if (!maker.ok()) return call;
  Instruction* instruction = maker.instruction(call);
  instruction->SetAttribute(Attr::kIsComposite, true);
  instruction->mutable_annotations().frontend_attributes = {
      {"composite.attributes", std::move(attributes)},
      {"composite.name", std::move(name)},
      {"composite.version", absl::StrCat(version)}};
  return call;
}

namespace {

// Whether a computation is a loop or calls one.
bool HasLoop(const Computation& computation) {
  std::vector<const Computation*> pending = {&computation};
  absl::flat_hash_set<const Computation*> seen = {&computation};
  while (!pending.empty()) {
    const Computation& next = *pending.back();
    pending.pop_back();
    for (const auto& instruction : next.instructions()) {
      if (instruction->opcode() == Opcode::kWhile) return true;
      for (const Computation* callee : instruction->called_computations()) {
        if (seen.insert(callee).second) pending.push_back(callee);
      }
    }
  }
  return false;
}

}  // namespace

Op While(const Callee& condition, const Callee& body, Op init, CallSite site) {
  Maker maker("While", site, {init});
  Computation* test = maker.Import(condition);
  Computation* step = maker.Import(body);
  if (maker.ok() && maker.semantics() == Semantics::k2017) {
    ASSAY_MAKER_REQUIRE(maker, "while_2017_c1", !HasLoop(*test) && !HasLoop(*step),
                        "in 2017 a while may not be nested in another");
  }
  return maker.Make(Opcode::kWhile, {init}, {}, Shape(),
                    {{Attr::kCondition, test}, {Attr::kBody, step}});
}

Op Conditional(Op predicate, Op true_operand, const Callee& true_computation, Op false_operand,
               const Callee& false_computation, CallSite site) {
  Maker maker("Conditional", site, {predicate, true_operand, false_operand});
  Computation* on_true = maker.Import(true_computation);
  Computation* on_false = maker.Import(false_computation);
  return maker.Make(Opcode::kConditional, {predicate, true_operand, false_operand}, {}, Shape(),
                    {{Attr::kTrueComputation, on_true}, {Attr::kFalseComputation, on_false}});
}

Op Conditional(Op branch_index, absl::Span<const Callee> branch_computations,
               absl::Span<const Op> branch_operands, CallSite site) {
  const std::vector<Op> all = Join({{branch_index}, branch_operands});
  Maker maker("Conditional", site, all);
  std::vector<Computation*> branches;
  for (const Callee& callee : branch_computations) branches.push_back(maker.Import(callee));
  return maker.Make(Opcode::kConditional, all, {{Attr::kBranchComputations, branches}});
}

Op Tuple(absl::Span<const Op> elements, CallSite site) { return Tuple(nullptr, elements, site); }

Op Tuple(Builder* builder, absl::Span<const Op> elements, CallSite site) {
  return Maker("Tuple", site, elements, builder).Make(Opcode::kTuple, elements);
}

Op GetTupleElement(Op tuple_data, int64_t index, CallSite site) {
  Maker maker("GetTupleElement", site, {tuple_data});
  return maker.Make(Opcode::kGetTupleElement, {tuple_data}, {{Attr::kIndex, index}});
}

Op CreateToken(Builder* builder, CallSite site) {
  return Maker("CreateToken", site, {}, builder).Make(Opcode::kAfterAll, {});
}

Op AfterAll(absl::Span<const Op> tokens, CallSite site) {
  Maker maker("AfterAll", site, tokens);
  for (const Op& token : tokens) {
    ASSAY_MAKER_REQUIRE(maker, "after_all_c1", maker.ShapeOf(token).is_token(),
                        "operands must be tokens, found ", maker.ShapeOf(token).ToString());
  }
  return maker.Make(Opcode::kAfterAll, tokens);
}

namespace {

Op FeedIn(Maker& maker, const Op& token, const Shape& shape, std::string config) {
  ASSAY_MAKER_REQUIRE(maker, "infeed_builder_c1", IsFlat(shape),
                      "the data of an infeed must be an array or a tuple of arrays, found ",
                      shape.ToString());
  return maker.Make(Opcode::kInfeed, {token}, {{Attr::kInfeedConfig, std::move(config)}},
                    Shape::Tuple({shape, Shape::Token()}));
}

Op TupleElement(Maker& maker, const Op& tuple, int64_t index) {
  return maker.Make(Opcode::kGetTupleElement, {tuple}, {{Attr::kIndex, index}});
}

// The data of (data, token), whose token serves the next transfer.
Op Data(Maker& maker, const Op& pair) {
  maker.SetLastToken(TupleElement(maker, pair, 1));
  return TupleElement(maker, pair, 0);
}

Op FeedOut(Maker& maker, const Op& operand, const Op& token, const Shape& shape,
           std::string config) {
  return maker.Make(Opcode::kOutfeed, {operand, token},
                    {{Attr::kOutfeedShape, shape}, {Attr::kOutfeedConfig, std::move(config)}},
                    Shape::Token());
}

builder_internal::AttributeList Transfer(int64_t channel, bool host) {
  return {{Attr::kChannelId, channel}, {Attr::kIsHostTransfer, host}};
}

Op SendWhole(Maker& maker, const Op& operand, const Op& token, int64_t channel, bool host) {
  const Op context = maker.Make(Opcode::kSend, {operand, token}, Transfer(channel, host));
  return maker.Make(Opcode::kSendDone, {context}, Transfer(channel, host));
}

Op RecvHalf(Maker& maker, const Op& token, const Shape& shape, int64_t channel, bool host) {
  const Shape declared = Shape::Tuple({shape, Shape::Scalar(ElementType::kU32), Shape::Token()});
  return maker.Make(Opcode::kRecv, {token}, Transfer(channel, host), declared);
}

Op RecvWhole(Maker& maker, const Op& token, const Shape& shape, int64_t channel, bool host) {
  const Op context = RecvHalf(maker, token, shape, channel, host);
  return maker.Make(Opcode::kRecvDone, {context}, Transfer(channel, host));
}

}  // namespace

Op Infeed(Builder* builder, const Shape& shape, std::string config, CallSite site) {
  Maker maker("Infeed", site, {}, builder);
  return Data(maker, FeedIn(maker, maker.TokenForTransfer(), shape, std::move(config)));
}

Op InfeedWithToken(Op token, const Shape& shape, std::string config, CallSite site) {
  Maker maker("InfeedWithToken", site, {token});
  return FeedIn(maker, token, shape, std::move(config));
}

Op Outfeed(Op operand, const Shape& shape_with_layout, std::string outfeed_config, CallSite site) {
  Maker maker("Outfeed", site, {operand});
  const Op token = FeedOut(maker, operand, maker.TokenForTransfer(), shape_with_layout,
                           std::move(outfeed_config));
  maker.SetLastToken(token);
  return token;
}

Op OutfeedWithToken(Op operand, Op token, const Shape& shape_with_layout,
                    std::string outfeed_config, CallSite site) {
  Maker maker("OutfeedWithToken", site, {operand, token});
  return FeedOut(maker, operand, token, shape_with_layout, std::move(outfeed_config));
}

Op Send(Op operand, ChannelHandle handle, CallSite site) {
  Maker maker("Send", site, {operand});
  const Op token = SendWhole(maker, operand, maker.TokenForTransfer(), handle.handle, false);
  maker.SetLastToken(token);
  return token;
}

Op SendWithToken(Op operand, Op token, ChannelHandle handle, CallSite site) {
  Maker maker("SendWithToken", site, {operand, token});
  return SendWhole(maker, operand, token, handle.handle, false);
}

Op SendWithTokens(Op operand, Op token, ChannelHandle handle, CallSite site) {
  return SendWithToken(operand, token, handle, site);
}

Op SendToHost(Op operand, Op token, ChannelHandle handle, CallSite site) {
  Maker maker("SendToHost", site, {operand, token});
  return SendWhole(maker, operand, token, handle.handle, true);
}

Op Recv(Builder* builder, const Shape& shape, ChannelHandle handle, CallSite site) {
  Maker maker("Recv", site, {}, builder);
  return Data(maker, RecvWhole(maker, maker.TokenForTransfer(), shape, handle.handle, false));
}

Op RecvWithToken(Op token, const Shape& shape, ChannelHandle handle, CallSite site) {
  Maker maker("RecvWithToken", site, {token});
  return RecvWhole(maker, token, shape, handle.handle, false);
}

Op RecvWithTokens(Op token, const Shape& shape, ChannelHandle handle, CallSite site) {
  return RecvWithToken(token, shape, handle, site);
}

Op RecvToHost(Op token, const Shape& shape, ChannelHandle handle, CallSite site) {
  return RecvFromHost(token, shape, handle, site);
}

Op RecvFromHost(Op token, const Shape& shape, ChannelHandle handle, CallSite site) {
  Maker maker("RecvFromHost", site, {token});
  return RecvWhole(maker, token, shape, handle.handle, true);
}

Op SendStart(Op operand, Op token, int64_t channel_id, CallSite site) {
  Maker maker("SendStart", site, {operand, token});
  return maker.Make(Opcode::kSend, {operand, token}, Transfer(channel_id, false));
}

Op RecvStart(Op token, const Shape& shape, int64_t channel_id, CallSite site) {
  Maker maker("RecvStart", site, {token});
  return RecvHalf(maker, token, shape, channel_id, false);
}

namespace {

// The end of a start, on its channel.
Op Done(absl::string_view function, Opcode start, Opcode done, const Op& context, CallSite site) {
  Maker maker(function, site, {context});
  if (!maker.ok()) return maker.Wrap(nullptr);
  const Instruction& begun = *maker.instruction(context);
  ASSAY_MAKER_REQUIRE(maker, "transfer_c1", begun.opcode() == start, "the operand must be a ",
                      Name(start), ", found ", begun.Describe());
  return maker.Make(done, {context}, Transfer(begun.GetInt(Attr::kChannelId), false));
}

}  // namespace

Op SendDone(Op context, CallSite site) {
  return Done("SendDone", Opcode::kSend, Opcode::kSendDone, context, site);
}

Op RecvDone(Op context, CallSite site) {
  return Done("RecvDone", Opcode::kRecv, Opcode::kRecvDone, context, site);
}

Op CustomCall(Builder* builder, std::string target_name, absl::Span<const Op> args,
              const Shape& shape, bool has_side_effect, CallSite site) {
  Maker maker("CustomCall", site, args, builder);
  ASSAY_MAKER_REQUIRE(maker, "custom_call_c6", !target_name.empty(), "there must be a target");
  ASSAY_MAKER_REQUIRE(maker, "custom_call_2017_c1",
                      maker.semantics() == Semantics::kToday || !has_side_effect,
                      "in 2017 a custom call has no side effects");
  return maker.Make(Opcode::kCustomCall, args,
                    {{Attr::kCustomCallTarget, std::move(target_name)},
                     {Attr::kCustomCallHasSideEffect, has_side_effect}},
                    shape);
}

Op CustomCall(std::string target_name, absl::Span<const Op> args, const Shape& shape,
              CallSite site) {
  return CustomCall(nullptr, std::move(target_name), args, shape, false, site);
}

namespace {

Op Draw(Maker& maker, RandomDistribution distribution, const Op& a, const Op& b,
        const Shape& shape) {
  if (!maker.ok()) return maker.Wrap(nullptr);
  ASSAY_MAKER_REQUIRE(maker, "rng_2017_c1",
                      maker.semantics() == Semantics::kToday ||
                          builder_internal::Rng2017Takes(distribution, shape.element_type()),
                      "in 2017 there were no such random numbers of ", Name(shape.element_type()));
  return maker.Make(Opcode::kRng, {a, b},
                    {{Attr::kDistribution, static_cast<int64_t>(distribution)}}, shape);
}

}  // namespace

Op RngNormal(Op mu, Op sigma, const Shape& shape, CallSite site) {
  Maker maker("RngNormal", site, {mu, sigma});
  return Draw(maker, RandomDistribution::kNormal, mu, sigma, shape);
}

Op RngUniform(Op a, Op b, const Shape& shape, CallSite site) {
  Maker maker("RngUniform", site, {a, b});
  return Draw(maker, RandomDistribution::kUniform, a, b, shape);
}

Op RngBernoulli(Op mean, const Shape& shape, CallSite site) {
  Maker maker("RngBernoulli", site, {mean});
  if (!maker.ok()) return maker.Wrap(nullptr);
  const Shape& given = maker.ShapeOf(mean);
  ASSAY_MAKER_REQUIRE(maker, "bernoulli_c1",
                      given.is_scalar() && given.element_type() == ElementType::kF32 &&
                          shape.element_type() == ElementType::kU32,
                      "the mean must be f32[] and the result of u32, found ", given.ToString(),
                      " and ", shape.ToString());
  Shape drawn = shape;
  drawn.set_element_type(ElementType::kF32);
  const Op zero = maker.Constant(ElementType::kF32, 0);
  const Op one = maker.Constant(ElementType::kF32, 1);
  const Op uniform = Draw(maker, RandomDistribution::kUniform, zero, one, drawn);
  return ConvertElementType(Lt(uniform, mean, {}, site), ElementType::kU32, site);
}

Op RngBitGenerator(RandomAlgorithm algorithm, Op initial_state, const Shape& shape, CallSite site) {
  Maker maker("RngBitGenerator", site, {initial_state});
  return maker.Make(Opcode::kRngBitGenerator, {initial_state},
                    {{Attr::kRngAlgorithm, static_cast<int64_t>(algorithm)}},
                    Shape::Tuple({maker.ShapeOf(initial_state), shape}));
}

}  // namespace assay
