// What a module takes in memory: reading and verifying a text may take ten times its size at most,
// the text itself included.

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/files/file_io.h"
#include "spec/proto/module_file.h"
#include "spec/testing/counted_memory.h"
#include "spec/testing/test_folder.h"
#include "spec/verify/verifier.h"

namespace assay {
namespace {

constexpr int kInstructions = 20000;

constexpr absl::string_view kSum =
    "sum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, b)\n}\n";

// A chain in which every instruction uses two of those before. `line` gives one by number.
template <typename Line>
std::string Chain(const std::string& parameter, Line line) {
  std::string text =
      absl::StrCat("HloModule chain\n\n", kSum, "\nENTRY main {\n  ", parameter, "\n");
  for (int i = 1; i < kInstructions; ++i) absl::StrAppend(&text, "  ", line(i), "\n");
  return text += "}\n";
}

std::string Short() {
  return Chain("v0 = f32[16] parameter(0)",
               [](int i) { return absl::StrCat("v", i, " = f32[16] negate(v", i - 1, ")"); });
}

std::string WithFullShapes() {
  return Chain("%add.0 = f32[128,64]{1,0} parameter(0)", [](int i) {
    return absl::StrCat("%add.", i, " = f32[128,64]{1,0} add(f32[128,64]{1,0} %add.", i - 1,
                        ", f32[128,64]{1,0} %add.", i / 2, ")");
  });
}

std::string WithMetadata() {
  return Chain("%add.0 = f32[128,64]{1,0} parameter(0)", [](int i) {
    return absl::StrCat("%add.", i, " = f32[128,64]{1,0} add(%add.", i - 1, ", %add.", i / 2,
                        "), metadata={op_name=\"jit(step)/add\" source_line=", i, "}");
  });
}

std::string WithConstants() {
  return Chain("add.0 = f32[] parameter(0)", [](int i) {
    return i % 2 != 0
               ? absl::StrCat("constant.", i, " = f32[] constant(", i * 0.25, ")")
               : absl::StrCat("add.", i, " = f32[] add(add.", i - 2, ", constant.", i - 1, ")");
  });
}

std::string WithAttributes() {
  return Chain("%x.0 = f32[16,16]{1,0} parameter(0)", [](int i) {
    const bool dot = i % 2 != 0;
    return absl::StrCat("%x.", i, " = f32[16,16]{1,0} ",
                        dot ? absl::StrCat("dot(%x.", i - 1, ", %x.", i / 2,
                                           "), lhs_contracting_dims={1}, rhs_contracting_dims={0}")
                            : absl::StrCat("transpose(%x.", i - 1, "), dimensions={1,0}"));
  });
}

std::string WithReplicaGroups() {
  return Chain("x.0 = f32[16]{0} parameter(0)", [](int i) {
    return absl::StrCat("x.", i, " = f32[16]{0} all-reduce(x.", i - 1,
                        "), replica_groups={{0,1},{2,3}}, to_apply=sum");
  });
}

// The most that reading and verifying the text takes at once, in sizes of the text.
double MemoryPerText(const std::string& text) {
  const std::string path = TestPath("module.hlo");
  EXPECT_TRUE(WriteFileAtomically(path, text).ok());
  const int64_t before = HeldMemory();
  StartPeak();
  {
    const absl::StatusOr<ModuleFile> file = OpenModuleFile(path);
    EXPECT_TRUE(file.ok()) << file.status();
    if (file.ok()) {
      EXPECT_EQ(file->module->entry()->instruction_count(), kInstructions);
      EXPECT_TRUE(VerifyModule(*file->module).ok());
    }
  }
  return static_cast<double>(PeakMemory() - before) / static_cast<double>(text.size());
}

TEST(ModuleMemory, TakesTenTimesItsTextAtMost) {
  const std::pair<absl::string_view, std::string> texts[] = {
      {"short lines", Short()},         {"full shapes", WithFullShapes()},
      {"metadata", WithMetadata()},     {"constants", WithConstants()},
      {"attributes", WithAttributes()}, {"replica groups", WithReplicaGroups()},
  };
  for (const auto& [name, text] : texts) {
    EXPECT_LT(MemoryPerText(text), 10) << name;
  }
}

}  // namespace
}  // namespace assay
