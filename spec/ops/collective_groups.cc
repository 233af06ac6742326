#include "spec/ops/collective_groups.h"

#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "spec/element/saturating.h"
#include "spec/ops/checks.h"

namespace assay {
namespace {

// Numbers of devices that are written wrongly may be negative.
int64_t ProductOfCounts(int64_t a, int64_t b) {
  return a < 0 || b < 0 ? INT64_MAX : SaturatingProduct(a, b);
}

// The size of operand and result in the dimension of all-gather or reduce-scatter.
absl::Status CheckRatio(const Instruction& op, int64_t members) {
  const bool grows = op.opcode() != Opcode::kReduceScatter;
  const int64_t dimension = op.GetInt(Attr::kDimension);
  const Shape& declared =
      op.opcode() == Opcode::kAllGatherStart ? op.shape().tuple_shape(1) : op.shape();
  for (int64_t k = 0; k < op.operand_count(); ++k) {
    const Shape& operand = op.operand(k)->shape();
    const Shape& result = op.operand_count() == 1 ? declared : declared.tuple_shape(k);
    const int64_t large = (grows ? result : operand).dimension(dimension);
    const int64_t small = (grows ? operand : result).dimension(dimension);
    ASSAY_REQUIRE(op, "group_c7",
                  small < 0 || large < 0 || ProductOfCounts(small, members) == large, "dimension ",
                  dimension, " must change by the size of a group, ", members, ", found ",
                  operand.ToString(), " to ", result.ToString());
  }
  return absl::OkStatus();
}

absl::Status CheckSplit(const Instruction& op, int64_t members) {
  if (const std::optional<int64_t> dimension = op.FindInt(Attr::kDimension)) {
    const int64_t size = op.operand(0)->shape().dimension(*dimension);
    ASSAY_REQUIRE(op, "group_c8", size < 0 || (members > 0 && size % members == 0), "dimension ",
                  *dimension, " must divide by the size of a group, ", members, ", found ",
                  op.operand(0)->shape().ToString());
    return absl::OkStatus();
  }
  ASSAY_REQUIRE(op, "group_c8", op.operand_count() == members,
                "there must be an operand per member of a group, ", members, ", found ",
                op.operand_count());
  return absl::OkStatus();
}

// [members], [members, updates], or flat [members * updates].
absl::Status CheckOffsets(const Instruction& op, int64_t members) {
  const Shape& offsets = op.operand(2)->shape();
  const int64_t rows = offsets.dimension(0);
  ASSAY_REQUIRE(op, "group_c10",
                offsets.rank() == 1 ? members > 0 && rows % members == 0 : rows == members,
                "offsets and sizes must have a row per member of a group, ", members, ", found ",
                offsets.ToString());
  return absl::OkStatus();
}

// "{{0,1},{1,2}}", blanks between anything. None where it is written otherwise.
std::optional<IdPairs> ReadPairs(absl::string_view text) {
  const std::string dense =
      absl::StrReplaceAll(text, {{" ", ""}, {"\t", ""}, {"\n", ""}, {"\r", ""}});
  absl::string_view rest = dense;
  if (!absl::ConsumePrefix(&rest, "{") || !absl::ConsumeSuffix(&rest, "}")) return std::nullopt;
  IdPairs pairs;
  if (rest.empty()) return pairs;
  if (!absl::ConsumePrefix(&rest, "{") || !absl::ConsumeSuffix(&rest, "}")) return std::nullopt;
  for (absl::string_view pair : absl::StrSplit(rest, "},{")) {
    std::vector<int64_t>& ids = pairs.emplace_back();
    for (absl::string_view id : absl::StrSplit(pair, ',')) {
      if (!absl::SimpleAtoi(id, &ids.emplace_back())) return std::nullopt;
    }
    if (ids.size() != 2) return std::nullopt;
  }
  return pairs;
}

}  // namespace

bool UsesGlobalDeviceIds(const Instruction& op) {
  return op.info().FindAttribute(Attr::kUseGlobalDeviceIds) != nullptr &&
         op.GetBool(Attr::kUseGlobalDeviceIds);
}

GroupMode GroupModeOf(const Instruction& op) {
  if (UsesGlobalDeviceIds(op)) return GroupMode::kFlattenedId;
  const std::optional<int64_t> channel = op.FindInt(Attr::kChannelId);
  if (!channel || *channel <= 0) return GroupMode::kCrossReplica;
  return op.info().FindAttribute(Attr::kUseGlobalDeviceIds) != nullptr
             ? GroupMode::kCrossReplicaAndPartition
             : GroupMode::kCrossPartition;
}

absl::string_view IdKind(GroupMode mode) {
  if (mode == GroupMode::kFlattenedId) return "flattened ids";
  return mode == GroupMode::kCrossPartition ? "partitions" : "replicas";
}

int64_t IdCount(GroupMode mode, int64_t replicas, int64_t partitions) {
  if (mode == GroupMode::kFlattenedId) return ProductOfCounts(replicas, partitions);
  return mode == GroupMode::kCrossPartition ? partitions : replicas;
}

int64_t ProcessesPerId(GroupMode mode, int64_t partitions) {
  return mode == GroupMode::kCrossReplicaAndPartition ? partitions : 1;
}

bool GroupsHaveOneSize(Opcode opcode) {
  return opcode != Opcode::kAllReduce && opcode != Opcode::kAllReduceStart &&
         opcode != Opcode::kCollectiveBroadcast;
}

absl::Status CheckGroupSize(const Instruction& op, int64_t members) {
  switch (op.opcode()) {
    case Opcode::kAllGather:
    case Opcode::kAllGatherStart:
    case Opcode::kReduceScatter:
      return CheckRatio(op, members);
    case Opcode::kAllToAll:
      return CheckSplit(op, members);
    case Opcode::kRaggedAllToAll:
      return CheckOffsets(op, members);
    default:
      return absl::OkStatus();
  }
}

absl::StatusOr<std::optional<IdPairs>> TransferIdPairs(const Instruction& op) {
  constexpr char kName[] = "_xla_send_recv_source_target_pairs";
  const FrontendAttributes& attributes = op.annotations().frontend_attributes;
  const auto written = attributes.find(kName);
  if (written == attributes.end()) return std::nullopt;
  std::optional<IdPairs> pairs = ReadPairs(written->second);
  ASSAY_REQUIRE(op, "pair_c2", pairs.has_value(), kName,
                " must be a list of pairs, {{source,target},...}, found ",
                absl::CHexEscape(written->second.substr(0, 80)));
  return pairs;
}

}  // namespace assay
