// Maps elements to unsigned integers in the same order: the total order of floats
// (ops_structural.md 6.2), the natural order of integers. Tests: kernels_test.cc.
#ifndef ASSAY_BACKENDS_CPU_ORDER_KEYS_H_
#define ASSAY_BACKENDS_CPU_ORDER_KEYS_H_

#include <cstddef>
#include <cstdint>

#include "spec/element/element_type.h"

namespace assay::cpu {

// Sets keys[i] to the key of element i. If `descending`, greater elements have smaller keys.
void OrderKeys(ElementType type, const std::byte* elements, int64_t n, bool descending,
               uint64_t* keys);
// Converts keys back to elements. Complex types have no keys.
void ElementsOfKeys(ElementType type, const uint64_t* keys, int64_t n, bool descending,
                    std::byte* elements);
// Returns the number of bits of a key.
inline int KeyBits(ElementType type) { return Info(type).storage_bytes * 8; }

void SortKeys(uint64_t* keys, int64_t n);

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_ORDER_KEYS_H_
