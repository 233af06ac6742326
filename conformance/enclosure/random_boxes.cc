#include "conformance/enclosure/random_boxes.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "conformance/judge/random_values.h"
#include "spec/ir/attribute_values.h"

namespace assay::conformance {
namespace {

using Range = std::pair<uint64_t, uint64_t>;  // bits of the least and the greatest number

std::optional<Range> UniformIntegers(ElementType type, const Box& from, const Box& to) {
  if (IsPred(type)) return Range{0, 1};
  const Line& line = Line::Of(type);
  const auto at = [&line](const Literal& end) { return line.Ordinal(end.Get(0).bits); };
  if (at(from.high) >= at(to.low)) return std::nullopt;
  return Range{from.low.Get(0).bits, line.Bits(at(to.high) - 1)};
}

// A number may be rounded to the upper end, and an end that is zero has both signs.
std::optional<Range> UniformFloats(ElementType type, const Box& from, const Box& to) {
  const auto at = [type](const Literal& end) { return DecodeFloat(type, end.Get(0).bits); };
  const double low = at(from.low), high = at(to.high);
  if (!(at(from.high) < at(to.low)) || !std::isfinite(low) || !std::isfinite(high)) {
    return std::nullopt;
  }
  const double normal = SmallestNormal(type);
  const bool below_zero = low >= 0 && low < normal, above_zero = high <= 0 && high > -normal;
  return Range{EncodeFloat(type, below_zero ? -0.0 : low),
               EncodeFloat(type, above_zero ? 0.0 : high)};
}

std::optional<Range> Normals(ElementType type, const Box& mean, const Box& deviation) {
  const auto at = [type](const Literal& end) { return DecodeFloat(type, end.Get(0).bits); };
  for (const Literal* centre : {&mean.low, &mean.high}) {
    for (const Literal* width : {&deviation.low, &deviation.high}) {
      const auto reach = ReachOfNormals(type, at(*centre), at(*width));
      if (!std::all_of(reach.begin(), reach.end(), [](double x) { return std::isfinite(x); })) {
        return std::nullopt;
      }
    }
  }
  const double largest = DecodeFloat(type, MaxFinite(type));
  return Range{EncodeFloat(type, -largest), EncodeFloat(type, largest)};
}

}  // namespace

std::optional<Box> RangeOfRandom(const Instruction& instruction, Boxes operands) {
  if (instruction.opcode() != Opcode::kRng || instruction.shape().is_dynamic()) return std::nullopt;
  for (const Box& operand : operands) {
    if (operand.has_nan()) return std::nullopt;
  }
  const ElementType type = instruction.shape().element_type();
  const bool normal =
      instruction.GetEnum<RandomDistribution>(Attr::kDistribution) == RandomDistribution::kNormal;
  const std::optional<Range> range = normal ? Normals(type, operands[0], operands[1])
                                     : IsFloat(type)
                                         ? UniformFloats(type, operands[0], operands[1])
                                         : UniformIntegers(type, operands[0], operands[1]);
  if (!range) return std::nullopt;
  Box box{Literal::Zeros(instruction.shape()),
          Literal::Zeros(instruction.shape()),
          {},
          nullptr,
          false,
          {}};
  for (int64_t i = 0; i < box.low.element_count(); ++i) {
    box.low.Set(i, Element{range->first});
    box.high.Set(i, Element{range->second});
  }
  return box;
}

}  // namespace assay::conformance
