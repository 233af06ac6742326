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

namespace assay {
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

absl::StatusOr<Literal> MakeArray(const CaseArray& array, const Shape& wanted,
                                  int64_t* bytes_left) {
  const bool same = wanted.is_array() && wanted.element_type() == array.shape.element_type() &&
                    wanted.dimensions() == array.shape.dimensions() && !wanted.is_dynamic();
  if (!same) {
    return absl::InvalidArgumentError(absl::StrCat("arg", array.number, " is ",
                                                   array.shape.ToString(),
                                                   ", but the parameter is ", wanted.ToString()));
  }
  absl::StatusOr<Literal> value = array.literal ? absl::StatusOr<Literal>(*array.literal)
                                                : MakeValues(array.use, array.shape, *bytes_left);
  if (value.ok()) *bytes_left -= value->byte_size();
  return value;
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

absl::StatusOr<ReadyCase> MakeReadyUnplaced(const CorpusCase& corpus_case, int64_t max_bytes) {
  absl::StatusOr<std::unique_ptr<Module>> module = ReadModule(corpus_case);
  if (!module.ok()) return module.status();
  const absl::Status verified = VerificationStatus(VerifyModule(**module));
  if (!verified.ok()) return verified;
  ReadyCase ready{*std::move(module), {}};
  for (int64_t d = 0; d < corpus_case.replicas * corpus_case.partitions; ++d) {
    absl::StatusOr<std::vector<Literal>> arguments =
        MakeArguments(corpus_case, *ready.module, d, &max_bytes);
    if (!arguments.ok()) return arguments.status();
    ready.arguments.push_back(*std::move(arguments));
  }
  return ready;
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

// Of a NaN only the operations that move elements keep sign and payload.
absl::Status CompareWithExpected(const CorpusCase& corpus_case,
                                 const std::vector<Literal>& results) {
  const auto devices = static_cast<int64_t>(results.size());
  const auto op = OpcodeFromName(corpus_case.Tag("op"));
  const bool moves = op && Info(*op).family == Family::kMovement;
  for (int64_t d = 0; d < devices; ++d) {
    const std::vector<Literal> leaves = Flatten(results[d]);
    const auto count = static_cast<int64_t>(leaves.size());
    const absl::Status numbers = CheckNumbers(corpus_case.expected, "out", count, devices);
    if (!numbers.ok()) return numbers;
    for (int64_t i = 0; i < count; ++i) {
      const CaseArray* array = FindArray(corpus_case.expected, i, d);
      if (array == nullptr) return absl::InvalidArgumentError(absl::StrCat("there is no out", i));
      const absl::StatusOr<Comparison> comparison = Compare(leaves[i], *array->literal);
      if (!comparison.ok()) return comparison.status();
      if (comparison->agreement == Agreement::kEqual && (!moves || SameBits(leaves[i], *array))) {
        continue;
      }
      if (comparison->agreement == Agreement::kEqual) {
        return absl::FailedPreconditionError(absl::StrCat("out", i, " has another NaN"));
      }
      const ElementDifference& first = *comparison->arrays[0].first;
      return absl::FailedPreconditionError(absl::StrCat("out", i, " has ", first.left, ", but ",
                                                        first.right, " is expected at {",
                                                        absl::StrJoin(first.index, ","), "}"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Module>> ReadModule(const CorpusCase& corpus_case) {
  absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(corpus_case.module);
  if (!module.ok()) return module;
  if (corpus_case.replicas != 1) (*module)->replica_count = corpus_case.replicas;
  if (corpus_case.partitions != 1) (*module)->num_partitions = corpus_case.partitions;
  return module;
}

absl::StatusOr<ReadyCase> MakeReady(const CorpusCase& corpus_case, int64_t max_bytes) {
  absl::StatusOr<ReadyCase> ready = MakeReadyUnplaced(corpus_case, max_bytes);
  if (!ready.ok()) return WithPlace(corpus_case, ready.status());
  return ready;
}

absl::StatusOr<std::vector<Literal>> RunGolden(const ReadyCase& ready, const RunBudget& budget,
                                               const PlanOptions& plan) {
  GoldenOptions options;
  options.plan = plan;
  options.run.budget = budget;
  GoldenBackend backend(options);
  absl::StatusOr<std::unique_ptr<Executable>> executable = backend.Compile(*ready.module);
  if (!executable.ok()) return executable.status();
  return RunOnDevices(backend, **executable, ready.arguments);
}

absl::Status CheckExpected(const CorpusCase& corpus_case, const std::vector<Literal>& results) {
  if (corpus_case.expect != CorpusCase::Expect::kValues) return absl::OkStatus();
  return WithPlace(corpus_case, CompareWithExpected(corpus_case, results));
}

absl::Status CheckCase(const CorpusCase& corpus_case, const RunBudget& budget,
                       const PlanOptions& plan) {
  if (corpus_case.expect == CorpusCase::Expect::kRefused) {
    return WithPlace(corpus_case, CheckRefused(corpus_case));
  }
  const absl::StatusOr<ReadyCase> ready = MakeReady(corpus_case, budget.bytes);
  if (!ready.ok()) return ready.status();
  const absl::StatusOr<std::vector<Literal>> results = RunGolden(*ready, budget, plan);
  if (!results.ok()) return WithPlace(corpus_case, results.status());
  return CheckExpected(corpus_case, *results);
}

}  // namespace assay
