// The tensors of the document "Tensors" (evaluator/views, spec/views) against the interpreter:
// every operation that moves elements alone, every chain of three of them, every elementwise
// operation of two operands, and selections. Four ways to an element must agree bit for bit: an
// r-tensor that computes it on demand, the strides of a tensor description, the interpreter's
// kernels, which read through views of their own, and the definitions.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "conformance/seeds/examples.h"
#include "evaluator/ops/definition.h"
#include "evaluator/scalar/scalar_ops.h"
#include "evaluator/views/tensor.h"
#include "gtest/gtest.h"
#include "spec/op_info.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace assay::conformance {
namespace {

// The operations that a view can be: what ViewOf knows.
constexpr Opcode kViews[] = {Opcode::kBroadcast, Opcode::kConcatenate, Opcode::kPad,
                             Opcode::kReshape,   Opcode::kReverse,     Opcode::kSlice,
                             Opcode::kTranspose};

// `opcode` applied to the operand, with attributes that follow from its shape. `fill` is a scalar.
Op Apply(Opcode opcode, const Op& operand, const Op& fill) {
  const Shape shape = *operand.shape();
  const int64_t rank = shape.rank();
  std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  std::vector<int64_t> falling, starts, steps;
  PaddingConfig padding;
  int64_t count = 1;
  for (int64_t d = 0; d < rank; ++d) {
    falling.push_back(rank - 1 - d);
    starts.push_back(sizes[d] > 1 ? 1 : 0);
    steps.push_back(sizes[d] > 2 ? 2 : 1);
    padding.dimensions.push_back({d % 2 == 0 ? 1 : -1, 2, 1});
    count *= sizes[d];
  }
  switch (opcode) {
    case Opcode::kBroadcast: {
      return Broadcast(operand, {2});
    }
    case Opcode::kConcatenate:
      return ConcatInDim({operand, operand}, 0);
    case Opcode::kPad:
      return Pad(operand, fill, padding);
    case Opcode::kReshape:
      return rank == 1 && count % 2 == 0 ? Reshape(operand, {count / 2, 2})
                                         : Reshape(operand, {count});
    case Opcode::kReverse:
      return Rev(operand, falling);
    case Opcode::kSlice:
      return Slice(operand, starts, sizes, steps);
    default:
      return Transpose(operand, falling);
  }
}

// The values of an array as a stored tensor, column major with rows that are aligned.
evaluator::LTensorPtr Stored(const Literal& literal) {
  const auto sizes = literal.shape().dimensions();
  std::vector<int64_t> aligned;
  for (int64_t size : sizes) aligned.push_back(size + 1);
  const auto description =
      DescribeAllocated(literal.element_type(), sizes, DimensionOrder::kColumnMajor, aligned);
  EXPECT_TRUE(description.ok()) << description.status();
  const absl::StatusOr<evaluator::LTensorPtr> tensor = evaluator::LTensor::Allocate(*description);
  EXPECT_TRUE(tensor.ok()) << tensor.status();
  int64_t next = 0;
  const absl::Status assigned = evaluator::ForEachIndex(sizes, [&](evaluator::Index index) {
    Dimensions starts(index.begin(), index.end());
    const Dimensions ones(starts.size(), 1);
    return (*tensor)->Assign(
        (*tensor)->view().Slice(starts, ones, ones),
        *evaluator::ConstantTensor(literal.element_type(), ones, literal.Get(next++)));
  });
  EXPECT_TRUE(assigned.ok()) << assigned;
  return *tensor;
}

std::vector<uint64_t> Bits(const evaluator::RTensor& tensor) {
  std::vector<uint64_t> bits;
  evaluator::ForEachIndex(tensor.description().shape, [&](evaluator::Index index) {
    bits.push_back(tensor.At(index).bits);
    return absl::OkStatus();
  }).IgnoreError();
  return bits;
}
std::vector<uint64_t> Bits(const Literal& literal) {
  std::vector<uint64_t> bits;
  for (int64_t i = 0; i < literal.element_count(); ++i) bits.push_back(literal.Get(i).bits);
  return bits;
}

// What the interpreter gives, by kernels and by definitions.
Literal Interpreted(const Module& module, const std::vector<Literal>& arguments) {
  Literal results[2];
  for (bool straight : {false, true}) {
    PlanOptions options;
    options.straight = straight;
    const auto planned = PlannedModule::Create(module, options);
    EXPECT_TRUE(planned.ok()) << planned.status();
    if (!planned.ok()) return Literal::Token();
    absl::StatusOr<Literal> result = (*planned)->Run(arguments);
    EXPECT_TRUE(result.ok()) << result.status();
    if (result.ok()) results[straight] = *std::move(result);
  }
  EXPECT_TRUE(Literal::BitEqual(results[0], results[1])) << PrintModule(module);
  return results[0];
}

// Holds the root of a chain of views of parameter 0 (and of the scalar parameter 1) against the
// interpreter; counts the chains that strides describe.
void ExpectChain(const Module& module, const std::vector<Literal>& arguments, int* described) {
  const evaluator::LTensorPtr stored = Stored(arguments[0]);
  // The values by place in the storage.
  std::map<int64_t, uint64_t> cells;
  int64_t next = 0;
  evaluator::ForEachIndex(stored->description().shape, [&](evaluator::Index index) {
    cells[*stored->description().Position(index)] = arguments[0].Get(next++).bits;
    return absl::OkStatus();
  }).IgnoreError();
  std::map<const Instruction*, evaluator::RTensorPtr> tensors;
  // Views of the storage itself, as long as the chain has no other source.
  std::map<const Instruction*, View> views;
  for (const auto& instruction : module.entry()->instructions()) {
    if (instruction->opcode() == Opcode::kParameter) {
      const bool scalar = instruction->parameter_number() == 1;
      tensors[instruction.get()] = scalar
                                       ? evaluator::RTensorPtr(evaluator::ConstantTensor(
                                             arguments[1].element_type(), {}, arguments[1].Get(0)))
                                       : evaluator::RTensorPtr(stored);
      if (!scalar) views[instruction.get()] = stored->view();
      continue;
    }
    std::vector<View> dense, strided;
    std::vector<evaluator::RTensorPtr> sources;
    for (const Instruction* operand : instruction->operands()) {
      dense.push_back(
          View::Dense(operand->shape().dimensions(), static_cast<int64_t>(sources.size())));
      sources.push_back(tensors.at(operand));
      const auto view = views.find(operand);
      if (view != views.end()) strided.push_back(view->second);
    }
    const std::optional<View> view = ViewOf(*instruction, dense);
    ASSERT_TRUE(view.has_value()) << instruction->Describe();
    tensors[instruction.get()] = evaluator::ViewTensor(*view, sources);
    if (strided.size() != dense.size()) continue;
    const std::optional<View> composed = ViewOf(*instruction, strided);
    if (composed) views[instruction.get()] = *composed;
  }
  const Instruction* root = module.entry()->root();
  const Literal expected = Interpreted(module, arguments);
  EXPECT_EQ(Bits(*tensors.at(root)), Bits(expected)) << PrintModule(module);
  // A stored copy has the same values.
  const absl::StatusOr<evaluator::LTensorPtr> copy = evaluator::Materialise(*tensors.at(root));
  ASSERT_TRUE(copy.ok()) << copy.status();
  EXPECT_EQ(Bits(**copy), Bits(expected));
  const auto view = views.find(root);
  if (view == views.end()) return;
  const auto description = DescribeView(stored->shared_description(), view->second);
  if (!description.ok()) return;  // several pieces: an r-tensor without strides
  ++*described;
  EXPECT_TRUE((*description)->SharesStorageWith(stored->description()));
  int64_t element = 0;
  evaluator::ForEachIndex((*description)->shape, [&](evaluator::Index index) {
    EXPECT_EQ(cells.at(*(*description)->Position(index)), expected.Get(element++).bits)
        << PrintModule(module);
    return absl::OkStatus();
  }).IgnoreError();
}

TEST(Seed002, TensorsAreWhatTheInterpreterComputes) {
  const std::vector<Literal> arguments = {Filled("s32[3,4]", [](int64_t n) { return 7 * n - 20; }),
                                          Value("s32[] 99")};
  int chains = 0, described = 0;
  for (Opcode first : kViews) {
    for (Opcode second : kViews) {
      for (Opcode third : kViews) {
        Builder b("chain");
        const Op x = Parameter(&b, 0, Shape(kS32, {3, 4}), "x");
        const Op fill = Parameter(&b, 1, Shape::Scalar(kS32), "fill");
        const Op root = Apply(third, Apply(second, Apply(first, x, fill), fill), fill);
        const absl::StatusOr<std::unique_ptr<Module>> module = b.Build(root);
        ASSERT_TRUE(module.ok()) << module.status();
        ExpectChain(**module, arguments, &described);
        ++chains;
      }
    }
  }
  EXPECT_EQ(chains, 343);
  EXPECT_GE(described, 40);
}

// No operation of the catalogue is a view but these; the others compute or look at sizes.
TEST(Seed002, NoOtherOperationIsAView) {
  for (const OpInfo& op : Catalogue()) {
    const bool known =
        std::find(std::begin(kViews), std::end(kViews), op.opcode) != std::end(kViews);
    if (known || op.arity < 0) continue;
    Instruction instruction(op.opcode, Shape(kS32, {2, 2}));
    Instruction operand(Opcode::kParameter, Shape(kS32, {2, 2}));
    const std::vector<View> views(op.arity, View::Dense({2, 2}));
    for (int i = 0; i < op.arity; ++i) instruction.AppendOperand(&operand);
    EXPECT_FALSE(ViewOf(instruction, views).has_value()) << op.name;
  }
}

// x + y and its like provide x[i] op y[i]: each elementwise operation of two operands, on each of
// these types that it takes.
TEST(Seed002, BinaryTensorsAreWhatTheInterpreterComputes) {
  const struct {
    const char *x, *y;
  } rows[] = {{"s32[2,3] {{1,-2,3},{2147483647,5,-6}}", "s32[2,3] {{2,3,-4},{1,2,31}}"},
              {"u8[2,3] {{1,2,255},{128,5,6}}", "u8[2,3] {{2,3,4},{1,7,9}}"},
              {"pred[2,3] {{1,0,1},{0,1,0}}", "pred[2,3] {{1,1,0},{0,0,1}}"},
              {"f32[2,3] {{1.5,-2,nan},{0.1,-0.0,inf}}", "f32[2,3] {{0.3,3,1},{7,0,2}}"},
              {"bf16[2,3] {{1.5,-2,3},{0.1,5,6}}", "bf16[2,3] {{0.3,3,1},{7,0.5,2}}"}};
  int compared = 0;
  for (const OpInfo& op : Catalogue()) {
    bool needs_attributes = false;
    for (const AttributeUse& use : op.attributes) needs_attributes |= use.required;
    if (op.family != Family::kElementwise || op.arity != 2 || needs_attributes) continue;
    for (const auto& row : rows) {
      const std::vector<Literal> arguments = {Value(row.x), Value(row.y)};
      const ElementType type = arguments[0].element_type();
      if (!op.types.Contains(type)) continue;
      Builder b("binary");
      const Op x = Parameter(&b, 0, arguments[0].shape(), "x");
      const Op y = Parameter(&b, 1, arguments[1].shape(), "y");
      const absl::StatusOr<std::unique_ptr<Module>> module =
          b.Build(AddInstruction(&b, op.opcode, {x, y}));
      if (!module.ok()) continue;  // takes two types, or declares its result
      if (!evaluator::FindScalarFunction(evaluator::ScalarOpOf(*(*module)->entry()->root())))
        continue;
      ASSERT_EQ((*module)->entry()->root()->shape().element_type(),
                evaluator::ScalarResultType(op.opcode, type));
      const evaluator::RTensorPtr tensor =
          evaluator::BinaryTensor(op.opcode, Stored(arguments[0]), Stored(arguments[1]));
      EXPECT_EQ(Bits(*tensor), Bits(Interpreted(**module, arguments))) << op.name << " " << row.x;
      ++compared;
    }
  }
  EXPECT_GE(compared, 45);
}

TEST(Seed002, SelectionsAreWhatTheInterpreterComputes) {
  const std::vector<Literal> arguments = {Value("pred[2,2] {{1,0},{0,1}}"),
                                          Value("f32[2,2] {{1,2},{3,4}}"),
                                          Value("f32[2,2] {{-1,-2},{-3,-4}}")};
  Builder b("selection");
  std::vector<Op> operands;
  for (int64_t k = 0; k < 3; ++k) {
    operands.push_back(Parameter(&b, k, arguments[k].shape(), absl::StrCat("p", k)));
  }
  const absl::StatusOr<std::unique_ptr<Module>> module =
      b.Build(Select(operands[0], operands[1], operands[2]));
  ASSERT_TRUE(module.ok()) << module.status();
  const evaluator::RTensorPtr tensor =
      evaluator::SelectTensor(Stored(arguments[0]), Stored(arguments[1]), Stored(arguments[2]));
  EXPECT_EQ(Bits(*tensor), Bits(Interpreted(**module, arguments)));
}

}  // namespace
}  // namespace assay::conformance
