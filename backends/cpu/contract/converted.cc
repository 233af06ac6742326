#include "backends/cpu/contract/converted.h"

#include <cmath>

#include "spec/element/element.h"
#include "spec/ops/dot.h"

namespace assay::cpu {
namespace {

// A number without fraction that lies within the bounds of the type; NaN is 0.
Element IntegerOf(ElementType to, double value) {
  if (std::isnan(value)) return Element{};
  value = std::trunc(value);
  if (IsSigned(to)) {
    const int64_t low = MinSigned(to), high = MaxSigned(to);
    if (value <= static_cast<double>(low)) return {EncodeInteger(to, static_cast<uint64_t>(low))};
    if (value >= static_cast<double>(high)) return {EncodeInteger(to, static_cast<uint64_t>(high))};
    return {EncodeInteger(to, static_cast<uint64_t>(static_cast<int64_t>(value)))};
  }
  if (value <= 0) return Element{};
  if (value >= static_cast<double>(MaxUnsigned(to))) return {MaxUnsigned(to)};
  return {EncodeInteger(to, static_cast<uint64_t>(value))};
}

// Conversion of a real number.
Element ConvertReal(ElementType from, ElementType to, Element element) {
  if (IsFloat(from)) {
    const double value = DecodeFloat(from, element.bits);
    if (IsPred(to)) return {uint64_t{!(value == 0)}};
    return IsFloat(to) ? Element{EncodeFloat(to, value)} : IntegerOf(to, value);
  }
  if (IsSigned(from)) {
    const int64_t value = DecodeSigned(from, element.bits);
    if (IsPred(to)) return {uint64_t{value != 0}};
    return {IsFloat(to) ? EncodeFloatFromSigned(to, value)
                        : EncodeInteger(to, static_cast<uint64_t>(value))};
  }
  const uint64_t value = DecodeUnsigned(from, element.bits);
  if (IsPred(to)) return {uint64_t{value != 0}};
  return {IsFloat(to) ? EncodeFloatFromUnsigned(to, value) : EncodeInteger(to, value)};
}

// As the operation `convert`: a real number has the imaginary part 0, and of a complex one that
// becomes real the real part is kept.
Element Convert(ElementType from, ElementType to, Element element) {
  const ElementType part_from = Info(from).component, part_to = Info(to).component;
  if (IsComplex(from) && IsPred(to)) {
    const Element imaginary = {element.imag};
    return {ConvertReal(part_from, to, Element{element.bits}).bits |
            ConvertReal(part_from, to, imaginary).bits};
  }
  Element result = ConvertReal(part_from, part_to, Element{element.bits});
  if (IsComplex(from) && IsComplex(to)) {
    result.imag = ConvertReal(part_from, part_to, Element{element.imag}).bits;
  }
  return result;
}

}  // namespace

absl::Status ConvertedFactor::Set(ElementType from, ElementType to, const std::byte* data,
                                  int64_t count) {
  data_ = data;
  if (from == to) return absl::OkStatus();
  absl::StatusOr<std::byte*> memory = Allocate(to, count);
  if (!memory.ok()) return memory.status();
  for (int64_t i = 0; i < count; ++i) {
    StoreElement(to, Convert(from, to, LoadElement(from, data, i)), *memory, i);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::byte*> ConvertedFactor::Allocate(ElementType type, int64_t count) {
  const int64_t bytes = count * Info(type).storage_bytes;
  if (absl::Status status = lease_.Add(bytes); !status.ok()) return status;
  memory_ = runtime::KeptBytes(bytes);
  data_ = memory_.data();
  return memory_.data();
}

ElementType FactorType(ElementType factor, ElementType other, ElementType result) {
  return AreOfOneClass(factor, other, result) ? factor : result;
}

}  // namespace assay::cpu
