#include "fuzz/programs/grammar.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "spec/nearest_name.h"

namespace assay::fuzz {
namespace {

using enum Opcode;
using enum RowPlace;

constexpr Row kRows[] = {
    {kAbs, kAnywhere, WriteUnary},
    {kAcos, kAnywhere, WriteUnary},
    {kAcosh, kAnywhere, WriteUnary},
    {kAdd, kAnywhere, WriteBinary},
    {kAddDependency, kComputation, WriteAddDependency},
    {kAfterAll, kComputation, WriteAddDependency},
    {kAllGather, kEntry, WriteAllGather},
    {kAllGatherStart, kEntry, WriteAllGather},
    {kAllReduce, kEntry, WriteAllReduce},
    {kAllReduceStart, kEntry, WriteAllReduce},
    {kAllToAll, kEntry, WriteAllToAll},
    {kAnd, kAnywhere, WriteBinary},
    {kAsin, kAnywhere, WriteUnary},
    {kAsinh, kAnywhere, WriteUnary},
    {kAsyncStart, kEntry, WriteAsyncStart},
    {kAtan2, kAnywhere, WriteBinary},
    {kAtanh, kAnywhere, WriteUnary},
    {kBatchNormGrad, kComputation, WriteBatchNorm},
    {kBatchNormInference, kComputation, WriteBatchNorm},
    {kBatchNormTraining, kComputation, WriteBatchNorm},
    {kBitcast, kAnywhere, WriteBitcast},
    {kBitcastConvert, kAnywhere, WriteBitcastConvert},
    {kBroadcast, kAnywhere, WriteBroadcast},
    {kCall, kComputation, WriteCall},
    {kCbrt, kAnywhere, WriteUnary},
    {kCeil, kAnywhere, WriteUnary},
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
    {kCosh, kAnywhere, WriteUnary},
    {kCos, kAnywhere, WriteUnary},
    {kClz, kAnywhere, WriteUnary},
    {kCustomCall, kEffects, WriteCustomCall},
    {kDivide, kAnywhere, WriteBinary},
    {kDomain, kEntry, WriteDomain},
    {kDot, kComputation, WriteDot},
    {kDynamicReshape, kEntry, WriteDynamicReshape},
    {kDynamicSlice, kAnywhere, WriteDynamicSlice},
    {kDynamicUpdateSlice, kAnywhere, WriteDynamicUpdateSlice},
    {kErf, kAnywhere, WriteUnary},
    {kExp, kAnywhere, WriteUnary},
    {kExpm1, kAnywhere, WriteUnary},
    {kFft, kComputation, WriteFft},
    {kFloor, kAnywhere, WriteUnary},
    {kFusion, kComputation, WriteFusion},
    {kGather, kAnywhere, WriteGather},
    {kGetDimensionSize, kComputation, WriteGetDimensionSize},
    {kGetTupleElement, kComputation, WriteTuple},
    {kImag, kAnywhere, WriteUnary},
    {kInfeed, kEffects, WriteInfeed},
    {kIota, kAnywhere, WriteIota},
    {kIsFinite, kAnywhere, WriteUnary},
    {kLog, kAnywhere, WriteUnary},
    {kLog1p, kAnywhere, WriteUnary},
    {kLogistic, kAnywhere, WriteUnary},
    {kMap, kComputation, WriteMap},
    {kMaximum, kAnywhere, WriteBinary},
    {kMinimum, kAnywhere, WriteBinary},
    {kMulhi, kAnywhere, WriteBinary},
    {kMultiply, kAnywhere, WriteBinary},
    {kNegate, kAnywhere, WriteUnary},
    {kNot, kAnywhere, WriteUnary},
    {kOptimizationBarrier, kComputation, WriteOptBarrier},
    {kOr, kAnywhere, WriteBinary},
    {kOutfeed, kEffects, WriteOutfeed},
    {kPad, kAnywhere, WritePad},
    {kParameter, kEntry, WriteParameter},
    {kPartitionId, kEntry, WriteDeviceId},
    {kPopcnt, kAnywhere, WriteUnary},
    {kPower, kAnywhere, WriteBinary},
    {kRaggedAllToAll, kEntry, WriteRaggedAllToAll},
    {kRaggedDot, kComputation, WriteRaggedDot},
    {kReal, kAnywhere, WriteUnary},
    {kRecv, kEffects, WriteTransfer},
    {kReduce, kAnywhere, WriteReduce},
    {kReducePrecision, kAnywhere, WriteReducePrecision},
    {kReduceScatter, kEntry, WriteReduceScatter},
    {kReduceWindow, kComputation, WriteReduceWindow},
    {kRemainder, kAnywhere, WriteBinary},
    {kReplicaId, kEntry, WriteDeviceId},
    {kReshape, kAnywhere, WriteReshape},
    {kReverse, kAnywhere, WriteReverse},
    {kRng, kEffects, WriteRng},
    {kRngBitGenerator, kComputation, WriteRngBitGenerator},
    {kRngGetAndUpdateState, kEffects, WriteRngState},
    {kRoundNearestAfz, kAnywhere, WriteUnary},
    {kRoundNearestEven, kAnywhere, WriteUnary},
    {kRsqrt, kAnywhere, WriteUnary},
    {kScaledDot, kComputation, WriteScaledDot},
    {kScan, kComputation, WriteScan},
    {kScatter, kComputation, WriteScatter},
    {kSelect, kAnywhere, WriteSelect},
    {kSelectAndScatter, kComputation, WriteSelectAndScatter},
    {kSend, kEffects, WriteTransfer},
    {kSetDimensionSize, kEntry, WriteSetDimensionSize},
    {kShiftLeft, kAnywhere, WriteBinary},
    {kShiftRightArithmetic, kAnywhere, WriteBinary},
    {kShiftRightLogical, kAnywhere, WriteBinary},
    {kSign, kAnywhere, WriteUnary},
    {kSin, kAnywhere, WriteUnary},
    {kSinh, kAnywhere, WriteUnary},
    {kSlice, kAnywhere, WriteSlice},
    {kSort, kComputation, WriteSort},
    {kSqrt, kAnywhere, WriteUnary},
    {kStochasticConvert, kAnywhere, WriteStochasticConvert},
    {kSubtract, kAnywhere, WriteBinary},
    {kTan, kAnywhere, WriteUnary},
    {kTanh, kAnywhere, WriteUnary},
    {kTopK, kComputation, WriteTopK},
    {kTranspose, kAnywhere, WriteTranspose},
    {kTriangularSolve, kComputation, WriteTriangularSolve},
    {kTuple, kComputation, WriteTuple},
    {kWhile, kComputation, WriteWhile},
    {kXor, kAnywhere, WriteBinary},
};

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
      return absl::InvalidArgumentError(
          absl::StrCat("there is no operation '", name, "'; `assay ops` lists them"));
    }
    const bool has_row = std::any_of(std::begin(kRows), std::end(kRows),
                                     [&](const Row& row) { return row.opcode == *opcode; });
    if (!has_row) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", name, "' stands beside the operation that it belongs to: name that"));
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
      return absl::InvalidArgumentError(absl::StrCat("there is no element type '", name, "'"));
    }
    types.push_back(*type);
  }
  return types;
}

}  // namespace

absl::Span<const Row> Rows() { return kRows; }

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
  grammar.idioms_ = options.operations.empty();
  grammar.all_types_ = *types;
  for (const Row& row : kRows) {
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
    for (const Row& row : kRows) {
      if (row.place == kAnywhere) grammar.rows_[static_cast<size_t>(inner)].push_back(&row);
    }
  }
  for (const Row& row : kRows) {
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
