// The operands of a program's instructions: values that are there already, adapted to the type and
// the sizes that are needed, or new parameters and constants.
#include <algorithm>
#include <iterator>
#include <limits>

#include "fuzz/programs/edges.h"
#include "fuzz/programs/writer.h"

namespace assay::fuzz {
namespace {

// Numbers that simplifications look for.
constexpr double kPlainNumbers[] = {0, 1, 2, -1, 0.5, -0.0, 8, 0, 1, 4, -2, 3, 31, 255, 7, 16};

constexpr int64_t kRecentValues = 12;  // that an instruction chooses from

}  // namespace

Instruction* ProgramWriter::FindValue(Accepts accepts) {
  const std::vector<Instruction*>& values = scope().values;
  const auto count = static_cast<int64_t>(values.size());
  if (count == 0) return nullptr;
  Instruction* const focus = scope().focus;
  if (focus != nullptr && !focus->shape().is_dynamic() && accepts(focus->shape())) {
    if (choices().OneIn(2)) scope().focus = nullptr;
    return focus;
  }
  const int64_t recent = std::min(count, kRecentValues);
  const int64_t first = choices().Below(recent);
  for (int64_t k = 0; k < recent; ++k) {
    Instruction* const value = values[count - 1 - (first + k) % recent];
    if (!value->shape().is_dynamic() && accepts(value->shape())) return value;
  }
  return nullptr;
}

Instruction* ProgramWriter::AnyArray(absl::Span<const ElementType> types, int64_t least_rank,
                                     int64_t most_rank) {
  const bool earlier = !choices().OneIn(4);
  if (scale_ == Scale::kDeep && most_rank == kUsualRank) most_rank = this->most_rank();
  if (earlier || scope().focus != nullptr) {
    Instruction* const value = FindValue([&](const Shape& shape) {
      return shape.rank() >= least_rank && shape.rank() <= most_rank &&
             std::find(types.begin(), types.end(), shape.element_type()) != types.end();
    });
    if (value != nullptr) return value;
  }
  const ElementType type = AnyType(types);
  return ArrayOf(type, AnySizes(least_rank, most_rank, limits().argument_elements));
}

Instruction* ProgramWriter::NonEmptyArray(Opcode opcode, int64_t least_rank, int64_t most_rank) {
  Instruction* const value = ArrayFor(opcode, least_rank, most_rank);
  if (CountOf(value->shape().dimensions()) > 0) return value;
  Dimensions sizes(value->shape().dimensions().begin(), value->shape().dimensions().end());
  for (int64_t& size : sizes) size = std::max<int64_t>(size, 1);
  return ArrayOf(value->shape().element_type(), sizes);
}

Instruction* ProgramWriter::OperandFor(Opcode opcode) {
  Instruction* const x = ArrayFor(opcode);
  if (scope().focus != nullptr || !choices().OneIn(3)) return x;
  // Most edges are those of f32 and f64.
  static constexpr ElementType kTypes[] = {ElementType::kF32, ElementType::kF64, ElementType::kF32};
  ElementType type = x->shape().element_type();
  if (IsFloat(type) && grammar_.types().size() == std::size(kArrayTypes))
    type = choices().Of(kTypes);
  const std::optional<conformance::ProfileUse> edge = AnyEdge(opcode, 0, type, choices());
  return edge ? NewArray(type, x->shape().dimensions(), *edge) : x;
}

Instruction* ProgramWriter::SecondOperandFor(Opcode opcode, const Instruction* first) {
  const ElementType type = first->shape().element_type();
  switch (choices().Below(8)) {
    case 6:
      return PlainSplat(type, first->shape().dimensions());
    case 7:
      if (const std::optional<conformance::ProfileUse> edge = AnyEdge(opcode, 1, type, choices())) {
        return NewArray(type, first->shape().dimensions(), *edge);
      }
  }
  return LikeArray(first);
}

Instruction* ProgramWriter::ArrayOf(ElementType type, Sizes sizes) {
  if (!choices().OneIn(8)) {
    Instruction* const value = FindValue([&](const Shape& shape) {
      return shape.element_type() == type && shape.dimensions() == sizes;
    });
    if (value != nullptr) return value;
    if (choices().OneIn(3)) {
      if (Instruction* const adapted = Adapt(type, sizes)) return adapted;
    }
  }
  return NewArray(type, sizes);
}

Instruction* ProgramWriter::Adapt(ElementType type, Sizes sizes) {
  Instruction* value = FindValue([&](const Shape& shape) { return shape.dimensions() == sizes; });
  if (value != nullptr) {
    if (IsComplex(value->shape().element_type()) && !IsComplex(type)) return nullptr;
    return Add(Opcode::kConvert, {value}, Shape(type, sizes));
  }
  value = FindValue([&](const Shape& shape) {
    return shape.element_type() == type && CountOf(shape.dimensions()) == CountOf(sizes);
  });
  if (value != nullptr) return Add(Opcode::kReshape, {value}, Shape(type, sizes));
  value = FindValue([&](const Shape& shape) {
    return shape.element_type() == type && shape.dimensions().empty();
  });
  if (value == nullptr) return nullptr;
  auto broadcast = Start(Opcode::kBroadcast, {value}, Shape(type, sizes));
  broadcast->SetAttribute(Attr::kDimensions, std::vector<int64_t>());
  return Finish(std::move(broadcast));
}

Instruction* ProgramWriter::NewArray(ElementType type, Sizes sizes,
                                     const conformance::ProfileUse& use) {
  if (in_entry() && parameters_ < limits().parameters &&
      CountOf(sizes) <= limits().argument_elements) {
    return NewParameter(type, sizes, use);
  }
  if (CountOf(sizes) <= 64) return ProfileConstant(type, sizes, use);
  auto broadcast = Start(Opcode::kBroadcast, {ProfileConstant(type, {}, use)}, Shape(type, sizes));
  broadcast->SetAttribute(Attr::kDimensions, std::vector<int64_t>());
  if (Instruction* const made = Finish(std::move(broadcast))) return made;
  return ProfileConstant(type, sizes, use);  // beyond the limit of all elements: still total
}

Instruction* ProgramWriter::NewLongArray(ElementType type, Sizes sizes) {
  const conformance::ProfileUse use = AnyProfile(type);
  return in_entry() ? NewParameter(type, sizes, use) : NewArray(type, sizes, use);
}

Instruction* ProgramWriter::NewParameter(ElementType type, Sizes sizes,
                                         const conformance::ProfileUse& use) {
  ProgramArray& array = program_->arguments.emplace_back();
  array.shape = Shape(type, sizes);
  array.use = use;
  if (!conformance::CheckProfile(use, array.shape).ok())
    array.use.profile = conformance::ValueProfile::kBenign;
  auto parameter = std::make_unique<Instruction>(Opcode::kParameter, array.shape);
  parameter->set_parameter_number(parameters_++);
  elements_ += CountOf(sizes);
  Instruction* const made = Append(std::move(parameter));
  Offer(made);
  return made;
}

void ProgramWriter::NewParameterOf(const Shape& shape) {
  if (parameters_ >= limits().parameters) return LeaveOut();
  for (const Shape* leaf : Leaves(shape)) {
    program_->arguments.push_back({*leaf, AnyProfile(leaf->element_type())});
    elements_ += CountOf(leaf->dimensions());
  }
  auto parameter = std::make_unique<Instruction>(Opcode::kParameter, shape);
  parameter->set_parameter_number(parameters_++);
  Offer(Append(std::move(parameter)));
}

Instruction* ProgramWriter::ProfileConstant(ElementType type, Sizes sizes,
                                            const conformance::ProfileUse& use) {
  const Shape shape(type, sizes);
  absl::StatusOr<Literal> literal = conformance::MakeValues(use, shape);
  if (!literal.ok()) {
    conformance::ProfileUse benign;
    benign.seed = use.seed;
    literal = conformance::MakeValues(benign, shape);
  }
  auto constant = std::make_unique<Instruction>(Opcode::kConstant, shape);
  constant->set_literal(literal.ok() ? *std::move(literal) : Literal::Zeros(shape));
  Instruction* const made = Append(std::move(constant));
  Offer(made);
  return made;
}

Instruction* ProgramWriter::NumberConstant(ElementType type, double number) {
  const ElementType part = Info(type).component;
  // Numbers that no integer of 64 bits holds are for floats alone.
  const int64_t integer = number <= -0x1p63  ? std::numeric_limits<int64_t>::min()
                          : number >= 0x1p63 ? std::numeric_limits<int64_t>::max()
                                             : static_cast<int64_t>(number);
  const uint64_t bits = IsFloat(part)  ? EncodeFloat(part, number)
                        : IsPred(part) ? uint64_t{number != 0}
                                       : EncodeInteger(part, static_cast<uint64_t>(integer));
  auto constant = std::make_unique<Instruction>(Opcode::kConstant, Shape::Scalar(type));
  constant->set_literal(Literal::Scalar(type, {bits, IsComplex(type) ? EncodeFloat(part, 0) : 0}));
  return Append(std::move(constant));
}

Instruction* ProgramWriter::Splat(ElementType type, Sizes sizes, double number) {
  Instruction* const scalar = NumberConstant(type, number);
  if (sizes.empty()) return scalar;
  auto broadcast = Start(Opcode::kBroadcast, {scalar}, Shape(type, sizes));
  broadcast->SetAttribute(Attr::kDimensions, std::vector<int64_t>());
  if (Instruction* const made = AddHidden(std::move(broadcast))) return made;
  return ArrayOf(type, sizes);
}

Instruction* ProgramWriter::PlainSplat(ElementType type, Sizes sizes) {
  return Splat(type, sizes, choices().Of(kPlainNumbers));
}

Instruction* ProgramWriter::IntegerConstant(ElementType type, Sizes sizes,
                                            absl::Span<const int64_t> elements) {
  const Shape shape(type, sizes);
  Literal literal = Literal::Zeros(shape);
  for (size_t i = 0; i < elements.size(); ++i) {
    const uint64_t bits = IsFloat(type) ? EncodeFloat(type, static_cast<double>(elements[i]))
                                        : EncodeInteger(type, static_cast<uint64_t>(elements[i]));
    literal.Set(static_cast<int64_t>(i), {bits, 0});
  }
  auto constant = std::make_unique<Instruction>(Opcode::kConstant, shape);
  constant->set_literal(std::move(literal));
  return Append(std::move(constant));
}

Instruction* ProgramWriter::IndexArray(ElementType type, Sizes sizes, int64_t low, int64_t high) {
  if (choices().OneIn(4)) return ArrayOf(type, sizes);
  const bool is_signed = IsSigned(type);
  const int64_t least = is_signed ? MinSigned(type) : 0;
  const int64_t most = is_signed
                           ? MaxSigned(type)
                           : static_cast<int64_t>(std::min<uint64_t>(MaxUnsigned(type), INT64_MAX));
  conformance::ProfileUse use;
  use.profile = conformance::ValueProfile::kIndices;
  use.seed = choices().Byte();
  use.low = std::clamp(low, least, most);
  use.high = std::clamp(high, *use.low, most);
  return NewArray(type, sizes, use);
}

ElementType ProgramWriter::AnyIndexType() {
  static constexpr ElementType kTypes[] = {ElementType::kS32, ElementType::kS64, ElementType::kS8,
                                           ElementType::kU8,  ElementType::kS32, ElementType::kU32,
                                           ElementType::kS16, ElementType::kU64, ElementType::kU16,
                                           ElementType::kS32, ElementType::kS4,  ElementType::kU4};
  return choices().Of(kTypes);
}

ElementType ProgramWriter::TypeOfClass(ElementType type) {
  for (int tries = 0; tries < 8; ++tries) {
    const ElementType other = choices().Of(kArrayTypes);
    if (IsInteger(type) ? IsInteger(other)
                        : Info(other).element_class == Info(type).element_class) {
      return other;
    }
  }
  return type;
}

Dimensions ProgramWriter::AnySizes(int64_t least_rank, int64_t most_rank, int64_t most_elements) {
  static constexpr int64_t kRanks[] = {1, 2, 2, 1, 3, 0, 2, 4};
  const int64_t rank = scale_ == Scale::kDeep ? choices().Between(4, 8) : choices().Of(kRanks);
  Dimensions sizes(std::clamp(rank, least_rank, most_rank));
  int64_t count = 1;  // as if a size of 0 were 1: NonEmptyArray makes it 1
  for (int64_t& size : sizes) {
    size = AnySize();
    if (count * size > most_elements) size = std::max<int64_t>(1, most_elements / count % 4);
    count *= std::max<int64_t>(size, 1);
  }
  return sizes;
}

conformance::ProfileUse ProgramWriter::AnyProfile(ElementType type) {
  const absl::Span<const conformance::ValueProfile> profiles = ProfilesOf(type);
  conformance::ProfileUse use;
  use.seed = choices().Byte() + 1;
  // Of two arrays of special values with other strides all pairs meet.
  static constexpr uint64_t kStrides[] = {1, 1, 2, 3, 1, 5, 7, 11};
  use.stride = choices().Of(kStrides);
  if (mood_ == 1) use.profile = choices().Of(profiles);
  if (mood_ == 2 && std::find(profiles.begin(), profiles.end(), profile_) != profiles.end()) {
    use.profile = profile_;
  }
  if (mood_ == 3 && choices().OneIn(3)) use.profile = choices().Of(profiles);
  // Special values of a float begin with zeros, and reach infinities and NaN in the 21st element.
  // Patterns around the greatest number have them in short arrays, too.
  if (use.profile == conformance::ValueProfile::kSpecial && choices().OneIn(3)) {
    use.profile = conformance::ValueProfile::kAll;
  }
  // Only of a sole move does the judge know that it keeps the bits of a NaN.
  if (sole_ && mood_ != 0 && choices().OneIn(4)) use.profile = conformance::ValueProfile::kAll;
  if (use.profile == conformance::ValueProfile::kAll &&
      !conformance::CheckProfile(use, Shape(type, {1})).ok()) {
    use.profile = conformance::ValueProfile::kBenign;
  }
  if (use.profile == conformance::ValueProfile::kAll) {
    use.offset = AnyEdgePattern(type, choices());
    use.stride = choices().OneIn(4) ? 2 : 1;
  }
  return use;
}

}  // namespace assay::fuzz
