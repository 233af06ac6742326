// Where the fields of the structs of the interface lie, for comparison with other descriptions of
// it. Test: tools/peers/pjrt_layout_peer_test.py.
#ifndef ASSAY_BACKENDS_PJRT_ABI_LAYOUT_H_
#define ASSAY_BACKENDS_PJRT_ABI_LAYOUT_H_

#include <cstddef>
#include <vector>

namespace assay::pjrt {

struct FieldLayout {
  const char* name;
  size_t offset;
  size_t size;
};
struct StructLayout {
  const char* name;
  size_t struct_size;  // the end of the last field
  std::vector<FieldLayout> fields;
};

// Every struct of structs.def and of abi.h.
std::vector<StructLayout> StructLayouts();
// The functions in the order of their slots.
std::vector<const char*> FunctionNames();

}  // namespace assay::pjrt

#endif  // ASSAY_BACKENDS_PJRT_ABI_LAYOUT_H_
