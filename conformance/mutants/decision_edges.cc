// Targets that decide N-9, R-3, W-12 and W-14 otherwise than golden, and such as go beyond what
// these points leave open (reference ops_elementwise_and_types.md 3.3 and 7, ops_structural.md 5
// and 15).
#include <cmath>

#include "absl/strings/str_cat.h"
#include "conformance/mutants/defects.h"
#include "conformance/mutants/profile_edges.h"
#include "conformance/mutants/sums.h"
#include "evaluator/ops/definition.h"

namespace assay {
namespace {

using enum Opcode;
using ElementType::kBF16;
using ElementType::kF16;
using ElementType::kF32;
using ElementType::kF64;
using ElementType::kF8E8M0FNU;

bool IsLeastScale(const ElementSite& e, int k) {
  return e.types[k] == kF8E8M0FNU && e.x[k].bits == 0;
}

// 2^-127 is zero: a product of it is a NaN, which the type has for zero, a sum the other term.
Element ScaleLost(const ElementSite& e) {
  if (!IsLeastScale(e, 0) && !IsLeastScale(e, 1)) return e.golden;
  if (e.nan(0) || e.nan(1)) return e.golden;
  const bool adds = e.instruction.opcode() == kAdd;
  if (!adds || (IsLeastScale(e, 0) && IsLeastScale(e, 1))) return {CanonicalNan(e.type), 0};
  return e.x[IsLeastScale(e, 0) ? 1 : 0];
}

// 2^-127 is 2^-126.
Element ScaleRaised(const ElementSite& e) {
  if (!IsLeastScale(e, 0) && !IsLeastScale(e, 1)) return e.golden;
  return e.nan(0) || e.nan(1) || e.result() > 1 ? e.golden : Element{e.golden.bits + 1, 0};
}

// f16 as f32: what is less than the least normal number of the format becomes so many of these.
ElementDefect DenormalsTo(double normals) {
  return [normals](const ElementSite& e) {
    const int bits = static_cast<int>(e.instruction.GetInt(Attr::kExponentBits));
    const double normal = std::ldexp(1.0, 2 - (1 << (bits - 1)));
    const bool below = std::fabs(e.f(0)) < normal && e.f(0) != 0;
    return below ? e.Float(std::copysign(normals * normal, e.f(0))) : e.golden;
  };
}

double Sum(const std::vector<SumTerm>& terms) { return SumForward(terms, kF64); }

// Sums of several terms: the start value, which the definition reads first, counts so often more.
Defect StartCounted(double more) {
  return SumBy(
      [more](const std::vector<SumTerm>& terms, ElementType) {
        return Sum(terms) + (terms.size() > 2 ? more * terms.front().a : 0);
      },
      TypeIs({kF32, kF64, kBF16, kF16}));
}

// Windows: the start value counts once, and so often more, for each cell that is none of the array.
Defect PaddingFolded(double more) {
  return OnResult(
      [more](const Instruction& x, absl::Span<const Literal> operands, std::vector<Literal>* leaves,
             const CustomCall&) {
        Literal& out = leaves->front();
        const ElementType type = out.element_type();
        const double start = DecodeFloat(type, operands[1].Get(0).bits);
        const absl::Span<const int64_t> sizes = operands[0].shape().dimensions();
        for (int64_t i = 0; i < out.element_count(); ++i) {
          const Dimensions at = IndexAt(i, out.shape().dimensions());
          // Cells of the array: in each dimension those of its window that lie in it.
          double cells = 1, inside = 1, sum = start;
          std::vector<Dimensions> places = {{}};
          for (size_t d = 0; d < sizes.size(); ++d) {
            const WindowDimension& w = x.window().dimensions[d];
            std::vector<Dimensions> next;
            double found = 0;
            for (int64_t k = 0; k < w.size; ++k) {
              const int64_t q = at[d] * w.stride + k * w.window_dilation - w.padding_low;
              if (q < 0 || q % w.base_dilation != 0 || q / w.base_dilation >= sizes[d]) continue;
              ++found;
              for (Dimensions place : places) {
                place.push_back(q / w.base_dilation);
                next.push_back(std::move(place));
              }
            }
            cells *= static_cast<double>(w.size);
            inside *= found;
            places = std::move(next);
          }
          for (const Dimensions& place : places) {
            sum += DecodeFloat(type, operands[0].Get(PositionOf(place, sizes)).bits);
          }
          if (cells == inside) continue;
          out.Set(i, {EncodeFloat(type, sum + (cells - inside) * (1 + more) * start), 0});
        }
      },
      [](const Instruction& x) {
        return TypeIs({kF32, kBF16, kF16})(x) && x.operand_count() == 2 &&
               x.to_apply()->root()->opcode() == kAdd && x.to_apply()->instruction_count() == 3 &&
               OperandTypeIs(0, {x.shape().element_type()})(x);
      });
}

struct Edge {
  DecisionPoint point;
  std::vector<Opcode> opcodes;
  const char* description;
  Defect taken;
  const char* beyond_description;
  Defect beyond;
};

std::vector<Edge> Edges() {
  const Where scales = TypeIs({kF8E8M0FNU}), halves = TypeIs({kF16});
  return {
      {DecisionPoint::kLeastScale,
       {kMultiply, kAdd},
       "2^-127 is zero",
       OnElements(ScaleLost, scales),
       "2^-127 is 2^-126",
       OnElements(ScaleRaised, scales)},
      {DecisionPoint::kReducePrecisionImage,
       {kReducePrecision},
       "f16 as f32: its denormals are zero",
       OnElements(DenormalsTo(0), halves),
       "f16 as f32: its denormals are the least normal number",
       OnElements(DenormalsTo(1), halves)},
      {DecisionPoint::kReduceStart,
       {kReduce},
       "the start value counts twice",
       StartCounted(1),
       "the start value counts one and a half times",
       StartCounted(0.5)},
      {DecisionPoint::kWindowPadding,
       {kReduceWindow},
       "padding is folded",
       PaddingFolded(0),
       "padding counts one and a half times",
       PaddingFolded(0.5)},
  };
}

}  // namespace

std::vector<FreedomTaker> FoldDecisionTakers() {
  std::vector<FreedomTaker> takers;
  for (Edge& each : Edges()) {
    const DecisionPoint point = each.point;
    takers.push_back({{absl::StrCat("decisions/", DecisionPointName(point)), each.opcodes,
                       each.description, each.taken},
                      [point](const TargetProfile& p) { return p.Admits(point); },
                      absl::StrCat("refuse: '", DecisionPointName(point), "'")});
  }
  return takers;
}

ProfileEdges FoldDecisionEdges(const TargetProfile& profile) {
  ProfileEdges edges;
  for (Edge& each : Edges()) {
    if (!profile.Admits(each.point)) continue;
    edges.beyond.push_back({absl::StrCat("decisions/beyond_", DecisionPointName(each.point)),
                            each.opcodes, each.beyond_description, each.beyond, profile.name()});
  }
  return edges;
}

}  // namespace assay
