#include "backends/testing/accuracy.h"

#include <atomic>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <optional>
#include <random>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "backends/testing/complex_estimate.h"
#include "evaluator/real/mpfr_functions.h"
#include "evaluator/real/real_functions.h"
#include "evaluator/scalar/rounded_functions.h"
#include "runtime/float_environment.h"
#include "spec/text/parser.h"

namespace assay::measure {
namespace {

constexpr int64_t kChunk = 4096;
// The number of results that are compared at a time.
constexpr int64_t kCompared = 64;

// Operand number i of the sample.
class Sample {
 public:
  Sample(Opcode opcode, ElementType type, int arity, int64_t inputs)
      : type_(type), part_(type), arity_(arity) {
    // Of these the angle loses bits elsewhere: docs/cpu_accuracy.md.
    ordinary_ = IsComplex(type) && (opcode == Opcode::kPower || opcode == Opcode::kAtan2);
    if (IsComplex(type)) part_ = Info(type).component;
    const int bits = Info(type).bits;
    patterns_ = arity == 1 && !IsComplex(type) && bits <= 32;
    total_ = int64_t{1} << (patterns_ ? bits : 40);
    count_ = std::min(inputs, total_);
    // Odd, so that all low bits occur.
    stride_ = patterns_ ? std::max<int64_t>(1, total_ / count_) | 1 : 1;
    if (patterns_) count_ = (total_ + stride_ - 1) / stride_;
  }
  int64_t count() const { return count_; }
  bool every_input() const { return patterns_ && stride_ == 1; }

  // Stores the operands of inputs `first` to `first + n`.
  void Fill(int64_t first, int64_t n, std::vector<std::vector<std::byte>>& operands) const {
    if (patterns_) {
      for (int64_t i = 0; i < n; ++i) StorePattern((first + i) * stride_, operands[0].data(), i);
      return;
    }
    std::mt19937_64 random(first * 1000003 + static_cast<int>(type_));
    for (int64_t i = 0; i < n; ++i) {
      for (int k = 0; k < arity_; ++k) {
        Element x;
        x.bits = Any(random);
        x.imag = IsComplex(type_) ? Any(random) : 0;
        StoreElement(type_, x, operands[k].data(), i);
      }
    }
  }

 private:
  void StorePattern(uint64_t pattern, std::byte* to, int64_t i) const {
    if (Info(type_).storage_bytes == sizeof(uint32_t)) {
      const auto bits = static_cast<uint32_t>(pattern);
      std::memcpy(to + i * sizeof(bits), &bits, sizeof(bits));
    } else {
      StoreElement(type_, {.bits = pattern}, to, i);
    }
  }
  uint64_t Any(std::mt19937_64& random) const {
    const int bits = Info(part_).bits;
    if (random() % 2 == 0 && !ordinary_) return random() >> (64 - bits);
    const double u = std::ldexp(static_cast<double>(random() >> 11), -53);
    const double x = std::ldexp(1 + u, static_cast<int>(random() % 20) - 12);
    return EncodeFloat(part_, random() % 2 == 0 ? x : -x);
  }

