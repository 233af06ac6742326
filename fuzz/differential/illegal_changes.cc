#include "fuzz/differential/illegal_changes.h"

#include <iterator>
#include <utility>
#include <vector>

#include "fuzz/programs/choices.h"

namespace assay::fuzz {
namespace {

class Draw {
 public:
  explicit Draw(uint64_t* state) : state_(state) {}
  int64_t Below(int64_t limit) {
    return limit < 2 ? 0 : static_cast<int64_t>(NextRandom(state_) % static_cast<uint64_t>(limit));
  }
  template <typename Container>
  auto& Of(Container&& container) {
    return container[Below(static_cast<int64_t>(std::size(container)))];
  }
  int64_t OtherNumber(int64_t number) {
    const int64_t others[] = {-1, number + 1, number - 1, 1 << 20, number + 7, INT64_MAX, -7, 0};
    return Of(others);
  }

 private:
  uint64_t* const state_;
};

// One entry more, one less, or another number in an entry. An entry that is added is a copy.
template <typename T, typename Change>
bool ChangeList(std::vector<T>* list, Draw& draw, Change change) {
  const int64_t kind = draw.Below(3);
  if (list->empty() || kind == 0) {
    list->push_back(list->empty() ? T() : draw.Of(*list));
  } else if (kind == 1) {
    list->erase(list->begin() + draw.Below(static_cast<int64_t>(list->size())));
  } else {
    change(&draw.Of(*list));
  }
  return true;
}

// How a value of each kind is changed; false for kinds that have nothing to change.
struct ValueChange {
  Draw& draw;
  const Module& module;

  void Number(int64_t* number) const { *number = draw.OtherNumber(*number); }

  template <typename T>
  bool operator()(T& /*value*/) const {
    return false;
  }
  bool operator()(bool& value) const {
    value = !value;
    return true;
  }
  bool operator()(int64_t& value) const {
    Number(&value);
    return true;
  }
  bool operator()(std::vector<int64_t>& list) const {
    return ChangeList(&list, draw, [&](int64_t* number) { Number(number); });
  }
  bool operator()(std::vector<std::vector<int64_t>>& lists) const {
    return ChangeList(&lists, draw, [&](std::vector<int64_t>* list) { (*this)(*list); });
  }
  bool operator()(Slices& slices) const {
    return ChangeList(&slices, draw, [&](SliceRange* range) {
      int64_t* const parts[] = {&range->start, &range->limit, &range->stride};
      Number(draw.Of(parts));
    });
  }
  bool operator()(Window& window) const {
    return ChangeList(&window.dimensions, draw, [&](WindowDimension* d) {
      int64_t* const parts[] = {&d->size,         &d->stride,          &d->padding_low,
                                &d->padding_high, &d->window_dilation, &d->base_dilation};
      Number(draw.Of(parts));
    });
  }
  bool operator()(PaddingConfig& padding) const {
    return ChangeList(&padding.dimensions, draw, [&](PaddingDimension* d) {
      int64_t* const parts[] = {&d->low, &d->high, &d->interior};
      Number(draw.Of(parts));
    });
  }
  bool operator()(Boxed<ConvolutionDimensions>& box) const {
    if (!box) return false;
    ConvolutionDimensions& labels = *box;
    std::vector<int64_t*> parts = {&labels.input_batch,          &labels.input_feature,
                                   &labels.kernel_input_feature, &labels.kernel_output_feature,
                                   &labels.output_batch,         &labels.output_feature,
                                   &labels.input_rank,           &labels.kernel_rank,
                                   &labels.output_rank};
    for (auto* spatial : {&labels.input_spatial, &labels.kernel_spatial, &labels.output_spatial}) {
      for (int64_t& each : *spatial) parts.push_back(&each);
    }
    // Near numbers: labels stand in a text by their places.
    int64_t& number = *draw.Of(parts);
    number = number > 0 && draw.Below(2) == 0 ? number - 1 : number + 1;
    return true;
  }
  bool operator()(Boxed<ReplicaGroups>& box) const {
    if (!box) return false;
    if (box->form == ReplicaGroups::Form::kList) return (*this)(box->groups);
    Number(draw.Below(2) == 0 ? &box->group_count : &box->group_size);
    return true;
  }
  bool operator()(ResultAccuracy& accuracy) const {
    accuracy.ulps = draw.Below(2) == 0 ? -1 : accuracy.ulps + 1;
    return true;
  }
  bool operator()(OutputOperandAliases& aliases) const {
    return ChangeList(&aliases, draw, [&](OutputOperandAlias* alias) { Number(&alias->operand); });
  }
  bool operator()(std::vector<Shape>& shapes) const {
    return ChangeList(&shapes, draw,
                      [](Shape* shape) { *shape = Shape::Scalar(ElementType::kS32); });
  }
  bool operator()(Computation*& callee) const {
    callee = draw.Of(module.computations()).get();
    return true;
  }
  bool operator()(std::vector<Computation*>& callees) const {
    return ChangeList(&callees, draw, [&](Computation** callee) { (*this)(*callee); });
  }
};

class Change {
 public:
  Change(Module* module, Instruction* victim, Draw draw)
      : module_(*module), victim_(*victim), draw_(draw) {}

