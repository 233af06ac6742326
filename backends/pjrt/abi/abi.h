// Assay's own declarations of PJRT's C interface, version 0.114, between a plug-in and its host. A
// plug-in exports GetPjrtApi, which returns the table of functions below. Every function takes one
// pointer to a struct of arguments and returns null or an error, which the caller destroys.
//
// struct_size is the end of the last field that the caller knows, not sizeof. The interface grows
// only at the end of structs and of the table, so a field may be touched only if struct_size
// reaches its end, and a function may be called only if the table does. Layouts are held by
// layout.cc and by tools/peers/pjrt_layout_peer_test.py.
#ifndef ASSAY_BACKENDS_PJRT_ABI_ABI_H_
#define ASSAY_BACKENDS_PJRT_ABI_ABI_H_

#include <cstddef>
#include <cstdint>

namespace assay::pjrt {

inline constexpr int32_t kApiMajor = 0;
inline constexpr int32_t kApiMinor = 114;

// Opaque types of the plug-in's implementation.
struct PJRT_Client;
struct PJRT_Device;
struct PJRT_DeviceDescription;
struct PJRT_TopologyDescription;
struct PJRT_Executable;
struct PJRT_LoadedExecutable;
struct PJRT_Buffer;
struct PJRT_Event;
struct PJRT_ExecuteContext;
struct PJRT_SerializedExecutable;
struct PJRT_SerializedCompileOptions;
struct PJRT_SerializedTopology;
struct PJRT_DeviceAssignmentSerialized;
struct PJRT_DeviceAttributes;
struct PJRT_FulfillAliasBuffer;

enum PJRT_Error_Code : int32_t {  // those of absl::StatusCode
  PJRT_OK = 0,
  PJRT_CANCELLED = 1,
  PJRT_UNKNOWN = 2,
  PJRT_INVALID_ARGUMENT = 3,
  PJRT_DEADLINE_EXCEEDED = 4,
  PJRT_NOT_FOUND = 5,
  PJRT_RESOURCE_EXHAUSTED = 8,
  PJRT_FAILED_PRECONDITION = 9,
  PJRT_OUT_OF_RANGE = 11,
  PJRT_UNIMPLEMENTED = 12,
  PJRT_INTERNAL = 13,
};

enum PJRT_NamedValue_Type : int32_t {
  PJRT_NamedValue_String = 0,
  PJRT_NamedValue_Int64 = 1,
  PJRT_NamedValue_Int64List = 2,
  PJRT_NamedValue_Float = 3,
  PJRT_NamedValue_Bool = 4,
};

// types.h has the element types.
enum PJRT_Buffer_Type : int32_t { PJRT_Buffer_INVALID = 0 };

enum PJRT_HostBufferSemantics : int32_t {
  PJRT_HostBuffer_OnlyDuringCall = 0,
  PJRT_HostBuffer_UntilTransferCompletes = 1,
  PJRT_HostBuffer_ImmutableZeroCopy = 2,
  PJRT_HostBuffer_MutableZeroCopy = 3,
};

enum PJRT_Buffer_MemoryLayout_Type : int32_t {
  PJRT_MemoryLayout_Tiled = 0,
  PJRT_MemoryLayout_Strides = 1,
};

// The table and structs of arguments have a linked list of extensions.
enum PJRT_Extension_Type : int32_t {
  PJRT_Extension_FFI = 5,
  PJRT_Extension_Shardings = 19,
};
struct PJRT_Extension_Base {
  size_t struct_size;
  PJRT_Extension_Type type;
  PJRT_Extension_Base* next;
};

// A struct that begins with a table of functions.
struct PJRT_Error;
using PJRT_Error_PayloadVisitor = void(const char* key, size_t key_size, const char* value,
                                       size_t value_size, void* user_arg);
struct PJRT_Error_FunctionTable {
  size_t struct_size;
  size_t instance_size;
  PJRT_Extension_Base* extension_start;
  void (*destroy)(PJRT_Error* error);
  void (*message)(const PJRT_Error* error, const char** message, size_t* message_size);
  PJRT_Error_Code (*get_code)(const PJRT_Error* error);
  void (*for_each_payload)(const PJRT_Error* error, PJRT_Error_PayloadVisitor* visitor,
                           void* user_arg);
};
struct PJRT_Error {
  const PJRT_Error_FunctionTable* vtable;
};

struct PJRT_Memory;
using PJRT_UserDataDeleter = void(void* data);
struct PJRT_Memory_FunctionTable {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  size_t instance_struct_size;
  void* (*get_user_data)(PJRT_Memory* memory, const void* key);
  // The memory owns the data and calls the deleter when it is destroyed or the data are replaced.
  void (*set_user_data)(PJRT_Memory* memory, const void* key, void* data,
                        PJRT_UserDataDeleter* deleter);
};
struct PJRT_Memory {
  const PJRT_Memory_FunctionTable* vtable;
};

template <typename T>
using PJRT_Deleter = void(T* owner);
// The callback owns the error; null if the event is ready without an error.
using PJRT_Event_OnReadyCallback = void(PJRT_Error* error, void* user_arg);
using PJRT_OnDelete = void(void* device_buffer_ptr, void* user_arg);

union PJRT_NamedValue_Union {
  const char* string_value;
  int64_t int64_value;
  const int64_t* int64_array_value;
  float float_value;
  bool bool_value;
};
struct PJRT_NamedValue {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const char* name;
  size_t name_size;
  PJRT_NamedValue_Type type;
  PJRT_NamedValue_Union value;
  size_t value_size;  // the bytes of a string, the elements of a list, otherwise 1
};

struct PJRT_Buffer_MemoryLayout_Tiled {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const int64_t* minor_to_major;
  size_t minor_to_major_size;
  const int64_t* tile_dims;
  const size_t* tile_dim_sizes;
  size_t num_tiles;
};
struct PJRT_Buffer_MemoryLayout_Strides {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const int64_t* byte_strides;
  size_t num_byte_strides;
};
union PJRT_Buffer_MemoryLayout_Union {
  PJRT_Buffer_MemoryLayout_Tiled tiled;
  PJRT_Buffer_MemoryLayout_Strides strides;
};
struct PJRT_Buffer_MemoryLayout {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer_MemoryLayout_Union value;
  PJRT_Buffer_MemoryLayout_Type type;
};

// The structs of structs.def.
#define FIELD(type, name) type name;
#define STRUCT(name, size, fields)        \
  struct name {                           \
    size_t struct_size;                   \
    PJRT_Extension_Base* extension_start; \
    fields                                \
  };
#define BARE_STRUCT(name, size, fields) \
  struct name {                         \
    fields                              \
  };
#include "backends/pjrt/abi/structs.def"
#undef BARE_STRUCT
#undef STRUCT
#undef FIELD

// The struct_size of a struct of structs.def.
template <typename T>
inline constexpr size_t kStructSize = 0;
#define STRUCT(name, size, fields) \
  template <>                      \
  inline constexpr size_t kStructSize<name> = size;
#define BARE_STRUCT(name, size, fields) STRUCT(name, size, fields)
#include "backends/pjrt/abi/structs.def"
#undef BARE_STRUCT
#undef STRUCT
template <>
inline constexpr size_t kStructSize<PJRT_NamedValue> = 56;
template <>
inline constexpr size_t kStructSize<PJRT_Buffer_MemoryLayout_Tiled> = 56;
template <>
inline constexpr size_t kStructSize<PJRT_Buffer_MemoryLayout> = 76;

// The arguments of functions that Assay neither calls nor implements.
struct PJRT_Other_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
};