  ElementType type_, part_;
  int arity_;
  bool patterns_, ordinary_;
  int64_t total_, count_, stride_;
};

// One unit in the last place of results near x.
double Unit(ElementType type, double x) {
  const FloatFormat& f = *Info(type).format;
  int exponent = f.min_exponent();
  if (x != 0 && std::isfinite(x)) exponent = std::max(exponent, std::ilogb(x));
  return std::ldexp(1.0, exponent - f.significand_bits);
}

// The number, or what would be next to the largest one where it is infinite.
double Value(ElementType type, uint64_t bits) {
  const double x = DecodeFloat(type, bits);
  if (std::isinf(x) && type != ElementType::kF64) {
    return std::copysign(std::ldexp(1.0, Info(type).format->max_exponent() + 1), x);
  }
  return x;
}

double RealError(ElementType type, Opcode opcode, const std::vector<double>& x, uint64_t expected,
                 uint64_t actual) {
  if (expected == actual) return 0;
  if (IsNan(type, expected) || IsNan(type, actual)) {
    return IsNan(type, expected) && IsNan(type, actual) ? 0 : INFINITY;
  }
  evaluator::testing::Mpfr exact(300, x[0]);
  if (x.size() == 2) {
    const evaluator::testing::Mpfr second(300, x[1]);
    const auto function = opcode == Opcode::kPower       ? mpfr_pow
                          : opcode == Opcode::kRemainder ? mpfr_fmod
                                                         : mpfr_atan2;
    function(exact, exact, second, MPFR_RNDN);
  } else {
    for (const evaluator::testing::NamedFunction& named : evaluator::testing::kNamedFunctions) {
      if (named.function == evaluator::FindRoundedFunction(opcode, type).unary) {
        exact = evaluator::testing::Apply(named, x[0], 300);
      }
    }
  }
  const double unit = Unit(type, mpfr_get_d(exact, MPFR_RNDZ));
  evaluator::testing::Mpfr difference(300, Value(type, actual));
  if (mpfr_inf_p(difference.get())) {
    if (mpfr_inf_p(exact.get())) return 0;
    mpfr_set_ui_2exp(difference, 1, 1024, MPFR_RNDN);
    if (IsNegative(type, actual)) mpfr_neg(difference, difference, MPFR_RNDN);
  }
  mpfr_sub(difference, difference, exact, MPFR_RNDN);
  mpfr_div_d(difference, difference, unit, MPFR_RNDN);
  // Zeros of different sign.
  return std::max(std::abs(mpfr_get_d(difference, MPFR_RNDN)), 1e-3);
}

constexpr double kEstimateError = 0x1p-20;
// The error of a finite result of at most 32 bits, to kEstimateError units: the evaluator's f64
// result takes the place of the exact one. MPFR takes a hundred times as long.
std::optional<double> EstimatedError(ElementType type, Opcode opcode, const std::vector<double>& x,
                                     uint64_t actual) {
  if (Info(type).bits > 32 || opcode == Opcode::kRemainder) return std::nullopt;
  const evaluator::RoundedFunction function =
      evaluator::FindRoundedFunction(opcode, ElementType::kF64);
  const auto* first = reinterpret_cast<const std::byte*>(&x[0]);
  double exact;
  auto* to = reinterpret_cast<std::byte*>(&exact);
  if (x.size() == 1) {
    evaluator::EvaluateBlock(*function.unary, ElementType::kF64, first, to, 1);
  } else {
    const auto* second = reinterpret_cast<const std::byte*>(&x[1]);
    evaluator::EvaluateBlock2(*function.binary, ElementType::kF64, first, second, to, 1);
  }
  const double value = Value(type, actual);
  if (!std::isfinite(exact) || !std::isfinite(value)) return std::nullopt;
  return std::abs(value - exact) / Unit(type, exact);
}

double ComplexError(ElementType type, Element expected, Element actual) {
  const ElementType part = Info(type).component;
  const double re = DecodeFloat(part, expected.bits), im = DecodeFloat(part, expected.imag);
  // What is infinite or NaN is the tests' affair.
  if (!std::isfinite(re) || !std::isfinite(im)) return 0;
  const double unit = Unit(part, std::max(std::abs(re), std::abs(im)));
  const double error = std::max(std::abs(DecodeFloat(part, actual.bits) - re),
                                std::abs(DecodeFloat(part, actual.imag) - im)) /
                       unit;
  return std::isnan(error) ? INFINITY : error;
}

std::complex<double> Decoded(ElementType part, Element x) {
  return {DecodeFloat(part, x.bits), DecodeFloat(part, x.imag)};
}

// Returns true if `actual` is certainly the number of f32 that is nearest to a number about
// `estimate`, or both lie beyond the largest one or are NaN.
bool SurelyNearest(double estimate, double actual) {
  constexpr double kBeyond = 0x1p128;
  if (!(std::abs(estimate) < kBeyond) || !std::isfinite(actual)) {
    return !(std::abs(estimate) < 2 * kBeyond) && !std::isfinite(actual);
  }
  return std::abs(actual - estimate) <= (0.5 - kEstimateError) * Unit(ElementType::kF32, estimate);
}

// Returns true if the estimate shows that a complex result of f32 is the correctly rounded one, or
// has a part that is infinite or NaN.
bool SurelyNearest(Opcode opcode, Element x, Element y, Element actual) {
  const ElementType f32 = ElementType::kF32;
  const auto estimate = EstimateComplex(opcode, Decoded(f32, x), Decoded(f32, y));
  if (!estimate.has_value()) return false;
  const std::complex<double> got = Decoded(f32, actual);
  return SurelyNearest(estimate->real(), got.real()) && SurelyNearest(estimate->imag(), got.imag());
}

class Measuring {
 public:
  Measuring(Opcode opcode, ElementType type, const BlockComputation& compute, int64_t inputs)
      : arity_(assay::Info(opcode).arity),
        sample_(opcode, type, arity_, inputs),
        compute_(compute) {
    result_ = {.opcode = opcode,
               .type = type,
               .inputs = sample_.count(),
               .every_input = sample_.every_input(),
               .where = {}};
  }

