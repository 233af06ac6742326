#include "conformance/corpus/ready_case.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backends/golden/golden_backend.h"
#include "conformance/judge/comparison.h"
#include "spec/text/parser.h"
#include "spec/verify/verifier.h"

namespace assay::conformance {
namespace {

absl::Status WithPlace(const CorpusCase& corpus_case, const absl::Status& status) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(corpus_case.where, ": case ", corpus_case.id,
                                                  ": ", status.message()));
}

// The array of a leaf on a device: its own, or that of all.
const CaseArray* FindArray(const std::vector<CaseArray>& arrays, int64_t number, int64_t device) {
  const CaseArray* found = nullptr;
  for (const CaseArray& array : arrays) {
    if (array.number != number || (array.device != device && array.device >= 0)) continue;
    if (found == nullptr || array.device >= 0) found = &array;
  }
  return found;
}

// The arrays of a queue on a device: from number 0 to the last that there is.
std::vector<const CaseArray*> FindQueue(const std::vector<CaseArray>& arrays, int64_t device) {
  std::vector<const CaseArray*> queue;
  while (const CaseArray* next = FindArray(arrays, static_cast<int64_t>(queue.size()), device)) {
    queue.push_back(next);
  }
  return queue;
}

absl::Status CheckNumbers(const std::vector<CaseArray>& arrays, absl::string_view prefix,
                          int64_t leaves, int64_t devices) {
  for (const CaseArray& array : arrays) {
    if (array.number >= leaves) {
      return absl::InvalidArgumentError(absl::StrCat(prefix, array.number, " is there, but ",
                                                     prefix, "0 to ", prefix, leaves - 1,
                                                     " are wanted"));
    }
    if (array.device >= devices) {
      return absl::InvalidArgumentError(
          absl::StrCat("device ", array.device, " has an array, but ", devices, " run"));
    }
  }
  return absl::OkStatus();
}

// Whether the queues have no gaps, and belong to processes that there are.
absl::Status CheckQueues(const std::vector<CaseArray>& arrays, absl::string_view prefix,
                         int64_t devices) {
  for (const CaseArray& array : arrays) {
    const int64_t device = std::max<int64_t>(array.device, 0);
    const auto length = static_cast<int64_t>(FindQueue(arrays, device).size());
    if (array.device < devices && array.number < length) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(prefix, array.number, " of device ", device, " is there, but ",
                     array.device < devices ? absl::StrCat(prefix, length, " is not")
                                            : absl::StrCat(devices, " run")));
  }
  return absl::OkStatus();
}

absl::StatusOr<Literal> MakeValue(const CaseArray& array, int64_t* bytes_left) {
  absl::StatusOr<Literal> value = array.literal ? absl::StatusOr<Literal>(*array.literal)
                                                : MakeValues(array.use, array.shape, *bytes_left);
  if (value.ok()) *bytes_left -= value->byte_size();
  return value;
}

absl::StatusOr<Literal> MakeArray(const CaseArray& array, const Shape& wanted,
                                  int64_t* bytes_left) {
  const bool same = wanted.is_array() && wanted.element_type() == array.shape.element_type() &&
                    wanted.dimensions() == array.shape.dimensions() && !wanted.is_dynamic();
  if (!same) {
    return absl::InvalidArgumentError(absl::StrCat("arg", array.number, " is ",
                                                   array.shape.ToString(),
                                                   ", but the parameter is ", wanted.ToString()));
  }
  return MakeValue(array, bytes_left);
}

void AppendLeafShapes(const Shape& shape, std::vector<Shape>* leaves) {
  if (!shape.is_tuple()) return leaves->push_back(shape);
  for (const Shape& element : shape.tuple_shapes()) AppendLeafShapes(element, leaves);
}

absl::StatusOr<std::vector<Literal>> MakeArguments(const CorpusCase& corpus_case,
                                                   const Module& module, int64_t device,
                                                   int64_t* bytes_left) {
  std::vector<Literal> arguments;
  int64_t number = 0;
  for (const Instruction* parameter : module.entry()->parameters()) {
    std::vector<Shape> shapes;
    AppendLeafShapes(parameter->shape(), &shapes);
    std::vector<Literal> leaves;
    for (const Shape& shape : shapes) {
      if (shape.is_token()) {
        leaves.push_back(Literal::Token());
        continue;
      }
      const CaseArray* array = FindArray(corpus_case.inputs, number, device);
      if (array == nullptr) {
        return absl::InvalidArgumentError(
            absl::StrCat("there is no arg", number, " for ", parameter->Describe()));
      }
      absl::StatusOr<Literal> value = MakeArray(*array, shape, bytes_left);
      if (!value.ok()) return value.status();
      leaves.push_back(*std::move(value));
      ++number;
    }
    arguments.push_back(parameter->shape().is_tuple() ? Unflatten(parameter->shape(), leaves)
                                                      : leaves.front());
  }
  const absl::Status status = CheckNumbers(corpus_case.inputs, "arg", number,
                                           corpus_case.replicas * corpus_case.partitions);
  if (!status.ok()) return status;
  return arguments;
}

