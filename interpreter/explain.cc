#include "interpreter/explain.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/ops/definition.h"
#include "interpreter/demand.h"
#include "runtime/float_environment.h"

namespace assay {
namespace {

// "; one is 0:[0,0]": how an element is written, for those who give an index of another rank.
std::string IndexForm(int64_t output, const Shape& array) {
  if (!array.is_array() || array.rank() == 0) return "";
  return absl::StrCat("; an index has a number for each dimension, as ", output, ":[",
                      absl::StrJoin(std::vector<int64_t>(array.rank(), 0), ","), "]");
}

absl::Status CheckQuery(const Shape& result, const ElementQuery& query) {
  const std::vector<const Shape*> outputs = Leaves(result);
  if (query.output < 0 || query.output >= static_cast<int64_t>(outputs.size())) {
    return absl::InvalidArgumentError(
        absl::StrCat("there is no output ", query.output, ": the module gives ", outputs.size(),
                     outputs.size() == 1 ? " array" : " arrays", ", counted from 0"));
  }
  const Shape& array = *outputs[query.output];
  bool inside = array.is_array() && static_cast<int64_t>(query.index.size()) == array.rank();
  for (int64_t d = 0; inside && d < array.rank(); ++d) {
    inside = query.index[d] >= 0 && query.index[d] < array.dimension(d);
  }
  if (inside) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("output ", query.output, " is ", array.ToString(), ", which has no element [",
                   absl::StrJoin(query.index, ","), "]", IndexForm(query.output, array)));
}

// The tree of an element that has been evaluated. `nodes` may still be made.
absl::StatusOr<ElementTrace> TraceOf(DemandMachine& machine, const ElementKey& key,
                                     const ExplainOptions& options, int64_t depth, int64_t* nodes) {
  --*nodes;
  ElementTrace trace;
  absl::StatusOr<DemandedLeaf> place = machine.Resolve(key.place, &trace.through);
  if (!place.ok()) return place.status();
  const ElementKey source{*place, key.position};
  absl::StatusOr<Element> value = machine.Evaluate(source);
  if (!value.ok()) return value.status();
  const Shape& shape = DemandMachine::ShapeOf(*place);
  trace.instruction = place->instruction;
  trace.leaf = place->leaf;
  trace.index = evaluator::IndexAt(key.position, shape.dimensions());
  trace.type = shape.element_type();
  trace.value = *value;
  trace.context = machine.ContextOf(place->activation);
  absl::StatusOr<std::vector<ElementKey>> reads = machine.ReadsOf(source);
  if (!reads.ok()) return reads.status();
  for (const ElementKey& read : *reads) {
    const bool full = static_cast<int64_t>(trace.reads.size()) >= options.width;
    if (depth == 0 || full || *nodes <= 0) {
      ++trace.reads_left_out;
      continue;
    }
    absl::StatusOr<ElementTrace> child = TraceOf(machine, read, options, depth - 1, nodes);
    if (!child.ok()) return child;
    trace.reads.push_back(*std::move(child));
  }
  return trace;
}

}  // namespace

absl::StatusOr<ElementTrace> ExplainElement(const Module& module,
                                            absl::Span<const Literal> arguments,
                                            const ElementQuery& query,
                                            const ExplainOptions& options, ExplainStats* stats) {
  PlanOptions plan_options;
  plan_options.seconds = options.budget.seconds;
  plan_options.custom_calls = options.custom_calls;
  absl::StatusOr<std::unique_ptr<PlannedModule>> planned =
      PlannedModule::Create(module, plan_options);
  if (!planned.ok()) return planned.status();
  absl::Status status = CheckArguments(*module.entry(), arguments);
  if (!status.ok()) return status;
  const Instruction* root = module.entry()->root();
  if (status = CheckQuery(root->shape(), query); !status.ok()) return status;
  const runtime::FloatEnvironmentGuard guard;
  DemandMachine machine(**planned, arguments, options.budget);
  ElementKey key{{0, root, query.output}, 0};
  key.position = evaluator::PositionOf(query.index, DemandMachine::ShapeOf(key.place).dimensions());
  absl::StatusOr<Element> value = machine.Evaluate(key);
  if (stats != nullptr) *stats = {machine.elements(), machine.steps()};
  if (!value.ok()) return value.status();
  int64_t nodes = std::max<int64_t>(1, options.nodes);
  return TraceOf(machine, key, options, std::clamp<int64_t>(options.depth, 0, 500), &nodes);
}

}  // namespace assay
