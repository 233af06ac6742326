// Machines without an assembler: the kernels do all the work.
#include "backends/cpu/vector/native/native_code.h"

namespace assay::cpu {

bool NativeCodeRuns() { return false; }
int64_t VectorElements(const LaneCode& /*code*/) { return 1; }
std::unique_ptr<const NativeCode> CompileLine(const LaneCode& /*code*/) { return nullptr; }
std::unique_ptr<const NativeCode> CompileLoop(const LaneLoop& /*loop*/, int /*vectors*/) {
  return nullptr;
}

}  // namespace assay::cpu
