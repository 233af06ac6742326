// Sorts and top-k: the results that another order of equal or unordered keys permits (reference
// ops_structural.md 6.2, 6.3). Where denormals count as zero they are equal keys, too.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "conformance/judge/freedoms.h"
#include "conformance/judge/given_nans.h"
#include "conformance/judge/order_freedoms.h"
#include "spec/analysis/isolate.h"

namespace assay::conformance {
namespace {

// Evaluates less(left, right) for pairs of positions.
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

// Returns the arrays with the denormals of keys that the target may flush replaced by zeros; empty
// if there are none.
std::vector<Literal> FlushKeys(const std::vector<Literal>& arrays, const std::set<int64_t>& keys,
                               const TargetProfile& profile) {
  std::vector<Literal> flushed = arrays;
  bool any = false;
  for (const int64_t key : keys) {
    if (!profile.MayFlushOperands(arrays[key].element_type())) continue;
    flushed[key] = FlushDenormals(arrays[key]);
    any = any || !Literal::BitEqual(flushed[key], arrays[key]);
  }
  return any ? flushed : std::vector<Literal>();
}

// Adds a parameter with a name that no instruction of the module has.
Instruction* AddParameter(Module* module, Computation* computation, const Shape& shape,
                          int64_t number) {
  absl::flat_hash_set<std::string> names;
  for (const auto& each : module->computations()) {
    for (const auto& step : each->instructions()) names.insert(step->name());
  }
  std::string name = "place";
  while (names.contains(name)) name += "_";
  auto parameter = std::make_unique<Instruction>(Opcode::kParameter, shape);
  parameter->set_parameter_number(number);
  parameter->set_name(name);
  return computation->Add(std::move(parameter));
}

// Returns, for each position, which element of its line the reference interpreter puts there if
// `arrays` has the keys.
absl::StatusOr<Literal> SortPlaces(const Subject& subject, std::vector<Literal> arrays,
                                   const Lines& lines) {
  const std::unique_ptr<Module> module = analysis::IsolateInstruction(subject.instruction);
  Instruction& sort = *module->entry()->root();
  const Shape shape(ElementType::kS64, arrays[0].shape().dimensions());
  Literal places = Literal::Zeros(shape);
  for (int64_t line = 0; line < lines.count; ++line) {
    for (int64_t i = 0; i < lines.length; ++i) {
      places.Set(lines.At(line, i), {static_cast<uint64_t>(i)});
    }
  }
  const auto count = static_cast<int64_t>(arrays.size());
  sort.AppendOperand(AddParameter(module.get(), module->entry(), shape, count));
  for (const int64_t number : {2 * count, 2 * count + 1}) {
    AddParameter(module.get(), sort.to_apply(), Shape(ElementType::kS64, {}), number);
  }
  arrays.push_back(std::move(places));
  std::vector<Shape> results;
  for (const Literal& array : arrays) results.push_back(array.shape());
  sort.set_shape(Shape::Tuple(std::move(results)));
  const absl::StatusOr<Literal> sorted = subject.evaluate(*module, arrays);
  if (!sorted.ok()) return sorted.status();
  return sorted->element(count);
}

// Classifies the lines of the actual result of a sort by their order.
class SortedLines {
 public:
  SortedLines(const Subject& subject, const std::vector<Literal>& actual)
      : subject_(subject),
        comparator_(*subject.instruction.to_apply()),
        operands_(subject.operands.begin(), subject.operands.end()),
        actual_(actual),
        lines_(actual[0].shape(), subject.instruction.GetInt(Attr::kDimension)),
        keys_(KeysOf(comparator_)) {}

  const Lines& lines() const { return lines_; }

  // Returns the lines that are a permutation of the operands' lines.
  std::vector<int64_t> Permuted() const {
    std::vector<int64_t> permuted;
    for (int64_t line = 0; line < lines_.count; ++line) {
      std::vector<Item> wanted, got;
      for (int64_t i = 0; i < lines_.length; ++i) {
        wanted.push_back(ItemAt(operands_, lines_.At(line, i)));
        got.push_back(ItemAt(actual_, lines_.At(line, i)));
      }
      std::sort(wanted.begin(), wanted.end());
      std::sort(got.begin(), got.end());
      if (wanted == got) permuted.push_back(line);
    }
    return permuted;
  }

  // Returns those of `lines` that the comparator cannot order: it does not order their NaNs, or it
  // puts an element before itself.
  absl::StatusOr<std::set<int64_t>> Unordered(const std::vector<int64_t>& lines) const {
    std::set<int64_t> unordered;
    const bool orders_nans = OrdersNans(comparator_);
    std::vector<int64_t> positions, line_of;
    for (const int64_t line : lines) {
      for (int64_t i = 0; i < lines_.length; ++i) {
        const int64_t at = lines_.At(line, i);
        positions.push_back(at);
        line_of.push_back(line);
        if (orders_nans) continue;
        for (const int64_t key : keys_) {
          if (IsNanElement(actual_[key], at)) unordered.insert(line);
        }
      }
    }
    if (positions.empty()) return unordered;
    const absl::StatusOr<Literal> less = Compare(subject_, actual_, positions, positions);
    if (!less.ok()) return less.status();
    for (size_t k = 0; k < positions.size(); ++k) {
      if (less->Get(static_cast<int64_t>(k)).bits != 0) unordered.insert(line_of[k]);
    }
    return unordered;
  }

