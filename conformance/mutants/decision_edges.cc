// Targets that decide I-8, N-2.1, N-9, P-3, R-3, W-10, W-12, W-14 and W-26 otherwise than golden,
// and such as go beyond what these points leave open (reference ops_elementwise_and_types.md 3.3
// and 7, ops_structural.md 4.2, 5 and 15).
#include <algorithm>
#include <bit>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "conformance/mutants/defects.h"
#include "conformance/mutants/profile_edges.h"
#include "conformance/mutants/sums.h"
#include "evaluator/ops/definition.h"
#include "spec/ops/dimension_numbers.h"

namespace assay::conformance {
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
    // What rounds up past the format's largest number is infinite before anything counts as zero.
    const bool below = std::fabs(e.f(0)) < normal && e.f(0) != 0 &&
                       std::isfinite(DecodeFloat(e.type, e.golden.bits));
    return below ? e.Float(std::copysign(normals * normal, e.f(0))) : e.golden;
  };
}

// Of negative integers below 8 bits: those of the number widened to so many bits.
ElementDefect CountWidened(int bits) {
  return [bits](const ElementSite& e) {
    if (e.i(0) >= 0) return e.golden;
    return e.Integer(std::popcount(static_cast<uint64_t>(e.i(0)) & ((uint64_t{1} << bits) - 1)));
  };
}

// Powers of unsigned exponents with the top bit have that value.
ElementDefect PowerOfTopBit(int64_t value) {
  return [value](const ElementSite& e) {
    const bool top = e.u(1) >> (e.bits() - 1) != 0;
    return top && e.u(0) > 1 ? e.Integer(value) : e.golden;
  };
}

