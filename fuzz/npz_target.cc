// Fuzz target of files of arrays: .npz, .npy, literals as text, told apart by content as the
// command line does. The arrays that are read are the same when they are written and read again.
// An input `@bf16`, end of line, and a .npy stands for a member whose name carries the type.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "fuzz/properties.h"
#include "spec/arrays/arrays.h"

namespace assay::fuzz {
namespace {

void RequireSameArrays(const std::vector<NamedLiteral>& arrays) {
  absl::StatusOr<std::string> written = FormatNpz(arrays);
  if (!written.ok()) return RequireRefusal(written.status());  // names that no archive holds
  absl::StatusOr<std::vector<NamedLiteral>> again = ParseArrays(*written, "again");
  RequireOk(again.status(), "what is written can be read");
  Require(again->size() == arrays.size(), "there are as many arrays as before");
  for (size_t i = 0; i < arrays.size(); ++i) {
    Require((*again)[i].name == arrays[i].name, "the names are the same",
            arrays[i].name + " became " + (*again)[i].name);
    Require(Literal::BitEqual((*again)[i].value, arrays[i].value), "the bits are the same",
            arrays[i].name);
  }
}

void RunOneInput(absl::string_view content) {
  const size_t end = content.find('\n');
  if (!content.empty() && content[0] == '@' && end != absl::string_view::npos) {
    absl::StatusOr<Literal> array =
        ParseNpy(content.substr(end + 1), content.substr(1, end - 1), "array", kFuzzLiteralBytes);
    if (!array.ok()) return RequireRefusal(array.status());
    return RequireSameArrays({{"arg0", *std::move(array)}});
  }
  absl::StatusOr<std::vector<NamedLiteral>> arrays =
      ParseArrays(std::string(content), "fuzz", kFuzzLiteralBytes);
  if (!arrays.ok()) return RequireRefusal(arrays.status());
  for (const NamedLiteral& array : *arrays) {
    if (!array.value.is_array()) return;  // tokens in a text: no file holds them
  }
  RequireSameArrays(*arrays);
}

}  // namespace
}  // namespace assay::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  assay::fuzz::RunOneInput(absl::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
