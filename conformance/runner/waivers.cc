#include "conformance/runner/waivers.h"

#include <algorithm>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/time/civil_time.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "conformance/corpus/corpus.h"
#include "conformance/runner/waivers.pb.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/text_format.h"

namespace assay::conformance {
namespace {

using google::protobuf::TextFormat;

// Keeps the first error of a text, with its line and column counted from 1.
class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    if (text_.empty()) text_ = absl::StrCat(line + 1, ":", column + 1, ": ", message);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

absl::Status CheckWaiver(const Waiver& waiver) {
  const auto refuse = [&](absl::string_view what) {
    return absl::InvalidArgumentError(absl::StrCat(waiver.where, ": the waiver ", what));
  };
  if (waiver.glob.empty()) return refuse("has no glob");
  if (waiver.reason.empty()) return refuse("has no reason");
  if (waiver.link.empty()) return refuse("has no link");
  absl::CivilDay day;
  // A date must be written as it is printed, because dates are compared as text.
  if (!absl::ParseCivilTime(waiver.expires, &day) || absl::FormatCivilTime(day) != waiver.expires ||
      waiver.expires.size() != 10) {
    return refuse(
        absl::StrCat("expires on '", waiver.expires, "', which is not a date YYYY-MM-DD"));
  }
  return absl::OkStatus();
}

bool Waivable(Outcome outcome) { return IsFailure(outcome) || outcome == Outcome::kNotJudgeable; }

}  // namespace

absl::StatusOr<std::vector<Waiver>> ReadWaivers(absl::string_view text, const std::string& name) {
  WaiverFile file;
  TextFormat::Parser parser;
  TextFormat::ParseInfoTree places;
  FirstError error;
  parser.RecordErrorsTo(&error);
  parser.WriteLocationsTo(&places);
  if (!parser.ParseFromString(std::string(text), &file)) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ":", error.text(),
                     "\ndocs/conformance.md describes files of waivers, and --write-waivers FILE "
                     "writes one"));
  }
  const auto* field = WaiverFile::descriptor()->FindFieldByName("waivers");
  std::vector<Waiver> waivers;
  for (int i = 0; i < file.waivers_size(); ++i) {
    const WaiverText& each = file.waivers(i);
    waivers.push_back({each.glob(), each.reason(), each.link(), each.expires(),
                       absl::StrCat(name, ":", places.GetLocation(field, i).line + 1)});
    const absl::Status status = CheckWaiver(waivers.back());
    if (!status.ok()) return status;
  }
  return waivers;
}

const Waiver* FindWaiver(absl::Span<const Waiver> waivers, absl::string_view today,
                         const CaseResult& result) {
  if (!Waivable(result.outcome)) return nullptr;
  const auto found = std::find_if(waivers.begin(), waivers.end(), [&](const Waiver& waiver) {
    return waiver.expires >= today && GlobMatches(waiver.glob, result.id);
  });
  return found == waivers.end() ? nullptr : &*found;
}

std::vector<std::string> ApplyWaivers(absl::Span<const Waiver> waivers, absl::string_view today,
                                      absl::Span<const absl::string_view> ids,
                                      CaseResults* results) {
  for (size_t i = 0; i < results->size(); ++i) {
    const Waiver* waiver = FindWaiver(waivers, today, (*results)[i]);
    if (waiver == nullptr) continue;
    results->Change(i, [waiver](CaseResult& result) {
      result.waiver = absl::StrCat(waiver->reason, " (", waiver->link, ")");
    });
  }
  std::vector<std::string> complaints;
  for (const Waiver& waiver : waivers) {
    const std::string name = absl::StrCat(waiver.where, ": the waiver for ", waiver.glob);
    if (waiver.expires < today) {
      complaints.push_back(absl::StrCat(name, " expired on ", waiver.expires));
      continue;
    }
    int64_t passed = 0;
    std::string first;
    for (const CaseResult& result : *results) {
      if (!GlobMatches(waiver.glob, result.id)) continue;
      if (IsPass(result.outcome) && passed++ == 0) first = result.id;
    }
    if (passed > 0) {
      complaints.push_back(
          absl::StrCat(name, " is for failures, but ", first,
                       passed == 1 ? " passes" : absl::StrCat(" and ", passed - 1, " more pass")));
    }
    const bool matches = std::any_of(
        ids.begin(), ids.end(), [&](absl::string_view id) { return GlobMatches(waiver.glob, id); });
    if (!matches) complaints.push_back(absl::StrCat(name, " matches no case"));
  }
  return complaints;
}

std::string WaiversToFillIn(const CaseResults& results) {
  std::string text;
  for (const CaseResult& result : results) {
    if (!IsFailure(result.outcome) || result.waived()) continue;
    absl::StrAppend(&text, "# ", OutcomeName(result.outcome), "\nwaivers { glob: \"",
                    absl::CEscape(result.id), "\" reason: \"\" link: \"\" expires: \"\" }\n");
  }
  return text;
}

std::string Today() {
  return absl::FormatCivilTime(absl::ToCivilDay(absl::Now(), absl::UTCTimeZone()));
}

}  // namespace assay::conformance