// The return type of a function of the table: an error, or void for destructors of errors.
template <typename Args>
struct ResultOf {
  using type = PJRT_Error*;
};
template <>
struct ResultOf<PJRT_Error_Destroy_Args> {
  using type = void;
};
template <>
struct ResultOf<PJRT_Error_Message_Args> {
  using type = void;
};

// The table. A slot of a plug-in may be null.
struct PJRT_Api {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Api_Version pjrt_api_version;
#define FUNCTION(name) ResultOf<PJRT_##name##_Args>::type (*name)(PJRT_##name##_Args * args);
#define OTHER_FUNCTION(name) PJRT_Error* (*name)(PJRT_Other_Args * args);
#include "backends/pjrt/abi/functions.def"
#undef OTHER_FUNCTION
#undef FUNCTION
};
inline constexpr size_t kApiFunctions = 138;
static_assert(sizeof(PJRT_Api) == 40 + 8 * kApiFunctions);

// The name of the function that a plug-in exports, and its type.
inline constexpr char kGetApiName[] = "GetPjrtApi";
using GetApiFunction = const PJRT_Api*();

// Extension of type PJRT_Extension_Shardings: how the arguments and the results of an executable
// lie on its devices, as serialised OpShardings.
struct PJRT_Shardings_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  size_t num_values;
  const char* const* shardings;
  const size_t* sharding_sizes;
};
struct PJRT_Shardings_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*parameter_shardings)(PJRT_Shardings_Args* args);
  PJRT_Error* (*output_shardings)(PJRT_Shardings_Args* args);
};

}  // namespace assay::pjrt

#endif  // ASSAY_BACKENDS_PJRT_ABI_ABI_H_
