// Index translations composed symbolically, against a model that stores every intermediate tensor
// and moves its elements by the definitions of the operations.
#include "spec/views/view.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace assay {
namespace {

// A stored tensor of labels, row major.
struct Stored {
  Dimensions sizes;
  std::vector<int> labels;

  int At(const Dimensions& index) const {
    int64_t position = 0;
    for (size_t d = 0; d < sizes.size(); ++d) position = position * sizes[d] + index[d];
    return labels[position];
  }
};

void ForEachIndex(const Dimensions& sizes, const std::function<void(const Dimensions&)>& visit) {
  for (int64_t size : sizes) {
    if (size == 0) return;
  }
  Dimensions index(sizes.size(), 0);
  while (true) {
    visit(index);
    int64_t d = static_cast<int64_t>(sizes.size()) - 1;
    while (d >= 0 && ++index[d] == sizes[d]) index[d--] = 0;
    if (d < 0) return;
  }
}

Stored Fill(const Dimensions& sizes, const std::function<int(const Dimensions&)>& label) {
  Stored stored{sizes, {}};
  ForEachIndex(sizes, [&](const Dimensions& index) { stored.labels.push_back(label(index)); });
  return stored;
}

// Source 0 holds labels 0, 1, ...; source 1 is a scalar, 1000; source 2 holds 2000, 2001, ...
int LabelAt(const View::Location& location) {
  return static_cast<int>(1000 * location.source + location.position);
}

struct State {
  View view;
  Stored stored;
};

// Both sides of an operation; nullopt where the view cannot be had.
using Step = std::function<std::optional<State>(const State&)>;

State SliceOf(const State& x, int64_t skip_front, int64_t skip_back, int64_t step) {
  Dimensions starts, counts, steps;
  for (int64_t size : x.stored.sizes) {
    const int64_t start = std::min(skip_front, size);
    const int64_t limit = std::max(start, size - skip_back);
    starts.push_back(start);
    counts.push_back((limit - start + step - 1) / step);
    steps.push_back(step);
  }
  return {x.view.Slice(starts, counts, steps), Fill(counts, [&](Dimensions i) {
            for (size_t d = 0; d < i.size(); ++d) i[d] = starts[d] + i[d] * steps[d];
            return x.stored.At(i);
          })};
}

State PadOf(const State& x, int64_t low, int64_t high, int64_t interior) {
  PaddingConfig padding;
  Dimensions sizes;
  for (int64_t size : x.stored.sizes) {
    padding.dimensions.push_back({low, high, interior});
    sizes.push_back(
        std::max<int64_t>(0, low + high + size + std::max<int64_t>(size - 1, 0) * interior));
  }
  // A negative amount may not remove more than there is.
  return {View::Pad(x.view, View::Dense({}, 1), padding, sizes), Fill(sizes, [&](Dimensions i) {
            for (size_t d = 0; d < i.size(); ++d) {
              i[d] -= low;
              if (i[d] < 0 || i[d] % (interior + 1) != 0) return 1000;
              i[d] /= interior + 1;
              if (i[d] >= x.stored.sizes[d]) return 1000;
            }
            return x.stored.At(i);
          })};
}

State TransposeOf(const State& x) {
  Dimensions permutation, sizes;
  for (size_t d = x.stored.sizes.size(); d-- > 0;) {
    permutation.push_back(d);
    sizes.push_back(x.stored.sizes[d]);
  }
  return {x.view.Transpose(permutation), Fill(sizes, [&](const Dimensions& i) {
            return x.stored.At(Dimensions(i.rbegin(), i.rend()));
          })};
}

State ReverseOf(const State& x, int64_t dimension) {
  return {x.view.Reverse({dimension}), Fill(x.stored.sizes, [&](Dimensions i) {
            i[dimension] = x.stored.sizes[dimension] - 1 - i[dimension];
            return x.stored.At(i);
          })};
}

// A new dimension of size 2 in front.
State BroadcastOf(const State& x) {
  Dimensions sizes = {2}, dimensions;
  for (size_t d = 0; d < x.stored.sizes.size(); ++d) {
    sizes.push_back(x.stored.sizes[d]);
    dimensions.push_back(static_cast<int64_t>(d) + 1);
  }
  return {x.view.Broadcast(sizes, dimensions), Fill(sizes, [&](const Dimensions& i) {
            return x.stored.At(Dimensions(i.begin() + 1, i.end()));
          })};
}

State ConcatenateOf(const State& x) {
  const Stored other = [&] {
    int next = 2000;
    return Fill(x.stored.sizes, [&](const Dimensions&) { return next++; });
  }();
  Dimensions sizes = x.stored.sizes;
  sizes[0] *= 2;
  return {View::Concatenate({x.view, View::Dense(other.sizes, 2)}, 0),
          Fill(sizes, [&](Dimensions i) {
            if (i[0] < x.stored.sizes[0]) return x.stored.At(i);
            i[0] -= x.stored.sizes[0];
            return other.At(i);
          })};
}

// The last two dimensions joined, or the first split in two where it is even.
std::optional<State> ReshapeOf(const State& x, bool join) {
  Dimensions sizes = x.stored.sizes;
  if (join) {
    if (sizes.size() < 2) return std::nullopt;
    sizes[sizes.size() - 2] *= sizes.back();
    sizes.pop_back();
  } else {
    if (sizes[0] % 2 != 0) return std::nullopt;
    sizes[0] /= 2;
    sizes.insert(sizes.begin() + 1, 2);
  }
  std::optional<View> view = x.view.Reshape(sizes);
  if (!view.has_value()) return std::nullopt;
  return State{*view, Stored{sizes, x.stored.labels}};
}

const std::vector<Step>& Steps() {
  static const auto* steps = new std::vector<Step>{
      [](const State& x) { return SliceOf(x, 1, 0, 1); },
      [](const State& x) { return SliceOf(x, 0, 1, 2); },
      [](const State& x) { return SliceOf(x, 1, 0, 3); },
      [](const State& x) { return PadOf(x, 1, 2, 0); },
      [](const State& x) { return PadOf(x, 0, 1, 1); },
      [](const State& x) { return PadOf(x, -1, 2, 2); },
      [](const State& x) { return TransposeOf(x); },
      [](const State& x) { return ReverseOf(x, 0); },
      [](const State& x) { return BroadcastOf(x); },
      [](const State& x) { return ConcatenateOf(x); },
      [](const State& x) { return ReshapeOf(x, true); },
      [](const State& x) { return ReshapeOf(x, false); },
  };
  return *steps;
}

void ExpectSame(const State& state) {
  ASSERT_EQ(state.view.sizes(), absl::MakeConstSpan(state.stored.sizes));
  size_t next = 0;
  bool same = true;
  ForEachIndex(state.stored.sizes, [&](const Dimensions& index) {
    same = same && LabelAt(state.view.At(index)) == state.stored.labels[next++];
  });
  ASSERT_TRUE(same) << state.view.ToString();
}

// All chains of up to `length` operations.
void Explore(const State& state, int length, int* checked) {
  ExpectSame(state);
  ++*checked;
  if (length == 0 || testing::Test::HasFatalFailure()) return;
  for (size_t s = 0; s < Steps().size(); ++s) {
    SCOPED_TRACE(s);
    const std::optional<State> next = Steps()[s](state);
    if (next.has_value()) Explore(*next, length - 1, checked);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(View, AllChainsOfThreeOperations) {
  int checked = 0;
  for (const Dimensions& sizes :
       {Dimensions{4}, Dimensions{2, 3}, Dimensions{1, 4}, Dimensions{0, 2}, Dimensions{2, 1, 2}}) {
    int next = 0;
    Explore({View::Dense(sizes), Fill(sizes, [&](const Dimensions&) { return next++; })}, 3,
            &checked);
  }
  EXPECT_GT(checked, 5000);
}

TEST(View, ChainsStayOnePiece) {
  View view = View::Dense({4, 6});
  for (int i = 0; i < 20; ++i) {
    view = view.Transpose({1, 0}).Reverse({0}).Broadcast({1, 6, 4}, {1, 2});
    view = *view.Reshape({6, 4});
    view = view.Transpose({1, 0});
  }
  ASSERT_NE(view.affine(), nullptr);
  EXPECT_EQ(view, View::Dense({4, 6}));
}

TEST(View, DenseAndFlat) {
  EXPECT_TRUE(View::Dense({2, 3}).is_dense());
  EXPECT_TRUE(View::Dense({}).is_dense());
  EXPECT_FALSE(View::Dense({2, 3}).Transpose({1, 0}).is_dense());
  // A dimension of size one has no stride to speak of.
  EXPECT_TRUE(View::Dense({1, 3}).Transpose({1, 0}).is_dense());
  EXPECT_FALSE(View::Dense({4}).Slice({1}, {3}, {1}).is_dense());
  EXPECT_TRUE(View::Dense({4}).Slice({0}, {3}, {1}).is_dense());
  // Rows of a wider matrix have gaps.
  EXPECT_EQ(View::Dense({2, 4}).Slice({0, 0}, {2, 3}, {1, 1}).Flatten(), std::nullopt);
  EXPECT_EQ(View::Dense({2, 3}).Reverse({0, 1}).Flatten(), View::Strided({6}, 5, {-1}));
}

TEST(View, PiecesThatNothingReachesAreDropped) {
  PaddingConfig none;
  none.dimensions.assign(2, {});
  EXPECT_NE(View::Pad(View::Dense({2, 2}), View::Dense({}, 1), none, {2, 2}).affine(), nullptr);
  PaddingConfig all;
  all.dimensions.assign(1, {-3, 5, 0});
  const View padding_only = View::Pad(View::Dense({3}), View::Dense({}, 1), all, {5});
  ASSERT_NE(padding_only.affine(), nullptr);
  EXPECT_EQ(padding_only.affine()->source, 1);
}

}  // namespace
}  // namespace assay
