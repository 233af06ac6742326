// Defects that show under one narrow condition: a variance of zero, an operand without elements,
// one equation, a grid of devices, the second of several dimensions, arrays or operands.
#include <vector>

#include "absl/algorithm/container.h"
#include "conformance/mutants/defects.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/rewrites.h"
#include "evaluator/ops/definition.h"

namespace assay::conformance {
namespace {

using enum Opcode;

double FloatAt(const Literal& literal, int64_t position) {
  return DecodeFloat(literal.element_type(), literal.Get(position).bits);
}

// Where the variance is zero, x - mean is divided by sqrt(variance) + epsilon.
void EpsilonAfterTheRoot(const Instruction& x, absl::Span<const Literal> operands,
                         std::vector<Literal>* leaves, const CustomCall&) {
  const int64_t d = x.GetInt(Attr::kFeatureIndex);
  Literal& result = leaves->front();
  for (int64_t i = 0; i < result.element_count(); ++i) {
    const int64_t feature = evaluator::IndexAt(i, x.shape().dimensions())[d];
    if (FloatAt(operands[4], feature) != 0) continue;
    const double normalised =
        (FloatAt(operands[0], i) - FloatAt(operands[3], feature)) / x.GetFloat(Attr::kEpsilon);
    const double value = FloatAt(operands[1], feature) * normalised + FloatAt(operands[2], feature);
    result.Set(i, {EncodeFloat(result.element_type(), value), 0});
  }
}

// Sums of no terms are what the memory held.
void NotInitialised(const Instruction&, absl::Span<const Literal> operands,
                    std::vector<Literal>* leaves, const CustomCall&) {
  if (operands[0].element_count() > 0 && operands[1].element_count() > 0) return;
  for (int64_t i = 0; i < leaves->front().element_count(); ++i) leaves->front().Set(i, {1, 0});
}

// One transposed equation a x = b is solved as x = a b.
void ProductForOneEquation(const Instruction& x, absl::Span<const Literal> operands,
                           std::vector<Literal>* leaves, const CustomCall&) {
  Literal& result = leaves->front();
  const ElementType type = result.element_type();
  const bool transposed = x.GetEnum<TransposeA>(Attr::kTransposeA) != TransposeA::kNoTranspose;
  if (!IsFloat(type) || !transposed || operands[0].element_count() != 1) return;
  for (int64_t i = 0; i < result.element_count(); ++i) {
    result.Set(i, {EncodeFloat(type, FloatAt(operands[0], 0) * FloatAt(operands[1], i)), 0});
  }
}

// The number of the device, where there are several replicas and several partitions.
void NumberOfTheDevice(const Instruction&, absl::Span<const Literal>, std::vector<Literal>* leaves,
                       const CustomCall& call) {
  if (call.grid.partitions == 1 || call.grid.count() == call.grid.partitions) return;
  const int64_t number = call.process.replica * call.grid.partitions + call.process.partition;
  leaves->front().Set(0, {static_cast<uint64_t>(number), 0});
}

// The size that the shape gives, for dimensions after the first.
Instruction* BoundOfLaterDimensions(Site& site) {
  const Shape& shape = In(site, 0).shape();
  const int64_t d = site.original().GetInt(Attr::kDimension);
  if (d == 0 || !shape.is_dynamic()) return nullptr;
  return BuildUniform(site, ShapeOf(site), static_cast<double>(shape.dimension(d)));
}

// Products and minima over dynamic dimensions go on to the bound, where there are zeros.
Instruction* FoldsUpToTheBound(Site& site) {
  const Instruction& x = site.original();
  const Shape& dynamic = In(site, 0).shape();
  const Opcode root = x.to_apply()->root()->opcode();
  if (x.operand_count() != 2 || !dynamic.is_dynamic() || x.shape().is_dynamic() ||
      (root != kMultiply && root != kMinimum)) {
    return nullptr;
  }
  const auto sizes = dynamic.dimensions();
  const Shape whole(dynamic.element_type(), std::vector<int64_t>(sizes.begin(), sizes.end()));
  Instruction* operand = site.Call(
      {site.operand(0)}, whole,
      [whole](const Instruction&, absl::Span<const Literal> values, const CustomCall&) {
        Literal padded = Literal::Zeros(whole);
        const Literal valid = ValidBox(values[0]);
        CopyBox(valid, valid.shape().dimensions(), std::vector<int64_t>(whole.rank(), 0), &padded);
        return padded;
      });
  return site.Edited([&](Instruction& copy) { copy.set_operands({operand, site.operand(1)}); });
}

// A reverse scan of several arrays runs forwards over the second one.
Instruction* SecondArrayForwards(Site& site) {
  const Instruction& x = site.original();
  if (!x.GetBool(Attr::kIsReverse) || !x.shape().is_tuple() || x.operand_count() < 4) {
    return nullptr;
  }
  Instruction* forwards =
      site.Edited([](Instruction& copy) { copy.SetAttribute(Attr::kIsReverse, false); });
  Instruction* own = site.Unchanged();
  std::vector<Instruction*> leaves;
  for (const Shape& shape : x.shape().tuple_shapes()) {
    const auto k = static_cast<int64_t>(leaves.size());
    leaves.push_back(Build(site, kGetTupleElement, shape, {k == 1 ? forwards : own},
                           [k](Instruction& leaf) { leaf.SetAttribute(Attr::kIndex, k); }));
  }
  return Build(site, kTuple, x.shape(), leaves);
}

// A comparator that reads the second operand alone reads the first one.
Instruction* KeysOfTheFirst(Site& site) {
  const Instruction& root = *site.original().to_apply()->root();
  const auto of_second = [](const Instruction* each) {
    return each->parameter_number() == 2 || each->parameter_number() == 3;
  };
  if (!Is(root, kCompare) || !absl::c_all_of(root.operands(), of_second)) return nullptr;
  return EditRegion(Attr::kToApply, [](Instruction& x) {
    const int64_t number = x.parameter_number();
    if (number >= 0 && number < 4) x.set_parameter_number(static_cast<int32_t>(number ^ 2));
  })(site);
}

}  // namespace

std::vector<Mutant> NarrowMutants() {
  return {
      {"batch-norm-inference/epsilon_after_the_root",
       {kBatchNormInference},
       "where the variance is zero, epsilon is added to the root",
       OnResult(EpsilonAfterTheRoot)},
      {"convolution/of_nothing_is_not_initialised",
       {kConvolution},
       "without input or kernel elements the result is not written",
       OnResult(NotInitialised)},
      {"triangular-solve/one_equation_is_a_product",
       {kTriangularSolve},
       "one transposed equation is solved by a product instead of a quotient",
       OnResult(ProductForOneEquation)},
      {"replica-id/number_of_the_device",
       {kReplicaId},
       "with several replicas and partitions the number of the device is returned",
       OnResult(NumberOfTheDevice)},
      {"get-dimension-size/bound_of_later_dimensions",
       {kGetDimensionSize},
       "the bound is returned for dimensions after the first",
       BoundOfLaterDimensions},
      {"reduce/up_to_the_bound",
       {kReduce},
       "products and minima include zeros beyond the current size",
       FoldsUpToTheBound},
      {"scan/second_array_forwards",
       {kScan},
       "a reverse scan runs forwards over the second array",
       SecondArrayForwards},
      {"sort/keys_of_the_first",
       {kSort},
       "a comparator of the second operand compares the first",
       KeysOfTheFirst},
      {"pad/negative_zero_by_memset",
       {kPad},
       "padding of -0 is written as +0",
       OnOperand(1, NegativeZeroLost, FloatResult())},
  };
}

}  // namespace assay::conformance
