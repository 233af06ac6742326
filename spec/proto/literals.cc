// Literals to and from LiteralProto. The payload lies in the order of the shape's layout, and one
// element takes a byte where it is narrower; old writers packed s4 and u4, told by the length.
// Source: reference ops_elementwise_and_types.md 1.1 and 1.4. Test: literals_test.cc.
#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/proto/conversions.h"
#include "spec/proto/pieces.h"

namespace assay {
namespace {

static_assert(std::endian::native == std::endian::little,
              "payloads are little endian and copied as they are");

using google::protobuf::RepeatedField;
using Proto = wire::LiteralProto;

// The field that carries the elements of a type, as plain memory.
struct PayloadField {
  absl::string_view (*view)(const Proto&);
  char* (*allocate)(Proto*, int64_t bytes);
};

template <const std::string& (Proto::*Get)() const, std::string* (Proto::*Mutable)()>
constexpr PayloadField Bytes() {
  return {[](const Proto& proto) { return absl::string_view((proto.*Get)()); },
          [](Proto* proto, int64_t bytes) {
            std::string* field = (proto->*Mutable)();
            field->resize(bytes);
            return field->data();
          }};
}

template <typename T, const RepeatedField<T>& (Proto::*Get)() const,
          RepeatedField<T>* (Proto::*Mutable)()>
constexpr PayloadField Numbers() {
  return {[](const Proto& proto) {
            const RepeatedField<T>& field = (proto.*Get)();
            return absl::string_view(reinterpret_cast<const char*>(field.data()),
                                     field.size() * sizeof(T));
          },
          [](Proto* proto, int64_t bytes) {
            RepeatedField<T>* field = (proto->*Mutable)();
            field->Resize(static_cast<int>(bytes / sizeof(T)), T{});
            return reinterpret_cast<char*>(field->mutable_data());
          }};
}

PayloadField FieldOf(ElementType type) {
  switch (type) {
#define BYTES(enumerator, name) \
  case ElementType::enumerator: \
    return Bytes<&Proto::name, &Proto::mutable_##name>();
#define NUMBERS(enumerator, name, T) \
  case ElementType::enumerator:      \
    return Numbers<T, &Proto::name, &Proto::mutable_##name>();
    NUMBERS(kPred, preds, bool)
    BYTES(kS1, s1s)
    BYTES(kS2, s2s)
    BYTES(kS4, s4s)
    BYTES(kS8, s8s)
    BYTES(kS16, s16s)
    NUMBERS(kS32, s32s, int32_t)
    NUMBERS(kS64, s64s, int64_t)
    BYTES(kU1, u1s)
    BYTES(kU2, u2s)
    BYTES(kU4, u4s)
    BYTES(kU8, u8s)
    BYTES(kU16, u16s)
    NUMBERS(kU32, u32s, uint32_t)
    NUMBERS(kU64, u64s, uint64_t)
    BYTES(kF4E2M1FN, f4e2m1fns)
    BYTES(kF6E2M3FN, f6e2m3fns)
    BYTES(kF6E3M2FN, f6e3m2fns)
    BYTES(kF8E3M4, f8e3m4s)
    BYTES(kF8E4M3, f8e4m3s)
    BYTES(kF8E4M3FN, f8e4m3fns)
    BYTES(kF8E4M3FNUZ, f8e4m3fnuzs)
    BYTES(kF8E4M3B11FNUZ, f8e4m3b11fnuzs)
    BYTES(kF8E5M2, f8e5m2s)
    BYTES(kF8E5M2FNUZ, f8e5m2fnuzs)
    BYTES(kF8E8M0FNU, f8e8m0fnus)
    BYTES(kF16, f16s)
    BYTES(kBF16, bf16s)
    NUMBERS(kF32, f32s, float)
    NUMBERS(kF64, f64s, double)
    NUMBERS(kC64, c64s, float)
    NUMBERS(kC128, c128s, double)
#undef BYTES
#undef NUMBERS
    default:
      return {};
  }
}

bool IsRowMajor(const Shape& shape) {
  if (!shape.has_layout()) return true;
  const Dimensions& order = shape.layout()->minor_to_major;
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (order[i] != shape.rank() - 1 - i) return false;
  }
  return true;
}

// Calls copy(physical, logical) with the linear positions of every element, in physical order.
template <typename Copy>
void ForEachInLayout(const Shape& shape, int64_t count, Copy copy) {
  const Dimensions& order = shape.layout()->minor_to_major;
  const Dimensions strides = RowMajorStrides(shape.dimensions());
  Dimensions position(shape.rank(), 0);
  int64_t logical = 0;
  for (int64_t physical = 0; physical < count; ++physical) {
    copy(physical, logical);
    for (int64_t d : order) {
      logical += strides[d];
      if (++position[d] < shape.dimension(d)) break;
      logical -= strides[d] * shape.dimension(d);
      position[d] = 0;
    }
  }
}

// Bits above the type's width are to be ignored; a pred is 0 or 1.
void Normalise(ElementType type, int64_t count, std::byte* data) {
  const int bits = Info(type).bits;
  if (IsPred(type)) {
    for (int64_t i = 0; i < count; ++i) data[i] = std::byte{data[i] != std::byte{0}};
  } else if (bits < 8) {
    const std::byte mask{static_cast<uint8_t>((1 << bits) - 1)};
    for (int64_t i = 0; i < count; ++i) data[i] &= mask;
  }
}

// Element 0 is in the least significant bits.
std::vector<char> Unpack(absl::string_view packed, int bits, int64_t count) {
  std::vector<char> bytes(count);
  const int per_byte = 8 / bits;
  for (int64_t i = 0; i < count; ++i) {
    const uint8_t byte = static_cast<uint8_t>(packed[i / per_byte]);
    bytes[i] = static_cast<char>((byte >> (i % per_byte * bits)) & ((1 << bits) - 1));
  }
  return bytes;
}

absl::Status ReadDynamicSizes(const Proto& proto, const Shape& shape, Literal* literal) {
  if (proto.dynamic_sizes().empty()) return absl::OkStatus();
  if (proto.dynamic_sizes_size() != shape.rank()) {
    return absl::InvalidArgumentError(absl::StrCat("a literal of shape ", shape.ToString(), " has ",
                                                   proto.dynamic_sizes_size(), " dynamic sizes"));
  }
  for (int64_t d = 0; d < shape.rank(); ++d) {
    const int64_t size = proto.dynamic_sizes(d);
    if (size < 0 || size > shape.dimension(d)) {
      return absl::InvalidArgumentError(absl::StrCat("a literal of shape ", shape.ToString(),
                                                     " has the dynamic size ", size,
                                                     " in dimension ", d));
    }
    literal->set_dynamic_size(d, size);
  }
  return absl::OkStatus();
}

absl::StatusOr<Literal> ArrayFromProto(const Proto& proto, const Shape& shape) {
  const ElementTypeInfo& type = Info(shape.element_type());
  absl::StatusOr<int64_t> wanted = shape.ByteSize();
  if (!wanted.ok()) return wanted.status();
  absl::string_view payload = FieldOf(type.type).view(proto);
  const int64_t given = static_cast<int64_t>(payload.size());
  const int64_t count = *wanted / type.storage_bytes;
  const bool packable = type.bits < 8 && 8 % type.bits == 0 && !IsPred(type.type);
  const bool packed =
      packable && given != *wanted && count / 8 < given && given == (count * type.bits + 7) / 8;
  if (given != *wanted && !packed) {
    return absl::InvalidArgumentError(absl::StrCat("a literal of shape ", shape.ToString(), " has ",
                                                   given, " bytes of ", type.name,
                                                   " elements instead of ", *wanted));
  }
  std::vector<char> unpacked;
  if (packed) {
    unpacked = Unpack(payload, type.bits, count);
    payload = absl::string_view(unpacked.data(), unpacked.size());
  }
  absl::StatusOr<Literal> literal = Literal::Create(shape);
  if (!literal.ok()) return literal;
  std::byte* data = literal->mutable_data();
  if (IsRowMajor(shape)) {
    if (!payload.empty()) std::memcpy(data, payload.data(), payload.size());
  } else {
    const int64_t size = type.storage_bytes;
    ForEachInLayout(shape, count, [&](int64_t physical, int64_t logical) {
      std::memcpy(data + logical * size, payload.data() + physical * size, size);
    });
  }
  Normalise(type.type, count, data);
  if (absl::Status status = ReadDynamicSizes(proto, shape, &*literal); !status.ok()) return status;
  return literal;
}

// `shape` has been read already: reading it again at every level of a deep tuple would take
// quadratic time.
absl::StatusOr<Literal> FromProto(const Proto& proto, const Shape& shape) {
  if (shape.is_array()) return ArrayFromProto(proto, shape);
  if (shape.is_token()) return Literal::Token();
  if (!shape.is_tuple()) {
    return absl::InvalidArgumentError(
        absl::StrCat("a literal cannot have the shape ", shape.ToString()));
  }
  const auto& elements = shape.tuple_shapes();
  if (proto.tuple_literals_size() != static_cast<int>(elements.size())) {
    return absl::InvalidArgumentError(absl::StrCat("a literal of shape ", shape.ToString(), " has ",
                                                   proto.tuple_literals_size(), " elements"));
  }
  std::vector<Literal> values;
  values.reserve(elements.size());
  for (size_t i = 0; i < elements.size(); ++i) {
    const Proto& element = proto.tuple_literals(static_cast<int>(i));
    const bool same =
        element.shape().element_type() ==
            static_cast<wire::PrimitiveType>(elements[i].element_type()) &&
        std::equal(elements[i].dimensions().begin(), elements[i].dimensions().end(),
                   element.shape().dimensions().begin(), element.shape().dimensions().end());
    if (element.has_shape() && !same) {
      return absl::InvalidArgumentError(absl::StrCat("element ", i, " of a literal of shape ",
                                                     shape.ToString(), " has another shape"));
    }
    // The element's own layout orders its payload.
    Shape own = elements[i];
    if (own.is_array() && element.has_shape()) {
      absl::StatusOr<Shape> read = ShapeFromProto(element.shape());
      if (!read.ok()) return read.status();
      own = *std::move(read);
    }
    absl::StatusOr<Literal> value = FromProto(element, own);
    if (!value.ok()) return value;
    values.push_back(*std::move(value));
  }
  return Literal::Tuple(std::move(values));
}

void ToProto(const Literal& literal, const Shape& shape, Proto* proto) {
  *proto->mutable_shape() = ShapeToProto(shape);
  if (shape.is_tuple()) {
    for (size_t i = 0; i < literal.elements().size(); ++i) {
      ToProto(literal.element(i), shape.tuple_shape(i), proto->add_tuple_literals());
    }
    return;
  }
  if (!shape.is_array()) return;
  char* payload = FieldOf(shape.element_type()).allocate(proto, literal.byte_size());
  if (IsRowMajor(shape)) {
    if (literal.byte_size() > 0) std::memcpy(payload, literal.data(), literal.byte_size());
  } else {
    const int64_t size = Info(shape.element_type()).storage_bytes;
    ForEachInLayout(shape, literal.element_count(), [&](int64_t physical, int64_t logical) {
      std::memcpy(payload + physical * size, literal.data() + logical * size, size);
    });
  }
  bool resized = false;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    resized |= literal.dynamic_size(d) != shape.dimension(d);
  }
  for (int64_t d = 0; resized && d < shape.rank(); ++d) {
    proto->add_dynamic_sizes(static_cast<int32_t>(literal.dynamic_size(d)));
  }
}

