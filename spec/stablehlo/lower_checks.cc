// What StableHLO's own test programs expect of their values, and how they run on several devices.
// In the entry function an expectation becomes a pair of outputs that is compared after the run, on
// whatever backend it ran; elsewhere it stays a custom call that fails where it runs.
// Source: StableHLO's check and interpreter dialects. Test: tools/cli/stablehlo_cli_test.py.
#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "spec/element/element.h"
#include "spec/stablehlo/lowering.h"

namespace assay::stablehlo {
namespace {

// Of operations and of custom calls, which state none.
constexpr double kUsualTolerance = 1e-4, kToleranceOfCalls = 1e-3;
constexpr uint64_t kUsualUlps = 1, kUlpsOfCalls = 3;
constexpr int64_t kMostProcesses = 1024;

int64_t AddOutput(OpContext& op, Instruction* value) {
  std::vector<Instruction*>& outputs = op.lowering().check_values();
  outputs.push_back(value);
  return static_cast<int64_t>(outputs.size()) - 1;
}

// Adds the expectation that `actual` is like the expected value.
void AddCheck(OpContext& op, Check check, Instruction* actual, Instruction* expected,
              std::optional<Literal> literal) {
  check.place = op.operation().Describe();
  if (!op.scope().is_entry) {
    std::vector<Instruction*> operands = {actual, literal ? op.Constant(*literal) : expected};
    Instruction* const call =
        op.Make(Opcode::kCustomCall, Shape::Tuple({}), operands,
                {{Attr::kCustomCallTarget, std::string(absl::StripSuffix(op.name(), "_const"))},
                 {Attr::kCustomCallHasSideEffect, true}});
    if (!op.ok()) return;
    call->mutable_annotations().backend_config =
        absl::StrCat("{tolerance = ", check.tolerance, ", min_ulp_difference = ", check.min_ulps,
                     ", max_ulp_difference = ", check.max_ulps, "}");
    return;
  }
  check.actual_output = AddOutput(op, actual);
  if (literal) {
    check.expected = std::move(literal);
  } else {
    check.expected_output = AddOutput(op, expected);
  }
  op.lowering().checks().push_back(std::move(check));
}

Check KindOf(OpContext& op, absl::string_view name, bool is_custom_call) {
  Check check;
  if (absl::StrContains(name, "almost_eq")) {
    check.kind = Check::Kind::kAlmostEqual;
    check.tolerance = is_custom_call ? kToleranceOfCalls : kUsualTolerance;
    const Attribute* tolerance = op.Find("tolerance");
    if (tolerance != nullptr && tolerance->kind == AttributeKind::kFloat) {
      check.tolerance = DecodeFloat(ElementType::kF64, static_cast<uint64_t>(tolerance->integer));
    }
  } else if (absl::StrContains(name, "close")) {
    check.kind = Check::Kind::kClose;
    check.max_ulps = static_cast<uint64_t>(
        op.IntOr("max_ulp_difference", is_custom_call ? kUlpsOfCalls : kUsualUlps));
    check.min_ulps = static_cast<uint64_t>(op.IntOr("min_ulp_difference", 0));
  }
  return check;
}

// The value of a dense attribute, spread out.
std::optional<Literal> Expected(OpContext& op) {
  const Attribute* value = op.Need("value");
  if (value == nullptr) return std::nullopt;
  absl::StatusOr<Literal> literal = LiteralOfDense(*value);
  absl::StatusOr<Shape> shape = ShapeOfType(*value->type);
  if (!literal.ok() || !shape.ok()) {
    op.Keep(literal.ok() ? shape.status() : literal.status());
    return std::nullopt;
  }
  if (!value->is_splat) return *std::move(literal);
  absl::StatusOr<Literal> spread = Literal::Create(*shape, int64_t{1} << 30);
  if (!spread.ok()) {
    op.Keep(spread.status());
    return std::nullopt;
  }
  for (int64_t i = 0; i < spread->element_count(); ++i) spread->Set(i, literal->Get(0));
  return *std::move(spread);
}

void LowerExpect(OpContext& op) {
  AddCheck(op, KindOf(op, op.name(), false), op.In(0), op.In(1), std::nullopt);
}

void LowerExpectConstant(OpContext& op) {
  std::optional<Literal> expected = Expected(op);
  if (op.ok()) AddCheck(op, KindOf(op, op.name(), false), op.In(0), nullptr, std::move(expected));
}

void RefuseSerialized(OpContext& op) {
  op.Refuse(
      "compares with files that StableHLO's interpreter wrote in an earlier run; "
      "check.expect_eq and check.expect_close compare with values of the program");
}

void LowerPrint(OpContext&) {}

// A grid of processes that run the program; rows are replicas.
struct ProcessGridOf {
  std::string program;
  int64_t replicas = 0, partitions = 0;
};

std::optional<ProcessGridOf> GridOf(OpContext& op) {
  const Attribute* programs = op.Need("programs");
  ProcessGridOf grid;
  if (programs == nullptr) return std::nullopt;
  grid.replicas = static_cast<int64_t>(programs->elements.size());
  for (const Attribute* row : programs->elements) {
    const auto columns = static_cast<int64_t>(row->elements.size());
    if (grid.partitions == 0) grid.partitions = columns;
    if (columns != grid.partitions || columns == 0) {
      op.Fail("programs must be a grid of functions");
      return std::nullopt;
    }
    for (const Attribute* symbol : row->elements) {
      if (grid.program.empty()) grid.program = std::string(symbol->text);
      if (grid.program == symbol->text) continue;
      op.Refuse(absl::StrCat("runs different programs, @", grid.program, " and @", symbol->text,
                             ", at once; grids of one program are understood, and assay run FIRST "
                             "SECOND --together runs several"));
      return std::nullopt;
    }
  }
  if (grid.replicas * grid.partitions > kMostProcesses) {
    op.Refuse(absl::StrCat("more than ", kMostProcesses, " devices"));
    return std::nullopt;
  }
  return grid;
}

// The whole program is a grid of processes with constants as arguments: the module is what one
// process runs, and its arguments on each device stand beside it. Checks compare the results of
// devices. The operation has to be where the entry's own computation begins and ends.
void LowerRunParallel(OpContext& op) {
  const std::optional<ProcessGridOf> grid = GridOf(op);
  if (!grid || !op.ok()) return;
  if (op.Has("infeed")) {
    op.Refuse(
        "queues of infeeds as functions are not understood; assay run --infeed F.npz gives "
        "a program what it is fed");
    return;
  }
  if (!op.scope().is_entry || op.lowering().parallel().has_value()) {
    op.Refuse("is understood once, in the entry function");
    return;
  }
  Lowering::Parallel parallel;
  parallel.operation = &op.operation();
  parallel.devices = grid->replicas * grid->partitions;
  parallel.program = op.lowering().program().FindFunction(grid->program);
  if (parallel.program == nullptr || op.operand_count() % parallel.devices != 0 ||
      op.result_count() % parallel.devices != 0) {
    op.Fail("each device must have equally many arguments and results of an existing function");
    return;
  }
  const int64_t count = op.operand_count() / parallel.devices;
  parallel.arguments.resize(parallel.devices);
  for (int64_t i = 0; i < op.operand_count(); ++i) {
    std::optional<Literal> value = op.lowering().ConstantValue(op.In(i));
    if (!value) {
      op.Refuse(absl::StrCat("argument ", i, " is not a constant"));
      return;
    }
    parallel.arguments[i / count].push_back(*std::move(value));
  }
  op.lowering().module().replica_count = grid->replicas;
  op.lowering().module().num_partitions = grid->partitions;
  for (int64_t i = 0; i < op.result_count(); ++i) {
    Instruction* const place = op.ConstantInt(ElementType::kPred, 0);
    parallel.results[place] = i;
    op.ReturnAt(i, place);
  }
  op.lowering().parallel() = std::move(parallel);
}

constexpr Handler kChecks[] = {
    {"check.expect_eq", 2, 0, 0, LowerExpect},
    {"check.expect_almost_eq", 2, 0, 0, LowerExpect},
    {"check.expect_close", 2, 0, 0, LowerExpect},
    {"check.expect_eq_const", 1, 0, 0, LowerExpectConstant},
    {"check.expect_almost_eq_const", 1, 0, 0, LowerExpectConstant},
    {"check.expect_serialized_eq", 1, 0, 0, RefuseSerialized},
    {"interpreter.print", 1, 0, 0, LowerPrint},
    {"interpreter.run_parallel", 0, 0, 0, LowerRunParallel},
};

}  // namespace

bool LowerCheckCall(OpContext& op, absl::string_view target) {
  if (!absl::StartsWith(target, "check.")) return false;
  const bool known = target == "check.expect_eq" || target == "check.expect_close" ||
                     target == "check.expect_almost_eq" || target == "check.eq";
  if (!known || op.operand_count() != 2) return false;
  if (target == "check.eq") {
    // Gives whether the values agree, and is an expectation.
    const bool whole =
        !IsFloat(op.InShape(0).element_type()) && !IsComplex(op.InShape(0).element_type());
    AddCheck(op, KindOf(op, whole ? "check.expect_eq" : "check.expect_almost_eq", false), op.In(0),
             op.In(1), std::nullopt);
    if (op.result_count() == 1) {
      op.Return(op.Spread(op.ConstantInt(ElementType::kPred, 1), op.OutShape()));
    }
    return true;
  }
  op.Rename(std::string(target));
  AddCheck(op, KindOf(op, target, true), op.In(0), op.In(1), std::nullopt);
  return true;
}

absl::Span<const Handler> CheckHandlers() { return kChecks; }

}  // namespace assay::stablehlo
