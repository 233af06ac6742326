// Finds the asynchronous instructions that are written in short form. Tests: printer_test.cc.
#include "spec/text/printer_async.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/ir/async_threads.h"

namespace assay::printing {
namespace {

// all-reduce-start and its like are operations of their own.
bool HasStartOfItsOwn(Opcode opcode) {
  return OpcodeFromName(absl::StrCat(Name(opcode), "-start")).has_value() ||
         OpcodeFromName(absl::StrCat(Name(opcode), "-done")).has_value();
}

const Instruction* WrappedByStart(const Instruction& start) {
  const Computation* wrapper = start.GetComputation(Attr::kCalls);
  if (wrapper == nullptr || wrapper->instruction_count() != start.operand_count() + 1) {
    return nullptr;
  }
  const Instruction* root = wrapper->root();
  if (root->opcode() == Opcode::kParameter || root->operand_count() != start.operand_count()) {
    return nullptr;
  }
  for (int64_t i = 0; i < root->operand_count(); ++i) {
    if (root->operand(i)->parameter_number() != i) return nullptr;
  }
  if (IsAsync(root->opcode()) || HasStartOfItsOwn(root->opcode())) return nullptr;
  return root;
}

}  // namespace

const Instruction* AsyncSugar::Wrapped(const Instruction& instruction) {
  std::vector<const Instruction*> chain;
  const Instruction* at = &instruction;
  const Instruction* wrapped = nullptr;
  while (IsAsync(at->opcode())) {
    const auto known = wrapped_.find(at);
    if (known != wrapped_.end()) {
      wrapped = known->second;
      break;
    }
    chain.push_back(at);
    if (at->opcode() == Opcode::kAsyncStart) {
      wrapped = WrappedByStart(*at);
      break;
    }
    if (at->operand_count() == 0) break;
    at = at->operand(0);
  }
  for (const Instruction* link : chain) wrapped_[link] = wrapped;
  return wrapped;
}

absl::flat_hash_set<const Computation*> AsyncSugar::HiddenWrappers(const Module& module) {
  absl::flat_hash_set<const Computation*> hidden;
  absl::flat_hash_set<const Computation*> needed = {module.entry()};
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      const bool sugared =
          instruction->opcode() == Opcode::kAsyncStart && Wrapped(*instruction) != nullptr;
      for (const Computation* callee : instruction->called_computations()) {
        (sugared ? hidden : needed).insert(callee);
      }
    }
  }
  for (const Computation* computation : needed) hidden.erase(computation);
  return hidden;
}

}  // namespace assay::printing
