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
