#include "evaluator/kernels/recognised_fold.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <type_traits>

#include "evaluator/real/rounded_sum.h"
#include "runtime/scratch.h"
#include "spec/element/element.h"

namespace assay::evaluator::kernels {
namespace {

// Decoded elements held at once. Longer rows come in parts of kFoldPart.
constexpr int64_t kFoldBlock = 4096;
constexpr int64_t kFoldPart = 1024;

double LargerOf(double a, double b) {
  const auto both = std::bit_cast<double>(std::bit_cast<uint64_t>(a) & std::bit_cast<uint64_t>(b));
  const double ordered = a == b ? both : a > b ? a : b;
  return a == a ? ordered : a;
}
double SmallerOf(double a, double b) {
  const auto both = std::bit_cast<double>(std::bit_cast<uint64_t>(a) | std::bit_cast<uint64_t>(b));
  const double ordered = a == b ? both : a < b ? a : b;
  return a == a ? ordered : a;
}

// Independent lanes hide the latency; NaN stays once it is there.
template <double (*kChoose)(double, double)>
double Extreme(double init, const double* x, int64_t n) {
  constexpr int kLanes = 8;
  double lanes[kLanes];
  std::fill(lanes, lanes + kLanes, init);
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int j = 0; j < kLanes; ++j) lanes[j] = kChoose(lanes[j], x[i + j]);
  }
  for (; i < n; ++i) lanes[0] = kChoose(lanes[0], x[i]);
  for (int j = 1; j < kLanes; ++j) lanes[0] = kChoose(lanes[0], lanes[j]);
  return lanes[0];
}

}  // namespace

std::optional<ElementLoop> PairwiseLoop(const Computation& computation, ElementType type) {
  return PairwiseLoop(analysis::RecogniseReducer(computation).kind, type);
}

std::optional<ElementLoop> PairwiseLoop(analysis::ReducerKind kind, ElementType type) {
  const std::optional<Opcode> opcode = analysis::OperationOf(kind);
  if (!opcode) return std::nullopt;
  const bool rounds = *opcode == Opcode::kAdd || *opcode == Opcode::kMultiply;
  if (rounds && (IsFloat(type) || IsComplex(type))) return std::nullopt;
  return FindElementLoop({*opcode, type, type});
}

std::optional<RecognisedFold> RecognisedFold::For(const Computation& reducer, ElementType type) {
  const analysis::ReducerKind kind = analysis::RecogniseReducer(reducer).kind;
  if (kind == analysis::ReducerKind::kOther || kind == analysis::ReducerKind::kArgMinimum ||
      kind == analysis::ReducerKind::kArgMaximum) {
    return std::nullopt;
  }
  const Instruction* first = reducer.parameters()[0];
  if (first->shape().element_type() != type) return std::nullopt;
  RecognisedFold fold;
  fold.type_ = type;
  fold.bytes_ = StorageBytes(type);
  fold.is_signed_ = IsSigned(type);
  const bool pred = IsPred(type);
  const bool number = IsFloat(type) || IsComplex(type);
  switch (kind) {
    case analysis::ReducerKind::kAdd:
      fold.way_ = IsComplex(type) ? Way::kComplexSum : Way::kSum;
      fold.integer_way_ = pred ? IntegerWay::kOr : IntegerWay::kAdd;
      break;
    case analysis::ReducerKind::kMultiply:
      fold.way_ = IsComplex(type) ? Way::kComplexProduct : Way::kProduct;
      fold.integer_way_ = pred ? IntegerWay::kAnd : IntegerWay::kMultiply;
      break;
    case analysis::ReducerKind::kMinimum:
      fold.way_ = Way::kMinimum;
      fold.integer_way_ = IntegerWay::kMinimum;
      break;
    case analysis::ReducerKind::kMaximum:
      fold.way_ = Way::kMaximum;
      fold.integer_way_ = IntegerWay::kMaximum;
      break;
    case analysis::ReducerKind::kAnd:
      fold.integer_way_ = IntegerWay::kAnd;
      break;
    case analysis::ReducerKind::kOr:
      fold.integer_way_ = IntegerWay::kOr;
      break;
    default:
      fold.integer_way_ = IntegerWay::kXor;
      break;
  }
  if (!number) fold.way_ = Way::kInteger;
  return fold;
}

