#include "fuzz/properties.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "spec/ops/shape_inference.h"
#include "spec/proto/conversions.h"
#include "spec/proto/module_file.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"
#include "spec/verify/verifier.h"

namespace assay::fuzz {
namespace {

// A message says what is wrong, it does not repeat the file.
constexpr size_t kLongestMessage = 4000;

// A text may give an array a layout that it must not have in a tuple, and a tuple of such arrays
// without a shape.
bool HasShapeThatTextRefuses(const Module& module) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      const Shape& shape = instruction->shape();
      if (shape.is_tuple() && !ParseShape(shape.ToString(/*with_layout=*/true)).ok()) return true;
    }
  }
  return false;
}

// A reader may take an illegal module and another one refuse it: texts may name layouts that order
// no dimensions, or an entry layout of other sizes. So may the modules within it.
bool MayRefuse(const Module& module) {
  return !CheckModuleShapes(module).ok() || !VerifyModule(module).ok() ||
         HasShapeThatTextRefuses(module) ||
         absl::c_any_of(module.origin_recovery, [](const OriginRecovery& entry) {
           return entry.recovery != nullptr && MayRefuse(*entry.recovery);
         });
}

// Null where that may be refused, and is.
std::unique_ptr<Module> ReadBack(const Module& original, const std::string& text,
                                 absl::string_view form) {
  absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(text);
  if (module.ok()) return *std::move(module);
  Require(MayRefuse(original), absl::StrCat("the ", form, " can be read back:\n", text),
          module.status().message());
  RequireRefusal(module.status());
  return nullptr;
}

void RequireSameModule(const Module& a, const Module& b, absl::string_view form) {
  RequireOk(CompareModules(a, b), absl::StrCat("the module is the same after ", form));
}

void RequireLosslessText(const Module& module, bool percent) {
  PrintOptions options = PrintOptions::Lossless();
  options.percent = percent;
  options.program_shape = percent;
  const std::string printed = PrintModule(module, options);
  const std::unique_ptr<Module> again = ReadBack(module, printed, "lossless text");
  if (again == nullptr) return;
  RequireSameModule(module, *again, "print and parse");
  Require(PrintModule(*again, options) == printed, "the second print is the first", printed);
}

// XLA's short form drops metadata and control dependencies; what it keeps is stable.
void RequireStableShortText(const Module& module) {
  const PrintOptions options = PrintOptions::ShortParsable();
  std::unique_ptr<Module> again = ReadBack(module, PrintModule(module, options), "short text");
  if (again == nullptr) return;
  const std::string once = PrintModule(*again, options);
  again = ReadBack(module, once, "short text");
  if (again == nullptr) return;
  Require(PrintModule(*again, options) == once, "the short text is stable", once);
}

void RequireLosslessProto(const Module& module) {
  absl::StatusOr<std::string> bytes = SerializeModule(module, ModuleFormat::kModuleProto);
  if (!bytes.ok()) return RequireRefusal(bytes.status());  // shapes nested too deep
  wire::HloModuleProto received;
  Require(received.ParseFromString(*bytes), "the proto can be parsed");
  absl::StatusOr<std::unique_ptr<Module>> again = ModuleFromProto(std::move(received));
  if (!again.ok()) {
    Require(MayRefuse(module),
            absl::StrCat("the proto can be read back:\n",
                         PrintModule(module, PrintOptions::Lossless()), "\n"),
            again.status().message());
    return RequireRefusal(again.status());
  }
  RequireSameModule(module, **again, "proto and back");
  Require(PrintModule(**again, PrintOptions::Lossless()) ==
              PrintModule(module, PrintOptions::Lossless()),
          "the text is the same after proto and back");
  absl::StatusOr<std::string> bytes_again = SerializeModule(**again, ModuleFormat::kModuleProto);
  Require(bytes_again.ok() && *bytes_again == *bytes, "the second proto is the first");
}

// Rules may refuse the module, they may not stumble over it.
void RequireVerdict(const Module& module) {
  if (absl::Status status = CheckModuleShapes(module); !status.ok()) RequireRefusal(status);
  for (Rules rules : {Rules::kXla, Rules::kStrict}) {
    VerifyOptions options;
    options.rules = rules;
    for (const Finding& finding : VerifyModule(module, options).findings) {
      Require(!finding.clause.empty() && !finding.message.empty(), "a finding says what it is");
    }
  }
}

}  // namespace

void Require(bool holds, absl::string_view property, absl::string_view detail) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: it does not hold that %s\n%s\n", std::string(property).c_str(),
               std::string(detail).c_str());
  std::abort();
}

void RequireOk(const absl::Status& status, absl::string_view property) {
  Require(status.ok(), property, status.message());
}

void RequireRefusal(const absl::Status& status) {
  const bool of_the_input = status.code() == absl::StatusCode::kInvalidArgument ||
                            status.code() == absl::StatusCode::kResourceExhausted ||
                            status.code() == absl::StatusCode::kUnimplemented;
  Require(of_the_input, "a refusal has the code of a bad input", status.ToString());
  Require(!status.message().empty(), "a refusal says why");
  Require(status.message().size() <= kLongestMessage, "a refusal is brief", status.message());
}

void RequireLosslessProto(const Literal& literal) {
  absl::StatusOr<wire::LiteralProto> proto = LiteralToProto(literal);
  if (!proto.ok()) return RequireRefusal(proto.status());
  absl::StatusOr<Literal> again = LiteralFromProto(*proto);
  RequireOk(again.status(), "the literal's proto can be read back");
  Require(Literal::BitEqual(literal, *again), "the bits are the same after proto and back");
}

void RequireTextProperties(const Module& module) {
  RequireLosslessText(module, /*percent=*/true);
  RequireLosslessText(module, /*percent=*/false);
  RequireStableShortText(module);
  RequireLosslessProto(module);
  // For people and for XLA: not always readable, but always there.
  Require(!PrintModule(module, PrintOptions::Default()).empty(), "the default form says something");
  Require(!PrintModule(module, PrintOptions::Canonical()).empty(), "the canonical form does, too");
  RequireVerdict(module);
}

void RequireProtoProperties(const Module& module) {
  RequireLosslessProto(module);
  RequireVerdict(module);
  absl::StatusOr<std::unique_ptr<Module>> again =
      ParseModule(PrintModule(module, PrintOptions::Lossless()));
  if (!again.ok()) return RequireRefusal(again.status());
  RequireTextProperties(**again);
}

}  // namespace assay::fuzz
