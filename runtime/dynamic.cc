// Operations on arrays with dynamic dimensions. They run on the valid box alone: the
// operands are cut to their current sizes, the operation runs on arrays of just those sizes, and
// its result is put back into storage of the bound. What lies outside of the box is never read; new
// storage has zeros there. Source: reference ops_structural.md 3.6, 13. Tests: dynamic_test.cc.
#include "runtime/dynamic.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/effect.h"
#include "runtime/engine.h"
#include "runtime/world.h"
#include "spec/element/index_value.h"
#include "spec/ops/shape_inference.h"

namespace assay::runtime {
namespace {

absl::Status RunTimeError(const std::string& text) { return absl::FailedPreconditionError(text); }

bool IsWhole(const Shape& shape, absl::Span<const int64_t> sizes) {
  return shape.dimensions() == sizes;
}

absl::StatusOr<int64_t> ScalarOf(const Literal& value) {
  const absl::StatusOr<Literal> scalar = ToHost(value);
  if (!scalar.ok()) return scalar.status();
  return DecodeSigned(scalar->element_type(), scalar->Get(0).bits);
}

PendingPtr Done(Literal value) {
  return std::make_shared<Present>(std::vector<Literal>{std::move(value)});
}

class GetSize : public Effect {
 public:
  explicit GetSize(const Instruction& op) : op_(op) {}
  absl::StatusOr<PendingPtr> Start(absl::Span<const Literal> operands, CallPath /*path*/, Process&,
                                   Context&) const override {
    const int64_t size = operands[0].dynamic_size(op_.GetInt(Attr::kDimension));
    return Done(Literal::Scalar(ElementType::kS32,
                                {EncodeInteger(ElementType::kS32, static_cast<uint64_t>(size))}));
  }

 private:
  const Instruction& op_;
};

// Keeps the storage: a larger size shows what lies there.
class SetSize : public Effect {
 public:
  explicit SetSize(const Instruction& op) : op_(op) {}
  absl::StatusOr<PendingPtr> Start(absl::Span<const Literal> operands, CallPath /*path*/, Process&,
                                   Context&) const override {
    const int64_t dimension = op_.GetInt(Attr::kDimension);
    const absl::StatusOr<int64_t> size = ScalarOf(operands[1]);
    if (!size.ok()) return size.status();
    const int64_t bound = op_.shape().dimension(dimension);
    if (*size < 0 || *size > bound) {
      return RunTimeError(absl::StrCat("the size ", *size, " of dimension ", dimension,
                                       " is outside of 0 to its bound ", bound));
    }
    Literal value = Literal::FromBuffer(op_.shape(), operands[0].buffer());
    for (int64_t d = 0; d < op_.shape().rank(); ++d) {
      value.set_dynamic_size(d, operands[0].dynamic_size(d));
    }
    value.set_dynamic_size(dimension, *size);
    return Done(std::move(value));
  }

 private:
  const Instruction& op_;
};

// dynamic-reshape, and reshape where sizes follow from the operand's: the valid elements, in order,
// fill the result's box.
absl::StatusOr<PendingPtr> Refill(const Literal& operand, const Dimensions& sizes,
                                  const Shape& shape, const Process& process) {
  absl::StatusOr<Literal> box = CutToSizes(operand, process);
  if (!box.ok()) return box.status();
  const Shape wanted(operand.element_type(), sizes);
  const absl::StatusOr<int64_t> count = wanted.ElementCount();
  if (!count.ok() || *count != box->element_count()) {
    return RunTimeError(absl::StrCat("the operand has ", box->element_count(),
                                     " elements, which do not fill ", wanted.ToString()));
  }
  absl::StatusOr<Literal> value =
      EmbedBox(Literal::FromBuffer(wanted, box->buffer()), shape, process);
  if (!value.ok()) return value.status();
  return Done(*std::move(value));
}

class DynamicReshape : public Effect {
 public:
  explicit DynamicReshape(const Instruction& op) : op_(op) {}
  absl::StatusOr<PendingPtr> Start(absl::Span<const Literal> operands, CallPath /*path*/,
                                   Process& process, Context&) const override {
    Dimensions sizes;
    for (const Literal& operand : operands.subspan(1)) {
      const absl::StatusOr<int64_t> size = ScalarOf(operand);
      if (!size.ok()) return size.status();
      sizes.push_back(*size);
    }
    for (const int64_t size : sizes) {
      if (size < 0) return RunTimeError(absl::StrCat("the size ", size, " is negative"));
    }
    return Refill(operands[0], sizes, op_.shape(), process);
  }