  bool Attribute() {
    const auto& entries = victim_.attributes().entries();
    if (entries.empty()) return false;
    auto [attr, value] = draw_.Of(entries);
    if (draw_.Below(3) == 0) {
      victim_.EraseAttribute(attr);
      return true;
    }
    if (!std::visit(ValueChange{draw_, module_}, value)) return false;
    victim_.SetAttribute(attr, std::move(value));
    return true;
  }

  bool ShapeOfResult() {
    if (victim_.opcode() == Opcode::kConstant) return false;
    Shape shape = victim_.shape();
    if (!ChangeShape(&shape)) return false;
    victim_.set_shape(std::move(shape));
    return true;
  }

  // Another earlier instruction, one operand more, or one less.
  bool Operands() {
    if (victim_.index() == 0) return false;
    std::vector<Instruction*> operands(victim_.operands().begin(), victim_.operands().end());
    Instruction* const earlier = victim_.parent()->instruction(draw_.Below(victim_.index()));
    ChangeList(&operands, draw_, [&](Instruction** operand) { *operand = earlier; });
    for (Instruction*& operand : operands) {
      if (operand == nullptr) operand = earlier;
    }
    victim_.set_operands(operands);
    return true;
  }

  // Not in the entry: arguments go by these numbers.
  bool ParameterNumber() {
    const bool in_entry = victim_.parent() == module_.entry();
    if (victim_.opcode() != Opcode::kParameter || in_entry) return false;
    victim_.set_parameter_number(draw_.Below(4) == 0 ? -1 : victim_.parameter_number() + 1);
    return true;
  }

  bool Name() {
    Computation& parent = *victim_.parent();
    if (draw_.Below(3) == 0) {
      parent.set_name(draw_.Of(module_.computations())->name());
    } else {
      const Computation& other = *draw_.Of(module_.computations());
      if (other.instructions().empty()) return false;
      victim_.set_name(draw_.Of(other.instructions())->name());
    }
    return true;
  }

  bool Root() {
    if (victim_.parent()->root() == &victim_) return false;
    victim_.parent()->set_root(&victim_);
    return true;
  }

  // A literal of another shape than the constant's.
  bool LiteralOfConstant() {
    if (victim_.opcode() != Opcode::kConstant) return false;
    Shape shape = victim_.shape();
    if (!ChangeShape(&shape) || !shape.is_array()) return false;
    const absl::StatusOr<int64_t> count = shape.ElementCount();
    constexpr int64_t kMostElements = 4096;
    if (!count.ok() || *count > kMostElements) return false;
    victim_.set_literal(Literal::Zeros(shape));
    return true;
  }

