// Complex numbers: parts, comparisons, arithmetic as vector code, and loops over the functions,
// which are computed one at a time.
#include <type_traits>

#include "backends/cpu/vector/kernels/complex_inverses.h"

namespace assay::cpu::ASSAY_CPU_ISA {
namespace {

template <Point (*kFunction)(Point)>
struct OfPoint : Plain {
  using Plain::Plain;
  template <typename T>
  ASSAY_INLINE Complex<T> operator()(Complex<T> z) const {
    const Point result = kFunction({z.re, z.im});
    return {static_cast<T>(result.re), static_cast<T>(result.im)};
  }
};
template <Point (*kFunction)(Point, Point)>
struct OfPoints : Plain {
  using Plain::Plain;
  template <typename T>
  ASSAY_INLINE Complex<T> operator()(Complex<T> z, Complex<T> w) const {
    const Point result = kFunction({z.re, z.im}, {w.re, w.im});
    return {static_cast<T>(result.re), static_cast<T>(result.im)};
  }
};
// The kernel of a function of one or two complex numbers; none for a null pointer.
template <typename T, auto kFunction>
constexpr BlockKernel ComplexKernel() {
  using Z = Complex<T>;
  if constexpr (std::is_invocable_v<decltype(kFunction), Point>) {
    return Unary<OfPoint<kFunction>, Z, Z>;
  } else if constexpr (std::is_invocable_v<decltype(kFunction), Point, Point>) {
    return Binary<OfPoints<kFunction>, Z, Z>;
  } else {
    return kFunction;
  }
}

struct Modulus : Plain {
  using Plain::Plain;
  template <typename T>
  ASSAY_INLINE T operator()(Complex<T> z) const {
    return static_cast<T>(ComplexAbs({z.re, z.im}));
  }
};

// c64: products of parts are exact in double. c128: a b - c d with an error of 1.5 units (Kahan);
// an infinite c d has no error that could be taken back.
ASSAY_INLINE double Difference(double a, double b, double c, double d) {
  const double product = c * d;
  const double difference = Fma(a, b, -product) - Fma(c, d, -product);
  return IsFinite(product) ? difference : a * b - product;
}
struct Multiply : Plain {
  using Plain::Plain;
  ASSAY_INLINE Complex<float> operator()(Complex<float> z, Complex<float> w) const {
    const double a = z.re, b = z.im, c = w.re, d = w.im;
    return {static_cast<float>(a * c - b * d), static_cast<float>(a * d + b * c)};
  }
  ASSAY_INLINE Complex<double> operator()(Complex<double> z, Complex<double> w) const {
    return {Difference(z.re, w.re, z.im, w.im), Difference(z.re, w.im, -z.im, w.re)};
  }
};

struct Divide : Plain {
  using Plain::Plain;
  ASSAY_INLINE Complex<float> operator()(Complex<float> z, Complex<float> w) const {
    const double a = z.re, b = z.im, c = w.re, d = w.im;
    const double square = c * c + d * d;
    return {static_cast<float>((a * c + b * d) / square),
            static_cast<float>((b * c - a * d) / square)};
  }
  ASSAY_INLINE Complex<double> operator()(Complex<double> z, Complex<double> w) const {
    const double n = ExponentOf(Larger(Magnitude(z.re), Magnitude(z.im)));
    const double m = ExponentOf(Larger(Magnitude(w.re), Magnitude(w.im)));
    const double a = Shifted(z.re, -n), b = Shifted(z.im, -n);
    const double c = Shifted(w.re, -m), d = Shifted(w.im, -m);
    const Pair square = TwoProduct(c, c) + TwoProduct(d, d);
    double up = n - m;
    up = up < -1090 ? -1090 : up > 1090 ? 1090 : up;
    return {Shifted(High((TwoProduct(a, c) + TwoProduct(b, d)) / square), up),
            Shifted(High((TwoProduct(b, c) - TwoProduct(a, d)) / square), up)};
  }
};

struct RealPart : Plain {
  using Plain::Plain;
  template <typename T>
  ASSAY_INLINE T operator()(Complex<T> z) const {
    return z.re;
  }
};
struct ImaginaryPart : Plain {
  using Plain::Plain;
  template <typename T>
  ASSAY_INLINE T operator()(Complex<T> z) const {
    return z.im;
  }
};
struct ImaginaryPartOfReal : Plain {
  using Plain::Plain;
  template <typename T>
  ASSAY_INLINE T operator()(T) const {
    return 0;
  }
};
struct FromParts : Plain {
  using Plain::Plain;
  template <typename T>
  ASSAY_INLINE Complex<T> operator()(T re, T im) const {
    return {re, im};
  }
};
struct Equal : Plain {
  using Plain::Plain;
  template <typename T>
  ASSAY_INLINE uint8_t operator()(Complex<T> z, Complex<T> w) const {
    return z.re == w.re && z.im == w.im;
  }
};
struct NotEqual : Plain {
  using Plain::Plain;
  template <typename T>
  ASSAY_INLINE uint8_t operator()(Complex<T> z, Complex<T> w) const {
    return !(z.re == w.re && z.im == w.im);
  }
};

template <typename T>
void FillComplexLane(KernelTable& table, Lane lane) {
  using Z = Complex<T>;
  auto set = [&](KernelOp op, BlockKernel kernel) { At(table, op, lane) = kernel; };
#define FUNCTION(op, f32, f64, complex) set(KernelOp::op, ComplexKernel<T, complex>());
#include "backends/cpu/vector/kernels/functions.def"
#undef FUNCTION
  set(KernelOp::kAbs, Unary<Modulus, T, Z>);
  set(KernelOp::kDivide, Binary<Divide, Z, Z>);
  set(KernelOp::kImag, Unary<ImaginaryPart, T, Z>);
  set(KernelOp::kMultiply, Binary<Multiply, Z, Z>);
  set(KernelOp::kReal, Unary<RealPart, T, Z>);
  set(KernelOp::kSign, Unary<OfPoint<ComplexSign>, Z, Z>);
  set(KernelOp::kSqrt, Unary<OfPoint<ComplexSqrt>, Z, Z>);
  At(table, KernelOp::kComplex, LaneFor<T>()) = Binary<FromParts, Z, T>;
  At(table, KernelOp::kImag, LaneFor<T>()) = Unary<ImaginaryPartOfReal, T, T>;
  const int number = static_cast<int>(lane);
  table.compare[static_cast<int>(Direction::kEq)][number] = Binary<Equal, uint8_t, Z>;
  table.compare[static_cast<int>(Direction::kNe)][number] = Binary<NotEqual, uint8_t, Z>;
}

}  // namespace

void FillComplex(KernelTable& table) {
  FillComplexLane<float>(table, Lane::kC64);
  FillComplexLane<double>(table, Lane::kC128);
}

}  // namespace assay::cpu::ASSAY_CPU_ISA