#include "fuzz/campaign/campaign.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "fuzz/differential/relations.h"
#include "fuzz/programs/decoder.h"
#include "fuzz/programs/features.h"
#include "fuzz/reduce/artifacts.h"
#include "spec/files/file_io.h"
#include "spec/text/printer.h"

namespace assay::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kLegalPrograms = 8;  // for each illegal one

// One thread's target, and what is done with a program.
class Worker {
 public:
  Worker(const CampaignOptions& options, std::unique_ptr<Backend> target)
      : options_(options),
        target_(std::move(target)),
        examiner_(target_.get(), *options.profile, options.examiner),
        asker_(target_.get(), *options.profile, AskingOptions(options.examiner)) {}

  Examination Examine(const FuzzProgram& program, absl::Span<const DeviceInputs> inputs,
                      int64_t turn) {
    return examiner_.Examine(*program.module, inputs, turn);
  }

  std::vector<Examination> ExamineJoined(absl::Span<const ProgramToJoin> programs, int64_t turn) {
    return examiner_.ExamineJoined(programs, turn);
  }
  Examination ExamineIllegal(const IllegalProgram& program) {
    return examiner_.ExamineIllegal(program);
  }

  // The smallest program with the signature of the examination, and its folder.
  void Reduce(const Bytes& bytes, int64_t turn, const Examination& first, FindingGroup* group) {
    if (first.signature.operation == kEveryProgram) {
      // The smallest module is known. Each further question may cost a start of the target.
      const PlainProgram plain = MakePlainProgram();
      Write(*plain.module, plain.inputs, bytes, turn, first, {.questions = 0}, group);
      return;
    }
    const Bytes smaller = ReduceBytes(
        bytes,
        [&](absl::Span<const uint8_t> candidate) {
          const FuzzProgram program = DecodeProgram(*options_.grammar, candidate);
          const auto inputs = MakeInputs(program);
          return inputs.ok() && Shows(*program.module, *inputs, turn, first.signature);
        },
        options_.reduce);
    const FuzzProgram program = DecodeProgram(*options_.grammar, smaller);
    absl::StatusOr<std::vector<DeviceInputs>> inputs = MakeInputs(program);
    if (!inputs.ok()) return;
    // A finding of a rewritten module is one of that module from here on.
    const Module* module = program.module.get();
    std::optional<Rewritten> rewritten;
    if (!first.signature.relation.empty() && first.signature.kind != FindingKind::kReference) {
      for (const Relation& relation : Relations()) {
        if (relation.name == first.signature.relation) {
          rewritten = relation.rewrite(*module, *inputs);
        }
      }
      if (rewritten) {
        module = rewritten->module.get();
        *inputs = rewritten->inputs;
      }
    }
    Write(*module, *inputs, smaller, turn, first, options_.reduce, group);
  }

 private:
  static ExaminerOptions AskingOptions(ExaminerOptions options) {
    options.ways = false;
    options.relations = false;
    options.repeat = false;
    return options;
  }

  // Returns true if a finding of the kind shows only where the reference is examined too or the
  // target executes a module several times.
  static bool NeedsEveryOracle(FindingKind kind) {
    return kind == FindingKind::kReference || kind == FindingKind::kUnstable ||
           kind == FindingKind::kLeak;
  }

  // Whether the module gives a finding of the same kind, operation and error. A rewrite that was
  // applied already does not count.
  bool ShowsModule(const Module& module, absl::Span<const DeviceInputs> inputs, int64_t turn,
                   const Signature& signature) {
    const Examination found = NeedsEveryOracle(signature.kind)
                                  ? examiner_.Examine(module, inputs, turn)
                                  : asker_.AskTarget(module, inputs);
    return found.outcome == Outcome::kFinding && found.signature.kind == signature.kind &&
           found.signature.error == signature.error &&
           (signature.kind == FindingKind::kReference ||
            found.signature.operation == signature.operation ||
            signature.kind == FindingKind::kCrash);
  }

  bool Shows(const Module& module, absl::Span<const DeviceInputs> inputs, int64_t turn,
             const Signature& signature) {
    if (signature.relation.empty() || signature.kind == FindingKind::kReference) {
      return ShowsModule(module, inputs, turn, signature);
    }
    for (const Relation& relation : Relations()) {
      if (relation.name != signature.relation) continue;
      const std::optional<Rewritten> other = relation.rewrite(module, inputs);
      return other && ShowsModule(*other->module, other->inputs, turn, signature);
    }
    return false;
  }

