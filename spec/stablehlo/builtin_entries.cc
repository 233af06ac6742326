// Attributes, types and locations of the dialect builtin, by their codes in bytecode.
// Source: reference stablehlo_format.md 4. Tests: bytecode_test.cc.
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "spec/stablehlo/dense_bytes.h"
#include "spec/stablehlo/entry_reader.h"
#include "spec/stablehlo/text.h"

namespace assay::stablehlo {
namespace {

enum LocationCode : uint64_t {
  kCallSite = 10,
  kFile = 11,
  kFused = 12,
  kFusedWithMetadata = 13,
  kName = 14,
  kUnknown = 15,
  kFileRange = 22,
};

// A line or column; what is too large is unknown.
int32_t Place(uint64_t number) { return number <= INT32_MAX ? static_cast<int32_t>(number) : 0; }

void DecodeRange(EntryReader& in, Location& location) {
  const size_t count = in.Count();
  uint64_t numbers[4] = {};
  if (count > 4) return in.Fail("a place in a file has more than four numbers");
  for (size_t i = 0; i < count; ++i) numbers[i] = in.Varint();
  location.line = Place(numbers[0]);
  location.column = Place(numbers[1]);
  if (count == 3) location.end_line = location.line;
  if (count == 4) location.end_line = Place(numbers[2]);
  if (count >= 3) location.end_column = Place(numbers[count - 1]);
}

// The types that have an HLO element type, by MLIR's integer type.
const Type* IntegerType(EntryReader& in, uint64_t width, uint64_t sign) {
  constexpr uint64_t kSigned = 1, kUnsigned = 2;
  if (sign > kUnsigned || width == 0 || width > (1 << 24)) {
    in.Fail("an integer type is invalid");
    return nullptr;
  }
  std::optional<ElementType> element;
  if (width == 1 && sign == 0) element = ElementType::kPred;
  if (width > 1 && width <= 64 && sign != kSigned) {
    element = ElementTypeFromName(absl::StrCat(sign == kUnsigned ? "u" : "s", width));
  }
  if (element.has_value()) return in.program().Scalar(*element);
  Type type;
  type.kind = TypeKind::kInteger;
  type.width = static_cast<uint32_t>(width);
  type.text = absl::StrCat(sign == kSigned ? "s" : sign == kUnsigned ? "u" : "", "i", width);
  return in.program().Intern(std::move(type));
}

// The numbers of array<i64: ..> and the like, one blob.
const Attribute* DecodeArrayOfNumbers(EntryReader& in) {
  const Type* type = in.Typ();
  const uint64_t count = in.Varint();
  const absl::string_view blob = in.Blob();
  if (type == nullptr || !in.ok()) return nullptr;
  const int64_t size = DenseElementBytes(*type);
  if (size == 0 || size > 8 || type->kind != TypeKind::kScalar || IsComplex(type->element)) {
    in.Fail("the elements of an array must be integers or floats");
    return nullptr;
  }
  if (blob.size() / size != count || blob.size() % size != 0) {
    in.Fail("an array has the wrong number of bytes");
    return nullptr;
  }
  Attribute* attribute = in.New(AttributeKind::kInts);
  attribute->type = type;
  attribute->ints.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t bits = 0;
    for (int64_t byte = size; byte-- > 0;) {
      bits = bits << 8 | static_cast<uint8_t>(blob[i * size + byte]);
    }
    const bool is_signed = !IsFloat(type->element) && IsSigned(type->element);
    const int shift = static_cast<int>(64 - 8 * size);
    attribute->ints.push_back(is_signed ? static_cast<int64_t>(bits << shift) >> shift
                                        : static_cast<int64_t>(bits));
  }
  return attribute;
}

const Attribute* DecodeResource(EntryReader& in) {
  const Type* type = in.Typ();
  const uint64_t handle = in.Varint();
  const std::vector<BytecodeResource>& resources = in.entries().file().resources;
  if (type == nullptr || !in.ok()) return nullptr;
  if (handle >= resources.size()) {
    in.Fail("there is no resource with this number");
    return nullptr;
  }
  if (resources[handle].has_data) return in.Dense(type, resources[handle].blob);
  Attribute* attribute = in.New(AttributeKind::kElided);
  attribute->type = type;
  attribute->text = resources[handle].key;
  return attribute;
}

const Attribute* SymbolAttribute(EntryReader& in, absl::string_view text) {
  Attribute* attribute = in.New(AttributeKind::kSymbol);
  attribute->text = text;
  return attribute;
}

// @a::@b.
const Attribute* DecodeNestedSymbol(EntryReader& in) {
  std::string text(in.StringAttr());
  for (const Attribute* part : in.Attrs()) {
    if (part == nullptr) break;
    if (part->kind != AttributeKind::kSymbol) in.Fail("a symbol is expected");
    absl::StrAppend(&text, "::", part->text);
  }
  return SymbolAttribute(in, in.program().Intern(text));
}

const Attribute* DecodeInteger(EntryReader& in) {
  const Type* type = in.Typ();
  const int64_t value = in.Integer(type);
  if (!in.ok()) return nullptr;
  if (type == in.program().Scalar(ElementType::kPred)) return in.BoolAttribute(value != 0);
  return in.IntegerAttribute(value, type);
}

const Type* DecodeMemref(EntryReader& in, bool with_space) {
  if (with_space) in.Attr();
  std::vector<int64_t> dimensions = in.Ints();
  const Type* element = in.Typ();
  const Attribute* layout = in.Attr();
  if (!in.ok()) return nullptr;
  // The identity of any rank: affine_map<(d0, d1) -> (d0, d1)>.
  absl::string_view text = layout->text;
  const size_t arrow = text.find(" -> ");
  const bool identity = absl::ConsumePrefix(&text, "affine_map<") &&
                        absl::ConsumeSuffix(&text, ">") && arrow != absl::string_view::npos &&
                        text.substr(0, arrow - 11) == text.substr(arrow - 11 + 4);
  if (with_space || !identity) {
    in.Fail("buffers with a layout or a memory space are not supported");
    return nullptr;
  }
  return MemrefType(in, std::move(dimensions), element);
}

const Type* DecodeVector(EntryReader& in) {
  std::string text = "vector<";
  for (int64_t size : in.Ints()) absl::StrAppend(&text, size, "x");
  const Type* element = in.Typ();
  if (!in.ok()) return nullptr;
  return OpaqueType(in, absl::StrCat(text, PrintType(*element), ">"));
}

const Type* ScalarOf(EntryReader& in, uint64_t code) {
  switch (code) {
    case 3:
      return in.program().Scalar(ElementType::kBF16);
    case 4:
      return in.program().Scalar(ElementType::kF16);
    case 5:
      return in.program().Scalar(ElementType::kF32);
    case 6:
      return in.program().Scalar(ElementType::kF64);
    case 22:
      return in.program().Scalar(ElementType::kF8E5M2);
    case 23:
      return in.program().Scalar(ElementType::kF8E4M3);
    case 24:
      return in.program().Scalar(ElementType::kF8E4M3FN);
    case 25:
      return in.program().Scalar(ElementType::kF8E5M2FNUZ);
    case 26:
      return in.program().Scalar(ElementType::kF8E4M3FNUZ);
    case 27:
      return in.program().Scalar(ElementType::kF8E4M3B11FNUZ);
    case 28:
      return in.program().Scalar(ElementType::kF8E3M4);
    case 29:
      return in.program().Scalar(ElementType::kF4E2M1FN);
    case 30:
      return in.program().Scalar(ElementType::kF6E2M3FN);
    case 31:
      return in.program().Scalar(ElementType::kF6E3M2FN);
    case 32:
      return in.program().Scalar(ElementType::kF8E8M0FNU);
    default:
      in.Fail("an unknown builtin type");
      return nullptr;
  }
}

}  // namespace

