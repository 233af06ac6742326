#include "conformance/corpus/selection.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "conformance/corpus/work.h"
#include "spec/nearest_name.h"
#include "spec/text/parser.h"
#include "spec/verify/verifier.h"

namespace assay::conformance {
namespace {

constexpr int kSliceBits = 20;  // of a sweep

// Saturates.
int64_t InputBytes(const CorpusCase& corpus_case) {
  double bytes = 0;
  for (const auto* arrays : {&corpus_case.inputs, &corpus_case.infeed}) {
    for (const CaseArray& input : *arrays) {
      const absl::StatusOr<int64_t> own = input.shape.ByteSize();
      const int64_t devices = input.device < 0 ? corpus_case.replicas * corpus_case.partitions : 1;
      bytes += own.ok() ? static_cast<double>(*own) * static_cast<double>(devices) : 0x1p62;
    }
  }
  return static_cast<int64_t>(std::min(bytes, 0x1p62));
}

// "no case matches add; add/* matches 331 cases": the beginning of the glob that there is, else the
// operation that is probably meant.
absl::Status NoCaseMatches(const std::string& glob, const std::vector<CorpusCase>& all) {
  const auto count = [&](const std::string& nearby) {
    return std::count_if(all.begin(), all.end(),
                         [&](const CorpusCase& each) { return GlobMatches(nearby, each.id); });
  };
  const auto refuse = [&](const std::string& hint) {
    return absl::InvalidArgumentError(absl::StrCat("no case matches ", glob, "; ", hint));
  };
  const std::string operation = glob.substr(0, glob.find('/'));
  std::vector<std::string> beginnings;
  for (std::string part = glob; !part.empty();) {
    beginnings.push_back(part);
    const size_t slash = part.rfind('/');
    part.resize(slash == std::string::npos ? 0 : slash);
  }
  beginnings.push_back(NearestOpcodeName(operation));
  for (const std::string& each : beginnings) {
    const std::string nearby = absl::StrCat(each, "/*");
    const auto found = each.empty() ? 0 : count(nearby);
    if (found > 0) {
      return refuse(
          absl::StrCat("'", nearby, "' matches ", found, found == 1 ? " case" : " cases"));
    }
  }
  return refuse("ids look like add/f32/example/sum, and `assay corpus list` prints them");
}

}  // namespace

absl::StatusOr<std::vector<CorpusCase>> SelectCases(std::vector<CorpusCase> all,
                                                    const CaseFilter& filter) {
  const std::vector<Tier> tiers = TiersOf(all);
  for (const std::string& glob : filter.globs) {
    const bool matches = std::any_of(
        all.begin(), all.end(), [&](const CorpusCase& each) { return GlobMatches(glob, each.id); });
    if (!matches) return NoCaseMatches(glob, all);
  }
  std::vector<bool> used_ops(filter.ops.size());
  std::vector<CorpusCase> chosen;
  for (size_t i = 0; i < all.size(); ++i) {
    const bool matches =
        filter.globs.empty() ||
        std::any_of(filter.globs.begin(), filter.globs.end(),
                    [&](const std::string& glob) { return GlobMatches(glob, all[i].id); });
    bool is_op = filter.ops.empty();
    for (size_t o = 0; o < filter.ops.size(); ++o) {
      if (filter.ops[o] == all[i].Tag("op")) used_ops[o] = is_op = true;
    }
    if (!matches || !is_op || tiers[i] > filter.tier) continue;
    if (filter.max_bytes && InputBytes(all[i]) > *filter.max_bytes) continue;
    if (filter.max_multiply_adds && WorkOf(all[i]) > *filter.max_multiply_adds) continue;
    chosen.push_back(std::move(all[i]));
  }
  for (size_t o = 0; o < used_ops.size(); ++o) {
    if (used_ops[o]) continue;
    return absl::InvalidArgumentError(absl::StrCat("no case is of operation ", filter.ops[o],
                                                   DidYouMean(NearestOpcodeName(filter.ops[o]))));
  }
  return chosen;
}

CaseGroups GroupsOf(const CaseFilter& filter) {
  if (!filter.ops.empty()) return std::set<std::string>(filter.ops.begin(), filter.ops.end());
  if (filter.globs.empty()) return std::nullopt;
  std::set<std::string> groups;
  for (const std::string& glob : filter.globs) {
    const size_t slash = glob.find('/');
    if (slash == std::string::npos || glob.find_first_of("*?") < slash) return std::nullopt;
    groups.insert(glob.substr(0, slash));
  }
  return groups;
}

absl::StatusOr<std::vector<CorpusCase>> SelectCorpusCases(const CaseFilter& filter) {
  const CaseGroups groups = GroupsOf(filter);
  absl::StatusOr<std::vector<CorpusCase>> cases = CorpusCases(groups);
  if (!cases.ok()) return cases;
  absl::StatusOr<std::vector<CorpusCase>> chosen = SelectCases(*std::move(cases), filter);
  if (chosen.ok() || !groups) return chosen;
  // What is wrong with the filter is said by what the whole corpus has.
  cases = CorpusCases();
  if (!cases.ok()) return cases;
  return SelectCases(*std::move(cases), filter);
}

absl::StatusOr<std::vector<CorpusCase>> SweepCases(const std::string& op) {
  const int64_t size = int64_t{1} << kSliceBits;
  CorpusCase slice;
  slice.module =
      absl::StrCat("ENTRY e {\n  x0 = f32[", size, "] parameter(0)\n  ROOT r = ", op, "(x0)\n}\n");
  const std::optional<Opcode> opcode = OpcodeFromName(op);
  const bool unary = opcode && Info(*opcode).elementwise() && Info(*opcode).arity == 1;
  const auto module = ParseModule(slice.module);
  if (!unary || !module.ok() || !VerificationStatus(VerifyModule(**module)).ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", op, "' is not an elementwise operation of one f32 operand and no attributes"));
  }
  slice.tags = {{"op", op}, {"type", "f32"}, {"profile", "all"}, {"form", "sweep"}};
  slice.where = "selection.cc";
  CaseArray input;
  input.shape = Shape(ElementType::kF32, {size});
  input.use.profile = ValueProfile::kAll;
  std::vector<CorpusCase> cases;
  for (uint64_t offset = 0; offset < uint64_t{1} << 32; offset += static_cast<uint64_t>(size)) {
    input.use.offset = offset;
    slice.id = absl::StrCat(op, "/f32/sweep/", absl::Hex(offset, absl::kZeroPad8));
    slice.inputs = {input};
    cases.push_back(slice);
  }
  return cases;
}

}  // namespace assay::conformance