absl::StatusOr<std::vector<Literal>> MakeInfeed(const CorpusCase& corpus_case, int64_t device,
                                                int64_t* bytes_left) {
  std::vector<Literal> queue;
  for (const CaseArray* array : FindQueue(corpus_case.infeed, device)) {
    absl::StatusOr<Literal> value = MakeValue(*array, bytes_left);
    if (!value.ok()) return value.status();
    queue.push_back(*std::move(value));
  }
  return queue;
}

absl::StatusOr<ReadyCase> MakeReadyUnplaced(const CorpusCase& corpus_case, int64_t max_bytes) {
  absl::StatusOr<std::unique_ptr<Module>> module = ReadModule(corpus_case);
  if (!module.ok()) return module.status();
  const absl::Status verified = VerificationStatus(VerifyModule(**module));
  if (!verified.ok()) return verified;
  absl::StatusOr<std::vector<DeviceInputs>> inputs = MakeInputs(corpus_case, **module, max_bytes);
  if (!inputs.ok()) return inputs.status();
  return ReadyCase{*std::move(module), *std::move(inputs)};
}

absl::Status CheckRefused(const CorpusCase& corpus_case) {
  const absl::StatusOr<std::unique_ptr<Module>> module = ReadModule(corpus_case);
  const std::string mark = absl::StrCat("[", corpus_case.clause, "]");
  if (!module.ok()) {
    if (absl::StrContains(module.status().message(), mark)) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("the reader refuses it, but not by ", mark, ": ", module.status().message()));
  }
  const Verification verification = VerifyModule(**module, {Rules::kStrict});
  std::string found;
  for (const Finding& finding : verification.findings) {
    if (finding.clause == corpus_case.clause) return absl::OkStatus();
    absl::StrAppend(&found, " [", finding.clause, "]");
  }
  return absl::FailedPreconditionError(absl::StrCat("it is to be refused by ", mark, ", but ",
                                                    found.empty() ? " nothing" : found,
                                                    " refuses it"));
}

bool SameBits(const Literal& value, const CaseArray& array) {
  return Literal::BitEqual(ValidBox(value).WithShape(array.shape),
                           array.literal->WithShape(array.shape));
}

// `exact`: with the sign and the payload of NaNs.
absl::Status CompareArray(const std::string& name, const Literal& value, const CaseArray& array,
                          bool exact) {
  const absl::StatusOr<Comparison> comparison = Compare(value, *array.literal);
  if (!comparison.ok()) return comparison.status();
  if (comparison->agreement != Agreement::kEqual) {
    const ElementDifference& first = *comparison->arrays[0].first;
    return absl::FailedPreconditionError(absl::StrCat(name, " has ", first.left, ", but ",
                                                      first.right, " is expected at {",
                                                      absl::StrJoin(first.index, ","), "}"));
  }
  if (!exact || SameBits(value, array)) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(name, " has another NaN"));
}

