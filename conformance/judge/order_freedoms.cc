#include "conformance/judge/order_freedoms.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "conformance/judge/rounds.h"
#include "evaluator/facts/isolate.h"
#include "evaluator/region/reducer.h"

namespace assay {
namespace {

using Verdicts = std::vector<std::vector<Verdict>>;

Verdicts NothingKnown(const std::vector<Literal>& leaves) {
  Verdicts verdicts;
  for (const Literal& leaf : leaves) verdicts.emplace_back(leaf.element_count(), Verdict::kWrong);
  return verdicts;
}

// The elements of one position of several arrays, for comparing and sorting.
using Item = std::vector<std::pair<uint64_t, uint64_t>>;

Item ItemAt(absl::Span<const Literal> arrays, int64_t position) {
  Item item;
  for (const Literal& array : arrays) {
    const Element element = array.Get(position);
    item.push_back({element.bits, IsComplex(array.element_type()) ? element.imag : 0});
  }
  return item;
}

bool IsNanElement(const Literal& literal, int64_t position) {
  if (!IsRounded(literal.element_type())) return false;
  const ElementType part = PartType(literal);
  const Element element = literal.Get(position);
  return IsNan(part, element.bits) ||
         (IsComplex(literal.element_type()) && IsNan(part, element.imag));
}

// less(left, right) for pairs of positions.
absl::StatusOr<Literal> Compare(const Subject& subject, const std::vector<Literal>& arrays,
                                const std::vector<int64_t>& left,
                                const std::vector<int64_t>& right) {
  std::vector<Literal> arguments;
  for (const Literal& array : arrays) {
    for (const std::vector<int64_t>* positions : {&left, &right}) {
      Literal argument =
          Literal::Zeros(Shape(array.element_type(), {static_cast<int64_t>(positions->size())}));
      for (size_t k = 0; k < positions->size(); ++k) {
        argument.Set(static_cast<int64_t>(k), array.Get((*positions)[k]));
      }
      arguments.push_back(std::move(argument));
    }
  }
  return MapOver(subject, *subject.instruction.to_apply(), std::move(arguments));
}

// Lines of the actual result that are a permutation of the operands' and that the comparator finds
// in order. Of a stable sort only those that the comparator, for their NaNs, cannot order.
absl::StatusOr<OrderFreedoms> SortTies(const Subject& subject, const std::vector<Literal>& golden,
                                       const std::vector<Literal>& actual) {
  OrderFreedoms found;
  found.verdicts = NothingKnown(golden);
  const Lines lines(golden[0].shape(), subject.instruction.GetInt(Attr::kDimension));
  const bool orders_nans = OrdersNans(*subject.instruction.to_apply());
  const std::set<int64_t> keys = KeysOf(*subject.instruction.to_apply());
  const bool stable = subject.instruction.GetBool(Attr::kIsStable);
  std::vector<int64_t> permuted, later, earlier, line_of;
  std::vector<bool> ordered(lines.count, true);
  for (int64_t line = 0; line < lines.count; ++line) {
    std::vector<Item> wanted, got;
    bool nans = false;
    for (int64_t i = 0; i < lines.length; ++i) {
      wanted.push_back(ItemAt(subject.operands, lines.At(line, i)));
      got.push_back(ItemAt(actual, lines.At(line, i)));
      for (const int64_t key : keys) nans |= IsNanElement(actual[key], lines.At(line, i));
    }
    std::sort(wanted.begin(), wanted.end());
    std::sort(got.begin(), got.end());
    if (wanted != got) continue;
    const bool unordered = nans && !orders_nans;
    if (stable && !unordered) continue;
    permuted.push_back(line);
    if (unordered) continue;
    for (int64_t i = 0; i + 1 < lines.length; ++i) {
      earlier.push_back(lines.At(line, i));
      later.push_back(lines.At(line, i + 1));
      line_of.push_back(line);
    }
  }
  if (!later.empty()) {
    const absl::StatusOr<Literal> less = Compare(subject, actual, later, earlier);
    if (!less.ok()) return less.status();
    for (size_t k = 0; k < later.size(); ++k) {
      if (less->Get(static_cast<int64_t>(k)).bits != 0) ordered[line_of[k]] = false;
    }
  }
  for (const int64_t line : permuted) {
    if (!ordered[line]) continue;
    for (std::vector<Verdict>& leaf : found.verdicts) {
      for (int64_t i = 0; i < lines.length; ++i) leaf[lines.At(line, i)] = Verdict::kAllowed;
    }
  }
  return found;
}

// Indices that are distinct and point to elements with the bits of their values, which are those
// of the golden result.
OrderFreedoms TopKTies(const Subject& subject, const std::vector<Literal>& golden,
                       const std::vector<Literal>& actual) {
  OrderFreedoms found;
  found.verdicts = NothingKnown(golden);
  const Literal& operand = subject.operands[0];
  const int64_t last = operand.shape().rank() - 1;
  const Lines from(operand.shape(), last), to(golden[0].shape(), last);
  for (int64_t line = 0; line < to.count; ++line) {
    std::vector<int64_t> taken;
    bool fits = true;
    for (int64_t i = 0; i < to.length && fits; ++i) {
      const int64_t at = to.At(line, i);
      const int64_t index = DecodeSigned(ElementType::kS32, actual[1].Get(at).bits);
      fits = index >= 0 && index < from.length && actual[0].Get(at) == golden[0].Get(at) &&
             operand.Get(from.At(line, index)) == actual[0].Get(at);
      taken.push_back(index);
    }
    std::sort(taken.begin(), taken.end());
    if (!fits || std::adjacent_find(taken.begin(), taken.end()) != taken.end()) continue;
    for (int64_t i = 0; i < to.length; ++i) found.verdicts[1][to.At(line, i)] = Verdict::kAllowed;
  }
  return found;
}

// Of each cell, the items of two results: what the region makes of the first and then the second.
absl::StatusOr<std::vector<Literal>> TakePairs(const Subject& subject,
                                               const std::vector<int64_t>& cells,
                                               const std::vector<Literal>& first,
                                               const std::vector<Literal>& second) {
  const auto count = static_cast<int64_t>(cells.size());
  std::vector<Literal> arguments;
  for (const std::vector<Literal>* items : {&first, &second}) {
    for (const Literal& array : *items) {
      Literal& argument =
          arguments.emplace_back(Literal::Zeros(Shape(array.element_type(), {count})));
      for (int64_t i = 0; i < count; ++i) argument.Set(i, array.Get(cells[i]));
    }
  }
  std::vector<Literal> taken;
  for (size_t k = 0; k < first.size(); ++k) {
    absl::StatusOr<Literal> leaf = MapOver(subject, *subject.instruction.to_apply(), arguments, k);
    if (!leaf.ok()) return leaf.status();
    taken.push_back(*std::move(leaf));
  }
  return taken;
}

// Calls see(cell, element) for each element that is folded into a cell of the result.
template <typename See>
void ForEachFolded(const Instruction& fold, const Shape& operand, const Shape& result, See see) {
  const Dimensions strides = RowMajorStrides(operand.dimensions());
  if (fold.opcode() == Opcode::kReduce) {
    const absl::Span<const int64_t> reduced = fold.GetInts(Attr::kDimensions);
    for (int64_t i = 0; i < operand.element_count(); ++i) {
      int64_t cell = 0;
      for (int64_t d = 0; d < operand.rank(); ++d) {
        if (std::find(reduced.begin(), reduced.end(), d) != reduced.end()) continue;
        cell = cell * operand.dimension(d) + i / strides[d] % operand.dimension(d);
      }
      see(cell, i);
    }
    return;
  }
  const std::vector<WindowDimension>& window = fold.window().dimensions;
  Dimensions sizes;
  int64_t places = 1;
  for (const WindowDimension& w : window) {
    sizes.push_back(w.size);
    places *= w.size;
  }
  const Dimensions of_places = RowMajorStrides(sizes),
                   of_cells = RowMajorStrides(result.dimensions());
  for (int64_t cell = 0; cell < result.element_count(); ++cell) {
    for (int64_t k = 0; k < places; ++k) {
      int64_t i = 0;
      bool inside = true;
      for (size_t d = 0; d < window.size() && inside; ++d) {
        const WindowDimension& w = window[d];
        const int64_t at = cell / of_cells[d] % result.dimension(d),
                      place = k / of_places[d] % w.size;
        const int64_t q = at * w.stride + place * w.window_dilation - w.padding_low;
        inside = q >= 0 && q % w.base_dilation == 0 && q / w.base_dilation < operand.dimension(d);
        i += q / w.base_dilation * strides[d];
      }
      if (inside) see(cell, i);
    }
  }
}

// A cell whose actual item is one of those that are folded into it, and not the golden one.
struct OtherPick {
  int64_t cell = 0;
  bool has_nan = false;  // among what is folded into it
};

std::vector<OtherPick> FindOtherPicks(const Subject& subject, const std::vector<Literal>& golden,
                                      const std::vector<Literal>& actual) {
  const size_t arrays = subject.operands.size() / 2;
  const auto inputs = subject.operands.subspan(0, arrays),
             starts = subject.operands.subspan(arrays);
  std::vector<Item> items;  // the actual ones
  std::vector<bool> differs;
  for (int64_t cell = 0; cell < golden[0].element_count(); ++cell) {
    items.push_back(ItemAt(actual, cell));
    differs.push_back(items.back() != ItemAt(golden, cell));
  }
  const bool start_is_nan = std::any_of(
      starts.begin(), starts.end(), [](const Literal& start) { return IsNanElement(start, 0); });
  const Item start = ItemAt(starts, 0);
  std::vector<bool> picked(items.size(), false), has_nan(items.size(), start_is_nan);
  ForEachFolded(subject.instruction, inputs[0].shape(), golden[0].shape(),
                [&](int64_t cell, int64_t i) {
                  if (!differs[cell]) return;
                  for (const Literal& input : inputs) {
                    if (IsNanElement(input, i)) has_nan[cell] = true;
                  }
                  if (items[cell] == start || items[cell] == ItemAt(inputs, i)) picked[cell] = true;
                });
  std::vector<OtherPick> others;
  for (size_t cell = 0; cell < items.size(); ++cell) {
    if (picked[cell]) others.push_back({static_cast<int64_t>(cell), has_nan[cell]});
  }
  return others;
}

// Results of a fold that are together one of the elements or the start value, if the region takes
// it before the golden one or after it: the index of any of the equal values that an argmin or
// argmax does not tell apart (5.1). One that prefers the least index does. Comparisons with a NaN
// are no order.
absl::StatusOr<OrderFreedoms> FoldTies(const Subject& subject, const std::vector<Literal>& golden,
                                       const std::vector<Literal>& actual) {
  OrderFreedoms found;
  found.freedom = Freedom::kReassociation;
  found.verdicts = NothingKnown(golden);
  found.reason = "its own reducer does not order the NaNs that are folded";
  const std::vector<OtherPick> picks = FindOtherPicks(subject, golden, actual);
  if (picks.empty()) return found;
  const Computation& region = *subject.instruction.to_apply();
  const bool orders_nans =
      OrdersNans(region) || RecogniseReducer(region).kind != ReducerKind::kOther;
  std::vector<int64_t> cells;
  for (const OtherPick& pick : picks) {
    cells.push_back(pick.cell);
    if (!pick.has_nan || orders_nans) continue;
    for (std::vector<Verdict>& leaf : found.verdicts) leaf[pick.cell] = Verdict::kNotJudgeable;
  }
  for (const bool golden_first : {true, false}) {
    const absl::StatusOr<std::vector<Literal>> taken =
        golden_first ? TakePairs(subject, cells, golden, actual)
                     : TakePairs(subject, cells, actual, golden);
    if (!taken.ok()) return taken.status();
    for (size_t k = 0; k < cells.size(); ++k) {
      if (ItemAt(*taken, static_cast<int64_t>(k)) != ItemAt(actual, cells[k])) continue;
      for (std::vector<Verdict>& leaf : found.verdicts) leaf[cells[k]] = Verdict::kAllowed;
    }
  }
  return found;
}

}  // namespace

std::set<int64_t> KeysOf(const Computation& comparator) {
  std::set<int64_t> keys;
  absl::flat_hash_set<const Instruction*> seen;
  std::vector<const Instruction*> stack = {comparator.root()};
  while (!stack.empty()) {
    const Instruction* step = stack.back();
    stack.pop_back();
    if (!seen.insert(step).second) continue;
    if (step->opcode() == Opcode::kParameter) keys.insert(step->parameter_number() / 2);
    stack.insert(stack.end(), step->operands().begin(), step->operands().end());
  }
  return keys;
}

bool OrdersNans(const Computation& comparator) {
  for (const auto& step : comparator.instructions()) {
    if (step->opcode() != Opcode::kCompare) continue;
    const bool total =
        step->FindInt(Attr::kComparisonType) == static_cast<int64_t>(ComparisonType::kTotalOrder);
    if (IsFloat(step->operand(0)->shape().element_type()) && !total) return false;
  }
  return true;
}

bool Picks(const Computation& region) {
  const bool compares =
      std::all_of(region.instructions().begin(), region.instructions().end(), [](const auto& step) {
        switch (step->opcode()) {
          case Opcode::kParameter:
          case Opcode::kConstant:
          case Opcode::kCompare:
          case Opcode::kSelect:
          case Opcode::kAnd:
          case Opcode::kOr:
          case Opcode::kNot:
          case Opcode::kTuple:
          case Opcode::kMinimum:
          case Opcode::kMaximum:
            return true;
          default:
            return false;
        }
      });
  // What it gives: nothing that it makes, such as the constant of an arm.
  const Instruction& root = *region.root();
  std::vector<const Instruction*> given = {&root};
  if (root.opcode() == Opcode::kTuple) given.assign(root.operands().begin(), root.operands().end());
  absl::flat_hash_set<const Instruction*> seen;
  while (compares && !given.empty()) {
    const Instruction* step = given.back();
    given.pop_back();
    if (!seen.insert(step).second || step->opcode() == Opcode::kParameter) continue;
    const bool chooses = step->opcode() == Opcode::kSelect;
    if (!chooses && step->opcode() != Opcode::kMinimum && step->opcode() != Opcode::kMaximum) {
      return false;
    }
    given.push_back(step->operand(chooses ? 2 : 0));
    given.push_back(step->operand(1));
  }
  return compares;
}

absl::StatusOr<Literal> MapOver(const Subject& subject, const Computation& region,
                                std::vector<Literal> arguments, size_t leaf) {
  // The isolated instruction brings a copy of the computation along.
  const std::unique_ptr<Module> module = IsolateInstruction(subject.instruction);
  Computation& entry = *module->entry();
  Computation* copy = nullptr;
  for (const auto& each : module->computations()) {
    if (each->name() == region.name()) copy = each.get();
  }
  if (copy->root()->opcode() == Opcode::kTuple) {
    copy->set_root(copy->root()->operand(static_cast<int64_t>(leaf)));
  }
  auto map = std::make_unique<Instruction>(
      Opcode::kMap, Shape(copy->root()->shape().element_type(), arguments[0].shape().dimensions()));
  map->SetAttribute(Attr::kDimensions, std::vector<int64_t>{0});
  map->SetAttribute(Attr::kToApply, copy);
  for (size_t k = 0; k < arguments.size(); ++k) {
    auto parameter = std::make_unique<Instruction>(Opcode::kParameter, arguments[k].shape());
    parameter->set_parameter_number(static_cast<int64_t>(k));
    map->AppendOperand(entry.Add(std::move(parameter)));
  }
  return subject.evaluate(*IsolateInstruction(*entry.Add(std::move(map))), arguments);
}

absl::StatusOr<OrderFreedoms> FindOrderFreedoms(const Subject& subject,
                                                const std::vector<Literal>& golden,
                                                const std::vector<Literal>& actual) {
  const Instruction& instruction = subject.instruction;
  switch (instruction.opcode()) {
    case Opcode::kSort:
      return SortTies(subject, golden, actual);
    case Opcode::kTopK:
      if (!instruction.GetBool(Attr::kIsStable)) return TopKTies(subject, golden, actual);
      break;
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
      if (Picks(*instruction.to_apply())) return FoldTies(subject, golden, actual);
      break;
    case Opcode::kScatter:
      if (!instruction.GetBool(Attr::kUniqueIndices)) {
        return FindScatterOrders(subject, golden, actual);
      }
      break;
    default:
      break;
  }
  return OrderFreedoms();
}

}  // namespace assay
