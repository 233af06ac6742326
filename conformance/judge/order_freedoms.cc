#include "conformance/judge/order_freedoms.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "conformance/judge/rounds.h"
#include "evaluator/facts/isolate.h"

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

// The lines of a shape along a dimension.
struct Lines {
  Lines(const Shape& shape, int64_t dimension) : length(shape.dimension(dimension)) {
    for (int64_t d = dimension + 1; d < shape.rank(); ++d) stride *= shape.dimension(d);
    for (int64_t d = 0; d < shape.rank(); ++d) count *= d == dimension ? 1 : shape.dimension(d);
  }
  int64_t At(int64_t line, int64_t i) const {
    return line / stride * stride * length + line % stride + i * stride;
  }
  int64_t length, stride = 1, count = 1;
};

bool IsNanElement(const Literal& literal, int64_t position) {
  if (!IsRounded(literal.element_type())) return false;
  const ElementType part = PartType(literal);
  const Element element = literal.Get(position);
  return IsNan(part, element.bits) ||
         (IsComplex(literal.element_type()) && IsNan(part, element.imag));
}

// A comparison of floats that is no total order tells nothing about NaNs: with them it is no
// ordering, and any permutation will do (6.2).
bool OrdersNans(const Computation& comparator) {
  for (const auto& step : comparator.instructions()) {
    if (step->opcode() != Opcode::kCompare) continue;
    const bool total =
        step->FindInt(Attr::kComparisonType) == static_cast<int64_t>(ComparisonType::kTotalOrder);
    if (IsFloat(step->operand(0)->shape().element_type()) && !total) return false;
  }
  return true;
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
  const bool stable = subject.instruction.GetBool(Attr::kIsStable);
  std::vector<int64_t> permuted, later, earlier, line_of;
  std::vector<bool> ordered(lines.count, true);
  for (int64_t line = 0; line < lines.count; ++line) {
    std::vector<Item> wanted, got;
    bool nans = false;
    for (int64_t i = 0; i < lines.length; ++i) {
      wanted.push_back(ItemAt(subject.operands, lines.At(line, i)));
      got.push_back(ItemAt(actual, lines.At(line, i)));
      for (const Literal& array : actual) nans |= IsNanElement(array, lines.At(line, i));
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

// A region that only compares and selects: it gives one of the elements, or the start.
bool Picks(const Computation& region) {
  for (const auto& step : region.instructions()) {
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
        break;
      default:
        return false;
    }
  }
  return true;
}

// As numbers: zeros of both signs are equal keys.
bool SameKey(const Literal& a, const Literal& b, int64_t i, int64_t j) {
  const Element x = a.Get(i), y = b.Get(j);
  if (x == y) return true;
  const ElementType type = a.element_type();
  return IsFloat(type) && IsZero(type, x.bits) && IsZero(type, y.bits);
}

// Results of a variadic reduce that are together one of the elements, with the key of the golden
// one: the value of an argmin or argmax and the index of any of the equal ones (5.1).
OrderFreedoms ReduceTies(const Subject& subject, const std::vector<Literal>& golden,
                         const std::vector<Literal>& actual) {
  OrderFreedoms found;
  found.freedom = Freedom::kReassociation;
  found.verdicts = NothingKnown(golden);
  const size_t arrays = subject.operands.size() / 2;
  const Shape& shape = subject.operands[0].shape();
  const absl::Span<const int64_t> reduced = subject.instruction.GetInts(Attr::kDimensions);
  const Dimensions strides = RowMajorStrides(shape.dimensions());
  for (int64_t i = 0; i < subject.operands[0].element_count(); ++i) {
    int64_t cell = 0;
    for (int64_t d = 0; d < shape.rank(); ++d) {
      if (std::find(reduced.begin(), reduced.end(), d) != reduced.end()) continue;
      cell = cell * shape.dimension(d) + i / strides[d] % shape.dimension(d);
    }
    const auto inputs = subject.operands.subspan(0, arrays);
    if (ItemAt(inputs, i) != ItemAt(actual, cell)) continue;
    if (!SameKey(golden[0], actual[0], cell, cell)) continue;
    for (std::vector<Verdict>& leaf : found.verdicts) leaf[cell] = Verdict::kAllowed;
  }
  return found;
}

}  // namespace

absl::StatusOr<Literal> MapOver(const Subject& subject, const Computation& region,
                                std::vector<Literal> arguments) {
  // The isolated instruction brings a copy of the computation along.
  const std::unique_ptr<Module> module = IsolateInstruction(subject.instruction);
  Computation& entry = *module->entry();
  Computation* copy = nullptr;
  for (const auto& each : module->computations()) {
    if (each->name() == region.name()) copy = each.get();
  }
  auto map = std::make_unique<Instruction>(
      Opcode::kMap,
      Shape(region.root()->shape().element_type(), arguments[0].shape().dimensions()));
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
      if (golden.size() > 1 && Picks(*instruction.to_apply())) {
        return ReduceTies(subject, golden, actual);
      }
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
