// Loops on types that the machine has: f32, f64 and the integers of whole bytes, as templates that
// the compiler vectorises. A hardware operation on f32 or f64 is the exact result rounded once;
// only the NaN it makes is replaced by the canonical one. Tests: kernels_test.cc.
#include <bit>
#include <limits>
#include <type_traits>

#include "evaluator/kernels/element_loops.h"
#include "evaluator/kernels/kernel.h"

namespace assay::kernels {
namespace {

template <typename T>
using Bits =
    std::conditional_t<sizeof(T) == 1, uint8_t,
                       std::conditional_t<sizeof(T) == 2, uint16_t,
                                          std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>>;

template <typename T>
T Canonical(T value) {
  return value == value ? value : std::numeric_limits<T>::quiet_NaN();
}

// Integers compute in the unsigned type, where overflow wraps; the narrow ones without promotion to
// int, whose product of two uint16_t would overflow.
template <typename T>
using Modular = std::conditional_t<(sizeof(T) < 4), uint32_t, std::make_unsigned_t<T>>;

struct Add {
  template <typename T>
  static T Of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return Canonical(a + b);
    } else {
      return static_cast<T>(static_cast<Modular<T>>(a) + static_cast<Modular<T>>(b));
    }
  }
};
struct Subtract {
  template <typename T>
  static T Of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return Canonical(a - b);
    } else {
      return static_cast<T>(static_cast<Modular<T>>(a) - static_cast<Modular<T>>(b));
    }
  }
};
struct Multiply {
  template <typename T>
  static T Of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return Canonical(a * b);
    } else {
      return static_cast<T>(static_cast<Modular<T>>(a) * static_cast<Modular<T>>(b));
    }
  }
};
struct Divide {
  template <typename T>
  static T Of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return Canonical(a / b);
    } else {
      if (b == 0) return static_cast<T>(-1);
      if (std::is_signed_v<T> && b == static_cast<T>(-1)) return Subtract::Of<T>(0, a);
      return static_cast<T>(a / b);
    }
  }
};
struct Remainder {
  template <typename T>
  static T Of(T a, T b) {
    if (b == 0) return a;
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
    return static_cast<T>(a % b);
  }
};

// Equal floats have equal bits, but for zeros: +0 is the larger.
struct Maximum {
  template <typename T>
  static T Of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      const T equal = std::bit_cast<T>(std::bit_cast<Bits<T>>(a) & std::bit_cast<Bits<T>>(b));
      const T larger = a > b ? a : b;
      const T ordered = a == b ? equal : larger;
      return a == a && b == b ? ordered : std::numeric_limits<T>::quiet_NaN();
    } else {
      return a > b ? a : b;
    }
  }
};
struct Minimum {
  template <typename T>
  static T Of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      const T equal = std::bit_cast<T>(std::bit_cast<Bits<T>>(a) | std::bit_cast<Bits<T>>(b));
      const T smaller = a < b ? a : b;
      const T ordered = a == b ? equal : smaller;
      return a == a && b == b ? ordered : std::numeric_limits<T>::quiet_NaN();
    } else {
      return a < b ? a : b;
    }
  }
};

struct And {
  template <typename T>
  static T Of(T a, T b) {
    return a & b;
  }
};
struct Or {
  template <typename T>
  static T Of(T a, T b) {
    return a | b;
  }
};
struct Xor {
  template <typename T>
  static T Of(T a, T b) {
    return a ^ b;
  }
};

// The amount is the pattern read as unsigned; from the width on everything is shifted out.
struct ShiftLeft {
  template <typename T>
  static T Of(T a, T b) {
    constexpr unsigned kWidth = 8 * sizeof(T);
    const auto amount = static_cast<Bits<T>>(b);
    const auto shifted = static_cast<Modular<T>>(static_cast<Bits<T>>(a)) << (amount % kWidth);
    return static_cast<T>(amount < kWidth ? shifted : 0);
  }
};
struct ShiftRightLogical {
  template <typename T>
  static T Of(T a, T b) {
    constexpr unsigned kWidth = 8 * sizeof(T);
    const auto amount = static_cast<Bits<T>>(b);
    const auto shifted = static_cast<Modular<T>>(static_cast<Bits<T>>(a)) >> (amount % kWidth);
    return static_cast<T>(amount < kWidth ? shifted : 0);
  }
};

