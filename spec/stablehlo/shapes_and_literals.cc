// Types as shapes, dense attributes as literals. Test: to_module_test.cc.
#include <algorithm>
#include <cstring>

#include "spec/stablehlo/lowering.h"

namespace assay::stablehlo {
namespace {

absl::StatusOr<Shape> ArrayShape(const Type& type) {
  const Type* element = type.types.empty() ? nullptr : type.types[0];
  if (element == nullptr) return absl::InvalidArgumentError("a tensor without element type");
  ElementType of = element->element;
  switch (element->kind) {
    case TypeKind::kScalar:
      break;
    case TypeKind::kIndex:
      of = ElementType::kS64;
      break;
    case TypeKind::kQuantized:
      return absl::UnimplementedError(absl::StrCat(
          "the quantised type ", element->text,
          " has no counterpart in HLO; StableHLO's pass stablehlo-legalize-quant-to-math turns "
          "such programs into integer arithmetic, which is understood"));
    case TypeKind::kInteger:
      return absl::UnimplementedError(absl::StrCat(
          "integers of ", element->width,
          " bits with this signedness have no counterpart in HLO; i1, i2, i4, i8, i16, "
          "i32, i64 and the unsigned ones are understood"));
    default:
      return absl::UnimplementedError("this element type has no counterpart in HLO");
  }
  if (of == ElementType::kInvalid) {
    return absl::UnimplementedError("this element type has no counterpart in HLO");
  }
  if (type.encoding != nullptr) {
    return absl::UnimplementedError(
        absl::StrCat("the tensor encoding ", type.encoding->text,
                     " is not understood; dense tensors, also with #stablehlo.bounds, are"));
  }
  Dimensions sizes;
  for (size_t d = 0; d < type.dimensions.size(); ++d) {
    const bool bounded =
        type.dimensions[d] == kDynamic && d < type.bounds.size() && type.bounds[d] != kDynamic;
    if (type.dimensions[d] < 0 && type.dimensions[d] != kDynamic) {
      return absl::InvalidArgumentError("a dimension has a negative size");
    }
    sizes.push_back(
        bounded ? type.bounds[d]
                : (type.dimensions[d] == kDynamic ? Shape::kUnbounded : type.dimensions[d]));
  }
  Shape shape(of, sizes);
  for (size_t d = 0; d < type.dimensions.size(); ++d) {
    if (type.dimensions[d] == kDynamic && !shape.is_unbounded_dimension(d)) {
      shape.set_dynamic_dimension(d, true);
    }
  }
  return shape;
}

absl::StatusOr<Shape> ShapeAt(const Type& type, int depth) {
  if (depth > kMaxNesting) {
    return absl::InvalidArgumentError(absl::StrCat("tuples in tuples beyond ", kMaxNesting));
  }
  switch (type.kind) {
    case TypeKind::kTensor:
      return ArrayShape(type);
    case TypeKind::kToken:
      return Shape::Token();
    case TypeKind::kMemref: {
      absl::StatusOr<Shape> array = ArrayShape(type);
      if (!array.ok()) return array;
      return Shape::Buffer(*std::move(array));
    }
    case TypeKind::kTuple:
    case TypeKind::kFuture: {
      std::vector<Shape> elements;
      for (const Type* element : type.types) {
        absl::StatusOr<Shape> shape = ShapeAt(*element, depth + 1);
        if (!shape.ok()) return shape;
        elements.push_back(*std::move(shape));
      }
      return Shape::Tuple(std::move(elements));
    }
    case TypeKind::kScalar:
      return Shape::Scalar(type.element);
    case TypeKind::kIndex:
      return Shape::Scalar(ElementType::kS64);
    case TypeKind::kUnranked:
      return absl::UnimplementedError(
          "tensors without a rank (tensor<*x..>) have no counterpart in HLO; ranked ones are "
          "understood, also with dynamic sizes");
    default:
      return absl::UnimplementedError(
          absl::StrCat("values of the type ", type.text.empty() ? "given here" : type.text,
                       " have no counterpart in HLO; tensors, tuples, tokens and buffers have"));
  }
}

}  // namespace

absl::StatusOr<Shape> ShapeOfType(const Type& type) {
  absl::StatusOr<Shape> shape = ShapeAt(type, 0);
  if (shape.ok() && !HasUnboundedDimension(*shape)) shape->FillLayouts();
  return shape;
}

bool HasUnboundedDimension(const Shape& shape) {
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (shape.is_unbounded_dimension(d)) return true;
  }
  const absl::Span<const Shape> elements = shape.tuple_shapes();
  return std::any_of(elements.begin(), elements.end(), HasUnboundedDimension);
}

absl::StatusOr<Literal> LiteralOfDense(const Attribute& dense) {
  if (dense.kind == AttributeKind::kElided) {
    return absl::InvalidArgumentError(
        absl::StrCat("the data of the resource ", dense.text,
                     " are not in the file; print the program without eliding resources"));
  }
  if (dense.kind != AttributeKind::kDense || dense.type == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat("constants other than dense<..> are not understood",
                     dense.text.empty() ? "" : ", found ", dense.text));
  }
  absl::StatusOr<Shape> shape = ShapeOfType(*dense.type);
  if (!shape.ok()) return shape.status();
  if (!shape->is_array() || HasUnboundedDimension(*shape) || shape->is_dynamic()) {
    return absl::InvalidArgumentError(
        absl::StrCat("a constant must have a static shape, found ", shape->ToString()));
  }
  if (dense.is_splat) shape = Shape::Scalar(shape->element_type());
  const absl::StatusOr<int64_t> size = shape->ByteSize();
  if (!size.ok()) return size.status();
  if (*size != dense.byte_count) {
    return absl::InvalidArgumentError(absl::StrCat("a constant of ", shape->ToString(), " takes ",
                                                   *size, " bytes, found ", dense.byte_count));
  }
  return Literal::FromBuffer(*std::move(shape), dense.bytes);
}

}  // namespace assay::stablehlo
