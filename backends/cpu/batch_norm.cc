// batch-norm-training, -inference and -grad: two passes over the cells of a feature, in f64, and
// one rounding at the end. Features that lie side by side are computed together, several groups of
// them by several threads. Source: reference ops_structural.md 9. Tests: kernels_test.cc.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "backends/cpu/kernels.h"
#include "backends/cpu/region.h"
#include "backends/defect.h"
#include "runtime/parallel.h"
#include "runtime/scratch.h"

namespace assay::cpu {
namespace {

class BatchNormKernel : public Kernel {
 public:
  // Conversions by operand to f64, and by result from it.
  BatchNormKernel(const Instruction& op, std::vector<BlockFunction> widen,
                  std::vector<BlockFunction> narrow)
      : opcode_(op.opcode()),
        widen_(std::move(widen)),
        narrow_(std::move(narrow)),
        epsilon_(op.GetFloat(Attr::kEpsilon)) {
    const Shape& shape = op.operand(0)->shape();
    const int64_t feature = op.GetInt(Attr::kFeatureIndex);
    features_ = shape.dimension(feature);
    for (int64_t d = 0; d < shape.rank(); ++d) {
      if (d < feature) outer_ *= shape.dimension(d);
      if (d > feature) inner_ *= shape.dimension(d);
    }
    group_ = std::max<int64_t>(1, kBlockElements / std::max<int64_t>(1, inner_));
  }

  absl::Status Execute(absl::Span<const ArrayRef> operands,
                       absl::Span<const MutableArrayRef> results, Context& context) const override {
    const int64_t cells = outer_ * inner_;
    const int64_t groups = features_ == 0 ? 0 : (features_ - 1) / group_ + 1;
    return runtime::ParallelFor(
        context, groups, runtime::GrainFor(4 * cells * group_),
        [&](runtime::Blocks& blocks, Context& context) {
          runtime::ScratchLease lease(context);
          absl::Status status = lease.Add(group_ * 64 + 3 * kBlockElements * 8);
          if (!status.ok()) return status;
          Group group(*this);
          for (int64_t number; blocks.NextElement(&number);) {
            group.first = number * group_;
            group.count = std::min(group_, features_ - group.first);
            status = context.ChargeCostly(3 * cells * group.count + group.count);
            if (!status.ok()) return status;
            if (opcode_ == Opcode::kBatchNormTraining) Train(operands, results, group);
            if (opcode_ == Opcode::kBatchNormInference) Infer(operands, results, group);
            if (opcode_ == Opcode::kBatchNormGrad) Differentiate(operands, results, group);
          }
          return absl::OkStatus();
        });
  }

 private:
  // Some features, and what is known of each.
  struct Group {
    explicit Group(const BatchNormKernel& kernel) {
      for (std::vector<double>* values : {&a, &b, &c, &d, &e, &f}) values->resize(kernel.group_);
      x.resize(kBlockElements);
      y.resize(kBlockElements);
    }
    int64_t first = 0, count = 0;
    std::vector<double> a, b, c, d, e, f;
    std::vector<double> x, y;  // blocks of elements
  };

  // Between elements [first, first + n) of an operand or a result and f64.
  void Load(absl::Span<const ArrayRef> operands, int64_t k, int64_t first, int64_t n,
            double* out) const {
    const int64_t bytes = StorageBytes(operands[k].shape->element_type());
    const std::byte* in = operands[k].data + first * bytes;
    widen_[k](absl::MakeConstSpan(&in, 1), reinterpret_cast<std::byte*>(out), n);
  }
  void Store(const double* values, int64_t first, int64_t n,
             absl::Span<const MutableArrayRef> results, int64_t k) const {
    const int64_t bytes = StorageBytes(results[k].shape->element_type());
    const std::byte* in = reinterpret_cast<const std::byte*>(values);
    narrow_[k](absl::MakeConstSpan(&in, 1), results[k].data + first * bytes, n);
  }

  // Calls visit(position of a block in the array, its size, its position in the run of the group).
  template <typename Visit>
  void ForEachBlock(const Group& group, Visit visit) const {
    const int64_t run = group.count * inner_;
    for (int64_t o = 0; o < outer_; ++o) {
      const int64_t begin = (o * features_ + group.first) * inner_;
      for (int64_t first = 0; first < run; first += kBlockElements) {
        visit(begin + first, std::min(kBlockElements, run - first), first);
      }
    }
  }
  // Calls with(i, feature) for the elements of a block that begins at `first` of the group's run.
  template <typename With>
  void ForEachElement(int64_t first, int64_t n, With with) const {
    int64_t feature = first / inner_, left = inner_ - first % inner_;
    for (int64_t i = 0; i < n;) {
      const int64_t end = std::min(n, i + left);
      for (; i < end; ++i) with(i, feature);
      ++feature;
      left = inner_;
    }
  }