bool IsLocationCode(uint64_t code) {
  return (code >= kCallSite && code <= kUnknown) || code == kFileRange;
}

const Location* DecodeLocation(EntryReader& in, uint64_t code) {
  using Kind = Location::Kind;
  if (code == kUnknown) return nullptr;
  Location* location = in.program().NewLocation(Kind::kUnknown);
  switch (code) {
    case kCallSite:
      location->kind = Kind::kCallSite;
      location->children.push_back(in.Loc());
      location->children.push_back(in.Loc());
      break;
    case kFile:
      location->kind = Kind::kFile;
      location->text = in.StringAttr();
      location->line = Place(in.Varint());
      location->column = Place(in.Varint());
      break;
    case kFused:
    case kFusedWithMetadata: {
      location->kind = Kind::kFused;
      const size_t count = in.Count();
      location->children.reserve(count);
      for (size_t i = 0; in.ok() && i < count; ++i) location->children.push_back(in.Loc());
      if (code == kFusedWithMetadata) in.Attr();
      break;
    }
    case kName:
      location->kind = Kind::kName;
      location->text = in.StringAttr();
      location->children.push_back(in.Loc());
      break;
    case kFileRange:
      location->kind = Kind::kFile;
      location->text = in.StringAttr();
      DecodeRange(in, *location);
      break;
    default:
      in.Fail("it is no location");
  }
  return location;
}

