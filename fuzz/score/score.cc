#include "fuzz/score/score.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <map>
#include <memory>
#include <new>
#include <set>
#include <utility>

#include "conformance/diagnose/module_judge.h"
#include "conformance/diagnose/program_judge.h"
#include "conformance/mutants/mutant_backend.h"
#include "conformance/profiles/profile.h"
#include "fuzz/differential/ways.h"
#include "fuzz/programs/decoder.h"

namespace assay::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

double Since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Of this thread alone, which a busy machine does not change.
double ProcessorSeconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::set<Opcode> OpcodesOf(const Module& module) {
  std::set<Opcode> opcodes;
  for (const auto& computation : module.computations()) {
    for (const auto& each : computation->instructions()) opcodes.insert(each->opcode());
  }
  return opcodes;
}

// A program with its golden results.
struct Question {
  FuzzProgram program;
  std::vector<DeviceInputs> inputs;
  std::vector<DeviceOutputs> golden;
  std::set<Opcode> opcodes;
  int64_t index = 0;
};

// What a child process leaves for its parent.
struct Notes {
  int64_t at = 0;  // the question that it works on
  int64_t found = -1;
  int64_t shown = 0;
  int64_t failed = 0;
  char detail[200] = {};
};

// The mutant's results against golden's.
class MutantJudge {
 public:
  MutantJudge(const conformance::Mutant& mutant, const conformance::TargetProfile& profile)
      : mutant_(mutant), profile_(profile) {
    budget_.seconds = 10;
    budget_.threads = 1;
  }

  // Whether they are wrong; `notes` counts the programs in which the mutant stands, and those that
  // it refuses.
  bool Finds(const Question& question, Notes* notes, std::string* detail) const {
    GoldenOptions golden;
    golden.run.budget = budget_;
    conformance::MutantBackend target(mutant_, golden);
    const bool stateful = mutant_.state != conformance::StateDefect::kNone;
    // What is kept of an execution shows in the next one, if that has other values.
    const std::vector<DeviceInputs> others =
        stateful ? OtherInputs(question.inputs) : std::vector<DeviceInputs>();
    InputSets sets;
    sets.sets = {question.inputs};
    sets.order = {0};
    if (stateful) {
      sets.sets.push_back(others);
      sets.order = {1, 0};
    }
    const absl::StatusOr<ModuleRun> run = target.RunSets(*question.program.module, sets);
    if (!run.ok()) {  // of a defect that the interpreter does not run there
      ++notes->failed;
      return false;
    }
    if (!stateful && target.sites() == 0) return false;
    ++notes->shown;
    const std::vector<DeviceOutputs>& actual = run->outputs.back();
    if (SameOutputs(question.golden, actual)) return false;
    *detail = FirstDifference(question.golden, actual);
    return stateful || IsWrong(question, actual);
  }

 private:
  bool IsWrong(const Question& question, absl::Span<const DeviceOutputs> actual) const {
    std::vector<std::vector<Literal>> arguments;
    for (const DeviceInputs& own : question.inputs) arguments.push_back(own.arguments);
    const absl::StatusOr<conformance::Judgement> judgement =
        conformance::JudgeModule(*question.program.module, arguments, ResultsOf(question.golden),
                                 ResultsOf(actual), profile_, budget_);
    if (judgement.ok() && judgement->verdict == conformance::Verdict::kWrong) return true;
    const bool feeds = !question.golden[0].outfeed.empty() || !actual[0].outfeed.empty();
    return feeds &&
           conformance::JudgeOutfeeds(*question.program.module, question.golden, actual, profile_)
                   .verdict == conformance::Verdict::kWrong;
  }

  const conformance::Mutant& mutant_;
  const conformance::TargetProfile& profile_;
  RunBudget budget_;
};

// In a child process, from notes->at on.
void Work(absl::Span<const Question> questions, const conformance::Mutant& mutant,
          const conformance::TargetProfile& profile, Notes* notes) {
  const MutantJudge judge(mutant, profile);
  for (; notes->at < static_cast<int64_t>(questions.size()); ++notes->at) {
    const Question& question = questions[notes->at];
    const bool stands =
        std::any_of(mutant.opcodes.begin(), mutant.opcodes.end(),
                    [&](Opcode opcode) { return question.opcodes.contains(opcode); });
    std::string detail;
    if (!stands || !judge.Finds(question, notes, &detail)) continue;
    std::snprintf(notes->detail, sizeof(notes->detail), "%s", detail.c_str());
    notes->found = question.index;
    return;
  }
}