 private:
  const Instruction& op_;
};

// The sizes of a reshape's result. Dimensions fall into groups with equal bounds on both sides, and
// a group may have one size that follows from the others.
absl::StatusOr<Dimensions> ReshapedSizes(const Shape& from, absl::Span<const int64_t> sizes,
                                         const Shape& to) {
  Dimensions result(to.dimensions().begin(), to.dimensions().end());
  int64_t i = 0, j = 0;
  while (i < from.rank() || j < to.rank()) {
    const int64_t first_i = i, first_j = j;
    int64_t before = 1, after = 1;
    do {  // from the side that is behind, until both hold as many
      if (j == to.rank() || (i < from.rank() && before <= after)) {
        before *= from.dimension(i++);
      } else {
        after *= to.dimension(j++);
      }
    } while (before != after && (i < from.rank() || j < to.rank()));
    if (i - first_i == j - first_j && from.dimensions().subspan(first_i, i - first_i) ==
                                          to.dimensions().subspan(first_j, j - first_j)) {
      std::copy(sizes.begin() + first_i, sizes.begin() + i, result.begin() + first_j);
      continue;
    }
    int64_t count = 1, others = 1, open = -1;
    for (int64_t d = first_i; d < i; ++d) count *= sizes[d];
    for (int64_t d = first_j; d < j; ++d) {
      if (!to.is_dynamic_dimension(d)) {
        others *= to.dimension(d);
      } else if (open >= 0) {
        return RunTimeError(absl::StrCat("the sizes of dimensions ", open, " and ", d, " of ",
                                         to.ToString(), " do not follow from those of ",
                                         from.ToString()));
      } else {
        open = d;
      }
    }
    if (open >= 0) result[open] = others == 0 ? 0 : count / others;
  }
  return result;
}

class Reshape : public Effect {
 public:
  explicit Reshape(const Instruction& op) : op_(op) {}
  absl::StatusOr<PendingPtr> Start(absl::Span<const Literal> operands, CallPath /*path*/,
                                   Process& process, Context&) const override {
    absl::StatusOr<Dimensions> sizes =
        ReshapedSizes(operands[0].shape(), operands[0].current_sizes(), op_.shape());
    if (!sizes.ok()) return sizes.status();
    return Refill(operands[0], *sizes, op_.shape(), process);
  }

 private:
  const Instruction& op_;
};

// An update as large as the bound in a dimension gives the result its own size there.
class DynamicUpdate : public Effect {
 public:
  explicit DynamicUpdate(const Instruction& op) : op_(op) {}
  absl::StatusOr<PendingPtr> Start(absl::Span<const Literal> operands, CallPath /*path*/,
                                   Process& process, Context&) const override {
    const Literal &array = operands[0], &update = operands[1];
    Dimensions sizes = array.current_sizes(), kept = sizes, start;
    const Dimensions updated = update.current_sizes();
    const bool one_operand = operands.size() == 3 && operands[2].shape().rank() == 1;
    std::vector<Literal> indices;
    for (const Literal& index : operands.subspan(2)) {
      absl::StatusOr<Literal> on_host = ToHost(index);
      if (!on_host.ok()) return on_host.status();
      indices.push_back(*std::move(on_host));
    }
    for (int64_t d = 0; d < op_.shape().rank(); ++d) {
      const bool whole = update.shape().dimension(d) == array.shape().dimension(d);
      if (whole) sizes[d] = updated[d];
      kept[d] = std::min(kept[d], sizes[d]);
      const Literal& index = indices[one_operand ? 0 : d];
      const int64_t at = IndexValue(index.element_type(), index.Get(one_operand ? d : 0));
      if (updated[d] > sizes[d]) {
        return RunTimeError(absl::StrCat("the update has ", updated[d], " elements in dimension ",
                                         d, ", the array only ", sizes[d]));
      }
      start.push_back(std::clamp<int64_t>(at, 0, sizes[d] - updated[d]));
    }
    absl::StatusOr<Literal> value = process.ZeroArray(op_.shape());
    if (!value.ok()) return value.status();
    absl::Status status = CopyBoxAnywhere(array, kept, Dimensions(kept.size(), 0), &*value);
    if (status.ok()) status = CopyBoxAnywhere(update, updated, start, &*value);
    if (!status.ok()) return status;
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (sizes[d] != op_.shape().dimension(d)) value->set_dynamic_size(d, sizes[d]);
    }
    return Done(*std::move(value));
  }

