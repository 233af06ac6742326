// Assay's own declarations of XLA's typed interface for user functions (FFI), version 0.3. A
// handler takes one call frame and returns null or an error. Layouts are those of
// xla/ffi/api/c_api.h, which jaxlib ships and ffi_peer_test.py compiles a handler against.
#ifndef ASSAY_BACKENDS_PJRT_PLUGIN_FFI_ABI_H_
#define ASSAY_BACKENDS_PJRT_PLUGIN_FFI_ABI_H_

#include <cstddef>
#include <cstdint>

namespace assay::pjrt::ffi {

inline constexpr int kMajor = 0, kMinor = 3;

struct Extension {
  size_t struct_size;
  int32_t type;
  Extension* next;
};
inline constexpr int32_t kMetadataExtension = 1;

// The first fields of every struct.
struct Head {
  size_t struct_size;
  Extension* extension_start;
};

struct ApiVersion {
  Head head;
  int major_version, minor_version;
};

struct Error;
struct Context;
struct Future;

enum class Stage : int32_t { kInstantiate, kPrepare, kInitialize, kExecute };
inline constexpr int32_t kBuffer = 1;  // the only type of arguments and results
enum class AttributeType : int32_t { kArray = 1, kDictionary, kScalar, kString };

struct Text {
  const char* data;
  size_t size;
};
struct Array {  // the data are contiguous elements
  int32_t type;
  size_t size;
  void* data;
};
struct Scalar {
  int32_t type;
  void* value;
};
struct Buffer {
  Head head;
  int32_t type;  // ElementType
  void* data;
  int64_t rank;
  int64_t* dims;
};
struct Values {  // arguments, and results
  Head head;
  int64_t size;
  int32_t* types;
  void** values;
};
struct Attributes {
  Head head;
  int64_t size;
  AttributeType* types;
  Text** names;  // sorted
  void** values;
};

struct Api;
struct CallFrame {
  Head head;
  const Api* api;
  Context* context;
  Stage stage;
  Values arguments, results;
  Attributes attributes;
  Future* future;
};
// The size of a call frame without the future. Handlers compare it with the size that they were
// compiled for.
inline constexpr size_t kCallFrameSize = offsetof(CallFrame, future);
using Handler = Error*(CallFrame* frame);

// The metadata that a handler returns for an extension of the frame.
struct Metadata {
  size_t struct_size;
  ApiVersion version;
  uint32_t traits;
  int64_t state_type;
};
inline constexpr size_t kMetadataSize = offsetof(Metadata, traits) + sizeof(uint32_t);
struct MetadataExtension {
  Extension base;
  Metadata* metadata;
};

struct ErrorCreate {
  Head head;
  const char* message;
  int32_t code;
};
struct ErrorMessage {
  Head head;
  Error* error;
  const char* message;
};
struct ErrorDestroy {
  Head head;
  Error* error;
};
struct TypeInfo {
  Head head;
  void (*deleter)(void* object);
};
struct TypeRegister {
  Head head;
  Text name;
  int64_t* type_id;
  const TypeInfo* info;
};
struct ContextGet {
  Head head;
  Context* context;
  int64_t* type_id;
  void* data;
};
struct State {
  Head head;
  Context* context;
  Stage stage;
  int64_t* type_id;
  void* state;
};
struct MemoryAllocate {
  Head head;
  Context* context;
  size_t size, alignment;
  void* data;
};
struct MemoryFree {
  Head head;
  Context* context;
  size_t size;
  void* data;
};
struct Schedule {
  Head head;
  Context* context;
  void (*task)(void* data);
  void* data;
};
struct ThreadCount {
  Head head;
  Context* context;
  int64_t* count;
};
struct FutureArgs {
  Head head;
  Future* future;
  Error* error;  // used by SetError only
};
struct RunId {
  Head head;
  Context* context;
  int64_t run_id;
};
struct DeviceOrdinal {
  Head head;
  Context* context;
  int32_t ordinal;
};
struct Unsupported {
  Head head;
};

struct Api {
  Head head;
  ApiVersion version;
  const void* internal;
  Error* (*error_create)(ErrorCreate*);
  void (*error_message)(ErrorMessage*);
  void (*error_destroy)(ErrorDestroy*);
  Error* (*handler_register)(Unsupported*);
  Error* (*stream_get)(Unsupported*);
  Error* (*type_register)(TypeRegister*);
  Error* (*context_get)(ContextGet*);
  Error* (*state_set)(State*);
  Error* (*state_get)(State*);
  Error* (*memory_allocate)(MemoryAllocate*);
  Error* (*memory_free)(MemoryFree*);
  Error* (*schedule)(Schedule*);
  Error* (*thread_count)(ThreadCount*);
  Error* (*future_create)(FutureArgs*);
  Error* (*future_set_available)(FutureArgs*);
  Error* (*future_set_error)(FutureArgs*);
  Error* (*run_id)(RunId*);
  Error* (*device_ordinal)(DeviceOrdinal*);
};
static_assert(sizeof(Api) == 16 + 24 + 8 + 18 * 8);
static_assert(sizeof(CallFrame) == 16 + 8 + 8 + 8 + 40 + 40 + 48 + 8);

}  // namespace assay::pjrt::ffi

#endif  // ASSAY_BACKENDS_PJRT_PLUGIN_FFI_ABI_H_
