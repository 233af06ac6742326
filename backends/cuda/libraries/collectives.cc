#include "backends/cuda/libraries/collectives.h"

#include <optional>

#include "backends/cuda/kernels/lowering.h"
#include "spec/analysis/reducer.h"

namespace assay::cuda::libraries {
namespace {

std::optional<int> NcclTypeOf(ElementType type) {
  switch (type) {
    case ElementType::kS8:
      return kNcclS8;
    case ElementType::kU8:
      return kNcclU8;
    case ElementType::kS32:
      return kNcclS32;
    case ElementType::kU32:
      return kNcclU32;
    case ElementType::kS64:
      return kNcclS64;
    case ElementType::kU64:
      return kNcclU64;
    case ElementType::kF16:
      return kNcclF16;
    case ElementType::kBF16:
      return kNcclBf16;
    case ElementType::kF32:
      return kNcclF32;
    case ElementType::kF64:
      return kNcclF64;
    default:
      return std::nullopt;
  }
}

std::optional<int> OperationOf(const Instruction& collective, ElementType type) {
  switch (analysis::RecogniseReducer(*collective.to_apply()).kind) {
    case analysis::ReducerKind::kAdd:
      return kNcclSum;
    case analysis::ReducerKind::kMultiply:
      return kNcclProduct;
    case analysis::ReducerKind::kMaximum:
      return IsInteger(type) ? std::optional<int>(kNcclMaximum) : std::nullopt;
    case analysis::ReducerKind::kMinimum:
      return IsInteger(type) ? std::optional<int>(kNcclMinimum) : std::nullopt;
    default:
      return std::nullopt;
  }
}

// Returns true if the elements of a part along the dimension lie side by side.
bool IsOutermost(const Shape& shape, int64_t dimension) {
  for (int64_t d = 0; d < dimension; ++d) {
    if (shape.dimension(d) != 1) return false;
  }
  return true;
}

// The call of one member for operand k.
class Calls {
 public:
  Calls(Libraries& libraries, const Instruction& collective, int64_t members)
      : libraries_(libraries), collective_(collective), members_(members) {}

  absl::Status Add(const Member& member, void* communicator, StreamHandle* stream,
                   int64_t k) const {
    const Shape& shape = collective_.operand(k)->shape();
    const int type = *NcclTypeOf(shape.element_type());
    const auto count = static_cast<size_t>(shape.element_count());
    Device& device = *member.device;
    switch (collective_.opcode()) {
      case Opcode::kAllReduce:
      case Opcode::kAllReduceStart:
        return ASSAY_LIBRARY_CALL(libraries_, Library::kNccl, device, ncclAllReduce,
                                  member.operands[k], member.results[k], count, type,
                                  *OperationOf(collective_, shape.element_type()), communicator,
                                  stream);
      case Opcode::kReduceScatter:
        return ASSAY_LIBRARY_CALL(libraries_, Library::kNccl, device, ncclReduceScatter,
                                  member.operands[k], member.results[k], count / members_, type,
                                  *OperationOf(collective_, shape.element_type()), communicator,
                                  stream);
      case Opcode::kAllGather:
      case Opcode::kAllGatherStart:
        return ASSAY_LIBRARY_CALL(libraries_, Library::kNccl, device, ncclAllGather,
                                  member.operands[k], member.results[k], count, type, communicator,
                                  stream);
      default:
        return Exchange(member, communicator, stream, type, count);
    }
  }

 private:
  // all-to-all: part p of the operand, or operand p, goes to member p.
  absl::Status Exchange(const Member& member, void* communicator, StreamHandle* stream, int type,
                        size_t count) const {
    const bool tuple = !collective_.FindInt(Attr::kDimension).has_value();
    const size_t part = tuple ? count : count / members_;
    const int64_t bytes =
        static_cast<int64_t>(part) * cuda::BytesOf(collective_.operand(0)->shape());
    absl::Status status;
    for (int64_t peer = 0; peer < members_ && status.ok(); ++peer) {
      const std::byte* const in = tuple ? member.operands[peer] : member.operands[0] + peer * bytes;
      std::byte* const out = tuple ? member.results[peer] : member.results[0] + peer * bytes;
      const int rank = static_cast<int>(peer);
      status = ASSAY_LIBRARY_CALL(libraries_, Library::kNccl, *member.device, ncclSend, in, part,
                                  type, rank, communicator, stream);
      if (!status.ok()) return status;
      status = ASSAY_LIBRARY_CALL(libraries_, Library::kNccl, *member.device, ncclRecv, out, part,
                                  type, rank, communicator, stream);
    }
    return status;
  }

  Libraries& libraries_;
  const Instruction& collective_;
  const int64_t members_;
};

}  // namespace

bool TakesCollective(const Instruction& collective, int64_t members) {
  if (members < 2) return false;
  for (const Instruction* operand : collective.operands()) {
    const Shape& shape = operand->shape();
    if (!shape.is_array() || shape.is_dynamic() || shape.element_count() == 0) return false;
    if (!NcclTypeOf(shape.element_type()).has_value()) return false;
    switch (collective.opcode()) {
      case Opcode::kAllReduce:
      case Opcode::kAllReduceStart:
        if (!OperationOf(collective, shape.element_type()).has_value()) return false;
        break;
      case Opcode::kReduceScatter:
        if (!OperationOf(collective, shape.element_type()).has_value() ||
            !IsOutermost(shape, collective.GetInt(Attr::kDimension))) {
          return false;
        }
        break;
      case Opcode::kAllGather:
      case Opcode::kAllGatherStart:
        if (!IsOutermost(shape, collective.GetInt(Attr::kDimension))) return false;
        break;
      case Opcode::kAllToAll: {
        const std::optional<int64_t> dimension = collective.FindInt(Attr::kDimension);
        if (dimension.has_value() && !IsOutermost(shape, *dimension)) return false;
        break;
      }
      default:
        return false;
    }
  }
  return collective.operand_count() > 0;
}

absl::Status EnqueueCollective(Libraries& libraries, const Instruction& collective,
                               absl::Span<const Member> members) {
  std::vector<Device*> devices;
  for (const Member& member : members) devices.push_back(member.device);
  absl::StatusOr<std::vector<void*>> communicators = libraries.Communicators(devices);
  if (!communicators.ok()) return communicators.status();
  std::vector<StreamHandle*> streams;
  for (Device* const device : devices) {
    absl::StatusOr<StreamHandle*> stream =
        device->StreamForLibrary(static_cast<int>(Library::kNccl));
    if (!stream.ok()) return stream.status();
    streams.push_back(*stream);
  }
  Device& first = *devices[0];
  const Calls calls(libraries, collective, static_cast<int64_t>(members.size()));
  absl::Status status = ASSAY_LIBRARY_CALL(libraries, Library::kNccl, first, ncclGroupStart);
  if (!status.ok()) return status;
  // all-to-all exchanges all of its operands in one call.
  const int64_t count = collective.opcode() == Opcode::kAllToAll ? 1 : collective.operand_count();
  for (size_t rank = 0; rank < members.size(); ++rank) {
    for (int64_t k = 0; k < count && status.ok(); ++k) {
      status = calls.Add(members[rank], (*communicators)[rank], streams[rank], k);
    }
  }
  // A group that has been started is always ended.
  const absl::Status ended = ASSAY_LIBRARY_CALL(libraries, Library::kNccl, first, ncclGroupEnd);
  return status.ok() ? ended : status;
}

}  // namespace assay::cuda::libraries
