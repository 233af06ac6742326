// The offsets of the fields of the interface's structs, for comparison with other descriptions of
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

// Returns the layout of every struct of structs.def and of abi.h.
std::vector<StructLayout> StructLayouts();
// Returns the names of the functions in the order of the table.
std::vector<const char*> FunctionNames();

}  // namespace assay::pjrt

#endif  // ASSAY_BACKENDS_PJRT_ABI_LAYOUT_H_
