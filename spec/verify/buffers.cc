// Buffers: arrays that are written in place. They come and go by custom calls alone, and each is
// written once.
//   buffer_c1 Pin takes an array and returns it as a buffer, under one alias
//   buffer_c2 CreateBuffer takes nothing and returns a buffer
//   buffer_c3 Unpin takes a buffer and returns it as an array, under one alias
//   buffer_c4 another custom call aliases each buffer that it takes with one of its results
//   buffer_c5 and each that it returns with one of its operands
//   buffer_c6 a buffer has one writer: a call, a custom call, a fusion, a loop, a conditional, a
//       dynamic-update-slice
//   buffer_c7 nothing else takes or returns buffers but tuples and parameters below the entry
// Source: XLA's verifier; reference ops_structural.md 1 (the type). Tests: verify_cases_test.cc.
#include <map>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "spec/ops/checks.h"
#include "spec/verify/module_checks.h"

namespace assay {
namespace {

bool HasBuffer(const Shape& shape) {
  if (shape.is_buffer()) return true;
  if (!shape.is_tuple()) return false;
  for (const Shape& element : shape.tuple_shapes()) {
    if (HasBuffer(element)) return true;
  }
  return false;
}

// Where the buffers are in a shape.
void CollectBuffers(const Shape& shape, ShapeIndex& at, std::vector<ShapeIndex>* found) {
  if (shape.is_buffer()) found->push_back(at);
  if (!shape.is_tuple()) return;
  for (size_t i = 0; i < shape.tuple_shapes().size(); ++i) {
    at.push_back(static_cast<int64_t>(i));
    CollectBuffers(shape.tuple_shape(i), at, found);
    at.pop_back();
  }
}

std::vector<ShapeIndex> BuffersOf(const Shape& shape) {
  std::vector<ShapeIndex> found;
  ShapeIndex at;
  CollectBuffers(shape, at, &found);
  return found;
}

bool TakesBuffers(const Instruction& op) {
  for (const Instruction* operand : op.operands()) {
    if (HasBuffer(operand->shape())) return true;
  }
  return false;
}

bool Writes(Opcode opcode) {
  switch (opcode) {
    case Opcode::kCall:
    case Opcode::kConditional:
    case Opcode::kCustomCall:
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kFusion:
    case Opcode::kWhile:
      return true;
    default:
      return false;
  }
}

// Who writes what in one computation.
class Writers {
 public:
  Writers(const Computation& computation, bool is_loop_body)
      : computation_(computation),
        is_loop_body_(is_loop_body),
        users_(computation.instruction_count()) {
    for (const auto& instruction : computation.instructions()) {
      for (int64_t i = 0; i < instruction->operand_count(); ++i) {
        users_[instruction->operand(i)->index()].push_back({instruction.get(), i});
      }
    }
  }
  // Of the buffer at `index` of what `source` returns, also where tuples carry it on.
  int64_t Count(const Instruction& source, ShapeIndex index) {
    int64_t writers = 0;
    std::vector<Place> places = {{&source, std::move(index)}};
    while (!places.empty() && --steps_ > 0) {
      const Place place = std::move(places.back());
      places.pop_back();
      for (const auto& [user, operand] : users_[place.instruction->index()]) {
        if (Writes(user->opcode())) {
          ++writers;
        } else if (user->opcode() == Opcode::kGetTupleElement && !place.index.empty() &&
                   user->GetInt(Attr::kIndex) == place.index[0]) {
          places.push_back({user, ShapeIndex(place.index.begin() + 1, place.index.end())});
        } else if (user->opcode() == Opcode::kTuple) {
          if (user == computation_.root()) {
            writers += is_loop_body_;  // the loop writes it in its next turn
            continue;
          }
          Place next = {user, {operand}};
          next.index.insert(next.index.end(), place.index.begin(), place.index.end());
          places.push_back(std::move(next));
        }
      }
    }
    return writers;
  }

