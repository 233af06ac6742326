// Custom calls to `assay_python_callback`: Python functions, called through one C function that the
// Python package hands over as a create option (docs/pjrt.md).
#ifndef ASSAY_BACKENDS_PJRT_PLUGIN_PYTHON_CALLBACK_H_
#define ASSAY_BACKENDS_PJRT_PLUGIN_PYTHON_CALLBACK_H_

#include "backends/pjrt/plugin/client.h"

namespace assay::pjrt {

void RegisterPythonCallback(PJRT_Client& client);

}  // namespace assay::pjrt

#endif  // ASSAY_BACKENDS_PJRT_PLUGIN_PYTHON_CALLBACK_H_
