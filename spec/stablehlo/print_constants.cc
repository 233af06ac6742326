// Constants: numbers, dense<...> as a nested list or as the bytes of its elements.
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/element/element.h"
#include "spec/stablehlo/float_text.h"
#include "spec/stablehlo/print_attributes.h"
#include "spec/stablehlo/scalar_types.h"

namespace assay::stablehlo {
namespace {

// More elements than this are written as their bytes.
constexpr int64_t kMostListed = 100;

}  // namespace

void AttributePrinter::AppendNumber(ElementType element, uint64_t bits) {
  if (IsFloat(element)) {
    AppendFloatText(element, bits, out_);
  } else if (IsPred(element)) {
    out_.append(bits != 0 ? "true" : "false");
  } else if (IsSigned(element)) {
    absl::StrAppend(&out_, DecodeSigned(element, bits));
  } else {
    absl::StrAppend(&out_, DecodeUnsigned(element, bits));
  }
}

void AttributePrinter::AppendElement(const Attribute& dense, ElementType element, int64_t index) {
  const Element value = LoadElement(element, dense.bytes.get(), index);
  if (!IsComplex(element)) return AppendNumber(element, value.bits);
  const ElementType part = Info(element).component;
  out_.push_back('(');
  AppendNumber(part, value.bits);
  out_.push_back(',');
  AppendNumber(part, value.imag);
  out_.push_back(')');
}

void AttributePrinter::AppendNested(const Attribute& dense, ElementType element, size_t depth,
                                    int64_t& next) {
  const std::vector<int64_t>& sizes = dense.type->dimensions;
  if (depth == sizes.size()) return AppendElement(dense, element, next++);
  out_.push_back('[');
  for (int64_t i = 0; i < sizes[depth]; ++i) {
    if (i > 0) out_.append(", ");
    AppendNested(dense, element, depth + 1, next);
  }
  out_.push_back(']');
}

void AttributePrinter::AppendHex(const Attribute& dense) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  out_.append("\"0x");
  size_t at = out_.size();
  out_.resize(at + 2 * dense.byte_count);
  for (int64_t i = 0; i < dense.byte_count; ++i) {
    const auto byte = static_cast<unsigned char>(dense.bytes[i]);
    out_[at++] = kDigits[byte >> 4];
    out_[at++] = kDigits[byte & 15];
  }
  out_.push_back('"');
}

void AttributePrinter::AppendDense(const Attribute& dense) {
  const ElementType element =
      dense.type->types.empty() ? ElementType::kInvalid : StorageElement(*dense.type->types[0]);
  out_.append("dense<");
  if (element != ElementType::kInvalid && dense.byte_count > 0) {
    const int64_t count = dense.byte_count / Info(element).storage_bytes;
    if (dense.is_splat) {
      AppendElement(dense, element, 0);
    } else if (count > kMostListed) {
      AppendHex(dense);
    } else {
      int64_t next = 0;
      AppendNested(dense, element, 0, next);
    }
  }
  out_.push_back('>');
}

}  // namespace assay::stablehlo
