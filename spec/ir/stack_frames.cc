// The numbers of stack frames after reading (hlo_text_format.md 2.3). Tests: parser_test.cc,
// conversions_test.cc.
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "spec/ir/module.h"

namespace assay {
namespace {

class FrameInterner {
 public:
  explicit FrameInterner(const StackFrames& old)
      : old_(old), number_(old.frames.size() + 1, kUnknown) {
    number_[0] = 0;
  }

  // The new number of an old frame and its parents.
  int32_t Intern(int32_t id) {
    if (id < 0 || id >= static_cast<int32_t>(number_.size())) return 0;
    // From the frame up to a known one, then back down; a frame met twice is on a cycle.
    std::vector<int32_t> chain;
    int32_t at = id;
    while (number_[at] == kUnknown) {
      number_[at] = kOnTheWay;
      chain.push_back(at);
      at = old_.frames[at - 1].parent_frame_id;
      if (at < 0 || at >= static_cast<int32_t>(number_.size())) at = 0;
    }
    int32_t parent = number_[at] == kOnTheWay ? kBroken : number_[at];
    for (size_t i = chain.size(); i-- > 0;) {
      parent = parent == kBroken ? kBroken : Add(old_.frames[chain[i] - 1], parent);
      number_[chain[i]] = parent;
    }
    return number_[id] == kBroken ? 0 : number_[id];
  }

  StackFrames Release() { return std::move(new_); }

 private:
  static constexpr int32_t kUnknown = -1;
  static constexpr int32_t kOnTheWay = -2;
  static constexpr int32_t kBroken = -3;

  int32_t Add(const StackFrames::Frame& frame, int32_t parent) {
    new_.frames.push_back({Location(frame.file_location_id), parent});
    return static_cast<int32_t>(new_.frames.size());
  }

  int32_t Location(int32_t id) {
    if (id < 1 || id > static_cast<int32_t>(old_.file_locations.size())) return 0;
    auto [known, inserted] = locations_.try_emplace(id, 0);
    if (inserted) {
      StackFrames::FileLocation location = old_.file_locations[id - 1];
      location.file_name_id =
          Name(old_.file_names, location.file_name_id, &files_, &new_.file_names);
      location.function_name_id =
          Name(old_.function_names, location.function_name_id, &functions_, &new_.function_names);
      new_.file_locations.push_back(location);
      known->second = static_cast<int32_t>(new_.file_locations.size());
    }
    return known->second;
  }

  static int32_t Name(const std::vector<std::string>& names, int32_t id,
                      absl::flat_hash_map<int32_t, int32_t>* numbers,
                      std::vector<std::string>* kept) {
    if (id < 1 || id > static_cast<int32_t>(names.size())) return 0;
    auto [known, inserted] = numbers->try_emplace(id, 0);
    if (inserted) {
      kept->push_back(names[id - 1]);
      known->second = static_cast<int32_t>(kept->size());
    }
    return known->second;
  }

  const StackFrames& old_;
  StackFrames new_;
  std::vector<int32_t> number_;
  absl::flat_hash_map<int32_t, int32_t> locations_, files_, functions_;
};

}  // namespace

void Module::ReinternStackFrames() {
  if (stack_frames.empty()) return;
  const StackFrames old = std::exchange(stack_frames, {});
  FrameInterner interner(old);
  for (const auto& computation : computations_) {
    for (const auto& instruction : computation->instructions()) {
      if (!instruction->annotations().metadata) continue;
      Metadata& metadata = *instruction->mutable_annotations().metadata;
      if (metadata.stack_frame_id != 0) {
        metadata.stack_frame_id = interner.Intern(metadata.stack_frame_id);
      }
    }
  }
  stack_frames = interner.Release();
}

}  // namespace assay
