#include "backends/pjrt/plugin/made_buffers.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backends/pjrt/plugin/error.h"
#include "spec/element/narrow_bits.h"

namespace assay::pjrt {

struct PJRT_FulfillAliasBuffer {
  Shape shape;
  std::shared_ptr<ArrayState> state;
};

namespace {

// What a buffer is made of beside its value.
struct Place {
  Shape shape;
  MemorySpace* memory;
};
template <typename Args>
absl::StatusOr<Place> PlaceOf(const Args& args, PJRT_Device* device) {
  absl::StatusOr<Shape> shape =
      HostShape(args.shape_element_type, args.shape_dims, args.shape_num_dims, args.shape_layout);
  if (!shape.ok()) return shape.status();
  const absl::StatusOr<MemorySpace*> memory = MemoryOf(args.memory, device);
  if (!memory.ok()) return memory.status();
  return Place{*std::move(shape), *memory};
}

absl::Status StatusOf(PJRT_Error_Code code, const char* message, size_t size) {
  return absl::Status(
      static_cast<absl::StatusCode>(code),
      std::string(message == nullptr ? "" : message, message == nullptr ? 0 : size));
}

}  // namespace

absl::Status BufferView(PJRT_Client_CreateViewOfDeviceBuffer_Args& args) {
  absl::StatusOr<Shape> shape = HostShape(args.element_type, args.dims, args.num_dims);
  if (!shape.ok()) return shape.status();
  const absl::StatusOr<MemorySpace*> memory = MemoryOf(args.memory, args.device);
  if (!memory.ok()) return memory.status();
  const absl::StatusOr<std::vector<int64_t>> strides = StridesOf(args.layout, *shape);
  if (!strides.ok()) return strides.status();
  const absl::StatusOr<int64_t> bytes = shape->ByteSize();
  if (!bytes.ok()) return bytes.status();
  if (args.device_buffer_ptr == nullptr && *bytes > 0) return NoObject("data");
  const auto done = [callback = args.on_delete_callback, data = args.device_buffer_ptr,
                     user = args.on_delete_callback_arg] {
    if (callback != nullptr) callback(data, user);
  };
  auto* data = static_cast<std::byte*>(args.device_buffer_ptr);
  const std::vector<int64_t> row_major = RowMajorByteStrides(*shape);
  auto state = std::make_shared<ArrayState>();
  if (*strides == row_major && *bytes > 0 && MayShare(*shape, data)) {
    // Nobody writes into the storage of an array that has another owner, and the state is one.
    state->Set(Literal::FromBuffer(
        *shape, std::shared_ptr<std::byte[]>(data, [done](std::byte* /*host's*/) { done(); })));
  } else {
    absl::StatusOr<Literal> copy = Literal::Create(*shape);
    if (!copy.ok()) return copy.status();
    CopyStrided(*shape, data, *strides, copy->mutable_data(), row_major);
    ClearUnusedBits(shape->element_type(), copy->mutable_data(), copy->element_count());
    state->Set(*std::move(copy));
    done();
  }
  args.buffer = new PJRT_Buffer(*memory, *std::move(shape), std::move(state));
  return absl::OkStatus();
}

absl::Status BufferUninitialized(PJRT_Client_CreateUninitializedBuffer_Args& args) {
  absl::StatusOr<Place> place = PlaceOf(args, args.device);
  if (!place.ok()) return place.status();
  absl::StatusOr<Literal> zeros =
      Literal::Create(Shape(place->shape.element_type(), place->shape.dimensions()));
  if (!zeros.ok()) return zeros.status();
  auto state = std::make_shared<ArrayState>();
  state->Set(*std::move(zeros));
  args.buffer = new PJRT_Buffer(place->memory, std::move(place->shape), std::move(state));
  return absl::OkStatus();
}

absl::Status BufferOfError(PJRT_Client_CreateErrorBuffer_Args& args) {
  if (args.error_code == PJRT_OK) {
    return absl::InvalidArgumentError("the error of a buffer has the code OK");
  }
  absl::StatusOr<Place> place = PlaceOf(args, nullptr);
  if (!place.ok()) return place.status();
  auto state = std::make_shared<ArrayState>();
  state->ready->Set(StatusOf(args.error_code, args.error_message, args.error_message_size));
  args.buffer = new PJRT_Buffer(place->memory, std::move(place->shape), std::move(state));
  return absl::OkStatus();
}

absl::Status BufferPromise(PJRT_Client_CreateAliasBuffer_Args& args) {
  absl::StatusOr<Place> place = PlaceOf(args, nullptr);
  if (!place.ok()) return place.status();
  auto state = std::make_shared<ArrayState>();
  args.fulfill_alias_buffer_cb = new PJRT_FulfillAliasBuffer{place->shape, state};
  args.alias_buffer = new PJRT_Buffer(place->memory, std::move(place->shape), std::move(state));
  return absl::OkStatus();
}

absl::Status BufferFulfill(PJRT_Client_FulfillAliasBuffer_Args& args) {
  if (args.fulfill_alias_buffer_cb == nullptr) return NoObject("promise of a buffer");
  const std::unique_ptr<PJRT_FulfillAliasBuffer> promise(args.fulfill_alias_buffer_cb);
  const std::shared_ptr<ArrayState> to = promise->state;
  absl::Status status = StatusOf(args.status_code, args.error_message, args.error_message_size);
  std::shared_ptr<ArrayState> from;
  if (status.ok() && args.buffer == nullptr) status = NoObject("buffer");
  if (status.ok()) from = args.buffer->state();
  if (status.ok() && from == nullptr) {
    status = absl::InvalidArgumentError("the buffer has been deleted or donated");
  }
  if (status.ok() && (args.buffer->shape.element_type() != promise->shape.element_type() ||
                      args.buffer->shape.dimensions() != promise->shape.dimensions())) {
    status =
        absl::InvalidArgumentError(absl::StrCat("a buffer of ", args.buffer->shape.ToString(),
                                                " was promised as ", promise->shape.ToString()));
  }
  if (!status.ok()) {
    to->ready->Set(status);
    return args.status_code == PJRT_OK ? status : absl::OkStatus();
  }
  from->ready->OnReady([from, to](const absl::Status& made) {
    if (made.ok()) {
      to->Set(from->value);
    } else {
      to->ready->Set(made);
    }
  });
  return absl::OkStatus();
}

}  // namespace assay::pjrt
