#include "fuzz/programs/writer.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "fuzz/programs/idioms.h"
#include "fuzz/programs/seeds.h"
#include "fuzz/programs/variations.h"
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

// What a record writes: an instruction, one with a chain behind it, one with variations, or an
// idiom.
enum class RecordKind : uint8_t { kInstruction, kChain, kVariations, kIdiom };

// The kinds by their frequency. A byte of 0 is the simplest one.
struct KindOfRecord {
  RecordKind kind;
  int64_t weight;
};
constexpr KindOfRecord kKinds[] = {{RecordKind::kInstruction, 2},
                                   {RecordKind::kVariations, 3},
                                   {RecordKind::kChain, 1},
                                   {RecordKind::kIdiom, 3}};

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

namespace {

// Returns true if there are more elements than `most` once each size of 0 is 1: operands of such
// sizes may have to be arrays that are not empty.
bool IsTooLong(Sizes sizes, int64_t most) {
  int64_t count = 1;
  for (const int64_t size : sizes) {
    const int64_t own = std::max<int64_t>(size, 1);
    if (own > most / count) return true;
    count *= own;
  }
  return false;
}

// Returns true if the reference interpreter takes microseconds for each element.
bool IsCostly(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kBatchNormGrad:
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormTraining:
      return true;
    default:
      break;
  }
  const bool is_function = instruction.info().accuracy == Accuracy::kFunction ||
                           instruction.opcode() == Opcode::kAbs ||
                           instruction.opcode() == Opcode::kDivide;
  return is_function && IsComplex(instruction.operand(0)->shape().element_type());
}

}  // namespace

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
    const RecordKind kind = choices.Weighted(kKinds).kind;
    if (kind == RecordKind::kIdiom && depth() <= 2 && !sole_) {
      const size_t outer_idiom = std::exchange(idiom_depth_, scopes_.size());
      WriteIdiom(*this);
      idiom_depth_ = outer_idiom;
      if (outer_idiom == 0) AddCalledComputations();
    } else {
      const int64_t before = computation().instruction_count();
      row.write(*this, row.opcode);
      if (kind == RecordKind::kChain && !sole_) WriteChain(rows, choices.Between(1, 2));
      Instruction* const made = LatestOf(row.opcode, before);
      if (kind == RecordKind::kVariations && !sole_ && made != nullptr) {
        WriteVariations(*this, made);
      }
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

bool ProgramWriter::MayWrite(Opcode opcode) const {
  const RowPlace here = depth() > 2 ? RowPlace::kAnywhere : scopes_.back().place;
  const absl::Span<const Row> rows = Rows();
  return std::any_of(rows.begin(), rows.end(),
                     [&](const Row& row) { return row.opcode == opcode && row.place <= here; });
}

Instruction* ProgramWriter::LatestOf(Opcode opcode, int64_t from) {
  for (int64_t i = computation().instruction_count() - 1; i >= from; --i) {
    if (computation().instruction(i)->opcode() == opcode) return computation().instruction(i);
  }
  return nullptr;
}

std::string ProgramWriter::NewName(char first) {
  return absl::StrCat(absl::string_view(&first, 1), names_++);
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
  return AddInferred(std::move(instruction), *std::move(shape));
}

bool ProgramWriter::IsTooCostly(const Instruction& instruction) const {
  return IsCostly(instruction) &&
         IsTooLong(instruction.operand(0)->shape().dimensions(), limits().costly_elements);
}

bool ProgramWriter::IsForbidden(const Instruction& instruction) const {
  return idiom_depth_ == scopes_.size() && !grammar_.Permits(instruction.opcode());
}

Instruction* ProgramWriter::AddInferred(std::unique_ptr<Instruction> instruction, Shape shape) {
  if (IsTooCostly(*instruction) || IsForbidden(*instruction)) {
    LeaveOut();
    return nullptr;
  }
  int64_t count = 0;
  for (const Shape* leaf : Leaves(shape)) {
    if (!leaf->is_array()) continue;
    if (IsTooLong(leaf->dimensions(), limits().elements)) {
      LeaveOut();
      return nullptr;
    }
    count += CountOf(leaf->dimensions());
  }
  // Scalars are always there: regions are made of them.
  if (count > 1 && elements_ + count > limits().all_elements) {
    LeaveOut();
    return nullptr;
  }
  elements_ += count;
  if (shape.has_layout() && instruction->opcode() != Opcode::kBitcast &&
      instruction->opcode() != Opcode::kCopy) {
    shape.ClearLayouts();
  }
  instruction->set_shape(std::move(shape));
  return Append(std::move(instruction));
}

Instruction* ProgramWriter::Finish(std::unique_ptr<Instruction> instruction) {
  Instruction* const made = AddHidden(std::move(instruction));
  if (made != nullptr) Offer(made);
  return made;
}

Instruction* ProgramWriter::FinishIfLegal(std::unique_ptr<Instruction> instruction,
                                          const Instruction* like) {
  if (instruction == nullptr) return nullptr;
  absl::StatusOr<Shape> shape = InferShape(*instruction);
  if (!shape.ok() || shape->is_dynamic()) return nullptr;
  if (like != nullptr && !Shape::Compatible(*shape, like->shape())) return nullptr;
  instruction->set_shape(*shape);
  if (!CheckInstruction(*instruction, Rules::kStrict).ok()) return nullptr;
  Instruction* const made = AddInferred(std::move(instruction), *std::move(shape));
  if (made != nullptr) Offer(made);
  return made;
}

Instruction* ProgramWriter::FinishAs(std::unique_ptr<Instruction> instruction,
                                     std::shared_ptr<const Shape> shape) {
  const int64_t count = CountOf(shape->dimensions());
  if ((count > 1 && elements_ + count > limits().all_elements) || IsTooCostly(*instruction) ||
      IsForbidden(*instruction)) {
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
