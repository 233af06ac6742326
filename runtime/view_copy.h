// A kernel that stores a view. All engines with values in host memory share it, because it does not
// compute. Tests: interpreter/views_test.cc.
#ifndef ASSAY_RUNTIME_VIEW_COPY_H_
#define ASSAY_RUNTIME_VIEW_COPY_H_

#include <cstdint>

#include "runtime/engine.h"
#include "runtime/view_reader.h"
#include "spec/views/view.h"

namespace assay::runtime {

class ViewCopy : public Kernel {
 public:
  // The sources of the view are operand numbers.
  ViewCopy(const View& view, ElementType type);
  absl::Status Execute(absl::Span<const ArrayRef> operands,
                       absl::Span<const MutableArrayRef> results, Context& context) const override;

 private:
  int64_t bytes_;  // the size of an element
  ViewReader reader_;
  int64_t count_;
};

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_VIEW_COPY_H_