// Runs the mutant in child processes, a further one behind each question that ends one.
absl::Status ScoreMutant(absl::Span<const Question> questions,
                         const conformance::TargetProfile& profile, FuzzScore* score) {
  constexpr int64_t kMostCrashes = 200;
  void* const memory =
      mmap(nullptr, sizeof(Notes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return absl::ResourceExhaustedError("no memory to share");
  Notes* const notes = new (memory) Notes;
  while (notes->at < static_cast<int64_t>(questions.size()) && score->crashes < kMostCrashes) {
    const pid_t child = fork();
    if (child < 0) return absl::ResourceExhaustedError("no further process");
    if (child == 0) {
      for (const int number : {SIGILL, SIGABRT, SIGSEGV}) std::signal(number, SIG_DFL);
      Work(questions, *score->mutant, profile, notes);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) break;
    ++score->crashes;
    ++notes->at;
  }
  score->program = notes->found;
  score->shown += notes->shown;
  score->failed += notes->failed;
  score->detail = notes->detail;
  munmap(memory, sizeof(Notes));
  return absl::OkStatus();
}

// Programs [first, last), but those that golden's budget does not suffice for.
absl::StatusOr<std::vector<Question>> MakeQuestions(const Grammar& grammar,
                                                    const FuzzScoreOptions& options, int64_t first,
                                                    int64_t last) {
  RunBudget budget;
  budget.threads = 1;
  budget.seconds = 10;
  std::vector<Question> questions;
  for (int64_t i = first; i < last; ++i) {
    Question question;
    question.index = i;
    question.program = DecodeProgram(grammar, RandomBytes(options.seed, i, options.most_records));
    absl::StatusOr<std::vector<DeviceInputs>> inputs = MakeInputs(question.program);
    if (!inputs.ok()) return inputs.status();
    question.inputs = *std::move(inputs);
    auto golden = RunByKernels(*question.program.module, question.inputs, budget);
    if (!golden.ok()) continue;
    question.golden = *std::move(golden);
    question.opcodes = OpcodesOf(*question.program.module);
    questions.push_back(std::move(question));
  }
  return questions;
}

absl::Status FindProfiles(absl::Span<const conformance::Mutant* const> mutants,
                          std::map<std::string, conformance::TargetProfile>* profiles) {
  for (const conformance::Mutant* mutant : mutants) {
    const std::string name = mutant->conforming() ? mutant->profile : "golden";
    if (profiles->find(name) != profiles->end()) continue;
    absl::StatusOr<conformance::TargetProfile> profile = conformance::TargetProfile::Find(name);
    if (!profile.ok()) return profile.status();
    profiles->emplace(name, *std::move(profile));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<FuzzScores> ScoreFuzzer(absl::Span<const conformance::Mutant* const> mutants,
                                       const FuzzScoreOptions& options) {
  constexpr int64_t kBlock = 4000;  // of programs that are in memory at once
  const absl::StatusOr<Grammar> grammar = Grammar::Create();
  if (!grammar.ok()) return grammar.status();
  std::map<std::string, conformance::TargetProfile> profiles;
  if (absl::Status status = FindProfiles(mutants, &profiles); !status.ok()) return status;
  FuzzScores result;
  for (const conformance::Mutant* mutant : mutants) result.scores.emplace_back().mutant = mutant;
  const Clock::time_point start = Clock::now();
  double making = 0;
  const int64_t end = options.first + options.programs;
  for (int64_t first = options.first; first < end; first += kBlock) {
    if (options.seconds >= 0 && Since(start) > options.seconds) break;
    const int64_t last = std::min(first + kBlock, end);
    const double block_start = ProcessorSeconds();
    const absl::StatusOr<std::vector<Question>> questions =
        MakeQuestions(*grammar, options, first, last);
    if (!questions.ok()) return questions.status();
    making += ProcessorSeconds() - block_start;
    for (FuzzScore& score : result.scores) {
      if (score.program >= 0) continue;
      const std::string name = score.mutant->conforming() ? score.mutant->profile : "golden";
      if (absl::Status status = ScoreMutant(*questions, profiles.at(name), &score); !status.ok()) {
        return status;
      }
    }
    result.programs = last - options.first;
    if (options.progress) {
      options.progress(result.programs,
                       std::count_if(result.scores.begin(), result.scores.end(),
                                     [](const FuzzScore& s) { return s.program >= 0; }));
    }
  }
  // A target takes as long as golden.
  result.seconds_each = 2 * making / static_cast<double>(std::max<int64_t>(result.programs, 1));
  return result;
}

}  // namespace assay::fuzz
