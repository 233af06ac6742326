// Whether two modules are the same graph, and where they first differ.
// Test: compare_modules_test.cc.
#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/ir/module.h"

namespace assay {
namespace {

absl::Status Differs(const Instruction& a, const Instruction& b, absl::string_view what) {
  return absl::FailedPreconditionError(
      absl::StrCat("modules differ in the ", what, " of ", a.Describe(), " and ", b.Describe()));
}

bool SameReference(const Instruction* a, const Instruction* b) { return a->index() == b->index(); }

// Computations are equal when their names are: the modules' lists are compared by position.
bool SameComputation(const Computation* a, const Computation* b) {
  return (a == nullptr) == (b == nullptr) && (a == nullptr || a->name() == b->name());
}

bool SameValue(const AttributeValue& a, const AttributeValue& b) {
  if (a.index() != b.index()) return false;
  if (const auto* computation = std::get_if<Computation*>(&a)) {
    return SameComputation(*computation, std::get<Computation*>(b));
  }
  if (const auto* list = std::get_if<std::vector<Computation*>>(&a)) {
    const auto& other = std::get<std::vector<Computation*>>(b);
    if (list->size() != other.size()) return false;
    for (size_t i = 0; i < other.size(); ++i) {
      if (!SameComputation((*list)[i], other[i])) return false;
    }
    return true;
  }
  if (const auto* literal = std::get_if<std::shared_ptr<const Literal>>(&a)) {
    return Literal::BitEqual(**literal, *std::get<std::shared_ptr<const Literal>>(b));
  }
  if (const auto* domain = std::get_if<std::shared_ptr<const DomainSharding>>(&a)) {
    return **domain == *std::get<std::shared_ptr<const DomainSharding>>(b);
  }
  if (const auto* number = std::get_if<double>(&a)) {
    const double other = std::get<double>(b);
    return *number == other || (*number != *number && other != other);
  }
  return a == b;
}

bool SameAttributes(const Attributes& a, const Attributes& b) {
  if (a.entries().size() != b.entries().size()) return false;
  for (size_t i = 0; i < a.entries().size(); ++i) {
    if (a.entries()[i].first != b.entries()[i].first) return false;
    if (!SameValue(a.entries()[i].second, b.entries()[i].second)) return false;
  }
  return true;
}

bool SameAnnotations(const Annotations& a, const Annotations& b) {
  return a.sharding == b.sharding && a.frontend_attributes == b.frontend_attributes &&
         a.statistics == b.statistics && a.origin == b.origin && a.metadata == b.metadata &&
         a.backend_config == b.backend_config && a.parameter_replication == b.parameter_replication;
}

bool SameInstructions(absl::Span<Instruction* const> a, absl::Span<Instruction* const> b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!SameReference(a[i], b[i])) return false;
  }
  return true;
}

absl::Status CompareInstructions(const Instruction& a, const Instruction& b) {
  if (a.name() != b.name()) return Differs(a, b, "name");
  if (a.opcode() != b.opcode()) return Differs(a, b, "opcode");
  if (!(a.shape() == b.shape())) {
    return Differs(
        a, b,
        absl::StrCat("shape (", a.shape().ToString(true), " and ", b.shape().ToString(true), ")"));
  }
  if (!SameInstructions(a.operands(), b.operands())) return Differs(a, b, "operands");
  if (!SameInstructions(a.control_predecessors(), b.control_predecessors())) {
    return Differs(a, b, "control predecessors");
  }
  if (a.parameter_number() != b.parameter_number()) return Differs(a, b, "parameter number");
  if (!SameAttributes(a.attributes(), b.attributes())) return Differs(a, b, "attributes");
  if ((a.literal() == nullptr) != (b.literal() == nullptr) ||
      (a.literal() != nullptr && !Literal::BitEqual(*a.literal(), *b.literal()))) {
    return Differs(a, b, "literal");
  }
  if (!SameAnnotations(a.annotations(), b.annotations())) return Differs(a, b, "annotations");
  return absl::OkStatus();
}

absl::Status CompareComputations(const Computation& a, const Computation& b) {
  if (a.name() != b.name() || a.execution_thread() != b.execution_thread() ||
      a.instruction_count() != b.instruction_count()) {
    return absl::FailedPreconditionError(absl::StrCat("computations ", a.name(), " and ", b.name(),
                                                      " differ in name, thread or length"));
  }
  for (int64_t i = 0; i < a.instruction_count(); ++i) {
    absl::Status status = CompareInstructions(*a.instruction(i), *b.instruction(i));
    if (!status.ok()) return status;
  }
  if (a.root() != nullptr && !SameReference(a.root(), b.root())) {
    return absl::FailedPreconditionError(absl::StrCat("roots of ", a.name(), " differ"));
  }
  if (!SameInstructions(a.schedule(), b.schedule())) {
    return absl::FailedPreconditionError(absl::StrCat("schedules of ", a.name(), " differ"));
  }
  return absl::OkStatus();
}

