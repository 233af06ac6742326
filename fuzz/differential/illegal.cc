#include "fuzz/differential/illegal.h"

#include <utility>

#include "absl/strings/match.h"
#include "conformance/corpus/corpus.h"
#include "conformance/corpus/value_profiles.h"
#include "fuzz/differential/illegal_changes.h"
#include "spec/builder/copy_module.h"
#include "spec/text/parser.h"
#include "spec/verify/near_misses.h"
#include "spec/verify/verifier.h"

namespace assay::fuzz {
namespace {

std::unique_ptr<Module> CopyOf(const Module& module) {
  auto copy = std::make_unique<Module>(module.name());
  copy->replica_count = module.replica_count;
  copy->num_partitions = module.num_partitions;
  CalleeMap callees;
  CopyComputations(module, copy.get(), &callees);
  copy->set_entry(callees.at(module.entry()));
  return copy;
}

const std::vector<NearMiss>& NearMisses() {
  static const auto* const all = [] {
    auto* const found = new std::vector<NearMiss>;
    for (const conformance::CorpusFile& file : conformance::CorpusFiles()) {
      if (!absl::StrContains(file.name, "spec/verify/")) continue;
      for (NearMiss& pair : ReadNearMisses(file.text)) {
        if (!pair.strict && !pair.reader) found->push_back(std::move(pair));
      }
    }
    return found;
  }();
  return *all;
}

// Benign values of every parameter, the same on each device; none where one has no value of a few
// elements.
std::optional<std::vector<DeviceInputs>> BenignInputs(const Module& module) {
  constexpr int64_t kMostElements = 1 << 16, kMostDevices = 64;
  DeviceInputs own;
  for (const Instruction* parameter : module.entry()->parameters()) {
    if (parameter == nullptr) return std::nullopt;
    std::vector<Literal> leaves;
    for (const Shape* leaf : Leaves(parameter->shape())) {
      if (leaf->is_token()) {
        leaves.push_back(Literal::Zeros(*leaf));
        continue;
      }
      if (!leaf->is_array()) return std::nullopt;
      const absl::StatusOr<int64_t> count = leaf->ElementCount();
      if (!count.ok() || *count < 0 || *count > kMostElements) return std::nullopt;
      absl::StatusOr<Literal> value = conformance::MakeValues(conformance::ProfileUse(), *leaf);
      if (!value.ok()) return std::nullopt;
      leaves.push_back(*std::move(value));
    }
    own.arguments.push_back(Unflatten(parameter->shape(), leaves));
  }
  if (module.replica_count < 1 || module.replica_count > kMostDevices ||
      module.num_partitions < 1 || module.num_partitions > kMostDevices) {
    return std::nullopt;
  }
  const auto devices = static_cast<size_t>(module.replica_count * module.num_partitions);
  return std::vector<DeviceInputs>(devices, own);
}

std::string OperationAt(const Module& module, const Finding& finding) {
  for (const auto& computation : module.computations()) {
    if (computation->name() != finding.computation) continue;
    const Instruction* const found = computation->Find(finding.instruction);
    if (found != nullptr) return std::string(Name(found->opcode()));
  }
  return "module";
}

}  // namespace

std::optional<IllegalProgram> BreakProgram(const Module& module,
                                           absl::Span<const DeviceInputs> inputs, uint64_t seed) {
  constexpr int kTries = 16;
  for (int tries = 0; tries < kTries; ++tries) {
    IllegalProgram program;
    program.module = CopyOf(module);
    const Instruction* const changed = ChangeModule(program.module.get(), &seed);
    if (changed == nullptr) continue;
    const Verification verification = VerifyModule(*program.module);
    if (verification.ok()) continue;
    program.inputs.assign(inputs.begin(), inputs.end());
    program.clause = verification.findings.front().clause;
    program.operation = std::string(Name(changed->opcode()));
    return program;
  }
  return std::nullopt;
}

int64_t NearMissCount() { return static_cast<int64_t>(NearMisses().size()); }

std::optional<IllegalProgram> NearMissProgram(int64_t number) {
  const NearMiss& pair = NearMisses()[static_cast<size_t>(number)];
  absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(pair.refused);
  if (!module.ok()) return std::nullopt;
  const Verification verification = VerifyModule(**module);
  std::optional<std::vector<DeviceInputs>> inputs = BenignInputs(**module);
  if (verification.ok() || !inputs) return std::nullopt;
  IllegalProgram program;
  program.operation = OperationAt(**module, verification.findings.front());
  program.module = *std::move(module);
  program.inputs = *std::move(inputs);
  program.clause = pair.clause;
  return program;
}

}  // namespace assay::fuzz
