#include "spec/ir/source_text.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace assay {
namespace {

struct Place {
  absl::string_view file;
  int32_t line = 0;
};

template <typename T>
const T* Entry(const std::vector<T>& list, int32_t id) {  // ids count from 1
  return id < 1 || id > static_cast<int64_t>(list.size()) ? nullptr : &list[id - 1];
}

Place PlaceOf(const Instruction& instruction, const Metadata& metadata) {
  if (!metadata.source_file.empty()) return {metadata.source_file, metadata.source_line};
  const Computation* computation = instruction.parent();
  if (computation == nullptr || computation->parent() == nullptr) return {};
  const StackFrames& frames = computation->parent()->stack_frames;
  const StackFrames::Frame* frame = Entry(frames.frames, metadata.stack_frame_id);
  if (frame == nullptr) return {};
  const StackFrames::FileLocation* location = Entry(frames.file_locations, frame->file_location_id);
  if (location == nullptr) return {};
  const std::string* file = Entry(frames.file_names, location->file_name_id);
  return file == nullptr ? Place{} : Place{*file, location->line};
}

constexpr int kMostCalls = 16;  // inside each other

// The place of the only call of a computation, or of its own only call. JAX says no place in a
// function that it keeps for several callers, such as jnp.cumsum.
Place PlaceOfCall(const Computation& called, int depth = 0) {
  const Instruction* call = nullptr;
  if (called.parent() == nullptr || depth == kMostCalls) return {};
  for (const auto& computation : called.parent()->computations()) {
    for (const auto& instruction : computation->instructions()) {
      const auto callees = instruction->called_computations();
      if (std::find(callees.begin(), callees.end(), &called) == callees.end()) continue;
      if (call != nullptr) return {};
      call = instruction.get();
    }
  }
  if (call == nullptr) return {};
  const auto& metadata = call->annotations().metadata;
  const Place place = metadata ? PlaceOf(*call, *metadata) : Place{};
  return place.file.empty() ? PlaceOfCall(*call->parent(), depth + 1) : place;
}

// Instructions without metadata have no place: it is not looked for.
Place OwnOrCallersPlace(const Instruction& instruction, const Metadata& metadata) {
  const Place place = PlaceOf(instruction, metadata);
  if (!place.file.empty() || instruction.parent() == nullptr) return place;
  return PlaceOfCall(*instruction.parent());
}

}  // namespace

SourcePlace SourcePlaceOf(const Instruction& instruction) {
  const Annotations& annotations = instruction.annotations();
  if (!annotations.metadata) return {};
  const Place place = OwnOrCallersPlace(instruction, *annotations.metadata);
  return {std::string(place.file), place.line};
}

std::string SourceText(const Instruction& instruction) {
  const Annotations& annotations = instruction.annotations();
  if (!annotations.metadata) return "";
  const Metadata& metadata = *annotations.metadata;
  Place place = OwnOrCallersPlace(instruction, metadata);
  const size_t slash = place.file.rfind('/');
  if (slash != absl::string_view::npos) place.file.remove_prefix(slash + 1);
  std::string text(place.file);
  if (!text.empty() && place.line > 0) absl::StrAppend(&text, ":", place.line);
  if (!metadata.op_name.empty()) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", "op_name ", metadata.op_name);
  }
  return text;
}

std::string NameWithSource(const Instruction& instruction) {
  const std::string source = SourceText(instruction);
  return source.empty() ? instruction.name() : absl::StrCat(instruction.name(), " (", source, ")");
}

}  // namespace assay
