// Rows with effects: feeds, transfers, random numbers; and custom calls.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "fuzz/programs/sketch.h"
#include "fuzz/programs/writer.h"

namespace assay::fuzz {
namespace {

Instruction* TokenOf(ProgramWriter& w, Instruction* tuple, int64_t index) {
  auto element = w.Start(Opcode::kGetTupleElement, {tuple});
  element->SetAttribute(Attr::kIndex, index);
  return w.AppendAs(std::move(element), Shape::Token());
}

// A state that an operation gives.
Instruction* ComputedState(ProgramWriter& w, Instruction* state) {
  static constexpr Opcode kOnStates[] = {
      Opcode::kAdd,
      Opcode::kSubtract,
      Opcode::kMultiply,
      Opcode::kMulhi,
      Opcode::kDivide,
      Opcode::kRemainder,
      Opcode::kPower,
      Opcode::kMaximum,
      Opcode::kMinimum,
      Opcode::kAnd,
      Opcode::kOr,
      Opcode::kXor,
      Opcode::kShiftLeft,
      Opcode::kShiftRightArithmetic,
      Opcode::kShiftRightLogical,
      Opcode::kNot,
      Opcode::kPopcnt,
      Opcode::kClz,
  };
  const Opcode opcode = w.choices().Of(kOnStates);
  Sketch s(w);
  Instruction* const computed =
      Info(opcode).arity == 1
          ? s.Op(opcode, {state})
          : s.Op(opcode, {state, w.PlainSplat(ElementType::kU64, Sketch::SizesOf(state))});
  return computed != nullptr ? computed : state;
}

}  // namespace

void WriteInfeed(ProgramWriter& w, Opcode opcode) {
  const auto array = [&] {
    const ElementType type = w.AnyType(w.grammar().types());
    return Shape(type, w.AnySizes(0, 3, 64));
  };
  const bool tuple = w.choices().OneIn(3);
  const std::vector<Shape> leaves =
      tuple ? std::vector<Shape>{array(), array()} : std::vector<Shape>{array()};
  const Shape data = tuple ? Shape::Tuple(leaves) : leaves[0];
  // Two items of one shape can be exchanged by mistake.
  for (int64_t items = w.choices().OneIn(3) ? 2 : 1; items > 0; --items) {
    Instruction* const made =
        w.AddHidden(w.Start(opcode, {w.LastToken()}, Shape::Tuple({data, Shape::Token()})));
    if (made == nullptr) return;
    for (const Shape& leaf : leaves) w.AddInfeed(leaf);
    w.SetLastToken(TokenOf(w, made, 1));
    w.Offer(w.ElementOf(made, 0));
  }
}

void WriteOutfeed(ProgramWriter& w, Opcode opcode) {
  Instruction* x = w.ArrayFor(opcode);
  if (w.choices().OneIn(3)) x = w.TupleOf({x, w.ArrayFor(opcode)});
  auto made = w.Start(opcode, {x, w.LastToken()});
  AttributeValue shape;
  Emplace<Shape>(shape) = x->shape();
  made->SetAttribute(Attr::kOutfeedShape, std::move(shape));
  w.SetLastToken(w.AppendAs(std::move(made), Shape::Token()));
}

// A value that a device sends to itself; of several devices each would have to say to whom.
void WriteTransfer(ProgramWriter& w, Opcode opcode) {
  Instruction* const x = w.ArrayFor(opcode);
  if (w.devices() > 1) {
    w.LeaveOut();
    return;
  }
  const int64_t channel = w.NewChannel();
  const Shape shape(x->shape().element_type(), x->shape().dimensions());
  const Shape started = Shape::Tuple({shape, Shape::Scalar(ElementType::kU32), Shape::Token()});
  const auto append = [&](Opcode part, absl::Span<Instruction* const> operands,
                          const Shape& result) {
    auto made = w.Start(part, operands);
    made->SetAttribute(Attr::kChannelId, channel);
    return w.AppendAs(std::move(made), result);
  };
  Instruction* const send = append(Opcode::kSend, {x, w.LastToken()}, started);
  Instruction* const sent = append(Opcode::kSendDone, {send}, Shape::Token());
  Instruction* const receive = append(Opcode::kRecv, {sent}, started);
  Instruction* const received =
      append(Opcode::kRecvDone, {receive}, Shape::Tuple({shape, Shape::Token()}));
  w.SetLastToken(TokenOf(w, received, 1));
  w.ElementOf(received, 0);
}

void WriteRng(ProgramWriter& w, Opcode opcode) {
  const ElementType type = w.AnyType(w.grammar().TypesOf(opcode));
  const bool normal = IsFloat(type) && w.choices().OneIn(2);
  // Not all float types have a zero, nor narrow integers a 2.
  Instruction* const low = w.IntegerConstant(type, {}, {IsFloat(type) ? 1 : 0});
  Instruction* const high = w.IntegerConstant(type, {}, {IsFloat(type) ? 2 : 1});
  auto made = w.Start(opcode, {low, high}, Shape(type, w.AnySizes(0, 3, 64)));
  const auto distribution = normal ? RandomDistribution::kNormal : RandomDistribution::kUniform;
  made->SetAttribute(Attr::kDistribution, static_cast<int64_t>(distribution));
  w.Finish(std::move(made));
}

void WriteRngBitGenerator(ProgramWriter& w, Opcode opcode) {
  static constexpr RandomAlgorithm kAlgorithms[] = {
      RandomAlgorithm::kThreeFry, RandomAlgorithm::kPhilox, RandomAlgorithm::kDefault};
  const RandomAlgorithm algorithm = w.choices().Of(kAlgorithms);
  const int64_t words = algorithm == RandomAlgorithm::kThreeFry || !w.choices().OneIn(2) ? 2 : 3;
  conformance::ProfileUse any;
  any.profile = conformance::ValueProfile::kPatterns;
  any.seed = w.choices().Byte();
  Instruction* state = w.choices().OneIn(2) ? w.ArrayOf(ElementType::kU64, {words})
                                            : w.NewArray(ElementType::kU64, {words}, any);
  if (!w.grammar().names_operations() && w.choices().OneIn(2)) state = ComputedState(w, state);
  std::vector<ElementType> types;
  for (const ElementType type : w.grammar().types()) {
    if (!IsPred(type) && !IsComplex(type)) types.push_back(type);
  }
  if (types.empty()) types.push_back(ElementType::kU32);
  const ElementType type = w.AnyType(types);
  const Shape bits(type, w.AnySizes(0, 3, 128));
  auto made = w.Start(opcode, {state}, Shape::Tuple({state->shape(), bits}));
  made->SetAttribute(Attr::kRngAlgorithm, static_cast<int64_t>(algorithm));
  w.Finish(std::move(made));
}

void WriteRngState(ProgramWriter& w, Opcode opcode) {
  auto made = w.Start(opcode, {});
  made->SetAttribute(Attr::kDelta, w.choices().Below(1000));
  w.Finish(std::move(made));
}

void WriteCustomCall(ProgramWriter& w, Opcode opcode) {
  Instruction* const x = w.ArrayFor(opcode);
  const ElementType type = x->shape().element_type();
  static constexpr Opcode kNamed[] = {Opcode::kAcos, Opcode::kErf, Opcode::kTan, Opcode::kAsinh};
  const Opcode named = w.choices().Of(kNamed);
  const absl::Span<const ElementType> types = LegalTypes(named);
  const bool takes = std::find(types.begin(), types.end(), type) != types.end();
  const bool computes = takes && w.choices().OneIn(2);
  auto made = w.Start(opcode, {x}, x->shape());
  made->SetAttribute(Attr::kCustomCallTarget,
                     computes ? absl::StrCat("mhlo.", Info(named).name) : std::string("Sharding"));
  w.Finish(std::move(made));
}

}  // namespace assay::fuzz