// Elements of whatever type: those of another one than the shape's are a mistake, not an omission.
bool HasPayload(const Proto& proto) {
  for (const Proto& element : proto.tuple_literals()) {
    if (HasPayload(element)) return true;
  }
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  proto.GetReflection()->ListFields(proto, &fields);
  return std::any_of(fields.begin(), fields.end(), [](const auto* field) {
    return field->number() != Proto::kShapeFieldNumber &&
           field->number() != Proto::kTupleLiteralsFieldNumber;
  });
}

bool HasElements(const wire::ShapeProto& shape) {
  for (const wire::ShapeProto& element : shape.tuple_shapes()) {
    if (HasElements(element)) return true;
  }
  const std::optional<ElementType> type = ElementTypeFromNumber(shape.element_type());
  return type && IsArray(*type) &&
         std::find(shape.dimensions().begin(), shape.dimensions().end(), 0) ==
             shape.dimensions().end();
}

}  // namespace

absl::StatusOr<Literal> LiteralFromProto(const wire::LiteralProto& proto) {
  absl::StatusOr<Shape> shape = ShapeFromProto(proto.shape());
  if (!shape.ok()) return shape.status();
  absl::StatusOr<Literal> literal = FromProto(proto, *shape);
  if (!literal.ok()) return literal;
  return literal->WithShape(*std::move(shape));
}

