#include "runtime/process.h"

#include <cstring>

#include "runtime/world.h"

namespace assay::runtime {

absl::StatusOr<Literal> Process::NewArray(const Shape& shape) const {
  if (!shape.is_array()) return Literal::Token();
  if (absl::Status status = CheckElements(world_.options().budget, shape); !status.ok()) {
    return status;
  }
  ValueMemory* const values = world_.ValuesOf(*this);
  absl::StatusOr<BufferPtr> buffer = values == nullptr ? MemoryAccount::Allocate(memory_, shape)
                                                       : AllocateValue(*values, memory_, shape);
  if (!buffer.ok()) return buffer.status();
  return Literal::FromBuffer(shape, *std::move(buffer));
}

absl::StatusOr<Literal> Process::ZeroArray(const Shape& shape) const {
  absl::StatusOr<Literal> array = NewArray(shape);
  if (!array.ok() || array->byte_size() == 0) return array;
  if (ValueMemory* const values = world_.ValuesOf(*this); values != nullptr) {
    absl::Status status = values->FillZero(array->mutable_data(), array->byte_size());
    if (!status.ok()) return status;
  } else {
    std::memset(array->mutable_data(), 0, array->byte_size());
  }
  return array;
}

}  // namespace assay::runtime
