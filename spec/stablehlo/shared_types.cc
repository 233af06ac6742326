// Types that several dialects have in bytecode under codes of their own.
// Source: reference stablehlo_format.md 1.1 and 4. Tests: bytecode_test.cc.
#include <cmath>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "spec/stablehlo/dense_bytes.h"
#include "spec/stablehlo/entry_reader.h"
#include "spec/stablehlo/text.h"

namespace assay::stablehlo {
namespace {

constexpr size_t kMaxRank = 4096;

// Sizes are at least 0; the bytes have INT64_MIN for an unknown one, as the tree.
bool AreSizes(const std::vector<int64_t>& dimensions) {
  if (dimensions.size() > kMaxRank) return false;
  for (int64_t size : dimensions) {
    if (size < 0 && size != kDynamic) return false;
  }
  return true;
}

// A number as MLIR prints those of quantised types.
std::string QuantText(EntryReader& in, int64_t bits) {
  Attribute number;
  number.kind = AttributeKind::kFloat;
  number.type = in.program().Scalar(ElementType::kF64);
  number.integer = bits;
  std::string text = PrintAttribute(number);
  return text.substr(0, text.find(' '));
}

// Whether the storage type's own range is meant, which is not spelled.
bool IsWholeRange(bool is_signed, int width, int64_t low, int64_t high) {
  const int64_t top = width >= 64 ? INT64_MAX : (int64_t{1} << (width - (is_signed ? 1 : 0))) - 1;
  return high == top && low == (is_signed ? -top - 1 : 0);
}

std::string ScaleText(EntryReader& in, int64_t scale, int64_t zero) {
  return absl::StrCat(QuantText(in, scale), zero == 0 ? "" : absl::StrCat(":", zero));
}

}  // namespace

const Type* TensorType(EntryReader& in, std::vector<int64_t> dimensions, const Type* element,
                       const Attribute* encoding) {
  if (!in.ok()) return nullptr;
  if (!AreSizes(dimensions)) {
    in.Fail("a tensor has a negative size");
    return nullptr;
  }
  if (element->kind == TypeKind::kTensor || element->kind == TypeKind::kToken ||
      element->kind == TypeKind::kTuple || element->kind == TypeKind::kFunction) {
    in.Fail("the elements of a tensor must be numbers");
    return nullptr;
  }
  Type type;
  type.kind = TypeKind::kTensor;
  type.dimensions = std::move(dimensions);
  type.types = {element};
  if (encoding != nullptr && encoding->kind == AttributeKind::kRecord &&
      encoding->name == "stablehlo.bounds") {
    type.bounds = encoding->Find("bounds")->ints;
    bool fit = type.bounds.size() == type.dimensions.size() && AreSizes(type.bounds);
    for (size_t i = 0; fit && i < type.bounds.size(); ++i) {
      fit = type.bounds[i] == kDynamic || type.dimensions[i] == kDynamic;
    }
    if (!fit) {
      in.Fail("a tensor's bounds do not fit its dimensions");
      return nullptr;
    }
  } else {
    type.encoding = encoding;
  }
  return in.program().Intern(std::move(type));
}

const Type* ListType(EntryReader& in, TypeKind kind, std::vector<const Type*> types) {
  if (!in.ok()) return nullptr;
  if (kind == TypeKind::kScalar) {  // a complex number
    const ElementType part = types[0]->element_type();
    if (types[0]->kind == TypeKind::kScalar && part == ElementType::kF32) {
      return in.program().Scalar(ElementType::kC64);
    }
    if (types[0]->kind == TypeKind::kScalar && part == ElementType::kF64) {
      return in.program().Scalar(ElementType::kC128);
    }
    return OpaqueType(in, absl::StrCat("complex<", PrintType(*types[0]), ">"));
  }
  Type type;
  type.kind = kind;
  type.types = std::move(types);
  return in.program().Intern(std::move(type));
}

const Type* FunctionType(EntryReader& in, std::vector<const Type*> inputs,
                         const std::vector<const Type*>& results) {
  if (!in.ok()) return nullptr;
  Type type;
  type.kind = TypeKind::kFunction;
  type.input_count = static_cast<int32_t>(inputs.size());
  type.types = std::move(inputs);
  type.types.insert(type.types.end(), results.begin(), results.end());
  return in.program().Intern(std::move(type));
}

const Type* PlainType(EntryReader& in, TypeKind kind) {
  Type type;
  type.kind = kind;
  return in.program().Intern(std::move(type));
}

const Type* OpaqueType(EntryReader& in, absl::string_view text) {
  Type type;
  type.text = std::string(text);
  return in.program().Intern(std::move(type));
}

const Type* MemrefType(EntryReader& in, std::vector<int64_t> dimensions, const Type* element) {
  if (!in.ok()) return nullptr;
  if (!AreSizes(dimensions)) {
    in.Fail("a buffer has a negative size");
    return nullptr;
  }
  Type type;
  type.kind = TypeKind::kMemref;
  type.dimensions = std::move(dimensions);
  type.types = {element};
  return in.program().Intern(std::move(type));
}

// flags, storage, expressed; then of the whole tensor: scale, zero point, lowest, highest; of an
// axis: axis, lowest, highest, scales, zero points.
const Type* QuantizedType(EntryReader& in, bool per_axis) {
  const uint64_t flags = in.Varint();
  Type type;
  type.kind = TypeKind::kQuantized;
  const Type* storage = in.Typ();
  const Type* expressed = in.Typ();
  const uint64_t axis = per_axis ? in.Varint() : 0;
  std::vector<int64_t> scales, zeros;
  if (!per_axis) {
    scales.push_back(in.Bits(64));
    zeros.push_back(in.SignedVarint());
  }
  const int64_t low = in.SignedVarint();
  const int64_t high = in.SignedVarint();
  if (per_axis) {
    scales.resize(in.Count());
    for (int64_t& scale : scales) scale = in.Bits(64);
    zeros = in.Ints();
  }
  if (!in.ok()) return nullptr;
  if (scales.size() != zeros.size() || storage->kind != TypeKind::kScalar ||
      !(IsInteger(storage->element) || IsPred(storage->element)) ||
      expressed->kind != TypeKind::kScalar || !IsFloat(expressed->element)) {
    in.Fail("a quantised type is invalid");
    return nullptr;
  }
  const bool is_signed = (flags & 1) != 0;
  const int width = Info(storage->element).bits;
  // The storage type itself may be unsigned, too.
  const absl::string_view sign = IsUnsigned(storage->element) ? "ui" : is_signed ? "i" : "u";
  std::string text = absl::StrCat("!quant.uniform<", sign, width);
  if (!IsWholeRange(is_signed, width, low, high)) absl::StrAppend(&text, "<", low, ":", high, ">");
  absl::StrAppend(&text, ":", PrintType(*expressed));
  if (per_axis) absl::StrAppend(&text, ":", axis);
  absl::StrAppend(&text, per_axis ? ", {" : ", ");
  for (size_t i = 0; i < scales.size(); ++i) {
    if (i > 0) text += ", ";
    text += ScaleText(in, scales[i], zeros[i]);
  }
  text += per_axis ? "}>" : ">";
  type.text = std::move(text);
  type.types = {storage, expressed};
  return in.program().Intern(std::move(type));
}

}  // namespace assay::stablehlo
