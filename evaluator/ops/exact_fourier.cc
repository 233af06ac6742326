// Coefficients of equal roots are added first, so an element costs as many long multiplications as
// its root of unity has powers. Tests: fourier_test.cc.
#include "evaluator/ops/exact_fourier.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "evaluator/ops/definition.h"
#include "evaluator/real/dyadic.h"
#include "evaluator/real/enclosure.h"
#include "evaluator/real/roots_of_unity.h"

namespace assay::evaluator {
namespace {

using real::Dyadic;
using real::Ends;
using real::FixedRoot;
using real::FixedRoots;
using Integer = Dyadic::Integer;

// Terms between two looks at the clock.
constexpr int64_t kPortion = 1 << 10;

std::vector<int64_t> PrimeFactors(int64_t n) {
  std::vector<int64_t> primes;
  for (int64_t p = 2; n != 1; ++p) {
    if (n % p != 0) continue;
    primes.push_back(p);
    while (n % p == 0) n /= p;
  }
  return primes;
}

// Whether the sum over j of v[j] z^j, z a primitive root of unity of order v.size(), is zero. For
// every prime p that divides the order, z^j + z^(j + order/p) + ... (p terms) = 0; taking off such
// sums clears every j whose residue modulo the power of p in the order is in the last p-th part.
// What is left is written in a basis of the field: it is zero if it has no term.
bool Vanishes(std::vector<Integer> v) {
  const auto order = static_cast<int64_t>(v.size());
  for (const int64_t p : PrimeFactors(order)) {
    int64_t power = 1;
    while (order % (power * p) == 0) power *= p;
    for (int64_t j = 0; j < order; ++j) {
      if (j % power < power / p * (p - 1) || v[j].is_zero()) continue;
      const Integer taken = std::exchange(v[j], Integer());
      for (int64_t t = 1, at = j; t < p; ++t) {
        at += order / p;
        if (at >= order) at -= order;
        v[at] -= taken;
      }
    }
  }
  return std::all_of(v.begin(), v.end(), [](const Integer& each) { return each.is_zero(); });
}

// The value of a pattern; infinity counts as the power of two that comes after the largest value.
Dyadic ValueOf(ElementType type, uint64_t pattern) {
  if (!IsInfinity(type, pattern)) return DecodeFloat(type, pattern);
  return Dyadic(IsNegative(type, pattern) ? -1 : 1, Info(type).format->max_exponent() + 1);
}

bool AreNeighbours(ElementType type, const Ends& ends) {
  return FloatOrdinal(type, ends.high) - FloatOrdinal(type, ends.low) == 1;
}

}  // namespace

class ExactFourier::Impl {
 public:
  Impl(absl::Span<const int64_t> lengths, bool inverse, absl::Span<const double> values)
      : lengths_(lengths.begin(), lengths.end()),
        inverse_(inverse),
        count_(static_cast<int64_t>(values.size()) / 2) {
    std::vector<Dyadic> exact(values.begin(), values.end());
    exponent_ = 0;
    for (const Dyadic& value : exact) exponent_ = std::min(exponent_, value.exponent());
    for (int64_t i = 0; i < count_; ++i) {
      x_re_.push_back(Whole(exact[2 * i]));
      x_im_.push_back(Whole(exact[2 * i + 1]));
    }
  }

  absl::StatusOr<uint64_t> Part(ElementType type, absl::Span<const int64_t> bin, bool imaginary,
                                bool near_zero, EvaluationContext& context,
                                RealEnclosure* enclosure) {
    if (absl::Status status = Gather(bin, context); !status.ok()) return status;
    imaginary_ = imaginary;
    const auto finish = [&](RealTier tier, const Ends& ends) {
      ++context.real_stats.decided[static_cast<int>(tier)];
      if (enclosure != nullptr) {
        *enclosure = {tier == RealTier::kUndecided, {ends.low}, {ends.high}};
      }
      return tier == RealTier::kUndecided ? ends.middle : ends.low;
    };
    const auto exactly = [&](const Dyadic& value) {
      return finish(RealTier::kExact, real::DecidedEnds(real::RoundDyadic(type, value)));
    };
    if (near_zero && Equals(Dyadic())) return exactly(Dyadic());
    static constexpr std::pair<int, RealTier> kTiers[] = {{192, RealTier::kBig192},
                                                          {384, RealTier::kBig384},
                                                          {768, RealTier::kBig768},
                                                          {1536, RealTier::kBig1536}};
    Ends ends;
    for (const auto& [bits, tier] : kTiers) {
      bool holds_zero;
      absl::StatusOr<Ends> found = Enclose(type, bits, context, holds_zero);
      if (!found.ok()) return found.status();
      ends = *found;
      if (ends.decided()) return finish(tier, ends);
      std::optional<Dyadic> candidate;
      if (holds_zero) {
        candidate = Dyadic();
      } else if (AreNeighbours(type, ends)) {
        candidate = (ValueOf(type, ends.low) + ValueOf(type, ends.high)) * Dyadic(0.5);
      }
      if (candidate.has_value() && Equals(*candidate)) return exactly(*candidate);
    }
    return finish(RealTier::kUndecided, ends);
  }