// An entry layout that is not set is that of the entry computation.
bool SameEntryLayout(const Module& a, const Module& b) {
  if (!a.entry_layout && !b.entry_layout) return true;
  const auto layout = [](const Module& module) {
    if (module.entry_layout || module.entry() == nullptr) return module.entry_layout;
    return std::optional<ProgramShape>(module.entry()->program_shape());
  };
  const std::optional<ProgramShape> left = layout(a);
  const std::optional<ProgramShape> right = layout(b);
  if (left.has_value() != right.has_value()) return false;
  return !left || (left->parameters == right->parameters && left->result == right->result);
}

// The table is keyed by where the value comes from; the order of its rows says nothing.
std::vector<const OriginRecovery*> ByOrigin(const std::vector<OriginRecovery>& table) {
  std::vector<const OriginRecovery*> rows;
  for (const OriginRecovery& row : table) rows.push_back(&row);
  std::stable_sort(rows.begin(), rows.end(), [](const OriginRecovery* a, const OriginRecovery* b) {
    if (!a->from || !b->from) return !a->from && b->from;
    return std::tie(a->from->instruction_name, a->from->shape_index) <
           std::tie(b->from->instruction_name, b->from->shape_index);
  });
  return rows;
}

bool SameRecovery(const OriginRecovery& a, const OriginRecovery& b) {
  if (a.from != b.from || a.to != b.to) return false;
  if (a.recovery == nullptr || b.recovery == nullptr) return a.recovery == b.recovery;
  return CompareModules(*a.recovery, *b.recovery).ok();
}

bool SameRecoveryTable(const Module& a, const Module& b) {
  const std::vector<const OriginRecovery*> left = ByOrigin(a.origin_recovery);
  const std::vector<const OriginRecovery*> right = ByOrigin(b.origin_recovery);
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const auto* x, const auto* y) { return SameRecovery(*x, *y); });
}

bool SameDebugEntry(const DebugEntry& a, const DebugEntry& b) {
  return a.array == b.array &&
         std::equal(a.attributes.begin(), a.attributes.end(), b.attributes.begin(),
                    b.attributes.end(), [](const DebugAttributes& x, const DebugAttributes& y) {
                      return x.log_mode == y.log_mode && x.callback_id == y.callback_id &&
                             x.op_id == y.op_id && x.partitioned == y.partitioned;
                    });
}

// The name of the first header field that differs, or empty.
absl::string_view HeaderDifference(const Module& a, const Module& b) {
  if (a.name() != b.name()) return "name";
  if (a.is_scheduled != b.is_scheduled) return "is_scheduled";
  if (a.input_output_alias != b.input_output_alias) return "input_output_alias";
  if (a.buffer_donors != b.buffer_donors) return "buffer_donor";
  if (a.alias_passthrough_params != b.alias_passthrough_params) return "alias_passthrough_params";
  if (!SameEntryLayout(a, b)) return "entry_computation_layout";
  if (a.spmd_propagation_to_parameters != b.spmd_propagation_to_parameters) {
    return "allow_spmd_sharding_propagation_to_parameters";
  }
  if (a.spmd_propagation_to_output != b.spmd_propagation_to_output) {
    return "allow_spmd_sharding_propagation_to_output";
  }
  if (a.replica_count != b.replica_count) return "replica_count";
  if (a.num_partitions != b.num_partitions) return "num_partitions";
  if (a.frontend_attributes != b.frontend_attributes) return "frontend_attributes";
  if (!(a.stack_frames == b.stack_frames)) return "stack frames";
  if (!SameRecoveryTable(a, b)) return "origin_recovery_table";
  if (!std::equal(a.debug_attributes.begin(), a.debug_attributes.end(), b.debug_attributes.begin(),
                  b.debug_attributes.end(), SameDebugEntry)) {
    return "debug_attributes";
  }
  return "";
}

}  // namespace

absl::Status CompareModules(const Module& a, const Module& b) {
  const absl::string_view header = HeaderDifference(a, b);
  if (!header.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("modules ", a.name(), " and ", b.name(), " differ in their ", header));
  }
  if (a.computations().size() != b.computations().size()) {
    return absl::FailedPreconditionError(absl::StrCat("modules have ", a.computations().size(),
                                                      " and ", b.computations().size(),
                                                      " computations"));
  }
  for (size_t i = 0; i < a.computations().size(); ++i) {
    absl::Status status = CompareComputations(*a.computations()[i], *b.computations()[i]);
    if (!status.ok()) return status;
  }
  if (!SameComputation(a.entry(), b.entry())) {
    return absl::FailedPreconditionError("entry computations differ");
  }
  return absl::OkStatus();
}

}  // namespace assay
