#include "backends/cpu/element_region.h"

#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "spec/analysis/inliner.h"
#include "spec/views/view.h"

namespace assay::cpu {
namespace {

using analysis::FlatRegion;

// Longer programs are left to the kernels of their instructions.
constexpr int64_t kMostRegisters = 4096;

absl::Status Refuse(const Instruction& instruction) {
  return absl::UnimplementedError(
      absl::StrCat("not a program on few elements: ", instruction.Describe()));
}

// An array: the registers of its elements, or a large leaf of the state.
struct ElementLeaf {
  std::vector<int32_t> registers;
  int64_t large = -1;       // the number of the leaf
  bool is_written = false;  // the leaf after the write
};

// Calls f for every index of an array, in row-major order.
template <typename F>
void ForEachIndex(absl::Span<const int64_t> sizes, F f) {
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  Dimensions index(sizes.size(), 0);
  for (; count > 0; --count) {
    f(index);
    for (size_t d = sizes.size(); d-- > 0;) {
      if (++index[d] < sizes[d]) break;
      index[d] = 0;
    }
  }
}

class ElementFlattener : private analysis::Inliner<ElementLeaf> {
 public:
  absl::StatusOr<ElementRegion> Run(const Computation& computation) {
    if (computation.parameters().size() != 1) return Refuse(*computation.root());
    Value state;
    for (const Shape* leaf : Leaves(computation.parameters()[0]->shape())) {
      if (!leaf->is_array() || leaf->is_dynamic()) return Refuse(*computation.root());
      if (IsInRegisters(*leaf)) {
        state.push_back({NewRegisters(leaf->element_count())});
        region_.flat.parameter_types.insert(region_.flat.parameter_types.end(),
                                            leaf->element_count(), leaf->element_type());
      } else {
        state.push_back({.registers = {}, .large = static_cast<int64_t>(state.size())});
      }
    }
    absl::StatusOr<Value> root = Walk(computation, {std::move(state)});
    if (!root.ok()) return root.status();
    const std::vector<const Shape*> leaves = Leaves(computation.root()->shape());
    for (size_t i = 0; i < root->size(); ++i) {
      const ElementLeaf& leaf = (*root)[i];
      if (leaf.large >= 0 && leaf.large != static_cast<int64_t>(i)) {
        return Refuse(*computation.root());
      }
      for (const int32_t number : leaf.registers) {
        region_.flat.results.push_back(number);
        region_.flat.result_types.push_back(leaves[i]->element_type());
      }
    }
    // A call may write what its caller does not need.
    std::erase_if(region_.writes, [&root](const ElementRegion::Slice& slice) {
      return slice.leaf >= static_cast<int64_t>(root->size()) || !(*root)[slice.leaf].is_written;
    });
    Renumber();
    return std::move(region_);
  }

 private:
  absl::Status CheckSize(const Computation& computation) override {
    return region_.flat.register_count <= kMostRegisters && visited() <= 4 * kMostRegisters
               ? absl::OkStatus()
               : Refuse(*computation.root());
  }

  absl::StatusOr<Value> Emit(const Instruction& instruction, Operands operands) override {
    ++region_.instructions;
    const Shape& shape = instruction.shape();
    if (!shape.is_array() || shape.is_dynamic()) return Refuse(instruction);
    if (instruction.opcode() == Opcode::kCopy ||
        instruction.opcode() == Opcode::kOptimizationBarrier) {
      return operands(0);
    }
    if (instruction.opcode() == Opcode::kDynamicUpdateSlice)
      return EmitWrite(instruction, operands);
    if (!IsInRegisters(shape)) return Refuse(instruction);
    if (instruction.opcode() == Opcode::kDynamicSlice) return EmitRead(instruction, operands);
    for (int64_t k = 0; k < instruction.operand_count(); ++k) {
      if (operands(k).size() != 1 || operands(k)[0].large >= 0) return Refuse(instruction);
    }
    if (instruction.opcode() == Opcode::kConstant) return EmitConstant(instruction);
    if (instruction.info().elementwise() ||
        (instruction.opcode() == Opcode::kBitcastConvert &&
         instruction.operand(0)->shape().dimensions() == shape.dimensions())) {
      return EmitElementwise(instruction, operands);
    }
    return EmitMove(instruction, operands);
  }

  absl::StatusOr<Value> EmitConstant(const Instruction& instruction) {
    const Literal* literal = instruction.literal();
    if (literal == nullptr || !literal->is_array()) return Refuse(instruction);
    ElementLeaf result{NewRegisters(instruction.shape().element_count())};
    for (size_t i = 0; i < result.registers.size(); ++i) {
      region_.flat.constants.emplace_back(result.registers[i], literal->Get(i));
    }
    return Value{std::move(result)};
  }

  absl::StatusOr<Value> EmitElementwise(const Instruction& instruction, Operands operands) {
    const int64_t count = instruction.shape().element_count();
    ElementLeaf result{NewRegisters(count)};
    for (int64_t i = 0; i < count; ++i) {
      FlatRegion::Step step{&instruction, {}, result.registers[i]};
      for (int64_t k = 0; k < instruction.operand_count(); ++k) {
        const std::vector<int32_t>& from = operands(k)[0].registers;
        // Scalars stand for all elements (the limits of clamp, the predicate of select).
        const bool is_scalar = instruction.operand(k)->shape().is_scalar();
        if (!is_scalar && static_cast<int64_t>(from.size()) != count) return Refuse(instruction);
        step.operands[k] = from[is_scalar ? 0 : i];
      }
      region_.flat.steps.push_back(step);
    }
    return Value{std::move(result)};
  }

