// Convolutions with every dimension number, window attribute and group count over extents 0 to 3.
// The model turns the sum inside out: every pair of an input and a kernel element asks which output
// it belongs to, with the windows as lists of the elements that they cover.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "evaluator/kernels/small_worlds.h"

namespace assay::evaluator {
namespace {

using Ints = std::vector<int64_t>;

// All orders of 0..n-1.
std::vector<Ints> Orders(int64_t n) {
  Ints order(n);
  std::iota(order.begin(), order.end(), 0);
  std::vector<Ints> orders;
  do {
    orders.push_back(order);
  } while (std::next_permutation(order.begin(), order.end()));
  return orders;
}

// A convolution by the roles of its dimensions: batch (kernel: output feature), feature (input
// feature), then the spatial ones. An order says at which place of its array each role stands.
struct Configuration {
  int64_t batch = 1, input_features = 1, kernel_features = 1, output_features = 1;
  int64_t feature_groups = 1, batch_groups = 1;
  Ints spatial;                          // sizes of the input
  std::vector<WindowDimension> windows;  // their sizes are those of the kernel
  Ints input_order, kernel_order, output_order;
};

Ints Placed(const Ints& by_role, const Ints& order) {
  Ints placed(order.size());
  for (size_t role = 0; role < order.size(); ++role) placed[order[role]] = by_role[role];
  return placed;
}

Ints InputSizes(const Configuration& c) {
  Ints sizes = {c.batch, c.input_features};
  sizes.insert(sizes.end(), c.spatial.begin(), c.spatial.end());
  return sizes;
}

Ints KernelSizes(const Configuration& c) {
  Ints sizes = {c.output_features, c.kernel_features};
  for (const WindowDimension& window : c.windows) sizes.push_back(window.size);
  return sizes;
}

bool GroupsFit(const Configuration& c) {
  return c.feature_groups >= 1 && c.batch_groups >= 1 &&
         (c.feature_groups == 1 || c.batch_groups == 1) &&
         c.input_features == c.feature_groups * c.kernel_features &&
         c.output_features % c.feature_groups == 0 && c.output_features % c.batch_groups == 0 &&
         c.batch % c.batch_groups == 0;
}

// outputs[i][k]: the output positions whose window meets element i at kernel element k.
using Meetings = std::vector<std::vector<Ints>>;

Meetings MeetingsOf(int64_t size, const WindowDimension& window, const std::vector<Axis>& windows) {
  Meetings meetings(size, std::vector<Ints>(window.size));
  for (size_t o = 0; o < windows.size(); ++o) {
    for (int64_t k = 0; k < window.size; ++k) {
      const int64_t element = windows[o][k];
      const int64_t tap = window.reversal ? window.size - 1 - k : k;
      if (element >= 0) meetings[element][tap].push_back(static_cast<int64_t>(o));
    }
  }
  return meetings;
}

std::optional<SmallArray> Convolved(const Configuration& c, const SmallArray& input,
                                    const SmallArray& kernel) {
  if (!GroupsFit(c)) return std::nullopt;
  std::vector<Meetings> meetings;
  Ints output_sizes = {c.batch / c.batch_groups, c.output_features};
  for (size_t d = 0; d < c.spatial.size(); ++d) {
    const auto windows = Windows(c.spatial[d], c.windows[d]);
    if (!windows) return std::nullopt;
    output_sizes.push_back(static_cast<int64_t>(windows->size()));
    meetings.push_back(MeetingsOf(c.spatial[d], c.windows[d], *windows));
  }
  SmallArray output{input.type, Placed(output_sizes, c.output_order), {}};
  output.values.assign(CountOf(output.sizes), 0);
  ForEach(InputSizes(c), [&](const Ints& i) {
    const uint64_t x = input.values[PositionOf(Placed(i, c.input_order), input.sizes)];
    ForEach(KernelSizes(c), [&](const Ints& k) {
      // Output feature k[0] belongs to one group; element i to one of features, one of batches.
      if (c.feature_groups > 1 &&
          k[0] / (c.output_features / c.feature_groups) != i[1] / c.kernel_features) {
        return;
      }
      if (c.batch_groups > 1 &&
          k[0] / (c.output_features / c.batch_groups) != i[0] / (c.batch / c.batch_groups)) {
        return;
      }
      if (i[1] % c.kernel_features != k[1]) return;
      const uint64_t w = kernel.values[PositionOf(Placed(k, c.kernel_order), kernel.sizes)];
      Ints counts;
      for (size_t d = 0; d < meetings.size(); ++d) {
        counts.push_back(static_cast<int64_t>(meetings[d][i[d + 2]][k[d + 2]].size()));
      }
      ForEach(counts, [&](const Ints& n) {
        Ints o = {i[0] % output_sizes[0], k[0]};
        for (size_t d = 0; d < n.size(); ++d) o.push_back(meetings[d][i[d + 2]][k[d + 2]][n[d]]);
        uint64_t& sum = output.values[PositionOf(Placed(o, c.output_order), output.sizes)];
        sum = (sum + x * w) & 0xFFFFFFFF;
      });
    });
  });
  return output;
}

class Convolutions {
 public:
  bool Check(const Configuration& c) {
    if (worlds_.Skips()) return true;
    const SmallArray input = Scrambled(ElementType::kU32, Placed(InputSizes(c), c.input_order), 1);
    const SmallArray kernel =
        Scrambled(ElementType::kU32, Placed(KernelSizes(c), c.kernel_order), 2);
    ConvolutionDimensions numbers;
    auto set = [](const Ints& order, int64_t* first, int64_t* second, Ints* spatial,
                  int64_t* rank) {
      *first = order[0];
      *second = order[1];
      spatial->assign(order.begin() + 2, order.end());
      *rank = static_cast<int64_t>(order.size());
    };
    set(c.input_order, &numbers.input_batch, &numbers.input_feature, &numbers.input_spatial,
        &numbers.input_rank);
    set(c.kernel_order, &numbers.kernel_output_feature, &numbers.kernel_input_feature,
        &numbers.kernel_spatial, &numbers.kernel_rank);
    set(c.output_order, &numbers.output_batch, &numbers.output_feature, &numbers.output_spatial,
        &numbers.output_rank);
    AttributeValue labels;
    Emplace<ConvolutionDimensions>(labels) = numbers;
    return worlds_.Check(Opcode::kConvolution, {&input, &kernel},
                         {{Attr::kWindow, Window{c.windows}},
                          {Attr::kDimLabels, labels},
                          {Attr::kFeatureGroupCount, c.feature_groups},
                          {Attr::kBatchGroupCount, c.batch_groups}},
                         Convolved(c, input, kernel));
  }
  // The next orders of a rank: each combination comes up once in orders^3 calls.
  void Order(Configuration& c) {
    const std::vector<Ints>& orders = orders_[c.spatial.size()];
    const auto n = static_cast<int64_t>(orders.size());
    const int64_t turn = turn_++;
    c.input_order = orders[turn % n];
    c.kernel_order = orders[turn / n % n];
    c.output_order = orders[turn / n / n % n];
  }
  const SmallWorlds& worlds() const { return worlds_; }

