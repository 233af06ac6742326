#include "conformance/mutants/defects.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"

namespace assay::conformance {
namespace {

bool IsStatic(const Instruction& instruction) {
  if (instruction.shape().is_dynamic()) return false;
  return absl::c_none_of(instruction.operands(),
                         [](const Instruction* x) { return x->shape().is_dynamic(); });
}

bool Applies(const Where& where, const Instruction& instruction) {
  return IsStatic(instruction) && (where == nullptr || where(instruction));
}

ElementSite SiteOf(const Instruction& instruction, absl::Span<const Literal> operands,
                   const Literal& leaf, int64_t position) {
  ElementSite site = {instruction, leaf.element_type(), leaf.Get(position), position, {}, {}};
  for (const Literal& operand : operands) {
    if (!operand.is_array() || operand.element_count() == 0) continue;
    const bool same = operand.element_count() == leaf.element_count();
    site.types.push_back(operand.element_type());
    site.x.push_back(operand.Get(same ? position : 0));
  }
  return site;
}

}  // namespace

double ElementSite::f(int k) const {
  if (IsComplex(types[k])) return DecodeFloat(Info(types[k]).component, x[k].bits);
  if (IsFloat(types[k])) return DecodeFloat(types[k], x[k].bits);
  return IsSigned(types[k]) ? static_cast<double>(i(k)) : static_cast<double>(u(k));
}

Defect Edit(std::function<void(Instruction&)> edit) {
  return [edit = std::move(edit)](Site& site) { return site.Edited(edit); };
}

Defect EditInts(Attr attr, std::function<void(std::vector<int64_t>&)> edit) {
  return Edit([attr, edit = std::move(edit)](Instruction& instruction) {
    const absl::Span<const int64_t> ints = instruction.GetInts(attr);
    std::vector<int64_t> edited(ints.begin(), ints.end());
    edit(edited);
    instruction.SetAttribute(attr, edited);
  });
}

Defect EditWindow(std::function<void(WindowDimension&)> edit) {
  return Edit([edit = std::move(edit)](Instruction& instruction) {
    Window window = instruction.window();
    for (WindowDimension& dimension : window.dimensions) edit(dimension);
    instruction.SetAttribute(Attr::kWindow, window);
  });
}

Defect EditRegion(Attr attr, std::function<void(Instruction&)> edit) {
  return [attr, edit = std::move(edit)](Site& site) -> Instruction* {
    if (site.original().GetComputation(attr) == nullptr) return nullptr;
    Computation* callee = site.EditedCallee(attr, edit);
    return site.Edited([&](Instruction& instruction) { instruction.SetAttribute(attr, callee); });
  };
}

Defect SwapParameters(Attr attr) {
  return EditRegion(attr, [](Instruction& instruction) {
    if (instruction.opcode() == Opcode::kParameter) {
      instruction.set_parameter_number(instruction.parameter_number() ^ 1);
    }
  });
}

Defect Reorder(std::function<void(std::vector<Instruction*>&)> reorder) {
  return Edit([reorder = std::move(reorder)](Instruction& instruction) {
    std::vector<Instruction*> operands(instruction.operands().begin(),
                                       instruction.operands().end());
    reorder(operands);
    instruction.set_operands(operands);
  });
}

Defect OnResult(ResultDefect defect, Where where) {
  return [defect = std::move(defect), where = std::move(where)](Site& site) -> Instruction* {
    if (!Applies(where, site.original())) return nullptr;
    std::vector<Instruction*> operands = site.operands();
    operands.push_back(site.Unchanged());
    return site.Call(operands, site.original().shape(),
                     [defect](const Instruction& original, absl::Span<const Literal> values,
                              const CustomCall& call) -> absl::StatusOr<Literal> {
                       std::vector<Literal> leaves = Flatten(values.back());
                       values.remove_suffix(1);
                       defect(original, values, &leaves, call);
                       return Unflatten(original.shape(), leaves);
                     });
  };
}

Defect OnElements(ElementDefect defect, Where where) {
  return OnResult(
      [defect = std::move(defect)](const Instruction& instruction,
                                   absl::Span<const Literal> operands, std::vector<Literal>* leaves,
                                   const CustomCall&) {
        for (Literal& leaf : *leaves) {
          if (!leaf.is_array()) continue;
          for (int64_t i = 0; i < leaf.element_count(); ++i) {
            leaf.Set(i, defect(SiteOf(instruction, operands, leaf, i)));
          }
        }
      },
      std::move(where));
}

Defect OnOperand(int64_t k, OperandDefect defect, Where where) {
  return [k, defect = std::move(defect), where = std::move(where)](Site& site) -> Instruction* {
    if (!Applies(where, site.original())) return nullptr;
    std::vector<Instruction*> operands = site.operands();
    for (int64_t n = 0; n < static_cast<int64_t>(operands.size()); ++n) {
      const Shape& shape = site.original().operand(n)->shape();
      if ((k >= 0 && n != k) || !shape.is_array()) continue;
      operands[n] = site.Call(
          {operands[n]}, shape,
          [defect](const Instruction&, absl::Span<const Literal> values, const CustomCall&) {
            Literal changed = values[0];
            for (int64_t i = 0; i < changed.element_count(); ++i) {
              changed.Set(i, defect(changed.element_type(), changed.Get(i)));
            }
            return changed;
          });
    }
    return site.Edited([&](Instruction& instruction) { instruction.set_operands(operands); });
  };
}

Defect Instead(HostFunction function, Where where) {
  return [function = std::move(function), where = std::move(where)](Site& site) -> Instruction* {
    if (!Applies(where, site.original())) return nullptr;
    return site.Call(site.operands(), site.original().shape(), function);
  };
}

Defect Forward(int64_t k) {
  return [k](Site& site) -> Instruction* {
    const Instruction& original = site.original();
    if (k >= original.operand_count()) return nullptr;
    return Shape::Compatible(original.operand(k)->shape(), original.shape()) ? site.operand(k)
                                                                             : nullptr;
  };
}

Where TypeIs(std::initializer_list<ElementType> types) {
  return [types = std::vector<ElementType>(types)](const Instruction& instruction) {
    const Shape& shape = *Leaves(instruction.shape()).front();
    return absl::c_linear_search(types, shape.element_type());
  };
}

Where OperandTypeIs(int64_t k, std::initializer_list<ElementType> types) {
  return [k, types = std::vector<ElementType>(types)](const Instruction& instruction) {
    return absl::c_linear_search(types, instruction.operand(k)->shape().element_type());
  };
}

Where FloatResult() {
  return [](const Instruction& x) { return IsFloat(x.shape().element_type()); };
}
Where IntegerResult() {
  return [](const Instruction& x) { return IsInteger(x.shape().element_type()); };
}
Where SignedResult() {
  return [](const Instruction& x) { return IsSigned(x.shape().element_type()); };
}
Where ComplexResult() {
  return [](const Instruction& x) { return IsComplex(x.shape().element_type()); };
}
bool IsIntegerOperand(const Instruction& instruction, int64_t k) {
  return IsInteger(instruction.operand(k)->shape().element_type());
}

Element NegativeZeroLost(ElementType type, Element element) {
  if (IsFloat(type) && IsZero(type, element.bits)) return {0, 0};
  return element;
}

Element Flushed(ElementType type, Element element) {
  if (IsComplex(type)) {
    const ElementType part = Info(type).component;
    return {Flushed(part, {element.bits, 0}).bits, Flushed(part, {element.imag, 0}).bits};
  }
  if (!IsFloat(type) || !IsSubnormal(type, element.bits)) return element;
  return {EncodeFloat(type, IsNegative(type, element.bits) ? -0.0 : 0.0), 0};
}

double TruncatedTo(double value, int significand_bits) {
  if (value == 0 || !std::isfinite(value)) return value;
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  const double scaled = std::trunc(std::ldexp(fraction, significand_bits));
  return std::ldexp(scaled, exponent - significand_bits);
}

double RoundedTo(ElementType type, double value) {
  return DecodeFloat(type, EncodeFloat(type, value));
}

Element NextAfter(ElementType type, Element element, int64_t ulps) {
  if (!IsFloat(type) || IsNan(type, element.bits) || IsInfinity(type, element.bits) ||
      IsZero(type, element.bits)) {
    return element;
  }
  const Element next = {element.bits + static_cast<uint64_t>(ulps), 0};
  return IsNan(type, next.bits) || IsInfinity(type, next.bits) ? element : next;
}

int64_t SaturatedTo(ElementType type, __int128 value) {
  const __int128 low = IsSigned(type) ? MinSigned(type) : 0;
  const __int128 high = IsSigned(type) ? static_cast<__int128>(MaxSigned(type))
                                       : static_cast<__int128>(MaxUnsigned(type));
  return static_cast<int64_t>(std::clamp(value, low, high));
}

absl::StatusOr<Literal> Golden(const Instruction& instruction, absl::Span<const Literal> operands,
                               evaluator::EvaluationContext& context) {
  absl::StatusOr<std::unique_ptr<evaluator::Kernel>> kernel = evaluator::PrepareKernel(instruction);
  if (!kernel.ok()) return kernel.status();
  std::vector<runtime::ArrayRef> in;
  for (const Literal& operand : operands) in.push_back({&operand.shape(), operand.data()});
  std::vector<Literal> leaves;
  for (const Shape* leaf : Leaves(instruction.shape())) leaves.push_back(Literal::Zeros(*leaf));
  std::vector<runtime::MutableArrayRef> out;
  for (Literal& leaf : leaves) out.push_back({&leaf.shape(), leaf.mutable_data()});
  absl::Status status = (*kernel)->Run(in, out, context);
  if (!status.ok()) return status;
  return Unflatten(instruction.shape(), leaves);
}

}  // namespace assay::conformance
