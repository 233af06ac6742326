// Which handler lowers an operation; operations that are an opcode with attributes of the same
// meaning need none: their row says it all. Test: to_module_test.cc.
#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "spec/element/element.h"
#include "spec/nearest_name.h"
#include "spec/stablehlo/dialect.h"
#include "spec/stablehlo/lowering.h"

namespace assay::stablehlo {
namespace {

// Attributes of one meaning in both.
struct SameAttribute {
  absl::string_view stablehlo;
  Attr hlo;
};
constexpr SameAttribute kSameAttributes[] = {
    {"compare_type", Attr::kComparisonType},
    {"comparison_direction", Attr::kDirection},
    {"dimension", Attr::kDimension},
    {"dimensions", Attr::kDimensions},
    {"epsilon", Attr::kEpsilon},
    {"exponent_bits", Attr::kExponentBits},
    {"feature_index", Attr::kFeatureIndex},
    {"fft_length", Attr::kFftLength},
    {"fft_type", Attr::kFftType},
    {"index", Attr::kIndex},
    {"iota_dimension", Attr::kIotaDimension},
    {"left_side", Attr::kLeftSide},
    {"lower", Attr::kLower},
    {"mantissa_bits", Attr::kMantissaBits},
    {"permutation", Attr::kDimensions},
    {"result_accuracy", Attr::kResultAccuracy},
    {"rng_algorithm", Attr::kRngAlgorithm},
    {"rng_distribution", Attr::kDistribution},
    {"slice_sizes", Attr::kDynamicSliceSizes},
    {"transpose_a", Attr::kTransposeA},
    {"unit_diagonal", Attr::kUnitDiagonal},
};

double NumberOf(const Attribute* attribute) {
  if (attribute == nullptr || attribute->kind != AttributeKind::kFloat) return 0;
  const ElementType type =
      attribute->type == nullptr ? ElementType::kF64 : attribute->type->element;
  return IsFloat(type) ? DecodeFloat(type, static_cast<uint64_t>(attribute->integer)) : 0;
}

ResultAccuracy AccuracyOf(OpContext& op, const Attribute* record) {
  ResultAccuracy accuracy;
  const Attribute* mode = record == nullptr ? nullptr : record->Find("mode");
  if (record == nullptr) return accuracy;
  accuracy.mode = static_cast<ResultAccuracy::Mode>(mode == nullptr ? 0 : mode->integer);
  accuracy.atol = NumberOf(record->Find("atol"));
  accuracy.rtol = NumberOf(record->Find("rtol"));
  accuracy.ulps = op.FieldInt(record, "ulps");
  return accuracy;
}

void AddAttribute(OpContext& op, const SameAttribute& same, AttributeList* attributes) {
  const absl::string_view name = same.stablehlo;
  const AttrKind kind = Info(same.hlo).kind;
  switch (kind) {
    case AttrKind::kBool:
      attributes->push_back({same.hlo, op.BoolOr(name, false)});
      return;
    case AttrKind::kInts:
      attributes->push_back({same.hlo, op.Ints(name)});
      return;
    case AttrKind::kFloat:
      attributes->push_back({same.hlo, NumberOf(op.Find(name))});
      return;
    case AttrKind::kResultAccuracy: {
      const ResultAccuracy accuracy = AccuracyOf(op, op.Find(name));
      if (accuracy == ResultAccuracy()) return;
      attributes->push_back({same.hlo, accuracy});
      return;
    }
    case AttrKind::kComparisonType: {
      const int64_t type = op.Int(name);  // 0: none is given
      if (type > 0) attributes->push_back({same.hlo, type - 1});
      return;
    }
    default:
      attributes->push_back({same.hlo, op.Int(name)});
      return;
  }
}

// "dot_general" of StableHLO and what is left over of MHLO, else the name with its dialect. Empty
// for a name without a dialect.
absl::string_view ShortName(absl::string_view name) {
  if (!absl::StrContains(name, '.')) return "";
  if (!absl::ConsumePrefix(&name, "stablehlo.")) absl::ConsumePrefix(&name, "mhlo.");
  return name;
}

const absl::flat_hash_map<absl::string_view, const Handler*>& Handlers() {
  static const auto* const handlers = [] {
    auto* all = new absl::flat_hash_map<absl::string_view, const Handler*>();
    for (const absl::Span<const Handler> family :
         {ElementwiseHandlers(), MovementHandlers(), IndexingHandlers(), ContractionHandlers(),
          ReductionHandlers(), ControlHandlers(), CollectiveHandlers(), HostHandlers(),
          CustomCallHandlers(), DynamicHandlers(), LeftoverHandlers(), ChloHandlers(),
          ShardyHandlers(), CheckHandlers()}) {
      for (const Handler& handler : family) (*all)[handler.name] = &handler;
    }
    return all;
  }();
  return *handlers;
}

void RefuseUnknown(OpContext& op) {
  const absl::string_view name = op.name();
  const absl::string_view dialect = name.substr(0, name.find('.'));
  for (int64_t i = 0; i < op.result_count(); ++i) op.OutShape(i);  // says what types are not known
  if (!op.ok()) return;
  if (FindDialectOp(name) != nullptr) {
    op.Refuse(absl::StrCat(
        "has no counterpart in HLO, also none for quantised types; docs/stablehlo.md lists what is "
        "understood"));
  } else if (dialect == name) {
    const std::string expected = absl::StrCat("stablehlo.", name);
    op.Refuse(absl::StrCat(
        "is the name of an operation without its dialect",
        FindDialectOp(expected) == nullptr ? "" : absl::StrCat(", expected ", expected)));
  } else if (IsKnownDialect(dialect)) {
    op.Refuse(absl::StrCat("is not an operation of the dialect ", dialect, " that is known here"));
  } else {
    op.Refuse(absl::StrCat("operations of the dialect ", dialect,
                           " are not understood; those of stablehlo, chlo, sdy, func and what is "
                           "left over of mhlo are"));
  }
}

}  // namespace

const Handler* FindHandler(absl::string_view name) {
  const auto found = Handlers().find(ShortName(name));
  return found == Handlers().end() ? nullptr : found->second;
}

bool LowerByRow(OpContext& op) {
  const DialectOp* row = FindDialectOp(op.name());
  const std::optional<Opcode> opcode = row == nullptr ? std::nullopt : row->opcode();
  if (!opcode) return false;
  const OpInfo& info = Info(*opcode);
  AttributeList attributes;
  for (const SameAttribute& same : kSameAttributes) {
    if (op.Has(same.stablehlo) && info.FindAttribute(same.hlo) != nullptr) {
      AddAttribute(op, same, &attributes);
    }
  }
  for (const AttributeUse& use : info.attributes) {
    const bool given = std::any_of(attributes.begin(), attributes.end(),
                                   [&](const auto& entry) { return entry.first == use.attr; });
    if (use.required && !given) {
      op.Fail(absl::StrCat("needs the attribute that is ", Info(use.attr).name, " in HLO"));
      return true;
    }
  }
  if (op.result_count() != 1) {
    op.Fail(absl::StrCat("must have one result, found ", op.result_count()));
    return true;
  }
  if (info.arity >= 0 && info.arity != op.operand_count()) {
    op.Fail(absl::StrCat("takes ", info.arity, " operands, found ", op.operand_count()));
    return true;
  }
  op.Return(op.Make(*opcode, op.OutShape(), op.inputs(), std::move(attributes)));
  return true;
}

void Dispatch(OpContext& op) {
  const Handler* handler = FindHandler(op.name());
  if (handler == nullptr) {
    if (!LowerByRow(op)) RefuseUnknown(op);
    return;
  }
  if (op.operand_count() < handler->min_operands) {
    op.Fail(absl::StrCat("takes ", handler->min_operands, " operands or more, found ",
                         op.operand_count()));
  } else if (op.result_count() < handler->min_results) {
    op.Fail(
        absl::StrCat("has ", handler->min_results, " results or more, found ", op.result_count()));
  } else if (static_cast<int>(op.operation().regions().size()) < handler->min_regions) {
    op.Fail(absl::StrCat("has ", handler->min_regions, " regions or more, found ",
                         op.operation().regions().size()));
  } else {
    handler->lower(op);
  }
}

}  // namespace assay::stablehlo
