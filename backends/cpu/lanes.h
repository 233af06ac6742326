// The lines of an array along a dimension, for kernels that walk this dimension on many lines at
// once: scan and running windows. Tests: kernels_test.cc.
#ifndef ASSAY_BACKENDS_CPU_LANES_H_
#define ASSAY_BACKENDS_CPU_LANES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "runtime/arrays.h"
#include "spec/ir/row_major.h"
#include "spec/ir/shape.h"

namespace assay::cpu {

// An array along a dimension, whose lines are the lanes.
struct Lanes : AlongDimension {
  Lanes(const Shape& shape, int64_t dimension)
      : AlongDimension(shape.dimensions(), dimension),
        bytes(runtime::StorageBytes(shape.element_type())) {}
  // Calls move(offset in the array, number among the lanes, n) for runs of lanes.
  template <typename Move>
  void ForEachRun(int64_t lane, int64_t n, int64_t position, Move move) const {
    for (int64_t done = 0; done < n;) {
      const int64_t run = std::min(inner - (lane + done) % inner, n - done);
      move(At(lane + done, position) * bytes, done * bytes, run * bytes);
      done += run;
    }
  }
  void Read(const std::byte* array, int64_t lane, int64_t n, int64_t position,
            std::byte* out) const {
    ForEachRun(lane, n, position, [&](int64_t from, int64_t to, int64_t size) {
      std::memcpy(out + to, array + from, size);
    });
  }
  void Write(const std::byte* in, int64_t lane, int64_t n, int64_t position,
             std::byte* array) const {
    ForEachRun(lane, n, position, [&](int64_t to, int64_t from, int64_t size) {
      std::memcpy(array + to, in + from, size);
    });
  }
  int64_t bytes;
};

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_LANES_H_