  void Write(const Module& module, absl::Span<const DeviceInputs> inputs, const Bytes& bytes,
             int64_t turn, const Examination& first, const ReduceLimits& limits,
             FindingGroup* group) {
    const ReducedModule reduced = ReduceModule(
        module, inputs,
        [&](const Module& candidate, absl::Span<const DeviceInputs> values) {
          return ShowsModule(candidate, values, turn, first.signature);
        },
        limits);
    group->instructions = reduced.module->entry()->instruction_count();
    if (options_.folder.empty()) return;
    Examination last = NeedsEveryOracle(first.signature.kind)
                           ? examiner_.Examine(*reduced.module, reduced.inputs, turn)
                           : asker_.AskTarget(*reduced.module, reduced.inputs);
    last.signature = first.signature;
    if (last.detail.empty()) last.detail = first.detail;
    FindingFolder folder;
    folder.module = reduced.module.get();
    folder.inputs = reduced.inputs;
    folder.examination = &last;
    folder.target = options_.target_name;
    folder.profile = options_.profile_name;
    folder.bytes = absl::BytesToHexString(
        absl::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    folder.origin = absl::StrCat("seed ", options_.seed, ", program ", group->program);
    group->folder = absl::StrCat(options_.folder, "/", FolderName(first.signature));
    const absl::Status status = WriteFindingFolder(folder, group->folder);
    if (!status.ok()) group->folder = absl::StrCat("(", status.message(), ")");
  }

  const CampaignOptions& options_;
  const std::unique_ptr<Backend> target_;
  Examiner examiner_, asker_;
};

class Campaign {
 public:
  explicit Campaign(const CampaignOptions& options) : options_(options), result_(options.start) {
    next_ = result_.programs;
    if (!options_.has_new_features || result_.programs == 0) return;
    for (const Bytes& bytes : corpus_) {
      const FuzzProgram program = DecodeProgram(*options_.grammar, bytes);
      ForEachFeature(*program.module, [&](uint64_t feature) { features_.insert(feature); });
    }
  }

  absl::StatusOr<CampaignResult> Run() {
    std::vector<std::thread> threads;
    for (int64_t i = 1; i < options_.jobs; ++i) threads.emplace_back([this] { Work(); });
    Work();
    for (std::thread& thread : threads) thread.join();
    if (started_ == 0) return not_started_;
    result_.seconds = options_.start.seconds + Elapsed();
    result_.interrupted = options_.stop != nullptr && options_.stop->load();
    return std::move(result_);
  }

 private:
  double Elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  bool Ended() const {
    return ended_ || (options_.stop != nullptr && options_.stop->load()) ||
           (options_.seconds >= 0 && Elapsed() >= options_.seconds);
  }

  void Work() {
    std::unique_ptr<Backend> target;
    if (options_.make_target != nullptr) {
      absl::StatusOr<std::unique_ptr<Backend>> made = options_.make_target();
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!made.ok()) {
        if (not_started_.ok()) not_started_ = made.status();
        return;
      }
      target = *std::move(made);
    }
    ++started_;
    Worker worker(options_, std::move(target));
    const int64_t batch = std::max<int64_t>(options_.batch, 1);
    while (!Ended()) {
      std::vector<Task> tasks;
      for (int64_t k = 0; k < batch; ++k) {
        const int64_t index = next_++ * options_.shards + options_.shard;
        if (options_.programs >= 0 && index >= options_.programs) break;
        AddTask(index, &tasks);
      }
      if (tasks.empty()) return;
      RunTasks(worker, tasks);
    }
  }

  // A program on its way.
  struct Task {
    int64_t index = 0;
    Bytes bytes;
    FuzzProgram program;
    std::vector<DeviceInputs> inputs;
  };
  void AddTask(int64_t index, std::vector<Task>* tasks) {
    Task task;
    task.index = index;
    task.bytes = NextBytes(index);
    task.program = DecodeProgram(*options_.grammar, task.bytes);
    absl::StatusOr<std::vector<DeviceInputs>> inputs = MakeInputs(task.program);
    if (!inputs.ok()) return;
    task.inputs = *std::move(inputs);
    tasks->push_back(std::move(task));
  }

  // Several programs that may be joined are examined together, the others alone.
  void RunTasks(Worker& worker, const std::vector<Task>& tasks) {
    std::vector<const Task*> together;
    std::vector<ProgramToJoin> joined;
    for (const Task& task : tasks) {
      const ProgramToJoin program{task.program.module.get(), task.inputs};
      if (tasks.size() > 1 && MayBeJoined(program)) {
        together.push_back(&task);
        joined.push_back(program);
      } else {
        Take(worker, task, worker.Examine(task.program, task.inputs, task.index));
      }
    }
    if (together.empty()) return;
    const std::vector<Examination> found = worker.ExamineJoined(joined, together.front()->index);
    for (size_t k = 0; k < together.size(); ++k) Take(worker, *together[k], found[k]);
  }