struct Negate {
  template <typename T>
  static T Of(T x) {
    if constexpr (std::is_floating_point_v<T>) {
      return -x;
    } else {
      return Subtract::Of<T>(0, x);
    }
  }
};
struct Abs {
  template <typename T>
  static T Of(T x) {
    if constexpr (std::is_floating_point_v<T>) {
      constexpr Bits<T> kMagnitude = std::numeric_limits<Bits<T>>::max() >> 1;
      return std::bit_cast<T>(static_cast<Bits<T>>(std::bit_cast<Bits<T>>(x) & kMagnitude));
    } else {
      return x < 0 ? Subtract::Of<T>(0, x) : x;
    }
  }
};
struct Not {
  template <typename T>
  static T Of(T x) {
    return static_cast<T>(~x);
  }
};

template <ComparisonDirection kDirection>
struct Holds {
  template <typename T>
  static uint8_t Of(T a, T b) {
    switch (kDirection) {
      case ComparisonDirection::kEq:
        return a == b;
      case ComparisonDirection::kNe:
        return a != b;
      case ComparisonDirection::kGe:
        return a >= b;
      case ComparisonDirection::kGt:
        return a > b;
      case ComparisonDirection::kLe:
        return a <= b;
      case ComparisonDirection::kLt:
        return a < b;
    }
  }
};

// `kParts` is 2 for complex types, which some operations treat part by part.
template <typename T, typename Op, int kParts = 1>
void RunUnary(const ScalarFunction&, const std::byte* x, std::byte* out, int64_t n,
              EvaluationContext&) {
  ASSAY_INDEPENDENT_TURNS
  for (int64_t i = 0; i < kParts * n; ++i) StoreAt(out, i, Op::template Of<T>(LoadAt<T>(x, i)));
}

template <typename T, typename Op, int kParts = 1>
void RunBinary(const ScalarFunction&, const std::byte* a, const std::byte* b, std::byte* out,
               int64_t n, EvaluationContext&) {
  ASSAY_INDEPENDENT_TURNS
  for (int64_t i = 0; i < kParts * n; ++i) {
    StoreAt(out, i, Op::template Of<T>(LoadAt<T>(a, i), LoadAt<T>(b, i)));
  }
}

template <typename T>
void RunSelect(const ScalarFunction&, const std::byte* a, const std::byte* b, const std::byte* c,
               std::byte* out, int64_t n, EvaluationContext&) {
  ASSAY_INDEPENDENT_TURNS
  for (int64_t i = 0; i < n; ++i) {
    const T on_true = LoadAt<T>(b, i);
    const T on_false = LoadAt<T>(c, i);
    StoreAt(out, i, LoadAt<uint8_t>(a, i) != 0 ? on_true : on_false);
  }
}

// What the tables below need: the loop of an operation for each type that has it.
enum Types : unsigned { kFloats = 1, kIntegers = 2, kComplexParts = 4, kPreds = 8 };

template <typename Op, unsigned kTypes>
BinaryLoop BinaryFor(ElementType type) {
  if constexpr ((kTypes & kFloats) != 0) {
    if (type == ElementType::kF32) return RunBinary<float, Op>;
    if (type == ElementType::kF64) return RunBinary<double, Op>;
  }
  if constexpr ((kTypes & kComplexParts) != 0) {
    if (type == ElementType::kC64) return RunBinary<float, Op, 2>;
    if (type == ElementType::kC128) return RunBinary<double, Op, 2>;
  }
  if constexpr ((kTypes & kPreds) != 0) {
    if (type == ElementType::kPred) return RunBinary<uint8_t, Op>;
  }
  if constexpr ((kTypes & kIntegers) != 0) {
    switch (type) {
      case ElementType::kS8:
        return RunBinary<int8_t, Op>;
      case ElementType::kS16:
        return RunBinary<int16_t, Op>;
      case ElementType::kS32:
        return RunBinary<int32_t, Op>;
      case ElementType::kS64:
        return RunBinary<int64_t, Op>;
      case ElementType::kU8:
        return RunBinary<uint8_t, Op>;
      case ElementType::kU16:
        return RunBinary<uint16_t, Op>;
      case ElementType::kU32:
        return RunBinary<uint32_t, Op>;
      case ElementType::kU64:
        return RunBinary<uint64_t, Op>;
      default:
        break;
    }
  }
  return nullptr;
}

