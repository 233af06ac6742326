#include "tools/cli/catalogue.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backends/cuda/kernel_table.h"
#include "backends/cuda/libraries/provider.h"
#include "nlohmann/json.hpp"

namespace assay::cli {
namespace {

absl::string_view KindName(AttrKind kind) {
  switch (kind) {
    case AttrKind::kBool:
      return "bool";
    case AttrKind::kInt:
    case AttrKind::kInt32:
    case AttrKind::kSingleInt:
      return "int";
    case AttrKind::kFloat:
      return "float";
    case AttrKind::kString:
    case AttrKind::kIdentifier:
      return "string";
    case AttrKind::kInts:
      return "ints";
    case AttrKind::kIntLists:
    case AttrKind::kPairs:
      return "lists of ints";
    case AttrKind::kPrecisions:
      return "precisions";
    case AttrKind::kSlices:
      return "ranges";
    case AttrKind::kWindow:
      return "window";
    case AttrKind::kPadding:
      return "padding";
    case AttrKind::kDimLabels:
      return "dimension labels";
    case AttrKind::kReplicaGroups:
      return "replica groups";
    case AttrKind::kResultAccuracy:
      return "accuracy";
    case AttrKind::kSparsity:
      return "sparsity";
    case AttrKind::kAliases:
      return "aliases";
    case AttrKind::kDomain:
      return "shardings";
    case AttrKind::kShape:
      return "shape";
    case AttrKind::kShapes:
      return "shapes";
    case AttrKind::kTypedLiteral:
      return "literal";
    case AttrKind::kComputation:
      return "computation";
    case AttrKind::kComputations:
      return "computations";
    default:
      return "word";
  }
}

}  // namespace

std::string ArityText(int arity) {
  switch (arity) {
    case kAnyArity:
      return "any";
    case kEvenArity:
      return "even";
    case kOddArity:
      return "odd";
    case kAtLeastOne:
      return "1 or more";
    case kAtLeastTwo:
      return "2 or more";
    default:
      return absl::StrCat(arity);
  }
}

absl::string_view FamilyName(Family family) {
  switch (family) {
    case Family::kElementwise:
      return "elementwise";
    case Family::kMovement:
      return "movement";
    case Family::kReduction:
      return "reduction";
    case Family::kIndexing:
      return "indexing";
    case Family::kContraction:
      return "contraction";
    case Family::kLinearAlgebra:
      return "linear algebra";
    case Family::kRandom:
      return "random";
    case Family::kControl:
      return "control";
    case Family::kCollective:
      return "collective";
    case Family::kHost:
      return "host";
  }
  return "";
}

absl::string_view AccuracyName(Accuracy accuracy) {
  switch (accuracy) {
    case Accuracy::kExact:
      return "exact";
    case Accuracy::kRounded:
      return "rounded once";
    case Accuracy::kFunction:
      return "function";
    case Accuracy::kAccumulating:
      return "accumulating";
    case Accuracy::kRandom:
      return "random";
    case Accuracy::kOpaque:
      return "opaque";
  }
  return "";
}

std::vector<std::string> TypeNames(const OpInfo& op) {
  std::vector<std::string> names;
  for (ElementType type : kArrayTypes) {
    if (op.types.Contains(type)) names.emplace_back(Name(type));
  }
  if (op.types.others) {
    for (absl::string_view name : {"tuple", "token", "opaque"}) names.emplace_back(name);
  }
  return names;
}

std::string AttributeText(const AttributeUse& use) {
  const AttrKind kind = Info(use.attr).kind;
  std::string text(KindName(kind));
  if (IsEnum(kind)) text = absl::StrJoin(WordsOf(kind).words, " | ");
  if (use.required) return absl::StrCat(text, ", required");
  if (use.print == AttributeUse::Print::kNever) return absl::StrCat(text, ", read and dropped");
  if (!use.has_default) return absl::StrCat(text, ", optional");
  if (kind == AttrKind::kBool) {
    return absl::StrCat(text, ", default ", use.default_value != 0 ? "true" : "false");
  }
  if (IsEnum(kind)) return absl::StrCat(text, ", default ", WordsOf(kind).words[use.default_value]);
  if (kind == AttrKind::kInt || kind == AttrKind::kInt32) {
    return absl::StrCat(text, ", default ", use.default_value);
  }
  return absl::StrCat(text, ", default empty");
}

std::string CudaText(Opcode opcode) {
  const cuda::KernelRow* const row = cuda::FindKernelRow(opcode);
  std::string text = row == nullptr ? "every type, by the runtime" : "every type, by own kernels";
  for (const cuda::libraries::LibraryUse& use : cuda::libraries::LibraryUses()) {
    if (use.opcode != opcode) continue;
    absl::StrAppend(&text, "; with libraries=on ", cuda::libraries::NameOf(use.library), " takes ",
                    use.types);
  }
  return text;
}

nlohmann::json OpJson(const OpInfo& op) {
  nlohmann::json attributes = nlohmann::json::array();
  for (const AttributeUse& use : op.attributes) {
    attributes.push_back({{"name", std::string(Info(use.attr).name)},
                          {"kind", std::string(KindName(Info(use.attr).kind))},
                          {"required", use.required},
                          {"description", AttributeText(use)}});
  }
  return {{"name", std::string(op.name)},
          {"arity", op.arity >= 0 ? nlohmann::json(op.arity) : nlohmann::json(ArityText(op.arity))},
          {"family", std::string(FamilyName(op.family))},
          {"accuracy", std::string(AccuracyName(op.accuracy))},
          {"types", TypeNames(op)},
          {"attributes", attributes},
          {"backends", {{"golden", IsInterpreted(op.opcode)}, {"cuda", CudaText(op.opcode)}}}};
}

std::string CatalogueMarkdown() {
  std::string text =
      "# Operations\n\n"
      "The catalogue, as `assay ops --markdown` prints it. *golden*: the reference interpreter "
      "runs it.\n"
      "Element types of the first operand (of the result where there is none): P pred, S signed, "
      "U\n"
      "unsigned, F float, C complex, T tuples and tokens.\n\n"
      "| operation | operands | family | accuracy | types | attributes | golden |\n"
      "|---|---|---|---|---|---|---|\n";
  for (const OpInfo& op : Catalogue()) {
    std::string classes;
    if (op.types.pred) classes += "P";
    if (op.types.is_signed) classes += "S";
    if (op.types.is_unsigned) classes += "U";
    if (op.types.is_float) classes += "F";
    if (op.types.is_complex) classes += "C";
    if (op.types.others) classes += "T";
    const std::string attributes =
        absl::StrJoin(op.attributes, ", ", [](std::string* out, const AttributeUse& use) {
          absl::StrAppend(out, use.required ? "**" : "", Info(use.attr).name,
                          use.required ? "**" : "");
        });
    absl::StrAppend(&text, "| `", op.name, "` | ", ArityText(op.arity), " | ",
                    FamilyName(op.family), " | ", AccuracyName(op.accuracy), " | ", classes, " | ",
                    attributes, " | ", IsInterpreted(op.opcode) ? "yes" : "", " |\n");
  }
  return text;
}

}  // namespace assay::cli
