// Elements as the numbers that products are formed of (f32, f64, 32- or 64-bit integers), and sums
// as elements. Tests: contract_test.cc.
#ifndef ASSAY_BACKENDS_CPU_CONTRACT_NUMBER_BLOCKS_H_
#define ASSAY_BACKENDS_CPU_CONTRACT_NUMBER_BLOCKS_H_

#include <cstddef>
#include <cstdint>

#include "backends/cpu/contract/tiles.h"
#include "spec/element/element_type.h"

namespace assay::cpu {

// Returns true if a dense array of the type can be read as an array of T without conversion.
template <typename T>
bool IsStoredAs(ElementType type);

// Reads elements that are dense in memory as numbers of type T. Every value of a type that `T` is
// chosen for (see ArithmeticOf) fits; signed integers are extended modulo 2^bits.
template <typename T>
class BlockReader {
 public:
  BlockReader(ElementType type, const TileConversions& convert);
  void operator()(const std::byte* from, int64_t count, T* to) const {
    read_vectors_ != nullptr ? read_vectors_(from, count, to) : read_(type_, from, count, to);
  }

 private:
  ElementType type_;
  void (*read_)(ElementType type, const std::byte* from, int64_t count, T* to);
  void (*read_vectors_)(const std::byte* from, int64_t count, T* to) = nullptr;
};

// Writes sums as `count` dense elements: floats are rounded to nearest, integers taken modulo
// 2^bits; for pred, what is not zero is true.
template <typename T>
void WriteBlock(ElementType type, const TileConversions& convert, const T* from, int64_t count,
                std::byte* to);

// Returns the type in which factors of these types are multiplied and summed: f32, f64, u32 or u64.
// All three are floats, integers or pred, and of one class; of complex numbers, the component
// types. `depth` is the number of products of a sum.
ElementType ArithmeticOf(ElementType lhs, ElementType rhs, ElementType result, int64_t depth);

// Returns true if all values of both types fit signed 16-bit integers, so that two products can be
// computed and added at a time.
bool FitPairs(ElementType lhs, ElementType rhs);

// Calls f with a value of the type that numbers of the kind have in memory.
template <typename F>
auto WithArithmetic(ElementType arithmetic, F f) {
  switch (arithmetic) {
    case ElementType::kF32:
      return f(float{});
    case ElementType::kF64:
      return f(double{});
    case ElementType::kU32:
      return f(uint32_t{});
    default:
      return f(uint64_t{});
  }
}

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_CONTRACT_NUMBER_BLOCKS_H_
