// The document "Tensors" where it computes: values on demand, conversion to stored tensors,
// assignment through views, and the L2 norm without a temporary. Names begin with the section.
#include <cmath>
#include <vector>

#include "evaluator/views/tensor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace assay::evaluator {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Element F32(double value) { return {EncodeFloat(ElementType::kF32, value)}; }

// Counts how often it is asked.
class Counting : public RTensor {
 public:
  Counting(absl::Span<const int64_t> shape, double scale)
      : RTensor(DescribeBasic(ElementType::kF32, shape)), scale_(scale) {}
  Element At(absl::Span<const int64_t> index) const override {
    ++count;
    double value = 0;
    for (int64_t i : index) value = value * 10 + static_cast<double>(i);
    return F32(scale_ * value);
  }
  mutable int64_t count = 0;

 private:
  double scale_;
};

std::vector<double> Values(const RTensor& tensor) {
  std::vector<double> values;
  const Dimensions& shape = tensor.description().shape;
  int64_t count = 1;
  for (int64_t size : shape) count *= size;
  for (int64_t i = 0; i < count; ++i) {
    Dimensions index(shape.size());
    int64_t rest = i;
    for (size_t d = shape.size(); d-- > 0;) {
      index[d] = rest % shape[d];
      rest /= shape[d];
    }
    values.push_back(DecodeFloat(ElementType::kF32, tensor.At(index).bits));
  }
  return values;
}

LTensorPtr Stored(const Dimensions& shape, const Dimensions& sizes = {}) {
  auto tensor = LTensor::Allocate(
      *DescribeAllocated(ElementType::kF32, shape, DimensionOrder::kRowMajor, sizes));
  EXPECT_TRUE(tensor.ok()) << tensor.status();
  return *tensor;
}

TEST(Seed002, ImplementationDetailsValuesOnDemand) {
  // x + y provides x[i] + y[i] every time it is needed; a constant ignores the index.
  auto x = std::make_shared<Counting>(Dimensions{4}, 1.0);
  const RTensorPtr sum =
      BinaryTensor(Opcode::kAdd, x, ConstantTensor(ElementType::kF32, {4}, F32(100)));
  EXPECT_EQ(x->count, 0);
  EXPECT_EQ(sum->At({2}), F32(102));
  EXPECT_EQ(sum->At({2}), F32(102));
  EXPECT_EQ(x->count, 2);
  EXPECT_TRUE(sum->description().read_only);
}