 private:
  const Instruction& op_;
};

// Everything else: the same instruction with operands of the current sizes.
class OnValidBox : public Effect {
 public:
  OnValidBox(const Instruction& op, const Engine& engine) : op_(op), engine_(engine) {}

  absl::StatusOr<PendingPtr> Start(absl::Span<const Literal> operands, CallPath /*path*/,
                                   Process& process, Context& context) const override {
    std::vector<Literal> boxes;
    std::vector<Dimensions> sizes;
    for (const Literal& operand : operands) {
      absl::StatusOr<Literal> box = CutToSizes(operand, process);
      if (!box.ok()) return box.status();
      sizes.push_back(box->current_sizes());
      boxes.push_back(*std::move(box));
    }
    absl::StatusOr<std::unique_ptr<Sized>> sized = SizedTo(boxes);
    if (!sized.ok()) return sized.status();
    std::vector<ArrayRef> inputs;
    for (const Literal& box : boxes) inputs.push_back({&box.shape(), box.data()});
    std::vector<Literal> results;
    for (const Shape* leaf : Leaves((*sized)->op->shape())) {
      absl::StatusOr<Literal> result = process.NewArray(*leaf);
      if (!result.ok()) return result.status();
      results.push_back(*std::move(result));
    }
    std::vector<MutableArrayRef> outputs;
    for (Literal& result : results) outputs.push_back({&result.shape(), result.mutable_data()});
    absl::Status status = (*sized)->kernel->Execute(inputs, outputs, context);
    if (!status.ok()) return status;
    const std::vector<const Shape*> leaves = Leaves(op_.shape());
    for (size_t i = 0; i < results.size(); ++i) {
      absl::StatusOr<Literal> value = EmbedBox(results[i], *leaves[i], process);
      if (!value.ok()) return value.status();
      results[i] = *std::move(value);
    }
    return std::make_shared<Present>(std::move(results));
  }

 private:
  // The instruction for operands of certain sizes.
  struct Sized : ResizedInstruction {
    std::unique_ptr<Kernel> kernel;
  };

  absl::StatusOr<std::unique_ptr<Sized>> SizedTo(absl::Span<const Literal> boxes) const {
    auto sized = std::make_unique<Sized>();
    static_cast<ResizedInstruction&>(*sized) = OnOperands(op_, op_.opcode(), boxes);
    FitAttributes(boxes, *sized->op);
    absl::StatusOr<Shape> shape = InferShape(*sized->op);
    if (!shape.ok()) return RunTimeError(std::string(shape.status().message()));
    sized->op->set_shape(*std::move(shape));
    KernelOr kernel = engine_.Prepare(*sized->op);
    if (!kernel.ok()) return kernel.status();
    sized->kernel = *std::move(kernel);
    return sized;
  }

  // Attributes and shapes that name sizes of the bound.
  void FitAttributes(absl::Span<const Literal> boxes, Instruction& op) const {
    switch (op_.opcode()) {
      case Opcode::kBroadcast: {
        Dimensions sizes(op_.shape().dimensions().begin(), op_.shape().dimensions().end());
        const auto dimensions = op_.GetInts(Attr::kDimensions);
        for (size_t i = 0; i < dimensions.size(); ++i) {
          sizes[dimensions[i]] = boxes[0].shape().dimension(static_cast<int64_t>(i));
        }
        op.set_shape(Shape(op_.shape().element_type(), sizes));
        return;
      }
      case Opcode::kSlice: {
        Slices slices = op_.slices();
        for (size_t d = 0; d < slices.size(); ++d) {
          slices[d].limit = std::min(slices[d].limit, boxes[0].shape().dimension(d));
          slices[d].start = std::min(slices[d].start, slices[d].limit);
        }
        op.SetAttribute(Attr::kSlice, std::move(slices));
        break;
      }
      case Opcode::kDynamicSlice:
        FitSliceSizes(Attr::kDynamicSliceSizes, boxes[0].shape(), op);
        break;
      case Opcode::kGather:
        FitSliceSizes(Attr::kSliceSizes, boxes[0].shape(), op);
        break;
      default:
        break;
    }
    Shape shape = op_.shape();
    if (!shape.is_array()) return;
    // Rules that look at the declared shape look at its element type, or at sizes that elementwise
    // operations share with their operands.
    Dimensions sizes(shape.dimensions().begin(), shape.dimensions().end());
    if (op_.info().elementwise() || op_.opcode() == Opcode::kBitcastConvert) {
      for (const Literal& box : boxes) {
        if (box.shape().rank() != shape.rank()) continue;
        sizes.assign(box.shape().dimensions().begin(), box.shape().dimensions().end());
        break;
      }
    }
    op.set_shape(Shape(shape.element_type(), sizes));
  }

