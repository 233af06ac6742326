// Tests: complex_sweep_test.cc.
#include "conformance/prove/complex_sweep.h"

#include <mpc.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/real/mpfr_oracle.h"

namespace assay::conformance::prove {
namespace {

using ::assay::evaluator::testing::Mpfr;
using ::assay::evaluator::testing::RoundByOracle;
using ::assay::evaluator::testing::SameValue;

using OneOperand = int (*)(mpc_ptr, mpc_srcptr, mpc_rnd_t);
using TwoOperands = int (*)(mpc_ptr, mpc_srcptr, mpc_srcptr, mpc_rnd_t);

struct OneRow {
  const char* name;
  evaluator::RealFunction function;
  OneOperand oracle;
};
constexpr OneRow kOneOperand[] = {
    {"acos", evaluator::RealFunction::kAcos, mpc_acos},
    {"acosh", evaluator::RealFunction::kAcosh, mpc_acosh},
    {"asin", evaluator::RealFunction::kAsin, mpc_asin},
    {"asinh", evaluator::RealFunction::kAsinh, mpc_asinh},
    {"atan", evaluator::RealFunction::kAtan, mpc_atan},
    {"atanh", evaluator::RealFunction::kAtanh, mpc_atanh},
    {"cos", evaluator::RealFunction::kCos, mpc_cos},
    {"cosh", evaluator::RealFunction::kCosh, mpc_cosh},
    {"exp", evaluator::RealFunction::kExp, mpc_exp},
    {"log", evaluator::RealFunction::kLog, mpc_log},
    {"sin", evaluator::RealFunction::kSin, mpc_sin},
    {"sinh", evaluator::RealFunction::kSinh, mpc_sinh},
    {"sqrt", evaluator::RealFunction::kSqrt, mpc_sqrt},
    {"tan", evaluator::RealFunction::kTan, mpc_tan},
    {"tanh", evaluator::RealFunction::kTanh, mpc_tanh},
};
struct TwoRow {
  const char* name;
  evaluator::RealFunction2 function;
  TwoOperands oracle;
};
constexpr TwoRow kTwoOperands[] = {
    {"multiply", evaluator::RealFunction2::kMultiply, mpc_mul},
    {"divide", evaluator::RealFunction2::kDivide, mpc_div},
    {"power", evaluator::RealFunction2::kPower, mpc_pow},
};

class Mpc {
 public:
  explicit Mpc(mpfr_prec_t precision) { mpc_init2(value_, precision); }
  Mpc(const Mpc&) = delete;
  Mpc& operator=(const Mpc&) = delete;
  ~Mpc() { mpc_clear(value_); }
  mpc_ptr get() { return value_; }
  Mpfr Part(bool imag) const {
    Mpfr part(mpfr_get_prec(mpc_realref(value_)));
    mpfr_set(part, imag ? mpc_imagref(value_) : mpc_realref(value_), MPFR_RNDN);
    return part;
  }

 private:
  mpc_t value_;
};

// One part with an error of at most half a unit, or none.
std::optional<uint64_t> RoundPart(ElementType part, const Mpfr& value, bool exact) {
  if (exact || !mpfr_regular_p(value.get())) return RoundByOracle(part, value);
  Mpfr low(value), high(value);
  mpfr_nextbelow(low);
  mpfr_nextabove(high);
  const uint64_t pattern = RoundByOracle(part, low);
  return pattern == RoundByOracle(part, high) ? std::optional(pattern) : std::nullopt;
}

// `compute(out)` leaves the value in `out` and returns MPC's ternary value.
template <class Compute>
std::optional<Element> RoundedByMpc(ElementType part, Compute compute) {
  for (mpfr_prec_t precision = 128; precision <= 4096; precision *= 2) {
    Mpc value(precision);
    const int inexact = compute(value.get());
    const auto real = RoundPart(part, value.Part(false), MPC_INEX_RE(inexact) == 0);
    const auto imag = RoundPart(part, value.Part(true), MPC_INEX_IM(inexact) == 0);
    if (real && imag) return Element{*real, *imag};
  }
  return std::nullopt;
}

class Call {
 public:
  Call(const std::string& name, ElementType type) : type_(type), part_(Info(type).component) {
    for (const OneRow& row : kOneOperand) one_ = name == row.name ? &row : one_;
    for (const TwoRow& row : kTwoOperands) two_ = name == row.name ? &row : two_;
  }

  bool HasTwoOperands() const { return two_ != nullptr; }

  Element Golden(Element a, Element b, const evaluator::RealContext& context) const {
    return two_ != nullptr ? evaluator::EvaluateComplex2(two_->function, type_, a, b, context)
                           : evaluator::EvaluateComplex(one_->function, type_, a, context);
  }

  std::optional<Element> Expected(Element a, Element b) const {
    Mpc x(64), y(64);
    Set(x, a);
    Set(y, b);
    return RoundedByMpc(part_, [&](mpc_ptr out) {
      return two_ != nullptr ? two_->oracle(out, x.get(), y.get(), MPC_RNDNN)
                             : one_->oracle(out, x.get(), MPC_RNDNN);
    });
  }

  // Powers of zero are a choice of ours (decision X-3 of ops_elementwise_and_types.md).
  bool IsChoice(Element a) const {
    return two_ != nullptr && two_->function == evaluator::RealFunction2::kPower &&
           IsZero(part_, a.bits) && IsZero(part_, a.imag);
  }

