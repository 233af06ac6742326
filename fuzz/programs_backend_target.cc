// Fuzz target of programs on a backend of this tree, judged by its profile: `cpu`, or
// `cuda-emulated` where the executable's own name has "cuda" in it, so that one program serves
// both. It takes the seeds of programs_target.cc, and changes them in the same way.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "backends/factory/factory.h"
#include "fuzz/differential/examiner.h"
#include "fuzz/record_fuzzing.h"
#include "spec/text/printer.h"

namespace assay::fuzz {
namespace {

struct Subject {
  std::unique_ptr<Backend> target;
  std::unique_ptr<conformance::TargetProfile> profile;
  std::unique_ptr<Examiner> examiner;
};

Subject MakeSubject() {
  std::error_code error;
  const std::string self = std::filesystem::read_symlink("/proc/self/exe", error).filename();
  const bool is_cuda = !error && absl::StrContains(self, "cuda");
  BackendOptions backend;
  backend.budget.seconds = 20;
  backend.budget.threads = 1;
  absl::StatusOr<std::unique_ptr<Backend>> target =
      MakeBackend(BuiltInBackends(), is_cuda ? "cuda-emulated" : "cpu", backend);
  RequireOk(target.status(), "there is a backend");
  absl::StatusOr<conformance::TargetProfile> profile =
      conformance::TargetProfile::Find(is_cuda ? "cuda" : "cpu");
  RequireOk(profile.status(), "it has a profile");
  Subject subject;
  subject.target = *std::move(target);
  subject.profile = std::make_unique<conformance::TargetProfile>(*std::move(profile));
  ExaminerOptions options;
  options.budget.bytes = int64_t{1} << 28;
  options.budget.seconds = 20;
  options.budget.threads = 1;
  options.ways = false;  // programs_target.cc has them
  subject.examiner = std::make_unique<Examiner>(subject.target.get(), *subject.profile, options);
  return subject;
}

void RunOneInput(absl::Span<const uint8_t> bytes) {
  static const Subject* const subject = new Subject(MakeSubject());
  const FuzzProgram program = DecodeProgram(GrammarOfAll(), bytes);
  CountFeatures(*program.module);
  const absl::StatusOr<std::vector<DeviceInputs>> inputs = MakeInputs(program);
  RequireOk(inputs.status(), "a program has values");
  const Examination found =
      subject->examiner->Examine(*program.module, *inputs, static_cast<int64_t>(bytes.size()));
  Require(found.outcome != Outcome::kFinding, "the backend is within its profile",
          absl::StrCat(found.signature.Text(), ": ", found.detail, "\n",
                       PrintModule(*program.module, PrintOptions::Complete())));
}

}  // namespace
}  // namespace assay::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  assay::fuzz::RunOneInput({data, size});
  return 0;
}
