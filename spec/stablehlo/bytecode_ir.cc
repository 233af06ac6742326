#include "spec/stablehlo/bytecode_ir.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/stablehlo/bytecode_entries.h"
#include "spec/stablehlo/operation_attributes.h"

namespace assay::stablehlo {
namespace {

// The deepest nesting of regions.
constexpr size_t kMaxRegionDepth = 256;
// The most attributes and types that operations may have when all of them are written out, beyond
// 64 for each byte of the file.
constexpr uint64_t kMaxProgramWeight = 1 << 20;

// The most operands, and results, of one operation.
constexpr size_t kMostValues = 1 << 28;

// What of an operation is there.
enum OperationMask : uint8_t {
  kHasAttributes = 0x01,
  kHasResults = 0x02,
  kHasOperands = 0x04,
  kHasSuccessors = 0x08,
  kHasRegions = 0x10,
  kHasUseLists = 0x20,
  kHasProperties = 0x40,
};

// An operation whose regions are being read.
struct OpenOperation {
  Operation* op = nullptr;
  size_t next_region = 0;
  size_t blocks_left = 0;  // of the region before next_region
  size_t operations_left = 0;
  Block* block = nullptr;
  bool in_region = false;
  // The numbers of values of the region: where they begin, the next one, where they end.
  size_t first_value = 0, next_value = 0, end_value = 0;
  bool isolated = false;
  bool in_section = false;
  bool is_function = false;
  ByteReader outer;                      // behind the section
  std::vector<Ref<Value>> outer_values;  // of the scope outside
};

// An operation's name, as the program has it.
struct ResolvedName {
  const OperationName* name = nullptr;
  bool is_return = false;  // of VHLO
  bool is_cast = false;
  // Whether an operation without regions needs no look at its row.
  bool is_plain = false;
  // Whether the operation has attributes where the file gives none.
  bool has_defaults = false;
};

// What the last operation of a name said between its location and its operands: the numbers of its
// properties and of its result's type, and the number of operands. Where the next one of the name
// says the same, in the same bytes, it is of the same kind.
struct RecentOperation {
  uint64_t bits = 0;  // the first one lowest
  uint64_t used = 0;  // of these bits; 0: there has been no operation
  uint8_t length = 0;
  uint8_t mask = 0;
  const OperationKind* kind = nullptr;
  uint64_t weight = 0;
};

// Dialects whose operations are all known; those of others are kept, for messages that name them.
bool IsKnown(absl::string_view dialect) {
  return dialect == "vhlo" || dialect == "stablehlo" || dialect == "chlo" || dialect == "func" ||
         dialect == "builtin";
}

class IrReader {
 public:
  IrReader(const BytecodeFile& file, std::shared_ptr<const void> owner, Program& program);

  absl::Status Read();

 private:
  // How the regions of an operation stand in the file.
  struct RegionHeader {
    bool isolated = false;
    bool in_section = false;
    ByteReader section;
  };

  void Step();
  void StartRegion(OpenOperation& open);
  void StartBlock(OpenOperation& open);
  void EndRegion(OpenOperation& open);
  void EndOperation();
  void ReadArguments(Block* block);
  void ReadOperation();
  // The same for the most frequent form: a few operands, at most one result, nothing that is not
  // decoded yet. Returns false, and has read nothing, where the operation is of another form.
  bool ReadPlainOperation(OpenOperation& open);
  // The same for an operation that is of the kind of the last one of its name.
  bool ReadRecentOperation(OpenOperation& open, const RecentOperation& recent, UncheckedReader in,
                           uint64_t location);
  // The values of these numbers, which follow in the file; false where one is not defined.
  bool ReadOperands(UncheckedReader& in, size_t count, Ref<Value>* operands) const;
  void ReadResults();
  void ReadOperands();
  // Sets the number of the operation's regions.
  RegionHeader ReadRegionHeader();
  void Open(Operation* op, const RegionHeader& header);
  // The attributes of an operation; null where it has none.
  const AttributeSet* ReadAttributes(size_t name, uint8_t mask);
  void SkipUseLists(size_t values);
  // Gives the value the next number of the region.
  void Define(Value* value);
  // A cast between VHLO's types and others, which are the same here: the operand is the result.
  bool Forward();
  void Fail(absl::Status status);
  // An error in the operation that is being read.
  void FailHere(const absl::Status& status);
  void AddWeight(uint64_t weight);
  // Regions and values that are announced take a byte each sooner or later.
  size_t Announced(size_t count);