 private:
  SmallWorlds worlds_;
  const std::vector<Ints> orders_[4] = {Orders(2), Orders(3), Orders(4), Orders(5)};
  int64_t turn_ = 0;
};

WindowDimension WindowOf(int64_t size, int64_t stride, int64_t low, int64_t high,
                         int64_t base_dilation, int64_t window_dilation, bool reversal) {
  return {size, stride, low, high, window_dilation, base_dilation, reversal};
}

// Every window attribute in one spatial dimension, with every order of dimensions in turn.
void CheckWindows(Convolutions& convolutions) {
  bool ok = true;
  ForEach({4, 4, 4, 7, 7, 3, 3, 2}, [&](const Ints& at) {
    if (!ok) return;
    Configuration c;
    c.spatial = {at[0]};
    c.windows = {WindowOf(at[1], at[2], at[3] - 3, at[4] - 3, at[5] + 1, at[6] + 1, at[7] == 1)};
    c.batch = 1 + at[3] % 2;
    c.input_features = c.kernel_features = 1 + at[4] % 3;
    c.output_features = 1 + at[5];
    convolutions.Order(c);
    ok = convolutions.Check(c);
  });
}

// Batch, features and groups 0 to 3, fitting or not, without and with a spatial dimension.
void CheckGroups(Convolutions& convolutions) {
  bool ok = true;
  ForEach({4, 4, 4, 4, 4, 4, 2}, [&](const Ints& at) {
    if (!ok) return;
    Configuration c;
    c.batch = at[0];
    c.input_features = at[1];
    c.kernel_features = at[2];
    c.output_features = at[3];
    c.feature_groups = at[4];
    c.batch_groups = at[5];
    if (at[6] == 1) {
      c.spatial = {2};
      c.windows = {WindowOf(2, 1, 1, 0, 1, 1, false)};
    }
    convolutions.Order(c);
    ok = convolutions.Check(c);
  });
  // Groups of several features and several images.
  ForEach({4, 3, 4, 3}, [&](const Ints& at) {
    if (!ok) return;
    Configuration c;
    (at[3] == 0 ? c.feature_groups : c.batch_groups) = at[1] + 1;
    c.batch = (at[3] == 0 ? 1 : at[1] + 1) * at[0];
    c.kernel_features = at[2];
    c.input_features = at[2] * c.feature_groups;
    c.output_features = (at[1] + 1) * (at[3] + 1);
    c.spatial = {3};
    c.windows = {WindowOf(2, 1, 0, 0, 1, 1, true)};
    convolutions.Order(c);
    ok = convolutions.Check(c);
  });
}

// Every order of the dimensions of input, kernel and result with two spatial dimensions; three with
// orders in turn.
void CheckDimensionNumbers(Convolutions& convolutions) {
  bool ok = true;
  int64_t turn = 0;
  ForEach({24, 24, 24, 3}, [&](const Ints& at) {
    if (!ok) return;
    Configuration c;
    c.batch = 2;
    c.input_features = c.kernel_features = 1 + turn % 2;
    c.output_features = 3;
    c.spatial = {at[3] + 1, (turn / 3) % 4};
    c.windows = {WindowOf(1 + turn % 3, 1 + turn % 2, turn % 2, 1, 1, 1, false),
                 WindowOf(2, 1, 1 - turn % 3, turn % 2, 1 + turn % 2, 1, turn % 2 == 0)};
    ++turn;
    convolutions.Order(c);
    ok = convolutions.Check(c);
  });
  ForEach({4, 4, 4, 2, 2, 2, 2}, [&](const Ints& at) {
    if (!ok) return;
    Configuration c;
    c.output_features = 2;
    c.spatial = {at[0], at[1], at[2]};
    for (int d = 0; d < 3; ++d) {
      c.windows.push_back(WindowOf(1 + at[3 + d], 1 + at[6], at[3], at[4], 1, 1, at[5] == 1));
    }
    convolutions.Order(c);
    ok = convolutions.Check(c);
  });
}

TEST(SmallWorlds, Convolutions) {
  Convolutions convolutions;
  CheckWindows(convolutions);
  CheckGroups(convolutions);
  CheckDimensionNumbers(convolutions);
  convolutions.worlds().Report("convolution");
  EXPECT_GE(convolutions.worlds().accepted() + convolutions.worlds().refused(), 100000);
}

}  // namespace
}  // namespace assay::evaluator
