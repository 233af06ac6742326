// Rows of contractions: dots of every kind and convolutions.
#include <algorithm>
#include <numeric>

#include "fuzz/programs/writer.h"
#include "spec/ops/dot_algorithms.h"

namespace assay::fuzz {
namespace {

// The result type of products of these types: mostly the wider one, now and then another of the
// class, which is what they are summed in.
ElementType SumType(ProgramWriter& w, ElementType a, ElementType b) {
  const ElementType wider = Info(a).bits >= Info(b).bits ? a : b;
  if (!w.choices().OneIn(4)) return wider;
  if (IsFloat(wider) && Info(wider).bits < 32) return ElementType::kF32;
  if (IsInteger(wider) && Info(wider).bits < 32) return ElementType::kS32;
  return w.TypeOfClass(wider);
}

// The dimensions of both sides of a dot, by role.
struct DotPlan {
  std::vector<int64_t> lhs_batch, lhs_contracting, rhs_batch, rhs_contracting;
  Dimensions rhs_sizes;
};

// Roles for the dimensions of `lhs`, and a right side that goes with them.
DotPlan PlanDot(ProgramWriter& w, const Shape& lhs, bool one_contracting) {
  DotPlan plan;
  int64_t products = 1;
  struct Side {
    int64_t size, role, of;  // role: 0 batch, 1 contracting, 2 free
  };
  std::vector<Side> rhs;
  for (int64_t d = 0; d < lhs.rank(); ++d) {
    int64_t role = w.choices().Below(4);
    if (one_contracting && role == 1 && !plan.lhs_contracting.empty()) role = 2;
    products *= std::max<int64_t>(lhs.dimension(d), 1);
    if (role == 0) {
      rhs.push_back({lhs.dimension(d), 0, static_cast<int64_t>(plan.lhs_batch.size())});
      plan.lhs_batch.push_back(d);
    } else if (role == 1) {
      rhs.push_back({lhs.dimension(d), 1, static_cast<int64_t>(plan.lhs_contracting.size())});
      plan.lhs_contracting.push_back(d);
    }
  }
  if (one_contracting && plan.lhs_contracting.empty()) {
    const int64_t last = lhs.rank() - 1;
    if (!plan.lhs_batch.empty() && plan.lhs_batch.back() == last) {
      plan.lhs_batch.pop_back();
      rhs.pop_back();
    }
    rhs.push_back({lhs.dimension(last), 1, 0});
    plan.lhs_contracting.push_back(last);
  }
  for (int64_t more = w.choices().Below(3); more > 0; --more) {
    const int64_t size = w.AnySize();
    if (products * size > w.limits().products / 8) break;
    products *= std::max<int64_t>(size, 1);
    rhs.push_back({size, 2, 0});
  }
  for (int64_t k = static_cast<int64_t>(rhs.size()) - 1; k > 0; --k) {
    std::swap(rhs[k], rhs[w.choices().Below(k + 1)]);
  }
  plan.rhs_batch.resize(plan.lhs_batch.size());
  plan.rhs_contracting.resize(plan.lhs_contracting.size());
  for (size_t d = 0; d < rhs.size(); ++d) {
    plan.rhs_sizes.push_back(rhs[d].size);
    if (rhs[d].role == 0) plan.rhs_batch[rhs[d].of] = static_cast<int64_t>(d);
    if (rhs[d].role == 1) plan.rhs_contracting[rhs[d].of] = static_cast<int64_t>(d);
  }
  return plan;
}

void SetDot(const DotPlan& plan, Instruction* dot) {
  dot->SetAttribute(Attr::kLhsBatchDims, plan.lhs_batch);
  dot->SetAttribute(Attr::kLhsContractingDims, plan.lhs_contracting);
  dot->SetAttribute(Attr::kRhsBatchDims, plan.rhs_batch);
  dot->SetAttribute(Attr::kRhsContractingDims, plan.rhs_contracting);
}

void SetPrecision(ProgramWriter& w, Instruction* made, size_t operands) {
  if (!w.choices().OneIn(6)) return;
  std::vector<int64_t> precision(operands);
  for (int64_t& each : precision) each = w.choices().Below(3);
  made->SetAttribute(Attr::kOperandPrecision, precision);
}

// An algorithm that is for these types, if one is.
int64_t AnyAlgorithm(ProgramWriter& w, ElementType lhs, ElementType rhs, ElementType result) {
  constexpr int64_t kAlgorithms = 14;
  const int64_t first = w.choices().Below(kAlgorithms);
  for (int64_t k = 0; k < kAlgorithms; ++k) {
    const int64_t number = (first + k) % kAlgorithms;
    const DotAlgorithm& algorithm = DotAlgorithmOf(number);
    if (algorithm.takes(lhs) && algorithm.takes(rhs) && algorithm.gives(result)) return number;
  }
  return 0;
}

// The type of the result can be declared by a scalar of it alone: the sizes are inferred.
Instruction* FinishDot(ProgramWriter& w, std::unique_ptr<Instruction> dot, ElementType result) {
  dot->set_shape(Shape::Scalar(result));
  return w.Finish(std::move(dot));
}

ElementType OtherFactor(ProgramWriter& w, ElementType type) {
  return w.choices().OneIn(8) ? w.TypeOfClass(type) : type;
}

// A divisor: the least one that is not below a number that is drawn. Divisors are looked for in
// pairs, since a size may be large.
int64_t AnyDivisor(ProgramWriter& w, int64_t of) {
  const int64_t least = w.choices().Below(of) + 1;
  int64_t divisor = of;
  for (int64_t small = 1; small * small <= of; ++small) {
    if (of % small != 0) continue;
    if (small >= least) return std::min(divisor, small);
    if (of / small >= least) divisor = of / small;
  }
  return divisor;
}

}  // namespace

void WriteDot(ProgramWriter& w, Opcode opcode) {
  Instruction* const x = w.ArrayFor(opcode);
  const ElementType lhs = x->shape().element_type(), rhs = OtherFactor(w, lhs);
  const DotPlan plan = PlanDot(w, x->shape(), /*one_contracting=*/false);
  Instruction* const y = w.ArrayOf(rhs, plan.rhs_sizes);
  const ElementType result = SumType(w, lhs, rhs);
  auto made = w.Start(opcode, {x, y});
  SetDot(plan, made.get());
  if (IsFloat(result) && w.choices().OneIn(6)) {
    made->SetAttribute(Attr::kAlgorithm, AnyAlgorithm(w, lhs, rhs, result));
  } else {
    SetPrecision(w, made.get(), 2);
  }
  FinishDot(w, std::move(made), result);
}

void WriteRaggedDot(ProgramWriter& w, Opcode opcode) {
  Instruction* const x = w.NonEmptyArray(opcode, 1);
  const ElementType type = x->shape().element_type();
  DotPlan plan = PlanDot(w, x->shape(), /*one_contracting=*/false);
  const int64_t ragged = w.choices().Below(x->shape().rank());
  const auto has = [](const std::vector<int64_t>& list, int64_t d) {
    return std::find(list.begin(), list.end(), d) != list.end();
  };
  const bool is_free = !has(plan.lhs_batch, ragged) && !has(plan.lhs_contracting, ragged);
  const int64_t groups = w.choices().Between(1, 3);
  std::vector<int64_t> group_dims;
  if (is_free) {
    group_dims.push_back(static_cast<int64_t>(plan.rhs_sizes.size()));
    plan.rhs_sizes.push_back(groups);
  }
  Instruction* const y = w.ArrayOf(type, plan.rhs_sizes);
  // The groups lie inside the ragged dimension.
  std::vector<int64_t> sizes;
  int64_t left = x->shape().dimension(ragged);
  for (int64_t k = 0; k < groups; ++k) {
    sizes.push_back(w.choices().OneIn(4) ? left : w.choices().Below(left + 1));
    left -= sizes.back();
  }
  static constexpr ElementType kSizeTypes[] = {ElementType::kS32, ElementType::kS64,
                                               ElementType::kU32};
  Instruction* const group_sizes = w.IntegerConstant(w.choices().Of(kSizeTypes), {groups}, sizes);
  auto made = w.Start(opcode, {x, y, group_sizes});
  SetDot(plan, made.get());
  made->SetAttribute(Attr::kLhsRaggedDims, std::vector<int64_t>{ragged});
  made->SetAttribute(Attr::kRhsGroupDims, group_dims);
  SetPrecision(w, made.get(), 2);
  FinishDot(w, std::move(made), SumType(w, type, type));
}

void WriteScaledDot(ProgramWriter& w, Opcode opcode) {
  Instruction* const x = w.NonEmptyArray(opcode, 1, 3);
  const ElementType lhs = x->shape().element_type(), rhs = OtherFactor(w, lhs);
  const DotPlan plan = PlanDot(w, x->shape(), /*one_contracting=*/true);
  Instruction* const y = w.ArrayOf(rhs, plan.rhs_sizes);
  const auto scale_of = [&](const Instruction* operand, ElementType type) {
    Dimensions sizes(operand->shape().dimensions().begin(), operand->shape().dimensions().end());
    for (int64_t& size : sizes) {
      if (size > 0) size /= AnyDivisor(w, size);
    }
    return w.ArrayOf(type, sizes);
  };
  const ElementType scale = w.choices().OneIn(2) ? ElementType::kF8E8M0FNU : lhs;
  std::vector<Instruction*> operands = {x, y, scale_of(x, scale), scale_of(y, scale)};
  static constexpr ElementType kResults[] = {ElementType::kF32, ElementType::kBF16,
                                             ElementType::kF32, ElementType::kF16};
  auto made = w.Start(opcode, operands);
  SetDot(plan, made.get());
  FinishDot(w, std::move(made), w.choices().Of(kResults));
}

namespace {

// Puts batch, feature and spatial dimensions at places of their own.
void Label(ProgramWriter& w, int64_t spatial, int64_t* first, int64_t* second,
           std::vector<int64_t>* rest) {
  std::vector<int64_t> order(spatial + 2);
  std::iota(order.begin(), order.end(), 0);
  if (!w.choices().OneIn(3)) {
    for (int64_t k = spatial + 1; k > 0; --k) std::swap(order[k], order[w.choices().Below(k + 1)]);
  }
  *first = order[0];
  *second = order[1];
  rest->assign(order.begin() + 2, order.end());
}

}  // namespace

void WriteConvolution(ProgramWriter& w, Opcode opcode) {
  Instruction* x = w.NonEmptyArray(opcode, 2);
  const int64_t spatial = x->shape().rank() - 2;
  ConvolutionDimensions labels;
  labels.input_rank = labels.kernel_rank = labels.output_rank = x->shape().rank();
  Label(w, spatial, &labels.input_batch, &labels.input_feature, &labels.input_spatial);
  Label(w, spatial, &labels.kernel_input_feature, &labels.kernel_output_feature,
        &labels.kernel_spatial);
  Label(w, spatial, &labels.output_batch, &labels.output_feature, &labels.output_spatial);
  if (w.choices().OneIn(16)) {  // sums of nothing
    Dimensions sizes(x->shape().dimensions().begin(), x->shape().dimensions().end());
    sizes[labels.input_feature] = 0;
    x = w.ArrayOf(x->shape().element_type(), sizes);
  }
  const Shape& input = x->shape();
  const int64_t features = input.dimension(labels.input_feature);
  const int64_t groups = features > 0 && w.choices().OneIn(3) ? AnyDivisor(w, features) : 1;
  const int64_t batch_groups =
      groups == 1 && w.choices().OneIn(4) ? AnyDivisor(w, input.dimension(labels.input_batch)) : 1;
  Dimensions kernel(input.rank());
  kernel[labels.kernel_input_feature] = features / groups;
  kernel[labels.kernel_output_feature] = groups * batch_groups * w.choices().Between(1, 3);
  Window window;
  int64_t cost = CountOf(input.dimensions()) * kernel[labels.kernel_output_feature];
  for (int64_t k = 0; k < spatial; ++k) {
    WindowDimension d;
    static constexpr int64_t kPadding[] = {0, 1, 0, 2, -1, 1, 0, 3};
    d.size = w.choices().Between(1, 3);
    d.stride = w.choices().OneIn(3) ? 2 : 1;
    d.padding_low = w.choices().Of(kPadding);
    d.padding_high = w.choices().Of(kPadding);
    d.window_dilation = w.choices().OneIn(4) ? 2 : 1;
    d.base_dilation = w.choices().OneIn(4) ? 2 : 1;
    d.reversal = w.choices().OneIn(4);
    const int64_t base = (input.dimension(labels.input_spatial[k]) - 1) * d.base_dilation + 1;
    if (base + d.padding_low + d.padding_high < 0) d.padding_low = d.padding_high = 0;
    cost *= 2 * d.size;
    if (cost > w.limits().products) d = WindowDimension();
    kernel[labels.kernel_spatial[k]] = d.size;
    window.dimensions.push_back(d);
  }
  const ElementType lhs = input.element_type(), rhs = OtherFactor(w, lhs);
  auto made = w.Start(opcode, {x, w.ArrayOf(rhs, kernel)});
  made->SetAttribute(Attr::kWindow, window);
  AttributeValue written;
  Emplace<ConvolutionDimensions>(written) = labels;
  made->SetAttribute(Attr::kDimLabels, std::move(written));
  made->SetAttribute(Attr::kFeatureGroupCount, groups);
  made->SetAttribute(Attr::kBatchGroupCount, batch_groups);
  SetPrecision(w, made.get(), 2);
  FinishDot(w, std::move(made), SumType(w, lhs, rhs));
}

}  // namespace assay::fuzz