  static void FitSliceSizes(Attr attr, const Shape& array, Instruction& op) {
    const auto before = op.GetInts(attr);
    std::vector<int64_t> sizes(before.begin(), before.end());
    for (size_t d = 0; d < sizes.size(); ++d) {
      sizes[d] = std::min(sizes[d], array.dimension(static_cast<int64_t>(d)));
    }
    op.SetAttribute(attr, std::move(sizes));
  }

  const Instruction& op_;
  const Engine& engine_;
};

}  // namespace

absl::StatusOr<Literal> CutToSizes(const Literal& value, const Process& process) {
  const Dimensions sizes = value.current_sizes();
  const Shape shape(value.element_type(), sizes);
  if (IsWhole(value.shape(), sizes)) return Literal::FromBuffer(shape, value.buffer());
  absl::StatusOr<Literal> cut = process.NewArray(shape);
  if (!cut.ok()) return cut;
  absl::Status status = CopyBoxAnywhere(value, sizes, Dimensions(sizes.size(), 0), &*cut);
  if (!status.ok()) return status;
  return cut;
}

absl::StatusOr<Literal> EmbedBox(const Literal& box, const Shape& shape, const Process& process) {
  const Dimensions sizes = box.current_sizes();
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (sizes[d] == shape.dimension(d) ||
        (shape.is_dynamic_dimension(d) && sizes[d] < shape.dimension(d))) {
      continue;
    }
    return RunTimeError(absl::StrCat("dimension ", d, " of the result has ", sizes[d],
                                     " elements, but its shape is ", shape.ToString()));
  }
  if (IsWhole(shape, sizes)) return Literal::FromBuffer(shape, box.buffer());
  absl::StatusOr<Literal> value = process.ZeroArray(shape);
  if (!value.ok()) return value;
  absl::Status status = CopyBoxAnywhere(box, sizes, Dimensions(sizes.size(), 0), &*value);
  if (!status.ok()) return status;
  for (size_t d = 0; d < sizes.size(); ++d) value->set_dynamic_size(d, sizes[d]);
  return value;
}

ResizedInstruction OnOperands(const Instruction& like, Opcode opcode,
                              absl::Span<const Literal> operands) {
  ResizedInstruction resized;
  resized.op = std::make_unique<Instruction>(opcode, like.shape());
  resized.op->set_name(like.name());
  resized.op->set_position(like.position());
  for (const auto& [attr, value] : like.attributes().entries()) {
    resized.op->SetAttribute(attr, value);
  }
  for (const Literal& operand : operands) {
    resized.operands.push_back(std::make_unique<Instruction>(Opcode::kParameter, operand.shape()));
    resized.op->AppendOperand(resized.operands.back().get());
  }
  return resized;
}

EffectOr PrepareDynamicEffect(const Instruction& instruction, const Engine& engine) {
  switch (instruction.opcode()) {
    case Opcode::kDynamicReshape:
      return std::make_unique<DynamicReshape>(instruction);
    case Opcode::kDynamicUpdateSlice:
      return std::make_unique<DynamicUpdate>(instruction);
    case Opcode::kGetDimensionSize:
      return std::make_unique<GetSize>(instruction);
    case Opcode::kReshape:
      return std::make_unique<Reshape>(instruction);
    case Opcode::kSetDimensionSize:
      return std::make_unique<SetSize>(instruction);
    default:
      return std::make_unique<OnValidBox>(instruction, engine);
  }
}

}  // namespace assay::runtime
