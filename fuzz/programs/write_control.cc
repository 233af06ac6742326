// Rows of calls, loops, branches, fusions, tuples and tokens.
#include <algorithm>

#include "fuzz/programs/writer.h"

namespace assay::fuzz {
namespace {

// Arrays that go into a called computation.
std::vector<Instruction*> Operands(ProgramWriter& w, Opcode opcode, int64_t most) {
  std::vector<Instruction*> operands;
  for (int64_t k = w.Several(1, most, 12); k > 0; --k) {
    // Two of one shape can be exchanged by mistake.
    const bool like = !operands.empty() && w.choices().OneIn(3);
    operands.push_back(like ? w.LikeArray(operands.back()) : w.ArrayFor(opcode));
  }
  return operands;
}

void AddParameters(ProgramWriter& w, absl::Span<Instruction* const> operands) {
  for (const Instruction* operand : operands) w.ComputationParameter(operand->shape());
}

int64_t BodyLength(ProgramWriter& w) { return w.choices().Between(1, 4); }

// How a loop counts: a type, and where it starts, steps and ends.
struct Counter {
  ElementType type;
  int64_t start, step, limit;
  ComparisonDirection direction;
};

// Iterations beyond those that are unrolled or peeled, or counted in a byte.
constexpr int64_t kManyTrips[] = {5, 17, 130, 9, 33, 260, 12, 1030};

// Whether the loop ends within so many iterations, its counter wrapping as that of the type does.
bool EndsWithin(const Counter& c, int64_t most) {
  using enum ComparisonDirection;
  const auto wrapped = [&](int64_t value) {
    const uint64_t bits = EncodeInteger(c.type, static_cast<uint64_t>(value));
    return IsSigned(c.type) ? DecodeSigned(c.type, bits) : static_cast<int64_t>(bits);
  };
  int64_t i = c.start;
  for (; most >= 0; --most) {
    const bool goes_on = c.direction == kLt   ? i < c.limit
                         : c.direction == kLe ? i <= c.limit
                         : c.direction == kGt ? i > c.limit
                                              : i != c.limit;
    if (!goes_on) return true;
    i = wrapped(i + c.step);
  }
  return false;
}

Counter AnyCounter(ProgramWriter& w) {
  using enum ComparisonDirection;
  static constexpr ElementType kTypes[] = {ElementType::kS32, ElementType::kS32, ElementType::kS64,
                                           ElementType::kU32, ElementType::kS8,  ElementType::kU8};
  const ElementType type = w.choices().Of(kTypes);
  const bool narrow = Info(type).bits == 8;
  int64_t trips = w.choices().Below(5);
  if (w.scale() == Scale::kMany && !narrow) trips = w.choices().Of(kManyTrips);
  switch (w.choices().Below(6)) {
    case 5: {  // a counter that may wrap
      const int64_t least = IsSigned(type) ? -128 : 0;
      for (int tries = 0; narrow && tries < 6; ++tries) {
        const Counter wraps = {type, least + w.choices().Below(256), 1 + w.choices().Below(127),
                               least + w.choices().Below(256), w.choices().OneIn(2) ? kNe : kLt};
        const bool wants_it = wraps.start + 2 * wraps.step > least + 255;
        if (wants_it && wraps.start < wraps.limit && EndsWithin(wraps, 12)) return wraps;
      }
      [[fallthrough]];
    }
    case 3:
      if (IsSigned(type)) return {type, trips, -1, 0, kGt};
      return {type, 0, 1, trips, kNe};
    case 4: {  // a step that does not meet the bound, as a rule
      const int64_t step = w.choices().Between(2, 3), start = w.choices().Below(3);
      const int64_t limit = start + step * trips + w.choices().Between(-1, 1);
      return {type, start, step, std::max<int64_t>(limit, 0), w.choices().OneIn(2) ? kLe : kLt};
    }
    case 2:
      return {type, 0, 1, trips, kNe};
    case 1:
      return {type, 0, 1, trips, kLe};
    default:
      return {type, 0, 1, trips, kLt};
  }
}

}  // namespace

void WriteCall(ProgramWriter& w, Opcode opcode) {
  const std::vector<Instruction*> operands = Operands(w, opcode, 3);
  const int64_t length = BodyLength(w);
  w.BeginComputation("called", RowPlace::kComputation);
  AddParameters(w, operands);
  w.WriteRecords(length);
  Computation* const callee = w.EndComputation(w.UnusedValues(/*with_parameters=*/false));
  auto made = w.Start(opcode, operands);
  made->SetAttribute(Attr::kToApply, callee);
  w.Finish(std::move(made));
}

void WriteFusion(ProgramWriter& w, Opcode opcode) {
  const std::vector<Instruction*> operands = Operands(w, opcode, 3);
  const int64_t length = BodyLength(w);
  const int64_t kind = w.choices().Below(4);
  w.BeginComputation("fused", RowPlace::kAnywhere);
  std::vector<Instruction*> parameters;
  for (const Instruction* operand : operands) {
    parameters.push_back(w.ComputationParameter(operand->shape()));
  }
  w.WriteRecords(length);
  w.ElementwiseStep(parameters[0]);
  // A fused computation has nothing that is not used.
  Computation* const callee = w.EndComputation(w.UnusedValues(/*with_parameters=*/true));
  callee->set_is_fusion(true);
  auto made = w.Start(opcode, operands, callee->root()->shape());
  made->SetAttribute(Attr::kKind, kind);
  made->SetAttribute(Attr::kCalls, callee);
  w.Finish(std::move(made));
}

void WriteConditional(ProgramWriter& w, Opcode opcode) {
  const bool by_index = w.choices().OneIn(2);
  const int64_t branches = by_index ? w.Several(1, 3, 12) : 2;
  Instruction* const selector =
      by_index ? w.IndexArray(ElementType::kS32, {}, -1, branches) : w.ScalarOf(ElementType::kPred);
  std::vector<Instruction*> operands = {selector};
  std::vector<Computation*> callees;
  Shape result;
  for (int64_t k = 0; k < branches; ++k) {
    Instruction* const operand = w.ArrayFor(opcode);
    if (k == 0) result = operand->shape();
    operands.push_back(operand);
    const int64_t length = w.choices().Below(3);
    w.BeginComputation("branch", RowPlace::kComputation);
    w.ComputationParameter(operand->shape());
    w.WriteRecords(length);
    callees.push_back(w.EndComputation(w.ResultOf(result)));
  }
  auto made = w.Start(opcode, operands);
  if (!by_index) {  // HLO text has no other form for a pred
    made->SetAttribute(Attr::kTrueComputation, callees[0]);
    made->SetAttribute(Attr::kFalseComputation, callees[1]);
  } else {
    made->SetAttribute(Attr::kBranchComputations, callees);
  }
  w.Finish(std::move(made));
}

void WriteWhile(ProgramWriter& w, Opcode opcode) {
  const Counter counter = AnyCounter(w);
  std::vector<Instruction*> state = Operands(w, opcode, 2);
  state.insert(state.begin(), w.IntegerConstant(counter.type, {}, {counter.start}));
  const int64_t length = BodyLength(w);
  Instruction* const init = w.TupleOf(state);
  w.BeginComputation("body", RowPlace::kComputation);
  Instruction* const before = w.ComputationParameter(init->shape());
  Instruction* const count = w.ElementOf(before, 0);
  w.WriteRecords(length);
  Instruction* const step = w.IntegerConstant(counter.type, {}, {counter.step});
  std::vector<Instruction*> after = {
      w.FinishAs(w.Start(Opcode::kAdd, {count, step}), count->shared_shape())};
  if (after[0] == nullptr) after[0] = count;
  for (size_t k = 1; k < state.size(); ++k) after.push_back(w.ResultOf(state[k]->shape()));
  // Values that change places in each iteration.
  for (size_t k = 2; k < state.size(); ++k) {
    if (!Shape::Compatible(state[k - 1]->shape(), state[k]->shape())) continue;
    if (w.choices().OneIn(3)) after[k] = w.ElementOf(before, static_cast<int64_t>(k) - 1);
  }
  Computation* const body = w.EndComputation(w.TupleOf(after));
  w.BeginComputation("condition", RowPlace::kAnywhere);
  Instruction* const now = w.ElementOf(w.ComputationParameter(init->shape()), 0);
  auto compare =
      w.Start(Opcode::kCompare, {now, w.IntegerConstant(counter.type, {}, {counter.limit})});
  compare->SetAttribute(Attr::kDirection, static_cast<int64_t>(counter.direction));
  Instruction* const goes_on = w.AppendAs(std::move(compare), Shape::Scalar(ElementType::kPred));
  Computation* const condition = w.EndComputation(goes_on);
  auto made = w.Start(opcode, {init});
  made->SetAttribute(Attr::kBody, body);
  made->SetAttribute(Attr::kCondition, condition);
  w.Finish(std::move(made));
}

void WriteTuple(ProgramWriter& w, Opcode opcode) {
  std::vector<Instruction*> elements = Operands(w, opcode, 3);
  if (w.choices().OneIn(3)) elements.push_back(w.TupleOf(elements));
  w.Offer(w.TupleOf(elements));
}

void WriteParameter(ProgramWriter& w, Opcode opcode) {
  const auto array = [&] {
    const ElementType type = w.AnyType(w.grammar().TypesOf(opcode));
    return Shape(type, w.AnySizes(0, 4, w.limits().argument_elements));
  };
  const Shape shape = w.choices().OneIn(4) ? Shape::Tuple({array(), array()}) : array();
  w.NewParameterOf(shape);
}

void WriteOptBarrier(ProgramWriter& w, Opcode opcode) {
  Instruction* const x = w.ArrayFor(opcode);
  if (!w.choices().OneIn(2)) {
    w.FinishAs(w.Start(opcode, {x}), x->shared_shape());
    return;
  }
  Instruction* const tuple = w.TupleOf({x, w.ArrayFor(opcode)});
  w.Add(opcode, {tuple}, tuple->shape());
}

void WriteDomain(ProgramWriter& w, Opcode opcode) {
  auto made = w.Start(opcode, {w.ArrayFor(opcode)});
  made->SetAttribute(Attr::kDomain, std::make_shared<const DomainSharding>());
  w.Finish(std::move(made));
}

void WriteAddDependency(ProgramWriter& w, Opcode opcode) {
  Instruction* const x = w.ArrayFor(opcode);  // of any type, as after-all takes them
  std::vector<Instruction*> waits;
  if (w.choices().OneIn(2)) waits.push_back(w.ArrayFor(opcode));
  Instruction* const token = w.AppendAs(w.Start(Opcode::kAfterAll, waits), Shape::Token());
  w.Add(Opcode::kAddDependency, {x, token});
}

void WriteCopyStart(ProgramWriter& w, Opcode opcode) {
  Instruction* const x = w.ArrayFor(opcode);
  const Shape& shape = x->shape();
  auto start = w.Start(opcode, {x}, Shape::Tuple({shape, shape, Shape::Scalar(ElementType::kU32)}));
  if (w.choices().OneIn(8)) {
    start->SetAttribute(Attr::kCrossProgramPrefetchIndex, w.choices().Below(3));
  }
  Instruction* const started = w.AddHidden(std::move(start));
  if (started != nullptr) w.AddDone(Opcode::kCopyDone, started, shape);
}

void WriteAsyncStart(ProgramWriter& w, Opcode opcode) {
  Instruction* const x = w.ArrayFor(opcode);
  const bool two = w.choices().OneIn(2);
  const Shape shape = x->shape();
  std::vector<Instruction*> operands = {x};
  if (two) operands.push_back(w.LikeArray(x));
  // What is wrapped on the main thread is one instruction on parameters.
  w.BeginComputation("async", RowPlace::kAnywhere);
  std::vector<Instruction*> parameters;
  std::vector<Shape> bound;
  for (const Instruction* operand : operands) {
    bound.push_back(operand->shape());
    parameters.push_back(w.ComputationParameter(operand->shape()));
  }
  auto wrapped = w.Start(two ? Opcode::kAdd : Opcode::kCopy, parameters);
  Computation* const callee = w.EndComputation(w.AppendAs(std::move(wrapped), shape));
  const Shape between =
      Shape::Tuple({Shape::Tuple(bound), shape, Shape::Scalar(ElementType::kS32)});
  auto start = w.Start(opcode, operands, between);
  start->SetAttribute(Attr::kCalls, callee);
  Instruction* value = w.AddHidden(std::move(start));
  if (value == nullptr) return;
  for (int64_t updates = w.choices().Below(3); updates > 0; --updates) {
    value = w.AppendAs(w.Start(Opcode::kAsyncUpdate, {value}), between);
  }
  w.AddDone(Opcode::kAsyncDone, value, shape);
}

}  // namespace assay::fuzz