const Attribute* DecodeBuiltinAttribute(EntryReader& in) {
  const uint64_t code = in.Varint();
  switch (code) {
    case 0: {
      Attribute* array = in.New(AttributeKind::kArray);
      array->elements = in.Attrs();
      return array;
    }
    case 1:
      return in.DictionaryAttribute();
    case 2:
      return in.StringAttribute(in.String());
    case 3: {
      Attribute* string = in.New(AttributeKind::kString);
      string->text = in.String();
      string->type = in.Typ();
      return string;
    }
    case 4:
      return SymbolAttribute(in, in.StringAttr());
    case 5:
      return DecodeNestedSymbol(in);
    case 6: {
      Attribute* attribute = in.New(AttributeKind::kType);
      attribute->type = in.Typ();
      return attribute;
    }
    case 7:
      return in.New(AttributeKind::kUnit);
    case 8:
      return DecodeInteger(in);
    case 9:
      return in.FloatAttribute(in.Typ());
    case 16:
      return DecodeResource(in);
    case 17:
      return DecodeArrayOfNumbers(in);
    case 18: {
      const Type* type = in.Typ();
      return in.Dense(type, in.Blob());
    }
    case 19:
    case 20:
      in.Fail("constants of strings and sparse constants are not supported");
      return nullptr;
    case 21:
      return in.Attr();
    default:
      in.Fail("an unknown builtin attribute");
      return nullptr;
  }
}

const Type* DecodeBuiltinType(EntryReader& in) {
  const uint64_t code = in.Varint();
  switch (code) {
    case 0: {
      const uint64_t bits = in.Varint();
      return IntegerType(in, bits >> 2, bits & 3);
    }
    case 1:
      return PlainType(in, TypeKind::kIndex);
    case 2: {
      std::vector<const Type*> inputs = in.Types();
      return FunctionType(in, std::move(inputs), in.Types());
    }
    case 7:
      return OpaqueType(in, "f80");
    case 8:
      return OpaqueType(in, "f128");
    case 9: {
      const Type* part = in.Typ();
      return ListType(in, TypeKind::kScalar, {part});
    }
    case 10:
    case 11:
      return DecodeMemref(in, code == 11);
    case 12:
      return PlainType(in, TypeKind::kNone);
    case 13: {
      std::vector<int64_t> dimensions = in.Ints();
      return TensorType(in, std::move(dimensions), in.Typ(), nullptr);
    }
    case 14: {
      const Attribute* encoding = in.Attr();
      std::vector<int64_t> dimensions = in.Ints();
      return TensorType(in, std::move(dimensions), in.Typ(), encoding);
    }
    case 15:
      return ListType(in, TypeKind::kTuple, in.Types());
    case 18:
      return ListType(in, TypeKind::kUnranked, {in.Typ()});
    case 19:
      return DecodeVector(in);
    case 21:
      return PlainType(in, TypeKind::kTf32);
    default:
      return ScalarOf(in, code);
  }
}

}  // namespace assay::stablehlo
