// What holds a module? Told from the content: the fields that are there and what they look like.
// Nothing is copied or parsed in full. Tests: module_file_test.cc.
#ifndef ASSAY_SPEC_PROTO_MODULE_FORMAT_H_
#define ASSAY_SPEC_PROTO_MODULE_FORMAT_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "spec/proto/module_file.h"

namespace assay {

// Binary protobufs. A truncated file is recognised where enough of it is there. nullopt for
// everything else.
std::optional<ModuleFormat> BinaryFormat(absl::string_view content);

// Text protobufs; nullopt for everything else, HLO text among it.
std::optional<ModuleFormat> TextProtoFormat(absl::string_view content);

// Whether the content can be text at all: no control characters but white space near its start.
bool LooksLikeText(absl::string_view content);

}  // namespace assay

#endif  // ASSAY_SPEC_PROTO_MODULE_FORMAT_H_