// Decodes the elements to 64-bit patterns.
void RecognisedFold::DecodeIntegers(const std::byte* x, int64_t n, uint64_t* out) const {
  if (is_signed_) return DecodeSigneds(type_, x, n, reinterpret_cast<int64_t*>(out));
  DecodeUnsigneds(type_, x, n, out);
}

uint64_t RecognisedFold::Combine(uint64_t a, uint64_t b) const {
  const bool below = is_signed_ ? static_cast<int64_t>(a) < static_cast<int64_t>(b) : a < b;
  switch (integer_way_) {
    case IntegerWay::kAdd:
      return a + b;
    case IntegerWay::kMultiply:
      return a * b;
    case IntegerWay::kMinimum:
      return below ? a : b;
    case IntegerWay::kMaximum:
      return below ? b : a;
    case IntegerWay::kAnd:
      return a & b;
    case IntegerWay::kOr:
      return a | b;
    case IntegerWay::kXor:
      return a ^ b;
  }
  return 0;
}

uint64_t RecognisedFold::CombineAll(uint64_t value, const uint64_t* x, int64_t n) const {
  if (integer_way_ == IntegerWay::kAdd) return std::accumulate(x, x + n, value);
  for (int64_t i = 0; i < n; ++i) value = Combine(value, x[i]);
  return value;
}

absl::Status RecognisedFold::LongRow(const std::byte* init, const std::byte* x, int64_t n,
                                     std::byte* out, Meter& meter) const {
  Running running(*this, init);
  for (int64_t i = 0; i < n; i += kFoldBlock) {
    const int64_t part = std::min(kFoldBlock, n - i);
    running.Add(x + i * bytes_, part);
    if (absl::Status status = meter.Add(part); !status.ok()) return status;
  }
  const auto again = [&](int64_t first, int64_t count, Running::Visit visit) {
    visit(x + first * bytes_, count);
    return meter.Add(count);
  };
  return running.Store(out, 0, again, meter);
}

