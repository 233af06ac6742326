#include "fuzz/programs/variations.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "fuzz/programs/attribute_changes.h"
#include "fuzz/programs/inverses.h"
#include "fuzz/programs/permutation.h"
#include "fuzz/programs/sketch.h"
#include "fuzz/programs/steps.h"

namespace assay::fuzz {
namespace {

using enum Opcode;

constexpr int kTries = 4;

bool SameShape(const Instruction* a, const Instruction* b) {
  return a->shape().is_array() && Shape::Compatible(a->shape(), b->shape());
}

bool Takes(ProgramWriter& w, Opcode opcode, const Instruction* x) {
  const absl::Span<const ElementType> types = w.grammar().TypesOf(opcode);
  return x != nullptr && x->shape().is_array() &&
         std::find(types.begin(), types.end(), x->shape().element_type()) != types.end();
}

// Writes the row of the operation on the value. Returns its instruction, or null.
Instruction* WriteRow(ProgramWriter& w, Opcode opcode, Instruction* value) {
  if (!Takes(w, opcode, value) || !w.MayWrite(opcode)) return nullptr;
  const int64_t before = w.computation().instruction_count();
  w.WriteOn(opcode, value);
  return w.LatestOf(opcode, before);
}

// The array of an instruction, or the first one of its tuple.
Instruction* ArrayOfResult(ProgramWriter& w, Instruction* x) {
  if (x->shape().is_array()) return x;
  for (int64_t i = x->index() + 1; i < w.computation().instruction_count(); ++i) {
    Instruction* const each = w.computation().instruction(i);
    if (each->opcode() == kGetTupleElement && each->operand(0) == x && each->shape().is_array()) {
      return each;
    }
  }
  return nullptr;
}

// --- Near copies: the same operation with one thing changed. ------------------------------------

// Returns true if the operation takes operands of these types: those of the original one, but that
// elementwise operations and movements take others as well.
bool MayTake(const Instruction& x, absl::Span<Instruction* const> operands) {
  const Family family = x.info().family;
  if (family == Family::kElementwise || family == Family::kMovement) return true;
  for (size_t k = 0; k < operands.size(); ++k) {
    const Shape &own = x.operand(static_cast<int64_t>(k))->shape(), &other = operands[k]->shape();
    if (own.is_array() != other.is_array()) return false;
    if (own.is_array() && own.element_type() != other.element_type()) return false;
  }
  return true;
}

// The instruction on other operands, not yet in the computation; null if it does not take them.
std::unique_ptr<Instruction> CopyOn(ProgramWriter& w, const Instruction& x,
                                    absl::Span<Instruction* const> operands) {
  if (!MayTake(x, operands)) return nullptr;
  Shape declared = x.shape();
  if (x.info().family == Family::kElementwise && x.shape().is_array()) {
    const Instruction* widest = operands[0];
    for (const Instruction* each : operands) {
      if (each->shape().rank() > widest->shape().rank()) widest = each;
    }
    declared = Shape(x.shape().element_type(), widest->shape().dimensions());
  }
  auto copy = w.Start(x.opcode(), operands, std::move(declared));
  for (const auto& [attr, value] : x.attributes().entries()) copy->SetAttribute(attr, value);
  return copy;
}

Instruction* OtherAttributes(ProgramWriter& w, Instruction* x) {
  for (int tries = 0; tries < 2 * kTries; ++tries) {
    auto copy = CopyOn(w, *x, x->operands());
    if (!ChangeAttribute(w.choices(), copy.get())) continue;
    // Two results of one shape can be taken for one another.
    const bool any_shape = tries >= kTries;
    if (Instruction* const made = w.FinishIfLegal(std::move(copy), any_shape ? nullptr : x)) {
      return made;
    }
  }
  return nullptr;
}

Instruction* OtherComputation(ProgramWriter& w, Instruction* x) {
  auto copy = CopyOn(w, *x, x->operands());
  if (!ChangeComputation(w, copy.get())) return nullptr;
  return w.FinishIfLegal(std::move(copy));
}

Instruction* ExchangedOperands(ProgramWriter& w, Instruction* x) {
  std::vector<Instruction*> operands(x->operands().begin(), x->operands().end());
  const int64_t count = x->operand_count();
  if (count < 2) return nullptr;
  const int64_t first = w.choices().Below(count);
  for (int64_t k = 1; k < count; ++k) {
    const int64_t other = (first + k) % count;
    if (operands[first] == operands[other]) continue;
    if (x->opcode() != kConcatenate && x->opcode() != kDot &&
        !SameShape(operands[first], operands[other])) {
      continue;
    }
    std::swap(operands[first], operands[other]);
    return w.FinishIfLegal(CopyOn(w, *x, operands));
  }
  return nullptr;
}

// One operand is another value of its shape: one number, another operand, or any value.
Instruction* OtherOperand(ProgramWriter& w, Instruction* x) {
  if (x->operand_count() == 0) return nullptr;
  std::vector<Instruction*> operands(x->operands().begin(), x->operands().end());
  Instruction*& operand = w.choices().Of(operands);
  const Shape shape = operand->shape();
  if (!shape.is_array()) return nullptr;
  Instruction* other = nullptr;
  switch (w.choices().Below(3)) {
    case 0:
      other = w.PlainSplat(shape.element_type(), shape.dimensions());
      break;
    case 1: {
      Instruction* const beside = x->operand(w.choices().Below(x->operand_count()));
      if (beside != operand && SameShape(beside, operand)) other = beside;
      break;
    }
    default:
      other = w.LikeArray(operand);
  }
  if (other == nullptr || other == operand) return nullptr;
  operand = other;
  return w.FinishIfLegal(CopyOn(w, *x, operands));
}

Instruction* SameAgain(ProgramWriter& w, Instruction* x) {
  return w.FinishIfLegal(CopyOn(w, *x, x->operands()));
}

// The same on copies of its operands whose elements stand in another order in memory.
Instruction* LaidOut(ProgramWriter& w, Instruction* x) {
  std::vector<Instruction*> operands(x->operands().begin(), x->operands().end());
  bool found = false;
  for (Instruction*& operand : operands) {
    const Shape& shape = operand->shape();
    if (!shape.is_array() || shape.rank() < 2 || !w.choices().OneIn(2)) continue;
    Shape laid_out(shape.element_type(), shape.dimensions());
    Layout layout;
    const std::vector<int64_t> order = Permutation(w.choices(), shape.rank());
    layout.minor_to_major.assign(order.begin(), order.end());
    laid_out.set_layout(std::move(layout));
    Instruction* const copy =
        w.FinishAs(w.Start(kCopy, {operand}, laid_out), std::make_shared<const Shape>(laid_out));
    if (copy == nullptr) continue;
    operand = copy;
    found = true;
  }
  return found ? w.FinishIfLegal(CopyOn(w, *x, operands)) : nullptr;
}

// --- Operations behind the instruction. ---------------------------------------------------------

// Operations that compilers move through others, and those that they move them through.
constexpr Opcode kMoves[] = {kSlice,     kPad,     kConcatenate,        kReverse,
                             kTranspose, kReshape, kBroadcast,          kDynamicSlice,
                             kConvert,   kSelect,  kDynamicUpdateSlice, kGather,
                             kReshape,   kSlice};
constexpr Opcode kTakers[] = {kReduce,   kReduceWindow, kSort,
                              kDot,      kConvolution,  kScatter,
                              kCompare,  kAdd,          kReduce,
                              kMultiply, kMaximum,      kNegate,
                              kAbs,      kConvert,      kReducePrecision,
                              kDot,      kClamp,        kBitcastConvert,
                              kIsFinite, kMinimum,      kSubtract,
                              kScan,     kTopK,         kReal,
                              kImag,     kFft,          kMap,
                              kAnd,      kNot,          kSign,
                              kDivide,   kCopy};

template <size_t kCount>
Instruction* WriteOneOf(ProgramWriter& w, const Opcode (&opcodes)[kCount], Instruction* value) {
  for (int tries = 0; tries < kTries; ++tries) {
    if (Instruction* const made = WriteRow(w, w.choices().Of(opcodes), value)) return made;
  }
  return nullptr;
}

Instruction* OperationBehind(ProgramWriter& w, Instruction* x) {
  Instruction* const value = ArrayOfResult(w, x);
  if (value == nullptr) return nullptr;
  if (w.choices().OneIn(2)) {
    Sketch s(w);
    if (Instruction* const made = WriteAnyStep(s, value)) return made;
  }
  return w.choices().OneIn(2) ? WriteOneOf(w, kMoves, value) : WriteOneOf(w, kTakers, value);
}

// The same operation on its result: with the same attributes and other operands, or anew.
Instruction* Ladder(ProgramWriter& w, Instruction* x) {
  Instruction* const value = ArrayOfResult(w, x);
  if (value == nullptr || x->operand_count() == 0) return nullptr;
  if (w.choices().OneIn(2)) return WriteRow(w, x->opcode(), value);
  std::vector<Instruction*> operands(x->operands().begin(), x->operands().end());
  Instruction*& operand = w.choices().OneIn(4) ? operands.back() : operands.front();
  operand = value;
  auto copy = CopyOn(w, *x, operands);
  if (copy != nullptr && w.choices().OneIn(2)) ChangeAttribute(w.choices(), copy.get());
  return w.FinishIfLegal(std::move(copy));
}

Instruction* Undone(ProgramWriter& w, Instruction* x) {
  Instruction* const back = WriteInverse(w, x);
  if (back == nullptr || !MayVary(*back) || !w.choices().OneIn(3)) return back;
  // Nearly the inverse.
  Instruction* const nearly = OtherAttributes(w, back);
  return nearly == nullptr ? back : nearly;
}

// --- Operations in front of all operands. -------------------------------------------------------

// f(g(a), g(b)) beside f(a, b), and now and then g(f(a, b)).
Instruction* Lifted(ProgramWriter& w, Instruction* x) {
  if (x->operand_count() == 0 || !x->operand(0)->shape().is_array()) return nullptr;
  if (x->HasAttribute(Attr::kUniqueIndices) || x->HasAttribute(Attr::kIndicesAreSorted)) {
    return nullptr;
  }
  const int64_t first = w.choices().Below(x->operand_count());
  Instruction* const a = x->operand(first);
  static constexpr Opcode kSteps[] = {
      kReverse,   kNegate, kTranspose, kSlice,   kReshape,   kConvert,    kPad, kReverse,
      kBroadcast, kAbs,    kNegate,    kAdd,     kMultiply,  kReverse,    kNot, kExp,
      kCopy,      kReduce, kConvert,   kCompare, kTranspose, kConcatenate};
  Instruction* const step = WriteOneOf(w, kSteps, a);
  if (step == nullptr || !MayVary(*step) || !step->shape().is_array()) return nullptr;
  const absl::Span<Instruction* const> taken = step->operands();
  const auto place = std::find(taken.begin(), taken.end(), a) - taken.begin();
  if (place == step->operand_count()) return nullptr;
  const auto lift = [&](Instruction* value) {
    std::vector<Instruction*> operands(taken.begin(), taken.end());
    operands[place] = value;
    return w.FinishIfLegal(CopyOn(w, *step, operands));
  };
  std::vector<Instruction*> operands(x->operands().begin(), x->operands().end());
  for (Instruction*& operand : operands) {
    if (operand == a) {
      operand = step;
    } else if (operand->shape().is_array() && operand->shape().rank() == a->shape().rank()) {
      if (Instruction* const lifted = lift(operand)) operand = lifted;
    }
  }
  Instruction* const made = w.FinishIfLegal(CopyOn(w, *x, operands));
  if (w.choices().OneIn(2) && x->shape().is_array()) lift(x);
  return made;
}

// --- Operations on the instruction and on what it is made of. -----------------------------------

// Two values of one shape as operands of one operation.
Instruction* Joined(ProgramWriter& w, Instruction* a, Instruction* b) {
  static constexpr Opcode kJoins[] = {kSubtract, kMaximum,   kMinimum,  kAdd,     kMultiply,
                                      kDivide,   kCompare,   kAnd,      kOr,      kXor,
                                      kSelect,   kRemainder, kSubtract, kCompare, kConcatenate};
  static constexpr ComparisonDirection kDirections[] = {
      ComparisonDirection::kLt, ComparisonDirection::kGe, ComparisonDirection::kGt,
      ComparisonDirection::kLe, ComparisonDirection::kEq, ComparisonDirection::kNe};
  Sketch s(w);
  if (w.choices().OneIn(2)) std::swap(a, b);
  for (int tries = 0; tries < kTries; ++tries) {
    const Opcode opcode = w.choices().Of(kJoins);
    Instruction* made = nullptr;
    if (opcode == kCompare) {
      made = s.Compare(w.choices().Of(kDirections), a, b);
    } else if (opcode == kSelect) {
      Instruction* const pred = w.ArrayOf(ElementType::kPred, a->shape().dimensions());
      made = s.Select(pred, a, b);
    } else if (opcode == kConcatenate) {
      if (a->shape().rank() > 0) made = s.Concatenate({a, b}, 0);
    } else {
      made = s.Op(opcode, {a, b});
    }
    if (made != nullptr) return made;
  }
  return nullptr;
}

// An operation on the result and an operand, or an operand of an operand.
Instruction* BesideOperands(ProgramWriter& w, Instruction* x) {
  Instruction* const value = ArrayOfResult(w, x);
  if (value == nullptr) return nullptr;
  std::vector<Instruction*> near;
  const auto consider = [&](Instruction* each) {
    if (each != value && SameShape(each, value)) near.push_back(each);
  };
  for (Instruction* operand : x->operands()) {
    consider(operand);
    if (!MayVary(*operand)) continue;  // what is started may only be done
    for (Instruction* inner : operand->operands()) consider(inner);
  }
  // A predicate selects among what it was made of.
  if (x->operand_count() >= 2 && IsPred(value->shape().element_type())) {
    Instruction *const a = x->operand(0), *const b = x->operand(1);
    if (SameShape(a, b) && a->shape().dimensions() == value->shape().dimensions()) {
      Sketch s(w);
      return w.choices().OneIn(2) ? s.Select(value, a, b) : s.Select(value, b, a);
    }
  }
  return near.empty() ? nullptr : Joined(w, value, w.choices().Of(near));
}

// Another operation on the same operands.
Instruction* SharedOperands(ProgramWriter& w, Instruction* x) {
  static constexpr Opcode kBinary[] = {kAdd,       kSubtract, kMultiply, kDivide, kMaximum,
                                       kMinimum,   kCompare,  kAnd,      kOr,     kXor,
                                       kRemainder, kAtan2,    kPower,    kSelect};
  if (x->operand_count() == 0 || !x->operand(0)->shape().is_array()) return nullptr;
  Instruction* const a = x->operand(0);
  if (x->operand_count() == 2 && SameShape(a, x->operand(1))) {
    Sketch s(w);
    for (int tries = 0; tries < kTries; ++tries) {
      const Opcode opcode = w.choices().Of(kBinary);
      Instruction* made = nullptr;
      if (opcode == kCompare) {
        made = s.Compare(w.choices().OneIn(2) ? ComparisonDirection::kLt : ComparisonDirection::kGe,
                         a, x->operand(1));
      } else if (opcode == kSelect) {
        Instruction* const pred = w.ArrayOf(ElementType::kPred, a->shape().dimensions());
        made = s.Select(pred, a, x->operand(1));
      } else {
        made = s.Op(opcode, {a, x->operand(1)});
      }
      if (made != nullptr) return made;
    }
    return nullptr;
  }
  return w.choices().OneIn(2) ? WriteOneOf(w, kMoves, a) : WriteOneOf(w, kTakers, a);
}

constexpr Variation kVariations[] = {
    {"operation behind", 6, false, OperationBehind},
    {"other attributes", 4, true, OtherAttributes},
    {"other computation", 2, true, OtherComputation},
    {"exchanged operands", 3, true, ExchangedOperands},
    {"other operand", 3, true, OtherOperand},
    {"same again", 1, true, SameAgain},
    {"other layouts", 3, false, LaidOut},
    {"ladder", 4, true, Ladder},
    {"inverse", 4, false, Undone},
    {"lifted", 4, false, Lifted},
    {"beside its operands", 3, false, BesideOperands},
    {"shared operands", 2, false, SharedOperands},
};

}  // namespace

absl::Span<const Variation> Variations() { return kVariations; }

bool MayVary(const Instruction& x) {
  switch (x.info().family) {
    case Family::kElementwise:
    case Family::kMovement:
    case Family::kReduction:
    case Family::kIndexing:
    case Family::kContraction:
    case Family::kLinearAlgebra:
      break;
    default:
      if (x.opcode() != kCall && x.opcode() != kIota) return false;
  }
  // The layouts of a bitcast belong together, and group sizes of a ragged dot are valid together.
  switch (x.opcode()) {
    case kBitcast:
    case kConstant:
    case kParameter:
    case kRaggedDot:
    case kScaledDot:
    case kSetDimensionSize:
    case kGetDimensionSize:
    case kDynamicReshape:
      return false;
    default:
      break;
  }
  const auto is_static = [](const Shape& shape) {
    return !shape.is_dynamic() && !shape.is_token();
  };
  return is_static(x.shape()) &&
         std::all_of(x.operands().begin(), x.operands().end(),
                     [&](const Instruction* each) { return is_static(each->shape()); });
}

void WriteVariations(ProgramWriter& w, Instruction* subject) {
  for (int64_t count = w.choices().Between(1, 3); count > 0 && MayVary(*subject); --count) {
    const Variation& variation = w.choices().Weighted(kVariations);
    if (!variation.same_opcode && w.grammar().names_operations()) continue;
    Instruction* const made = variation.write(w, subject);
    if (made == nullptr) continue;
    w.program().variations.push_back(variation.name);
    // Now and then both are operands of one operation.
    Instruction* const before = ArrayOfResult(w, subject);
    Instruction* const value = ArrayOfResult(w, made);
    const bool joins = !w.grammar().names_operations() && w.choices().OneIn(4);
    if (joins && before != nullptr && value != nullptr && before != value &&
        SameShape(before, value)) {
      Joined(w, before, value);
    }
    if (w.choices().OneIn(2)) subject = made;
  }
}

}  // namespace assay::fuzz
