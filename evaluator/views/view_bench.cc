// An element on demand through many views, one on top of another.
#include <string>

#include "benchmark/benchmark.h"
#include "evaluator/views/tensor.h"

namespace assay::evaluator {
namespace {

PaddingConfig Border() {
  PaddingConfig padding;
  padding.dimensions.assign(3, {1, 1, 0});
  return padding;
}

// Four transposes, reverses, slices, broadcasts and reshapes each: composed, they are one piece.
View Stack(bool with_padding) {
  View view = View::Dense({8, 6, 4});
  for (int i = 0; i < 4; ++i) {
    view = view.Transpose({2, 0, 1}).Reverse({1});
    Dimensions sizes(view.sizes().begin(), view.sizes().end());
    if (with_padding) {
      for (int64_t& size : sizes) size += 2;
      view = View::Pad(view, View::Dense({}, 1), Border(), sizes);
      for (int64_t& size : sizes) size -= 2;
    } else {
      view = *view.Reshape({sizes[0], sizes[1], 1, sizes[2]})->Reshape(sizes);
    }
    view = view.Slice({0, 0, 0}, sizes, {1, 1, 1}).Reverse({0, 2});
  }
  return view;
}

void ElementThroughTwentyViews(benchmark::State& state) {
  const View view = Stack(state.range(0) != 0);
  state.SetLabel(std::to_string(view.pieces().size()) + " pieces");
  auto stored = *LTensor::Allocate(*DescribeAllocated(ElementType::kF32, {8, 6, 4}));
  const RTensorPtr tensor =
      ViewTensor(view, {stored, ConstantTensor(ElementType::kF32, {}, Element{})});
  int64_t i = 0;
  for (auto _ : state) {
    const int64_t index[3] = {i % view.sizes()[0], i % view.sizes()[1], i % view.sizes()[2]};
    benchmark::DoNotOptimize(tensor->At(index));
    ++i;
  }
}
BENCHMARK(ElementThroughTwentyViews)->Arg(0)->Arg(1);

// Twenty tensors, each a view of the one before, that nothing has composed.
void ElementThroughTwentyTensors(benchmark::State& state) {
  RTensorPtr tensor = *LTensor::Allocate(*DescribeAllocated(ElementType::kF32, {8, 6}));
  for (int i = 0; i < 20; ++i) {
    const Dimensions& shape = tensor->description().shape;
    tensor = ViewTensor(View::Dense(shape).Transpose({1, 0}), {tensor});
  }
  int64_t i = 0;
  for (auto _ : state) {
    const int64_t index[2] = {i % 8, i % 6};
    benchmark::DoNotOptimize(tensor->At(index));
    ++i;
  }
}
BENCHMARK(ElementThroughTwentyTensors);

}  // namespace
}  // namespace assay::evaluator