// Scatters of one array that add or overwrite, without batching dimensions. Updates outside of the
// data are left out one by one; `moved` brings windows that start below it inside first.
Defect ScatterByUpdates(bool moved) {
  return OnResult(
      [moved](const Instruction& x, absl::Span<const Literal> operands,
              std::vector<Literal>* leaves, const CustomCall&) {
        const ScatterDimensions dims = ScatterDimensionsOf(x);
        const Literal &data = operands[0], &indices = operands[1], &updates = operands[2];
        const ElementType type = data.element_type();
        const absl::Span<const int64_t> sizes = data.shape().dimensions();
        Literal& out = leaves->front() = data;
        // Windows inside the start indices, both in row-major order.
        Dimensions axes(dims.batch);
        axes.insert(axes.end(), dims.update_window.begin(), dims.update_window.end());
        Dimensions extents;
        for (const int64_t d : axes) extents.push_back(updates.shape().dimension(d));
        for (int64_t i = 0; i < evaluator::CountOf(extents); ++i) {
          const Dimensions at = evaluator::IndexAt(i, extents);
          Dimensions full(sizes.size(), 0);
          for (size_t k = 0; k < dims.start_index_map.size(); ++k) {
            Dimensions index(at.begin(), at.begin() + static_cast<int64_t>(dims.batch.size()));
            if (!dims.implied_index_vector) {
              index.insert(index.begin() + dims.index_vector_dim, static_cast<int64_t>(k));
            }
            const uint64_t start =
                indices.Get(evaluator::PositionOf(index, indices.shape().dimensions())).bits;
            full[dims.start_index_map[k]] = DecodeSigned(indices.element_type(), start);
          }
          if (moved) {
            for (int64_t& start : full) start = std::max<int64_t>(start, 0);
          }
          Dimensions update(axes.size());
          for (size_t k = 0; k < axes.size(); ++k) update[axes[k]] = at[k];
          bool inside = true;
          for (size_t k = 0; k < dims.window.size(); ++k) {
            full[dims.window[k]] += update[dims.update_window[k]];
          }
          for (size_t d = 0; d < sizes.size(); ++d) inside &= full[d] >= 0 && full[d] < sizes[d];
          if (!inside) continue;
          const int64_t place = evaluator::PositionOf(full, sizes);
          const Element value =
              updates.Get(evaluator::PositionOf(update, updates.shape().dimensions()));
          const bool adds = x.to_apply()->root()->opcode() == kAdd;
          out.Set(place,
                  {adds ? EncodeInteger(type, out.Get(place).bits + value.bits) : value.bits});
        }
      },
      [](const Instruction& x) {
        const Instruction& root = *x.to_apply()->root();
        const bool overwrites = root.opcode() == kParameter && root.parameter_number() == 1;
        return x.operand_count() == 3 && IsInteger(x.shape().element_type()) &&
               IsSigned(x.operand(1)->shape().element_type()) &&
               x.GetInts(Attr::kInputBatchingDims).empty() &&
               (overwrites || (root.opcode() == kAdd && x.to_apply()->instruction_count() == 3));
      });
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
          const Dimensions at = evaluator::IndexAt(i, out.shape().dimensions());
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
            sum += DecodeFloat(type, operands[0].Get(evaluator::PositionOf(place, sizes)).bits);
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

// Convolutions: what padding and holes of the data give where they meet infinities and NaNs of the
// kernel.
Defect PaddingMeetsKernel(double value) {
  return OnResult(
      [value](const Instruction& x, absl::Span<const Literal> operands,
              std::vector<Literal>* leaves, const CustomCall&) {
        Literal& out = leaves->front();
        const ConvolutionDimensions& dims = x.convolution_dimensions();
        const Literal& kernel = operands[1];
        for (int64_t j = 0; j < kernel.element_count(); ++j) {
          const ElementType type = kernel.element_type();
          if (std::isfinite(DecodeFloat(type, kernel.Get(j).bits))) continue;
          const Dimensions place = evaluator::IndexAt(j, kernel.shape().dimensions());
          for (int64_t i = 0; i < out.element_count(); ++i) {
            const Dimensions at = evaluator::IndexAt(i, out.shape().dimensions());
            if (at[dims.output_feature] != place[dims.kernel_output_feature]) continue;
            bool inside = true;
            for (size_t d = 0; d < dims.input_spatial.size(); ++d) {
              const WindowDimension& w = x.window().dimensions[d];
              const int64_t k = place[dims.kernel_spatial[d]];
              const int64_t q = at[dims.output_spatial[d]] * w.stride - w.padding_low +
                                (w.reversal ? w.size - 1 - k : k) * w.window_dilation;
              inside &= q >= 0 && q % w.base_dilation == 0 &&
                        q / w.base_dilation < operands[0].shape().dimension(dims.input_spatial[d]);
            }
            if (!inside) out.Set(i, {EncodeFloat(out.element_type(), value), 0});
          }
        }
      },
      [](const Instruction& x) {
        return TypeIs({kF32, kF64, kBF16, kF16})(x) &&
               !IsComplex(x.operand(1)->shape().element_type());
      });
}

// Moves of bf16: NaNs get the bits of `value`, with the sign that they have.
Defect NansBecome(double value) {
  return OnResult(
      [value](const Instruction&, absl::Span<const Literal>, std::vector<Literal>* leaves,
              const CustomCall&) {
        for (Literal& out : *leaves) {
          for (int64_t i = 0; i < out.element_count(); ++i) {
            const uint64_t bits = out.Get(i).bits;
            if (!IsNan(kBF16, bits)) continue;
            out.Set(i, {EncodeFloat(kBF16, value) | (bits & 0x8000), 0});
          }
        }
      },
      TypeIs({kBF16}));
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
  const Where scales = TypeIs({kF8E8M0FNU}), halves = TypeIs({kF16}),
              unsigned_integers = TypeIs(
                  {ElementType::kU8, ElementType::kU16, ElementType::kU32, ElementType::kU64});
  return {
      {DecisionPoint::kLeastScale,
       {kMultiply, kAdd},
       "2^-127 is zero",
       OnElements(ScaleLost, scales),
       "2^-127 is 2^-126",
       OnElements(ScaleRaised, scales)},
      {DecisionPoint::kMovedNan,
       {kConcatenate, kDynamicUpdateSlice, kPad, kReverse, kSlice, kTopK, kTranspose},
       "NaNs of bf16 lose their payload",
       NansBecome(std::nan("")),
       "NaNs of bf16 become infinities",
       NansBecome(INFINITY)},
      {DecisionPoint::kReducePrecisionImage,
       {kReducePrecision},
       "f16 as f32: its denormals are zero",
       OnElements(DenormalsTo(0), halves),
       "f16 as f32: its denormals are the least normal number",
       OnElements(DenormalsTo(1), halves)},
      {DecisionPoint::kPopulationCount,
       {kPopcnt},
       "negative s2 and s4 are widened to 8 bits",
       OnElements(CountWidened(8), TypeIs({ElementType::kS2, ElementType::kS4})),
       "negative s2 and s4 are widened to 9 bits",
       OnElements(CountWidened(9), TypeIs({ElementType::kS2, ElementType::kS4}))},
      {DecisionPoint::kIntegerPowerTopBit,
       {kPower},
       "powers of unsigned exponents with the top bit are 0",
       OnElements(PowerOfTopBit(0), unsigned_integers),
       "powers of unsigned exponents with the top bit are 2",
       OnElements(PowerOfTopBit(2), unsigned_integers)},
      {DecisionPoint::kScatterWindows,
       {kScatter},
       "windows are read element by element",
       ScatterByUpdates(/*moved=*/false),
       "windows below the data are moved inside",
       ScatterByUpdates(/*moved=*/true)},
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
      {DecisionPoint::kConvolutionPadding,
       {kConvolution},
       "padding is zero, which meets infinities and NaNs of the kernel",
       PaddingMeetsKernel(std::nan("")),
       "sums with such padding are zero",
       PaddingMeetsKernel(0)},
  };
}

}  // namespace

std::vector<FreedomTaker> FoldDecisionTakers() {
  std::vector<FreedomTaker> takers;
  for (Edge& each : Edges()) {
    const DecisionPoint point = each.point;
    std::string revoke = absl::StrCat("refuse: '", DecisionPointName(point), "'");
    // A start value that counts more than once gives the same numbers.
    if (point == DecisionPoint::kWindowPadding) {
      absl::StrAppend(&revoke, " refuse: '", DecisionPointName(DecisionPoint::kReduceStart), "'");
    }
    takers.push_back({{absl::StrCat("decisions/", DecisionPointName(point)), each.opcodes,
                       each.description, each.taken},
                      [point](const TargetProfile& p) { return p.Admits(point); },
                      std::move(revoke)});
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

}  // namespace assay::conformance
