// Custom calls to `assay_python_callback`: Python functions, called through one C function that the
// Python package hands over as a create option (docs/pjrt.md).
#ifndef ASSAY_BACKENDS_PJRT_PLUGIN_PYTHON_CALLBACK_H_
#define ASSAY_BACKENDS_PJRT_PLUGIN_PYTHON_CALLBACK_H_

#include <cstdint>
#include <vector>

#include "backends/pjrt/plugin/options.h"
#include "spec/ir/module.h"

namespace assay::pjrt {

void RegisterPythonCallback(PJRT_Client& client);

// Counts a program among those that call its Python functions while it lives, so that Python can
// let go of functions that no program calls. Executions that are enqueued hold their program.
class CallbackUses {
 public:
  CallbackUses(const Module& module, const ClientOptions& options);
  ~CallbackUses();
  CallbackUses(const CallbackUses&) = delete;
  CallbackUses& operator=(const CallbackUses&) = delete;

 private:
  std::vector<int64_t*> counts_;
};

}  // namespace assay::pjrt

#endif  // ASSAY_BACKENDS_PJRT_PLUGIN_PYTHON_CALLBACK_H_