// XLA reads no literal whose elements have another size than their natural one.
void ClearElementSizes(wire::ShapeProto* shape) {
  if (shape->has_layout()) shape->mutable_layout()->clear_element_size_in_bits();
  for (wire::ShapeProto& element : *shape->mutable_tuple_shapes()) ClearElementSizes(&element);
}

absl::StatusOr<wire::LiteralProto> LiteralToProtoAs(const Literal& literal, const Shape& shape) {
  if (absl::Status status = CheckNesting(shape); !status.ok()) return status;
  constexpr int64_t kMaxBytes = (int64_t{1} << 31) - 1;
  if (literal.byte_size() > kMaxBytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("a literal of shape ", shape.ToString(), " takes ", literal.byte_size(),
                     " bytes, more than the 2 GiB that a protobuf can hold"));
  }
  wire::LiteralProto proto;
  ToProto(literal, shape, &proto);
  ClearElementSizes(proto.mutable_shape());
  return proto;
}

absl::StatusOr<wire::LiteralProto> LiteralToProto(const Literal& literal) {
  Shape shape = literal.shape();
  shape.FillLayouts();  // XLA's readers want one
  return LiteralToProtoAs(literal, shape);
}

bool IsElided(const wire::LiteralProto& proto) {
  return HasElements(proto.shape()) && !HasPayload(proto);
}

}  // namespace assay
