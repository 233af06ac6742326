#include "backends/pjrt/plugin/buffer.h"

#include <cstring>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "backends/pjrt/abi/types.h"
#include "backends/pjrt/plugin/error.h"
#include "backends/pjrt/plugin/host_layout.h"
#include "spec/element/narrow_bits.h"

namespace assay::pjrt {
namespace {

constexpr size_t kMostDimensions = 1024;
// A smaller array is copied as fast as its storage is shared.
constexpr int64_t kZeroCopyBytes = 64 << 10;
constexpr uintptr_t kZeroCopyAlignment = 16;

absl::Status Deleted() {
  return absl::InvalidArgumentError("the buffer has been deleted or donated");
}

// The value of a buffer that has not been deleted.
absl::StatusOr<std::shared_ptr<ArrayState>> StateOf(const PJRT_Buffer* buffer) {
  if (buffer == nullptr) return NoObject("buffer");
  std::shared_ptr<ArrayState> state = buffer->state();
  if (state == nullptr) return Deleted();
  return state;
}

// Raw bytes of a buffer are those of its value, which is row-major.
absl::Status CheckRowMajor(const PJRT_Buffer& buffer) {
  if (absl::MakeConstSpan(buffer.order) ==
      absl::MakeConstSpan(Layout::Default(buffer.shape.rank()).minor_to_major)) {
    return absl::OkStatus();
  }
  return absl::UnimplementedError(
      absl::StrCat("Assay's plug-in gives the bytes of arrays in row-major layout alone, not of ",
                   buffer.shape.ToString(true)));
}

}  // namespace

absl::StatusOr<Shape> HostShape(PJRT_Buffer_Type type, const int64_t* dims, size_t num_dims,
                                const PJRT_Buffer_MemoryLayout* layout) {
  const std::optional<ElementType> element = ElementTypeOf(type);
  if (!element || !IsArray(*element)) {
    return absl::UnimplementedError(absl::StrCat("there are no arrays of PJRT's type ", type));
  }
  if (num_dims > kMostDimensions) {
    return absl::InvalidArgumentError(absl::StrCat("an array of ", num_dims, " dimensions"));
  }
  Shape shape(*element, absl::MakeConstSpan(dims, dims == nullptr ? 0 : num_dims));
  if (const absl::StatusOr<int64_t> bytes = shape.ByteSize(); !bytes.ok()) return bytes.status();
  if (layout == nullptr) return shape;
  const absl::StatusOr<std::vector<int64_t>> strides = StridesOf(layout, shape);
  if (!strides.ok()) return strides.status();
  const PJRT_Buffer_MemoryLayout known = Known(layout);
  if (known.type == PJRT_MemoryLayout_Tiled) {
    Layout order;
    const PJRT_Buffer_MemoryLayout_Tiled& tiled = known.value.tiled;
    order.minor_to_major.assign(tiled.minor_to_major,
                                tiled.minor_to_major + tiled.minor_to_major_size);
    shape.set_layout(std::move(order));
  }
  return shape;
}

absl::StatusOr<MemorySpace*> MemoryOf(PJRT_Memory* memory, PJRT_Device* device) {
  if (memory != nullptr) return static_cast<MemorySpace*>(memory);
  if (device != nullptr) return device->default_memory();
  return absl::InvalidArgumentError("a buffer needs a device or a memory");
}

bool MayShare(const Shape& shape, const void* data) {
  return Info(shape.element_type()).bits >= 8 &&
         reinterpret_cast<uintptr_t>(data) % kZeroCopyAlignment == 0;
}

absl::Status BufferFromHost(PJRT_Client_BufferFromHostBuffer_Args& args) {
  absl::StatusOr<Shape> shape = HostShape(args.type, args.dims, args.num_dims);
  if (!shape.ok()) return shape.status();
  const absl::StatusOr<MemorySpace*> memory = MemoryOf(args.memory, args.device);
  if (!memory.ok()) return memory.status();
  const std::vector<int64_t> row_major = RowMajorByteStrides(*shape);
  std::vector<int64_t> strides = row_major;
  if (args.byte_strides != nullptr) {
    if (args.num_byte_strides != row_major.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat(args.num_byte_strides, " strides for ", shape->ToString()));
    }
    strides.assign(args.byte_strides, args.byte_strides + args.num_byte_strides);
  }
  const absl::StatusOr<int64_t> bytes = shape->ByteSize();
  if (!bytes.ok()) return bytes.status();
  if (args.data == nullptr && *bytes > 0) return NoObject("data");
  auto state = std::make_shared<ArrayState>();
  if (args.host_buffer_semantics == PJRT_HostBuffer_ImmutableZeroCopy && strides == row_major &&
      *bytes >= kZeroCopyBytes && MayShare(*shape, args.data)) {
    // Nobody writes into the storage of an array that has another owner, and the state is one.
    auto done = std::make_shared<EventState>();
    auto* data = static_cast<std::byte*>(const_cast<void*>(args.data));
    const std::shared_ptr<std::byte[]> storage(
        data, [done](std::byte* /*host's*/) { done->Set(absl::OkStatus()); });
    state->Set(Literal::FromBuffer(*shape, storage));
    args.done_with_host_buffer = NewEvent(std::move(done));
  } else {
    absl::StatusOr<Literal> copy = Literal::Create(*shape);
    if (!copy.ok()) return copy.status();
    std::byte* data = copy->mutable_data();
    CopyStrided(*shape, static_cast<const std::byte*>(args.data), strides, data, row_major);
    ClearUnusedBits(shape->element_type(), data, copy->element_count());
    state->Set(*std::move(copy));
    args.done_with_host_buffer = ReadyEvent();
  }
  args.buffer = new PJRT_Buffer(*memory, *std::move(shape), std::move(state));
  return absl::OkStatus();
}

