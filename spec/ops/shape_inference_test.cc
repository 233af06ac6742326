// Checks that hold for every operation, clauses that a reader of text already refuses, and that a
// message names clause, instruction and both shapes. Instructions are built by hand.
#include "spec/ops/shape_inference.h"

#include <algorithm>
#include <initializer_list>
#include <memory>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "spec/ops/checks.h"

namespace assay {
namespace {

using enum ElementType;

// A module with one computation under construction.
class Graph {
 public:
  explicit Graph(absl::string_view name = "entry")
      : computation_(module_.Add(std::make_unique<Computation>(std::string(name)))) {}

  Instruction* Parameter(Shape shape) {
    Instruction* parameter = Add(Opcode::kParameter, std::move(shape), {});
    parameter->set_parameter_number(count_++);
    parameter->set_name(absl::StrCat("p", count_ - 1));
    return parameter;
  }
  Instruction* Add(Opcode opcode, Shape shape, std::initializer_list<Instruction*> operands) {
    auto instruction = std::make_unique<Instruction>(opcode, std::move(shape));
    for (Instruction* operand : operands) instruction->AppendOperand(operand);
    instruction->set_name("r");
    return computation_->Add(std::move(instruction));
  }
  Computation* computation() { return computation_; }
  Module& module() { return module_; }