// Of a NaN only the operations that move elements keep sign and payload.
absl::Status CompareWithExpected(const CorpusCase& corpus_case,
                                 const std::vector<DeviceOutputs>& outputs) {
  const auto devices = static_cast<int64_t>(outputs.size());
  const auto op = OpcodeFromName(corpus_case.Tag("op"));
  const bool moves = op && (Info(*op).family == Family::kMovement || *op == Opcode::kInfeed ||
                            *op == Opcode::kOutfeed);
  absl::Status status = CheckQueues(corpus_case.outfeed, "outfeed", devices);
  for (int64_t d = 0; d < devices && status.ok(); ++d) {
    std::vector<Literal> leaves = Flatten(outputs[d].result);
    std::erase_if(leaves, [](const Literal& leaf) { return !leaf.is_array(); });
    const auto count = static_cast<int64_t>(leaves.size());
    status = CheckNumbers(corpus_case.expected, "out", count, devices);
    for (int64_t i = 0; i < count && status.ok(); ++i) {
      const std::string name = absl::StrCat("out", i);
      const CaseArray* array = FindArray(corpus_case.expected, i, d);
      if (array == nullptr) return absl::InvalidArgumentError("there is no " + name);
      status = CompareArray(name, leaves[i], *array, moves);
    }
    const std::vector<Literal>& outfeed = outputs[d].outfeed;
    const std::vector<const CaseArray*> expected = FindQueue(corpus_case.outfeed, d);
    if (status.ok() && outfeed.size() != expected.size()) {
      return absl::FailedPreconditionError(absl::StrCat(outfeed.size(), " arrays are fed out, but ",
                                                        expected.size(), " are expected"));
    }
    for (size_t i = 0; i < outfeed.size() && status.ok(); ++i) {
      status = CompareArray(absl::StrCat("outfeed", i), outfeed[i], *expected[i], moves);
    }
  }
  return status;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Module>> ReadModule(const CorpusCase& corpus_case) {
  absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(corpus_case.module);
  if (!module.ok()) return module;
  if (corpus_case.replicas != 1) (*module)->replica_count = corpus_case.replicas;
  if (corpus_case.partitions != 1) (*module)->num_partitions = corpus_case.partitions;
  return module;
}

absl::StatusOr<std::vector<DeviceInputs>> MakeInputs(const CorpusCase& corpus_case,
                                                     const Module& module, int64_t max_bytes) {
  const int64_t devices = corpus_case.replicas * corpus_case.partitions;
  const absl::Status queues = CheckQueues(corpus_case.infeed, "infeed", devices);
  if (!queues.ok()) return queues;
  std::vector<DeviceInputs> inputs;
  for (int64_t d = 0; d < devices; ++d) {
    absl::StatusOr<std::vector<Literal>> arguments =
        MakeArguments(corpus_case, module, d, &max_bytes);
    if (!arguments.ok()) return arguments.status();
    absl::StatusOr<std::vector<Literal>> infeed = MakeInfeed(corpus_case, d, &max_bytes);
    if (!infeed.ok()) return infeed.status();
    inputs.push_back({*std::move(arguments), *std::move(infeed)});
  }
  return inputs;
}

absl::StatusOr<ReadyCase> MakeReady(const CorpusCase& corpus_case, int64_t max_bytes) {
  absl::StatusOr<ReadyCase> ready = MakeReadyUnplaced(corpus_case, max_bytes);
  if (!ready.ok()) return WithPlace(corpus_case, ready.status());
  return ready;
}

absl::StatusOr<std::vector<DeviceOutputs>> RunGolden(const ReadyCase& ready,
                                                     const RunBudget& budget,
                                                     const PlanOptions& plan) {
  return RunGolden(*ready.module, ready.inputs, budget, plan);
}

absl::StatusOr<std::vector<DeviceOutputs>> RunGolden(const Module& module,
                                                     absl::Span<const DeviceInputs> inputs,
                                                     const RunBudget& budget,
                                                     const PlanOptions& plan) {
  GoldenOptions options;
  options.plan = plan;
  options.run.budget = budget;
  GoldenBackend backend(options);
  absl::StatusOr<std::unique_ptr<Executable>> executable = backend.Compile(module);
  if (!executable.ok()) return executable.status();
  return RunOnDevices(backend, **executable, inputs);
}

absl::Status CheckExpected(const CorpusCase& corpus_case,
                           const std::vector<DeviceOutputs>& outputs) {
  if (corpus_case.expect != CorpusCase::Expect::kValues) return absl::OkStatus();
  return WithPlace(corpus_case, CompareWithExpected(corpus_case, outputs));
}

absl::Status CheckCase(const CorpusCase& corpus_case, const RunBudget& budget,
                       const PlanOptions& plan) {
  if (corpus_case.expect == CorpusCase::Expect::kRefused) {
    return WithPlace(corpus_case, CheckRefused(corpus_case));
  }
  const absl::StatusOr<ReadyCase> ready = MakeReady(corpus_case, budget.bytes);
  if (!ready.ok()) return ready.status();
  const absl::StatusOr<std::vector<DeviceOutputs>> outputs = RunGolden(*ready, budget, plan);
  if (!outputs.ok()) return WithPlace(corpus_case, outputs.status());
  return CheckExpected(corpus_case, *outputs);
}

}  // namespace assay::conformance
