// What the reference checks and fills in once an instruction's operands and attributes are read:
// operand counts, shapes that are rewritten or inferred, defaults that depend on operands
// (hlo_text_format.md 6.4, 6.5, 7.4, 8). Anything else about shapes is verification's work.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "spec/ops/shape_inference.h"
#include "spec/text/module_parser.h"

namespace assay {
namespace {

ComparisonType DefaultComparison(ElementType type) {
  if (IsSigned(type)) return ComparisonType::kSigned;
  if (IsUnsigned(type) || IsPred(type)) return ComparisonType::kUnsigned;
  return ComparisonType::kFloat;
}

bool HasUnboundedDimension(const Shape& shape) {
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (shape.is_unbounded_dimension(d)) return true;
  }
  return false;
}

constexpr absl::string_view kCounts[] = {"no operands", "1 operand",  "2 operands", "3 operands",
                                         "4 operands",  "5 operands", "6 operands"};

}  // namespace

bool ModuleParser::FailInstruction(const Draft& draft, absl::string_view message) {
  return reader_.FailAt(draft.opcode_at,
                        absl::StrCat(draft.instruction->info().name, " ", message));
}

bool ModuleParser::FinishInstruction(Draft& draft) {
  Instruction& instruction = *draft.instruction;
  if (instruction.opcode() == Opcode::kDot && instruction.operand_count() > 2) {
    // XLA's reader looks at the first two only: sparse operands once had more.
    instruction.set_operands({{instruction.operand(0), instruction.operand(1)}});
  }
  if (!CheckOperandCount(instruction, draft.opcode_at, draft.has_shape) ||
      !ApplyOperationRules(draft, instruction)) {
    return false;
  }
  if (!instruction.has_annotations()) return true;
  Annotations& annotations = instruction.mutable_annotations();
  const Shape& shape = instruction.shape();
  if (annotations.parameter_replication) {
    if (instruction.opcode() != Opcode::kParameter) {
      return FailInstruction(draft, "takes no parameter_replication: it is not a parameter");
    }
    const int64_t given = static_cast<int64_t>(annotations.parameter_replication->size());
    if (given != shape.leaf_count()) {
      return FailInstruction(draft, absl::StrCat("has ", shape.leaf_count(),
                                                 " leaves, parameter_replication names ", given));
    }
  }
  // A single sharding of a tuple stands for one per leaf.
  if (annotations.sharding && shape.is_tuple() &&
      annotations.sharding->type != Sharding::Type::kTuple) {
    annotations.sharding = ExpandSharding(*annotations.sharding, shape);
  }
  return true;
}

absl::string_view ModuleParser::MissingOperands(const Instruction& instruction, bool has_shape) {
  const int arity = instruction.info().arity;
  const int64_t count = instruction.operand_count();
  if (arity >= 0) return count == arity ? "" : kCounts[arity];
  switch (arity) {
    case kEvenArity:
      // V1 accepts none where the shape is written.
      return count % 2 == 0 && (count > 0 || has_shape) ? "" : "an even number of operands";
    case kOddArity:
      return count % 2 == 1 ? "" : "an odd number of operands";
    case kAtLeastOne:
      return count >= 1 ? "" : "at least one operand";
    case kAtLeastTwo:
      return count >= 2 ? "" : "at least two operands";
    default:
      return "";
  }
}

bool ModuleParser::CheckOperandCount(const Instruction& instruction, const char* at,
                                     bool has_shape) {
  const absl::string_view wanted = MissingOperands(instruction, has_shape);
  if (wanted.empty()) return true;
  return reader_.FailAt(at, absl::StrCat(instruction.info().name, " takes ", wanted, ", here are ",
                                         instruction.operand_count()));
}

