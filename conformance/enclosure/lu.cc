#include "conformance/enclosure/lu.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "conformance/enclosure/matrices.h"
#include "conformance/judge/called_operation.h"
#include "conformance/judge/residuals.h"

namespace assay::conformance {
namespace {

// Returns the size by which pivots are compared, |re| + |im| for complex numbers.
Interval PivotSize(const Interval& x) { return Abs(x); }
Interval PivotSize(const ComplexInterval& z) { return Abs(z.re) + Abs(z.im); }

// Rows of a pivot that is still open, and of info.
struct Range {
  int64_t low, high;
};

template <typename Number>
class IntervalLu {
 public:
  // A column of a pivot may be scaled by its reciprocal: two roundings more.
  IntervalLu(const Numbers<Number>& a, int64_t start, const Batch& sizes,
             const TargetProfile& profile, ElementType type)
      : a_(a),
        start_(start),
        m_(sizes.rows),
        n_(sizes.columns),
        range_(type, profile),
        relative_(Number::Point(1) +
                  Disc<Number>(SolveRoundings(profile, type, std::min(m_, n_) + 2).Relative(type))),
        factors_(m_ * n_, Everything<Number>()),
        rows_(m_) {
    std::iota(rows_.begin(), rows_.end(), 0);
  }

  void Run() {
    const int64_t steps = std::min(m_, n_);
    int64_t k = 0;
    for (; k < steps; ++k) {
      std::vector<Number> column(m_);
      for (int64_t i = k; i < m_; ++i) column[i] = Rest(i, k, k);
      const std::optional<int64_t> pivot = FindPivot(k, column);
      if (!pivot) break;
      pivots_.push_back({*pivot + 1, *pivot + 1});
      std::swap(rows_[k], rows_[*pivot]);
      std::swap(column[k], column[*pivot]);
      for (int64_t j = 0; j < k; ++j) std::swap(At(k, j), At(*pivot, j));
      At(k, k) = column[k] / relative_;
      if (!(Least(column[k]) > 0)) info_.high = k + 1;  // of the last row alone
      for (int64_t j = k + 1; j < n_; ++j) At(k, j) = Held(Rest(k, j, k) / relative_);
      for (int64_t i = k + 1; i < m_; ++i) {
        At(i, k) = Held(range_.Quotient(column[i], At(k, k) * relative_));
      }
    }
    if (k == steps) return;
    // The rows below may come in any order.
    for (int64_t i = k; i < m_; ++i) {
      for (int64_t j = 0; j < n_; ++j) At(i, j) = Everything<Number>();
    }
    for (int64_t i = k; i < steps; ++i) pivots_.push_back({i + 1, m_});
    info_.high = steps;
  }

  const Number& Of(int64_t i, int64_t j) const { return factors_[i * n_ + j]; }
  const std::vector<Range>& pivots() const { return pivots_; }
  const Range& info() const { return info_; }

 private:
  Number& At(int64_t i, int64_t j) { return factors_[i * n_ + j]; }

  // Returns an element after so many steps of the elimination.
  Number Rest(int64_t i, int64_t j, int64_t steps) const {
    Number rest = a_[start_ + rows_[i] * n_ + j];
    double lost = static_cast<double>(n_) + 2, terms = Most(rest);
    for (int64_t k = 0; k < steps; ++k) {
      rest = rest - Of(i, k) * Of(k, j) * relative_;
      lost += Most(Of(i, k)) + Most(Of(k, j));
      terms += Most(Of(i, k)) * Most(Of(k, j));
    }
    // Some of the terms may overflow without the others.
    if (!(4 * terms <= range_.largest)) return Everything<Number>();
    return rest + Disc<Number>(4 * lost * range_.least);
  }

  Number Held(const Number& x) const {
    return 2 * Most(x) <= range_.largest ? x : Everything<Number>();
  }

  // The row whose element is larger than all others for certain.
  std::optional<int64_t> FindPivot(int64_t k, const std::vector<Number>& column) const {
    // Elements that have been computed are off by a share of themselves as well; of those that have
    // not, the first of equal ones is taken.
    const auto size = [&](int64_t i) {
      return PivotSize(k == 0 ? a_[start_ + i * n_] : column[i] / relative_);
    };
    int64_t best = k;
    for (int64_t i = k + 1; i < m_; ++i) {
      if (size(i).low > size(best).low) best = i;
    }
    for (int64_t i = k; i < m_; ++i) {
      const bool smaller =
          size(i).high < size(best).low || (k == 0 && i > best && size(i).high <= size(best).low);
      if (i != best && !smaller) return std::nullopt;
    }
    return size(best).bounded() ? std::optional(best) : std::nullopt;
  }

  const Numbers<Number>& a_;
  const int64_t start_, m_, n_;
  const NumberRange range_;
  const Number relative_;
  std::vector<Number> factors_;
  std::vector<int64_t> rows_;
  std::vector<Range> pivots_;
  Range info_{0, 0};
};

Box BoxOfRanges(const Shape& shape, const std::vector<Range>& ranges, const Instruction* open) {
  Box box = Box::Point(Literal::Zeros(shape));
  UpdateParts(
      [&](const auto&, Place place, Ends* ends) {
        ends->low = static_cast<uint64_t>(ranges[place.element].low);
        ends->high = static_cast<uint64_t>(ranges[place.element].high);
      },
      &box);
  if (!Literal::BitEqual(box.low, box.high)) box.open = open;
  return box;
}

}  // namespace

bool IsLuCall(const Instruction& call) {
  return CallsLapack(call, "getrf") && call.operand_count() == 1 && call.shape().is_tuple() &&
         call.shape().tuple_shapes().size() == 3;
}

std::vector<Box> EncloseLu(const Instruction& call, const Box& operand,
                           const TargetProfile& profile) {
  const Batch matrices(operand.shape());
  std::vector<Interval> parts = UnknownParts(operand.shape());
  std::vector<Range> pivots, infos;
  const ElementType type = operand.low.element_type();
  OfNumbers(type, [&](auto number) {
    using Number = decltype(number);
    const Numbers<Number> a(operand);
    for (int64_t b = 0; b < matrices.count; ++b) {
      const int64_t start = b * matrices.size;
      IntervalLu<Number> lu(a, start, matrices, profile, type);
      lu.Run();
      for (int64_t i = 0; i < matrices.size; ++i) {
        Numbers<Number>::Store(start + i, lu.Of(i / matrices.columns, i % matrices.columns),
                               &parts);
      }
      pivots.insert(pivots.end(), lu.pivots().begin(), lu.pivots().end());
      infos.push_back(lu.info());
    }
  });
  const absl::Span<const Shape> shapes = call.shape().tuple_shapes();
  infos.resize(shapes[2].element_count());  // of matrices without elements
  std::vector<Box> boxes;
  boxes.push_back(BoxOfIntervals(call, shapes[0], parts));
  if (profile.Grants(Freedom::kExcessPrecision)) Loosen({.units = 1}, &boxes.back());
  boxes.push_back(BoxOfRanges(shapes[1], pivots, &call));
  boxes.push_back(BoxOfRanges(shapes[2], infos, &call));
  for (Box& box : boxes) {
    if (box.open != nullptr && operand.open != nullptr) box.open = operand.open;
  }
  return boxes;
}

}  // namespace assay::conformance
