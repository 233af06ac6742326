// Converts factors to the class of the result, and scales them, before they are multiplied. Tests:
// contract_test.cc.
#ifndef ASSAY_BACKENDS_CPU_CONTRACT_CONVERTED_H_
#define ASSAY_BACKENDS_CPU_CONTRACT_CONVERTED_H_

#include <cstddef>

#include "absl/status/status.h"
#include "runtime/context.h"
#include "runtime/kept_bytes.h"
#include "runtime/scratch.h"
#include "spec/element/element_type.h"

namespace assay::cpu {

// The elements of a factor: those of the operand, or converted elements in storage of its own.
class ConvertedFactor {
 public:
  explicit ConvertedFactor(runtime::Context& context) : lease_(context) {}
  // Sets the factor to `count` elements, converted if the types differ.
  absl::Status Set(ElementType from, ElementType to, const std::byte* data, int64_t count);
  // Storage for `count` elements, to be written by the caller.
  absl::StatusOr<std::byte*> Allocate(ElementType type, int64_t count);
  const std::byte* data() const { return data_; }

 private:
  runtime::ScratchLease lease_;
  runtime::KeptBytes memory_;
  const std::byte* data_ = nullptr;
};

// Returns the type of a factor in the product: its own, or that of the result if the three types
// are not of one class.
ElementType FactorType(ElementType factor, ElementType other, ElementType result);

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_CONTRACT_CONVERTED_H_