  const BytecodeFile& file_;
  Program& program_;
  BytecodeEntries entries_;
  OperationAttributes attributes_;
  ByteReader in_;
  std::vector<ResolvedName> names_;
  std::vector<RecentOperation> recent_;  // by the number of the name
  std::vector<OpenOperation> open_;
  std::vector<Ref<Value>> values_;  // of the current isolated scope, by number
  // Of the operation that is being read.
  OperationParts parts_;
  std::vector<Value*> operands_;
  std::vector<const Type*> results_;
  // Of the block that is being read.
  std::vector<const Type*> argument_types_;
  std::vector<const Location*> argument_locations_;
  const OperationName* const function_return_ = program_.NameOf("func.return");
  uint64_t weight_ = 0;
  size_t announced_ = 0;
  absl::Status status_;
};

IrReader::IrReader(const BytecodeFile& file, std::shared_ptr<const void> owner, Program& program)
    : file_(file),
      program_(program),
      entries_(file, program, std::move(owner)),
      attributes_(file, entries_, program),
      in_(file.ir) {
  names_.reserve(file.names.size());
  for (const BytecodeName& name : file.names) {
    ResolvedName resolved;
    resolved.name = name.vhlo != nullptr && name.vhlo->row != nullptr
                        ? program.NameOf(*name.vhlo->row)
                        : program.NameOf(name.text);
    resolved.is_return = name.vhlo != nullptr && resolved.name->text == "stablehlo.return";
    resolved.is_cast = resolved.name->text == "builtin.unrealized_conversion_cast";
    const DialectOp* row = resolved.name->row;
    resolved.is_plain = !resolved.is_cast && row != nullptr &&
                        (row->regions == 0 || row->regions == kVariadicRegions);
    resolved.has_defaults = name.vhlo != nullptr && !name.vhlo->attributes.empty();
    names_.push_back(resolved);
  }
  recent_.resize(names_.size());
}

void IrReader::Fail(absl::Status status) {
  if (status_.ok()) status_ = std::move(status);
}

void IrReader::FailHere(const absl::Status& status) {
  OperationParts parts = parts_;
  parts.operands = {};
  parts.results = {};
  Operation* op = program_.NewOperation(parts);
  program_.Append(open_.back().block, op);
  Fail(absl::Status(status.code(), absl::StrCat(op->Describe(), ": ", status.message())));
}

void IrReader::AddWeight(uint64_t weight) {
  weight_ += weight;
  if (weight_ > kMaxProgramWeight + 64 * file_.bytes.size()) {
    in_.Fail("the operations have more attributes and types than such a file can need");
  }
}

size_t IrReader::Announced(size_t count) {
  announced_ += count;
  if (announced_ <= file_.bytes.size()) return count;
  in_.Fail("a count exceeds the data that is left");
  return 0;
}

void IrReader::SkipUseLists(size_t values) {
  const size_t lists = values > 1 ? in_.Count() : 1;
  for (size_t i = 0; in_.ok() && i < lists; ++i) {
    if (values > 1) in_.Varint();
    const uint64_t count = in_.Varint() >> 1;
    if (count > in_.left()) return in_.Fail("a count exceeds the data that is left");
    for (uint64_t j = 0; j < count; ++j) in_.Varint();
  }
}

void IrReader::Define(Value* value) {
  OpenOperation& open = open_.back();
  if (open.next_value >= open.end_value) {
    return in_.Fail("a region has more values than it announced");
  }
  values_[open.next_value++] = value;
}

void IrReader::StartRegion(OpenOperation& open) {
  ++open.next_region;
  open.in_region = true;
  open.first_value = open.next_value = open.end_value = values_.size();
  open.blocks_left = in_.Count();
  if (!in_.ok() || open.blocks_left == 0) return;
  program_.SetBlockCount(open.op, open.next_region - 1, open.blocks_left);
  open.end_value += Announced(in_.Count());
  // Regions within this one need little more.
  if (open.end_value > values_.capacity()) values_.reserve(open.end_value + open.end_value / 64);
  values_.resize(open.end_value);
}

void IrReader::ReadArguments(Block* block) {
  const size_t count = in_.Count();
  argument_types_.clear();
  argument_locations_.clear();
  for (size_t i = 0; in_.ok() && i < count; ++i) {
    uint64_t type = in_.Varint();
    const bool has_location = file_.version < 4 || (type & 1) != 0;
    if (file_.version >= 4) type >>= 1;
    argument_types_.push_back(entries_.GetType(type));
    argument_locations_.push_back(has_location ? entries_.GetLocation(in_.Varint()) : nullptr);
    if (!entries_.ok()) return;
    AddWeight(entries_.type_weight(type));
  }
  if (!in_.ok()) return;
  program_.SetArguments(block, argument_types_, argument_locations_);
  for (Value* argument : block->arguments) Define(argument);
  if (file_.version >= 3 && in_.Byte() != 0) SkipUseLists(count);
}

void IrReader::StartBlock(OpenOperation& open) {
  const absl::Span<const Ref<Block>> blocks = open.op->regions()[open.next_region - 1].blocks();
  open.block = program_.NewBlock();
  program_.SetBlock(open.op, open.next_region - 1, blocks.size() - open.blocks_left, open.block);
  --open.blocks_left;
  const uint64_t bits = in_.Varint();
  open.operations_left = bits >> 1;
  if (open.operations_left > in_.left()) {
    return in_.Fail("a count exceeds the data that is left");
  }
  if ((bits & 1) != 0) ReadArguments(open.block);
  // An operation takes three bytes at least.
  if (in_.ok()) program_.Reserve(open.block, std::min(open.operations_left, in_.left() / 3));
}

void IrReader::EndRegion(OpenOperation& open) {
  open.in_region = false;
  if (open.next_value != open.end_value) {
    return in_.Fail("a region has fewer values than it announced");
  }
  values_.resize(open.first_value);
}

void IrReader::EndOperation() {
  OpenOperation& open = open_.back();
  if (open.in_section) {
    if (!in_.empty()) return in_.Fail("there is data behind the last region of an operation");
    in_ = open.outer;
  }
  if (open.isolated) values_ = std::move(open.outer_values);
  open_.pop_back();
}

void IrReader::Step() {
  OpenOperation& open = open_.back();
  if (open.operations_left > 0) {
    --open.operations_left;
    if (!ReadPlainOperation(open)) ReadOperation();
  } else if (open.blocks_left > 0) {
    StartBlock(open);
  } else if (open.in_region) {
    EndRegion(open);
  } else if (open.next_region < open.op->regions().size()) {
    StartRegion(open);
  } else {
    EndOperation();
  }
}

void IrReader::ReadResults() {
  const size_t count = in_.Count();
  if (count > kMostValues) return in_.Fail("an operation has too many results");
  for (size_t i = 0; in_.ok() && i < count; ++i) {
    const uint64_t type = in_.Varint();
    results_.push_back(entries_.GetType(type));
    if (!entries_.ok()) return;
    AddWeight(entries_.type_weight(type));
  }
}

void IrReader::ReadOperands() {
  const size_t count = in_.Count();
  if (count > kMostValues) return in_.Fail("an operation has too many operands");
  for (size_t i = 0; in_.ok() && i < count; ++i) {
    const uint64_t number = in_.Varint();
    if (number >= values_.size() || values_[number] == nullptr) {
      return in_.Fail("an operand is a value that is not defined before");
    }
    operands_.push_back(values_[number]);
  }
}

const AttributeSet* IrReader::ReadAttributes(size_t name, uint8_t mask) {
  const Attribute* dictionary = nullptr;
  if ((mask & kHasAttributes) != 0) {
    const uint64_t index = in_.Varint();
    if (!in_.ok()) return nullptr;
    dictionary = entries_.GetAttribute(index);
    if (dictionary == nullptr) return nullptr;
    if (dictionary->kind != AttributeKind::kDictionary) {
      in_.Fail("the attributes of an operation are no dictionary");
      return nullptr;
    }
    AddWeight(entries_.attribute_weight(index));
  }
  OperationAttributes::Properties* properties = nullptr;
  if ((mask & kHasProperties) != 0) {
    const uint64_t index = in_.Varint();
    if (!attributes_.HasProperties(index)) {
      in_.Fail("there are no properties with this number");
      return nullptr;
    }
    absl::StatusOr<OperationAttributes::Properties*> decoded =
        attributes_.Decode(name, names_[name].name->row, index);
    if (!decoded.ok()) {
      FailHere(decoded.status());
      return nullptr;
    }
    properties = *decoded;
    AddWeight(properties->weight);
    if (dictionary == nullptr && properties->has_set) return properties->set;
  }
  if (dictionary == nullptr && properties == nullptr && !names_[name].has_defaults) return nullptr;
  absl::StatusOr<const AttributeSet*> all = attributes_.Join(name, dictionary, properties);
  if (all.ok()) return *all;
  FailHere(all.status());
  return nullptr;
}

bool IrReader::Forward() {
  if (results_.size() != operands_.size()) return false;
  for (size_t i = 0; i < results_.size(); ++i) {
    if (results_[i] != operands_[i]->type()) return false;
  }
  for (Value* operand : operands_) Define(operand);
  return true;
}

IrReader::RegionHeader IrReader::ReadRegionHeader() {
  RegionHeader header;
  const uint64_t bits = in_.Varint();
  if (bits >> 1 > in_.left()) {
    in_.Fail("a count exceeds the data that is left");
  } else if (open_.size() >= kMaxRegionDepth) {
    in_.Fail("regions are nested too deeply");
  }
  if (!in_.ok()) return header;
  parts_.regions = Announced(bits >> 1);
  header.isolated = (bits & 1) != 0;
  if (!header.isolated || file_.version < 2) return header;
  uint8_t id = 0;
  header.section = ReadSection(in_, file_.bytes, id);
  header.in_section = true;
  if (in_.ok() && id != static_cast<uint8_t>(Section::kIr)) {
    in_.Fail("the section of an operation's regions is missing");
  }
  return header;
}

// The most operands of a plain operation. With name, mask, location, properties, number and type of
// results and number of operands it takes so many bytes at most, and so many may be looked at.
constexpr size_t kMostOperands = 3;
constexpr size_t kMostPlainBytes = (8 + kMostOperands) * sizeof(uint64_t);

bool IrReader::ReadOperands(UncheckedReader& in, size_t count, Ref<Value>* operands) const {
  for (size_t i = 0; i < count; ++i) {
    const uint64_t number = in.Varint();
    if (number >= values_.size() || values_[number] == nullptr) return false;
    operands[i] = values_[number];
  }
  return in.ok();
}

bool IrReader::ReadRecentOperation(OpenOperation& open, const RecentOperation& recent,
                                   UncheckedReader in, uint64_t location) {
  in.Skip(recent.length);
  Ref<Value> operands[kMostOperands];
  if (!ReadOperands(in, recent.kind->operand_count, operands)) return false;
  if (recent.kind->result_count > 0 && open.next_value >= open.end_value) return false;
  in_.SetPosition(in.at());
  AddWeight(recent.weight);
  Operation* op = program_.NewOperation(*recent.kind, operands, entries_.GetLocation(location));
  program_.Append(open.block, op);
  if (recent.kind->result_count > 0) values_[open.next_value++] = op->result(0);
  return true;
}

bool IrReader::ReadPlainOperation(OpenOperation& open) {
  if (in_.left() < kMostPlainBytes) return false;
  UncheckedReader in(in_.position());
  const uint64_t name = in.Varint();
  const uint8_t mask = in.Byte();
  const uint64_t location = in.Varint();
  if (name >= names_.size() || !in.ok() || !entries_.HasLocation(location)) return false;
  RecentOperation& recent = recent_[name];
  const uint64_t bits = in.Peek();
  if (recent.mask == mask && recent.used != 0 && (bits & recent.used) == recent.bits) {
    return ReadRecentOperation(open, recent, in, location);
  }
  if (!names_[name].is_plain || (mask & ~(kHasResults | kHasOperands | kHasProperties)) != 0) {
    return false;
  }
  const char* const begin = in.at();
  OperationParts parts;
  uint64_t weight = 0;
  if ((mask & kHasProperties) != 0) {
    const OperationAttributes::Properties* properties = attributes_.Find(name, in.Varint());
    if (properties == nullptr || !properties->has_set) return false;
    parts.attributes = properties->set;
    weight = properties->weight;
  } else if (names_[name].has_defaults) {
    return false;
  }
  const Type* result = nullptr;
  if ((mask & kHasResults) != 0) {
    if (in.Varint() != 1) return false;
    const uint64_t type = in.Varint();
    if (!entries_.HasType(type) || open.next_value >= open.end_value) return false;
    result = entries_.GetType(type);
    parts.results = {&result, 1};
    weight += entries_.type_weight(type);
  }
  const size_t count = (mask & kHasOperands) != 0 ? in.Varint() : 0;
  if (count > kMostOperands) return false;
  const auto length = static_cast<size_t>(in.at() - begin);
  Ref<Value> operands[kMostOperands];
  if (!ReadOperands(in, count, operands)) return false;
  in_.SetPosition(in.at());
  parts.name = names_[name].is_return && open.is_function ? function_return_ : names_[name].name;
  Value* values[kMostOperands];
  std::copy_n(operands, count, values);
  parts.operands = absl::MakeConstSpan(values, count);
  parts.location = entries_.GetLocation(location);
  AddWeight(weight);
  Operation* op = program_.NewOperation(parts);
  program_.Append(open.block, op);
  if (result != nullptr) Define(op->result(0));
  // What a return is depends on the operation around it.
  if (length > 0 && length <= sizeof(bits) && !names_[name].is_return) {
    const uint64_t used = ~uint64_t{0} >> (64 - 8 * length);
    recent = {bits & used, used, static_cast<uint8_t>(length), mask, &op->kind(), weight};
  }
  return true;
}

void IrReader::ReadOperation() {
  const uint64_t name = in_.Varint();
  const uint8_t mask = in_.Byte();
  const uint64_t location = in_.Varint();
  if (!in_.ok()) return;
  if (name >= names_.size()) return in_.Fail("there is no operation name with this number");
  if ((mask & ~0x7F) != 0) return in_.Fail("an operation has parts that are unknown");
  Block* block = open_.back().block;
  parts_ = {};
  operands_.clear();
  results_.clear();
  parts_.name = names_[name].name;
  if (names_[name].is_return && open_.back().is_function) {
    parts_.name = function_return_;
  }
  const DialectOp* row = parts_.name->row;
  if (row == nullptr && IsKnown(parts_.name->text.substr(0, parts_.name->text.find('.')))) {
    return FailHere(absl::UnimplementedError("the operation is unknown"));
  }
  parts_.location = entries_.GetLocation(location);
  parts_.attributes = ReadAttributes(name, mask);
  if ((mask & kHasResults) != 0) ReadResults();
  if ((mask & kHasOperands) != 0) ReadOperands();
  if (!in_.ok() || !entries_.ok() || !status_.ok()) return;
  if ((mask & kHasSuccessors) != 0) {
    return FailHere(absl::UnimplementedError("branches between blocks are not supported"));
  }
  if (names_[name].is_cast && (mask & kHasRegions) == 0 && Forward()) {
    if ((mask & kHasUseLists) != 0) SkipUseLists(results_.size());
    return;
  }
  if ((mask & kHasUseLists) != 0) SkipUseLists(results_.size());
  RegionHeader header;
  if ((mask & kHasRegions) != 0) header = ReadRegionHeader();
  if (!in_.ok()) return;
  if (row != nullptr && row->regions != kVariadicRegions &&
      parts_.regions != static_cast<size_t>(row->regions)) {
    return FailHere(absl::InvalidArgumentError(
        absl::StrCat("the operation has ", parts_.regions, " regions in place of ", row->regions)));
  }
  parts_.operands = operands_;
  parts_.results = results_;
  Operation* op = program_.NewOperation(parts_);
  program_.Append(block, op);
  for (Value* result : op->results()) Define(result);
  if ((mask & kHasRegions) != 0) Open(op, header);
}

void IrReader::Open(Operation* op, const RegionHeader& header) {
  OpenOperation& open = open_.emplace_back();
  open.op = op;
  open.is_function = op->name() == "func.func";
  open.isolated = header.isolated;
  if (open.isolated) open.outer_values = std::exchange(values_, {});
  if (!header.in_section) return;
  open.in_section = true;
  open.outer = std::exchange(in_, header.section);
}

absl::Status IrReader::Read() {
  // The file is one block; where it is not one module, it is a module's.
  OperationParts parts;
  parts.name = program_.NameOf("builtin.module");
  parts.regions = 1;
  Operation* top = program_.NewOperation(parts);
  program_.SetBlockCount(top, 0, 1);
  OpenOperation open;
  open.op = top;
  open.next_region = 1;
  open.blocks_left = 1;
  open_.push_back(std::move(open));
  while (!open_.empty() && in_.ok() && entries_.ok() && status_.ok()) Step();
  if (!status_.ok()) return status_;
  if (!entries_.ok()) return entries_.status();
  if (in_.ok() && !in_.empty()) in_.Fail("there is data behind the last operation");
  if (!in_.ok()) return in_.status("operations");
  Block* block = top->regions()[0].blocks()[0];
  program_.module = top;
  if (block->operations.size() == 1 && block->operations[0]->name() == top->name()) {
    program_.module = block->operations[0];
    program_.module->parent = nullptr;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ReadOperations(const BytecodeFile& file, std::shared_ptr<const void> owner,
                            Program& program) {
  return IrReader(file, std::move(owner), program).Read();
}

}  // namespace assay::stablehlo
