// What embedded_file_test.cc embeds.
#ifndef ASSAY_SPEC_FILES_EMBEDDED_FILE_TESTING_H_
#define ASSAY_SPEC_FILES_EMBEDDED_FILE_TESTING_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace assay {

struct EmbeddedFile {
  absl::string_view name;
  absl::string_view text;
};
absl::Span<const EmbeddedFile> TestingFiles();

}  // namespace assay

#endif  // ASSAY_SPEC_FILES_EMBEDDED_FILE_TESTING_H_
