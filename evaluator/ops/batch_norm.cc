// batch-norm-training: mean and variance of the cells of a feature, and
//   y = scale (x - mean) / sqrt(variance + epsilon) + offset;
// batch-norm-inference: the same y for a mean and a variance that are given; batch-norm-grad, with
// s^2 = variance + epsilon, P = sum dy, Q = sum dy (x - mean) over the m cells of a feature:
//   scale / (m s^3) * ((m dy - P) s^2 - (x - mean) Q), then Q / s, then P.
// Every element is exact, rounded once: y does not see the rounding of mean and variance.
// Choices and special values: batch_norm_feature.h. Source: ops_structural.md 9.
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "evaluator/ops/batch_norm_feature.h"
#include "evaluator/ops/definition.h"

namespace assay::evaluator {
namespace {

class BatchNorm : public Definition {
 public:
  explicit BatchNorm(const Instruction& op)
      : op_(op), axis_(op.GetInt(Attr::kFeatureIndex)), epsilon_(BatchNormEpsilon(op)) {}

 protected:
  // The number that element `index` of operand k stands for.
  absl::StatusOr<double> Value(int64_t k, Index index, OperandElements& operands) const {
    absl::StatusOr<Element> element = operands.At(k, index);
    if (!element.ok()) return element.status();
    return DecodeFloat(OperandType(op_, k), element->bits);
  }
  absl::StatusOr<double> Parameter(int64_t k, int64_t feature, OperandElements& operands) const {
    return Value(k, {feature}, operands);
  }
  // Calls visit(index) for every cell of a feature.
  template <typename Visit>
  absl::Status ForEachCell(int64_t feature, EvaluationContext& context, Visit visit) const {
    const Index dimensions = OperandShape(op_, 0).dimensions();
    Dimensions sizes(dimensions.begin(), dimensions.end());
    sizes[axis_] = 1;
    return ForEachIndex(sizes, [&](Index index) -> absl::Status {
      Dimensions cell(index.begin(), index.end());
      cell[axis_] = feature;
      if (absl::Status status = context.Charge(1); !status.ok()) return status;
      return visit(Index(cell));
    });
  }
  absl::StatusOr<Element> Normalized(const BatchNormStatistics& statistics, Index index,
                                     OperandElements& operands) const {
    absl::StatusOr<double> x = Value(0, index, operands);
    absl::StatusOr<double> scale = Parameter(1, index[axis_], operands);
    absl::StatusOr<double> offset = Parameter(2, index[axis_], operands);
    for (const auto* value : {&x, &scale, &offset}) {
      if (!value->ok()) return value->status();
    }
    return Element{statistics.Normalized(OperandType(op_, 0), *x, *scale, *offset)};
  }

  const Instruction& op_;
  const int64_t axis_;
  const double epsilon_;
};

class Training : public BatchNorm {
 public:
  using BatchNorm::BatchNorm;
  absl::StatusOr<Element> At(int64_t leaf, Index index, OperandElements& operands,
                             EvaluationContext& context) override {
    const int64_t feature = leaf == 0 ? index[axis_] : index[0];
    std::unique_ptr<BatchNormStatistics>& statistics = features_[feature];
    if (statistics == nullptr) {
      absl::Status status = Collect(feature, operands, context, statistics);
      if (!status.ok()) return status;
    }
    const ElementType type = OperandType(op_, 0);
    if (leaf == 0) return Normalized(*statistics, index, operands);
    return Element{leaf == 1 ? statistics->Mean(type) : statistics->Variance(type)};
  }

 private:
  absl::Status Collect(int64_t feature, OperandElements& operands, EvaluationContext& context,
                       std::unique_ptr<BatchNormStatistics>& statistics) const {
    ExactSum sum, squares;
    int64_t count = 0;
    absl::Status status = ForEachCell(feature, context, [&](Index cell) {
      absl::StatusOr<double> x = Value(0, cell, operands);
      if (!x.ok()) return x.status();
      sum.Add(*x);
      squares.AddProduct(*x, *x);
      ++count;
      return absl::OkStatus();
    });
    if (!status.ok()) return status;
    statistics = std::make_unique<BatchNormStatistics>(sum, squares, count, epsilon_);
    return status;
  }

