// Rows of Cholesky factorisations, triangular solves and Fourier transforms. Their operands are new
// arrays of values that they can be judged on, earlier values, and what elementwise operations make
// of such arrays.
#include <algorithm>

#include "fuzz/programs/writer.h"

namespace assay::fuzz {
namespace {

// Symmetric matrices with a diagonal that is far from 0.
conformance::ProfileUse Definite(ProgramWriter& w) {
  conformance::ProfileUse use;
  use.profile = conformance::ValueProfile::kDefinite;
  use.seed = w.choices().Byte() + 1;
  return use;
}

bool Takes(const ProgramWriter& w, Opcode opcode, ElementType type) {
  const absl::Span<const ElementType> types = w.grammar().TypesOf(opcode);
  return std::find(types.begin(), types.end(), type) != types.end();
}

// What an elementwise operation of the program gives for a new array of these sizes; null where
// none is chosen, or the operation does not take the result.
Instruction* ComputedArray(ProgramWriter& w, Opcode consumer, Sizes sizes,
                           const conformance::ProfileUse& use) {
  if (w.is_sole()) return nullptr;
  const absl::Span<const Row* const> rows = w.grammar().RowsAt(RowPlace::kAnywhere);
  constexpr int kTries = 4;
  for (int tries = 0; tries < kTries; ++tries) {
    const Row& row = *w.choices().Of(rows);
    if (!Info(row.opcode).elementwise()) continue;
    w.WriteOn(row.opcode, w.NewArray(w.AnyType(w.grammar().TypesOf(row.opcode)), sizes, use));
    Instruction* const made = w.LatestValue();
    const Shape& shape = made->shape();
    const bool fits = shape.dimensions() == sizes && Takes(w, consumer, shape.element_type());
    return fits ? made : nullptr;
  }
  return nullptr;
}

// An earlier value that is a matrix, or several of them, of at most 8 rows; null: there is none.
Instruction* FindSquare(ProgramWriter& w, Opcode opcode) {
  return w.FindValue([&](const Shape& shape) {
    const int64_t rank = shape.rank();
    if (rank < 2 || !Takes(w, opcode, shape.element_type())) return false;
    const int64_t rows = shape.dimension(rank - 1);
    return rows == shape.dimension(rank - 2) && rows <= 8 &&
           CountOf(shape.dimensions()) * rows <= w.limits().products;
  });
}

}  // namespace

void WriteCholesky(ProgramWriter& w, Opcode opcode) {
  const int64_t n = w.choices().Between(1, 4);
  Dimensions sizes = w.AnySizes(0, 1, 8);
  sizes.push_back(n);
  sizes.push_back(n);
  const conformance::ProfileUse definite = Definite(w);
  Instruction* x = nullptr;
  const int64_t kind = w.choices().Below(4);
  if (kind == 2) x = FindSquare(w, opcode);
  if (kind == 3) x = ComputedArray(w, opcode, sizes, definite);
  if (x == nullptr) x = w.NewArray(w.AnyType(w.grammar().TypesOf(opcode)), sizes, definite);
  auto made = w.Start(opcode, {x});
  made->SetAttribute(Attr::kLower, w.choices().OneIn(2));
  w.Finish(std::move(made));
}

void WriteTriangularSolve(ProgramWriter& w, Opcode opcode) {
  const int64_t n = w.choices().Between(1, 4), m = w.choices().Between(1, 4);
  const bool left = w.choices().OneIn(2);
  Dimensions sizes = w.AnySizes(0, 1, 8);
  sizes.push_back(n);
  sizes.push_back(n);
  const conformance::ProfileUse definite = Definite(w);
  Instruction* matrix = nullptr;
  const int64_t kind = w.choices().Below(4);
  if (kind == 2) matrix = FindSquare(w, opcode);
  if (kind == 3) matrix = ComputedArray(w, opcode, sizes, definite);
  if (matrix == nullptr)
    matrix = w.NewArray(w.AnyType(w.grammar().TypesOf(opcode)), sizes, definite);
  const Shape& shape = matrix->shape();
  Dimensions b(shape.dimensions().begin(), shape.dimensions().end());
  b[b.size() - (left ? 1 : 2)] = m;
  auto made = w.Start(opcode, {matrix, w.ArrayOf(shape.element_type(), b)});
  made->SetAttribute(Attr::kLeftSide, left);
  made->SetAttribute(Attr::kLower, w.choices().OneIn(2));
  made->SetAttribute(Attr::kUnitDiagonal, w.choices().OneIn(3));
  made->SetAttribute(Attr::kTransposeA, w.choices().Between(1, 3));
  w.Finish(std::move(made));
}

namespace {

constexpr int64_t kLongestTransform = 130;  // of one dimension

// An earlier value, what an elementwise operation gives, or any array, of one dimension or more.
Instruction* TransformOperand(ProgramWriter& w, Opcode opcode) {
  Dimensions sizes(w.choices().Between(1, 3));
  const int64_t longest = sizes.size() == 1 ? kLongestTransform : 8;
  for (int64_t& size : sizes) size = std::min(w.AnySize(), longest);
  if (w.choices().OneIn(2)) sizes.insert(sizes.begin(), w.choices().Between(1, 3));
  Instruction* x = nullptr;
  const int64_t kind = w.choices().Below(4);
  if (kind == 2) {
    x = w.FindValue([&](const Shape& shape) {
      return shape.rank() > 0 && shape.dimension(shape.rank() - 1) <= kLongestTransform &&
             Takes(w, opcode, shape.element_type());
    });
  }
  if (kind == 3) x = ComputedArray(w, opcode, sizes, conformance::ProfileUse());
  return x != nullptr ? x : w.ArrayOf(w.AnyType(w.grammar().TypesOf(opcode)), sizes);
}

}  // namespace

void WriteFft(ProgramWriter& w, Opcode opcode) {
  Instruction* const x = TransformOperand(w, opcode);
  const Sizes sizes = x->shape().dimensions();
  const int64_t last = sizes.back();
  static constexpr FftType kComplexKinds[] = {FftType::kFft, FftType::kIfft, FftType::kIrfft};
  const FftType kind =
      IsComplex(x->shape().element_type()) ? w.choices().Of(kComplexKinds) : FftType::kRfft;
  // The dimensions that are transformed: up to three, of at most 512 elements together.
  constexpr int64_t kMostElements = 512;
  auto count = w.choices().Between(1, std::min<int64_t>(3, x->shape().rank()));
  while (count > 1 && CountOf(sizes.last(count)) > kMostElements) --count;
  const Sizes transformed = sizes.last(count);
  std::vector<int64_t> lengths(transformed.begin(), transformed.end());
  // Half a spectrum stands for an even and for an odd length; one element, for a length of 1.
  if (kind == FftType::kIrfft) {
    lengths.back() = last <= 1 ? last : 2 * (last - 1) + w.choices().Below(2);
  }
  auto made = w.Start(opcode, {x});
  made->SetAttribute(Attr::kFftType, static_cast<int64_t>(kind));
  made->SetAttribute(Attr::kFftLength, lengths);
  w.Finish(std::move(made));
}

}  // namespace assay::fuzz
