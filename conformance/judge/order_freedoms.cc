#include "conformance/judge/order_freedoms.h"

#include <memory>
#include <utility>

#include "conformance/judge/rounds.h"
#include "spec/analysis/isolate.h"

namespace assay::conformance {

OrderFreedoms::OrderFreedoms(Freedom freedom_taken, const std::vector<Literal>& leaves)
    : freedom(freedom_taken) {
  for (const Literal& leaf : leaves) verdicts.emplace_back(leaf.element_count(), Verdict::kWrong);
}

void OrderFreedoms::Allow(int64_t position, bool denormals) {
  for (std::vector<Verdict>& leaf : verdicts) leaf[position] = Verdict::kAllowed;
  if (denormals) {
    by_denormals.insert(position);
  } else {
    by_denormals.erase(position);
  }
}

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

absl::StatusOr<Literal> MapOver(const Subject& subject, const Computation& region,
                                std::vector<Literal> arguments, size_t leaf) {
  // The isolated instruction has a copy of the computation.
  const std::unique_ptr<Module> module = analysis::IsolateInstruction(subject.instruction);
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
  return subject.evaluate(*analysis::IsolateInstruction(*entry.Add(std::move(map))), arguments);
}

static absl::StatusOr<OrderFreedoms> FindLineOrders(const Subject& subject,
                                                    const std::vector<Literal>& golden,
                                                    const std::vector<Literal>& actual) {
  absl::StatusOr<OrderFreedoms> found = OrderFreedoms(Freedom::kUnstableOrder, golden);
  if (subject.instruction.opcode() == Opcode::kSort) {
    found = FindSortOrders(subject, golden, actual);
  } else if (!subject.instruction.GetBool(Attr::kIsStable)) {
    found = FindTopKOrders(subject, golden, actual);
  }
  if (!found.ok()) return found;
  absl::Status status = FindPayloadOrders(subject, actual, &*found);
  if (!status.ok()) return status;
  return found;
}

absl::StatusOr<OrderFreedoms> FindOrderFreedoms(const Subject& subject,
                                                const std::vector<Literal>& golden,
                                                const std::vector<Literal>& actual) {
  const Instruction& instruction = subject.instruction;
  switch (instruction.opcode()) {
    case Opcode::kSort:
    case Opcode::kTopK:
      return FindLineOrders(subject, golden, actual);
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
      if (Picks(*instruction.to_apply())) return FindPicks(subject, golden, actual);
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

}  // namespace assay::conformance
