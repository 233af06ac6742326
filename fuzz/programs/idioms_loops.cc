// Idioms of loops: expressions on values that a loop carries, parts of arrays at places that are
// computed from its counter, and values that are updated inside a loop and read later.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/programs/expression.h"
#include "fuzz/programs/idioms.h"
#include "fuzz/programs/sketch.h"

namespace assay::fuzz {
namespace {

using enum Opcode;
using ElementType::kPred, ElementType::kS32;

int64_t Iterations(ProgramWriter& w) { return w.Several(1, 4, 40); }

// Forms on two values that the loop carries, and in which it exchanges them or takes the result.
void ExpressionsInLoops(ProgramWriter& w) {
  Sketch s(w);
  const bool is_float = w.choices().OneIn(2);
  const ElementType type = is_float ? FloatOfExpressions(s) : IntegerOfExpressions(s);
  if (is_float ? !IsFloat(type) : !IsInteger(type)) return;
  static const Dimensions kSizes[] = {{24}, {}, {4, 4}, {9}};
  Dimensions sizes = w.choices().Of(kSizes);
  if (CountOf(sizes) > w.limits().argument_elements) sizes = {1};
  Instruction *const x = s.TellingValues(type, sizes), *const y = s.TellingValues(type, sizes);
  Instruction* const last = w.ArrayOf(type, sizes);
  const int64_t trips = Iterations(w);
  s.Loop({x, y, last}, trips, [&](Instruction*, std::vector<Instruction*>& state) {
    Expression expression(s, type, sizes);
    expression.Give("x", state[0]);
    expression.Give("y", state[1]);
    Instruction* made = nullptr;
    for (int64_t count = w.choices().Between(1, 2); count > 0; --count) {
      const int64_t kind = w.choices().Below(3);
      const std::string form = kind == 0   ? std::string(TableForm(w.choices(), is_float))
                               : kind == 1 ? JoinedForm(w.choices(), is_float)
                                           : FunctionForm(w.choices(), is_float);
      if (Instruction* const value = expression.Write(form)) made = value;
    }
    if (made != nullptr && s.TypeOf(made) != type) made = s.Convert(made, type);
    state[2] = made;
    switch (w.choices().Below(4)) {
      case 0:
        std::swap(state[0], state[1]);
        break;
      case 1:
        state[1] = made;
        break;
      case 2:
        state[0] = s.Op(kAdd, {state[0], state[1]});
        break;
      default:
        break;
    }
  });
}

// A place that the counter says: itself, from the end, from an offset, each second, in a ring.
Instruction* PlaceOf(Sketch& s, Instruction* counter, int64_t size) {
  const auto number = [&](int64_t value) { return s.Number(kS32, static_cast<double>(value)); };
  switch (s.choices().Below(6)) {
    case 0:
      return counter;
    case 1:
      return s.Op(kSubtract, {number(size - 1), counter});
    case 2:
      return s.Op(kAdd, {counter, number(s.choices().Between(-1, 2))});
    case 3:
      return s.Op(kMultiply, {counter, number(s.choices().Between(2, 3))});
    case 4:
      return s.Op(kRemainder, {s.Op(kAdd, {counter, number(1)}), number(size)});
    default:
      return s.Op(kSubtract, {number(s.choices().Below(size + 1)), counter});
  }
}

// Rows that a loop reads and writes at places that its counter says.
void RowsInLoops(ProgramWriter& w) {
  Sketch s(w);
  const ElementType type = s.AnyOf({ElementType::kF32, kS32, ElementType::kBF16, ElementType::kF64,
                                    ElementType::kU8, ElementType::kS64});
  const int64_t rows = w.choices().Between(2, 6), width = w.choices().Between(1, 3);
  const Dimensions all = {rows, width}, row = {1, width};
  Instruction *const from = w.ArrayOf(type, all), *const into = w.ArrayOf(type, all);
  const int64_t most = Iterations(w) + 2;
  const int64_t trips = std::min(rows + w.choices().Below(2), most);
  s.Loop({from, into, w.ArrayOf(type, row)}, trips,
         [&](Instruction* counter, std::vector<Instruction*>& state) {
           Instruction* const zero = s.Number(kS32, 0);
           Instruction* const place = PlaceOf(s, counter, rows);
           Instruction* const read =
               place == nullptr ? nullptr : s.DynamicSlice(state[0], {place, zero}, row);
           Instruction* const sum = s.Op(kAdd, {state[2], read});
           const bool same_place = w.choices().OneIn(3);
           Instruction* const target = same_place ? place : PlaceOf(s, counter, rows);
           if (sum == nullptr || target == nullptr) return;
           state[1] =
               s.DynamicUpdateSlice(state[1], w.choices().OneIn(2) ? read : sum, {target, zero});
           state[2] = sum;
           if (w.choices().OneIn(4)) std::swap(state[0], state[1]);
         });
}

// A conditional of two branches, each an elementwise operation on its operand.
Instruction* Branched(Sketch& s, Instruction* predicate, Instruction* x) {
  if (predicate == nullptr || x == nullptr) return nullptr;
  ProgramWriter& w = s.w();
  Computation* branches[2];
  for (Computation*& branch : branches) {
    w.BeginComputation("branch", RowPlace::kComputation);
    Instruction* const own = w.ComputationParameter(x->shape());
    branch = w.EndComputation(w.choices().OneIn(4) ? own : w.ElementwiseStep(own));
  }
  auto made = w.Start(kConditional, {predicate, x, x});
  made->SetAttribute(Attr::kTrueComputation, branches[0]);
  made->SetAttribute(Attr::kFalseComputation, branches[1]);
  return w.Finish(std::move(made));
}

// What an implementation may compute in the memory of its operand.
Instruction* Updated(Sketch& s, Instruction* counter, Instruction* x) {
  ProgramWriter& w = s.w();
  switch (w.choices().Below(5)) {
    case 0:
    case 1:
      return Branched(
          s, s.Compare(ComparisonDirection::kLt, counter, s.Number(kS32, w.choices().Below(3))), x);
    case 2: {
      Instruction* const part = s.Slice(x, 0, 0, 1);
      Instruction* const zero = s.Number(kS32, 0);
      return s.DynamicUpdateSlice(x, s.Op(kAdd, {part, part}), {counter, zero});
    }
    case 3:
      return s.Reverse(x, {0});
    default:
      return w.ElementwiseStep(x);
  }
}

// A value that a loop carries is updated, and read once more: by an operation or by the next
// iteration.
void UpdatesInLoops(ProgramWriter& w) {
  Sketch s(w);
  const ElementType type =
      s.AnyOf({ElementType::kF32, kS32, ElementType::kS8, ElementType::kBF16, ElementType::kU32});
  const Dimensions sizes = {w.choices().Between(1, 4), w.choices().Between(1, 3)};
  Instruction *const x = w.ArrayOf(type, sizes), *const y = w.ArrayOf(type, sizes);
  static constexpr Opcode kReaders[] = {kAdd, kSubtract, kMultiply, kMaximum};
  s.Loop({x, y}, Iterations(w), [&](Instruction* counter, std::vector<Instruction*>& state) {
    const std::vector<Instruction*> old = state;
    Instruction* const updated = Updated(s, counter, old[0]);
    if (updated == nullptr) return;
    state[1] = updated;
    switch (w.choices().Below(3)) {
      case 0:
        break;  // the value before is read by the next iteration
      case 1:
        state[0] = s.Op(w.choices().Of(kReaders), {old[0], updated});
        break;
      default:
        state[0] = Updated(s, counter, old[0]);
    }
    if (w.choices().OneIn(3)) state[0] = s.Op(kAdd, {state[0], old[1]});
  });
}

constexpr Idiom kLoops[] = {
    {"expressions in loops", ExpressionsInLoops},
    {"rows in loops", RowsInLoops},
    {"updates in loops", UpdatesInLoops},
};

}  // namespace

absl::Span<const Idiom> LoopIdioms() { return kLoops; }

}  // namespace assay::fuzz