  absl::flat_hash_map<int64_t, std::unique_ptr<BatchNormStatistics>> features_;
};

class Inference : public BatchNorm {
 public:
  using BatchNorm::BatchNorm;
  absl::StatusOr<Element> At(int64_t, Index index, OperandElements& operands,
                             EvaluationContext&) override {
    absl::StatusOr<double> mean = Parameter(3, index[axis_], operands);
    if (!mean.ok()) return mean.status();
    absl::StatusOr<double> variance = Parameter(4, index[axis_], operands);
    if (!variance.ok()) return variance.status();
    return Normalized(BatchNormStatistics(*mean, *variance, epsilon_), index, operands);
  }
};

class Grad : public BatchNorm {
 public:
  using BatchNorm::BatchNorm;
  absl::StatusOr<Element> At(int64_t leaf, Index index, OperandElements& operands,
                             EvaluationContext& context) override {
    const int64_t feature = leaf == 0 ? index[axis_] : index[0];
    std::unique_ptr<BatchNormGradient>& gradient = features_[feature];
    if (gradient == nullptr) {
      absl::Status status = Collect(feature, operands, context, gradient);
      if (!status.ok()) return status;
    }
    const ElementType type = OperandType(op_, 0);
    if (leaf != 0) return Element{leaf == 1 ? gradient->Scale(type) : gradient->Offset(type)};
    absl::StatusOr<double> x = Value(0, index, operands);
    absl::StatusOr<double> dy = Value(4, index, operands);
    absl::StatusOr<double> scale = Parameter(1, feature, operands);
    for (const auto* value : {&x, &dy, &scale}) {
      if (!value->ok()) return value->status();
    }
    return Element{gradient->Operand(type, *x, *dy, *scale)};
  }

 private:
  absl::Status Collect(int64_t feature, OperandElements& operands, EvaluationContext& context,
                       std::unique_ptr<BatchNormGradient>& result) const {
    absl::StatusOr<double> mean = Parameter(2, feature, operands);
    if (!mean.ok()) return mean.status();
    absl::StatusOr<double> variance = Parameter(3, feature, operands);
    if (!variance.ok()) return variance.status();
    auto gradient = std::make_unique<BatchNormGradient>(*mean, *variance, epsilon_);
    absl::Status status = ForEachCell(feature, context, [&](Index cell) {
      absl::StatusOr<double> x = Value(0, cell, operands);
      if (!x.ok()) return x.status();
      absl::StatusOr<double> dy = Value(4, cell, operands);
      if (!dy.ok()) return dy.status();
      gradient->Add(*x, *dy);
      return absl::OkStatus();
    });
    if (!status.ok()) return status;
    gradient->Finish();
    result = std::move(gradient);
    return status;
  }

  absl::flat_hash_map<int64_t, std::unique_ptr<BatchNormGradient>> features_;
};

}  // namespace

DefinitionOr DefineBatchNormTraining(const Instruction& op) {
  return std::make_unique<Training>(op);
}
DefinitionOr DefineBatchNormInference(const Instruction& op) {
  // Verification by the rules of XLA looks at the first size alone (batch_norm_c6).
  for (const int64_t k : {3, 4}) {
    if (OperandShape(op, k).rank() == 1) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "batch-norm-inference: operand ", k, " is not a vector (batch_norm_c6): ", op.Describe()));
  }
  return std::make_unique<Inference>(op);
}
DefinitionOr DefineBatchNormGrad(const Instruction& op) { return std::make_unique<Grad>(op); }

}  // namespace assay::evaluator