absl::Status RecognisedFold::Rows(const std::byte* init, int64_t init_step, const std::byte* x,
                                  int64_t rows, int64_t n, std::byte* out, Meter& meter) const {
  if (n == 0) {
    for (int64_t r = 0; r < rows; ++r) {
      std::memmove(out + r * bytes_, init + r * init_step * bytes_, bytes_);
    }
    return meter.Add(rows);
  }
  if (n > kFoldBlock) {
    for (int64_t r = 0; r < rows; ++r) {
      absl::Status status =
          LongRow(init + r * init_step * bytes_, x + r * n * bytes_, n, out + r * bytes_, meter);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }
  const int64_t step = init_step * bytes_;
  const int64_t rows_at_once = std::max<int64_t>(1, kFoldBlock / n);
  for (int64_t first = 0; first < rows; first += rows_at_once) {
    const int64_t count = std::min(rows_at_once, rows - first);
    const std::byte* block = x + first * n * bytes_;
    std::byte* results = out + first * bytes_;
    if (way_ == Way::kInteger) {
      IntegerRows(init + first * step, step, block, count, n, results);
    } else {
      FloatRows(init + first * step, step, block, count, n, results, meter);
    }
    if (absl::Status status = meter.Add(count * n); !status.ok()) return status;
  }
  return absl::OkStatus();
}

void RecognisedFold::FloatRows(const std::byte* init, int64_t init_bytes, const std::byte* x,
                               int64_t rows, int64_t n, std::byte* out, Meter& meter) const {
  const int64_t parts = IsComplex(type_) ? 2 : 1;
  runtime::Scratch<double, 256> values(rows * n * parts);
  DecodeFloats(type_, x, rows * n, values.data());
  for (int64_t r = 0; r < rows; ++r) {
    double start[2];
    DecodeFloats(type_, init + r * init_bytes, 1, start);
    const double* row = values.data() + r * n * parts;
    switch (way_) {
      case Way::kSum:
        StoreElement(type_, {RoundedSum(type_, start[0], row, 1, n)}, out, r);
        break;
      case Way::kComplexSum: {
        const ElementType part = Info(type_).component;
        StoreElement(
            type_,
            {RoundedSum(part, start[0], row, 2, n), RoundedSum(part, start[1], row + 1, 2, n)}, out,
            r);
        break;
      }
      case Way::kProduct:
        StoreElement(type_, {RoundedProduct(type_, start[0], row, 1, n)}, out, r);
        break;
      case Way::kComplexProduct:
        StoreProduct(type_, RoundedComplexProduct(Info(type_).component, start, row, 2, n), out, r,
                     meter);
        break;
      default: {
        const double value = way_ == Way::kMinimum ? Extreme<SmallerOf>(start[0], row, n)
                                                   : Extreme<LargerOf>(start[0], row, n);
        EncodeFloats(type_, &value, 1, out + r * bytes_, NanSign::kPositive);
      }
    }
  }
}

void RecognisedFold::IntegerRows(const std::byte* init, int64_t init_bytes, const std::byte* x,
                                 int64_t rows, int64_t n, std::byte* out) const {
  runtime::Scratch<uint64_t, 256> values(rows * n);
  DecodeIntegers(x, rows * n, values.data());
  for (int64_t r = 0; r < rows; ++r) {
    uint64_t value;
    DecodeIntegers(init + r * init_bytes, 1, &value);
    value = CombineAll(value, values.data() + r * n, n);
    EncodeIntegers(type_, &value, 1, out + r * bytes_);
  }
}

void RecognisedFold::Columns(absl::Span<const std::byte* const> x, int64_t columns, std::byte* out,
                             Meter& meter) const {
  const auto members = static_cast<int64_t>(x.size());
  const ElementType part = Info(type_).component;
  const int64_t width = IsComplex(type_) ? 2 * columns : columns;  // sums, part by part
  runtime::Scratch<double, 1024> values(members * width);
  for (int64_t m = 0; m < members; ++m) {
    DecodeFloats(type_, x[m], columns, values.data() + m * width);
  }
  if (way_ == Way::kComplexProduct) {
    for (int64_t j = 0; j < columns; ++j) {
      const double* column = values.data() + 2 * j;
      StoreProduct(type_, RoundedComplexProduct(part, column, column + width, width, members - 1),
                   out, j, meter);
    }
    return;
  }
  runtime::Scratch<uint64_t, 256> results(width);
  if (way_ == Way::kProduct) {
    for (int64_t j = 0; j < width; ++j) {
      const double* column = values.data() + j;
      results[j] = RoundedProduct(part, column[0], column + width, width, members - 1);
    }
  } else {
    // -0 changes no sum, not even one of zeros.
    RoundedSumBlock(part, -0.0, values.data(), width, members, width, results.data());
  }
  WithStorage(StorageBytes(part), [&](auto sample) {
    using T = decltype(sample);
    if constexpr (!std::is_same_v<T, Element>) {  // no part has 16 bytes
      for (int64_t j = 0; j < width; ++j) StoreAt(out, j, static_cast<T>(results[j]));
    }
  });
}

RecognisedFold::Running::Running(const RecognisedFold& fold, const std::byte* init)
    : fold_(fold), init_(LoadElement(fold.type_, init, 0)) {
  if (fold.way_ == Way::kInteger) {
    fold.DecodeIntegers(init, 1, &integer_);
    return;
  }
  DecodeFloats(fold.type_, init, 1, init_parts_.data());
  extreme_ = init_parts_[0];
  product_.Multiply(init_parts_[0]);
  if (fold.way_ == Way::kComplexProduct) {
    complex_product_.emplace(Info(fold.type_).component, init_parts_[0], init_parts_[1]);
  }
  for (int64_t p = 0; p < parts(); ++p) sums_[p].s = init_parts_[p];
}

void RecognisedFold::Running::Add(const std::byte* x, int64_t n) {
  count_ += n;
  for (; n > kFoldPart; n -= kFoldPart, x += kFoldPart * fold_.bytes_) AddBlock(x, kFoldPart);
  AddBlock(x, n);
}

void RecognisedFold::Running::AddBlock(const std::byte* x, int64_t n) {
  if (fold_.way_ == Way::kInteger) {
    uint64_t values[kFoldPart];
    fold_.DecodeIntegers(x, n, values);
    integer_ = fold_.CombineAll(integer_, values, n);
    return;
  }
  double values[2 * kFoldPart];
  DecodeFloats(fold_.type_, x, n, values);
  switch (fold_.way_) {
    case Way::kSum:
    case Way::kComplexSum:
      for (int64_t p = 0; p < parts(); ++p) AddTerms(values + p, parts(), n, sums_[p]);
      break;
    case Way::kProduct:
      for (int64_t i = 0; i < n; ++i) product_.Multiply(values[i]);
      break;
    case Way::kComplexProduct:
      complex_product_->Multiply(values, 2, n);
      break;
    case Way::kMinimum:
      extreme_ = Extreme<SmallerOf>(extreme_, values, n);
      break;
    default:
      extreme_ = Extreme<LargerOf>(extreme_, values, n);
      break;
  }
}

void RecognisedFold::Running::Join(const Running& next) {
  count_ += 1 + next.count_;
  switch (fold_.way_) {
    case Way::kInteger:
      integer_ = fold_.Combine(integer_, next.integer_);
      break;
    case Way::kMinimum:
      extreme_ = SmallerOf(extreme_, next.extreme_);
      break;
    case Way::kMaximum:
      extreme_ = LargerOf(extreme_, next.extreme_);
      break;
    default:
      for (int64_t p = 0; p < parts(); ++p) AddSum(next.sums_[p], sums_[p]);
  }
}

absl::Status RecognisedFold::Running::Store(std::byte* out, int64_t index, Again again,
                                            Meter& meter) {
  const ElementType type = fold_.type_;
  if (count_ == 0) {
    StoreElement(type, init_, out, index);
    return absl::OkStatus();
  }
  switch (fold_.way_) {
    case Way::kSum:
    case Way::kComplexSum:
      return StoreSum(out, index, again);
    case Way::kComplexProduct:
      return StoreComplexProduct(out, index, again, meter);
    case Way::kInteger:
      StoreElement(type, {EncodeInteger(type, integer_)}, out, index);
      break;
    case Way::kProduct:
      StoreElement(type, {product_.Round(type)}, out, index);
      break;
    default:
      EncodeFloats(type, &extreme_, 1, out + index * fold_.bytes_, NanSign::kPositive);
  }
  return absl::OkStatus();
}

absl::Status RecognisedFold::Running::StoreSum(std::byte* out, int64_t index, Again again) {
  const ElementType part = Info(fold_.type_).component;
  uint64_t rounded[2] = {};
  bool decided = true;
  for (int64_t p = 0; p < parts(); ++p) {
    decided = decided && Decide(part, FactorWidth::kUpTo32Bits, sums_[p], &rounded[p]);
  }
  if (!decided) {
    if (exact_.empty()) {
      exact_.resize(parts());
      for (int64_t p = 0; p < parts(); ++p) exact_[p].Add(init_parts_[p]);
    }
    auto add = [&](const std::byte* x, int64_t n) {
      double values[2];
      for (int64_t i = 0; i < n; ++i) {
        DecodeFloats(fold_.type_, x + i * fold_.bytes_, 1, values);
        for (int64_t p = 0; p < parts(); ++p) exact_[p].Add(values[p]);
      }
    };
    absl::Status status = again(exact_count_, count_ - exact_count_, add);
    if (!status.ok()) return status;
    exact_count_ = count_;
    for (int64_t p = 0; p < parts(); ++p) rounded[p] = exact_[p].Round(part);
  }
  StoreElement(fold_.type_, {rounded[0], rounded[1]}, out, index);
  return absl::OkStatus();
}

absl::Status RecognisedFold::Running::StoreComplexProduct(std::byte* out, int64_t index,
                                                          Again again, Meter& meter) {
  const auto decoded = [&](int64_t first, int64_t count, ComplexProduct::Visit visit) {
    return again(first, count, [&](const std::byte* x, int64_t n) {
      double values[2 * kFoldPart];
      for (int64_t i = 0; i < n; i += kFoldPart) {
        const int64_t part = std::min(kFoldPart, n - i);
        DecodeFloats(fold_.type_, x + i * fold_.bytes_, part, values);
        visit(values, 2, part);
      }
    });
  };
  const absl::StatusOr<RoundedComplex> rounded = complex_product_->Round(decoded);
  if (!rounded.ok()) return rounded.status();
  StoreProduct(fold_.type_, *rounded, out, index, meter);
  return absl::OkStatus();
}

}  // namespace assay::evaluator::kernels