  // Takes chunks until there are none left.
  void Run() {
    const runtime::FloatEnvironmentGuard guard;
    Accuracy best = result_;
    const ElementType type = result_.type;
    const int64_t bytes = Info(type).storage_bytes;
    std::vector<std::vector<std::byte>> operands(arity_, std::vector<std::byte>(kChunk * bytes));
    std::vector<const std::byte*> addresses;
    for (const std::vector<std::byte>& operand : operands) addresses.push_back(operand.data());
    std::vector<std::byte> expected(kChunk * bytes), actual(kChunk * bytes);
    for (int64_t first; (first = next_.fetch_add(kChunk)) < sample_.count();) {
      const int64_t n = std::min(kChunk, sample_.count() - first);
      sample_.Fill(first, n, operands);
      compute_(addresses, actual.data(), n);
      if (type == ElementType::kC64) {
        CompareEstimated(addresses, actual.data(), n, best);
        continue;
      }
      Evaluate(addresses, expected.data(), n);
      for (int64_t begin = 0; begin < n; begin += kCompared) {
        const int64_t end = std::min(n, begin + kCompared);
        if (std::memcmp(expected.data() + begin * bytes, actual.data() + begin * bytes,
                        (end - begin) * bytes) == 0) {
          continue;
        }
        for (int64_t i = begin; i < end; ++i) {
          Compare(addresses, i, LoadElement(type, expected.data(), i),
                  LoadElement(type, actual.data(), i), best);
        }
      }
    }
    const std::lock_guard lock(mutex_);
    result_.not_nearest += best.not_nearest;
    if (best.largest > result_.largest) {
      result_.largest = best.largest;
      result_.where = best.where;
    }
  }

  const Accuracy& result() const { return result_; }

 private:
  // Stores the correctly rounded results.
  void Evaluate(absl::Span<const std::byte* const> operands, std::byte* expected, int64_t n) const {
    const ElementType type = result_.type;
    if (result_.opcode == Opcode::kRemainder) {
      // Exact in f64, and representable in the type of the operands.
      for (int64_t i = 0; i < n; ++i) {
        const double x = DecodeFloat(type, LoadElement(type, operands[0], i).bits);
        const double y = DecodeFloat(type, LoadElement(type, operands[1], i).bits);
        StoreElement(type, {.bits = EncodeFloat(type, std::fmod(x, y))}, expected, i);
      }
      return;
    }
    const evaluator::RoundedFunction function =
        evaluator::FindRoundedFunction(result_.opcode, type);
    if (arity_ == 1) {
      evaluator::EvaluateBlock(*function.unary, type, operands[0], expected, n);
    } else {
      evaluator::EvaluateBlock2(*function.binary, type, operands[0], operands[1], expected, n);
    }
  }

  // Compares complex results of f32. The evaluator decides where the estimate does not.
  void CompareEstimated(absl::Span<const std::byte* const> operands, const std::byte* actual,
                        int64_t n, Accuracy& best) const {
    const ElementType type = result_.type;
    const int64_t bytes = Info(type).storage_bytes;
    for (int64_t i = 0; i < n; ++i) {
      const Element got = LoadElement(type, actual, i);
      const Element x = LoadElement(type, operands[0], i);
      const Element y = arity_ == 2 ? LoadElement(type, operands[1], i) : Element();
      if (SurelyNearest(result_.opcode, x, y, got)) continue;
      std::vector<const std::byte*> single;
      for (const std::byte* operand : operands) single.push_back(operand + i * bytes);
      Element want;
      std::byte expected[sizeof(want)];
      Evaluate(single, expected, 1);
      want = LoadElement(type, expected, 0);
      Compare(operands, i, want, got, best);
    }
  }

  // Enters result i into `best`.
  void Compare(absl::Span<const std::byte* const> operands, int64_t i, Element want, Element got,
               Accuracy& best) const {
    if (want == got) return;
    const ElementType type = result_.type;
    std::vector<Element> where;
    std::vector<double> x;
    for (const std::byte* operand : operands) {
      where.push_back(LoadElement(type, operand, i));
      x.push_back(DecodedPart(type, where.back()));
    }
    if (!IsComplex(type)) {
      const auto estimate = EstimatedError(type, result_.opcode, x, got.bits);
      if (estimate.has_value() && *estimate + kEstimateError <= best.largest) {
        ++best.not_nearest;
        return;
      }
    }
    const double error = IsComplex(type) ? ComplexError(type, want, got)
                                         : RealError(type, result_.opcode, x, want.bits, got.bits);
    if (error == 0) return;
    ++best.not_nearest;
    if (error <= best.largest) return;
    best.largest = error;
    best.where = std::move(where);
  }

