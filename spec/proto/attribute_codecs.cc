// One reader and writer per attribute, for every operation that has it; what the schema says of
// presence, need and defaults is applied around them. Test: conversions_test.cc.
#include "spec/proto/attribute_codecs.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/proto/pieces.h"

namespace assay {
namespace {

using P = wire::HloInstructionProto;
using Result = Codec::ReadResult;

// Where a field stands: in the instruction itself or in a message of it.
P* Self(P* proto) { return proto; }
auto* Gather(P* proto) { return proto->mutable_gather_dimension_numbers(); }
auto* Scatter(P* proto) { return proto->mutable_scatter_dimension_numbers(); }
auto* Precisions(P* proto) { return proto->mutable_precision_config(); }
auto* Cholesky(P* proto) { return proto->mutable_cholesky_options(); }
auto* TriangularSolve(P* proto) { return proto->mutable_triangular_solve_options(); }
auto* RaggedDot(P* proto) { return proto->mutable_ragged_dot_dimension_numbers(); }
auto* PlainDot(P* proto) { return proto->mutable_dot_dimension_numbers(); }
auto* DotOfRagged(P* proto) { return RaggedDot(proto)->mutable_dot_dimension_numbers(); }

// Booleans, integers, enumerations, floats.
template <auto kWhere, auto kGet, auto kSet, auto kClear>
constexpr Codec Scalar() {
  return {[](P* proto, const Instruction&) -> Result {
            auto* message = kWhere(proto);
            const auto value = (message->*kGet)();
            (message->*kClear)();
            using T = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<T, bool>) return AttributeValue(value);
            if constexpr (std::is_floating_point_v<T>) return AttributeValue(double{value});
            return AttributeValue(static_cast<int64_t>(value));
          },
          [](const AttributeValue& value, const Instruction&, P* proto) {
            auto* message = kWhere(proto);
            using T = std::decay_t<decltype((message->*kGet)())>;
            if constexpr (std::is_same_v<T, bool>) {
              (message->*kSet)(std::get<bool>(value));
            } else if constexpr (std::is_floating_point_v<T>) {
              (message->*kSet)(static_cast<T>(std::get<double>(value)));
            } else {
              (message->*kSet)(static_cast<T>(std::get<int64_t>(value)));
            }
          },
          true};
}
#define SCALAR_IN(where, Message, field) \
  Scalar<where, &wire::Message::field, &wire::Message::set_##field, &wire::Message::clear_##field>()
#define SCALAR(field) SCALAR_IN(Self, HloInstructionProto, field)

// Absence means the schema's default, which is not the same for sort and topk.
Codec IsStable() {
  Codec codec = SCALAR(is_stable);
  codec.zero_is_absent = false;
  codec.read = [](P* proto, const Instruction&) -> Result {
    if (!proto->has_is_stable()) return std::nullopt;
    const bool value = proto->is_stable();
    proto->clear_is_stable();
    return AttributeValue(value);
  };
  return codec;
}

// An integer whose absence means 1.
Codec OneIfAbsent(Codec codec, decltype(Codec::read) read) {
  codec.read = read;
  codec.zero_means_one = true;
  return codec;
}
#define ONE_IF_ABSENT(field)                                                              \
  OneIfAbsent(SCALAR(field), [](P* proto, const Instruction&) -> Result {                 \
    const int64_t value = proto->field() == 0 ? 1 : static_cast<int64_t>(proto->field()); \
    proto->clear_##field();                                                               \
    return AttributeValue(value);                                                         \
  })

template <std::string* (P::*kMutable)()>
constexpr Codec Text() {
  return {[](P* proto, const Instruction&) -> Result {
            std::string value = std::move(*(proto->*kMutable)());
            (proto->*kMutable)()->clear();
            return AttributeValue(std::move(value));
          },
          [](const AttributeValue& value, const Instruction&, P* proto) {
            *(proto->*kMutable)() = std::get<std::string>(value);
          },
          true};
}

// A word of an enumeration, kept as a string.
template <Attr kAttr, std::string* (P::*kMutable)()>
constexpr Codec Word() {
  return {[](P* proto, const Instruction&) -> Result {
            const std::string word = std::move(*(proto->*kMutable)());
            (proto->*kMutable)()->clear();
            if (word.empty()) return std::nullopt;
            std::optional<int64_t> value = EnumFromWord(WordsOf(Info(kAttr).kind), word);
            if (value) return AttributeValue(*value);
            return absl::InvalidArgumentError(
                absl::StrCat("unknown ", Info(kAttr).name, " \"", word, "\""));
          },
          [](const AttributeValue& value, const Instruction&, P* proto) {
            *(proto->*kMutable)() =
                std::string(WordsOf(Info(kAttr).kind).words[std::get<int64_t>(value)]);
          }};
}

template <auto kWhere, auto kMutable>
constexpr Codec Ints() {
  return {[](P* proto, const Instruction&) -> Result {
            return AttributeValue(TakeInts((kWhere(proto)->*kMutable)()));
          },
          [](const AttributeValue& value, const Instruction&, P* proto) {
            PutInts(std::get<std::vector<int64_t>>(value), (kWhere(proto)->*kMutable)());
          }};
}
#define INTS(field) Ints<Self, &P::mutable_##field>()
#define INTS_IN(where, Message, field) Ints<where, &wire::Message::mutable_##field>()

// One of two codecs, by operation: some fields stand in a message of the operation's own.
template <Opcode kOpcode, Codec (*kThen)(), Codec (*kElse)()>
constexpr Codec IfOpcode() {
  return {[](P* proto, const Instruction& instruction) -> Result {
            return (instruction.opcode() == kOpcode ? kThen() : kElse()).read(proto, instruction);
          },
          [](const AttributeValue& value, const Instruction& instruction, P* proto) {
            (instruction.opcode() == kOpcode ? kThen() : kElse()).write(value, instruction, proto);
          }};
}
template <auto kMutable>
Codec DotInts() {
  return IfOpcode<Opcode::kRaggedDot, &Ints<DotOfRagged, kMutable>, &Ints<PlainDot, kMutable>>();
}
#define DOT_INTS(field) DotInts<&wire::DotDimensionNumbers::mutable_##field>()
Codec GatherIndexVectorDim() { return SCALAR_IN(Gather, GatherDimensionNumbers, index_vector_dim); }
Codec ScatterIndexVectorDim() {
  return SCALAR_IN(Scatter, ScatterDimensionNumbers, index_vector_dim);
}
Codec CholeskyLower() { return SCALAR_IN(Cholesky, CholeskyOptions, lower); }
Codec TriangularSolveLower() { return SCALAR_IN(TriangularSolve, TriangularSolveOptions, lower); }

// A single number that the wire keeps as a list: nothing, or one.
Codec OneDimension() {
  return {[](P* proto, const Instruction&) -> Result {
            std::vector<int64_t> list = TakeInts(proto->mutable_dimensions());
            if (list.empty()) return std::nullopt;
            if (list.size() == 1) return AttributeValue(list[0]);
            return absl::InvalidArgumentError(
                absl::StrCat("dimensions has ", list.size(), " entries instead of one"));
          },
          [](const AttributeValue& value, const Instruction&, P* proto) {
            proto->add_dimensions(std::get<int64_t>(value));
          }};
}

// The dimension that a reshape infers: none is -1 and not written.
Codec InferredDimension() {
  Codec codec = OneDimension();
  codec.write = [](const AttributeValue& value, const Instruction&, P* proto) {
    if (std::get<int64_t>(value) != -1) proto->add_dimensions(std::get<int64_t>(value));
  };
  return codec;
}

// Three states on the wire, of which unspecified means false.
Codec IsAssociative() {
  return {[](P* proto, const Instruction&) -> Result {
            const bool value = proto->is_associative() == wire::TRI_STATE_TRUE;
            proto->clear_is_associative();
            return AttributeValue(value);
          },
          [](const AttributeValue& value, const Instruction&, P* proto) {
            proto->set_is_associative(std::get<bool>(value) ? wire::TRI_STATE_TRUE
                                                            : wire::TRI_STATE_FALSE);
          }};
}

Codec CrossProgramPrefetchIndex() {
  return {[](P* proto, const Instruction&) -> Result {
            if (!proto->has_cross_program_prefetch_index()) return std::nullopt;
            const int64_t value = proto->cross_program_prefetch_index();
            proto->clear_cross_program_prefetch_index();
            return AttributeValue(value);
          },
          [](const AttributeValue& value, const Instruction&, P* proto) {
            proto->set_cross_program_prefetch_index(static_cast<int32_t>(std::get<int64_t>(value)));
          }};
}

// Writers of 2018 numbered the channels of all-reduce in a field of its own.
Codec ChannelId() {
  Codec codec = SCALAR(channel_id);
  codec.read = [](P* proto, const Instruction&) -> Result {
    const int64_t value = proto->channel_id() != 0 ? proto->channel_id() : proto->all_reduce_id();
    proto->clear_channel_id();
    proto->clear_all_reduce_id();
    return AttributeValue(value);
  };
  return codec;
}

Codec OperandPrecision() {
  return {[](P* proto, const Instruction&) -> Result {
            std::vector<int64_t> list;
            for (int precision : proto->precision_config().operand_precision()) {
              if (!wire::PrecisionConfig::Precision_IsValid(precision)) {
                return absl::InvalidArgumentError(
                    absl::StrCat("unknown operand_precision number ", precision));
              }
              list.push_back(precision);
            }
            Precisions(proto)->clear_operand_precision();
            return AttributeValue(std::move(list));
          },
          [](const AttributeValue& value, const Instruction&, P* proto) {
            for (int64_t precision : std::get<std::vector<int64_t>>(value)) {
              Precisions(proto)->add_operand_precision(
                  static_cast<wire::PrecisionConfig::Precision>(precision));
            }
          }};
}

// Where each attribute stands on the wire.
Codec CodecOf(Attr attr) {
  switch (attr) {
    case Attr::kAlgorithm:
      return SCALAR_IN(Precisions, PrecisionConfig, algorithm);
    case Attr::kApiVersion:
      return ONE_IF_ABSENT(custom_call_api_version);
    case Attr::kAsyncExecutionThread:
      return Text<&P::mutable_async_execution_thread>();
    case Attr::kBatchGroupCount:
      return ONE_IF_ABSENT(batch_group_count);
    case Attr::kChannelId:
      return ChannelId();
    case Attr::kCollapsedSliceDims:
      return INTS_IN(Gather, GatherDimensionNumbers, collapsed_slice_dims);
    case Attr::kComparisonType:
      return Word<Attr::kComparisonType, &P::mutable_comparison_type>();
    case Attr::kConstrainLayout:
      return SCALAR(constrain_layout);
    case Attr::kConvolutionKind:
      return SCALAR(conv_kind);
    case Attr::kCrossProgramPrefetchIndex:
      return CrossProgramPrefetchIndex();
    case Attr::kCustomCallHasSideEffect:
      return SCALAR(custom_call_has_side_effect);
    case Attr::kCustomCallTarget:
      return Text<&P::mutable_custom_call_target>();
    case Attr::kDelta:
      return SCALAR(delta);
    case Attr::kDimLabels:
      return DimLabelsCodec();
    case Attr::kDimension:
      return OneDimension();
    case Attr::kDimensions:
      return INTS(dimensions);
    case Attr::kDirection:
      return Word<Attr::kDirection, &P::mutable_comparison_direction>();
    case Attr::kDistribution:
      return SCALAR(distribution);
    case Attr::kDomain:
      return DomainCodec();
    case Attr::kDynamicSliceSizes:
      return INTS(dynamic_slice_sizes);
    case Attr::kEpsilon:
      return SCALAR(epsilon);
    case Attr::kExponentBits:
      return SCALAR(exponent_bits);
    case Attr::kFeatureGroupCount:
      return ONE_IF_ABSENT(feature_group_count);
    case Attr::kFeatureIndex:
      return SCALAR(feature_index);
    case Attr::kFftLength:
      return INTS(fft_length);
    case Attr::kFftType:
      return SCALAR(fft_type);
    case Attr::kHasDynamicRoot:
      return SCALAR(has_dynamic_root);
    case Attr::kIndex:
      return SCALAR(tuple_index);
    case Attr::kIndexVectorDim:
      return IfOpcode<Opcode::kGather, GatherIndexVectorDim, ScatterIndexVectorDim>();
    case Attr::kIndicesAreSorted:
      return SCALAR(indices_are_sorted);
    case Attr::kInfeedConfig:
      return Text<&P::mutable_infeed_config>();
    case Attr::kInferredDimension:
      return InferredDimension();
    case Attr::kInputBatchingDims:
      return INTS_IN(Scatter, ScatterDimensionNumbers, input_batching_dims);
    case Attr::kInsertedWindowDims:
      return INTS_IN(Scatter, ScatterDimensionNumbers, inserted_window_dims);
    case Attr::kIotaDimension:
      return OneDimension();
    case Attr::kIsAssociative:
      return IsAssociative();
    case Attr::kIsComposite:
      return SCALAR(is_composite);
    case Attr::kIsHostTransfer:
      return SCALAR(is_host_transfer);
    case Attr::kIsReverse:
      return SCALAR(is_reverse);
    case Attr::kIsStable:
      return IsStable();
    case Attr::kK:
      return SCALAR(k);
    case Attr::kKind:
      return Word<Attr::kKind, &P::mutable_fusion_kind>();
    case Attr::kLargest:
      return SCALAR(largest);
    case Attr::kLeftSide:
      return SCALAR_IN(TriangularSolve, TriangularSolveOptions, left_side);
    case Attr::kLhsBatchDims:
      return DOT_INTS(lhs_batch_dimensions);
    case Attr::kLhsContractingDims:
      return DOT_INTS(lhs_contracting_dimensions);
    case Attr::kLhsRaggedDims:
      return INTS_IN(RaggedDot, RaggedDotDimensionNumbers, lhs_ragged_dimensions);
    case Attr::kLiteral:
      return LiteralCodec();
    case Attr::kLower:
      return IfOpcode<Opcode::kCholesky, CholeskyLower, TriangularSolveLower>();
    case Attr::kMantissaBits:
      return SCALAR(mantissa_bits);
    case Attr::kNumCarries:
      return SCALAR(num_carries);
    case Attr::kOffsetDims:
      return INTS_IN(Gather, GatherDimensionNumbers, offset_dims);
    case Attr::kOperandBatchingDims:
      return INTS_IN(Gather, GatherDimensionNumbers, operand_batching_dims);
    case Attr::kOperandLayoutConstraints:
      return OperandLayoutsCodec();
    case Attr::kOperandPrecision:
      return OperandPrecision();
    case Attr::kOutfeedConfig:
      return Text<&P::mutable_outfeed_config>();
    case Attr::kOutfeedShape:
      return OutfeedShapeCodec();
    case Attr::kOutputToOperandAliasing:
      return AliasesCodec();
    case Attr::kPadding:
      return PaddingCodec();
    case Attr::kPaddingType:
      return SCALAR(padding_type);
    case Attr::kReplicaGroups:
      return ReplicaGroupsCodec();
    case Attr::kResultAccuracy:
      return ResultAccuracyCodec();
    case Attr::kRhsBatchDims:
      return DOT_INTS(rhs_batch_dimensions);
    case Attr::kRhsContractingDims:
      return DOT_INTS(rhs_contracting_dimensions);
    case Attr::kRhsGroupDims:
      return INTS_IN(RaggedDot, RaggedDotDimensionNumbers, rhs_group_dimensions);
    case Attr::kRngAlgorithm:
      return SCALAR(rng_algorithm);
    case Attr::kScatterDimsToOperandDims:
      return INTS_IN(Scatter, ScatterDimensionNumbers, scatter_dims_to_operand_dims);
    case Attr::kScatterIndicesBatchingDims:
      return INTS_IN(Scatter, ScatterDimensionNumbers, scatter_indices_batching_dims);
    case Attr::kSchedule:
      return SCALAR(custom_call_schedule);
    case Attr::kSlice:
      return SlicesCodec();
    case Attr::kSliceSizes:
      return INTS(gather_slice_sizes);
    case Attr::kSliceSizesList:
      return SliceSizesListCodec();
    case Attr::kSourceTargetPairs:
      return SourceTargetPairsCodec();
    case Attr::kSparsityConfig:
      return SparsityCodec();
    case Attr::kStartIndexMap:
      return INTS_IN(Gather, GatherDimensionNumbers, start_index_map);
    case Attr::kStartIndicesBatchingDims:
      return INTS_IN(Gather, GatherDimensionNumbers, start_indices_batching_dims);
    case Attr::kTransposeA:
      return SCALAR_IN(TriangularSolve, TriangularSolveOptions, transpose_a);
    case Attr::kUniqueIndices:
      return SCALAR(unique_indices);
    case Attr::kUnitDiagonal:
      return SCALAR_IN(TriangularSolve, TriangularSolveOptions, unit_diagonal);
    case Attr::kUpdateWindowDims:
      return INTS_IN(Scatter, ScatterDimensionNumbers, update_window_dims);
    case Attr::kUseGlobalDeviceIds:
      return SCALAR(use_global_device_ids);
    case Attr::kWindow:
      return WindowCodec();
    // Called computations are ids, read with the computations; the mode is in text alone.
    case Attr::kBody:
    case Attr::kBranchComputations:
    case Attr::kCalledComputations:
    case Attr::kCalls:
    case Attr::kCollectiveMode:
    case Attr::kCondition:
    case Attr::kFalseComputation:
    case Attr::kScatter:
    case Attr::kSelect:
    case Attr::kToApply:
    case Attr::kTrueComputation:
      break;
  }
  return {};
}

struct CodecTable {
  Codec codecs[kAttrCount];
  CodecTable() {
    for (int i = 0; i < kAttrCount; ++i) codecs[i] = CodecOf(static_cast<Attr>(i));
  }
};
const Codec& CodecFor(Attr attr) {
  static const CodecTable* const table = new CodecTable;
  return table->codecs[static_cast<size_t>(attr)];
}

// Zero and empty are what absent fields read as.
bool IsZero(const AttributeValue& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return !*flag;
  if (const int64_t* number = std::get_if<int64_t>(&value)) return *number == 0;
  if (const std::string* text = std::get_if<std::string>(&value)) return text->empty();
  if (const auto* lists = std::get_if<std::vector<std::vector<int64_t>>>(&value)) {
    return lists->empty();
  }
  return false;
}

// Whether zero would be taken for absent, and that is another thing.
bool ZeroIsAbsent(const AttributeUse& use, const Codec& codec) {
  return codec.zero_means_one || (codec.zero_is_absent && !use.required && !use.has_default);
}

ComparisonType ImpliedComparisonType(const Instruction& compare) {
  const ElementType type = compare.operand(0)->shape().element_type();
  if (IsFloat(type) || IsComplex(type)) return ComparisonType::kFloat;
  return IsSigned(type) ? ComparisonType::kSigned : ComparisonType::kUnsigned;
}

absl::Status CheckEnum(Attr attr, const AttributeValue& value) {
  if (!IsEnum(Info(attr).kind)) return absl::OkStatus();
  const int64_t number = std::get<int64_t>(value);
  const auto words = WordsOf(Info(attr).kind).words;
  if (number >= 0 && number < static_cast<int64_t>(words.size())) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("unknown ", Info(attr).name, " number ", number));
}

