#include "conformance/corpus/fixed_inputs.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace assay::conformance {

absl::Status ReadFixedInput(absl::string_view line, FixedInputs* inputs) {
  const std::vector<std::string> words = absl::StrSplit(line, ' ', absl::SkipWhitespace());
  int64_t number = 0;
  const bool named = words.size() >= 3 && words[1] == "=" &&
                     absl::SimpleAtoi(absl::StripPrefix(words[0], "arg"), &number);
  if (named && words[2] == "literal") {
    inputs->literals[number] = absl::StrJoin(words.begin() + 3, words.end(), " ");
    return absl::OkStatus();
  }
  const auto profile = named ? ValueProfileFromName(words[2]) : std::nullopt;
  if (!profile)
    return absl::InvalidArgumentError("an input is written 'arg1 = PROFILE NAME=N ...'");
  ProfileUse use;
  use.profile = *profile;
  for (size_t i = 3; i < words.size(); ++i) {
    const std::pair<std::string, std::string> pair =
        absl::StrSplit(words[i], absl::MaxSplits('=', 1));
    const std::vector<absl::string_view> known = absl::StrSplit(Info(*profile).parameters, ' ');
    if (std::find(known.begin(), known.end(), pair.first) == known.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", words[i], "': parameters are ", Info(*profile).parameters));
    }
    if (absl::Status set = SetParameter(pair.first, pair.second, &use); !set.ok()) return set;
  }
  inputs->uses[number] = use;
  return absl::OkStatus();
}

}  // namespace assay::conformance