  // The mean and the variance of each feature, in group.a and group.b.
  void Moments(absl::Span<const ArrayRef> operands, Group& group) const {
    const double cells = static_cast<double>(outer_ * inner_);
    std::vector<double>&mean = group.a, &variance = group.b;
    std::fill(mean.begin(), mean.end(), 0.0);
    std::fill(variance.begin(), variance.end(), 0.0);
    ForEachBlock(group, [&](int64_t at, int64_t n, int64_t first) {
      Load(operands, 0, at, n, group.x.data());
      ForEachElement(first, n, [&](int64_t i, int64_t f) { mean[f] += group.x[i]; });
    });
    for (double& value : mean) value /= cells;
    ForEachBlock(group, [&](int64_t at, int64_t n, int64_t first) {
      Load(operands, 0, at, n, group.x.data());
      ForEachElement(first, n, [&](int64_t i, int64_t f) {
        const double distance = group.x[i] - mean[f];
        variance[f] += distance * distance;
      });
    });
    for (double& value : variance) value /= ASSAY_DEFECT(38, cells, std::max(1.0, cells - 1));
  }

  // y = scale * (x - mean) / sqrt(variance + epsilon) + offset
  void Normalise(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                 Group& group) const {
    Load(operands, 1, group.first, group.count, group.c.data());
    Load(operands, 2, group.first, group.count, group.d.data());
    for (int64_t f = 0; f < group.count; ++f) group.e[f] = std::sqrt(group.b[f] + epsilon_);
    ForEachBlock(group, [&](int64_t at, int64_t n, int64_t first) {
      Load(operands, 0, at, n, group.x.data());
      ForEachElement(first, n, [&](int64_t i, int64_t f) {
        group.x[i] = group.c[f] * (group.x[i] - group.a[f]) / group.e[f] + group.d[f];
      });
      Store(group.x.data(), at, n, results, 0);
    });
  }

  void Train(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
             Group& group) const {
    Moments(operands, group);
    Store(group.a.data(), group.first, group.count, results, 1);
    Store(group.b.data(), group.first, group.count, results, 2);
    Normalise(operands, results, group);
  }

  void Infer(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
             Group& group) const {
    Load(operands, 3, group.first, group.count, group.a.data());
    Load(operands, 4, group.first, group.count, group.b.data());
    Normalise(operands, results, group);
  }

  void Differentiate(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                     Group& group) const {
    const double cells = static_cast<double>(outer_ * inner_);
    std::vector<double>&scale = group.a, &mean = group.b, &wide = group.c;  // variance + epsilon
    std::vector<double>&sum = group.d, &product = group.e, &factor = group.f;
    Load(operands, 1, group.first, group.count, scale.data());
    Load(operands, 2, group.first, group.count, mean.data());
    Load(operands, 3, group.first, group.count, wide.data());
    std::fill(sum.begin(), sum.end(), 0.0);
    std::fill(product.begin(), product.end(), 0.0);
    ForEachBlock(group, [&](int64_t at, int64_t n, int64_t first) {
      Load(operands, 0, at, n, group.x.data());
      Load(operands, 4, at, n, group.y.data());
      ForEachElement(first, n, [&](int64_t i, int64_t f) {
        sum[f] += group.y[i];
        product[f] += group.y[i] * (group.x[i] - mean[f]);
      });
    });
    Store(sum.data(), group.first, group.count, results, 2);
    for (int64_t f = 0; f < group.count; ++f) {
      wide[f] += ASSAY_DEFECT(39, epsilon_, 0);
      const double deviation = std::sqrt(wide[f]);
      factor[f] = scale[f] / (deviation * cells);
      // Without cells both gradients are zero.
      scale[f] = cells == 0 ? 0 : product[f] / deviation;
      product[f] /= wide[f];
    }
    Store(scale.data(), group.first, group.count, results, 1);
    ForEachBlock(group, [&](int64_t at, int64_t n, int64_t first) {
      Load(operands, 0, at, n, group.x.data());
      Load(operands, 4, at, n, group.y.data());
      ForEachElement(first, n, [&](int64_t i, int64_t f) {
        group.x[i] = factor[f] * (cells * group.y[i] - ASSAY_DEFECT(40, sum[f], 0) -
                                  (group.x[i] - mean[f]) * product[f]);
      });
      Store(group.x.data(), at, n, results, 0);
    });
  }

  const Opcode opcode_;
  const std::vector<BlockFunction> widen_, narrow_;
  const double epsilon_;
  int64_t outer_ = 1, features_ = 1, inner_ = 1, group_ = 1;
};

}  // namespace

KernelOr PrepareBatchNorm(const Instruction& batch_norm) {
  std::vector<BlockFunction> widen, narrow;
  for (const Instruction* operand : batch_norm.operands()) {
    auto convert = ConvertFunction(operand->shape().element_type(), ElementType::kF64);
    if (!convert.ok()) return convert.status();
    widen.push_back(*std::move(convert));
  }
  for (const Shape* leaf : Leaves(batch_norm.shape())) {
    auto convert = ConvertFunction(ElementType::kF64, leaf->element_type());
    if (!convert.ok()) return convert.status();
    narrow.push_back(*std::move(convert));
  }
  return std::make_unique<BatchNormKernel>(batch_norm, std::move(widen), std::move(narrow));
}

}  // namespace assay::cpu