  bool Same(Element a, Element b) const {
    return SamePart(a.bits, b.bits) && SamePart(a.imag, b.imag);
  }

 private:
  // The sign of a part of a power that is exactly zero has no rule.
  bool SamePart(uint64_t a, uint64_t b) const {
    const bool power = two_ != nullptr && two_->function == evaluator::RealFunction2::kPower;
    return SameValue(part_, a, b) || (power && IsZero(part_, a) && IsZero(part_, b));
  }

  void Set(Mpc& out, Element z) const {
    mpc_set_d_d(out.get(), DecodeFloat(part_, z.bits), DecodeFloat(part_, z.imag), MPC_RNDNN);
  }

  const ElementType type_, part_;
  const OneRow* one_ = nullptr;
  const TwoRow* two_ = nullptr;
};

}  // namespace

std::vector<std::string> ComplexFunctionNames() {
  std::vector<std::string> names;
  for (const OneRow& row : kOneOperand) names.emplace_back(row.name);
  for (const TwoRow& row : kTwoOperands) names.emplace_back(row.name);
  return names;
}

SweepResult SweepComplex(const std::string& function, ElementType type,
                         const std::vector<Element>& a, const std::vector<Element>& b,
                         const SweepOptions& options) {
  const Call call(function, type);
  SweepResult result;
  const double start = ThreadSeconds();
  evaluator::RealContext context;
  context.stats = &result.tiers;
  context.first_tier = options.first_tier;
  for (size_t i = 0; i < a.size(); ++i) {
    const Element second = call.HasTwoOperands() ? b[i] : Element{};
    if (call.IsChoice(a[i])) continue;
    const Element golden = call.Golden(a[i], second, context);
    const auto expected = call.Expected(a[i], second);
    ++result.inputs;
    ++result.by_mpfr;
    result.hash += golden.bits * (2 * i + 1) + golden.imag * (2 * i + 0x9e3779b9);
    if (expected && call.Same(golden, *expected)) continue;
    ++result.mismatches;
    if (result.first_mismatches.size() < SweepResult::kKept) {
      const Element wanted = expected.value_or(Element{~uint64_t{0}, ~uint64_t{0}});
      result.first_mismatches.push_back({i, golden.bits, wanted.bits});
      result.first_mismatches.push_back({i, golden.imag, wanted.imag});
    }
  }
  result.cpu_seconds = ThreadSeconds() - start;
  return result;
}

std::vector<Element> BoundaryOperands(ElementType type) {
  const ElementType part = Info(type).component;
  const double unit = std::ldexp(1, -Info(part).format->significand_bits);
  const double smallest = DecodeFloat(part, MinPositive(part));
  std::vector<double> values;
  for (double x : {0.0, smallest, 1e-30, unit, 0.5, 0.6, 0.8, 1 - unit / 2, 1.0, 1 + unit,
                   1.5707963267948966, 2.0, 3.0, 20.0, 100.0}) {
    values.insert(values.end(), {x, -x});
  }
  std::vector<Element> operands;
  for (double a : values) {
    for (double b : values) operands.push_back({EncodeFloat(part, a), EncodeFloat(part, b)});
  }
  return operands;
}

std::vector<Element> RandomOperands(ElementType type, int64_t count, uint64_t seed) {
  const ElementType part = Info(type).component;
  std::mt19937_64 random(seed);
  const auto number = [&] {
    const double fraction = 1 + static_cast<double>(random() >> 12) * 0x1p-52;
    const int exponent = random() % 4 == 0 ? static_cast<int>(random() % 37) - 30
                                           : static_cast<int>(random() % 8) - 4;
    return EncodeFloat(part, std::ldexp(random() % 2 == 0 ? fraction : -fraction, exponent));
  };
  std::vector<Element> operands(count);
  for (Element& z : operands) {
    z.bits = number();
    z.imag = number();
  }
  return operands;
}

absl::StatusOr<Certificate> ProveComplex(const std::string& function, ElementType type,
                                         int64_t count, uint64_t seed, const std::string& path,
                                         const ProofOptions& options) {
  constexpr int64_t kShard = 1 << 14;
  Certificate blank;
  blank.function = function;
  blank.type = std::string(Name(type));
  blank.range = absl::StrCat("boundary operands and ", count, " random ones, seed ", seed);
  blank.method = "mpc";
  blank.references = absl::StrCat("MPC ", mpc_get_version());
  const auto work = [&](size_t shard) {  // the first one has the boundary
    std::vector<Element> a, b;
    if (shard == 0) {
      a = BoundaryOperands(type);
      b = a;
      std::shuffle(b.begin(), b.end(), std::mt19937_64(seed));
    } else {
      const int64_t begin = static_cast<int64_t>(shard - 1) * kShard;
      const int64_t size = std::min(kShard, count - begin);
      a = RandomOperands(type, size, seed << 32 ^ 2 * shard);
      b = RandomOperands(type, size, seed << 32 ^ (2 * shard + 1));
    }
    return SweepComplex(function, type, a, b, options.sweep);
  };
  return ProveShards(std::move(blank), 1 + (count + kShard - 1) / kShard, work, path, options);
}

}  // namespace assay::conformance::prove