 private:
  // In units of 2^exponent_.
  Integer Whole(const Dyadic& value) const {
    return value.significand() << (value.exponent() - exponent_);
  }
  int64_t order() const { return static_cast<int64_t>(re_.size()); }

  // Adds up the values that meet the same root: element `bin` is the sum over t of
  // (re_[t] + i im_[t]) e^(+-2 pi i t / order).
  absl::Status Gather(absl::Span<const int64_t> bin, EvaluationContext& context) {
    if (bin_ == Dimensions(bin.begin(), bin.end()) && !re_.empty()) return absl::OkStatus();
    Dimensions steps;  // of the index along each axis, in turns of 1 / count_
    int64_t common = count_;
    for (size_t d = 0; d < bin.size(); ++d) {
      steps.push_back(count_ / lengths_[d] * bin[d]);
      common = std::gcd(common, steps.back());
    }
    re_.assign(count_ / common, 0);
    im_.assign(re_.size(), 0);
    Dimensions index(lengths_.size(), 0);
    int64_t t = 0;
    for (int64_t i = 0; i < count_; ++i) {
      if (i % kPortion == 0) {
        if (absl::Status status = context.ChargeCostly(kPortion); !status.ok()) return status;
      }
      re_[t] += x_re_[i];
      im_[t] += x_im_[i];
      for (auto d = static_cast<int64_t>(index.size()) - 1; d >= 0; --d) {
        t = (t + steps[d] / common) % order();
        if (++index[d] < lengths_[d]) break;
        index[d] = 0;  // a whole number of turns
      }
    }
    error_ = 0;
    for (int64_t i = 0; i < order(); ++i) {
      if (static_cast<__int128>(i) * 4 % order() != 0) error_ += abs(re_[i]) + abs(im_[i]);
    }
    error_ *= FixedRoot::kUnits;
    bin_.assign(bin.begin(), bin.end());
    return absl::OkStatus();
  }

  // The part is the sum over t of Cosines(t) cos(2 pi t / order) + Sines(t) sin(2 pi t / order).
  const Integer& Cosines(int64_t t) const { return imaginary_ ? im_[t] : re_[t]; }
  Integer Sines(int64_t t) const {
    return SinesAreNegated() ? Integer(-OtherPart(t)) : OtherPart(t);
  }
  const Integer& OtherPart(int64_t t) const { return imaginary_ ? re_[t] : im_[t]; }
  bool SinesAreNegated() const { return inverse_ != imaginary_; }

  absl::StatusOr<Ends> Enclose(ElementType type, int bits, EvaluationContext& context,
                               bool& holds_zero) {
    auto& roots = roots_[{order(), bits}];
    if (roots == nullptr) roots = std::make_unique<FixedRoots>(order(), bits);
    // Sums of products keep their storage from term to term.
    Integer cosines, sines, product;
    const auto add_product = [&product](const Integer& a, const Integer& b, Integer& sum) {
      if (a.is_zero()) return;
      eval_multiply(product.backend(), a.backend(), b.backend());
      sum += product;
    };
    FixedRoot room;
    for (int64_t t = 0; t < order(); ++t) {
      if (t % kPortion == 0) {
        absl::Status status = context.ChargeCostly(std::min(order() - t, kPortion) * bits / 64);
        if (!status.ok()) return status;
      }
      const Integer &a = Cosines(t), &b = OtherPart(t);
      if (a.is_zero() && b.is_zero()) continue;
      const FixedRoot& root = roots->At(t, room);
      add_product(a, root.re, cosines);
      add_product(b, root.im, sines);
    }
    const Integer sum = SinesAreNegated() ? Integer(cosines - sines) : Integer(cosines + sines);
    const auto round = [&](const Integer& value) {
      const Dyadic scaled(value, exponent_ - bits);
      return inverse_ ? real::RoundQuotient(type, scaled, Dyadic(Integer(count_), 0))
                      : real::RoundDyadic(type, scaled);
    };
    holds_zero = abs(sum) <= error_;
    return Ends{round(sum - error_), round(sum + error_), true, round(sum)};
  }