absl::Status BufferDestroy(PJRT_Buffer_Destroy_Args& args) {
  delete args.buffer;
  return absl::OkStatus();
}

absl::Status BufferElementType(PJRT_Buffer_ElementType_Args& args) {
  if (args.buffer == nullptr) return NoObject("buffer");
  args.type = BufferTypeOf(args.buffer->shape.element_type());
  return absl::OkStatus();
}

absl::Status BufferDimensions(PJRT_Buffer_Dimensions_Args& args) {
  if (args.buffer == nullptr) return NoObject("buffer");
  args.dims = args.buffer->shape.dimensions().data();
  args.num_dims = args.buffer->shape.dimensions().size();
  return absl::OkStatus();
}

absl::Status BufferUnpaddedDimensions(PJRT_Buffer_UnpaddedDimensions_Args& args) {
  if (args.buffer == nullptr) return NoObject("buffer");
  args.unpadded_dims = args.buffer->shape.dimensions().data();
  args.num_dims = args.buffer->shape.dimensions().size();
  return absl::OkStatus();
}

absl::Status BufferDynamicDimensions(PJRT_Buffer_DynamicDimensionIndices_Args& args) {
  args.dynamic_dim_indices = nullptr;
  args.num_dynamic_dims = 0;
  return absl::OkStatus();
}

absl::Status BufferMemoryLayout(PJRT_Buffer_GetMemoryLayout_Args& args) {
  if (args.buffer == nullptr) return NoObject("buffer");
  PJRT_Buffer_MemoryLayout layout = {};
  layout.struct_size = kStructSize<PJRT_Buffer_MemoryLayout>;
  layout.type = PJRT_MemoryLayout_Tiled;
  layout.value.tiled.struct_size = kStructSize<PJRT_Buffer_MemoryLayout_Tiled>;
  layout.value.tiled.minor_to_major = args.buffer->order.data();
  layout.value.tiled.minor_to_major_size = args.buffer->order.size();
  args.layout = layout;
  return absl::OkStatus();
}

absl::Status BufferSize(PJRT_Buffer_OnDeviceSizeInBytes_Args& args) {
  if (args.buffer == nullptr) return NoObject("buffer");
  const absl::StatusOr<int64_t> bytes = args.buffer->shape.ByteSize();
  args.on_device_size_in_bytes = static_cast<size_t>(bytes.value_or(0));
  return absl::OkStatus();
}

absl::Status BufferDevice(PJRT_Buffer_Device_Args& args) {
  if (args.buffer == nullptr) return NoObject("buffer");
  args.device = args.buffer->device();
  return absl::OkStatus();
}

absl::Status BufferMemory(PJRT_Buffer_Memory_Args& args) {
  if (args.buffer == nullptr) return NoObject("buffer");
  args.memory = args.buffer->memory;
  return absl::OkStatus();
}

absl::Status BufferDelete(PJRT_Buffer_Delete_Args& args) {
  if (args.buffer == nullptr) return NoObject("buffer");
  args.buffer->Delete();
  return absl::OkStatus();
}

absl::Status BufferIsDeleted(PJRT_Buffer_IsDeleted_Args& args) {
  if (args.buffer == nullptr) return NoObject("buffer");
  args.is_deleted = args.buffer->state() == nullptr;
  return absl::OkStatus();
}

absl::Status BufferCopyToDevice(PJRT_Buffer_CopyToDevice_Args& args) {
  absl::StatusOr<std::shared_ptr<ArrayState>> state = StateOf(args.buffer);
  if (!state.ok()) return state.status();
  if (args.dst_device == nullptr) return NoObject("device");
  args.dst_buffer =
      new PJRT_Buffer(args.dst_device->default_memory(), args.buffer->shape, *std::move(state));
  return absl::OkStatus();
}

absl::Status BufferCopyToMemory(PJRT_Buffer_CopyToMemory_Args& args) {
  absl::StatusOr<std::shared_ptr<ArrayState>> state = StateOf(args.buffer);
  if (!state.ok()) return state.status();
  if (args.dst_memory == nullptr) return NoObject("memory");
  args.dst_buffer = new PJRT_Buffer(static_cast<MemorySpace*>(args.dst_memory), args.buffer->shape,
                                    *std::move(state));
  return absl::OkStatus();
}