BinaryLoop CompareFor(const ScalarOp& op) {
  if (IsFloat(op.operand_type) && op.comparison_type == ComparisonType::kTotalOrder) return nullptr;
  switch (op.direction) {
#define ASSAY_DIRECTION(d)     \
  case ComparisonDirection::d: \
    return BinaryFor<Holds<ComparisonDirection::d>, kFloats | kIntegers | kPreds>(op.operand_type);
    ASSAY_DIRECTION(kEq)
    ASSAY_DIRECTION(kNe)
    ASSAY_DIRECTION(kGe)
    ASSAY_DIRECTION(kGt)
    ASSAY_DIRECTION(kLe)
    ASSAY_DIRECTION(kLt)
#undef ASSAY_DIRECTION
  }
  return nullptr;
}

}  // namespace

BinaryLoop FindNativeBinaryLoop(const ScalarOp& op) {
  const ElementType type = op.operand_type;
  const bool pred = IsPred(type);
  switch (op.opcode) {
    case Opcode::kAdd:
      if (pred) return BinaryFor<Or, kPreds>(type);
      return BinaryFor<Add, kFloats | kIntegers | kComplexParts>(type);
    case Opcode::kSubtract:
      return BinaryFor<Subtract, kFloats | kIntegers | kComplexParts>(type);
    case Opcode::kMultiply:
      if (pred) return BinaryFor<And, kPreds>(type);
      return BinaryFor<Multiply, kFloats | kIntegers>(type);
    case Opcode::kDivide:
      return BinaryFor<Divide, kFloats | kIntegers>(type);
    case Opcode::kRemainder:
      return BinaryFor<Remainder, kIntegers>(type);
    case Opcode::kMaximum:
      return BinaryFor<Maximum, kFloats | kIntegers | kPreds>(type);
    case Opcode::kMinimum:
      return BinaryFor<Minimum, kFloats | kIntegers | kPreds>(type);
    case Opcode::kAnd:
      return BinaryFor<And, kIntegers | kPreds>(type);
    case Opcode::kOr:
      return BinaryFor<Or, kIntegers | kPreds>(type);
    case Opcode::kXor:
      return BinaryFor<Xor, kIntegers | kPreds>(type);
    case Opcode::kShiftLeft:
      return BinaryFor<ShiftLeft, kIntegers>(type);
    case Opcode::kShiftRightLogical:
      return BinaryFor<ShiftRightLogical, kIntegers>(type);
    case Opcode::kCompare:
      return CompareFor(op);
    default:
      return nullptr;
  }
}

UnaryLoop FindNativeUnaryLoop(const ScalarOp& op) {
#define ASSAY_ROW(name, type, T, Op, parts)                                \
  if (op.opcode == Opcode::name && op.operand_type == ElementType::type) { \
    return RunUnary<T, Op, parts>;                                         \
  }
  ASSAY_ROW(kNegate, kF32, float, Negate, 1)
  ASSAY_ROW(kNegate, kF64, double, Negate, 1)
  ASSAY_ROW(kNegate, kC64, float, Negate, 2)
  ASSAY_ROW(kNegate, kC128, double, Negate, 2)
  ASSAY_ROW(kNegate, kS32, int32_t, Negate, 1)
  ASSAY_ROW(kNegate, kS64, int64_t, Negate, 1)
  ASSAY_ROW(kAbs, kF32, float, Abs, 1)
  ASSAY_ROW(kAbs, kF64, double, Abs, 1)
  ASSAY_ROW(kAbs, kS32, int32_t, Abs, 1)
  ASSAY_ROW(kAbs, kS64, int64_t, Abs, 1)
  ASSAY_ROW(kNot, kS32, uint32_t, Not, 1)
  ASSAY_ROW(kNot, kU32, uint32_t, Not, 1)
  ASSAY_ROW(kNot, kS64, uint64_t, Not, 1)
  ASSAY_ROW(kNot, kU64, uint64_t, Not, 1)
#undef ASSAY_ROW
  return nullptr;
}

TernaryLoop FindNativeSelectLoop(const ScalarOp& op) {
  if (op.opcode != Opcode::kSelect) return nullptr;
  switch (StorageBytes(op.operand_type)) {
    case 1:
      return RunSelect<uint8_t>;
    case 2:
      return RunSelect<uint16_t>;
    case 4:
      return RunSelect<uint32_t>;
    case 8:
      return RunSelect<uint64_t>;
    default:
      return nullptr;
  }
}

}  // namespace assay::kernels
