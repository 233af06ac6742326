// An implementation of a few operations that wants to know whether it is right: an example for
// those who write a target of the conformance suite in C++ (README.md). With the argument
// `saturate` its sums have a defect to be found: they stop at the ends of the type.
#include <cmath>
#include <cstring>
#include <limits>

#include "assay_target.h"

using assay_target::Array;
using assay_target::Instruction;
using assay_target::Target;

int32_t Add(int32_t a, int32_t b, bool saturate) {
  const int64_t sum = int64_t{a} + b;
  const auto wrapped = static_cast<int32_t>(static_cast<uint32_t>(sum));
  if (!saturate || wrapped == sum) return wrapped;
  return sum < 0 ? std::numeric_limits<int32_t>::min() : std::numeric_limits<int32_t>::max();
}

// An operation that moves elements: the last dimension of `x` becomes the first of `out`, ...
void Transpose(const Instruction& op, const Target::Operands& in, Array* out) {
  const std::vector<int64_t> permutation = op.Numbers("dimensions");
  const std::vector<int64_t>& sizes = in[0]->shape.sizes;
  std::vector<int64_t> strides(sizes.size(), 1);
  for (size_t d = sizes.size(); d-- > 1;) strides[d - 1] = strides[d] * sizes[d];
  const size_t width = assay_target::BytesOf(out->shape.type);
  for (int64_t i = 0; i < out->count(); ++i) {
    int64_t rest = i, from = 0;
    for (size_t d = permutation.size(); d-- > 0; rest /= out->shape.sizes[d]) {
      from += rest % out->shape.sizes[d] * strides[permutation[d]];
    }
    std::memcpy(&out->bytes[i * width], &in[0]->bytes[from * width], width);
  }
}

int main(int argc, char** argv) {
  const bool saturate = argc > 1 && std::strcmp(argv[1], "saturate") == 0;
  Target target("mine", "1.0");
  target.Binary<int32_t>("add", [=](int32_t a, int32_t b) { return Add(a, b, saturate); });
  target.Binary<int32_t>("xor", [](int32_t a, int32_t b) { return a ^ b; });
  target.Binary<float>("add", [](float a, float b) { return a + b; });
  target.Binary<float>("multiply", [](float a, float b) { return a * b; });
  target.Unary<float>("exponential", [](float x) { return std::exp(double{x}); });
  target.Operation("transpose", {"s32", "f32"}, Transpose);
  return target.Serve();
}