  // The result has registers of the operands.
  absl::StatusOr<Value> EmitMove(const Instruction& instruction, Operands operands) {
    const Shape& shape = instruction.shape();
    if (instruction.opcode() == Opcode::kReshape &&
        instruction.operand(0)->shape().element_type() == shape.element_type()) {
      return operands(0);
    }
    std::vector<View> views;
    for (int64_t k = 0; k < instruction.operand_count(); ++k) {
      const Shape& operand = instruction.operand(k)->shape();
      if (operand.element_type() != shape.element_type()) return Refuse(instruction);
      views.push_back(View::Dense(operand.dimensions(), k));
    }
    const std::optional<View> view = ViewOf(instruction, views);
    if (!view.has_value()) return Refuse(instruction);
    ElementLeaf result;
    ForEachIndex(shape.dimensions(), [&](absl::Span<const int64_t> index) {
      const View::Location from = view->At(index);
      result.registers.push_back(operands(from.source)[0].registers[from.position]);
    });
    return Value{std::move(result)};
  }

  // The slice of `sizes` of the large leaf that is operand 0; operands from `first` on are starts.
  absl::StatusOr<ElementRegion::Slice> SliceOf(const Instruction& instruction, Operands operands,
                                               int64_t first, const Shape& sizes) {
    const Shape& whole = instruction.operand(0)->shape();
    const ElementLeaf& leaf = operands(0)[0];
    // What is written is not read in the same iteration.
    if (leaf.large < 0 || leaf.is_written) return Refuse(instruction);
    if (whole.element_type() != sizes.element_type()) return Refuse(instruction);
    ElementRegion::Slice slice;
    slice.leaf = leaf.large;
    slice.sizes.assign(sizes.dimensions().begin(), sizes.dimensions().end());
    slice.limits.assign(whole.dimensions().begin(), whole.dimensions().end());
    for (int64_t k = first; k < instruction.operand_count(); ++k) {
      const Shape& start = instruction.operand(k)->shape();
      if (!start.is_scalar() || operands(k)[0].registers.size() != 1) return Refuse(instruction);
      slice.start_type = start.element_type();
      slice.starts.push_back(operands(k)[0].registers[0]);
    }
    if (slice.starts.size() != slice.sizes.size()) return Refuse(instruction);
    return slice;
  }

  absl::StatusOr<Value> EmitRead(const Instruction& instruction, Operands operands) {
    auto slice = SliceOf(instruction, operands, 1, instruction.shape());
    if (!slice.ok()) return slice.status();
    slice->elements = NewRegisters(instruction.shape().element_count());
    region_.flat.parameter_types.insert(region_.flat.parameter_types.end(), slice->elements.size(),
                                        instruction.shape().element_type());
    region_.reads.push_back(*slice);
    return Value{{slice->elements}};
  }

  absl::StatusOr<Value> EmitWrite(const Instruction& instruction, Operands operands) {
    if (!IsInRegisters(instruction.operand(1)->shape())) return Refuse(instruction);
    auto slice = SliceOf(instruction, operands, 2, instruction.operand(1)->shape());
    if (!slice.ok()) return slice.status();
    for (const ElementRegion::Slice& other : region_.writes) {
      if (other.leaf == slice->leaf) return Refuse(instruction);
    }
    slice->elements = operands(1)[0].registers;
    region_.writes.push_back(*slice);
    return Value{{.registers = {}, .large = slice->leaf, .is_written = true}};
  }

  std::vector<int32_t> NewRegisters(int64_t count) {
    std::vector<int32_t> registers;
    for (; count > 0; --count) {
      registers.push_back(static_cast<int32_t>(region_.flat.register_count++));
    }
    return registers;
  }

  // Makes the registers of slices that are read follow those of the state.
  void Renumber() {
    FlatRegion& flat = region_.flat;
    std::vector<int32_t> numbers(flat.register_count, -1);
    int64_t read_count = 0;
    for (const auto& read : region_.reads) read_count += read.elements.size();
    const auto state_count = static_cast<int32_t>(flat.parameter_types.size() - read_count);
    int32_t next = 0;
    for (; next < state_count; ++next) numbers[next] = next;
    for (const auto& read : region_.reads) {
      for (const int32_t element : read.elements) numbers[element] = next++;
    }
    for (int32_t& number : numbers) {
      if (number < 0) number = next++;
    }
    auto renumber = [&numbers](std::vector<int32_t>& registers) {
      for (int32_t& number : registers) number = numbers[number];
    };
    for (FlatRegion::Step& step : flat.steps) {
      for (int64_t k = 0; k < step.instruction->operand_count(); ++k) {
        step.operands[k] = numbers[step.operands[k]];
      }
      step.result = numbers[step.result];
    }
    for (auto& [number, element] : flat.constants) number = numbers[number];
    renumber(flat.results);
    for (auto* slices : {&region_.reads, &region_.writes}) {
      for (ElementRegion::Slice& slice : *slices) {
        renumber(slice.starts);
        renumber(slice.elements);
      }
    }
  }

  ElementRegion region_;
};

}  // namespace

bool IsInRegisters(const Shape& leaf) { return leaf.element_count() <= kMostElementsInRegisters; }

absl::StatusOr<ElementRegion> FlattenElements(const Computation& computation) {
  return ElementFlattener().Run(computation);
}

}  // namespace assay::cpu
