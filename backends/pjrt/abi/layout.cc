#include "backends/pjrt/abi/layout.h"

#include <algorithm>
#include <initializer_list>

#include "backends/pjrt/abi/abi.h"

namespace assay::pjrt {
namespace {

// The end of the last field of a struct, given where each field ends.
constexpr size_t EndOf(std::initializer_list<size_t> ends) {
  size_t last = 0;
  for (const size_t end : ends) last = std::max(last, end);
  return last;
}

// The sizes of structs.def are those of its fields.
#define FIELD(type, name) offsetof(Self, name) + sizeof(Self::name),
#define STRUCT(struct_name, size, fields)                        \
  constexpr size_t End_##struct_name() {                         \
    using Self = struct_name;                                    \
    return EndOf({offsetof(Self, extension_start) + 8, fields}); \
  }                                                              \
  static_assert(End_##struct_name() == (size));
#define BARE_STRUCT(struct_name, size, fields) \
  constexpr size_t End_##struct_name() {       \
    using Self = struct_name;                  \
    return EndOf({fields});                    \
  }                                            \
  static_assert(End_##struct_name() == (size));
#include "backends/pjrt/abi/structs.def"
#undef BARE_STRUCT
#undef STRUCT
#undef FIELD

static_assert(sizeof(PJRT_Error_FunctionTable) == 56);
static_assert(sizeof(PJRT_Error) == 8);
static_assert(sizeof(PJRT_Memory_FunctionTable) == 40);
static_assert(sizeof(PJRT_Memory) == 8);
static_assert(sizeof(PJRT_NamedValue) == kStructSize<PJRT_NamedValue>);
static_assert(offsetof(PJRT_NamedValue, value) == 40);
static_assert(sizeof(PJRT_Buffer_MemoryLayout_Tiled) == 56);
static_assert(sizeof(PJRT_Buffer_MemoryLayout_Strides) == 32);
static_assert(offsetof(PJRT_Buffer_MemoryLayout, type) == 72);
static_assert(sizeof(PJRT_Extension_Base) == 24);
static_assert(sizeof(PJRT_Shardings_Args) == 48);
static_assert(sizeof(PJRT_Shardings_Extension) == 40);
static_assert(sizeof(PJRT_Api) == 1144);

}  // namespace

std::vector<StructLayout> StructLayouts() {
  std::vector<StructLayout> layouts;
#define FIELD(type, name) {#name, offsetof(Self, name), sizeof(Self::name)},
#define STRUCT(struct_name, size, fields)                                                         \
  {                                                                                               \
    using Self = struct_name;                                                                     \
    layouts.push_back(                                                                            \
        {#struct_name, size, {FIELD(size_t, struct_size) FIELD(void*, extension_start) fields}}); \
  }
#define BARE_STRUCT(struct_name, size, fields)         \
  {                                                    \
    using Self = struct_name;                          \
    layouts.push_back({#struct_name, size, {fields}}); \
  }
#include "backends/pjrt/abi/structs.def"
  // Those of abi.h.
  BARE_STRUCT(PJRT_Error_FunctionTable, 56,
              FIELD(, struct_size) FIELD(, instance_size) FIELD(, extension_start) FIELD(, destroy)
                  FIELD(, message) FIELD(, get_code) FIELD(, for_each_payload))
  STRUCT(PJRT_Memory_FunctionTable, 40,
         FIELD(, instance_struct_size) FIELD(, get_user_data) FIELD(, set_user_data))
  STRUCT(PJRT_NamedValue, 56,
         FIELD(, name) FIELD(, name_size) FIELD(, type) FIELD(, value) FIELD(, value_size))
  STRUCT(PJRT_Buffer_MemoryLayout_Tiled, 56,
         FIELD(, minor_to_major) FIELD(, minor_to_major_size) FIELD(, tile_dims)
             FIELD(, tile_dim_sizes) FIELD(, num_tiles))
  STRUCT(PJRT_Buffer_MemoryLayout_Strides, 32, FIELD(, byte_strides) FIELD(, num_byte_strides))
  STRUCT(PJRT_Buffer_MemoryLayout, 76, FIELD(, value) FIELD(, type))
  BARE_STRUCT(PJRT_Extension_Base, 24, FIELD(, struct_size) FIELD(, type) FIELD(, next))
  BARE_STRUCT(PJRT_Error, 8, FIELD(, vtable))
  BARE_STRUCT(PJRT_Memory, 8, FIELD(, vtable))
#undef BARE_STRUCT
#undef STRUCT
#undef FIELD
  return layouts;
}

std::vector<const char*> FunctionNames() {
  return {
#define FUNCTION(name) #name,
#define OTHER_FUNCTION(name) #name,
#include "backends/pjrt/abi/functions.def"
#undef OTHER_FUNCTION
#undef FUNCTION
  };
}

}  // namespace assay::pjrt