 private:
  struct Place {
    const Instruction* instruction;
    ShapeIndex index;
  };
  const Computation& computation_;
  const bool is_loop_body_;
  std::vector<std::vector<std::pair<const Instruction*, int64_t>>> users_;
  // Tuples of tuples have many ways through; beyond, nothing more is found.
  int64_t steps_ = int64_t{1} << 20;
};

void CheckWriters(const Instruction& source, Writers& writers, Findings& findings) {
  for (const ShapeIndex& index : BuffersOf(source.shape())) {
    const int64_t count = writers.Count(source, index);
    if (count <= 1) continue;
    findings.Add("buffer_c6", source,
                 absl::StrCat("the buffer at ", ListText(index), " must have one writer"),
                 absl::StrCat(count));
  }
}

const OutputOperandAliases& AliasesOf(const Instruction& call) {
  static const OutputOperandAliases* const none = new OutputOperandAliases;
  const auto* aliases = call.attributes().Get<OutputOperandAliases>(Attr::kOutputToOperandAliasing);
  return aliases == nullptr ? *none : *aliases;
}

// Pin and Unpin: the same array, once as a buffer.
void CheckPinning(absl::string_view clause, const Instruction& call, bool pins,
                  Findings& findings) {
  const Shape* from = call.operand_count() == 1 ? &call.operand(0)->shape() : nullptr;
  const Shape* to = &call.shape();
  const Shape* buffer = pins ? to : from;
  const Shape* array = pins ? from : to;
  if (from != nullptr && buffer->is_buffer() && array->is_array() &&
      Shape::Compatible(buffer->tuple_shape(0), *array) && AliasesOf(call).size() == 1) {
    return;
  }
  findings.Add(clause, call,
               pins ? "Pin must take an array and return it as a buffer, under one alias"
                    : "Unpin must take a buffer and return it as an array, under one alias",
               absl::StrCat(from == nullptr ? "other operands" : from->ToString(), " to ",
                            to->ToString(), " with ", AliasesOf(call).size(), " aliases"));
}

// Every buffer of operands and result is aliased once.
void CheckAliasesOfBuffers(const Instruction& call, Findings& findings) {
  std::map<std::pair<int64_t, std::vector<int64_t>>, int64_t> taken;
  std::map<std::vector<int64_t>, int64_t> returned;
  for (const OutputOperandAlias& alias : AliasesOf(call)) {
    ++taken[{alias.operand, {alias.operand_index.begin(), alias.operand_index.end()}}];
    ++returned[{alias.output_index.begin(), alias.output_index.end()}];
  }
  for (int64_t i = 0; i < call.operand_count(); ++i) {
    for (const ShapeIndex& index : BuffersOf(call.operand(i)->shape())) {
      const int64_t count = taken[{i, {index.begin(), index.end()}}];
      if (count == 1) continue;
      findings.Add("buffer_c4", call,
                   absl::StrCat("the buffer at ", ListText(index), " of operand ", i,
                                " must be aliased with one result"),
                   absl::StrCat(count));
    }
  }
  for (const ShapeIndex& index : BuffersOf(call.shape())) {
    const int64_t count = returned[{index.begin(), index.end()}];
    if (count == 1) continue;
    findings.Add("buffer_c5", call,
                 absl::StrCat("the buffer at ", ListText(index),
                              " of the result must be aliased with one operand"),
                 absl::StrCat(count));
  }
}

void CheckCustomCall(const Instruction& call, Writers& writers, Findings& findings) {
  const std::string& target = call.GetString(Attr::kCustomCallTarget);
  if (target == "Pin" || target == "Unpin") {
    CheckPinning(target == "Pin" ? "buffer_c1" : "buffer_c3", call, target == "Pin", findings);
  } else if (target != "CreateBuffer") {
    CheckAliasesOfBuffers(call, findings);
  } else if (call.operand_count() != 0 || !call.shape().is_buffer()) {
    findings.Add("buffer_c2", call, "CreateBuffer must take nothing and return a buffer",
                 absl::StrCat(call.operand_count(), " operands, ", call.shape().ToString()));
  }
  CheckWriters(call, writers, findings);
}

void CheckNone(const Instruction& op, bool none, Findings& findings) {
  if (none) return;
  findings.Add("buffer_c7", op, "there must be no buffer here", op.shape().ToString());
}

void CheckUse(const Instruction& op, bool in_entry, Writers& writers, Findings& findings) {
  switch (op.opcode()) {
    case Opcode::kAsyncDone:
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate:
    case Opcode::kGetTupleElement:
    case Opcode::kTuple:
      return;
    case Opcode::kCall:
      if (op.annotations().frontend_attributes.contains("_xla_stream_annotation")) return;
      break;
    case Opcode::kCustomCall:
      return CheckCustomCall(op, writers, findings);
    case Opcode::kParameter:
      CheckNone(op, !in_entry || !HasBuffer(op.shape()), findings);
      return CheckWriters(op, writers, findings);
    case Opcode::kWhile:
      return CheckWriters(op, writers, findings);
    case Opcode::kDynamicUpdateSlice:
      if (!op.operand(0)->shape().is_buffer()) break;
      CheckNone(op, op.shape().is_buffer(), findings);
      return CheckWriters(op, writers, findings);
    default:
      break;
  }
  CheckNone(op, !HasBuffer(op.shape()) && !TakesBuffers(op), findings);
}

// What tuples hold, their operands tell.
bool HasBuffers(const Computation& computation) {
  for (const auto& instruction : computation.instructions()) {
    if (instruction->opcode() != Opcode::kTuple && HasBuffer(instruction->shape())) return true;
  }
  return false;
}

// The computations that such instructions call.
absl::flat_hash_set<const Computation*> CalledBy(const Module& module, Opcode opcode, Attr attr) {
  absl::flat_hash_set<const Computation*> callees;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->opcode() == opcode) callees.insert(instruction->GetComputation(attr));
    }
  }
  return callees;
}

}  // namespace

void CheckBuffers(const Module& module, Findings& findings) {
  std::vector<const Computation*> with_buffers;
  for (const auto& computation : module.computations()) {
    if (HasBuffers(*computation)) with_buffers.push_back(computation.get());
  }
  if (with_buffers.empty()) return;
  const auto bodies = CalledBy(module, Opcode::kWhile, Attr::kBody);
  const auto wrapped = CalledBy(module, Opcode::kAsyncStart, Attr::kCalls);
  for (const Computation* computation : with_buffers) {
    Writers writers(*computation, bodies.contains(computation));
    if (wrapped.contains(computation)) {
      const Instruction& root = *computation->root();
      if (root.opcode() == Opcode::kCustomCall) CheckCustomCall(root, writers, findings);
      continue;
    }
    for (const auto& instruction : computation->instructions()) {
      CheckUse(*instruction, computation == module.entry(), writers, findings);
    }
  }
}

}  // namespace assay
