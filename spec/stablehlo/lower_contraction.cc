// Dots and convolutions. Source: reference stablehlo_format.md 7. Test: to_module_test.cc.
#include <algorithm>
#include <map>
#include <optional>

#include "spec/stablehlo/dialect.h"
#include "spec/stablehlo/lowering.h"

namespace assay::stablehlo {

std::vector<int64_t> PrecisionsOf(OpContext& op) {
  const Attribute* list = op.Find("precision_config");
  std::vector<int64_t> precisions;
  if (list == nullptr) return precisions;
  for (const Attribute* precision : list->elements) {
    // Composites name the values of the enumeration by strings.
    std::optional<int64_t> number;
    if (precision->kind == AttributeKind::kString) {
      number = FindEnum("stablehlo.precision")->Number(precision->text);
    } else if (precision->kind == AttributeKind::kEnum) {
      number = precision->integer;
    }
    if (!number) {
      op.Fail("precision_config must be a list of DEFAULT, HIGH and HIGHEST");
      return {};
    }
    precisions.push_back(*number);
  }
  const bool any =
      std::any_of(precisions.begin(), precisions.end(), [](int64_t p) { return p != 0; });
  return any ? precisions : std::vector<int64_t>();
}

namespace {

void AddPrecisions(OpContext& op, AttributeList* attributes) {
  std::vector<int64_t> precisions = PrecisionsOf(op);
  if (!precisions.empty()) attributes->push_back({Attr::kOperandPrecision, std::move(precisions)});
}

void LowerDot(OpContext& op) {
  const Shape& a = op.InShape(0);
  const Shape& b = op.InShape(1);
  if (a.rank() < 1 || a.rank() > 2 || b.rank() < 1 || b.rank() > 2) {
    op.Fail("takes vectors and matrices; dot_general takes more");
    return;
  }
  AttributeList attributes = {{Attr::kLhsContractingDims, std::vector<int64_t>{a.rank() - 1}},
                              {Attr::kRhsContractingDims, std::vector<int64_t>{0}}};
  AddPrecisions(op, &attributes);
  op.Return(op.Make(Opcode::kDot, op.OutShape(), {op.In(0), op.In(1)}, std::move(attributes)));
}

// The name of a type in an algorithm: "tf32", "bf16"; "any_f8" for all 8-bit floats but f8E8M0FNU,
// which MLIR refuses.
std::string AlgorithmType(const Attribute* record, absl::string_view field) {
  const Attribute* value = record->Find(field);
  if (value == nullptr || value->type == nullptr) return "";
  if (value->type->kind == TypeKind::kTf32) return "tf32";
  if (value->type->kind != TypeKind::kScalar) return "";
  const absl::string_view name = Name(value->type->element);
  return name.substr(0, 2) == "f8" && name != "f8e8m0fnu" ? "any_f8" : std::string(name);
}

std::optional<int64_t> AlgorithmOf(OpContext& op, const Attribute* record) {
  const int64_t products = op.FieldInt(record, "num_primitive_operations", 1);
  const bool imprecise = op.FieldInt(record, "allow_imprecise_accumulation") != 0;
  const std::string lhs = AlgorithmType(record, "lhs_precision_type");
  std::string name = absl::StrCat("dot_", lhs, "_", AlgorithmType(record, "rhs_precision_type"),
                                  "_", AlgorithmType(record, "accumulation_type"));
  if (products != 1) absl::StrAppend(&name, "_x", products);
  if (imprecise) absl::StrAppend(&name, "_fast_accum");
  const bool whole = op.FieldInt(record, "lhs_component_count", 1) == 1 &&
                     op.FieldInt(record, "rhs_component_count", 1) == 1;
  const std::optional<int64_t> number = EnumFromWord(WordsOf(AttrKind::kDotAlgorithm), name);
  if (number && whole && (!imprecise || lhs == "any_f8")) return number;
  op.Refuse(absl::StrCat(
      "the dot algorithm ", name,
      " is not known; XLA knows f8 with accumulation in f32, f16, bf16 "
      "(also x3, x6, x9), tf32 (also x3), f32 and f64, with one component per operand"));
  return std::nullopt;
}

void LowerDotGeneral(OpContext& op) {
  const Attribute* numbers = op.Need("dot_dimension_numbers");
  AttributeList attributes = {
      {Attr::kLhsBatchDims, op.FieldInts(numbers, "lhs_batching_dimensions")},
      {Attr::kRhsBatchDims, op.FieldInts(numbers, "rhs_batching_dimensions")},
      {Attr::kLhsContractingDims, op.FieldInts(numbers, "lhs_contracting_dimensions")},
      {Attr::kRhsContractingDims, op.FieldInts(numbers, "rhs_contracting_dimensions")}};
  AddPrecisions(op, &attributes);
  if (const Attribute* algorithm = op.Find("algorithm")) {
    if (const std::optional<int64_t> number = AlgorithmOf(op, algorithm)) {
      attributes.push_back({Attr::kAlgorithm, *number});
    }
  }
  op.Return(op.Make(Opcode::kDot, op.OutShape(), {op.In(0), op.In(1)}, std::move(attributes)));
}

// "ab,bc->ac": letters in both operands and the result are batch dimensions, letters of both that
// the result lacks are contracted; letters of one alone that it lacks are summed.
struct Einsum {
  std::string lhs, rhs, out;
};

std::optional<Einsum> ReadEinsum(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  const size_t comma = text.find(','), arrow = text.find("->");
  if (comma == std::string::npos || arrow == std::string::npos || comma > arrow) {
    return std::nullopt;
  }
  return Einsum{text.substr(0, comma), text.substr(comma + 1, arrow - comma - 1),
                text.substr(arrow + 2)};
}

bool HasRepeats(std::string word) {
  std::sort(word.begin(), word.end());
  return std::adjacent_find(word.begin(), word.end()) != word.end();
}

// The dimensions of a dot by an einsum's letters, and the letters of its result in order.
struct EinsumDot {
  std::vector<int64_t> lhs_batch, rhs_batch, lhs_contracting, rhs_contracting;
  std::string result;
};

EinsumDot DotOfEinsum(const Einsum& einsum, OpContext& op) {
  EinsumDot dot;
  std::string batch, lhs_free, rhs_free;
  for (size_t i = 0; i < einsum.lhs.size(); ++i) {
    const char letter = einsum.lhs[i];
    const size_t other = einsum.rhs.find(letter);
    const bool kept = einsum.out.find(letter) != std::string::npos;
    if (other == std::string::npos) {
      if (!kept) op.Refuse("sums over a letter of one operand are not understood");
      lhs_free += letter;
    } else if (kept) {
      batch += letter;
      dot.lhs_batch.push_back(static_cast<int64_t>(i));
      dot.rhs_batch.push_back(static_cast<int64_t>(other));
    } else {
      dot.lhs_contracting.push_back(static_cast<int64_t>(i));
      dot.rhs_contracting.push_back(static_cast<int64_t>(other));
    }
  }
  for (const char letter : einsum.rhs) {
    if (einsum.lhs.find(letter) != std::string::npos) continue;
    if (einsum.out.find(letter) == std::string::npos) {
      op.Refuse("sums over a letter of one operand are not understood");
    }
    rhs_free += letter;
  }
  dot.result = batch + lhs_free + rhs_free;
  return dot;
}

void LowerEinsum(OpContext& op) {
  const std::optional<Einsum> einsum = ReadEinsum(op.StringOr("einsum_config"));
  if (!einsum || static_cast<int64_t>(einsum->lhs.size()) != op.InShape(0).rank() ||
      static_cast<int64_t>(einsum->rhs.size()) != op.InShape(1).rank() || HasRepeats(einsum->lhs) ||
      HasRepeats(einsum->rhs) || HasRepeats(einsum->out)) {
    op.Refuse("einsum_config must be like \"ab,bc->ac\", with a letter per dimension, none twice");
    return;
  }
  EinsumDot shape = DotOfEinsum(*einsum, op);
  const std::string& made = shape.result;
  if (!std::is_permutation(made.begin(), made.end(), einsum->out.begin(), einsum->out.end())) {
    op.Fail("the result of einsum_config has letters that no operand has");
    return;
  }
  const Shape result = op.OutShape();
  if (result.rank() != static_cast<int64_t>(made.size())) {
    op.Fail("einsum_config does not fit the result");
    return;
  }
  Dimensions sizes;
  std::vector<int64_t> order;
  for (const char letter : made) {
    sizes.push_back(result.dimension(static_cast<int64_t>(einsum->out.find(letter))));
  }
  for (const char letter : einsum->out) {
    order.push_back(static_cast<int64_t>(made.find(letter)));
  }
  AttributeList attributes = {{Attr::kLhsBatchDims, std::move(shape.lhs_batch)},
                              {Attr::kRhsBatchDims, std::move(shape.rhs_batch)},
                              {Attr::kLhsContractingDims, std::move(shape.lhs_contracting)},
                              {Attr::kRhsContractingDims, std::move(shape.rhs_contracting)}};
  AddPrecisions(op, &attributes);
  Instruction* const dot = op.Make(Opcode::kDot, Shape(result.element_type(), sizes),
                                   {op.In(0), op.In(1)}, std::move(attributes));
  op.Return(std::is_sorted(order.begin(), order.end())
                ? dot
                : op.Make(Opcode::kTranspose, result, {dot}, {{Attr::kDimensions, order}}));
}

}  // namespace

// The attributes of a convolution but its paddings, which dynamic_conv takes from an operand.
void MakeConvolution(OpContext& op, const std::vector<std::pair<int64_t, int64_t>>& paddings) {
  const Attribute* numbers = op.Need("dimension_numbers");
  ConvolutionDimensions dimensions;
  dimensions.input_batch = op.FieldInt(numbers, "input_batch_dimension");
  dimensions.input_feature = op.FieldInt(numbers, "input_feature_dimension");
  dimensions.input_spatial = op.FieldInts(numbers, "input_spatial_dimensions");
  dimensions.kernel_input_feature = op.FieldInt(numbers, "kernel_input_feature_dimension");
  dimensions.kernel_output_feature = op.FieldInt(numbers, "kernel_output_feature_dimension");
  dimensions.kernel_spatial = op.FieldInts(numbers, "kernel_spatial_dimensions");
  dimensions.output_batch = op.FieldInt(numbers, "output_batch_dimension");
  dimensions.output_feature = op.FieldInt(numbers, "output_feature_dimension");
  dimensions.output_spatial = op.FieldInts(numbers, "output_spatial_dimensions");
  dimensions.input_rank = op.InShape(0).rank();
  dimensions.kernel_rank = op.InShape(1).rank();
  dimensions.output_rank = op.OutShape().rank();
  const size_t count = dimensions.kernel_spatial.size();
  const auto list = [&](absl::string_view name, int64_t otherwise) {
    std::vector<int64_t> values = op.IntsOr(name, std::vector<int64_t>(count, otherwise));
    if (values.size() != count) {
      op.Fail(absl::StrCat(name, " must have ", count, " numbers, found ", values.size()));
      values.resize(count, otherwise);
    }
    return values;
  };
  const std::vector<int64_t> strides = list("window_strides", 1);
  const std::vector<int64_t> base = list("lhs_dilation", 1);
  const std::vector<int64_t> dilation = list("rhs_dilation", 1);
  const std::vector<int64_t> reversal = list("window_reversal", 0);
  Window window;
  for (size_t i = 0; i < count; ++i) {
    const int64_t d = dimensions.kernel_spatial[i];
    if (d < 0 || d >= dimensions.kernel_rank) {
      op.Fail(absl::StrCat("the kernel has no dimension ", d));
      return;
    }
    window.dimensions.push_back({op.InShape(1).dimension(d), strides[i], paddings[i].first,
                                 paddings[i].second, dilation[i], base[i], reversal[i] != 0});
  }
  AttributeList attributes = {{Attr::kWindow, window},
                              {Attr::kDimLabels, Boxed<ConvolutionDimensions>(dimensions)},
                              {Attr::kFeatureGroupCount, op.IntOr("feature_group_count", 1)},
                              {Attr::kBatchGroupCount, op.IntOr("batch_group_count", 1)}};
  AddPrecisions(op, &attributes);
  op.Return(
      op.Make(Opcode::kConvolution, op.OutShape(), {op.In(0), op.In(1)}, std::move(attributes)));
}

namespace {

void LowerConvolution(OpContext& op) {
  const auto count = static_cast<int64_t>(
      op.FieldInts(op.Need("dimension_numbers"), "kernel_spatial_dimensions").size());
  const std::vector<std::pair<int64_t, int64_t>> paddings = op.Pairs("padding", count);
  if (op.ok()) MakeConvolution(op, paddings);
}

constexpr Handler kContraction[] = {
    {"dot", 2, 1, 0, LowerDot},
    {"dot_general", 2, 1, 0, LowerDotGeneral},
    {"einsum", 2, 1, 0, LowerEinsum},
    {"convolution", 2, 1, 0, LowerConvolution},
};

}  // namespace

absl::Span<const Handler> ContractionHandlers() { return kContraction; }

}  // namespace assay::stablehlo
