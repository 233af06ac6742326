// A fixture that encloses a program written as HLO text, and test literals.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_ENCLOSURE_TESTING_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_ENCLOSURE_TESTING_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/enclosure/enclosure.h"
#include "conformance/profiles/testing.h"
#include "gtest/gtest.h"
#include "spec/testing/literals.h"
#include "spec/text/parser.h"

namespace assay::conformance {

class EnclosureTest : public testing::Test {
 protected:
  BoxTree Of(const std::string& body, const std::vector<Literal>& arguments,
             const std::string& profile = "xla-cpu", const std::string& computations = "") {
    auto module =
        ParseModule(absl::StrCat("HloModule m\n", computations, "ENTRY e {\n", body, "\n}\n"));
    EXPECT_TRUE(module.ok()) << module.status();
    if (!module.ok()) return {};
    module_ = *std::move(module);
    auto enclosure = Enclose(*module_, arguments, BuiltInProfile(profile), RunBudget{});
    EXPECT_TRUE(enclosure.ok()) << enclosure.status();
    return enclosure.ok() ? *std::move(enclosure) : BoxTree{};
  }
  static float Low(const BoxTree& tree, int64_t i = 0) {
    return static_cast<float>(DecodeFloat(ElementType::kF32, tree.box().low.Get(i).bits));
  }
  static float High(const BoxTree& tree, int64_t i = 0) {
    return static_cast<float>(DecodeFloat(ElementType::kF32, tree.box().high.Get(i).bits));
  }
  Verdict Judged(const BoxTree& tree, const Literal& golden, const Literal& actual) {
    auto judgement = JudgeWhole(tree, golden, actual);
    EXPECT_TRUE(judgement.ok()) << judgement.status();
    return judgement.ok() ? judgement->verdict : Verdict::kWrong;
  }
  std::unique_ptr<Module> module_;
};

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_ENCLOSURE_TESTING_H_
