// How the examples of the documents are written: built with the Builder, run with the interpreter,
// compared bit for bit with the result that the document prints (as corrected). A test is named
// after its section; docs/seed_sections.tsv says which sections there are.
#ifndef ASSAY_CONFORMANCE_SEEDS_EXAMPLES_H_
#define ASSAY_CONFORMANCE_SEEDS_EXAMPLES_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "interpreter/interpreter.h"
#include "spec/builder/functions.h"

namespace assay::conformance {

// "s32[3] {1, 2, 3}"
Literal Value(absl::string_view text);
// A constant.
Op In(Builder* builder, absl::string_view text);
// Parameter `number`, called p0, p1 and so on.
Op Given(Builder* builder, int64_t number, absl::Span<const int64_t> sizes,
         ElementType type = ElementType::kF32);
Shape ShapeFrom(absl::string_view text);

// A computation of scalars: f(p0, p1).
using BinaryOperation = Op (*)(Op, Op, absl::Span<const int64_t>, CallSite);
Callee ScalarCallee(std::string name, ElementType type, BinaryOperation function);
inline constexpr ElementType kF32 = ElementType::kF32;
inline constexpr ElementType kS32 = ElementType::kS32;

// Builds `root` and runs it; the result is `expected`, shape and bits.
void ExpectResult(Builder& builder, Op root, absl::string_view expected,
                  const std::vector<Literal>& arguments = {});
// Builds `root`; the value of the run, or a failure.
Literal RunResult(Builder& builder, Op root, const std::vector<Literal>& arguments = {});
// Builds `root`: it has the shape, and the module's text has every one of `parts` and reads back.
// Null after a failure.
std::unique_ptr<Module> ExpectBuilds(Builder& builder, Op root, absl::string_view shape,
                                     const std::vector<std::string>& parts);

// A module that runs on several devices, with what they are given and what they must give.
struct DeviceRun {
  std::unique_ptr<Module> module;
  ProcessGrid grid;
  // By device (replica * partitions + partition), then by parameter. Empty: none anywhere.
  std::vector<std::vector<Literal>> arguments;
  // By device. A token is "token".
  std::vector<Literal> expected;
};
// The programs run together; each device gives what is expected, bit for bit.
void ExpectTogether(std::vector<DeviceRun> programs, const RunOptions& options = {},
                    const runtime::CustomCallRegistry* custom_calls = nullptr);
// What the run of the programs says instead.
absl::Status RunTogether(const std::vector<DeviceRun>& programs, const RunOptions& options = {});
// One program of replicas with one argument each.
void ExpectOnReplicas(std::unique_ptr<Module> module, const std::vector<std::string>& arguments,
                      const std::vector<std::string>& expected);
// An array whose element at each index, given as the number in row-major order, is f of it.
Literal Filled(absl::string_view shape, const std::function<double(int64_t)>& f);
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

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_SEEDS_EXAMPLES_H_