 private:
  Module module_{"test"};
  Computation* computation_;
  int count_ = 0;
};

void ExpectClause(const Instruction& instruction, absl::string_view clause) {
  const absl::Status status = CheckInstruction(instruction);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << clause;
  EXPECT_TRUE(absl::StrContains(status.message(), absl::StrCat("[", clause, "]"))) << status;
}

TEST(ShapeInference, NumberOfOperands) {
  Graph graph;
  Instruction* x = graph.Parameter(Shape(kF32, {2}));
  EXPECT_TRUE(CheckInstruction(*graph.Add(Opcode::kAdd, Shape(kF32, {2}), {x, x})).ok());
  ExpectClause(*graph.Add(Opcode::kAdd, Shape(kF32, {2}), {x}), "form_c1");
  ExpectClause(*graph.Add(Opcode::kAdd, Shape(kF32, {2}), {x, x, x}), "form_c1");
  ExpectClause(*graph.Add(Opcode::kReduce, Shape(kF32, {2}), {x, x, x}), "form_c1");
  ExpectClause(*graph.Add(Opcode::kScatter, Shape(kF32, {2}), {x, x}), "form_c1");
  ExpectClause(*graph.Add(Opcode::kDynamicUpdateSlice, Shape(kF32, {2}), {x}), "form_c1");
  ExpectClause(*graph.Add(Opcode::kDynamicSlice, Shape(kF32, {2}), {}), "form_c1");
}

TEST(ShapeInference, MissingShapesAndAttributes) {
  Graph graph;
  Instruction* x = graph.Parameter(Shape(kF32, {2}));
  Instruction* bare = graph.Add(Opcode::kNegate, Shape(), {x});
  ExpectClause(*bare, "form_c2");
  ExpectClause(*graph.Add(Opcode::kNegate, Shape(kF32, {2}), {bare}), "form_c2");
  Instruction* reverse = graph.Add(Opcode::kReverse, Shape(kF32, {2}), {x});
  ExpectClause(*reverse, "form_c3");
  reverse->SetAttribute(Attr::kDimensions, std::vector<int64_t>{0});
  EXPECT_TRUE(CheckInstruction(*reverse).ok());
}

TEST(ShapeInference, EveryOperationRefusesABareInstruction) {
  // No operands, attributes or shape: no rule may rely on what is not there.
  for (const OpInfo& info : Catalogue()) {
    Graph graph;
    Instruction* bare = graph.Add(info.opcode, Shape(), {});
    EXPECT_FALSE(CheckInstruction(*bare).ok()) << info.name;
  }
}

TEST(ShapeInference, EveryOperationSurvivesOperandsOfAnyKind) {
  // Attributes absent, operands that no operation wants: an answer, never a crash.
  const Shape shapes[] = {Shape::Token(),
                          Shape::Opaque(),
                          Shape::Tuple({}),
                          Shape(kF32, {}),
                          Shape(kF32, {Shape::kUnbounded}),
                          Shape(kS32, {2, 0}),
                          Shape(kF32, {INT64_MAX, INT64_MAX}),
                          Shape(kC64, {3, 3, 3})};
  int accepted = 0;
  for (const OpInfo& info : Catalogue()) {
    for (const Shape& shape : shapes) {
      for (int count = 0; count <= 6; ++count) {
        Graph graph;
        Instruction* instruction = graph.Add(info.opcode, shape, {});
        Instruction* operand = graph.Parameter(shape);
        for (int i = 0; i < count; ++i) instruction->AppendOperand(operand);
        accepted += CheckInstruction(*instruction).ok();
      }
    }
  }
  EXPECT_GT(accepted, 0);
}

TEST(ShapeInference, MessagesNameClauseInstructionAndBothShapes) {
  Graph graph;
  Instruction* x = graph.Parameter(Shape(kF32, {2, 3}));
  Instruction* r = graph.Add(Opcode::kNegate, Shape(kF32, {3, 2}), {x});
  r->set_position({7, 3});
  const absl::Status status = CheckModuleShapes(graph.module());
  EXPECT_EQ(status.message(),
            "[shape_c2] operands and attributes give the shape f32[2,3], found f32[3,2]; "
            "in %r = f32[3,2] negate(f32[2,3] %p0) in entry (line 7, column 3)");
}

TEST(ShapeInference, LayoutsAndDynamicFlagsDoNotCount) {
  Graph graph;
  Shape column_major(kF32, {2, 3});
  Layout layout;
  layout.minor_to_major = {0, 1};
  column_major.set_layout(layout);
  Instruction* x = graph.Parameter(column_major);
  Shape dynamic(kF32, {2, 3});
  dynamic.set_dynamic_dimension(0, true);
  EXPECT_TRUE(CheckInstruction(*graph.Add(Opcode::kNegate, dynamic, {x})).ok());
}

TEST(ShapeInference, ElementCountsOfReshapes) {
  Graph graph;
  Instruction* x = graph.Parameter(Shape(kF32, {6}));
  Instruction* size = graph.Parameter(Shape::Scalar(kS32));
  EXPECT_TRUE(CheckInstruction(*graph.Add(Opcode::kReshape, Shape(kF32, {2, 3}), {x})).ok());
  ExpectClause(*graph.Add(Opcode::kReshape, Shape(kF32, {2, 4}), {x}), "reshape_c2");
  ExpectClause(*graph.Add(Opcode::kReshape, Shape(kF32, {Shape::kUnbounded}), {x}), "reshape_c1");
  EXPECT_TRUE(
      CheckInstruction(*graph.Add(Opcode::kDynamicReshape, Shape(kF32, {6}), {x, size})).ok());
  ExpectClause(*graph.Add(Opcode::kDynamicReshape, Shape(kF32, {7}), {x, size}),
               "dynamic_reshape_c4");
  ExpectClause(*graph.Add(Opcode::kDynamicReshape, Shape(kF32, {6}), {x, size, size}),
               "dynamic_reshape_c2");
  Instruction* tuple = graph.Parameter(Shape::Tuple({Shape(kF32, {6})}));
  ExpectClause(*graph.Add(Opcode::kReshape, Shape(kF32, {2, 3}), {tuple}), "reshape_c1");
  ExpectClause(*graph.Add(Opcode::kDynamicReshape, Shape(kF32, {6}), {tuple, size}),
               "dynamic_reshape_c1");
}

// Without a written shape, XLA's reader takes `dimensions` as sizes in front of the operand's.
TEST(ShapeInference, BroadcastsWithoutAShape) {
  Graph graph;
  Shape shape(kF32, {5, 3});
  shape.set_dynamic_dimension(0, true);
  Instruction* broadcast = graph.Add(Opcode::kBroadcast, Shape(), {graph.Parameter(shape)});
  broadcast->SetAttribute(Attr::kDimensions, std::vector<int64_t>{2});
  EXPECT_EQ(InferShape(*broadcast)->ToString(true), "f32[2,<=5,3]{2,1,0}");
  broadcast->SetAttribute(Attr::kDimensions, std::vector<int64_t>{-1});
  EXPECT_TRUE(absl::StrContains(InferShape(*broadcast).status().message(), "[broadcast_c5]"));
}

TEST(ShapeInference, InteriorPaddingIsNotNegative) {
  Graph graph;
  Instruction* x = graph.Parameter(Shape(kF32, {1}));
  Instruction* pad =
      graph.Add(Opcode::kPad, Shape(kF32, {1}), {x, graph.Parameter(Shape::Scalar(kF32))});
  pad->SetAttribute(Attr::kPadding, PaddingConfig{{{0, 0, 5}}});
  EXPECT_TRUE(CheckInstruction(*pad).ok());
  pad->SetAttribute(Attr::kPadding, PaddingConfig{{{0, 0, -1}}});
  ExpectClause(*pad, "pad_c4");
}

TEST(ShapeInference, BitcastsNeedLayouts) {
  Graph graph;
  Shape shape(kF32, {2});
  Instruction* bare = graph.Parameter(shape);
  shape.FillLayouts();
  Instruction* x = graph.Parameter(shape);
  EXPECT_TRUE(CheckInstruction(*graph.Add(Opcode::kBitcast, shape, {x})).ok());
  ExpectClause(*graph.Add(Opcode::kBitcast, shape, {bare}), "bitcast_c2");
  Layout layout = Layout::Default(1);
  layout.minor_to_major[0] = 1;
  Shape disordered(kF32, {2});
  disordered.set_layout(layout);
  ExpectClause(*graph.Add(Opcode::kBitcast, shape, {graph.Parameter(disordered)}), "bitcast_c2");
}

TEST(ShapeInference, Constants) {
  Graph graph;
  Instruction* constant = graph.Add(Opcode::kConstant, Shape(kF32, {2}), {});
  EXPECT_TRUE(CheckInstruction(*constant).ok());  // elided
  constant->set_literal(Literal::Zeros(Shape(kF32, {3})));
  ExpectClause(*constant, "shape_c2");
  ExpectClause(*graph.Add(Opcode::kConstant, Shape::Token(), {}), "constant_c2");
  EXPECT_TRUE(absl::StrContains(
      InferShape(*graph.Add(Opcode::kConstant, Shape(), {})).status().message(), "[constant_c1]"));
}

TEST(ShapeInference, WhatReadersOfTextRewriteOrRefuse) {
  Graph graph;
  const Shape array(kF32, {2});
  Instruction* x = graph.Parameter(array);
  Instruction* token = graph.Parameter(Shape::Token());
  const Shape fed = Shape::Tuple({array, Shape::Token()});
  EXPECT_TRUE(CheckInstruction(*graph.Add(Opcode::kInfeed, fed, {token})).ok());
  ExpectClause(*graph.Add(Opcode::kInfeed, array, {token}), "infeed_c2");
  const Shape received = Shape::Tuple({array, Shape::Scalar(kU32), Shape::Token()});
  EXPECT_TRUE(CheckInstruction(*graph.Add(Opcode::kRecv, received, {token})).ok());
  ExpectClause(*graph.Add(Opcode::kRecv, array, {token}), "recv_c2");
  Instruction* dot = graph.Add(Opcode::kDot, Shape(kF32, {2, 2}), {x, x});
  EXPECT_TRUE(CheckInstruction(*dot).ok());
  dot->set_shape(Shape::Tuple({Shape(kF32, {2, 2})}));
  ExpectClause(*dot, "dot_c5");
}

TEST(ShapeInference, StartsOfDynamicSlices) {
  Graph graph;
  const Shape matrix(kF32, {5, 5});
  Instruction* x = graph.Parameter(matrix);
  Instruction* start = graph.Parameter(Shape::Scalar(kS32));
  Instruction* tuple = graph.Parameter(Shape::Tuple({matrix}));
  auto slice = [&](std::initializer_list<Instruction*> operands) {
    Instruction* op = graph.Add(Opcode::kDynamicSlice, Shape(kF32, {2, 2}), operands);
    op->SetAttribute(Attr::kDynamicSliceSizes, std::vector<int64_t>{2, 2});
    return op;
  };
  EXPECT_TRUE(CheckInstruction(*slice({x, start, start})).ok());
  ExpectClause(*slice({x, start}), "start_indices_c1");
  ExpectClause(*slice({x, start, start, start}), "start_indices_c1");
  ExpectClause(*slice({tuple, start, start}), "dynamic_slice_c1");
  auto update = [&](std::initializer_list<Instruction*> operands) {
    return graph.Add(Opcode::kDynamicUpdateSlice, matrix, operands);
  };
  EXPECT_TRUE(CheckInstruction(*update({x, x, start, start})).ok());
  ExpectClause(*update({x, x}), "start_indices_c1");
}

// The form in place has another shape; without a rule the declared shape stands.
TEST(ShapeInference, WhatIsReceivedComesInATuple) {
  Graph graph;
  const Shape data(kF32, {2});
  const Shape result = Shape::Tuple({data, Shape::Token()});
  Instruction* start = graph.Parameter(Shape::Tuple({data, Shape::Scalar(kU32), Shape::Token()}));
  EXPECT_TRUE(CheckInstruction(*graph.Add(Opcode::kRecvDone, result, {start})).ok());
  ExpectClause(*graph.Add(Opcode::kRecvDone, result, {graph.Parameter(data)}), "done_c1");
}

TEST(ShapeInference, WithoutRule) {
  Graph graph;
  Instruction* x = graph.Parameter(Shape(kF32, {2, 3}));
  Instruction* conv = graph.Add(Opcode::kConvolution, Shape(kF32, {9, 9}), {x, x});
  conv->SetAttribute(Attr::kDimLabels, ConvolutionDimensions());
  conv->SetAttribute(Attr::kConvolutionKind, static_cast<int64_t>(ConvolutionKind::kDgrad));
  const absl::Status status = InferShape(*conv).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_TRUE(absl::StrContains(status.message(), "gradients")) << status;
  EXPECT_TRUE(CheckInstruction(*conv).ok());
}

TEST(ShapeInference, StepsOfScans) {
  Graph graph;
  const Shape scalar = Shape::Scalar(kF32);
  Instruction* x = graph.Parameter(Shape(kF32, {2}));
  Instruction* carry = graph.Parameter(scalar);
  Computation* step = graph.module().Add(std::make_unique<Computation>("step"));
  auto parameter = std::make_unique<Instruction>(Opcode::kParameter, scalar);
  parameter->set_parameter_number(0);
  Instruction* c = step->Add(std::move(parameter));
  auto result = std::make_unique<Instruction>(Opcode::kTuple, Shape::Tuple({scalar, scalar}));
  result->set_operands({c, c});
  step->Add(std::move(result));
  auto scan = [&](Shape shape, std::initializer_list<Instruction*> operands, int64_t carries,
                  int64_t dimension) {
    Instruction* op = graph.Add(Opcode::kScan, std::move(shape), operands);
    op->SetAttribute(Attr::kDimension, dimension);
    op->SetAttribute(Attr::kNumCarries, carries);
    op->SetAttribute(Attr::kToApply, step);
    return op;
  };
  // No inputs: the declared outputs say that there are five steps.
  const Shape good = Shape::Tuple({Shape(kF32, {5}), scalar});
  EXPECT_TRUE(CheckInstruction(*scan(good, {carry}, 1, 0)).ok());
  ExpectClause(*scan(good, {carry}, 2, 0), "scan_c1");
  ExpectClause(*scan(good, {carry}, -1, 0), "scan_c1");
  ExpectClause(*scan(Shape::Tuple({scalar, scalar}), {carry}, 1, 0), "scan_c6");
  ExpectClause(*scan(Shape::Tuple({Shape(kF32, {1, 5}), scalar}), {carry}, 1, 1), "scan_c7");
  ExpectClause(*scan(good, {x}, 1, 0), "scan_c4");
}

TEST(ShapeInference, ParametersOfCallees) {
  Graph graph;
  Instruction* x = graph.Parameter(Shape(kF32, {2}));
  Computation* callee = graph.module().Add(std::make_unique<Computation>("callee"));
  Instruction* call = graph.Add(Opcode::kCall, Shape(kF32, {2}), {x});
  call->SetAttribute(Attr::kToApply, callee);
  ExpectClause(*call, "callee_c1");
  auto parameter = std::make_unique<Instruction>(Opcode::kParameter, Shape(kF32, {2}));
  parameter->set_parameter_number(1);
  Instruction* added = callee->Add(std::move(parameter));
  callee->Add(std::make_unique<Instruction>(Opcode::kAfterAll, Shape::Token()));
  callee->set_root(added);
  ExpectClause(*call, "callee_c2");
  added->set_parameter_number(0);
  EXPECT_TRUE(CheckInstruction(*call).ok());
  added->set_parameter_number(-1);
  ExpectClause(*added, "parameter_c1");
}

TEST(ShapeInference, SelectorsOfConditionals) {
  Graph graph;
  Instruction* pred = graph.Parameter(Shape::Scalar(kPred));
  Instruction* index = graph.Parameter(Shape::Scalar(kS32));
  Instruction* wide = graph.Parameter(Shape::Scalar(kS64));
  Instruction* x = graph.Parameter(Shape(kF32, {2}));
  Computation* branch = graph.module().Add(std::make_unique<Computation>("branch"));
  auto parameter = std::make_unique<Instruction>(Opcode::kParameter, Shape(kF32, {2}));
  parameter->set_parameter_number(0);
  branch->Add(std::move(parameter));
  auto conditional = [&](std::initializer_list<Instruction*> operands, int branches) {
    Instruction* op = graph.Add(Opcode::kConditional, Shape(kF32, {2}), operands);
    op->SetAttribute(Attr::kBranchComputations, std::vector<Computation*>(branches, branch));
    return op;
  };
  EXPECT_TRUE(CheckInstruction(*conditional({pred, x, x}, 2)).ok());
  EXPECT_TRUE(CheckInstruction(*conditional({index, x}, 1)).ok());
  EXPECT_TRUE(CheckInstruction(*conditional({index, x, x, x}, 3)).ok());
  ExpectClause(*conditional({wide, x, x}, 2), "conditional_c1");
  ExpectClause(*conditional({x, x, x}, 2), "conditional_c1");
  ExpectClause(*conditional({pred, x}, 1), "conditional_c2");
  ExpectClause(*conditional({pred, x, x, x}, 3), "conditional_c2");
  ExpectClause(*conditional({index}, 0), "conditional_c2");
  ExpectClause(*conditional({index, x}, 2), "conditional_c3");
}

TEST(ShapeInference, AsynchronousTuples) {
  Graph graph;
  const Shape array(kF32, {2});
  const Shape good = Shape::Tuple({Shape::Tuple({array}), array, Shape::Scalar(kU32)});
  Instruction* x = graph.Parameter(array);
  Computation* callee = graph.module().Add(std::make_unique<Computation>("callee"));
  auto parameter = std::make_unique<Instruction>(Opcode::kParameter, array);
  parameter->set_parameter_number(0);
  callee->Add(std::move(parameter));
  auto start = [&](Shape shape) {
    Instruction* op = graph.Add(Opcode::kAsyncStart, std::move(shape), {x});
    op->SetAttribute(Attr::kCalls, callee);
    return op;
  };
  Instruction* started = start(good);
  EXPECT_TRUE(CheckInstruction(*started).ok());
  ExpectClause(*start(Shape::Tuple({array, array})), "async_c1");
  ExpectClause(*start(Shape::Tuple({Shape::Tuple({array}), Shape(kF32, {3})})), "async_c3");
  EXPECT_TRUE(CheckInstruction(*graph.Add(Opcode::kAsyncDone, array, {started})).ok());
  ExpectClause(*graph.Add(Opcode::kAsyncDone, array, {x}), "async_c2");
  ExpectClause(*graph.Add(Opcode::kAsyncDone, Shape(kF32, {3}), {started}), "shape_c2");
  EXPECT_TRUE(CheckInstruction(*graph.Add(Opcode::kAsyncUpdate, good, {started})).ok());
  ExpectClause(*graph.Add(Opcode::kAsyncUpdate,
                          Shape::Tuple({Shape::Tuple({array}), Shape(kF32, {3})}), {started}),
               "async_c4");
}

TEST(ShapeInference, ListsWithoutOperands) {
  Graph graph;
  Instruction* concatenate = graph.Add(Opcode::kConcatenate, Shape(kF32, {2}), {});
  concatenate->SetAttribute(Attr::kDimension, int64_t{0});
  ExpectClause(*concatenate, "concatenate_c1");
  Instruction* sort = graph.Add(Opcode::kSort, Shape(kF32, {2}), {});
  sort->SetAttribute(Attr::kDimension, int64_t{0});
  sort->SetAttribute(Attr::kToApply, graph.computation());
  ExpectClause(*sort, "sort_c1");
  Instruction* map = graph.Add(Opcode::kMap, Shape(kF32, {2}), {});
  map->SetAttribute(Attr::kToApply, graph.computation());
  ExpectClause(*map, "map_c1");
}

TEST(ShapeInference, LayoutConstraintsOfCustomCalls) {
  Graph graph;
  const Shape shape(kF32, {2});
  Instruction* call = graph.Add(Opcode::kCustomCall, shape, {graph.Parameter(shape)});
  call->SetAttribute(Attr::kCustomCallTarget, std::string("target"));
  call->SetAttribute(Attr::kOperandLayoutConstraints, std::vector<Shape>{shape});
  EXPECT_TRUE(CheckInstruction(*call).ok());
  call->SetAttribute(Attr::kOperandLayoutConstraints, std::vector<Shape>{shape, shape});
  ExpectClause(*call, "custom_call_c3");
  call->SetAttribute(Attr::kOperandLayoutConstraints, std::vector<Shape>{Shape(kF32, {3})});
  ExpectClause(*call, "custom_call_c4");
  // A layout that orders no dimensions is none in an attribute, either.
  Shape disordered = shape;
  Layout layout;
  layout.minor_to_major = {4};
  disordered.set_layout(layout);
  call->SetAttribute(Attr::kOperandLayoutConstraints, std::vector<Shape>{disordered});
  ExpectClause(*call, "shape_c4");
}

// The order of 0.3: complex, exponent range, significand, width, sign.
TEST(ShapeInference, HigherTypes) {
  const ElementType ascending[] = {kU4,  kS4,   kU8,  kS8,  kF8E4M3FN, kF8E5M2,
                                   kF16, kBF16, kF32, kF64, kC64,      kC128};
  for (size_t i = 0; i < std::size(ascending); ++i) {
    for (size_t j = 0; j < std::size(ascending); ++j) {
      EXPECT_EQ(HigherType(ascending[i], ascending[j]), ascending[std::max(i, j)])
          << Name(ascending[i]) << " " << Name(ascending[j]);
    }
  }
}

}  // namespace
}  // namespace assay