absl::Status BufferToHost(PJRT_Buffer_ToHostBuffer_Args& args) {
  absl::StatusOr<std::shared_ptr<ArrayState>> state = StateOf(args.src);
  if (!state.ok()) return state.status();
  const Shape& shape = args.src->shape;
  if (!shape.is_array()) return absl::InvalidArgumentError("a token has no value");
  absl::StatusOr<std::vector<int64_t>> strides = StridesOf(args.host_layout, shape);
  if (!strides.ok()) return strides.status();
  const absl::StatusOr<int64_t> bytes = shape.ByteSize();
  if (!bytes.ok()) return bytes.status();
  if (args.dst == nullptr) {
    args.dst_size = static_cast<size_t>(*bytes);
    return absl::OkStatus();
  }
  if (args.dst_size < static_cast<size_t>(*bytes)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the host buffer has ", args.dst_size, " bytes; ", shape.ToString(), " needs ", *bytes));
  }
  auto done = std::make_shared<EventState>();
  args.event = NewEvent(done);
  (*state)->ready->OnReady([state = *state, shape, strides = *std::move(strides), done,
                            to = static_cast<std::byte*>(args.dst)](const absl::Status& status) {
    if (status.ok()) {
      CopyStrided(shape, state->value.data(), RowMajorByteStrides(shape), to, strides);
    }
    done->Set(status);
  });
  return absl::OkStatus();
}

absl::Status BufferCopyRawToHost(PJRT_Buffer_CopyRawToHost_Args& args) {
  absl::StatusOr<std::shared_ptr<ArrayState>> state = StateOf(args.buffer);
  if (!state.ok()) return state.status();
  if (absl::Status status = CheckRowMajor(*args.buffer); !status.ok()) return status;
  const absl::StatusOr<int64_t> bytes = args.buffer->shape.ByteSize();
  if (!bytes.ok()) return bytes.status();
  if (args.offset < 0 || args.transfer_size < 0 || args.offset > *bytes ||
      args.transfer_size > *bytes - args.offset) {
    return absl::InvalidArgumentError(absl::StrCat(args.transfer_size, " bytes from ", args.offset,
                                                   " on of an array of ", *bytes, " bytes"));
  }
  auto done = std::make_shared<EventState>();
  args.event = NewEvent(done);
  (*state)->ready->OnReady(
      [state = *state, done, to = args.dst, offset = args.offset,
       size = static_cast<size_t>(args.transfer_size)](const absl::Status& status) {
        if (status.ok() && size > 0) std::memcpy(to, state->value.data() + offset, size);
        done->Set(status);
      });
  return absl::OkStatus();
}

// The host copies: results are not aligned as it would like them.
absl::Status BufferIsOnCpu(PJRT_Buffer_IsOnCpu_Args& args) {
  args.is_on_cpu = false;
  return absl::OkStatus();
}

absl::Status BufferReadyEvent(PJRT_Buffer_ReadyEvent_Args& args) {
  absl::StatusOr<std::shared_ptr<ArrayState>> state = StateOf(args.buffer);
  if (!state.ok()) return state.status();
  args.event = NewEvent((*state)->ready);
  return absl::OkStatus();
}

namespace {

// Where the value lies, once it is there.
absl::StatusOr<const std::byte*> DataOf(const PJRT_Buffer* buffer) {
  absl::StatusOr<std::shared_ptr<ArrayState>> state = StateOf(buffer);
  if (!state.ok()) return state.status();
  if (absl::Status status = CheckRowMajor(*buffer); !status.ok()) return status;
  if (absl::Status status = (*state)->ready->Await(); !status.ok()) return status;
  return (*state)->value.data();
}

}  // namespace

absl::Status BufferUnsafePointer(PJRT_Buffer_UnsafePointer_Args& args) {
  const absl::StatusOr<const std::byte*> data = DataOf(args.buffer);
  if (!data.ok()) return data.status();
  args.buffer_pointer = reinterpret_cast<uintptr_t>(*data);
  return absl::OkStatus();
}

absl::Status BufferAddReference(PJRT_Buffer_IncreaseExternalReferenceCount_Args& args) {
  absl::StatusOr<std::shared_ptr<ArrayState>> state = StateOf(args.buffer);
  if (!state.ok()) return state.status();
  const std::lock_guard lock(args.buffer->references_mutex);
  if (args.buffer->references++ == 0) args.buffer->referenced = *std::move(state);
  return absl::OkStatus();
}

absl::Status BufferDropReference(PJRT_Buffer_DecreaseExternalReferenceCount_Args& args) {
  if (args.buffer == nullptr) return NoObject("buffer");
  const std::lock_guard lock(args.buffer->references_mutex);
  if (args.buffer->references == 0) {
    return absl::FailedPreconditionError("the buffer has no external references");
  }
  if (--args.buffer->references == 0) args.buffer->referenced = nullptr;
  return absl::OkStatus();
}

absl::Status BufferDataPointer(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args& args) {
  const absl::StatusOr<const std::byte*> data = DataOf(args.buffer);
  if (!data.ok()) return data.status();
  args.device_memory_ptr = const_cast<std::byte*>(*data);
  return absl::OkStatus();
}

}  // namespace assay::pjrt
