// Types: scalars, tensors with their bounds or encoding, tuples, functions.
#include "absl/strings/str_cat.h"
#include "spec/stablehlo/print_attributes.h"
#include "spec/stablehlo/scalar_types.h"
#include "spec/stablehlo/text.h"

namespace assay::stablehlo {

void AttributePrinter::AppendDimensions(const Type& type) {
  for (const int64_t size : type.dimensions) {
    if (size == kDynamic) {
      out_.append("?x");
    } else {
      absl::StrAppend(&out_, size, "x");
    }
  }
}

void AttributePrinter::Append(const Type& type) {
  switch (type.kind) {
    case TypeKind::kScalar:
      absl::StrAppend(&out_, ScalarName(type.element));
      return;
    case TypeKind::kInteger:
    case TypeKind::kQuantized:
    case TypeKind::kOpaque:
      out_.append(type.text);
      return;
    case TypeKind::kIndex:
      out_.append("index");
      return;
    case TypeKind::kTf32:
      out_.append("tf32");
      return;
    case TypeKind::kNone:
      out_.append("none");
      return;
    case TypeKind::kTensor:
    case TypeKind::kUnranked:
    case TypeKind::kMemref:
      out_.append(type.kind == TypeKind::kMemref ? "memref<" : "tensor<");
      if (type.kind == TypeKind::kUnranked) out_.append("*x");
      AppendDimensions(type);
      Append(*type.types[0]);
      if (!type.bounds.empty()) {
        out_.append(mhlo_ ? ", #mhlo.bounds" : ", #stablehlo.bounds");
        AppendBounds(type.bounds);
      } else if (type.encoding != nullptr) {
        out_.append(", ");
        Append(*type.encoding);
      } else if (!type.text.empty()) {
        absl::StrAppend(&out_, ", ", type.text);
      }
      out_.push_back('>');
      return;
    case TypeKind::kToken:
      out_.append(mhlo_ ? "!mhlo.token" : "!stablehlo.token");
      return;
    case TypeKind::kTuple:
    case TypeKind::kFuture:
      out_.append(type.kind == TypeKind::kTuple ? "tuple<" : "!stablehlo.future<");
      for (size_t i = 0; i < type.types.size(); ++i) {
        if (i > 0) out_.append(", ");
        Append(*type.types[i]);
      }
      out_.push_back('>');
      return;
    case TypeKind::kFunction:
      AppendTypeList(type.inputs());
      out_.append(" -> ");
      AppendResultTypes(type.results());
      return;
  }
}

void AttributePrinter::AppendTypeList(absl::Span<const Type* const> types) {
  out_.push_back('(');
  for (size_t i = 0; i < types.size(); ++i) {
    if (i > 0) out_.append(", ");
    Append(*types[i]);
  }
  out_.push_back(')');
}

void AttributePrinter::AppendResultTypes(absl::Span<const Type* const> types) {
  if (types.size() == 1 && types[0]->kind != TypeKind::kFunction) return Append(*types[0]);
  AppendTypeList(types);
}

std::string PrintType(const Type& type) {
  std::string out;
  AttributePrinter(out).Append(type);
  return out;
}

}  // namespace assay::stablehlo
