#include "fuzz/programs/writer.h"

#include <algorithm>
#include <array>
#include <limits>

#include "absl/strings/str_cat.h"
#include "fuzz/programs/edges.h"
#include "fuzz/programs/idioms.h"
#include "fuzz/programs/seeds.h"
#include "spec/ops/shape_inference.h"

namespace assay::fuzz {
namespace {

// Sizes that programs draw theirs from: small ones mostly, now and then one that indices of 8 bits
// do not reach, or none at all.
constexpr int64_t kSizes[] = {2, 3, 4, 1, 5, 2, 3, 4, 8, 6, 7, 2, 3,  1,   9, 16,
                              2, 3, 4, 1, 5, 2, 3, 4, 8, 6, 7, 2, 17, 130, 2, 0};

// Sizes beyond those at which implementations change their way of working.
constexpr int64_t kLongSizes[] = {1025, 257, 2049, 513, 4097, 1025, 8193, 129,
                                  1031, 300, 2050, 777, 4099, 1500, 9000, 40000};
constexpr int64_t kHugeSizes[] = {65539, 65537, 70001, 66000};

// Types that programs have most of.
constexpr ElementType kUsualTypes[] = {
    ElementType::kF32, ElementType::kF32, ElementType::kF64, ElementType::kBF16,
    ElementType::kF16, ElementType::kS32, ElementType::kS32, ElementType::kS64,
    ElementType::kU32, ElementType::kS8,  ElementType::kU8,  ElementType::kPred,
    ElementType::kC64, ElementType::kU64, ElementType::kU16, ElementType::kF8E4M3FN};

// What values other than benign ones a program may have, those that tell most more often.
constexpr conformance::ValueProfile kProfiles[] = {
    conformance::ValueProfile::kBenign,       conformance::ValueProfile::kSpecial,
    conformance::ValueProfile::kSpecial,      conformance::ValueProfile::kSpecial,
    conformance::ValueProfile::kCancellation, conformance::ValueProfile::kIntegers,
    conformance::ValueProfile::kSubnormal,    conformance::ValueProfile::kOverflow,
    conformance::ValueProfile::kOverflow,     conformance::ValueProfile::kTies,
    conformance::ValueProfile::kTies,         conformance::ValueProfile::kPatterns,
    conformance::ValueProfile::kPatterns,     conformance::ValueProfile::kPositive,
    conformance::ValueProfile::kUnit,         conformance::ValueProfile::kFinite,
    conformance::ValueProfile::kDuplicates,   conformance::ValueProfile::kUnique,
    conformance::ValueProfile::kSorted,       conformance::ValueProfile::kAll,
};

// Numbers that simplifications look for.
constexpr double kPlainNumbers[] = {0, 1, 2, -1, 0.5, -0.0, 8, 0, 1, 4, -2, 3, 31, 255, 7, 16};

constexpr int64_t kRecentValues = 12;  // that an instruction chooses from

using ProfileTable = std::array<std::vector<conformance::ValueProfile>, 64>;

const ProfileTable& AllProfiles() {
  static const ProfileTable* const table = [] {
    auto* made = new ProfileTable;
    for (const ElementType type : kArrayTypes) {
      for (const conformance::ValueProfile profile : kProfiles) {
        conformance::ProfileUse use;
        use.profile = profile;
        if (conformance::CheckProfile(use, Shape(type, {2})).ok()) {
          (*made)[static_cast<size_t>(type)].push_back(profile);
        }
      }
    }
    return made;
  }();
  return *table;
}

}  // namespace

absl::Span<const conformance::ValueProfile> ProfilesOf(ElementType type) {
  return AllProfiles()[static_cast<size_t>(type)];
}

int64_t CountOf(Sizes sizes) {
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  return count;
}

ProgramWriter::ProgramWriter(const Grammar& grammar, absl::Span<const uint8_t> records,
                             FuzzProgram* program)
    : grammar_(grammar), records_(records), program_(program), limits_(grammar.limits()) {
  const auto all =
      (static_cast<int64_t>(records.size()) + kRecordBytes - 1) / kRecordBytes;  // with the header
  record_count_ = std::min(std::max<int64_t>(all - 1, 0), grammar.limits().records);
}

void ProgramWriter::Run() {
  program_->module = std::make_unique<Module>("fuzz");
  ReadHeader(Choices(records_.first(std::min<size_t>(records_.size(), kRecordBytes))));
  BeginComputation("main", RowPlace::kEntry);
  WriteRecords(record_count_);
  Choices last(absl::Span<const uint8_t>{});
  choices_ = &last;
  if (scope().computation->instructions().empty()) NewArray(ElementType::kF32, {2});
  Instruction* const root = UnusedValues(/*with_parameters=*/false);
  module().set_entry(EndComputation(root));
}

void ProgramWriter::ReadHeader(Choices header) {
  struct Grid {
    int64_t replicas, partitions;
  };
  static constexpr Grid kGrids[] = {{2, 1}, {4, 1}, {1, 2}, {2, 2}, {3, 1}, {1, 4}};
  const int64_t mode = header.Below(8);
  const Grid& grid = header.Of(kGrids);
  for (int64_t& size : sizes_) size = header.Of(kSizes);
  mood_ = static_cast<int>(header.Below(4));
  profile_ = header.Of(kProfiles);
  constrains_layouts_ = header.OneIn(4);
  const int64_t scale = header.Below(32);
  sole_ = header.Below(8) == 5;
  const bool collectives = grammar_.collectives() && mode >= 5 && mode != 6;
  const bool effects = grammar_.effects() && mode >= 6;
  if (collectives) {
    module().replica_count = grid.replicas;
    module().num_partitions = grid.partitions;
    program_->devices = grid.replicas * grid.partitions;
  }
  const absl::Span<const Row* const> rows = grammar_.RowsAt(RowPlace::kEntry);
  entry_rows_.assign(rows.begin(), rows.end());
  if (effects) {
    const absl::Span<const Row* const> more = grammar_.RowsAt(RowPlace::kEffects);
    entry_rows_.insert(entry_rows_.end(), more.begin(), more.end());
  }
  SetScale(scale == 13   ? Scale::kLong
           : scale == 14 ? Scale::kDeep
           : scale == 15 ? Scale::kMany
           : scale == 16 ? Scale::kHuge
           : scale == 17 ? Scale::kMany
           : scale == 18 ? Scale::kDeep
                         : Scale::kSmall,
           &header);
  ChooseVocabulary(&header);
  if (sole_) record_count_ = std::min<int64_t>(record_count_, 1);
}

void ProgramWriter::SetScale(Scale scale, Choices* header) {
  scale_ = scale;
  if (scale == Scale::kLong || scale == Scale::kHuge) {
    limits_.elements = std::max(limits_.elements, limits_.long_elements);
    limits_.argument_elements = std::max(limits_.argument_elements, limits_.long_elements);
    limits_.all_elements = std::max(limits_.all_elements, 4 * limits_.long_elements);
    limits_.products = std::max(limits_.products, limits_.long_elements);
    const bool huge = scale == Scale::kHuge;
    const int64_t size = huge ? header->Of(kHugeSizes) : header->Of(kLongSizes);
    for (const int at : {0, 2, 3}) sizes_[at] = std::min<int64_t>(sizes_[at], huge ? 1 : 4);
    sizes_[1] = std::min(size, std::max<int64_t>(limits_.elements, 1));
    if (huge) sizes_[2] = sizes_[1];
    if (huge) record_count_ = std::min<int64_t>(record_count_, 3);
  }
  if (scale == Scale::kDeep) {
    for (int64_t& size : sizes_) size = std::min<int64_t>(size, 3);
  }
  if (scale == Scale::kMany) limits_.parameters *= 4;
}

// Half of the programs are made of a few operations, which so meet one another more often.
void ProgramWriter::ChooseVocabulary(Choices* header) {
  const int64_t kind = header->Below(4);
  const size_t words = kind == 3 ? 4 : 10;
  if (kind < 2 || entry_rows_.size() <= words) return;
  for (size_t k = 0; k < words; ++k) {
    std::swap(entry_rows_[k], entry_rows_[k + header->Word() % (entry_rows_.size() - k)]);
  }
  entry_rows_.resize(words);
  for (const Row* row : entry_rows_) {
    if (row->place == RowPlace::kAnywhere) vocabulary_.push_back(row);
  }
}

// The rows that the present computation chooses from.
absl::Span<const Row* const> ProgramWriter::RowsHere() const {
  if (scopes_.size() == 1) return entry_rows_;
  if (!vocabulary_.empty()) return vocabulary_;
  // Computations in computations in computations are deep enough.
  return grammar_.RowsAt(depth() > 2 ? RowPlace::kAnywhere : scopes_.back().place);
}

ElementType ProgramWriter::AnyType(absl::Span<const ElementType> types) {
  if (types.size() > std::size(kUsualTypes) / 2 && choices().Below(8) < 3) {
    const ElementType usual = choices().Of(kUsualTypes);
    if (std::find(types.begin(), types.end(), usual) != types.end()) return usual;
  }
  return choices().Of(types);
}

void ProgramWriter::WriteRecords(int64_t count) {
  for (; count > 0 && next_record_ < record_count_; --count) {
    const size_t begin = static_cast<size_t>(++next_record_ * kRecordBytes);
    WriteRecord(records_.subspan(begin, std::min<size_t>(records_.size() - begin, kRecordBytes)));
  }
}

void ProgramWriter::WriteRecord(absl::Span<const uint8_t> record) {
  Choices choices(record);
  Choices* const outer = std::exchange(choices_, &choices);
  if (grammar_.seeds() != nullptr && in_entry() && !sole_ && choices.OneIn(2)) {
    WriteSeed(*this);
    choices_ = outer;
    return;
  }
  const absl::Span<const Row* const> rows = RowsHere();
  if (!rows.empty()) {
    const Row& row = *choices.Of(rows);
    const int64_t kind = choices.Below(8);
    if (kind >= 6 && grammar_.idioms() && depth() <= 2 && !sole_) {
      WriteIdiom(*this);
    } else {
      row.write(*this, row.opcode);
      if (kind >= 4 && !sole_) WriteChain(rows, kind == 5 ? 2 : 1);
    }
  }
  choices_ = outer;
}

void ProgramWriter::WriteChain(absl::Span<const Row* const> rows, int64_t links) {
  constexpr int kTries = 4;
  for (; links > 0 && !scope().values.empty(); --links) {
    Instruction* const last = scope().values.back();
    const Row* row = choices().Of(rows);
    for (int tries = 1; tries < kTries; ++tries) {
      const absl::Span<const ElementType> types = grammar_.TypesOf(row->opcode);
      if (std::find(types.begin(), types.end(), last->shape().element_type()) != types.end()) break;
      row = choices().Of(rows);
    }
    scope().focus = last;
    row->write(*this, row->opcode);
    scope().focus = nullptr;
  }
}

void ProgramWriter::WriteOn(Opcode opcode, Instruction* value) {
  for (const Row& row : Rows()) {
    if (row.opcode != opcode) continue;
    scope().focus = value;
    row.write(*this, opcode);
    scope().focus = nullptr;
  }
}

std::string ProgramWriter::NewName(char first) {
  return absl::StrCat(absl::string_view(&first, 1), names_++);
}

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
  if (CountOf(sizes) <= 16) return ProfileConstant(type, sizes, use);
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
  int64_t count = 1;
  for (int64_t& size : sizes) {
    size = AnySize();
    if (count * size > most_elements)
      size = count == 0 ? 1 : std::max<int64_t>(1, most_elements / count % 4);
    count *= size;
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
  // Only of a sole move does the judge know that it keeps the bits of a NaN.
  if (sole_ && mood_ != 0 && choices().OneIn(4)) use.profile = conformance::ValueProfile::kAll;
  if (use.profile == conformance::ValueProfile::kAll &&
      !conformance::CheckProfile(use, Shape(type, {1})).ok()) {
    use.profile = conformance::ValueProfile::kBenign;
  }
  if (use.profile == conformance::ValueProfile::kAll) use.offset = AnyEdgePattern(type, choices());
  return use;
}

std::unique_ptr<Instruction> ProgramWriter::Start(Opcode opcode,
                                                  absl::Span<Instruction* const> operands,
                                                  Shape declared) {
  auto instruction = std::make_unique<Instruction>(opcode, std::move(declared));
  instruction->set_operands(operands);
  return instruction;
}

Instruction* ProgramWriter::AddHidden(std::unique_ptr<Instruction> instruction) {
  absl::StatusOr<Shape> shape = InferShape(*instruction);
  if (!shape.ok()) {
    if (program_->refused++ == 0) program_->refusal = std::string(shape.status().message());
    return nullptr;
  }
  int64_t count = 0;
  for (const Shape* leaf : Leaves(*shape)) {
    if (!leaf->is_array()) continue;
    const absl::StatusOr<int64_t> own = leaf->ElementCount();
    if (!own.ok() || *own > limits().elements) {
      LeaveOut();
      return nullptr;
    }
    count += *own;
  }
  // Scalars are always there: regions are made of them.
  if (count > 1 && elements_ + count > limits().all_elements) {
    LeaveOut();
    return nullptr;
  }
  elements_ += count;
  if (shape->has_layout() && instruction->opcode() != Opcode::kBitcast &&
      instruction->opcode() != Opcode::kCopy) {
    shape->ClearLayouts();
  }
  instruction->set_shape(*std::move(shape));
  return Append(std::move(instruction));
}

Instruction* ProgramWriter::Finish(std::unique_ptr<Instruction> instruction) {
  Instruction* const made = AddHidden(std::move(instruction));
  if (made != nullptr) Offer(made);
  return made;
}

Instruction* ProgramWriter::FinishAs(std::unique_ptr<Instruction> instruction,
                                     std::shared_ptr<const Shape> shape) {
  const int64_t count = CountOf(shape->dimensions());
  if (count > 1 && elements_ + count > limits().all_elements) {
    LeaveOut();
    return nullptr;
  }
  elements_ += count;
  instruction->set_shared_shape(std::move(shape));
  Instruction* const made = Append(std::move(instruction));
  Offer(made);
  return made;
}

Instruction* ProgramWriter::Append(std::unique_ptr<Instruction> instruction) {
  instruction->set_name(NewName(instruction->opcode() == Opcode::kParameter ? 'p' : 'v'));
  return scope().computation->Add(std::move(instruction));
}

void ProgramWriter::Offer(Instruction* value) {
  const Shape& shape = value->shape();
  if (shape.is_array()) {
    scope().values.push_back(value);
  } else if (shape.is_tuple()) {
    for (size_t k = 0; k < shape.tuple_shapes().size(); ++k) {
      if (!shape.tuple_shape(k).is_token()) ElementOf(value, static_cast<int64_t>(k));
    }
  }
}

Instruction* ProgramWriter::AppendAs(std::unique_ptr<Instruction> instruction, const Shape& shape) {
  instruction->set_shape(shape);
  return Append(std::move(instruction));
}

Instruction* ProgramWriter::TupleOf(absl::Span<Instruction* const> elements) {
  std::vector<Shape> shapes;
  for (const Instruction* element : elements) shapes.push_back(element->shape());
  return Append(Start(Opcode::kTuple, elements, Shape::Tuple(std::move(shapes))));
}

Instruction* ProgramWriter::ElementOf(Instruction* tuple, int64_t index) {
  auto element = Start(Opcode::kGetTupleElement, {tuple}, tuple->shape().tuple_shape(index));
  element->SetAttribute(Attr::kIndex, index);
  Instruction* const made = Append(std::move(element));
  Offer(made);
  return made;
}

LongValues::LongValues(ProgramWriter* writer)
    : writer_(*writer), limits_(writer->limits_), elements_(writer->elements_) {
  ProgramLimits& limits = writer_.limits_;
  limits.elements = std::max(limits.elements, limits.long_elements);
  limits.all_elements = std::max(limits.all_elements, 4 * limits.long_elements);
  limits.products = std::max(limits.products, limits.long_elements);
  writer_.elements_ = 0;
}

LongValues::~LongValues() {
  writer_.limits_ = limits_;
  writer_.elements_ = elements_;
}

void ProgramWriter::AddInfeed(const Shape& shape) {
  program_->infeed.push_back({shape, AnyProfile(shape.element_type())});
}

}  // namespace assay::fuzz