TEST(Seed002, ImplementationDetailsRTensorToLTensor) {
  auto x = std::make_shared<Counting>(Dimensions{2, 3}, 1.0);
  const auto stored = Materialise(*BinaryTensor(Opcode::kMultiply, x, x));
  ASSERT_TRUE(stored.ok()) << stored.status();
  EXPECT_EQ(x->count, 12);
  EXPECT_THAT(Values(**stored), ElementsAre(0, 1, 4, 100, 121, 144));
  EXPECT_EQ(x->count, 12);  // stored values are not computed again
  EXPECT_FALSE((*stored)->description().read_only);
  EXPECT_EQ(Materialise(*x, 8).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(Seed002, ImplementationDetailsPaddingIsAComplexView) {
  auto x = std::make_shared<Counting>(Dimensions{2}, 1.0);
  PaddingConfig padding;
  padding.dimensions = {{1, 2, 0}};
  const RTensorPtr padded =
      ViewTensor(View::Pad(View::Dense({2}, 0), View::Dense({}, 1), padding, {5}),
                 {x, ConstantTensor(ElementType::kF32, {}, F32(0))});
  EXPECT_THAT(Values(*padded), ElementsAre(0, 0, 1, 0, 0));
  EXPECT_EQ(x->count, 2);
}

TEST(Seed002, ImplementationDetailsSelectReadsOneSource) {
  auto a = std::make_shared<Counting>(Dimensions{4}, 1.0);
  auto b = std::make_shared<Counting>(Dimensions{4}, -1.0);
  const RTensorPtr pred = BinaryTensor(Opcode::kAnd, ConstantTensor(ElementType::kPred, {4}, {1}),
                                       ConstantTensor(ElementType::kPred, {4}, {0}));
  EXPECT_THAT(Values(*SelectTensor(pred, a, b)), ElementsAre(0, -1, -2, -3));
  EXPECT_EQ(a->count, 0);
  EXPECT_EQ(b->count, 4);
}

TEST(Seed002, ImplementationDetailsAssignmentThroughAView) {
  // x[...] = y, and x[1:, ::2] = y, in a tensor with aligned rows.
  const LTensorPtr x = Stored({3, 4}, {3, 8});
  ASSERT_TRUE(x->Assign(*ConstantTensor(ElementType::kF32, {3, 4}, F32(7))).ok());
  const View part = x->view().Slice({1, 0}, {2, 2}, {1, 2});
  ASSERT_TRUE(x->Assign(part, Counting({2, 2}, 1.0)).ok());
  EXPECT_THAT(Values(*x), ElementsAre(7, 7, 7, 7, 0, 7, 1, 7, 10, 7, 11, 7));
  EXPECT_EQ(x->storage_bytes(), 3 * 8 * 4);
}

TEST(Seed002, ImplementationDetailsAssignmentsThatAreRefused) {
  const LTensorPtr x = Stored({2, 2});
  const RTensorPtr y = ConstantTensor(ElementType::kF32, {2, 2}, F32(1));
  EXPECT_EQ(x->Assign(x->view().Slice({0, 0}, {1, 2}, {1, 1}), *y).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(x->Assign(*ConstantTensor(ElementType::kF64, {2, 2}, {})).code(),
            absl::StatusCode::kInvalidArgument);
  // Broadcast elements are one element of the storage.
  const absl::Status twice =
      x->Assign(x->view().Slice({0, 0}, {1, 2}, {1, 1}).Broadcast({2, 2}, {0, 1}), *y);
  EXPECT_EQ(twice.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(twice.message()), HasSubstr("two elements"));
  // Its own transpose reads what is written, and so does a sum with it.
  const RTensorPtr transpose = ViewTensor(View::Dense({2, 2}).Transpose({1, 0}), {x});
  EXPECT_TRUE(transpose->description().SharesStorageWith(x->description()));
  EXPECT_EQ(x->Assign(*transpose).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(x->Assign(*BinaryTensor(Opcode::kAdd, y, transpose)).code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST(Seed002, ImplementationDetailsL2WithoutATemporary) {
  // np.dot(t.T, t) of t = x - y: both elements of a pair are made when they are needed.
  constexpr int64_t kSize = 1000;
  auto x = std::make_shared<Counting>(Dimensions{kSize}, 1.0);
  auto y = std::make_shared<Counting>(Dimensions{kSize}, 0.5);
  const RTensorPtr t = BinaryTensor(Opcode::kSubtract, x, y);
  const Element squared = InnerProduct(*ViewTensor(View::Dense({kSize}), {t}), *t);
  // The sum of (i / 2)^2: 999 * 1000 * 1999 / 6 / 4, rounded once.
  EXPECT_EQ(squared, F32(83208375));
  EXPECT_EQ(x->count, 2 * kSize);
  EXPECT_EQ(y->count, 2 * kSize);
  // The other program of the document, x[i] and y[i] read once each.
  double s = 0;
  for (int64_t i = 0; i < kSize; ++i) s += std::pow(static_cast<double>(i) / 2, 2);
  EXPECT_EQ(F32(s), squared);
}

TEST(Seed002, DenseLTensorImplementationFlattenedSubtraction) {
  // One counter walks over tensors of one layout; the result is that of the two-dimensional walk.
  const LTensorPtr a = Stored({3, 5}), b = Stored({3, 5});
  ASSERT_TRUE(a->Assign(Counting({3, 5}, 2.0)).ok());
  ASSERT_TRUE(b->Assign(Counting({3, 5}, 0.5)).ok());
  ASSERT_TRUE(CanWalkFlattened({a->shared_description(), b->shared_description()}));
  const View flat = *a->view().Flatten();
  const RTensorPtr difference =
      BinaryTensor(Opcode::kSubtract, ViewTensor(flat, {a}), ViewTensor(flat, {b}));
  EXPECT_EQ(Values(*difference), Values(*BinaryTensor(Opcode::kSubtract, a, b)));
}

}  // namespace
}  // namespace assay::evaluator