  // Whether the part is exactly this value. Twice the cosine is z^t + z^-t, twice the sine
  // -i z^t + i z^-t; i is a power of z once its order is a multiple of 4.
  bool Equals(const Dyadic& value) const {
    const Dyadic total = inverse_ ? value * Dyadic(Integer(count_), 0) : value;
    const int64_t unit = std::min(exponent_, total.exponent());
    const int64_t whole = std::lcm(order(), int64_t{4}), step = whole / order();
    std::vector<Integer> v(whole);
    for (int64_t t = 0; t < order(); ++t) {
      const int64_t forth = t * step, back = (whole - forth) % whole;
      const Integer a = Cosines(t) << (exponent_ - unit), b = Sines(t) << (exponent_ - unit);
      v[forth] += a;
      v[back] += a;
      v[(forth + whole / 4 * 3) % whole] += b;
      v[(back + whole / 4) % whole] += b;
    }
    v[0] -= total.significand() << (total.exponent() - unit + 1);
    return Vanishes(std::move(v));
  }

  Dimensions lengths_;
  bool inverse_;
  int64_t count_;
  int64_t exponent_;
  std::vector<Integer> x_re_, x_im_;
  // Of the element that was asked for last.
  Dimensions bin_;
  bool imaginary_ = false;
  std::vector<Integer> re_, im_;
  Integer error_;  // in units of the roots: how far they may put off the sum
  std::map<std::pair<int64_t, int>, std::unique_ptr<FixedRoots>> roots_;  // by order and bits
};

ExactFourier::ExactFourier(absl::Span<const int64_t> lengths, bool inverse,
                           absl::Span<const double> values)
    : impl_(std::make_unique<Impl>(lengths, inverse, values)) {}
ExactFourier::~ExactFourier() = default;

absl::StatusOr<uint64_t> ExactFourier::Part(ElementType type, absl::Span<const int64_t> bin,
                                            bool imaginary, bool near_zero,
                                            EvaluationContext& context, RealEnclosure* enclosure) {
  return impl_->Part(type, bin, imaginary, near_zero, context, enclosure);
}

FourierShape::FourierShape(const Instruction& fft)
    : kind_(fft.GetEnum<FftType>(Attr::kFftType)),
      inverse_(kind_ == FftType::kIfft || kind_ == FftType::kIrfft) {
  const absl::Span<const int64_t> lengths = fft.GetInts(Attr::kFftLength);
  lengths_.assign(lengths.begin(), lengths.end());
  rows_ = CountOf(lengths.first(lengths.size() - 1));
  half_ = lengths_.back() / 2 + 1;
}

int64_t FourierShape::operand_size() const { return real_output() ? rows_ * half_ : block_size(); }
int64_t FourierShape::result_size() const { return real_input() ? rows_ * half_ : block_size(); }

Dimensions FourierShape::BinOf(int64_t i) const {
  Dimensions bin(lengths_.size());
  for (auto d = static_cast<int64_t>(bin.size()) - 1; d >= 0; --d) {
    const bool last = d + 1 == static_cast<int64_t>(bin.size());
    const int64_t size = last && real_input() ? half_ : lengths_[d];
    bin[d] = i % size;
    i /= size;
  }
  return bin;
}

std::vector<double> FourierShape::Whole(absl::Span<const double> operand) const {
  if (!real_input() && !real_output()) return {operand.begin(), operand.end()};
  std::vector<double> whole(2 * block_size());
  if (real_input()) {
    for (int64_t i = 0; i < block_size(); ++i) whole[2 * i] = operand[i];
    return whole;
  }
  const int64_t n = lengths_.back();
  for (int64_t i = 0; i < block_size(); ++i) {
    const int64_t k = i % n;
    // The row of the opposite index -k of the leading axes.
    int64_t opposite = 0, rest = i / n, stride = 1;
    for (auto d = static_cast<int64_t>(lengths_.size()) - 2; d >= 0; --d) {
      opposite += (lengths_[d] - rest % lengths_[d]) % lengths_[d] * stride;
      rest /= lengths_[d];
      stride *= lengths_[d];
    }
    const bool stored = k < half_;
    const double* from = &operand[2 * (stored ? i / n * half_ + k : opposite * half_ + n - k)];
    // Real where the index is its own opposite.
    const bool is_real = opposite == i / n && (k == 0 || 2 * k == n);
    whole[2 * i] = from[0];
    whole[2 * i + 1] = is_real ? 0 : stored ? from[1] : -from[1];
  }
  return whole;
}

}  // namespace assay::evaluator
