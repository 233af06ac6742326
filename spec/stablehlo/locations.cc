// Locations as metadata: the name of the operation, the source line, the frames of the call stack.
// Source: reference stablehlo_format.md 8.1. Test: to_module_test.cc.
#include <algorithm>

#include "spec/stablehlo/lowering.h"

namespace assay::stablehlo {
namespace {

constexpr int kMaxFrames = 200;

// The file that a location names, of a call site the callee's.
const Location* FileIn(const Location* location) {
  for (int depth = 0; location != nullptr && depth < kMaxFrames; ++depth) {
    if (location->kind == Location::Kind::kFile) return location;
    const Location* next = nullptr;
    for (const Location* child : location->children) {
      if (child != nullptr && child->kind != Location::Kind::kUnknown) {
        next = child;
        break;
      }
    }
    location = next;
  }
  return nullptr;
}

}  // namespace

int32_t Provenance::Intern(std::vector<std::string>* names, absl::string_view name) {
  auto& ids = names == &module_.stack_frames.file_names ? file_ids_ : function_ids_;
  const auto [found, added] = ids.try_emplace(std::string(name), 0);
  if (added) {
    names->emplace_back(name);
    found->second = static_cast<int32_t>(names->size());
  }
  return found->second;
}

// A frame is a named file, "f"("a.py":3:1); callers stand in call sites around it.
int32_t Provenance::FrameOf(const Location* location, int depth) {
  if (location == nullptr || depth > kMaxFrames) return 0;
  const auto known = frames_.find(location);
  if (known != frames_.end()) return known->second;
  int32_t parent = 0;
  const Location* callee = location;
  if (location->kind == Location::Kind::kCallSite && location->children.size() == 2) {
    parent = FrameOf(location->children[1], depth + 1);
    callee = location->children[0];
  }
  const Location* file = FileIn(callee);
  int32_t id = parent;
  if (file != nullptr) {
    StackFrames& frames = module_.stack_frames;
    const bool named = callee != nullptr && callee->kind == Location::Kind::kName;
    const std::vector<int32_t> key = {
        Intern(&frames.file_names, file->text),
        Intern(&frames.function_names, named ? callee->text : absl::string_view()),
        file->line,
        file->column,
        file->end_line,
        file->end_column};
    const auto [place, new_place] = location_ids_.try_emplace(key, 0);
    if (new_place) {
      frames.file_locations.push_back({key[0], key[1], key[2], key[3], key[4], key[5]});
      place->second = static_cast<int32_t>(frames.file_locations.size());
    }
    const auto [frame, new_frame] = frame_ids_.try_emplace({place->second, parent}, 0);
    if (new_frame) {
      frames.frames.push_back({place->second, parent});
      frame->second = static_cast<int32_t>(frames.frames.size());
    }
    id = frame->second;
  }
  return frames_[location] = id;
}

const Metadata& Provenance::Of(const Location* location) {
  static const Metadata* const none = new Metadata();
  if (location == nullptr) return *none;
  const auto known = metadata_.find(location);
  if (known != metadata_.end()) return known->second;
  Metadata metadata;
  const Location* rest = location;
  // A fused location names what several operations were: the first that has a name counts.
  for (int depth = 0; rest != nullptr && rest->kind == Location::Kind::kFused && depth < kMaxFrames;
       ++depth) {
    rest = rest->children.empty() ? nullptr : rest->children[0];
  }
  if (rest != nullptr && rest->kind == Location::Kind::kName) {
    metadata.op_name = std::string(rest->text);
    rest = rest->children.empty() ? nullptr : rest->children[0];
  }
  if (const Location* file = FileIn(rest)) {
    metadata.source_file = std::string(file->text);
    metadata.source_line = file->line;
    metadata.source_column = file->column;
    metadata.source_end_line = file->end_line;
    metadata.source_end_column = file->end_column;
    const bool in_function =
        rest->kind == Location::Kind::kCallSite || rest->kind == Location::Kind::kName;
    if (in_function) metadata.stack_frame_id = FrameOf(rest, 0);
  }
  return metadata_[location] = std::move(metadata);
}

}  // namespace assay::stablehlo
