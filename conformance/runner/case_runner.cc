#include "conformance/runner/case_runner.h"

#include <chrono>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "conformance/corpus/ready_case.h"
#include "conformance/corpus/work.h"
#include "spec/analysis/effects.h"
#include "spec/text/printer.h"
#include "spec/verify/verifier.h"

namespace assay::conformance {
namespace {

// The number of element operations up to which the definitions alone are fast enough.
constexpr int64_t kStraightWork = 100'000;
// Longer cases are not kept in reports. Programs may be longer: their graph is drawn from the text.
constexpr size_t kLongestText = 8192, kLongestProgram = 65536;

// Adds the time of its lifetime to a number of seconds.
class Timer {
 public:
  explicit Timer(double* seconds) : seconds_(*seconds) {}
  ~Timer() { seconds_ += Elapsed(); }
  double Elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  double& seconds_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Returns the outcome of a case whose request gave no result.
Outcome OutcomeOfError(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
      return Outcome::kInvalid;
    case absl::StatusCode::kUnimplemented:
      return Outcome::kNotSupported;
    default:
      return Outcome::kFailed;
  }
}

std::string Message(const absl::Status& status) { return std::string(status.message()); }

// Returns the beginning of a message on one line. The result of the probe has the whole message.
std::string OneLine(absl::string_view message) {
  constexpr size_t kLongest = 400;
  const std::vector<absl::string_view> words =
      absl::StrSplit(message, absl::ByAnyChar(" \n\t\r"), absl::SkipEmpty());
  return Shortened(absl::StrJoin(words, " "), kLongest);
}

// Counts every element as inconclusive, so that elements without a judgement count as much as
// judged ones.
void CountNotJudgeable(absl::Span<const DeviceOutputs> golden, Judgement* judgement) {
  judgement->verdict = Verdict::kNotJudgeable;
  int64_t& count = judgement->counts[static_cast<int>(Verdict::kNotJudgeable)];
  for (const DeviceOutputs& device : golden) {
    for (const Shape* leaf : Leaves(device.result.shape())) {
      if (leaf->is_array()) count += leaf->element_count();
    }
    for (const Literal& array : device.outfeed) count += array.element_count();
  }
}

// Returns the first place at which the arrays named PREFIX0, PREFIX1, ... have different bits, or
// an empty string.
std::string FirstDifference(absl::string_view prefix, const std::vector<Literal>& left,
                            const std::vector<Literal>& right) {
  if (left.size() != right.size()) {
    return absl::StrCat("there were ", left.size(), " arrays ", prefix, "N and then ",
                        right.size());
  }
  for (size_t leaf = 0; leaf < left.size(); ++leaf) {
    if (!left[leaf].is_array() || Literal::BitEqual(left[leaf], right[leaf])) continue;
    const std::string name = absl::StrCat(prefix, leaf);
    const Shape &before = left[leaf].shape(), &after = right[leaf].shape();
    if (!Shape::Compatible(before, after)) {
      return absl::StrCat(name, " was ", before.ToString(), " and then ", after.ToString());
    }
    for (int64_t i = 0; i < left[leaf].element_count(); ++i) {
      const Element a = left[leaf].Get(i), b = right[leaf].Get(i);
      if (a == b) continue;
      const ElementType type = left[leaf].element_type();
      return absl::StrCat("element ", i, " of ", name, " was ", PrintElement(type, a), " and then ",
                          PrintElement(type, b));
    }
    return absl::StrCat(name, " had other sizes");
  }
  return "";
}

std::string FirstDifference(const DeviceOutputs& first, const DeviceOutputs& second) {
  std::string result = FirstDifference("out", Flatten(first.result), Flatten(second.result));
  return result.empty() ? FirstDifference("outfeed", first.outfeed, second.outfeed) : result;
}

// Compares the first `repeat` executions, which have the same arguments. Returns a description of
// the difference, if there is one.
std::optional<std::string> Flake(const ModuleRun& run, int repeat) {
  for (size_t r = 1; r < static_cast<size_t>(repeat) && r < run.outputs.size(); ++r) {
    for (size_t d = 0; d < run.outputs[r].size(); ++d) {
      const std::string difference = FirstDifference(run.outputs.front()[d], run.outputs[r][d]);
      if (difference.empty()) continue;
      const std::string device = run.outputs[r].size() > 1 ? absl::StrCat(" on device ", d) : "";
      return absl::StrCat("run ", r + 1, " gives other bits than the first", device, ": ",
                          difference);
    }
  }
  return std::nullopt;
}

}  // namespace

CaseResult CaseRunner::Run(const CorpusCase& corpus_case) {
  CaseResult result;
  result.id = corpus_case.id;
  result.hash = CaseHash(corpus_case);
  result.op = std::string(corpus_case.Tag("op"));
  result.type = std::string(corpus_case.Tag("type"));
  if (corpus_case.expect == CorpusCase::Expect::kRefused) {
    RunRefused(corpus_case, &result);
  } else {
    RunProbes(corpus_case, &result);
  }
  result.message = OneLine(result.message);
  if (IsFailure(result.outcome) || result.outcome == Outcome::kNotJudgeable) {
    std::string text = FormatCase(corpus_case);
    const size_t longest = result.probes.size() > 1 ? kLongestProgram : kLongestText;
    if (text.size() <= longest) result.text = std::move(text);
  }
  return result;
}

// The verifier's tests cover golden's own refusal. Here the target gets the module.
void CaseRunner::RunRefused(const CorpusCase& corpus_case, CaseResult* result) {
  const absl::Status refused = [&] {
    const Timer timer(&result->golden_seconds);
    return CheckCase(corpus_case, options_.golden);
  }();
  if (!refused.ok()) {
    result->outcome = options_.verified ? Outcome::kWrong : Outcome::kFailed;
    result->message = absl::StrCat("golden: ", refused.message());
    return;
  }
  result->outcome = options_.verified ? Outcome::kRefused : Outcome::kNotRun;
  if (options_.verified) return;
  const ModuleChecks checks = profile_.module_checks();
  const bool strict = corpus_case.Tag("form") == "strict";
  if (checks == ModuleChecks::kNone || (strict && checks == ModuleChecks::kXla)) {
    result->message = absl::StrCat("targets of profile ", profile_.name(), " do not check ",
                                   checks == ModuleChecks::kNone ? "modules" : "this clause");
    return;
  }
  const absl::StatusOr<std::unique_ptr<Module>> module = ReadModule(corpus_case);
  if (!module.ok()) {
    result->message = "the text is not a module, so that there is nothing to hand on";
    return;
  }
  const Timer timer(&result->target_seconds);
  const absl::Status status = target_.Compile(**module).status();
  if (absl::IsInvalidArgument(status)) {
    result->outcome = Outcome::kRefused;
  } else if (status.ok()) {
    result->outcome = Outcome::kWrong;
    result->message = absl::StrCat("takes a module that violates ", corpus_case.clause);
  } else {
    result->outcome = OutcomeOfError(status);
    result->message = Message(status);
  }
}

void CaseRunner::RunProbes(const CorpusCase& corpus_case, CaseResult* result) {
  const bool again = IsExecutedAgain(corpus_case.id, options_.again);
  const absl::StatusOr<std::vector<Probe>> probes = [&] {
    const Timer timer(&result->golden_seconds);
    const bool straight = options_.straight && WorkOf(corpus_case) <= kStraightWork;
    return MakeProbes(corpus_case, options_.golden, {straight, options_.depth, again});
  }();
  if (!probes.ok()) {
    const bool spent = absl::IsResourceExhausted(probes.status());
    result->outcome = spent ? Outcome::kNotRun : Outcome::kFailed;
    result->message = absl::StrCat("golden: ", probes.status().message());
    return;
  }
  if (const auto reason = profile_.Unsupported(*probes->front().module)) {
    result->outcome = Outcome::kNotRun;
    result->message = absl::StrCat("profile ", profile_.name(), ": ", *reason);
    return;
  }
  for (const Probe& probe : *probes) {
    result->probes.push_back(RunProbe(probe, again, result));
  }
  Conclude(result);
}

ProbeResult CaseRunner::RunProbe(const Probe& probe, bool again, CaseResult* result) {
  ProbeResult own;
  own.name = probe.name;
  own.source = probe.source;
  own.subgraph = probe.subgraph;
  const double left = options_.seconds - result->target_seconds;
  if (options_.seconds >= 0 && left <= 0) {
    own.outcome = Outcome::kFailed;
    own.message = absl::StrCat("the case's ", options_.seconds, " s were over before it was asked");
    return own;
  }
  std::string failed_first;
  InputSets inputs = SetsOf(probe, OrderOfExecutions(probe, options_.repeat, again));
  const auto ask = [&] {
    const Timer timer(&result->target_seconds);
    return Ask(probe, inputs, left, &failed_first);
  };
  absl::StatusOr<ModuleRun> run = ask();
  if (again && absl::IsUnimplemented(run.status())) {
    // If a later execution is not supported, the first one is still judged.
    inputs = SetsOf(probe, OrderOfExecutions(probe, options_.repeat, /*again=*/false));
    run = ask();
  }
  if (!run.ok()) {
    own.outcome = OutcomeOfError(run.status());
    own.message = Message(run.status());
    if (own.outcome == Outcome::kInvalid && MayRefuse(*probe.module)) {
      own.outcome = Outcome::kNotSupported;
      own.message = absl::StrCat("refused, as the strict rules do: ", own.message);
    }
    return own;
  }
  const Timer timer(&result->judge_seconds);
  Judge(probe, *run, inputs.order, &own);
  if (own.outcome == Outcome::kFailed) return own;
  std::optional<std::string> flake =
      analysis::UsesRandomState(*probe.module) ? std::nullopt : Flake(*run, options_.repeat);
  if (!failed_first.empty()) flake = absl::StrCat("failed first, then ran: ", failed_first);
  if (flake) {
    own.outcome = Outcome::kFlaky;
    own.message = *std::move(flake);
  }
  return own;
}

// A legal case may violate a rule of the specification that XLA does not enforce. A target may
// refuse it unless its profile says that it checks what XLA checks.
bool CaseRunner::MayRefuse(const Module& module) const {
  if (profile_.module_checks() == ModuleChecks::kXla) return false;
  return !VerificationStatus(VerifyModule(module, {Rules::kStrict})).ok();
}

// Asks again after a failure, on a fresh target, because an earlier case may have caused the
// failure. It does not ask again if the first attempt took half of the time: such a target hangs.
absl::StatusOr<ModuleRun> CaseRunner::Ask(const Probe& probe, const InputSets& inputs,
                                          double seconds_left, std::string* failed_first) {
  double spent = 0;
  absl::StatusOr<ModuleRun> run = [&] {
    const Timer timer(&spent);
    return target_.RunSets(*probe.module, inputs);
  }();
  const bool hangs = options_.seconds >= 0 && spent > seconds_left / 2;
  if (!absl::IsAborted(run.status()) || hangs) return run;
  absl::StatusOr<ModuleRun> again = target_.RunSets(*probe.module, inputs);
  if (!again.ok()) return run;
  *failed_first = Message(run.status());
  return again;
}

void CaseRunner::Judge(const Probe& probe, const ModuleRun& run, absl::Span<const size_t> order,
                       ProbeResult* result) {
  absl::StatusOr<ExecutionsJudgement> judgement =
      JudgeExecutions(probe, run, order, options_.repeat, profile_, options_.golden);
  if (judgement.ok()) {
    result->judgement = std::move(judgement->judgement);
    if (judgement->execution > 1) {
      result->execution = judgement->execution;
      result->other_arguments = judgement->other_arguments;
    }
    result->outcome = OutcomeOf(result->judgement.verdict);
    if (result->outcome == Outcome::kNotJudgeable && result->judgement.elements() == 0) {
      CountNotJudgeable(probe.golden, &result->judgement);
    }
    return;
  }
  const bool spent = absl::IsResourceExhausted(judgement.status());
  result->outcome = spent ? Outcome::kNotJudgeable : Outcome::kFailed;
  if (spent) CountNotJudgeable(probe.golden, &result->judgement);
  result->message = absl::StrCat("judge: ", judgement.status().message());
}

}  // namespace assay::conformance
