// Numbers of about 106 bits as the unevaluated sum of two doubles, of which the first is the sum
// rounded. The elementary functions compute in them where one double is not enough. Finite numbers
// away from the ends of double's range only. Tests: kernel_functions_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_KERNELS_DOUBLE_DOUBLE_H_
#define ASSAY_BACKENDS_CUDA_KERNELS_DOUBLE_DOUBLE_H_

#include "backends/cuda/kernels/device.h"

namespace assay::cuda::ASSAY_CUDA_BUILD {

struct Pair {
  double high = 0;
  double low = 0;
};

// |a| >= |b|, or a = 0.
ASSAY_DEVICE Pair FastSum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}
ASSAY_DEVICE Pair ExactSum(double a, double b) {
  const double sum = a + b;
  const double part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}
ASSAY_DEVICE Pair ExactProduct(double a, double b) {
  const double product = a * b;
  return {product, Fma(a, b, -product)};
}

ASSAY_DEVICE Pair operator-(Pair a) { return {-a.high, -a.low}; }
ASSAY_DEVICE Pair operator+(Pair a, Pair b) {
  const Pair high = ExactSum(a.high, b.high);
  const Pair low = ExactSum(a.low, b.low);
  const Pair first = FastSum(high.high, high.low + low.high);
  return FastSum(first.high, first.low + low.low);
}
ASSAY_DEVICE Pair operator+(Pair a, double b) {
  const Pair high = ExactSum(a.high, b);
  return FastSum(high.high, high.low + a.low);
}
ASSAY_DEVICE Pair operator-(Pair a, Pair b) { return a + -b; }
ASSAY_DEVICE Pair operator*(Pair a, Pair b) {
  const Pair product = ExactProduct(a.high, b.high);
  return FastSum(product.high, product.low + Fma(a.high, b.low, a.low * b.high));
}
ASSAY_DEVICE Pair operator*(Pair a, double b) {
  const Pair product = ExactProduct(a.high, b);
  return FastSum(product.high, Fma(a.low, b, product.low));
}
ASSAY_DEVICE Pair operator/(Pair a, Pair b) {
  const double first = a.high / b.high;
  Pair rest = a - b * first;
  const double second = rest.high / b.high;
  rest = rest - b * second;
  return FastSum(first, second) + rest.high / b.high;
}
ASSAY_DEVICE Pair Root(Pair a) {
  if (a.high <= 0) return {a.high == 0 ? a.high : NanValue(), 0};
  const double root = SquareRoot(a.high);
  const Pair rest = a - ExactProduct(root, root);
  return FastSum(root, rest.high / (2 * root));
}
// The product with a power of two, which is exact.
ASSAY_DEVICE Pair Times(Pair a, double power) { return {a.high * power, a.low * power}; }
ASSAY_DEVICE double Rounded(Pair a) { return a.high + a.low; }

}  // namespace assay::cuda::ASSAY_CUDA_BUILD

#endif  // ASSAY_BACKENDS_CUDA_KERNELS_DOUBLE_DOUBLE_H_
