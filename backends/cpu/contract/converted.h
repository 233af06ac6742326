// Factors in the form that products take: of the class of the result, and scaled. Tests:
// contract_test.cc.
#ifndef ASSAY_BACKENDS_CPU_CONTRACT_CONVERTED_H_
#define ASSAY_BACKENDS_CPU_CONTRACT_CONVERTED_H_

#include <cstddef>
#include <memory>

#include "absl/status/status.h"
#include "runtime/context.h"
#include "runtime/scratch.h"
#include "spec/element/element_type.h"

namespace assay::cpu {

// Elements of a factor: those given, or others in storage of their own.
class ConvertedFactor {
 public:
  explicit ConvertedFactor(runtime::Context& context) : lease_(context) {}
  // Takes `count` elements as they are, or as `convert` makes elements of `to` of them.
  absl::Status Set(ElementType from, ElementType to, const std::byte* data, int64_t count);
  // Storage for `count` elements, to be written by the caller.
  absl::StatusOr<std::byte*> Allocate(ElementType type, int64_t count);
  const std::byte* data() const { return data_; }

 private:
  runtime::ScratchLease lease_;
  std::unique_ptr<std::byte[]> memory_;
  const std::byte* data_ = nullptr;
};

// The type that a factor has in the product: its own, or that of the result if the three are not of
// one class.
ElementType FactorType(ElementType factor, ElementType other, ElementType result);

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_CONTRACT_CONVERTED_H_