  static double DecodedPart(ElementType type, Element x) {
    return DecodeFloat(IsComplex(type) ? Info(type).component : type, x.bits);
  }

  int arity_;
  Sample sample_;
  Accuracy result_;
  const BlockComputation& compute_;
  std::atomic<int64_t> next_ = 0;
  std::mutex mutex_;
};

}  // namespace

std::vector<Opcode> MeasuredFunctions(ElementType type) {
  std::vector<Opcode> opcodes;
  for (const OpInfo& info : Catalogue()) {
    const bool function = info.accuracy == assay::Accuracy::kFunction && info.elementwise();
    const bool product = info.opcode == Opcode::kMultiply || info.opcode == Opcode::kDivide ||
                         info.opcode == Opcode::kSign;
    const bool remainder = info.opcode == Opcode::kRemainder && IsFloat(type);
    if ((function || remainder || (product && IsComplex(type))) && info.types.Contains(type)) {
      opcodes.push_back(info.opcode);
    }
  }
  return opcodes;
}

Accuracy Measure(Opcode opcode, ElementType type, const BlockComputation& compute, int64_t inputs,
                 int threads) {
  Measuring measuring(opcode, type, compute, inputs);
  std::vector<std::thread> helpers;
  for (int i = 1; i < threads; ++i) helpers.emplace_back([&measuring] { measuring.Run(); });
  measuring.Run();
  for (std::thread& helper : helpers) helper.join();
  return measuring.result();
}

std::unique_ptr<Module> ModuleOf(Opcode opcode, ElementType type) {
  const std::string name(Name(type));
  const bool two = assay::Info(opcode).arity == 2;
  auto module = ParseModule(
      absl::StrCat("HloModule m\nENTRY e {\n p0 = ", name, "[] parameter(0)\n",
                   two ? absl::StrCat(" p1 = ", name, "[] parameter(1)\n") : "", " ROOT r = ", name,
                   "[] ", std::string(Name(opcode)), two ? "(p0, p1)\n}" : "(p0)\n}"));
  return *std::move(module);
}

std::string TableHeading(ElementType type) {
  return absl::StrCat(
      "\n## ", std::string(Name(type)),
      "\n\n| function | inputs | largest error | not nearest | operands of the largest error |\n"
      "|---|---|---|---|---|\n");
}

std::string TableRow(const Accuracy& accuracy) {
  std::string where;
  for (const Element x : accuracy.where) {
    const bool pair = IsComplex(accuracy.type);
    const int digits = Info(pair ? Info(accuracy.type).component : accuracy.type).bits / 4;
    absl::StrAppend(&where, where.empty() ? "" : ", ", absl::StrFormat("%0*x", digits, x.bits),
                    pair ? absl::StrFormat("+%0*xi", digits, x.imag) : "");
  }
  return absl::StrFormat(
      "| %s | %s | %s | %d | %s |\n", std::string(Name(accuracy.opcode)),
      accuracy.every_input ? "all" : absl::StrCat(accuracy.inputs),
      accuracy.largest <= 0.5 ? "0.50" : absl::StrFormat("%.2f", accuracy.largest),
      accuracy.not_nearest, where);
}

void PrintTables(
    int64_t inputs, int64_t pairs, const std::string& only, const std::string& only_type,
    const std::function<Accuracy(Opcode, ElementType, int64_t inputs, int threads)>& measured) {
  for (const ElementType type : {ElementType::kBF16, ElementType::kF16, ElementType::kF32,
                                 ElementType::kF64, ElementType::kC64, ElementType::kC128}) {
    if (!only_type.empty() && Name(type) != only_type) continue;
    std::fputs(TableHeading(type).c_str(), stdout);
    for (const Opcode opcode : MeasuredFunctions(type)) {
      if (!only.empty() && Name(opcode) != only) continue;
      const bool sampled = Info(opcode).arity == 2 || Info(type).bits > 32;
      std::fputs(TableRow(measured(opcode, type, sampled ? pairs : inputs, 2)).c_str(), stdout);
      std::fflush(stdout);
    }
  }
}

}  // namespace assay::measure