bool ModuleParser::InferMissingShape(const Draft& draft, Instruction& instruction) {
  if (draft.has_shape) return true;
  if (!instruction.info().shape_inferable) {
    return FailInstruction(draft, "needs its result shape before the opcode");
  }
  absl::StatusOr<Shape> shape = InferShapeUnchecked(instruction);
  if (!shape.ok()) {
    return FailInstruction(draft, absl::StrCat("is written without shape, and none follows: ",
                                               shape.status().message()));
  }
  instruction.set_shared_shape(reader_.shapes.Share(*std::move(shape)));
  return true;
}

bool ModuleParser::ApplyOperationRules(Draft& draft, Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kParameter:
      return draft.has_shape || FailInstruction(draft, "needs its shape before the opcode");
    case Opcode::kConstant:
      return true;
    case Opcode::kAfterAll:
      instruction.set_shared_shape(reader_.shapes.Share(Shape::Token()));
      return true;
    case Opcode::kAddDependency:
      instruction.set_shared_shape(instruction.operand(0)->shared_shape());
      return true;
    case Opcode::kInfeed:
    case Opcode::kOutfeed:
    case Opcode::kRecv:
    case Opcode::kRecvDone:
    case Opcode::kSend:
    case Opcode::kSendDone:
      return ApplyHostRules(draft, instruction);
    case Opcode::kAsyncStart:
      return FinishAsyncStart(draft);
    case Opcode::kAsyncUpdate:
    case Opcode::kAsyncDone:
      return FinishAsyncContinuation(draft);
    default:
      return ApplyRulesBeforeShape(draft, instruction) && InferMissingShape(draft, instruction) &&
             ApplyRulesAfterShape(draft, instruction);
  }
}

bool ModuleParser::ApplyRulesBeforeShape(const Draft& draft, Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kMap:
      return draft.has_shape || draft.HasAttribute("dimensions") ||
             FailInstruction(draft, "needs a shape or dimensions");
    case Opcode::kCompare: {
      const auto written = instruction.FindInt(Attr::kComparisonType);
      const ElementType type = instruction.operand(0)->shape().element_type();
      if (written == static_cast<int64_t>(DefaultComparison(type))) {
        instruction.EraseAttribute(Attr::kComparisonType);
      }
      return true;
    }
    case Opcode::kBroadcast:
      return draft.HasAttribute("dimensions") || instruction.operand(0)->shape().is_scalar() ||
             FailInstruction(draft, "needs the attribute 'dimensions'");
    case Opcode::kConditional:
      return CheckConditional(draft, instruction);
    default:
      return true;
  }
}

bool ModuleParser::ApplyRulesAfterShape(const Draft& draft, Instruction& instruction) {
  const Shape& shape = instruction.shape();
  switch (instruction.opcode()) {
    case Opcode::kTuple: {
      const int64_t elements =
          shape.is_tuple() ? static_cast<int64_t>(shape.tuple_shapes().size()) : -1;
      return elements == instruction.operand_count() ||
             FailInstruction(draft, absl::StrCat("of ", instruction.operand_count(),
                                                 " operands cannot have shape ", shape.ToString()));
    }
    case Opcode::kDynamicSlice:
    case Opcode::kDynamicUpdateSlice:
      return CheckIndexCount(draft, instruction);
    case Opcode::kReshape:
    case Opcode::kDynamicReshape:
      return CheckReshape(draft, instruction);
    case Opcode::kMap: {
      // What is written is ignored: a map covers all dimensions.
      std::vector<int64_t> all(shape.rank());
      for (size_t d = 0; d < all.size(); ++d) all[d] = static_cast<int64_t>(d);
      instruction.SetAttribute(Attr::kDimensions, std::move(all));
      return true;
    }
    case Opcode::kScan: {
      const size_t parameters = instruction.to_apply()->parameters().size();
      return instruction.operand_count() == static_cast<int64_t>(parameters) ||
             FailInstruction(draft,
                             absl::StrCat("has ", instruction.operand_count(),
                                          " operands, to_apply has ", parameters, " parameters"));
    }
    case Opcode::kFusion:
      instruction.GetComputation(Attr::kCalls)->set_is_fusion(true);
      return true;
    case Opcode::kCustomCall:
      return CheckCustomCall(draft, instruction);
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kReduceScatter:
      return !instruction.GetBool(Attr::kUseGlobalDeviceIds) ||
             instruction.HasAttribute(Attr::kChannelId) ||
             FailInstruction(draft, "with use_global_device_ids=true needs a channel_id");
    case Opcode::kCollectivePermute:
    case Opcode::kCollectivePermuteStart:
      return !instruction.HasAttribute(Attr::kSliceSizesList) || instruction.operand_count() == 4 ||
             FailInstruction(draft, "with slice_sizes takes exactly 4 operands");
    default:
      return true;
  }
}