  // Counts what was found; the first of a signature is reduced and reported.
  void Take(Worker& worker, const Task& task, const Examination& found) {
    bool is_new = false;
    FindingGroup group;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ++result_.programs;
      is_new = Count(task.program, task.index, found, &group);
      CountFeatures(*task.program.module, task.bytes, task.index);
      if (options_.progress) options_.progress(result_);
    }
    // What is wrong beside other programs alone shows nothing by itself.
    if (is_new && found.signature.relation != "joined") {
      worker.Reduce(task.bytes, task.index, found, &group);
    }
    if (is_new) Report(group);
    if (options_.illegal && task.index % kLegalPrograms == kLegalPrograms - 1) {
      RunIllegal(worker, task);
    }
  }

  // In turn a near miss and the program with a change that makes it illegal.
  std::optional<IllegalProgram> NextIllegal(const Task& task) const {
    const int64_t turn = task.index / kLegalPrograms;
    if (turn % 2 == 0) return NearMissProgram(turn / 2 % NearMissCount());
    return BreakProgram(*task.program.module, task.inputs,
                        options_.seed * 0x9E3779B97F4A7C15 + static_cast<uint64_t>(task.index));
  }

  void RunIllegal(Worker& worker, const Task& task) {
    const std::optional<IllegalProgram> illegal = NextIllegal(task);
    if (!illegal) return;
    const Examination found = worker.ExamineIllegal(*illegal);
    bool is_new = false;
    FindingGroup group;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      result_.illegal += found.outcome == Outcome::kUnsupported ? 0 : 1;
      if (found.outcome == Outcome::kFinding) is_new = CountGroup(task.index, found, &group);
    }
    if (!is_new) return;
    group.instructions = illegal->module->entry()->instruction_count();
    if (!options_.folder.empty()) {
      group.folder = absl::StrCat(options_.folder, "/", FolderName(group.signature));
      const absl::Status status =
          WriteFileAtomically(absl::StrCat(group.folder, "/module.hlo"),
                              PrintModule(*illegal->module, PrintOptions::Complete()));
      if (!status.ok()) group.folder = absl::StrCat("(", status.message(), ")");
    }
    Report(group);
  }

  void Report(const FindingGroup& group) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (FindingGroup& own : result_.groups) {
      if (!(own.signature == group.signature)) continue;
      own.instructions = group.instructions;
      own.folder = group.folder;
      if (options_.found) options_.found(result_, own);
    }
    const auto groups = static_cast<int64_t>(result_.groups.size());
    if (options_.most_findings >= 0 && groups >= options_.most_findings) ended_ = true;
  }

  Bytes NextBytes(int64_t index) {
    if (!options_.has_new_features) {
      return ProgramBytes(options_.seed, index, options_.corpus, options_.most_records);
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    return ProgramBytes(options_.seed, index, corpus_, options_.most_records);
  }

  // Programs with new features join the corpus.
  void CountFeatures(const Module& module, const Bytes& bytes, int64_t index) {
    if (!options_.has_new_features) return;
    const size_t before = features_.size();
    ForEachFeature(module, [&](uint64_t feature) { features_.insert(feature); });
    result_.features = static_cast<int64_t>(features_.size());
    const bool is_known = index < static_cast<int64_t>(options_.corpus.size());
    if (features_.size() == before || is_known) return;
    corpus_.push_back(bytes);
    options_.has_new_features(bytes);
  }

  // Returns true for the first finding of its signature.
  bool Count(const FuzzProgram& program, int64_t index, const Examination& found,
             FindingGroup* group) {
    ++result_.counts[static_cast<size_t>(found.outcome)];
    result_.seconds = options_.start.seconds + Elapsed();
    for (const auto& computation : program.module->computations()) {
      result_.instructions += computation->instruction_count();
      for (const auto& each : computation->instructions()) {
        ++result_.operations[std::string(each->info().name)];
      }
    }
    if (found.outcome == Outcome::kUnsupported) {
      ++result_.not_supported[WithoutNumbers(found.detail)];
    }
    if (!found.relation.empty()) {
      RelationCount& count = result_.relations[std::string(found.relation)];
      ++count.asked;
      count.broken += found.signature.relation == found.relation ? 1 : 0;
    }
    return found.outcome == Outcome::kFinding && CountGroup(index, found, group);
  }

  bool CountGroup(int64_t index, const Examination& found, FindingGroup* group) {
    for (FindingGroup& own : result_.groups) {
      if (!(own.signature == found.signature)) continue;
      ++own.count;
      return false;
    }
    group->signature = found.signature;
    group->detail = found.detail;
    group->program = index;
    group->count = 1;
    group->seconds = result_.seconds;
    result_.groups.push_back(*group);
    return true;
  }

  const CampaignOptions& options_;
  std::vector<Bytes> corpus_ = options_.corpus;
  absl::flat_hash_set<uint64_t> features_;
  CampaignResult result_;
  const Clock::time_point start_ = Clock::now();
  std::atomic<int64_t> next_{0};
  std::atomic<int64_t> started_{0};
  std::atomic<bool> ended_{false};
  std::mutex mutex_;
  absl::Status not_started_;
};

}  // namespace

absl::StatusOr<CampaignResult> RunCampaign(const CampaignOptions& options) {
  return Campaign(options).Run();
}

}  // namespace assay::fuzz
