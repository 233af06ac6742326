// Legal rewrites, which nothing may accuse.
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/rewrites.h"

namespace assay::conformance {
namespace {

using enum Opcode;

// The profile under which they must not be accused.
constexpr char kNothingGranted[] = "golden";

}  // namespace

std::vector<Mutant> LegalRewrites() {
  return {
      {"programs/minimum_by_maximum",
       {kMinimum},
       "minimum(a, b) becomes -maximum(-a, -b), of floats with a sign",
       [](Site& site) -> Instruction* {
         const Shape& shape = ShapeOf(site);
         if (!FloatArray(site.original()) || !Info(shape.element_type()).format->has_sign) {
           return nullptr;
         }
         const auto negated = [&](Instruction* x) { return Build(site, kNegate, shape, {x}); };
         return negated(
             Build(site, kMaximum, shape, {negated(site.operand(0)), negated(site.operand(1))}));
       },
       kNothingGranted},
      {"programs/square_is_a_product",
       {kPower},
       "power(x, 2) becomes x * x, of floats",
       [](Site& site) -> Instruction* {
         if (!FloatArray(site.original()) || !Uniform(In(site, 1), 2)) return nullptr;
         return Build(site, kMultiply, ShapeOf(site), {site.operand(0), site.operand(0)});
       },
       kNothingGranted},
      {"programs/first_iteration_is_peeled",
       {kWhile},
       "the first iteration of a loop of known bounds is a call of its body before the loop",
       [](Site& site) -> Instruction* {
         const std::optional<CountedLoop> loop = MatchCountedLoop(site.original());
         if (!loop || loop->Iterations().value_or(1) < 1) return nullptr;
         Instruction* first = BuildUnrolled(site, 1);
         return site.Edited([&](Instruction& copy) { copy.set_operands({first}); });
       },
       kNothingGranted},
      {"programs/reduce_takes_transpose_in",
       {kReduce},
       "reduce(transpose(x)) by addition of integers reduces the dimensions of x",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         if (x.operand_count() != 2 || !Is(In(site, 0), kTranspose) || !IntegerArray(x) ||
             ReducerOf(*x.to_apply()) != kAdd || x.shape().rank() > 1) {
           return nullptr;
         }
         const std::vector<int64_t> dims = Composed(DimensionsOf(In(site, 0)), DimensionsOf(x));
         return site.Edited([&](Instruction& copy) {
           copy.set_operands({Inner(site, 0, 0), site.operand(1)});
           copy.SetAttribute(Attr::kDimensions, dims);
         });
       },
       kNothingGranted},
      {"programs/product_of_matrices_is_transposed",
       {kDot},
       "dot(a, b) of matrices becomes transpose(dot(b, a))",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         if (x.operand_count() != 2 || x.shape().rank() != 2 || !IsArray(x) ||
             In(site, 0).shape().rank() != 2 || In(site, 1).shape().rank() != 2 ||
             !x.GetInts(Attr::kLhsBatchDims).empty() || x.HasAttribute(Attr::kOperandPrecision)) {
           return nullptr;
         }
         const auto dims = [&](Attr attr) {
           const auto span = x.GetInts(attr);
           return std::vector<int64_t>(span.begin(), span.end());
         };
         const Shape other(x.shape().element_type(),
                           {x.shape().dimension(1), x.shape().dimension(0)});
         Instruction* dot =
             Build(site, kDot, other, {site.operand(1), site.operand(0)}, [&](Instruction& copy) {
               copy.SetAttribute(Attr::kLhsContractingDims, dims(Attr::kRhsContractingDims));
               copy.SetAttribute(Attr::kRhsContractingDims, dims(Attr::kLhsContractingDims));
             });
         return dot == nullptr ? nullptr : BuildTranspose(site, dot, {1, 0});
       },
       kNothingGranted},
      {"programs/doubling_is_a_sum",
       {kMultiply},
       "x * 2 becomes x + x",
       [](Site& site) -> Instruction* {
         if (!Uniform(In(site, 1), 2)) return nullptr;
         return Build(site, kAdd, ShapeOf(site), {site.operand(0), site.operand(0)});
       },
       kNothingGranted},
      {"programs/double_negation_is_nothing",
       {kNegate},
       "-(-x) becomes x, of types that have a sign",
       [](Site& site) -> Instruction* {
         const ElementType type = Info(ShapeOf(site).element_type()).component;
         const bool has_sign = !IsFloat(type) || Info(type).format->has_sign;
         return has_sign && Is(In(site, 0), kNegate) ? Inner(site, 0, 0) : nullptr;
       },
       kNothingGranted},
      {"programs/transposes_are_composed",
       {kTranspose},
       "transpose(transpose(x)) becomes one transpose",
       [](Site& site) -> Instruction* {
         if (!Is(In(site, 0), kTranspose)) return nullptr;
         return BuildTranspose(site, Inner(site, 0, 0),
                               Composed(DimensionsOf(In(site, 0)), DimensionsOf(site.original())));
       },
       kNothingGranted},
      {"programs/reshapes_are_merged",
       {kReshape},
       "reshape(reshape(x)) becomes one reshape",
       [](Site& site) -> Instruction* {
         if (!Is(In(site, 0), kReshape)) return nullptr;
         return Build(site, kReshape, ShapeOf(site), {Inner(site, 0, 0)});
       },
       kNothingGranted},
      {"programs/not_of_equality_is_inequality",
       {kNot},
       "not(a == b) becomes a != b, and of integers not(a < b) becomes a >= b",
       [](Site& site) -> Instruction* {
         const Instruction& c = In(site, 0);
         if (!Is(c, kCompare)) return nullptr;
         const ComparisonDirection d = DirectionOf(c);
         const bool equality = d == ComparisonDirection::kEq || d == ComparisonDirection::kNe;
         if (!equality && !IntegerArray(*c.operand(0))) return nullptr;
         if (c.HasAttribute(Attr::kComparisonType)) return nullptr;
         return BuildCompare(site, c, Inverted(d), Inner(site, 0, 0), Inner(site, 0, 1));
       },
       kNothingGranted},
      {"programs/difference_is_a_sum_with_the_negated",
       {kSubtract},
       "a - b becomes a + -b",
       [](Site& site) -> Instruction* {
         const ElementType type = ShapeOf(site).element_type();
         if (!IsArray(site.original()) || (!IsFloat(type) && !IsInteger(type))) return nullptr;
         if (IsFloat(type) && !Info(type).format->has_sign) return nullptr;
         return Build(site, kAdd, ShapeOf(site),
                      {site.operand(0), Build(site, kNegate, ShapeOf(site), {site.operand(1)})});
       },
       kNothingGranted},
      {"programs/select_by_not_exchanges",
       {kSelect},
       "select(not(p), a, b) becomes select(p, b, a)",
       [](Site& site) -> Instruction* {
         if (!Is(In(site, 0), kNot)) return nullptr;
         return site.Edited([&](Instruction& x) {
           x.set_operands({Inner(site, 0, 0), site.operand(2), site.operand(1)});
         });
       },
       kNothingGranted},
      {"programs/broadcasts_are_composed",
       {kBroadcast},
       "broadcast(broadcast(x)) becomes one broadcast",
       [](Site& site) -> Instruction* {
         if (!Is(In(site, 0), kBroadcast)) return nullptr;
         const std::vector<int64_t> dims =
             Composed(DimensionsOf(site.original()), DimensionsOf(In(site, 0)));
         return Build(site, kBroadcast, ShapeOf(site), {Inner(site, 0, 0)},
                      [&](Instruction& x) { x.SetAttribute(Attr::kDimensions, dims); });
       },
       kNothingGranted},
      {"programs/slices_are_composed",
       {kSlice},
       "slice(slice(x)) becomes one slice",
       [](Site& site) -> Instruction* {
         const Instruction& inner = In(site, 0);
         if (!Is(inner, kSlice)) return nullptr;
         Slices slices = site.original().slices();
         for (size_t d = 0; d < slices.size(); ++d) {
           const SliceRange& before = inner.slices()[d];
           const int64_t count = ShapeOf(site).dimensions()[d];
           if (count == 0) return nullptr;
           slices[d].start = before.start + slices[d].start * before.stride;
           slices[d].stride *= before.stride;
           slices[d].limit = slices[d].start + (count - 1) * slices[d].stride + 1;
         }
         return Build(site, kSlice, ShapeOf(site), {Inner(site, 0, 0)},
                      [&](Instruction& x) { x.SetAttribute(Attr::kSlice, slices); });
       },
       kNothingGranted},
      {"programs/remainder_by_quotient",
       {kRemainder},
       "a % b of integers becomes a - (a / b) * b",
       [](Site& site) -> Instruction* {
         // The quotient by zero is -1 here, and the remainder a.
         const Shape& shape = ShapeOf(site);
         if (!IntegerArray(site.original())) return nullptr;
         Instruction* quotient = Build(site, kDivide, shape, {site.operand(0), site.operand(1)});
         Instruction* product = Build(site, kMultiply, shape, {quotient, site.operand(1)});
         return Build(site, kSubtract, shape, {site.operand(0), product});
       },
       kNothingGranted},
      {"programs/loops_are_unrolled",
       {kWhile},
       "a loop of known bounds becomes that many calls of its body",
       [](Site& site) -> Instruction* {
         const std::optional<CountedLoop> loop = MatchCountedLoop(site.original());
         const std::optional<int64_t> count = loop ? loop->Iterations() : std::nullopt;
         return count ? BuildUnrolled(site, *count) : nullptr;
       },
       kNothingGranted},
      {"programs/division_by_a_power_of_two_is_a_product",
       {kDivide},
       "x / 4 becomes x * 0.25",
       [](Site& site) -> Instruction* {
         const std::optional<double> k = UniformValue(In(site, 1));
         if (!FloatArray(site.original()) || !k || !PowerOfTwo(*k) || *k > 8 ||
             Info(ShapeOf(site).element_type()).bits < 16) {
           return nullptr;
         }
         return Build(site, kMultiply, ShapeOf(site),
                      {site.operand(0), BuildUniform(site, ShapeOf(site), 1 / *k)});
       },
       kNothingGranted},
      {"programs/operands_are_exchanged",
       {kAdd, kMultiply, kMaximum, kMinimum},
       "the operands of commutative operations are exchanged",
       [](Site& site) -> Instruction* {
         const std::vector<Instruction*> operands = {site.operand(1), site.operand(0)};
         return site.Edited([&](Instruction& x) { x.set_operands(operands); });
       },
       kNothingGranted},
      {"programs/dot_takes_transpose_in",
       {kDot},
       "dot(transpose(a), b) becomes dot(a, b) over the other dimension",
       [](Site& site) -> Instruction* {
         const Instruction& x = site.original();
         const Instruction& a = In(site, 0);
         if (!Is(a, kTranspose) || a.shape().rank() != 2 ||
             !x.GetInts(Attr::kLhsBatchDims).empty() ||
             x.GetInts(Attr::kLhsContractingDims).size() != 1 || DimensionsOf(a)[0] != 1) {
           return nullptr;
         }
         const int64_t other = 1 - x.GetInts(Attr::kLhsContractingDims)[0];
         return site.Edited([&](Instruction& copy) {
           copy.set_operands({Inner(site, 0, 0), site.operand(1)});
           copy.SetAttribute(Attr::kLhsContractingDims, std::vector<int64_t>{other});
         });
       },
       kNothingGranted},
  };
}

}  // namespace assay::conformance
