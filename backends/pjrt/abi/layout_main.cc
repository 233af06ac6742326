// Prints the layout of PJRT's interface as Assay declares it, as JSON, for
// tools/peers/pjrt_layout_peer_test.py.
#include <cstdio>

#include "backends/pjrt/abi/abi.h"
#include "backends/pjrt/abi/layout.h"
#include "backends/pjrt/abi/types.h"

int main() {
  using namespace assay::pjrt;
  std::printf("{\"api_size\": %zu,\n \"functions\": [", sizeof(PJRT_Api));
  const char* comma = "";
  for (const char* name : FunctionNames()) {
    std::printf("%s\"%s\"", comma, name);
    comma = ", ";
  }
  std::printf("],\n \"types\": {");
  comma = "";
  for (size_t number = 1; number < std::size(kBufferTypes); ++number) {
    const absl::string_view name = assay::Name(kBufferTypes[number]);
    std::printf("%s\"%.*s\": %zu", comma, static_cast<int>(name.size()), name.data(), number);
    comma = ", ";
  }
  std::printf("},\n \"structs\": {");
  comma = "";
  for (const StructLayout& layout : StructLayouts()) {
    std::printf("%s\n  \"%s\": {\"size\": %zu, \"fields\": [", comma, layout.name,
                layout.struct_size);
    comma = "";
    for (const FieldLayout& field : layout.fields) {
      std::printf("%s[\"%s\", %zu, %zu]", comma, field.name, field.offset, field.size);
      comma = ", ";
    }
    std::printf("]}");
    comma = ",";
  }
  std::printf("}}\n");
  return 0;
}
