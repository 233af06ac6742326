// Custom calls to `assay_python_callback`: Python functions, called through a C function that the
// Python package passes as a create option (docs/pjrt.md). Tests: the tests of python/assay_jax.
#ifndef ASSAY_BACKENDS_PJRT_PLUGIN_PYTHON_CALLBACK_H_
#define ASSAY_BACKENDS_PJRT_PLUGIN_PYTHON_CALLBACK_H_

#include <cstdint>
#include <vector>

#include "backends/pjrt/plugin/options.h"
#include "spec/ir/module.h"

namespace assay::pjrt {

void RegisterPythonCallback(PJRT_Client& client);

// Counts a living program for each Python function that it calls, so that Python can release
// functions without callers. An enqueued execution keeps its program alive.
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
