#include "spec/ops/checks.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"

namespace assay {
namespace {

constexpr absl::string_view kFound = ", found ";

}  // namespace

absl::Status ViolationOf(const Instruction& op, absl::string_view clause, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("[", clause, "] ", what, "; in ", op.Describe()));
}

ViolationParts PartsOfViolation(const absl::Status& status) {
  absl::string_view text = status.message();
  ViolationParts parts;
  if (absl::ConsumePrefix(&text, "[")) {
    const size_t end = text.find(']');
    parts.clause = std::string(text.substr(0, end));
    text.remove_prefix(end == absl::string_view::npos ? text.size() : end + 1);
  }
  text = absl::StripLeadingAsciiWhitespace(text.substr(0, text.rfind("; in ")));
  const size_t found = text.rfind(kFound);
  parts.expected = std::string(text.substr(0, found));
  if (found != absl::string_view::npos) {
    parts.found = std::string(text.substr(found + kFound.size()));
  }
  return parts;
}

std::string ListText(absl::Span<const int64_t> list) {
  return absl::StrCat("{", absl::StrJoin(list, ","), "}");
}

absl::Status RequireArray(const Instruction& op, absl::string_view clause, int64_t i) {
  const Shape& shape = op.operand(i)->shape();
  ASSAY_REQUIRE(op, clause, shape.is_array(), "operand ", i, " must be an array, found ",
                shape.ToString());
  return absl::OkStatus();
}

absl::Status RequireArrays(const Instruction& op, absl::string_view clause) {
  for (int64_t i = 0; i < op.operand_count(); ++i) {
    ASSAY_RETURN_IF_ERROR(RequireArray(op, clause, i));
  }
  return absl::OkStatus();
}

absl::Status RequireDeclaredArray(const Instruction& op, absl::string_view clause) {
  ASSAY_REQUIRE(op, clause, op.shape().is_array(), "the declared shape must be an array, found ",
                op.shape().ToString());
  return absl::OkStatus();
}

absl::Status RequireDimension(const Instruction& op, absl::string_view clause,
                              absl::string_view name, int64_t dimension, int64_t rank) {
  ASSAY_REQUIRE(op, clause, dimension >= 0 && dimension < rank, name, " must lie in [0, ", rank,
                "), found ", dimension);
  return absl::OkStatus();
}

absl::Status RequireDimensions(const Instruction& op, absl::string_view clause,
                               absl::string_view name, absl::Span<const int64_t> list, int64_t rank,
                               ListOrder order) {
  for (size_t i = 0; i < list.size(); ++i) {
    ASSAY_REQUIRE(op, clause, list[i] >= 0 && list[i] < rank, name, " must lie in [0, ", rank,
                  "), found ", ListText(list));
    if (order == ListOrder::kIncreasing) {
      ASSAY_REQUIRE(op, clause, i == 0 || list[i - 1] < list[i], name,
                    " must be strictly increasing, found ", ListText(list));
    } else {
      // With every entry in range and none repeated so far, i stays below the rank.
      ASSAY_REQUIRE(op, clause, !Contains(list.first(i), list[i]), name, " has ", list[i],
                    " more than once, found ", ListText(list));
    }
  }
  return absl::OkStatus();
}

