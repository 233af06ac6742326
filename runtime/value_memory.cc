#include "runtime/value_memory.h"

#include <utility>
#include <vector>

#include "runtime/replay.h"

namespace assay::runtime {
namespace {

// Appends the leaves in pre-order; those of other memories become copies that are yet to be made.
void CollectCopies(const Literal& value, std::vector<Literal>* leaves,
                   std::vector<std::pair<ValueMemory*, ValueMemory::HostCopy>>* copies) {
  for (const Literal& leaf : Flatten(value)) {
    const ValueStorage* const storage = leaf.is_array() ? StorageOf(leaf.buffer()) : nullptr;
    if (storage == nullptr) {
      leaves->push_back(leaf);
      continue;
    }
    Literal copy = Literal::Zeros(leaf.shape());
    for (int64_t d = 0; leaf.shape().is_dynamic() && d < leaf.shape().rank(); ++d) {
      copy.set_dynamic_size(d, leaf.dynamic_size(d));
    }
    if (leaf.byte_size() > 0) {
      copies->push_back({storage->memory, {leaf.data(), copy.mutable_data(), leaf.byte_size()}});
    }
    leaves->push_back(std::move(copy));
  }
}

}  // namespace

const ValueStorage* StorageOf(const BufferPtr& buffer) {
  return std::get_deleter<ValueStorage>(buffer);
}

absl::StatusOr<BufferPtr> AllocateValue(ValueMemory& memory,
                                        const std::shared_ptr<MemoryAccount>& account,
                                        const Shape& shape) {
  absl::StatusOr<int64_t> bytes = shape.ByteSize();
  if (!bytes.ok()) return bytes.status();
  if (absl::Status status = account->Reserve(*bytes, shape); !status.ok()) return status;
  absl::StatusOr<BufferPtr> block = memory.Allocate(*bytes);
  if (!block.ok()) {
    account->Release(*bytes);
    return block.status();
  }
  std::byte* const data = block->get();
  return BufferPtr(data, ValueStorage{*std::move(block), &memory, account, *bytes});
}

absl::StatusOr<BufferPtr> Bring(const Literal& value, ValueMemory& memory,
                                const std::shared_ptr<MemoryAccount>& account) {
  const ValueStorage* const storage = StorageOf(value.buffer());
  if (storage != nullptr && storage->memory == &memory) return value.buffer();
  absl::StatusOr<BufferPtr> brought = AllocateValue(memory, account, value.shape());
  if (!brought.ok() || value.byte_size() == 0) return brought;
  const absl::Status status =
      storage == nullptr
          ? memory.CopyIn(brought->get(), value.buffer(), value.byte_size())
          : memory.CopyFrom(*storage->memory, brought->get(), value.data(), value.byte_size());
  if (!status.ok()) return status;
  return brought;
}

absl::StatusOr<Literal> ToHost(const Literal& value) {
  std::vector<Literal> leaves;
  std::vector<std::pair<ValueMemory*, ValueMemory::HostCopy>> copies;
  CollectCopies(value, &leaves, &copies);
  // Leaves of one process lie in one memory, which is asked once.
  for (size_t first = 0; first < copies.size();) {
    std::vector<ValueMemory::HostCopy> together;
    size_t end = first;
    for (; end < copies.size() && copies[end].first == copies[first].first; ++end) {
      together.push_back(copies[end].second);
    }
    if (absl::Status status = copies[first].first->CopyOut(together); !status.ok()) return status;
    first = end;
  }
  return Unflatten(value.shape(), leaves);
}

std::unique_ptr<Replayer> DeviceEngine::NewReplayer(int64_t /*devices*/) const { return nullptr; }

absl::Status CopyBoxAnywhere(const Literal& from, absl::Span<const int64_t> box,
                             absl::Span<const int64_t> at, Literal* to) {
  const ValueStorage* const storage = StorageOf(to->buffer());
  if (storage == nullptr) {
    CopyBox(from, box, at, to);
    return absl::OkStatus();
  }
  return storage->memory->CopyBoxWithin(from, box, at, to->shape(), to->mutable_data());
}

}  // namespace assay::runtime
