// The place of an instruction in the author's program, from metadata and from stack frames.
#include "spec/ir/source_text.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

class SourceTextTest : public testing::Test {
 protected:
  SourceTextTest() : module_("m") {
    Computation* computation = module_.Add(std::make_unique<Computation>("e"));
    instruction_ = computation->Add(
        std::make_unique<Instruction>(Opcode::kParameter, Shape::Scalar(ElementType::kF32)));
    instruction_->set_name("tanh.6");
  }
  Metadata& metadata() { return instruction_->mutable_annotations().metadata.emplace(); }

  Module module_;
  Instruction* instruction_;
};

TEST_F(SourceTextTest, NothingIsKnown) {
  EXPECT_EQ(SourceText(*instruction_), "");
  EXPECT_EQ(NameWithSource(*instruction_), "tanh.6");
}

TEST_F(SourceTextTest, FileAndLineOfTheMetadata) {
  Metadata& own = metadata();
  own.source_file = "/home/me/model.py";
  EXPECT_EQ(SourceText(*instruction_), "model.py");
  own.source_line = 41;
  EXPECT_EQ(SourceText(*instruction_), "model.py:41");
  own.op_name = "jit(f)/tanh";
  EXPECT_EQ(NameWithSource(*instruction_), "tanh.6 (model.py:41, op_name jit(f)/tanh)");
}

TEST_F(SourceTextTest, TheNameAlone) {
  metadata().op_name = "jit(f)/tanh";
  EXPECT_EQ(SourceText(*instruction_), "op_name jit(f)/tanh");
}

TEST_F(SourceTextTest, StackFrames) {
  module_.stack_frames.file_names = {"a.py", "lib/b.py"};
  module_.stack_frames.file_locations = {{1, 0, 7}, {2, 0, 12}};
  module_.stack_frames.frames = {{1, 0}, {2, 1}};
  metadata().stack_frame_id = 2;
  EXPECT_EQ(SourceText(*instruction_), "b.py:12");
}

// A function of JAX itself says no place: it is that of its only call.
TEST_F(SourceTextTest, ThePlaceOfTheOnlyCall) {
  metadata().op_name = "cumsum";
  Computation* called = module_.Add(std::make_unique<Computation>("main"));
  const auto call = [&](int32_t line) {
    Instruction* made =
        called->Add(std::make_unique<Instruction>(Opcode::kCall, Shape::Scalar(ElementType::kF32)));
    made->SetAttribute(Attr::kToApply, instruction_->parent());
    Metadata& own = made->mutable_annotations().metadata.emplace();
    own.source_file = "model.py";
    own.source_line = line;
  };
  call(4);
  EXPECT_EQ(SourceText(*instruction_), "model.py:4, op_name cumsum");
  EXPECT_EQ(SourcePlaceOf(*instruction_).line, 4);
  call(9);  // which of the two is not known
  EXPECT_EQ(SourceText(*instruction_), "op_name cumsum");
}

// Numbers of frames come from files.
TEST_F(SourceTextTest, NumbersThatNameNothing) {
  module_.stack_frames.file_locations = {{5, 0, 7}};
  module_.stack_frames.frames = {{1, 0}, {9, 0}};
  for (const int32_t id : {-1, 0, 1, 2, 3}) {
    metadata().stack_frame_id = id;
    EXPECT_EQ(SourceText(*instruction_), "") << id;
  }
}

}  // namespace
}  // namespace assay
