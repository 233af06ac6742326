// How the examples of the documents are written: built with the Builder, run with the interpreter,
// compared bit for bit with the result that the document prints (as corrected). A test is named
// after its section; docs/seed_sections.tsv says which sections there are.
#ifndef ASSAY_CONFORMANCE_SEEDS_EXAMPLES_H_
#define ASSAY_CONFORMANCE_SEEDS_EXAMPLES_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "spec/builder/functions.h"

namespace assay {

// "s32[3] {1, 2, 3}"
Literal Value(absl::string_view text);
// A constant.
Op In(Builder* builder, absl::string_view text);
Shape ShapeFrom(absl::string_view text);

// A computation of scalars: f(p0, p1).
using BinaryFunction = Op (*)(Op, Op, absl::Span<const int64_t>, CallSite);
Callee ScalarCallee(std::string name, ElementType type, BinaryFunction function);
inline constexpr ElementType kF32 = ElementType::kF32;
inline constexpr ElementType kS32 = ElementType::kS32;

// Builds `root` and runs it; the result is `expected`, shape and bits.
void ExpectResult(Builder& builder, Op root, absl::string_view expected,
                  const std::vector<Literal>& arguments = {});
// Builds `root`; the value of the run, or a failure.
Literal RunResult(Builder& builder, Op root, const std::vector<Literal>& arguments = {});
// For operations that the interpreter does not run yet: the module builds, the root has the shape,
// and its text has every one of `parts`.
void ExpectBuilds(Builder& builder, Op root, absl::string_view shape,
                  const std::vector<std::string>& parts);
// Build refuses, and says so.
void ExpectRefused(Builder& builder, Op root, absl::string_view part);

// One test per document: "000 003" makes Seed000.NAME and Seed003.NAME.
bool RegisterExample(absl::string_view documents, const std::string& name, const char* file,
                     int line, std::function<void()> body);
#define SEED_EXAMPLE(documents, name)                                        \
  static void name##Example();                                               \
  [[maybe_unused]] static const bool name##_is_registered =                  \
      RegisterExample(documents, #name, __FILE__, __LINE__, &name##Example); \
  static void name##Example()

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_SEEDS_EXAMPLES_H_
