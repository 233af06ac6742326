// Coefficients from the lowest power up, and constants in parts. Written by tools/polynomials.py.
// The errors are those of the polynomials, without the rounding of their evaluation.
#ifndef ASSAY_BACKENDS_CPU_VECTOR_KERNELS_POLYNOMIALS_H_
#define ASSAY_BACKENDS_CPU_VECTOR_KERNELS_POLYNOMIALS_H_

#include <cstdint>

namespace assay::cpu::polynomials {

// exp(r) = 1 + r + r^2/2 + r^3 p(r), relative to r: 2^-41.4.
inline constexpr double kExpSingle[] = {
    0x1.5555555555555p-3,  0x1.5555555cf7462p-5,  0x1.11111113d769cp-7,  0x1.6c168322fc79ep-10,
    0x1.a019d4565aa69p-13, 0x1.a118166a38fc2p-16, 0x1.7296fb3095269p-19,
};
// exp(r) = 1 + r + r^2/2 + r^3 p(r), relative to r: 2^-59.5.
inline constexpr double kExpDouble[] = {
    0x1.5555555555555p-3,  0x1.5555555555555p-5,  0x1.1111111111111p-7,  0x1.6c16c16c16c17p-10,
    0x1.a01a01a0195e6p-13, 0x1.a01a01a019b00p-16, 0x1.71de3a5af94e9p-19, 0x1.27e4fb7a504a4p-22,
    0x1.ae642ad2afd38p-26, 0x1.1eed7929ed0aep-29, 0x1.61c2c1ba3877dp-33, 0x1.9435a73d84201p-37,
};
// log((1 + s)/(1 - s)) = 2s + 2/3 s^3 + s^5 p(s^2), relative to 2s: 2^-41.1.
inline constexpr double kLogSingle[] = {
    0x1.99999989353aep-2,
    0x1.24928e9fae787p-2,
    0x1.c6c0bbffc692bp-3,
    0x1.879ad6a31c661p-3,
};
// log((1 + s)/(1 - s)) = 2s + 2/3 s^3 + s^5 p(s^2), relative to 2s: 2^-66.5.
inline constexpr double kLogDouble[] = {
    0x1.999999999999ap-2, 0x1.2492492492491p-2, 0x1.c71c71c71cfe7p-3,
    0x1.745d1745124c7p-3, 0x1.3b13b1bd0ead0p-3, 0x1.1110df7e2b9b8p-3,
    0x1.e1f80a4c22cd4p-4, 0x1.ac4927065cf5ap-4, 0x1.b8e0c07ef591ap-4,
};
// sin(r) = r + r^3 p(r^2), relative to r: 2^-45.7.
inline constexpr double kSinSingle[] = {
    -0x1.5555555555161p-3, 0x1.1111110fd1496p-7,   -0x1.a019fd95094bep-13,
    0x1.71d9a549ac8fbp-19, -0x1.aa262ee715b00p-26,
};
// sin(r) = r + r^3 p(r^2), relative to r: 2^-57.3.
inline constexpr double kSinDouble[] = {
    -0x1.5555555555555p-3,  0x1.1111111111111p-7,   -0x1.a01a01a01a01ap-13,
    0x1.71de3a556c733p-19,  -0x1.ae64567f54148p-26, 0x1.61246139ffdd7p-33,
    -0x1.ae7f3d009d07dp-41, 0x1.952a25ab8e46ap-49,  -0x1.2d492e3bf88d9p-57,
};
// cos(r) = 1 - r^2/2 + r^4 p(r^2), relative to 1: 2^-50.2.
inline constexpr double kCosSingle[] = {
    0x1.5555555555434p-5,   -0x1.6c16c16b5fdb7p-10, 0x1.a019ff501e5c1p-16,
    -0x1.27e25ca05d2bep-22, 0x1.1c808728603bbp-29,
};
// cos(r) = 1 - r^2/2 + r^4 p(r^2), relative to 1: 2^-60.0.
inline constexpr double kCosDouble[] = {
    0x1.5555555555555p-5,   -0x1.6c16c16c16c17p-10, 0x1.a01a01a01a01ap-16,
    -0x1.27e4fb7789f5cp-22, 0x1.1eed8eff8d748p-29,  -0x1.93974a8ba59a0p-37,
    0x1.ae7f3d6595810p-45,  -0x1.6825d68eeab53p-53, 0x1.e25909f1fe715p-62,
};
// atan(t) = t + t^3 p(t^2), relative to t: 2^-43.2.
inline constexpr double kAtanSingle[] = {
    -0x1.5555555552562p-2, 0x1.9999998825918p-3, -0x1.249240c37ad76p-3, 0x1.c7195c8f27c64p-4,
    -0x1.7415369b05321p-4, 0x1.37797a2bb25f5p-4, -0x1.ed97727799b19p-5, 0x1.0dafbdea6ce78p-5,
};
// atan(t) = t + t^3 p(t^2), relative to t: 2^-58.0.
inline constexpr double kAtanDouble[] = {
    -0x1.5555555555555p-2, 0x1.999999999999ap-3, -0x1.2492492492492p-3, 0x1.c71c71c71c71cp-4,
    -0x1.745d1745d1734p-4, 0x1.3b13b13b1357fp-4, -0x1.11111110fe91ep-4, 0x1.e1e1e1dc851b3p-5,
    -0x1.af286b39b5e09p-5, 0x1.8618563b17371p-5, -0x1.642bdaca09d6ap-5, 0x1.47a664cf649b9p-5,
    -0x1.2f24a70824e22p-5, 0x1.18b68e18b8cccp-5, -0x1.feaa8cc797741p-6, 0x1.adf089534ae98p-6,
    -0x1.21c5ac24ad20ep-6, 0x1.bc4f7e0031364p-8,
};
// erf(x) = x (2/sqrt(pi) + x^2 p(x^2)) to 1, relative to x: 2^-43.7.
inline constexpr double kErfSingle[] = {
    -0x1.812746b037466p-2,  0x1.ce2f219f63d3ap-4,   -0x1.b82ce2b56769ap-6,
    0x1.565bbe0a4a93ap-8,   -0x1.c02b450e7a6e1p-11, 0x1.f96a2e03af50bp-14,
    -0x1.f1bca11663eadp-17, 0x1.a0985172ff2f6p-20,  -0x1.d6896ab926c35p-24,
};
// erf(x) = x (2/sqrt(pi) + x^2 p(x^2)) to 1, relative to x: 2^-56.5.
inline constexpr double kErfDouble[] = {
    -0x1.812746b0379e7p-2,  0x1.ce2f21a042be2p-4,  -0x1.b82ce31288b51p-6,  0x1.565bcd0e6a53fp-8,
    -0x1.c02db40040b86p-11, 0x1.f9a326f9b89b7p-14, -0x1.f4d25c3e0c2d5p-17, 0x1.b9e6c9dc64d36p-20,
    -0x1.5f742ec43446cp-23, 0x1.fcc57203f9ce0p-27, -0x1.51d717efcb59ep-30, 0x1.9e6ad075de589p-34,
    -0x1.d844bbb94f005p-38, 0x1.f67aa75b5b3a8p-42, -0x1.f4f6b57156872p-46, 0x1.d282ffba3a625p-50,
    -0x1.83e0177e75316p-54, 0x1.c1ef1480204e3p-59,
};
// erfc(x) = exp(-x^2) p((x - 2)/(x + 2)) from 1 to 4.0, absolute: 2^-41.3.
inline constexpr double kErfcSingle[] = {
    0x1.058671b52feeep-2,  -0x1.b57034efd7e9cp-2, 0x1.eeea7dbc73a8ap-3,   -0x1.437f0b4cfdf26p-4,
    0x1.e947f2a1a448ep-9,  0x1.ca95704f47c12p-8,  -0x1.bc7de4beb4d06p-11, -0x1.013a0f41438a4p-10,
    0x1.a7ddfaab054e5p-15, 0x1.5dc271b0644a7p-13,
};
// erfc(x) = exp(-x^2) p((x - 2)/(x + 2)) from 1 to 6.0, absolute: 2^-59.4.
inline constexpr double kErfcDouble[] = {
    0x1.058671b52c776p-2,   -0x1.b57034efd3f72p-2,  0x1.eeea7dc8a78b3p-3,   -0x1.437f0b68c0c20p-4,
    0x1.e9471597a0925p-9,   0x1.ca95ed53442dcp-8,   -0x1.bc25a47f8b415p-11, -0x1.016b5ceaf1a98p-10,
    0x1.6d5f044223268p-15,  0x1.6da978ff8bcfap-13,  0x1.cdca5d813a801p-16,  -0x1.ceb8f57d01d82p-16,
    -0x1.d477d1504625ap-17, 0x1.76079ecb3a1f3p-20,  0x1.f73758550713ep-19,  0x1.40e96289ce025p-20,
    -0x1.b9d050540568fp-22, -0x1.1427f7c358348p-21, -0x1.24c5e7ac70a0ap-23, 0x1.9cc5fdff14adap-24,
    0x1.d9806a08fbe77p-25,
};
// exp(r) = 1 + r + r^2 p(r), relative to 1: 2^-26.8.
inline constexpr float kExp32[] = {0x1.0000000000000p-1f, 0x1.5554d80000000p-3f,
                                   0x1.5555160000000p-5f, 0x1.12106c0000000p-7f,
                                   0x1.6d16060000000p-10f};
// log(1 + f) = f - f^2/2 + f^3 p(f), relative to f: 2^-25.9.
inline constexpr float kLog32[] = {
    0x1.5555540000000p-2f, -0x1.0000ce0000000p-2f, 0x1.999f140000000p-3f, -0x1.54d03e0000000p-3f,
    0x1.231ce60000000p-3f, -0x1.0a33ea0000000p-3f, 0x1.02814e0000000p-3f, -0x1.43b2460000000p-4f};
// tanh(x) = x + x^3 p(x^2) to 0.6875, relative to x: 2^-25.8.
inline constexpr float kTanh32[] = {-0x1.5555080000000p-2f, 0x1.10fe260000000p-3f,
                                    -0x1.b71b2c0000000p-5f, 0x1.4b1b640000000p-6f,
                                    -0x1.57eda80000000p-8f};
// -log(erfc(x)) = x + x p(x) to 3.9375, relative in erf: 2^-26.9.
inline constexpr float kErfcLog32[] = {
    0x1.06eba80000000p-3f,   0x1.45f2fa0000000p-1f,   0x1.a4fa5e0000000p-4f,
    -0x1.39cdc60000000p-6f,  -0x1.505f440000000p-13f, 0x1.b5003c0000000p-10f,
    -0x1.4bc9d40000000p-11f, 0x1.ed6c240000000p-14f,  -0x1.3696860000000p-17f};
// log(2), the sum of these.
inline constexpr float kLn2Of32[] = {0x1.6300000000000p-1f, -0x1.bd01060000000p-13f};
// exp(r) = 1 + r + r^2 p(r), relative to 1: 2^-61.7.
inline constexpr double kExp64[] = {
    0x1.0000000000000p-1,  0x1.5555555555557p-3,  0x1.5555555555556p-5,  0x1.111111110ff87p-7,
    0x1.6c16c16c16212p-10, 0x1.a01a01aca0134p-13, 0x1.a01a01a741b3cp-16, 0x1.71ddffef9e7b1p-19,
    0x1.27e4da1a3bf04p-22, 0x1.af52906239de4p-26, 0x1.1f75aba0b1e2ep-29,
};
// log((1 + s)/(1 - s)) = 2s + s^3 p(s^2), relative to 2s: 2^-60.7.
inline constexpr double kLog64[] = {
    0x1.5555555555555p-1, 0x1.9999999999a39p-2, 0x1.2492492476a1ap-2, 0x1.c71c7201a55d7p-3,
    0x1.745cf8e4bba1bp-3, 0x1.3b1c3c1c81c8fp-3, 0x1.0fbde0f4ad17bp-3, 0x1.0c0aff044a970p-3,
};
// tanh(x) = x + x^3 p(x^2) to 0.625, relative to x: 2^-57.0.
inline constexpr double kTanh64[] = {
    -0x1.5555555555555p-2,  0x1.11111111110a8p-3,  -0x1.ba1ba1ba0f126p-5,  0x1.664f487e0a749p-6,
    -0x1.226e3473dce5cp-7,  0x1.d6d39ae3905e2p-9,  -0x1.7d9f6f23e8682p-10, 0x1.3526e9ed54da1p-11,
    -0x1.f243823c8c981p-13, 0x1.8445870f6fe41p-14, -0x1.05bbdae896297p-15, 0x1.b33642a122cddp-18,
};
// sinh(x) = x + x^3 p(x^2) to 1, relative to x: 2^-56.4.
inline constexpr double kSinh64[] = {
    0x1.5555555555555p-3,  0x1.11111111110fdp-7,  0x1.a01a01a01ee70p-13, 0x1.71de3a4e14f40p-19,
    0x1.ae6460fae3728p-26, 0x1.611cb330c1fe8p-33, 0x1.b41232cf9950fp-41,
};
// sin(r) = r + r^3 p(r^2), relative to r: 2^-55.6.
inline constexpr double kSin64[] = {
    -0x1.5555555555555p-3, 0x1.1111111110ba5p-7,   -0x1.a01a019e80693p-13,
    0x1.71de379252004p-19, -0x1.ae60069e53ef1p-26, 0x1.5e098556d302ep-33,
};
// cos(r) = 1 - r^2/2 + r^4 p(r^2), relative to 1: 2^-60.0.
inline constexpr double kCos64[] = {
    0x1.5555555555555p-5,   -0x1.6c16c16c16960p-10, 0x1.a01a019f4d0edp-16,
    -0x1.27e4fa15bd814p-22, 0x1.1eeb66b683028p-29,  -0x1.907c0e63adbb6p-37,
};
// atan(t) = t + t^3 p(t^2), relative to t: 2^-58.1.
inline constexpr double kAtan64[] = {
    -0x1.5555555555555p-2, 0x1.9999999999952p-3, -0x1.249249248d684p-3, 0x1.c71c71c2f37e8p-4,
    -0x1.745d165a9c002p-4, 0x1.3b139279535a8p-4, -0x1.110e81459346ep-4, 0x1.e19978381e052p-5,
    -0x1.ac761b5db4f38p-5, 0x1.74c9760b1bea4p-5, -0x1.1aff6533dd0e5p-5, 0x1.0a5f8c60d732bp-6,
};
// asin(x) = x + x^3 p(x^2) to 1/2, relative to x: 2^-57.4.
inline constexpr double kAsin64[] = {
    0x1.5555555555556p-3, 0x1.3333333332ebap-4, 0x1.6db6db6e3386ep-5, 0x1.f1c71c1cb127ap-6,
    0x1.6e8bb1f16225ep-6, 0x1.1c4d31e509f36p-6, 0x1.c9cf7f8fd1c4fp-7, 0x1.782198c52ec67p-7,
    0x1.5261a3cc3c5b3p-7, 0x1.64935470bcc97p-8, 0x1.1dda92be67f40p-6, -0x1.e91659098d232p-7,
    0x1.d803378a1165bp-6,
};
// cbrt(x) = p(x) from 1/2 to 1, relative to it: 2^-19.4.
inline constexpr double kCbrt64[] = {
    0x1.822ce445e3bd8p-2, 0x1.51ffd5161a56ap+0,  -0x1.761b4eebdf5e7p+0,
    0x1.3fa98032fb060p+0, -0x1.3a2a5bf0fa828p-1, 0x1.07dfe0e61ac91p-3,
};
// Ln2, the sum of these.
inline constexpr double kLn2[] = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
// Ln2Parts, the sum of these; all but the last have 40 bits.
inline constexpr double kLn2Parts[] = {0x1.62e42fefa2000p-1, 0x1.9ef35793c6000p-41,
                                       0x1.673007e5ed5e8p-81};
// HalfPi, the sum of these.
inline constexpr double kHalfPi[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
// Pi, the sum of these.
inline constexpr double kPi[] = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
// QuarterPi, the sum of these.
inline constexpr double kQuarterPi[] = {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55};
// HalfPiParts, the sum of these; all but the last have 33 bits.
inline constexpr double kHalfPiParts[] = {0x1.921fb54400000p+0, 0x1.0b4611a600000p-34,
                                          0x1.3198a2e000000p-69, 0x1.b839a252049c1p-104};
// TwoOverSqrtPi, the sum of these.
inline constexpr double kTwoOverSqrtPi[] = {0x1.20dd750429b6dp+0, 0x1.1ae3a914fed80p-56};
// TwoThirds, the sum of these.
inline constexpr double kTwoThirds[] = {0x1.5555555555555p-1, 0x1.5555555555555p-55};
// The bits of 2/pi after the point, 64 to a word.
inline constexpr uint64_t kTwoOverPi[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d,
    0xa9e391615ee61b08,
};

}  // namespace assay::cpu::polynomials

#endif  // ASSAY_BACKENDS_CPU_VECTOR_KERNELS_POLYNOMIALS_H_
