#include "fuzz/programs/grammar.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "spec/elementwise_info.h"
#include "spec/nearest_name.h"

namespace assay::fuzz {
namespace {

using enum Opcode;
using enum RowPlace;

// The rows of operations that take more than the shape rules of elementwise ones say.
constexpr Row kOwnRows[] = {
    {kAddDependency, kComputation, WriteAddDependency},
    {kAfterAll, kComputation, WriteAddDependency},
    {kAllGather, kEntry, WriteAllGather},
    {kAllGatherStart, kEntry, WriteAllGather},
    {kAllReduce, kEntry, WriteAllReduce},
    {kAllReduceStart, kEntry, WriteAllReduce},
    {kAllToAll, kEntry, WriteAllToAll},
    {kAsyncStart, kEntry, WriteAsyncStart},
    {kBatchNormGrad, kComputation, WriteBatchNorm},
    {kBatchNormInference, kComputation, WriteBatchNorm},
    {kBatchNormTraining, kComputation, WriteBatchNorm},
    {kBitcast, kAnywhere, WriteBitcast},
    {kBitcastConvert, kAnywhere, WriteBitcastConvert},
    {kBroadcast, kAnywhere, WriteBroadcast},
    {kCall, kComputation, WriteCall},
    {kCholesky, kComputation, WriteCholesky},
    {kClamp, kAnywhere, WriteClamp},
    {kCollectiveBroadcast, kEntry, WriteCollectiveBroadcast},
    {kCollectivePermute, kEntry, WriteCollectivePermute},
    {kCollectivePermuteStart, kEntry, WriteCollectivePermute},
    {kCompare, kAnywhere, WriteCompare},
    {kComplex, kAnywhere, WriteComplex},
    {kConcatenate, kAnywhere, WriteConcatenate},
    {kConditional, kComputation, WriteConditional},
    {kConstant, kAnywhere, WriteConstant},
    {kConvert, kAnywhere, WriteConvert},
    {kConvolution, kComputation, WriteConvolution},
    {kCopy, kAnywhere, WriteCopy},
    {kCopyStart, kEntry, WriteCopyStart},
    {kCustomCall, kEffects, WriteCustomCall},
    {kDomain, kEntry, WriteDomain},
    {kDot, kComputation, WriteDot},
    {kDynamicReshape, kEntry, WriteDynamicReshape},
    {kDynamicSlice, kAnywhere, WriteDynamicSlice},
    {kDynamicUpdateSlice, kAnywhere, WriteDynamicUpdateSlice},
    {kFft, kComputation, WriteFft},
    {kFusion, kComputation, WriteFusion},
    {kGather, kAnywhere, WriteGather},
    {kGetDimensionSize, kComputation, WriteGetDimensionSize},
    {kGetTupleElement, kComputation, WriteTuple},
    {kInfeed, kEffects, WriteInfeed},
    {kIota, kAnywhere, WriteIota},
    {kMap, kComputation, WriteMap},
    {kOptimizationBarrier, kComputation, WriteOptBarrier},
    {kOutfeed, kEffects, WriteOutfeed},
    {kPad, kAnywhere, WritePad},
    {kParameter, kEntry, WriteParameter},
    {kPartitionId, kEntry, WriteDeviceId},
    {kRaggedAllToAll, kEntry, WriteRaggedAllToAll},
    {kRaggedDot, kComputation, WriteRaggedDot},
    {kRecv, kEffects, WriteTransfer},
    {kReduce, kAnywhere, WriteReduce},
    {kReducePrecision, kAnywhere, WriteReducePrecision},
    {kReduceScatter, kEntry, WriteReduceScatter},
    {kReduceWindow, kComputation, WriteReduceWindow},
    {kReplicaId, kEntry, WriteDeviceId},
    {kReshape, kAnywhere, WriteReshape},
    {kReverse, kAnywhere, WriteReverse},
    {kRng, kEffects, WriteRng},
    {kRngBitGenerator, kComputation, WriteRngBitGenerator},
    {kRngGetAndUpdateState, kEffects, WriteRngState},
    {kScaledDot, kComputation, WriteScaledDot},
    {kScan, kComputation, WriteScan},
    {kScatter, kComputation, WriteScatter},
    {kSelect, kAnywhere, WriteSelect},
    {kSelectAndScatter, kComputation, WriteSelectAndScatter},
    {kSend, kEffects, WriteTransfer},
    {kSetDimensionSize, kEntry, WriteSetDimensionSize},
    {kSlice, kAnywhere, WriteSlice},
    {kSort, kComputation, WriteSort},
    {kStochasticConvert, kAnywhere, WriteStochasticConvert},
    {kTopK, kComputation, WriteTopK},
    {kTranspose, kAnywhere, WriteTranspose},
    {kTriangularSolve, kComputation, WriteTriangularSolve},
    {kTuple, kComputation, WriteTuple},
    {kWhile, kComputation, WriteWhile},
};

decltype(Row::write) WriterOf(ShapeRule rule) {
  switch (rule) {
    case ShapeRule::kUnary:
    case ShapeRule::kUnaryToComponent:
    case ShapeRule::kUnaryToPred:
      return WriteUnary;
    case ShapeRule::kCommonShape:
      return WriteBinary;
    case ShapeRule::kOwn:
      break;
  }
  return nullptr;
}

const std::vector<Row>& AllRows() {
  static const auto* const rows = [] {
    auto* made = new std::vector<Row>;
    for (const OpInfo& op : Catalogue()) {
      const ElementwiseInfo* elementwise = FindElementwise(op.opcode);
      if (elementwise != nullptr && elementwise->shape_rule != ShapeRule::kOwn) {
        made->push_back({op.opcode, kAnywhere, WriterOf(elementwise->shape_rule)});
      }
      for (const Row& row : kOwnRows) {
        if (row.opcode == op.opcode) made->push_back(row);
      }
    }
    return made;
  }();
  return *rows;
}

// What strict rules demand beyond the classes of the catalogue.
bool IsLegal(Opcode opcode, ElementType type) {
  switch (opcode) {
    case kMaximum:
    case kMinimum:
    case kClamp:
    case kTopK:
    case kRng:
      return !IsComplex(type) && (opcode == kRng || Info(opcode).types.Contains(type));
    case kSelect:  // of the branches
      return true;
    case kComplex:
      return type == ElementType::kF32 || type == ElementType::kF64;
    case kFft:
      return IsComplex(type) || type == ElementType::kF32 || type == ElementType::kF64;
    case kStochasticConvert:  // random bits are as wide as the value
      return IsFloat(type) && Info(type).bits != 6;
    case kGetTupleElement:  // of the elements of the tuple
    case kInfeed:
    case kRecv:
    case kWhile:
      return true;
    default:
      return Info(opcode).types.Contains(type);
  }
}

using TypeTable = std::array<std::vector<ElementType>, kOpcodeCount>;

const TypeTable& AllLegalTypes() {
  static const TypeTable* const table = [] {
    auto* made = new TypeTable;
    for (const OpInfo& op : Catalogue()) {
      for (const ElementType type : kArrayTypes) {
        if (IsLegal(op.opcode, type)) (*made)[static_cast<size_t>(op.opcode)].push_back(type);
      }
    }
    return made;
  }();
  return *table;
}

absl::StatusOr<std::vector<Opcode>> OpcodesOf(const std::vector<std::string>& names) {
  std::vector<Opcode> opcodes;
  for (const std::string& name : names) {
    const std::optional<Opcode> opcode = OpcodeFromName(name);
    if (!opcode) {
      return absl::InvalidArgumentError(absl::StrCat("there is no operation '", name, "'",
                                                     DidYouMean(NearestOpcodeName(name)),
                                                     "; `assay ops` lists them"));
    }
    const bool has_row = std::any_of(AllRows().begin(), AllRows().end(),
                                     [&](const Row& row) { return row.opcode == *opcode; });
    if (!has_row) {
      return absl::InvalidArgumentError(absl::StrCat(
          "programs cannot have '", name, "' alone: name the operation that it belongs to"));
    }
    opcodes.push_back(*opcode);
  }
  return opcodes;
}

absl::StatusOr<std::vector<ElementType>> TypesOfNames(const std::vector<std::string>& names) {
  if (names.empty())
    return std::vector<ElementType>(std::begin(kArrayTypes), std::end(kArrayTypes));
  std::vector<ElementType> types;
  for (const std::string& name : names) {
    const std::optional<ElementType> type = ElementTypeFromName(name);
    if (!type || !IsArray(*type)) {
      return absl::InvalidArgumentError(absl::StrCat("there is no element type '", name, "'",
                                                     DidYouMean(NearestTypeName(name)),
                                                     "; docs/op_types.md lists them"));
    }
    types.push_back(*type);
  }
  return types;
}

}  // namespace

absl::Span<const Row> Rows() { return AllRows(); }

absl::Span<const ElementType> LegalTypes(Opcode opcode) {
  return AllLegalTypes()[static_cast<size_t>(opcode)];
}

absl::StatusOr<Grammar> Grammar::Create(const GrammarOptions& options) {
  const absl::StatusOr<std::vector<Opcode>> opcodes = OpcodesOf(options.operations);
  if (!opcodes.ok()) return opcodes.status();
  const absl::StatusOr<std::vector<ElementType>> types = TypesOfNames(options.types);
  if (!types.ok()) return types.status();
  Grammar grammar;
  grammar.limits_ = options.limits;
  grammar.collectives_ = options.collectives;
  grammar.effects_ = options.effects;
  grammar.seeds_ = options.seeds;
  for (const Opcode opcode : *opcodes) grammar.named_.set(static_cast<size_t>(opcode));
  if (grammar.named_.any()) {
    for (const Opcode opcode :
         {kBroadcast, kConstant, kConvert, kGetTupleElement, kParameter, kReshape, kTuple}) {
      grammar.named_.set(static_cast<size_t>(opcode));
    }
  }
  grammar.all_types_ = *types;
  for (const Row& row : AllRows()) {
    const bool named = std::find(opcodes->begin(), opcodes->end(), row.opcode) != opcodes->end();
    if (!opcodes->empty() && !named) continue;
    const bool collective = Info(row.opcode).family == Family::kCollective;
    if (collective && !options.collectives && !named) continue;
    // What is named stands in every program.
    const RowPlace place = row.place == kEffects && named ? kEntry : row.place;
    for (const RowPlace inner : {kAnywhere, kComputation, kEntry}) {
      if (place <= inner) grammar.rows_[static_cast<size_t>(inner)].push_back(&row);
    }
    if (place == kEffects) grammar.rows_[static_cast<size_t>(kEffects)].push_back(&row);
  }
  // Something must stand in called computations, whatever the options name.
  for (const RowPlace inner : {kAnywhere, kComputation}) {
    if (!grammar.rows_[static_cast<size_t>(inner)].empty()) continue;
    for (const Row& row : AllRows()) {
      if (row.place == kAnywhere) grammar.rows_[static_cast<size_t>(inner)].push_back(&row);
    }
  }
  for (const Row& row : AllRows()) {
    std::vector<ElementType>& own = grammar.types_[static_cast<size_t>(row.opcode)];
    for (const ElementType type : LegalTypes(row.opcode)) {
      if (std::find(types->begin(), types->end(), type) != types->end()) own.push_back(type);
    }
    const absl::Span<const ElementType> legal = LegalTypes(row.opcode);
    if (own.empty()) own.assign(legal.begin(), legal.end());
  }
  return grammar;
}

}  // namespace assay::fuzz