bool ModuleParser::ApplyHostRules(const Draft& draft, Instruction& instruction) {
  const Opcode opcode = instruction.opcode();
  if (!draft.has_shape) {
    return FailInstruction(draft, "needs its result shape before the opcode");
  }
  const Shape& written = instruction.shape();
  const Shape& operand = instruction.operand(0)->shape();
  const bool from_written = opcode == Opcode::kInfeed || opcode == Opcode::kRecv;
  const Shape& tuple = from_written ? written : operand;
  const bool takes_element = from_written || opcode == Opcode::kRecvDone;
  if (takes_element && (!tuple.is_tuple() || tuple.tuple_shapes().empty())) {
    return FailInstruction(
        draft, absl::StrCat(from_written ? "needs" : "needs an operand of",
                            " a tuple shape that is not empty, here is ", tuple.ToString()));
  }
  Shape context = Shape::Scalar(ElementType::kU32);
  context.FillLayouts();
  switch (opcode) {
    case Opcode::kInfeed:
      instruction.set_shape(Shape::Tuple({Shape(tuple.tuple_shape(0)), Shape::Token()}));
      return true;
    case Opcode::kRecv:
      instruction.set_shape(Shape::Tuple({Shape(tuple.tuple_shape(0)), context, Shape::Token()}));
      return true;
    case Opcode::kRecvDone:
      instruction.set_shape(Shape::Tuple({tuple.tuple_shape(0), Shape::Token()}));
      return CheckChannels(draft, instruction);
    case Opcode::kSend:
      instruction.set_shape(Shape::Tuple({operand, context, Shape::Token()}));
      return true;
    case Opcode::kSendDone:
      instruction.set_shape(Shape::Token());
      return CheckChannels(draft, instruction);
    default:  // outfeed
      instruction.set_shape(Shape::Token());
      if (!instruction.HasAttribute(Attr::kOutfeedShape)) {
        instruction.SetAttribute(Attr::kOutfeedShape, operand);
      }
      return true;
  }
}

// A done names the channel of the send or recv it ends.
bool ModuleParser::CheckChannels(const Draft& draft, const Instruction& instruction) {
  const Instruction& start = *instruction.operand(0);
  if (start.opcode() != Opcode::kSend && start.opcode() != Opcode::kRecv) return true;
  const auto channel = instruction.FindInt(Attr::kChannelId);
  const auto started = start.FindInt(Attr::kChannelId);
  if (channel == started) return true;
  auto show = [](const std::optional<int64_t>& id) {
    return id ? absl::StrCat("channel_id=", *id) : std::string("no channel_id");
  };
  return FailInstruction(
      draft, absl::StrCat("has ", show(channel), ", but ", start.name(), " has ", show(started)));
}

