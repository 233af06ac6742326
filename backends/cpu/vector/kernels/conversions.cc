// Conversions between lanes, each with one rounding (ops_elementwise_and_types.md 6.13), moves
// (select, copy), and what works on bit patterns (reduce-precision, 6.14;
// stochastic-convert, 6.17).
#include "backends/cpu/vector/kernels/loops.h"

namespace assay::cpu::ASSAY_CPU_ISA {
namespace {

template <typename R>
struct To : Plain {
  using Plain::Plain;
  template <typename A>
  ASSAY_INLINE R operator()(A x) const {
    return static_cast<R>(x);
  }
};

// Truncates towards zero and saturates; NaN is 0. `bits` is the width of the integer type, which
// is narrower than R for those of less than 8 bits.
template <typename R>
struct Saturated : WithBits {
  using WithBits::WithBits;
  ASSAY_INLINE R operator()(double x) const {
    if constexpr (sizeof(R) == 8) {
      constexpr double kBeyond = std::is_signed_v<R> ? 0x1p63 : 0x1p64;
      constexpr R kMost = std::is_signed_v<R> ? R{INT64_MAX} : static_cast<R>(-1);
      constexpr R kLeast = std::is_signed_v<R> ? static_cast<R>(INT64_MIN) : R{0};
      constexpr double kBelow = std::is_signed_v<R> ? -0x1p63 : 0.0;
      if (x >= kBeyond) return kMost;
      if (x <= kBelow) return kLeast;
      return x == x ? static_cast<R>(x) : R{0};
    } else {
      // The limits are doubles, and so are all the values between.
      const int held = bits < 8 * int{sizeof(R)} ? bits : 8 * int{sizeof(R)};
      const int value_bits = std::is_signed_v<R> ? held - 1 : held;
      const auto most = static_cast<double>((int64_t{1} << value_bits) - 1);
      const double least = std::is_signed_v<R> ? -most - 1 : 0;
      double clamped = x < most ? x : most;
      clamped = clamped > least ? clamped : least;
      clamped = x == x ? clamped : 0;
      using Wide = std::conditional_t<(sizeof(R) == 4 && std::is_unsigned_v<R>), int64_t, int32_t>;
      return static_cast<R>(static_cast<Wide>(clamped));
    }
  }
};

struct IsNonzero : Plain {
  using Plain::Plain;
  template <typename A>
  ASSAY_INLINE uint8_t operator()(A x) const {
    return !(x == 0);
  }
};

// The float below or at the value in magnitude if exact, else whichever neighbour is odd.
ASSAY_INLINE float OddFloat(double x) {
  const auto nearest = static_cast<float>(x);
  const auto back = static_cast<double>(nearest);
  const uint32_t pattern = Bits(nearest);
  const bool exact = back == x || x != x;
  const bool odd = (pattern & 1) != 0;
  const double magnitude = __builtin_fabs(x);
  const uint32_t towards = __builtin_fabs(back) < magnitude ? pattern + 1 : pattern - 1;
  return FromBits(exact || odd ? pattern : towards);
}
// An integer of at most 53 significant bits; a lowest bit is set where others were dropped.
ASSAY_INLINE double OddDouble(uint64_t magnitude) {
  const bool dropped = (magnitude & 0x7ff) != 0;
  const uint64_t odd = (magnitude & ~uint64_t{0x7ff}) | (dropped ? 0x800 : 0);
  return static_cast<double>(magnitude >> 53 != 0 ? odd : magnitude);
}
struct ToOdd : Plain {
  using Plain::Plain;
  template <typename A>
  ASSAY_INLINE float operator()(A x) const {
    if constexpr (!std::is_integral_v<A> || sizeof(A) < 8) {
      return OddFloat(static_cast<double>(x));
    } else if constexpr (std::is_signed_v<A>) {
      const double odd =
          OddDouble(x < 0 ? uint64_t{0} - static_cast<uint64_t>(x) : static_cast<uint64_t>(x));
      return OddFloat(x < 0 ? -odd : odd);
    } else {
      return OddFloat(OddDouble(x));
    }
  }
};

template <typename T>
struct FromReal : Plain {
  using Plain::Plain;
  template <typename A>
  ASSAY_INLINE Complex<T> operator()(A x) const {
    return {static_cast<T>(x), 0};
  }
};
template <typename T>
struct ToComplex : Plain {
  using Plain::Plain;
  template <typename A>
  ASSAY_INLINE Complex<T> operator()(Complex<A> x) const {
    return {static_cast<T>(x.re), static_cast<T>(x.im)};
  }
};

struct WrapSigned : WithBits {
  using WithBits::WithBits;
  ASSAY_INLINE int8_t operator()(uint8_t x) const {
    return static_cast<int8_t>(static_cast<int32_t>(static_cast<uint32_t>(x) << (32 - bits)) >>
                               (32 - bits));
  }
};
struct WrapUnsigned : WithBits {
  using WithBits::WithBits;
  ASSAY_INLINE uint8_t operator()(uint8_t x) const {
    return static_cast<uint8_t>(x & ((1 << bits) - 1));
  }
};

struct Select : Plain {
  using Plain::Plain;
  template <typename T>
  ASSAY_INLINE T operator()(uint8_t which, T x, T y) const {
    return which != 0 ? x : y;
  }
};
struct Copy : Plain {
  using Plain::Plain;
  template <typename T>
  ASSAY_INLINE T operator()(T x) const {
    return x;
  }
};
struct Words {
  uint64_t low, high;
};

struct ReducePrecision {
  explicit ReducePrecision(const KernelParameters& parameters) : rule(*parameters.precision) {}
  template <typename T>
  ASSAY_INLINE T operator()(T x) const {
    const uint64_t sign = x & rule.sign_mask;
    const uint64_t magnitude = x & ~rule.sign_mask;
    const uint64_t half = (uint64_t{1} << rule.dropped_bits) >> 1;
    const uint64_t odd = (magnitude >> rule.dropped_bits) & 1;
    uint64_t rounded = magnitude;
    if (rule.dropped_bits > 0) {
      rounded = (magnitude + half - 1 + odd) & ~((uint64_t{1} << rule.dropped_bits) - 1);
    }
    uint64_t result = rounded | sign;
    if (rounded < rule.zero_below) result = rule.zero_pattern | (sign & rule.zero_sign);
    if (rounded >= rule.overflow_from) result = rule.overflow_pattern | (sign & rule.overflow_sign);
    if (magnitude == rule.infinity) result = x;
    if (magnitude > rule.nan_above || x == rule.nan_pattern) {
      result = rule.nan_overflows ? rule.overflow_pattern : uint64_t{x};
    }
    return static_cast<T>(result);
  }
  const PrecisionRule rule;
};

// Rounds away from zero where the random number of `source_bits` is below the fraction's share.
struct StochasticConvert {
  explicit StochasticConvert(const KernelParameters& parameters)
      : bits(parameters.bits), source_bits(parameters.source_bits) {}
  ASSAY_INLINE int64_t operator()(double x, uint64_t random) const {
    const int64_t most = INT64_MAX >> (64 - bits);
    const int64_t least = -most - 1;
    if (x != x) return 0;
    if (x >= static_cast<double>(most)) return most;
    if (x <= static_cast<double>(least)) return least;
    const double magnitude = __builtin_fabs(x);
    const auto whole = static_cast<int64_t>(magnitude);
    const double fraction = magnitude - static_cast<double>(whole);
    const double scale =
        source_bits == 64 ? 0x1p64 : static_cast<double>(uint64_t{1} << source_bits);
    const auto threshold = static_cast<uint64_t>(fraction * scale);
    const int64_t away = random < threshold ? 1 : 0;
    if (x < 0) return -whole - away;
    return whole > most - away ? most : whole + away;
  }
  int32_t bits;
  int32_t source_bits;
};

template <typename R, typename A>
void FillPair(KernelTable& table) {
  constexpr int kTo = static_cast<int>(LaneFor<R>());
  constexpr int kFrom = static_cast<int>(LaneFor<A>());
  if constexpr (std::is_floating_point_v<A> && std::is_integral_v<R>) {
    table.convert[kTo][kFrom] = Unary<Saturated<R>, R, A>;
  } else {
    table.convert[kTo][kFrom] = Unary<To<R>, R, A>;
  }
}

template <typename A>
void FillFrom(KernelTable& table) {
  FillPair<int8_t, A>(table);
  FillPair<int16_t, A>(table);
  FillPair<int32_t, A>(table);
  FillPair<int64_t, A>(table);
  FillPair<uint8_t, A>(table);
  FillPair<uint16_t, A>(table);
  FillPair<uint32_t, A>(table);
  FillPair<uint64_t, A>(table);
  FillPair<float, A>(table);
  FillPair<double, A>(table);
  constexpr int kFrom = static_cast<int>(LaneFor<A>());
  table.is_nonzero[kFrom] = Unary<IsNonzero, uint8_t, A>;
  table.to_odd[kFrom] = Unary<ToOdd, float, A>;
}

template <typename T>
void Repeat(Operands operands, std::byte* result, int64_t n, const KernelParameters&) {
  const T element = reinterpret_cast<const Stored<T>*>(operands[0])->value;
  auto* r = reinterpret_cast<Stored<T>*>(result);
  ASSAY_VECTOR_LOOP
  for (int64_t i = 0; i < n; ++i) r[i].value = element;
}

template <typename T>
void FillMoves(KernelTable& table, int log_bytes) {
  table.select[log_bytes] = Ternary<Select, T, uint8_t, T>;
  table.copy[log_bytes] = Unary<Copy, T, T>;
  table.repeat[log_bytes] = Repeat<T>;
}

}  // namespace

void FillConversions(KernelTable& table) {
  FillFrom<int8_t>(table);
  FillFrom<int16_t>(table);
  FillFrom<int32_t>(table);
  FillFrom<int64_t>(table);
  FillFrom<uint8_t>(table);
  FillFrom<uint16_t>(table);
  FillFrom<uint32_t>(table);
  FillFrom<uint64_t>(table);
  FillFrom<float>(table);
  FillFrom<double>(table);
  constexpr int kC64 = static_cast<int>(Lane::kC64);
  constexpr int kC128 = static_cast<int>(Lane::kC128);
  constexpr int kF32 = static_cast<int>(Lane::kF32);
  constexpr int kF64 = static_cast<int>(Lane::kF64);
  table.convert[kC64][kF32] = Unary<FromReal<float>, Complex<float>, float>;
  table.convert[kC128][kF64] = Unary<FromReal<double>, Complex<double>, double>;
  table.convert[kC64][kC128] = Unary<ToComplex<float>, Complex<float>, Complex<double>>;
  table.convert[kC128][kC64] = Unary<ToComplex<double>, Complex<double>, Complex<float>>;
  table.wrap_signed = Unary<WrapSigned, int8_t, uint8_t>;
  table.wrap_unsigned = Unary<WrapUnsigned, uint8_t, uint8_t>;
  FillMoves<uint8_t>(table, 0);
  FillMoves<uint16_t>(table, 1);
  FillMoves<uint32_t>(table, 2);
  FillMoves<uint64_t>(table, 3);
  FillMoves<Words>(table, 4);
  table.reduce_precision[0] = Unary<ReducePrecision, uint8_t, uint8_t>;
  table.reduce_precision[1] = Unary<ReducePrecision, uint16_t, uint16_t>;
  table.reduce_precision[2] = Unary<ReducePrecision, uint32_t, uint32_t>;
  table.reduce_precision[3] = Unary<ReducePrecision, uint64_t, uint64_t>;
  table.stochastic_convert = Binary<StochasticConvert, int64_t, double, uint64_t>;
}

}  // namespace assay::cpu::ASSAY_CPU_ISA