bool Contains(absl::Span<const int64_t> list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

bool TypesMix(ElementType a, ElementType b) { return a == b || (IsFloat(a) && IsFloat(b)); }

bool TypesMix(const Shape& a, const Shape& b) {
  if (!Shape::SameDimensions(a, b)) return false;
  const std::vector<const Shape*> left = Leaves(a), right = Leaves(b);
  for (size_t i = 0; i < left.size(); ++i) {
    if (!TypesMix(left[i]->element_type(), right[i]->element_type())) return false;
  }
  return true;
}

ElementType HigherType(ElementType a, ElementType b) {
  auto rank = [](ElementType type) {
    const ElementTypeInfo& info = Info(type);
    const FloatFormat* format = Info(info.component).format;
    return std::make_tuple(IsComplex(type), format == nullptr ? INT32_MIN : format->max_exponent(),
                           format == nullptr ? -1 : format->significand_bits, info.bits,
                           IsSigned(type));
  };
  return rank(a) >= rank(b) ? a : b;
}

Shape WithElementType(Shape shape, ElementType type) {
  shape.set_element_type(type);
  return shape;
}

absl::StatusOr<Signature> SignatureOf(const Instruction& op, const Computation* callee) {
  ASSAY_REQUIRE(op, "callee_c1", callee != nullptr, "a computation to call is missing");
  ASSAY_REQUIRE(op, "callee_c1", callee->root() != nullptr, "the computation ", callee->name(),
                " is empty");
  Signature signature;
  signature.result = &callee->root()->shape();
  for (const Instruction* parameter : callee->parameters()) {
    ASSAY_REQUIRE(op, "callee_c2", parameter != nullptr, "the parameters of ", callee->name(),
                  " are not numbered from 0 without gaps");
    signature.parameters.push_back(&parameter->shape());
  }
  return signature;
}

absl::StatusOr<ReducerTypes> CheckReducer(const Instruction& op, const Computation* reducer,
                                          absl::Span<const ElementType> elements,
                                          absl::Span<const ElementType> inits) {
  absl::StatusOr<Signature> signature = SignatureOf(op, reducer);
  if (!signature.ok()) return signature.status();
  const absl::string_view name = reducer->name();
  const auto& parameters = signature->parameters;
  const size_t n = elements.size();
  ASSAY_REQUIRE(op, "reducer_c1", parameters.size() == 2 * n, name, " must have ", 2 * n,
                " parameters, found ", parameters.size());
  const Shape& result = *signature->result;
  ReducerTypes types;
  types.is_tuple = result.is_tuple();
  ASSAY_REQUIRE(op, "reducer_c2", types.is_tuple ? result.tuple_shapes().size() == n : n == 1, name,
                " must return ", n, n == 1 ? " scalar" : " scalars as a tuple", ", found ",
                result.ToString());
  for (size_t k = 0; k < n; ++k) {
    const Shape& part = types.is_tuple ? result.tuple_shape(k) : result;
    ASSAY_REQUIRE(op, "reducer_c2", part.is_scalar(), name, " must return scalars, found ",
                  result.ToString());
    types.results.push_back(part.element_type());
  }
  for (size_t k = 0; k < 2 * n; ++k) {
    ASSAY_REQUIRE(op, "reducer_c3", parameters[k]->is_scalar(), "parameter ", k, " of ", name,
                  " must be a scalar, found ", parameters[k]->ToString());
  }
  for (size_t k = 0; k < n; ++k) {
    const ElementType accumulator = types.results[k];
    const ElementType element = parameters[n + k]->element_type();
    ASSAY_REQUIRE(op, "reducer_c4", parameters[k]->element_type() == accumulator, "parameter ", k,
                  " of ", name, " must have the type of result ", k, ", ", Name(accumulator),
                  ", found ", parameters[k]->ToString());
    ASSAY_REQUIRE(op, "reducer_c5", TypesMix(inits[k], accumulator), "init value ", k, " is ",
                  Name(inits[k]), ", but result ", k, " of ", name, " is ", Name(accumulator));
    ASSAY_REQUIRE(op, "reducer_c6",
                  TypesMix(elements[k], element) && TypesMix(element, accumulator), "elements of ",
                  Name(elements[k]), " do not fit parameter ", n + k, " of ", name, ", ",
                  Name(element), ", and its result ", Name(accumulator));
  }
  return types;
}

absl::Status CheckOutputAliases(const Instruction& op, absl::string_view index_clause,
                                absl::string_view shape_clause, AliasShapes shapes) {
  const auto* aliases = op.attributes().Get<OutputOperandAliases>(Attr::kOutputToOperandAliasing);
  if (aliases == nullptr) return absl::OkStatus();
  for (const OutputOperandAlias& alias : *aliases) {
    const Shape* output = SubShape(op.shape(), alias.output_index);
    const bool in_range = alias.operand >= 0 && alias.operand < op.operand_count();
    const Shape* input =
        in_range ? SubShape(op.operand(alias.operand)->shape(), alias.operand_index) : nullptr;
    ASSAY_REQUIRE(op, index_clause, output != nullptr && input != nullptr,
                  "an alias must name parts of the result and of an operand, found output ",
                  ListText(alias.output_index), " and operand ", alias.operand, " at ",
                  ListText(alias.operand_index));
    if (shapes == AliasShapes::kAny) continue;
    if (shapes == AliasShapes::kPinned) {
      output = output->is_buffer() ? &output->tuple_shape(0) : output;
      input = input->is_buffer() ? &input->tuple_shape(0) : input;
    }
    ASSAY_REQUIRE(op, shape_clause, Shape::Compatible(*output, *input),
                  "an alias must have one shape, found ", output->ToString(), " and ",
                  input->ToString());
  }
  return absl::OkStatus();
}

Shape OneOrTuple(std::vector<Shape> shapes, bool tuple) {
  return tuple ? Shape::Tuple(std::move(shapes)) : std::move(shapes[0]);
}

}  // namespace assay
