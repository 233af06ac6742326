// The types of artifacts. Source: reference stablehlo_format.md 4 and 5. Tests: artifact_test.cc.
#include <optional>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "spec/stablehlo/artifact_entries.h"
#include "spec/stablehlo/text.h"

namespace assay::stablehlo {
namespace {

struct ScalarCode {
  ElementType element;
  int vhlo;
  int builtin;    // -1: an integer, whose code is 0
  Version since;  // of VHLO
};

// Complex types are apart, and integers have one code in builtin.
constexpr ScalarCode kScalarCodes[] = {
    {ElementType::kPred, 0, -1, {0, 9, 0}},
    {ElementType::kBF16, 2, 3, {0, 9, 0}},
    {ElementType::kF16, 3, 4, {0, 9, 0}},
    {ElementType::kF32, 4, 5, {0, 9, 0}},
    {ElementType::kF64, 5, 6, {0, 9, 0}},
    {ElementType::kF8E4M3FN, 6, 24, {0, 9, 0}},
    {ElementType::kF8E5M2, 7, 22, {0, 9, 0}},
    {ElementType::kS4, 10, -1, {0, 9, 0}},
    {ElementType::kS8, 11, -1, {0, 9, 0}},
    {ElementType::kS16, 12, -1, {0, 9, 0}},
    {ElementType::kS32, 13, -1, {0, 9, 0}},
    {ElementType::kS64, 14, -1, {0, 9, 0}},
    {ElementType::kU4, 15, -1, {0, 9, 0}},
    {ElementType::kU8, 16, -1, {0, 9, 0}},
    {ElementType::kU16, 17, -1, {0, 9, 0}},
    {ElementType::kU32, 18, -1, {0, 9, 0}},
    {ElementType::kU64, 19, -1, {0, 9, 0}},
    {ElementType::kF8E4M3FNUZ, 27, 26, {0, 10, 0}},
    {ElementType::kF8E5M2FNUZ, 28, 25, {0, 10, 0}},
    {ElementType::kF8E4M3B11FNUZ, 29, 27, {0, 11, 0}},
    {ElementType::kS2, 31, -1, {1, 2, 0}},
    {ElementType::kU2, 32, -1, {1, 2, 0}},
    {ElementType::kF8E4M3, 35, 23, {1, 7, 0}},
    {ElementType::kF8E3M4, 36, 28, {1, 7, 0}},
    {ElementType::kF4E2M1FN, 37, 29, {1, 8, 0}},
    {ElementType::kF6E2M3FN, 38, 30, {1, 8, 0}},
    {ElementType::kF6E3M2FN, 39, 31, {1, 8, 0}},
    {ElementType::kF8E8M0FNU, 40, 32, {1, 8, 0}},
};

const ScalarCode* CodeOf(ElementType element) {
  for (const ScalarCode& code : kScalarCodes) {
    if (code.element == element) return &code;
  }
  return nullptr;
}

// What !quant.uniform<..> says.
struct QuantText {
  bool is_signed = true;
  bool unsigned_storage = false;  // ui8, not u8
  int64_t low = 0, high = 0;
  std::optional<uint64_t> axis;
  std::vector<double> scales;
  std::vector<int64_t> zeros;
};

bool ReadScale(absl::string_view text, QuantText& quant) {
  const std::vector<absl::string_view> parts =
      absl::StrSplit(absl::StripAsciiWhitespace(text), ':');
  double scale = 0;
  int64_t zero = 0;
  if (parts.empty() || parts.size() > 2 || !absl::SimpleAtod(parts[0], &scale)) return false;
  if (parts.size() == 2 && !absl::SimpleAtoi(parts[1], &zero)) return false;
  quant.scales.push_back(scale);
  quant.zeros.push_back(zero);
  return true;
}

// The storage type with its range: i8, u8, ui8, i8<-127:127>.
bool ReadStorage(absl::string_view& text, int width, QuantText& quant) {
  quant.is_signed = !absl::ConsumePrefix(&text, "u");
  quant.unsigned_storage = absl::ConsumePrefix(&text, "i") && !quant.is_signed;
  if (text.empty() || !absl::ascii_isdigit(text[0])) return false;
  while (!text.empty() && text[0] >= '0' && text[0] <= '9') text.remove_prefix(1);
  quant.high = (int64_t{1} << (width - (quant.is_signed ? 1 : 0))) - 1;
  quant.low = quant.is_signed ? -quant.high - 1 : 0;
  if (!absl::ConsumePrefix(&text, "<")) return true;
  const size_t end = text.find('>');
  if (end == absl::string_view::npos) return false;
  const std::vector<absl::string_view> range = absl::StrSplit(text.substr(0, end), ':');
  text.remove_prefix(end + 1);
  return range.size() == 2 && absl::SimpleAtoi(range[0], &quant.low) &&
         absl::SimpleAtoi(range[1], &quant.high);
}

// !quant.uniform<i8<-127:127>:f32:1, {2.0:3, 1.0}>.
std::optional<QuantText> ReadQuantText(absl::string_view text, int width) {
  QuantText quant;
  if (!absl::ConsumePrefix(&text, "!quant.uniform<") || !absl::ConsumeSuffix(&text, ">") ||
      width > 32 || !ReadStorage(text, width, quant) || !absl::ConsumePrefix(&text, ":")) {
    return std::nullopt;
  }
  const size_t comma = text.find(',');
  if (comma == absl::string_view::npos) return std::nullopt;
  const std::vector<absl::string_view> head = absl::StrSplit(text.substr(0, comma), ':');
  absl::string_view rest = absl::StripAsciiWhitespace(text.substr(comma + 1));
  if (head.size() == 2) {
    uint64_t axis = 0;
    if (!absl::SimpleAtoi(head[1], &axis) || !absl::ConsumePrefix(&rest, "{") ||
        !absl::ConsumeSuffix(&rest, "}")) {
      return std::nullopt;
    }
    quant.axis = axis;
  }
  for (absl::string_view scale : absl::StrSplit(rest, ',')) {
    if (!ReadScale(scale, quant)) return std::nullopt;
  }
  if (!quant.axis.has_value() && quant.scales.size() != 1) return std::nullopt;
  return quant;
}

void AppendSizes(absl::Span<const int64_t> sizes, ByteWriter& head) {
  head.Varint(sizes.size());
  for (int64_t size : sizes) head.SignedVarint(size);
}

int64_t DoubleBits(double value) { return std::bit_cast<int64_t>(value); }

// The first version of VHLO that has types of this kind.
Version FirstVersionOf(TypeKind kind) {
  switch (kind) {
    case TypeKind::kMemref:
      return {1, 13, 0};
    case TypeKind::kFuture:
      return kFirstWithPairs;
    case TypeKind::kTf32:
    case TypeKind::kNone:
      return {1, 6, 0};
    default:
      return kOldestVersion;
  }
}

}  // namespace

absl::StatusOr<uint64_t> ArtifactEntries::TypeNumber(const Type& type, Spelling spelling) {
  const Key key = {&type, spelling};
  auto found = type_numbers_.find(key);
  if (found != type_numbers_.end()) return found->second;
  absl::StatusOr<uint64_t> number =
      spelling == Spelling::kVhlo ? EncodeVhloType(type) : EncodeBuiltinType(type);
  if (number.ok()) type_numbers_[key] = *number;
  return number;
}

absl::Status ArtifactEntries::AddTypes(absl::Span<const Type* const> types, Spelling spelling,
                                       ByteWriter& head) {
  head.Varint(types.size());
  for (const Type* type : types) {
    absl::StatusOr<uint64_t> number = TypeNumber(*type, spelling);
    if (!number.ok()) return number.status();
    head.Varint(*number);
  }
  return absl::OkStatus();
}

absl::StatusOr<uint64_t> ArtifactEntries::EncodeScalar(ElementType element, Spelling spelling) {
  const bool vhlo = spelling == Spelling::kVhlo;
  ByteWriter head;
  if (IsComplex(element)) {
    absl::StatusOr<uint64_t> part = EncodeScalar(Info(element).component, spelling);
    if (!part.ok()) return part;
    head.Varint(vhlo ? 1 : 9);
    head.Varint(*part);
    return Add(types_, spelling, std::move(head));
  }
  const ScalarCode* code = CodeOf(element);
  if (code == nullptr || version_ < code->since) {
    return Newer(absl::StrCat("the element type ", Name(element)));
  }
  if (vhlo) {
    head.Varint(static_cast<uint64_t>(code->vhlo));
  } else if (code->builtin >= 0) {
    head.Varint(static_cast<uint64_t>(code->builtin));
  } else {
    head.Varint(0);
    head.Varint(static_cast<uint64_t>(Info(element).bits) << 2 | (IsUnsigned(element) ? 2 : 0));
  }
  return Add(types_, spelling, std::move(head));
}

absl::StatusOr<uint64_t> ArtifactEntries::EncodeQuantized(const Type& type) {
  const std::optional<QuantText> quant =
      ReadQuantText(type.text, Info(type.types[0]->element).bits);
  if (!quant.has_value()) return Newer(absl::StrCat("the type ", type.text));
  const bool per_axis = quant->axis.has_value();
  if (per_axis && version_ < Version{0, 18, 0}) return Newer(absl::StrCat("the type ", type.text));
  ByteWriter head;
  head.Varint(per_axis ? 30 : 24);
  head.Varint(quant->is_signed ? 1 : 0);
  const int width = Info(type.types[0]->element).bits;
  const std::optional<ElementType> storage =
      ElementTypeFromName(absl::StrCat(quant->unsigned_storage ? "u" : "s", width));
  if (!storage.has_value()) return Newer(absl::StrCat("the type ", type.text));
  for (ElementType part : {*storage, type.types[1]->element}) {
    absl::StatusOr<uint64_t> number = EncodeScalar(part, Spelling::kVhlo);
    if (!number.ok()) return number;
    head.Varint(*number);
  }
  if (per_axis) {
    head.Varint(*quant->axis);
  } else {
    head.SignedVarint(DoubleBits(quant->scales[0]));
    head.SignedVarint(quant->zeros[0]);
  }
  head.SignedVarint(quant->low);
  head.SignedVarint(quant->high);
  if (per_axis) {
    head.Varint(quant->scales.size());
    for (double scale : quant->scales) head.SignedVarint(DoubleBits(scale));
    AppendSizes(quant->zeros, head);
  }
  return Add(types_, Spelling::kVhlo, std::move(head));
}

// Types of arrays: a code, the sizes where the rank is known, the type of elements.
absl::StatusOr<uint64_t> ArtifactEntries::EncodeVhloArray(const Type& type) {
  ByteWriter head;
  if (type.kind == TypeKind::kUnranked) {
    head.Varint(25);
  } else {
    if (type.kind == TypeKind::kMemref) {
      head.Varint(41);
    } else if (type.bounds.empty()) {
      head.Varint(20);
    } else {
      ByteWriter bounds;
      bounds.Varint(18);
      AppendSizes(type.bounds, bounds);
      head.Varint(21);
      head.Varint(Add(attributes_, Spelling::kVhlo, std::move(bounds)));
    }
    AppendSizes(type.dimensions, head);
  }
  absl::StatusOr<uint64_t> element = TypeNumber(*type.types[0], Spelling::kVhlo);
  if (!element.ok()) return element;
  head.Varint(*element);
  return Add(types_, Spelling::kVhlo, std::move(head));
}

absl::StatusOr<uint64_t> ArtifactEntries::EncodeVhloType(const Type& type) {
  if (version_ < FirstVersionOf(type.kind) || (type.kind == TypeKind::kTensor && type.encoding)) {
    return Newer(absl::StrCat("the type ", PrintType(type)));
  }
  ByteWriter head;
  absl::Status status;
  switch (type.kind) {
    case TypeKind::kScalar:
      return EncodeScalar(type.element, Spelling::kVhlo);
    case TypeKind::kIndex:
      head.Varint(9);
      break;
    case TypeKind::kQuantized:
      return EncodeQuantized(type);
    case TypeKind::kTensor:
    case TypeKind::kUnranked:
    case TypeKind::kMemref:
      return EncodeVhloArray(type);
    case TypeKind::kTuple:
      head.Varint(23);
      status = AddTypes(type.types, Spelling::kVhlo, head);
      break;
    case TypeKind::kFuture:
      head.Varint(42);
      status = AddTypes(type.types, Spelling::kVhlo, head);
      break;
    case TypeKind::kFunction:
      head.Varint(8);
      status = AddTypes(type.inputs(), Spelling::kVhlo, head);
      if (status.ok()) status = AddTypes(type.results(), Spelling::kVhlo, head);
      break;
    case TypeKind::kToken:
      head.Varint(22);
      break;
    case TypeKind::kTf32:
    case TypeKind::kNone:
      head.Varint(type.kind == TypeKind::kNone ? 33 : 34);
      break;
    default:
      if (type.text != "!shape.witness") return Newer(absl::StrCat("the type ", PrintType(type)));
      head.Varint(26);
  }
  if (!status.ok()) return status;
  return Add(types_, Spelling::kVhlo, std::move(head));
}

// Of the module's attributes and of Shardy's operations, which keep the types that programs have.
absl::StatusOr<uint64_t> ArtifactEntries::EncodeBuiltinType(const Type& type) {
  ByteWriter head;
  absl::Status status;
  switch (type.kind) {
    case TypeKind::kScalar:
      return EncodeScalar(type.element, Spelling::kBuiltin);
    case TypeKind::kToken:
      head.Varint(0);
      return AddOther(types_, "stablehlo", std::move(head));
    case TypeKind::kIndex:
      head.Varint(1);
      break;
    case TypeKind::kNone:
      head.Varint(12);
      break;
    case TypeKind::kTuple:
      head.Varint(15);
      status = AddTypes(type.types, Spelling::kBuiltin, head);
      break;
    case TypeKind::kFunction:
      head.Varint(2);
      status = AddTypes(type.inputs(), Spelling::kBuiltin, head);
      if (status.ok()) status = AddTypes(type.results(), Spelling::kBuiltin, head);
      break;
    case TypeKind::kTensor: {
      absl::StatusOr<uint64_t> element = TypeNumber(*type.types[0], Spelling::kBuiltin);
      if (!element.ok()) return element;
      if (type.encoding != nullptr || !type.bounds.empty()) {
        return Newer(absl::StrCat("an attribute of the type ", PrintType(type)));
      }
      head.Varint(13);
      AppendSizes(type.dimensions, head);
      head.Varint(*element);
      break;
    }
    default:
      return Newer(absl::StrCat("an attribute of the type ", PrintType(type)));
  }
  if (!status.ok()) return status;
  return Add(types_, Spelling::kBuiltin, std::move(head));
}

}  // namespace assay::stablehlo