bool ModuleParser::CheckConditional(const Draft& draft, const Instruction& instruction) {
  const Shape& selector = instruction.operand(0)->shape();
  const bool by_predicate = selector.is_scalar() && IsPred(selector.element_type());
  if (!by_predicate && !(selector.is_scalar() && selector.element_type() == ElementType::kS32)) {
    return FailInstruction(
        draft, absl::StrCat("selects by pred[] or s32[], operand 0 is ", selector.ToString()));
  }
  const bool has_pair =
      draft.HasAttribute("true_computation") && draft.HasAttribute("false_computation");
  const bool has_either =
      draft.HasAttribute("true_computation") || draft.HasAttribute("false_computation");
  const bool has_branches = draft.HasAttribute("branch_computations");
  if (by_predicate) {
    if (!has_pair || has_branches) {
      return FailInstruction(draft,
                             "with a pred[] selector needs true_computation and false_computation");
    }
    return instruction.operand_count() == 3 ||
           FailInstruction(draft, absl::StrCat("with a pred[] selector takes 3 operands, here are ",
                                               instruction.operand_count()));
  }
  if (has_either || !has_branches) {
    return FailInstruction(draft, "with an s32[] selector needs branch_computations");
  }
  const auto* branches =
      instruction.attributes().Get<std::vector<Computation*>>(Attr::kBranchComputations);
  const int64_t count = branches == nullptr ? 0 : static_cast<int64_t>(branches->size());
  if (count < 1) return FailInstruction(draft, "needs at least one branch");
  return instruction.operand_count() == count + 1 ||
         FailInstruction(draft, absl::StrCat("with ", count, " branches takes ", count + 1,
                                             " operands, here are ", instruction.operand_count()));
}

bool ModuleParser::CheckCustomCall(const Draft& draft, const Instruction& instruction) {
  if (instruction.GetInt(Attr::kApiVersion) == static_cast<int64_t>(CustomCallApi::kUnspecified)) {
    return FailInstruction(draft, "cannot have api_version=API_VERSION_UNSPECIFIED");
  }
  const auto* constraints =
      instruction.attributes().Get<std::vector<Shape>>(Attr::kOperandLayoutConstraints);
  if (constraints == nullptr) return true;
  const int64_t count = static_cast<int64_t>(constraints->size());
  if (count != instruction.operand_count()) {
    return FailInstruction(draft, absl::StrCat("has ", instruction.operand_count(),
                                               " operands and ", count, " layout constraints"));
  }
  for (int64_t i = 0; i < count; ++i) {
    const Shape& operand = instruction.operand(i)->shape();
    if (Shape::Compatible((*constraints)[i], operand)) continue;
    return FailInstruction(
        draft, absl::StrCat("has operand ", i, " of shape ", operand.ToString(),
                            ", its layout constraint is for ", (*constraints)[i].ToString()));
  }
  return true;
}

// One rank-1 index, or one scalar per dimension.
bool ModuleParser::CheckIndexCount(const Draft& draft, const Instruction& instruction) {
  const int64_t first = instruction.opcode() == Opcode::kDynamicSlice ? 1 : 2;
  const int64_t indices = instruction.operand_count() - first;
  const int64_t rank = instruction.operand(0)->shape().rank();
  if (indices == rank) return true;
  if (indices == 1 && instruction.operand(first)->shape().rank() == 1) return true;
  return FailInstruction(draft, absl::StrCat("of rank ", rank, " takes ", rank,
                                             " indices or one of rank 1, here are ", indices));
}

bool ModuleParser::CheckReshape(const Draft& draft, const Instruction& instruction) {
  const Shape& from = instruction.operand(0)->shape();
  const Shape& to = instruction.shape();
  if (!from.is_array() || !to.is_array()) return FailInstruction(draft, "needs arrays");
  if (instruction.opcode() == Opcode::kDynamicReshape &&
      instruction.operand_count() != to.rank() + 1) {
    return FailInstruction(
        draft, absl::StrCat("to ", to.ToString(), " takes ", to.rank(), " sizes, here are ",
                            instruction.operand_count() - 1));
  }
  if (HasUnboundedDimension(from)) return true;
  const absl::StatusOr<int64_t> before = from.ElementCount();
  const absl::StatusOr<int64_t> after = to.ElementCount();
  if (before.ok() && after.ok() && *before == *after) return true;
  return FailInstruction(draft, absl::StrCat("cannot turn ", from.ToString(), " into ",
                                             to.ToString(), ": the element counts differ"));
}

}  // namespace assay