  bool Header() {
    const auto parameters = static_cast<int64_t>(module_.entry()->parameters().size());
    InputOutputAlias alias;
    switch (draw_.Below(5)) {
      case 0:
        alias.parameter_number = parameters + draw_.Below(2);
        break;
      case 1:
        alias.output_index = {draw_.Below(3)};
        break;
      case 2:
        alias.parameter_index = {1};
        break;
      case 3:
        module_.buffer_donors.push_back({parameters, {}});
        return true;
      default:
        Schedule();
        return true;
    }
    alias.kind = draw_.Below(2) == 0 ? AliasKind::kMay : AliasKind::kMust;
    module_.input_output_alias = {alias, alias};
    return true;
  }

 private:
  // A schedule in which one computation has no order, one of other instructions, or a wrong one.
  void Schedule() {
    module_.is_scheduled = true;
    for (const auto& computation : module_.computations()) {
      std::vector<Instruction*> order;
      for (const auto& each : computation->instructions()) order.push_back(each.get());
      if (computation.get() == victim_.parent()) {
        const int64_t kind = draw_.Below(4);
        if (kind == 0) order.clear();
        if (kind == 1) order.push_back(order.back());
        if (kind == 2) order.pop_back();
        if (kind == 3) std::swap(order.front(), draw_.Of(order));
      }
      computation->set_schedule(std::move(order));
    }
  }

  bool ChangeShape(Shape* shape) {
    shape->ClearLayouts();
    if (shape->is_tuple()) {
      std::vector<Shape>& elements = shape->mutable_tuple_shapes();
      if (!elements.empty() && draw_.Below(4) == 0) {
        *shape = Shape(elements.front());
        return true;
      }
      return ChangeList(&elements, draw_, [&](Shape* element) {
        if (!ChangeShape(element)) *element = Shape::Scalar(ElementType::kU8);
      });
    }
    if (!shape->is_array()) return false;
    const int64_t kind = draw_.Below(5);
    if (kind == 4) {
      *shape = draw_.Below(2) == 0 ? Shape::Token() : Shape::Tuple({*shape, *shape});
    } else if (shape->rank() > 0 && kind < 2) {
      const int64_t d = draw_.Below(shape->rank());
      shape->set_dimension(d, kind == 0 ? shape->dimension(d) + 1 : -1);
    } else if (kind == 2) {
      Dimensions sizes(shape->dimensions().begin(), shape->dimensions().end());
      if (!sizes.empty() && draw_.Below(2) == 0) {
        sizes.pop_back();
      } else {
        sizes.push_back(1 + draw_.Below(2));
      }
      *shape = Shape(shape->element_type(), sizes);
    } else {
      static constexpr ElementType kTypes[] = {ElementType::kS32,  ElementType::kF32,
                                               ElementType::kPred, ElementType::kU8,
                                               ElementType::kC64,  ElementType::kBF16};
      *shape = Shape(draw_.Of(kTypes), shape->dimensions());
    }
    return true;
  }

  Module& module_;
  Instruction& victim_;
  Draw draw_;
};

}  // namespace

const Instruction* ChangeModule(Module* module, uint64_t* state) {
  Draw draw(state);
  Computation* computation = module->entry();
  if (draw.Below(3) == 0) computation = draw.Of(module->computations()).get();
  Instruction* const victim = draw.Of(computation->instructions()).get();
  static constexpr bool (Change::*kChanges[])() = {
      &Change::Attribute,      &Change::ShapeOfResult, &Change::Operands,
      &Change::Attribute,      &Change::ShapeOfResult, &Change::Operands,
      &Change::Attribute,      &Change::Root,          &Change::ParameterNumber,
      &Change::Name,           &Change::Header,        &Change::LiteralOfConstant,
      &Change::ParameterNumber};
  Change change(module, victim, draw);
  return (change.*draw.Of(kChanges))() ? victim : nullptr;
}

}  // namespace assay::fuzz
