// `assay fuzz`: random programs against a target. docs/fuzzing.md is the user's page. Test:
// fuzz_cli_test.py.
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "conformance/corpus/corpus_case.h"
#include "conformance/judge/verdict_text.h"
#include "conformance/runner/shard.h"
#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/coverage.h"
#include "fuzz/campaign/judgeability.h"
#include "fuzz/campaign/report.h"
#include "fuzz/differential/illegal.h"
#include "fuzz/programs/decoder.h"
#include "runtime/parallel.h"
#include "spec/files/file_io.h"
#include "tools/cli/commands.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/fuzz_files.h"
#include "tools/cli/fuzz_vocabulary.h"
#include "tools/cli/help.h"
#include "tools/cli/options.h"
#include "tools/cli/profile_option.h"
#include "tools/cli/report.h"
#include "tools/cli/terminal.h"

namespace assay::cli {
namespace {

std::atomic<bool> fuzzing_stops = false;

extern "C" void StopFuzzing(int number) {
  if (fuzzing_stops.exchange(true)) {
    std::signal(number, SIG_DFL);
    std::raise(number);
  }
}

struct FuzzCommand {
  std::string target = "golden";
  std::string profile;  // that --profile names, or the rule for the target
  ProfileOption profile_option;
  std::vector<std::string> operations, types, reports;
  std::optional<double> seconds;  // not given: see TimeLimit
  int64_t programs = -1;
  uint64_t seed = 1;
  std::string corpus, out;
  std::vector<std::string> merged, seed_paths;
  std::string shard, coverage, judgeable;
  int64_t batch = 1;
  int64_t jobs = 0;
  int64_t records = 12;
  int64_t most_findings = -1;
  double timeout = 20;
  TargetMemory memory;
  bool resume = false, no_collectives = false, no_effects = false, no_reduction = false;
  bool isolate = false, illegal = false;
  OutputOptions output;

  int Run();

 private:
  absl::Status Check();
  // Adds a program to the corpus folder. What the disk refuses is said once.
  void Keep(const fuzz::Bytes& bytes);
  int Merge(const fuzz::Grammar& grammar);
  // Counts what so many programs have, without running them.
  int Cover(const fuzz::Grammar& grammar) const;
  // Writes the table of how many elements of results the profile judges. No target is asked.
  int MeasureJudging(const fuzz::Grammar& grammar, const conformance::TargetProfile& judged) const;
  void SayOnce(const absl::Status& status);
  // The command that runs the target; `target` itself unless it is to be isolated.
  std::string TargetName() const;
  absl::StatusOr<std::unique_ptr<Backend>> MakeTarget() const;
  // What programs consist of: what the options name, else what the target has.
  absl::Status ChooseVocabulary(fuzz::GrammarOptions* grammar) const;
  absl::StatusOr<fuzz::Grammar> MakeGrammar();
  // What a campaign does, without what it reports and where it goes on.
  fuzz::CampaignOptions OptionsOfCampaign(const fuzz::Grammar& grammar,
                                          const conformance::TargetProfile& judged) const;
  // The result in the file of --report json=FILE, if the campaign goes on from there.
  absl::StatusOr<std::optional<fuzz::CampaignResult>> ResultBefore() const;
  absl::Status WriteReports(const fuzz::CampaignResult& result) const;
  void Print(const fuzz::CampaignResult& result) const;
  // The seconds that the run may take. A number of programs is not cut short by the usual time.
  double TimeLimit() const;
  fuzz::CampaignIdentity Identity() const {
    return {target,
            profile,
            absl::StrJoin(operations, ","),
            absl::StrJoin(types, ","),
            seed,
            seeds_hash_,
            place_.count > 1 ? absl::StrCat(place_.index, "/", place_.count) : ""};
  }
  int64_t Workers() const { return jobs > 0 ? jobs : runtime::WorkerPool::DefaultThreads(); }