absl::Status ReadAttribute(const AttributeUse& use, P* proto, Instruction* instruction) {
  const Codec& codec = CodecFor(use.attr);
  if (codec.read == nullptr) return absl::OkStatus();
  Result value = codec.read(proto, *instruction);
  if (!value.ok()) return value.status();
  const auto& zeros = proto->text_only().zero_attributes();
  const bool wrote_zero = std::find(zeros.begin(), zeros.end(), Info(use.attr).name) != zeros.end();
  if (codec.zero_means_one && wrote_zero) *value = AttributeValue(int64_t{0});
  if (value->has_value() && ZeroIsAbsent(use, codec) && IsZero(**value) && !wrote_zero) {
    return absl::OkStatus();
  }
  // Writers of before this field mean the operand's shape, as text does.
  if (!value->has_value() && use.attr == Attr::kOutfeedShape) {
    *value = instruction->operand(0)->shape();
  }
  if (!value->has_value()) {
    if (!use.required || use.print == AttributeUse::Print::kNever) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("the attribute ", Info(use.attr).name, " is missing"));
  }
  if (absl::Status status = CheckEnum(use.attr, **value); !status.ok()) return status;
  // What the operands imply is not stored, as in text.
  if (use.attr == Attr::kComparisonType &&
      std::get<int64_t>(**value) == static_cast<int64_t>(ImpliedComparisonType(*instruction))) {
    return absl::OkStatus();
  }
  instruction->SetAttribute(use.attr, **std::move(value));
  return absl::OkStatus();
}