  // Returns those of `lines` in which no element precedes the one in front of it; `arrays` has the
  // values to compare.
  absl::StatusOr<std::set<int64_t>> Ordered(const std::vector<int64_t>& lines,
                                            const std::vector<Literal>& arrays) const {
    std::set<int64_t> ordered(lines.begin(), lines.end());
    std::vector<int64_t> later, earlier, line_of;
    for (const int64_t line : lines) {
      for (int64_t i = 0; i + 1 < lines_.length; ++i) {
        earlier.push_back(lines_.At(line, i));
        later.push_back(lines_.At(line, i + 1));
        line_of.push_back(line);
      }
    }
    if (later.empty()) return ordered;
    const absl::StatusOr<Literal> less = Compare(subject_, arrays, later, earlier);
    if (!less.ok()) return less.status();
    for (size_t k = 0; k < later.size(); ++k) {
      if (less->Get(static_cast<int64_t>(k)).bits != 0) ordered.erase(line_of[k]);
    }
    return ordered;
  }

  // Returns those of `lines` in the order of a target whose comparator treats denormals as zero.
  absl::StatusOr<std::set<int64_t>> OrderedFlushed(const std::vector<int64_t>& lines,
                                                   bool stable) const {
    const std::vector<Literal> arrays =
        FlushKeys(stable ? operands_ : actual_, keys_, subject_.profile);
    if (arrays.empty() || lines.empty()) return std::set<int64_t>();
    if (!stable) return Ordered(lines, arrays);
    const absl::StatusOr<Literal> places = SortPlaces(subject_, arrays, lines_);
    if (!places.ok()) return places.status();
    std::set<int64_t> ordered;
    for (const int64_t line : lines) {
      bool same = true;
      for (int64_t i = 0; i < lines_.length && same; ++i) {
        const int64_t at = lines_.At(line, i);
        const auto from = static_cast<int64_t>(places->Get(at).bits);
        same = ItemAt(actual_, at) == ItemAt(operands_, lines_.At(line, from));
      }
      if (same) ordered.insert(line);
    }
    return ordered;
  }

 private:
  const Subject& subject_;
  const Computation& comparator_;
  const std::vector<Literal> operands_;
  const std::vector<Literal>& actual_;
  const Lines lines_;
  const std::set<int64_t> keys_;
};

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

namespace {

// Returns true if movements may have changed NaNs of the operand before they are compared (N-2.1).
bool MovesLosePayloads(const Instruction& instruction, const Instruction& operand,
                       const TargetProfile& profile) {
  const Shape& shape = operand.shape();
  if (!shape.is_array() || !LosesPayload(profile, shape.element_type())) return false;
  return instruction.opcode() == Opcode::kSort || instruction.opcode() == Opcode::kTopK ||
         !IsUnmoved(operand);
}

bool IsInTotalOrder(const Instruction& step) {
  return step.opcode() == Opcode::kCompare && IsFloat(step.operand(0)->shape().element_type()) &&
         step.FindInt(Attr::kComparisonType) == static_cast<int64_t>(ComparisonType::kTotalOrder);
}

}  // namespace

bool ComparesInTotalOrder(const Computation& computation) {
  absl::flat_hash_set<const Computation*> seen = {&computation};
  std::vector<const Computation*> open = {&computation};
  while (!open.empty()) {
    const Computation& next = *open.back();
    open.pop_back();
    for (const auto& step : next.instructions()) {
      if (IsInTotalOrder(*step)) return true;
      for (const Computation* callee : step->called_computations()) {
        if (seen.insert(callee).second) open.push_back(callee);
      }
    }
  }
  return false;
}

bool OrdersMadeNans(const Instruction& instruction, const TargetProfile& profile) {
  const auto callees = instruction.called_computations();
  const bool takes_top = instruction.opcode() == Opcode::kTopK &&
                         IsFloat(instruction.operand(0)->shape().element_type());
  const bool compares = takes_top || IsInTotalOrder(instruction) ||
                        std::any_of(callees.begin(), callees.end(), [](const Computation* callee) {
                          return ComparesInTotalOrder(*callee);
                        });
  return compares && std::any_of(instruction.operands().begin(), instruction.operands().end(),
                                 [&](const Instruction* operand) {
                                   return MovesLosePayloads(instruction, *operand, profile) ||
                                          !HasGivenNansAlone(*operand);
                                 });
}

absl::StatusOr<OrderFreedoms> FindSortOrders(const Subject& subject,
                                             const std::vector<Literal>& golden,
                                             const std::vector<Literal>& actual) {
  OrderFreedoms found(Freedom::kUnstableOrder, golden);
  const SortedLines sorted(subject, actual);
  const bool stable = subject.instruction.GetBool(Attr::kIsStable);
  const std::vector<int64_t> permuted = sorted.Permuted();
  const auto allow = [&](const std::set<int64_t>& lines, bool by_denormals) {
    for (const int64_t line : lines) {
      for (int64_t i = 0; i < sorted.lines().length; ++i) {
        found.Allow(sorted.lines().At(line, i), by_denormals);
      }
    }
  };
  const auto flushed =
      sorted.OrderedFlushed(permuted, stable || !subject.profile.Grants(Freedom::kUnstableOrder));
  if (!flushed.ok()) return flushed.status();
  allow(*flushed, /*by_denormals=*/true);
  const auto unordered = sorted.Unordered(permuted);
  if (!unordered.ok()) return unordered.status();
  allow(*unordered, /*by_denormals=*/false);
  if (stable) return found;
  const auto ordered = sorted.Ordered(permuted, actual);
  if (!ordered.ok()) return ordered.status();
  allow(*ordered, /*by_denormals=*/false);
  return found;
}

// Accepts indices that are distinct and point to elements with the bits of the golden values.
OrderFreedoms FindTopKOrders(const Subject& subject, const std::vector<Literal>& golden,
                             const std::vector<Literal>& actual) {
  OrderFreedoms found(Freedom::kUnstableOrder, golden);
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

}  // namespace assay::conformance