  std::string json_, html_;
  std::string seeds_hash_;
  conformance::Shard place_;
  bool said_ = false;  // that the disk refuses something
};

absl::Status FuzzCommand::Check() {
  const absl::StatusOr<conformance::Shard> place =
      conformance::FindShard(shard, conformance::ProcessEnvironment);
  if (!place.ok()) return place.status();
  if (!shard.empty()) place_ = *place;
  for (const std::string& each : reports) {
    // The same command on every rank: without the number they would all write one file.
    if (shard == "auto" && place_.count > 1 && !absl::StrContains(each, "%r")) {
      return absl::InvalidArgumentError(
          absl::StrCat("--shard auto: each of ", place_.count, " shards would write ", each,
                       "; %r in its name stands for the number of the shard"));
    }
    const std::string named = absl::StrReplaceAll(each, {{"%r", absl::StrCat(place_.index)}});
    absl::string_view path = named;
    if (absl::ConsumePrefix(&path, "json=") && !path.empty()) {
      json_ = std::string(path);
    } else if (absl::ConsumePrefix(&path, "html=") && !path.empty()) {
      html_ = std::string(path);
    } else {
      return absl::InvalidArgumentError(
          absl::StrCat("--report is json=FILE or html=FILE, not '", each, "'"));
    }
    if (absl::Status status = CheckWritable(std::string(path)); !status.ok()) return status;
  }
  for (const std::string& folder : {out, corpus}) {
    std::error_code ignored;
    if (std::filesystem::exists(folder, ignored) &&
        !std::filesystem::is_directory(folder, ignored)) {
      return absl::InvalidArgumentError(
          absl::StrCat(folder, ": is a file; --out and --corpus name folders"));
    }
  }
  if (resume && json_.empty()) {
    return absl::InvalidArgumentError("--resume goes on from the file of --report json=FILE");
  }
  return absl::OkStatus();
}

void FuzzCommand::SayOnce(const absl::Status& status) {
  if (status.ok() || std::exchange(said_, true)) return;
  std::cerr << "assay: " << Printable(status.message())
            << "; the run goes on, and says no more of what cannot be written\n";
}

void FuzzCommand::Keep(const fuzz::Bytes& bytes) {
  const std::string text(bytes.begin(), bytes.end());
  SayOnce(WriteFileAtomically(absl::StrCat(corpus, "/", conformance::HashOf(text)), text));
}

int FuzzCommand::Merge(const fuzz::Grammar& grammar) {
  std::vector<fuzz::Bytes> programs;
  absl::Status status = ReadFuzzCorpus(corpus, &programs);
  const size_t own = programs.size();
  for (const std::string& folder : merged) status.Update(ReadFuzzCorpus(folder, &programs));
  if (corpus.empty()) status = absl::InvalidArgumentError("--merge adds to --corpus DIR");
  if (!status.ok()) return Fail(status, output);
  const std::vector<fuzz::Bytes> kept = fuzz::WithNewFeatures(grammar, programs);
  const std::set<fuzz::Bytes> before(programs.begin(), programs.begin() + own);
  int64_t added = 0;
  for (const fuzz::Bytes& each : kept) {
    if (before.contains(each)) continue;
    Keep(each);
    ++added;
  }
  if (said_) return kExitBadInput;
  std::cout << "added " << added << " of " << programs.size() - own << " programs to "
            << Printable(corpus) << ", which had " << own << "\n";
  return kExitOk;
}

int FuzzCommand::Cover(const fuzz::Grammar& grammar) const {
  constexpr int64_t kUsualPrograms = 100'000;
  fuzz::Coverage found;
  std::vector<fuzz::Bytes> known;
  if (absl::Status status = ReadFuzzCorpus(corpus, &known); !status.ok()) {
    return Fail(status, output);
  }
  const int64_t count = programs >= 0 ? programs : kUsualPrograms;
  int64_t refused = 0;
  std::string refusal;
  Progress progress(!output.quiet);
  for (int64_t i = place_.index; i < count && !fuzzing_stops; i += place_.count) {
    const fuzz::Bytes bytes = fuzz::ProgramBytes(seed, i, known, records);
    const fuzz::FuzzProgram program = fuzz::DecodeProgram(grammar, bytes);
    found.Add(*program.module);
    if (program.refused > 0 && refused++ == 0) {
      refusal = absl::StrCat("program ", i, ": ", program.refusal);
    }
    if (illegal) {
      const auto broken = fuzz::BreakProgram(*program.module, {}, static_cast<uint64_t>(i));
      if (broken) found.AddIllegal(broken->clause, /*is_near_miss=*/false);
    }
    if (i % 1000 == 0) progress.Show(absl::StrCat(i, " of ", count, " programs"));
  }
  for (int64_t k = 0; illegal && k < fuzz::NearMissCount(); ++k) {
    const auto broken = fuzz::NearMissProgram(k);
    if (broken) found.AddIllegal(broken->clause, /*is_near_miss=*/true);
  }
  progress.Clear();
  if (absl::Status status = WriteFileAtomically(coverage, found.Markdown()); !status.ok()) {
    return Fail(status, output);
  }
  std::cout << found.programs() << " programs: " << found.EmptyTypes().size()
            << " legal pairs of operation and type, " << found.EmptyAttributes().size()
            << " attributes and " << found.EmptyPairs().size()
            << " pairs of operations are in none; the table is in " << Printable(coverage) << "\n";
  if (refused > 0) {
    return Fail(absl::InternalError(absl::StrCat(
                    "the generator wrote instructions that the shape rules reject in ", refused,
                    " programs, which is a mistake of Assay; the first is ", refusal)),
                output);
  }
  return kExitOk;
}

int FuzzCommand::MeasureJudging(const fuzz::Grammar& grammar,
                                const conformance::TargetProfile& judged) const {
  constexpr int64_t kUsualPrograms = 10'000;
  RunBudget budget;
  budget.seconds = timeout;
  budget.threads = 1;
  budget.bytes = int64_t{1} << 30;
  fuzz::Judgeability measured(judged, budget);
  const int64_t count = programs >= 0 ? programs : kUsualPrograms;
  Progress progress(!output.quiet);
  for (int64_t i = place_.index; i < count && !fuzzing_stops; i += place_.count) {
    measured.Add(fuzz::DecodeProgram(grammar, fuzz::ProgramBytes(seed, i, {}, records)), i);
    if (i % 100 == 0) progress.Show(absl::StrCat(i, " of ", count, " programs"));
  }
  progress.Clear();
  if (absl::Status status = WriteFileAtomically(judgeable, measured.Markdown()); !status.ok()) {
    return Fail(status, output);
  }
  const fuzz::Judgeability::Count total = measured.total();
  std::cout << absl::StrFormat(
      "%d arrays, %d elements: %.2f%% of the elements, and in the mean %.2f%% of an array, are not "
      "judged; the table is in %s\n",
      total.arrays, total.elements,
      100.0 * static_cast<double>(total.inconclusive + total.admitted) /
          static_cast<double>(total.elements),
      100.0 * total.Mean(), Printable(judgeable));
  return total.elements > 0 ? kExitOk : kExitMismatch;
}

std::string FuzzCommand::TargetName() const {
  std::error_code error;
  const std::string self = std::filesystem::read_symlink("/proc/self/exe", error).string();
  if (!isolate || error) return target;
  return absl::StrCat("process:'", self, "' serve --threads 1 --target '", target, "'");
}

absl::Status FuzzCommand::WriteReports(const fuzz::CampaignResult& result) const {
  absl::Status status;
  if (!json_.empty()) {
    status.Update(WriteFileAtomically(json_, JsonText(fuzz::CampaignJson(Identity(), result), 1)));
  }
  if (!html_.empty()) {
    status.Update(WriteFileAtomically(html_, fuzz::CampaignHtml(Identity(), result)));
  }
  return status;
}

void PrintGroup(const fuzz::FindingGroup& group) {
  std::cout << Coloured(Colour::kRed, Printable(group.signature.Text())) << " (" << group.count
            << (group.count == 1 ? " program" : " programs") << ", first " << group.program;
  if (group.instructions > 0) {
    std::cout << ", reduced to " << conformance::Counted(group.instructions, "instruction");
  }
  std::cout << ")\n  " << Printable(group.detail) << "\n";
  if (!group.folder.empty()) std::cout << "  " << group.folder << "\n";
}

// "51 agree", "9 findings", "3 not supported".
std::string CountInWords(int64_t count, fuzz::Outcome outcome) {
  if (outcome == fuzz::Outcome::kAgrees && count != 1) return absl::StrCat(count, " agree");
  if (outcome == fuzz::Outcome::kFinding) return conformance::Counted(count, "finding");
  return absl::StrCat(count, " ", fuzz::OutcomeName(outcome));
}

void FuzzCommand::Print(const fuzz::CampaignResult& result) const {
  if (output.json) {
    std::cout << JsonText(fuzz::CampaignJson(Identity(), result));
    return;
  }
  if (!output.quiet) {
    for (const fuzz::FindingGroup& group : result.groups) PrintGroup(group);
  }
  std::cout << absl::StrFormat("%d %s, %d instructions, %.1f seconds", result.programs,
                               result.programs == 1 ? "program" : "programs", result.instructions,
                               result.seconds);
  const char* before = ": ";
  for (int k = 0; k < fuzz::kOutcomes; ++k) {
    if (result.counts[k] == 0) continue;
    std::cout << std::exchange(before, ", ")
              << CountInWords(result.counts[k], static_cast<fuzz::Outcome>(k));
  }
  if (result.illegal > 0) std::cout << "; " << result.illegal << " illegal programs";
  std::cout << "; " << result.groups.size()
            << (result.groups.size() == 1 ? " signature\n" : " signatures\n");
  // --max-findings ends a run, too.
  const bool is_over = seconds && result.seconds >= *seconds;
  if (place_.count == 1 && result.programs < programs && !fuzzing_stops && is_over) {
    std::cout << "The " << absl::StrCat(*seconds)
              << " s of --seconds ended the run: " << conformance::WithCommas(result.programs)
              << " of " << conformance::Counted(programs, "program") << " ran.\n";
  }
  std::cout << Printable(fuzz::ClosingSentence(result)) << "\n";
}

double FuzzCommand::TimeLimit() const {
  constexpr double kUsualSeconds = 60, kNone = -1;
  return seconds.value_or(programs >= 0 ? kNone : kUsualSeconds);
}

absl::StatusOr<std::unique_ptr<Backend>> FuzzCommand::MakeTarget() const {
  BackendOptions backend;
  backend.budget.seconds = timeout;
  backend.budget.threads = 1;
  backend.memory_bytes = memory.Limit(Workers());
  return MakeBackend(TargetName(), backend);
}

absl::Status FuzzCommand::ChooseVocabulary(fuzz::GrammarOptions* grammar) const {
  grammar->operations = operations;
  grammar->types = types;
  if (!merged.empty()) return absl::OkStatus();
  const absl::StatusOr<std::unique_ptr<Backend>> asked = MakeTarget();
  if (!asked.ok()) return asked.status();
  const absl::StatusOr<FuzzVocabulary> own = VocabularyOf(**asked);
  if (!own.ok()) return own.status();  // it does not start
  if (operations.empty()) grammar->operations = own->operations;
  if (types.empty()) grammar->types = own->types;
  if (own->one_device) grammar->collectives = false;
  if (!output.json && !output.quiet && operations.empty() && !own->operations.empty()) {
    std::cout << "programs of the " << own->operations.size()
              << " operations that the target lists (--ops names others)\n";
  }
  return absl::OkStatus();
}

absl::StatusOr<fuzz::Grammar> FuzzCommand::MakeGrammar() {
  fuzz::GrammarOptions options;
  options.collectives = !no_collectives;
  options.effects = !no_effects;
  if (absl::Status status = ChooseVocabulary(&options); !status.ok()) return status;
  if (!seed_paths.empty()) {
    const auto seeds = ReadSeedModules(seed_paths);
    if (!seeds.ok()) return seeds.status();
    options.seeds = *seeds;
    seeds_hash_ = (*seeds)->hash();
  }
  return fuzz::Grammar::Create(options);
}

fuzz::CampaignOptions FuzzCommand::OptionsOfCampaign(
    const fuzz::Grammar& grammar, const conformance::TargetProfile& judged) const {
  fuzz::CampaignOptions options;
  options.grammar = &grammar;
  options.profile = &judged;
  options.make_target = [this] { return MakeTarget(); };
  options.examiner.budget.seconds = timeout;
  options.examiner.budget.threads = 1;
  options.examiner.budget.bytes = int64_t{1} << 30;
  if (no_reduction) options.reduce.questions = 0;
  options.target_name = target;
  options.profile_name = profile;
  options.seed = seed;
  options.programs = programs;
  options.seconds = TimeLimit();
  options.jobs = Workers();
  options.batch = batch;
  options.illegal = illegal;
  options.shard = place_.index;
  options.shards = place_.count;
  options.most_records = records;
  options.most_findings = most_findings;
  options.folder = out;
  options.stop = &fuzzing_stops;
  return options;
}

absl::StatusOr<std::optional<fuzz::CampaignResult>> FuzzCommand::ResultBefore() const {
  std::error_code error;
  if (!resume || !std::filesystem::exists(json_, error)) return std::nullopt;
  const absl::StatusOr<std::string> text = ReadFile(json_);
  if (!text.ok()) return text.status();
  absl::StatusOr<fuzz::CampaignResult> before = fuzz::ParseCampaign(*text, json_, Identity());
  if (!before.ok()) return before.status();
  return *std::move(before);
}

int FuzzCommand::Run() {
  if (absl::Status status = Check(); !status.ok()) return Fail(status, output);
  profile = profile_option.For(target);
  const absl::StatusOr<conformance::TargetProfile> target_profile =
      conformance::TargetProfile::Find(profile);
  if (!target_profile.ok()) return Fail(target_profile.status(), output);
  const absl::StatusOr<fuzz::Grammar> grammar = MakeGrammar();
  if (!grammar.ok()) return Fail(grammar.status(), output);
  if (!coverage.empty()) return Cover(*grammar);
  if (!judgeable.empty()) return MeasureJudging(*grammar, *target_profile);
  std::error_code error;
  if (!corpus.empty() && !std::filesystem::exists(corpus, error)) {
    std::filesystem::create_directories(corpus, error);
  }
  if (error) {
    return Fail(absl::InvalidArgumentError(absl::StrCat(corpus, ": ", error.message())), output);
  }
  if (!merged.empty()) return Merge(*grammar);
  fuzz::CampaignOptions options = OptionsOfCampaign(*grammar, *target_profile);
  if (absl::Status status = ReadFuzzCorpus(corpus, &options.corpus); !status.ok()) {
    return Fail(status, output);
  }
  if (!corpus.empty()) {
    options.has_new_features = [this](const fuzz::Bytes& bytes) { Keep(bytes); };
  }
  absl::StatusOr<std::optional<fuzz::CampaignResult>> before = ResultBefore();
  if (!before.ok()) return Fail(before.status(), output);
  if (before->has_value()) options.start = **std::move(before);
  for (const int number : {SIGINT, SIGTERM}) std::signal(number, StopFuzzing);
  Progress progress(!output.json && !output.quiet);
  auto saved = std::chrono::steady_clock::now();
  options.progress = [&](const fuzz::CampaignResult& result) {
    const auto now = std::chrono::steady_clock::now();
    if (now - saved < std::chrono::seconds(1)) return;
    saved = now;
    progress.Show(absl::StrFormat("%d programs, %.0f a second, %d signatures", result.programs,
                                  result.programs / std::max(result.seconds, 0.001),
                                  result.groups.size()));
    SayOnce(WriteReports(result));
  };
  options.found = [&](const fuzz::CampaignResult& result, const fuzz::FindingGroup& group) {
    progress.Clear();
    if (!output.json && !output.quiet) {
      std::cerr << "assay: program " << group.program << ": " << Printable(group.signature.Text())
                << "\n";
    }
    SayOnce(WriteReports(result));
  };
  const absl::StatusOr<fuzz::CampaignResult> result = fuzz::RunCampaign(options);
  progress.Clear();
  if (!result.ok()) return Fail(result.status(), output);
  const absl::Status written = WriteReports(*result);
  Print(*result);
  if (!written.ok()) return Fail(written, output);
  return result->groups.empty() && fuzz::HasJudged(*result) ? kExitOk : kExitMismatch;
}

// Which programs are asked.
void AddProgramOptions(CLI::App* sub, FuzzCommand* command) {
  sub->add_option(
         "--ops", command->operations,
         "Operations of the programs, with commas between (default: all; of a target that lists "
         "less than half of them, its own)")
      ->delimiter(',')
      ->type_name("A,B");
  sub->add_option(
         "--types", command->types,
         "Element types that programs choose from; conversions, comparisons, indices and sums "
         "may give others")
      ->delimiter(',')
      ->type_name("A,B");
  sub->add_option("--seconds", command->seconds,
                  "How long to ask programs, after which a reduction that has begun may take two "
                  "minutes; -1: no limit (default: 60, and no limit with --programs)")
      ->transform(BudgetSeconds())
      ->type_name("S");
  sub->add_option("--programs", command->programs, "How many programs to run; -1: no limit")
      ->transform(BudgetCount())
      ->type_name("N");
  sub->add_option("--seed", command->seed, "Other seeds give other programs")
      ->type_name("N")
      ->capture_default_str();
  sub->add_option("--records", command->records, "Records of a program, at most")
      ->check(PositiveCount())
      ->type_name("N")
      ->capture_default_str();
  sub->add_option(
         "--corpus", command->corpus,
         "A folder of programs to begin with and to change, made if there is none; gets "
         "those that have an operation of a type, an attribute or a pair of operations that "
         "no other has")
      ->type_name("DIR");
  sub->add_option("--seeds", command->seed_paths,
                  "Modules (HLO text, protobufs, StableHLO) or folders of them: programs get parts "
                  "of these, changed and joined with others")
      ->type_name("DIR");
  sub->add_option("--shard", command->shard,
                  "I/N: every Nth program from number I on; auto: the place that Open MPI, PMI, "
                  "Slurm or GoogleTest gave this process")
      ->type_name("I/N");
  sub->add_option("--batch", command->batch,
                  "Programs that the target is asked for in one module, for targets that take long "
                  "to compile; what fails is asked alone")
      ->check(PositiveCount())
      ->type_name("N")
      ->capture_default_str();
  sub->add_flag(
      "--illegal", command->illegal,
      "Also asks for illegal programs, which must be refused: near misses of every clause "
      "and changed programs");
  sub->add_option("--coverage", command->coverage,
                  "Runs nothing: counts what --programs (100,000) have and writes the tables")
      ->type_name("FILE.md");
  sub->add_option(
         "--judgeable", command->judgeable,
         "Asks no target: measures of --programs (10,000), by operation, how many elements "
         "of results --profile judges, and writes the table")
      ->type_name("FILE.md");
  sub->add_option("--merge", command->merged,
                  "Adds to --corpus those programs of these folders that have something new, and "
                  "ends")
      ->type_name("DIR");
}

// How the target is asked, and what becomes of findings.
void AddCampaignOptions(CLI::App* sub, FuzzCommand* command) {
  sub->add_option("--out", command->out, "Writes a folder for each signature, as it is found")
      ->type_name("DIR");
  sub->add_option("--jobs,-j", command->jobs,
                  "Programs that run at once, each on a target of its own (default: one for each "
                  "processor, 16 at most)")
      ->check(PositiveCount())
      ->type_name("N");
  sub->add_option("--timeout", command->timeout,
                  "Seconds that the target, or the reference interpreter, may take for a program")
      ->transform(BudgetSeconds())
      ->type_name("S")
      ->capture_default_str();
  sub->add_option("--max-findings", command->most_findings, "Ends after so many signatures")
      ->check(PositiveCount())
      ->type_name("N");
  sub->add_option("--report", command->reports, "Files to write as findings come: html=F,json=F")
      ->type_name("FILES")
      ->delimiter(',');
  sub->add_flag("--resume", command->resume, "Goes on from the file of --report json=FILE");
  sub->add_flag("--no-collectives", command->no_collectives, "No program on several devices");
  sub->add_flag("--no-effects", command->no_effects,
                "No feeds, transfers, random numbers and custom calls");
  sub->add_flag("--isolate", command->isolate,
                "Runs a mutant in a process of its own, so that its crashes are findings");
  sub->add_flag("--no-reduction", command->no_reduction, "Findings stay as large as they came");
}

}  // namespace

void AddFuzzCommand(CLI::App& app, int* exit_code) {
  auto command = std::make_shared<FuzzCommand>();
  CLI::App* sub = app.add_subcommand(
      "fuzz",
      "Random valid programs on a target, judged by its profile; what is wrong is grouped by its "
      "signature and reduced (docs/fuzzing.md)");
  sub->add_option("--target", command->target, BackendHelp())
      ->type_name("TARGET")
      ->capture_default_str();
  command->profile_option.AddTo(sub);
  AddProgramOptions(sub, command.get());
  AddCampaignOptions(sub, command.get());
  command->memory.AddTo(sub);
  command->output.AddTo(sub);
  sub->callback([command, exit_code] { *exit_code = command->Run(); });
}

}  // namespace assay::cli
