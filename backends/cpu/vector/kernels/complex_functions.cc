// Complex numbers.
#include <complex>

#include "backends/cpu/vector/kernels/loops.h"

namespace assay::cpu::ASSAY_CPU_ISA {
namespace {
template <typename T>
std::complex<T> C(Complex<T> z) {
  return {z.re, z.im};
}
template <typename T>
Complex<T> D(std::complex<T> z) {
  return {z.real(), z.imag()};
}
#define F1(name, expr)                          \
  struct name : Plain {                         \
    using Plain::Plain;                         \
    template <typename T>                       \
    Complex<T> operator()(Complex<T> a) const { \
      std::complex<T> z = C(a);                 \
      const T one = 1;                          \
      (void)one;                                \
      return D<T>(expr);                        \
    }                                           \
  };
#define F2(name, expr)                                        \
  struct name : Plain {                                       \
    using Plain::Plain;                                       \
    template <typename T>                                     \
    Complex<T> operator()(Complex<T> a, Complex<T> b) const { \
      std::complex<T> z = C(a), w = C(b);                     \
      return D<T>(expr);                                      \
    }                                                         \
  };
F1(Acos, std::acos(z))
F1(Acosh, std::acosh(z))
F1(Asin, std::asin(z))
F1(Asinh, std::asinh(z)) F1(Atanh, std::atanh(z)) F1(Cos, std::cos(z)) F1(Cosh, std::cosh(z))
    F1(Exp, std::exp(z)) F1(Expm1, std::exp(z) - one) F1(Log, std::log(z))
        F1(Log1p, std::log(one + z)) F1(Logistic, one / (one + std::exp(-z)))
            F1(Rsqrt, one / std::sqrt(z)) F1(Sin, std::sin(z)) F1(Sinh, std::sinh(z))
                F1(Sqrt, std::sqrt(z)) F1(Tan, std::tan(z)) F1(Tanh, std::tanh(z))
                    F1(Sign, z == std::complex<T>(0) ? z : z / std::abs(z)) F2(Multiply, z* w)
                        F2(Divide, z / w)
                            F2(Power, w == std::complex<T>(0) ? std::complex<T>(1) : std::pow(z, w))
                                F2(Atan2, std::complex<T>(0, -1) *
                                              std::log((w + std::complex<T>(0, 1) * z) /
                                                       std::sqrt(z * z + w * w))) struct Abs
    : Plain {
  using Plain::Plain;
  template <typename T>
  T operator()(Complex<T> z) const {
    return std::hypot(z.re, z.im);
  }
};
struct Real : Plain {
  using Plain::Plain;
  template <typename T>
  T operator()(Complex<T> z) const {
    return z.re;
  }
};
struct Imag : Plain {
  using Plain::Plain;
  template <typename T>
  T operator()(Complex<T> z) const {
    return z.im;
  }
};
struct ZeroImag : Plain {
  using Plain::Plain;
  template <typename T>
  T operator()(T) const {
    return 0;
  }
};
struct Make : Plain {
  using Plain::Plain;
  template <typename T>
  Complex<T> operator()(T x, T y) const {
    return {x, y};
  }
};
struct Eq : Plain {
  using Plain::Plain;
  template <typename T>
  uint8_t operator()(Complex<T> x, Complex<T> y) const {
    return x.re == y.re && x.im == y.im;
  }
};
struct Ne : Plain {
  using Plain::Plain;
  template <typename T>
  uint8_t operator()(Complex<T> x, Complex<T> y) const {
    return !(x.re == y.re && x.im == y.im);
  }
};
template <typename T>
void Fill(KernelTable& table, Lane lane, Lane part) {
  using Z = Complex<T>;
#define R(n) At(table, KernelOp::k##n, lane) = Unary<n, Z, Z>;
  R(Acos)
  R(Acosh)
  R(Asin)
  R(Asinh) R(Atanh) R(Cos) R(Cosh) R(Exp) R(Expm1) R(Log) R(Log1p) R(Logistic) R(Rsqrt) R(Sin)
      R(Sinh) R(Sqrt) R(Tan) R(Tanh) R(Sign)
#define B(n) At(table, KernelOp::k##n, lane) = Binary<n, Z, Z>;
          B(Multiply) B(Divide) B(Power) B(Atan2) At(table, KernelOp::kAbs, lane) =
              Unary<Abs, T, Z>;
  At(table, KernelOp::kReal, lane) = Unary<Real, T, Z>;
  At(table, KernelOp::kImag, lane) = Unary<Imag, T, Z>;
  At(table, KernelOp::kImag, part) = Unary<ZeroImag, T, T>;
  At(table, KernelOp::kComplex, part) = Binary<Make, Z, T>;
  table.compare[static_cast<int>(Direction::kEq)][static_cast<int>(lane)] = Binary<Eq, uint8_t, Z>;
  table.compare[static_cast<int>(Direction::kNe)][static_cast<int>(lane)] = Binary<Ne, uint8_t, Z>;
}
}  // namespace
void FillComplex(KernelTable& table) {
  Fill<float>(table, Lane::kC64, Lane::kF32);
  Fill<double>(table, Lane::kC128, Lane::kF64);
}
}  // namespace assay::cpu::ASSAY_CPU_ISA