// The value that the wire wants where the attribute is not stored; nullopt when it wants none.
std::optional<AttributeValue> ValueWhenAbsent(const AttributeUse& use,
                                              const Instruction& instruction) {
  if (use.attr == Attr::kComparisonType && instruction.operand_count() > 0) {
    return AttributeValue(static_cast<int64_t>(ImpliedComparisonType(instruction)));
  }
  if (use.attr == Attr::kOutfeedShape && instruction.operand_count() > 0) {
    return AttributeValue(instruction.operand(0)->shape());
  }
  if (!use.has_default) return std::nullopt;
  switch (Info(use.attr).kind) {
    case AttrKind::kBool:
      return AttributeValue(use.default_value != 0);
    case AttrKind::kInt:
      return AttributeValue(use.default_value);
    // XLA's readers want the message in which a list stands even where it is empty.
    case AttrKind::kInts:
    case AttrKind::kPrecisions:
      return AttributeValue(std::vector<int64_t>());
    case AttrKind::kWindow:
      return AttributeValue(Window());
    default:
      return IsEnum(Info(use.attr).kind) ? std::optional(AttributeValue(use.default_value))
                                         : std::nullopt;
  }
}

}  // namespace

absl::Status ReadAttributes(P* proto, Instruction* instruction) {
  for (const AttributeUse& use : instruction->info().attributes) {
    if (absl::Status status = ReadAttribute(use, proto, instruction); !status.ok()) return status;
  }
  return absl::OkStatus();
}

void WriteAttributes(const Instruction& instruction, P* proto) {
  for (const AttributeUse& use : instruction.info().attributes) {
    const Codec& codec = CodecFor(use.attr);
    if (codec.write == nullptr || use.print == AttributeUse::Print::kNever) continue;
    if (const AttributeValue* value = instruction.attributes().Find(use.attr)) {
      codec.write(*value, instruction, proto);
      if (ZeroIsAbsent(use, codec) && IsZero(*value)) {
        proto->mutable_text_only()->add_zero_attributes(std::string(Info(use.attr).name));
      }
    } else if (std::optional<AttributeValue> implied = ValueWhenAbsent(use, instruction)) {
      codec.write(*implied, instruction, proto);
    }
  }
}

}  // namespace assay
