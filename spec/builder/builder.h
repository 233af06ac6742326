// Builds modules in C++ with the functions of XLA's documents: `Add(x, y)`, `Reduce(x, zero, sum,
// {0})`, ... (elementwise.h, movement.h, reduction.h, contraction.h, control.h, collective.h).
// Shapes are inferred by the rules of spec/ops; nothing here repeats one. An error does not stop a
// program: the first one is kept, with the place of the call that made it, and comes out of Build;
// what depends on it is left out. Page: docs/builder.md. Tests: builder_test.cc and, example by
// example of the documents, conformance/seeds.
#ifndef ASSAY_SPEC_BUILDER_BUILDER_H_
#define ASSAY_SPEC_BUILDER_BUILDER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/ir/module.h"

namespace assay {

// Where a builder function was called. Only ever a defaulted last argument.
class CallSite {
 public:
  static constexpr CallSite Current(const char* file = __builtin_FILE(),
                                    int line = __builtin_LINE()) {
    return CallSite(Private(), file, line);
  }
  const char* file() const { return file_; }
  int line() const { return line_; }

 private:
  // Keeps `{}` and `{0, 1}` from meaning a call site.
  struct Private {
    explicit constexpr Private() = default;
  };
  constexpr CallSite(Private, const char* file, int line) : file_(file), line_(line) {}
  const char* file_;
  int line_;
};

// What operations mean where the documents differ (docs/semantics_2017.md).
enum class Semantics { kToday, k2017 };

namespace builder_internal {
struct Graph;
class Maker;
}  // namespace builder_internal

// The value of an operation under construction. Cheap to copy. One that is default-constructed, or
// came out of a refused call, can be passed on: nothing aborts.
class Op {
 public:
  Op() = default;
  // INVALID_ARGUMENT for an operation that does not exist or was refused, and after Build.
  absl::StatusOr<Shape> shape() const;

 private:
  friend class Builder;
  friend class builder_internal::Maker;
  Op(std::shared_ptr<builder_internal::Graph> graph, Instruction* instruction)
      : graph_(std::move(graph)), instruction_(instruction) {}
  std::shared_ptr<builder_internal::Graph> graph_;
  Instruction* instruction_ = nullptr;
};

// A finished computation for Call, Reduce, While and their like. It can be used any number of
// times, by any builder; each module gets a copy. Carries the error of its own builder, if any.
class Callee {
 public:
  Callee() = default;

 private:
  friend class Builder;
  friend class builder_internal::Maker;
  absl::Status status_;
  std::shared_ptr<const Module> module_;  // null: there is none, or it was refused
};

class Builder {
 public:
  explicit Builder(std::string name = "main", Semantics semantics = Semantics::kToday);
  explicit Builder(Semantics semantics, std::string name = "main");
  Builder(Builder&&) = default;
  Builder& operator=(Builder&&) = default;

  // A builder of the same semantics for a computation to be called.
  Builder CreateSubBuilder(std::string name) const;

  // The computation as the entry of a module: `root` is its result, or else the last operation
  // made. Afterwards the builder is spent. Errors: the first one of all calls, as
  // "FILE:LINE: Function(shapes of the operands): [clause] what".
  absl::StatusOr<std::unique_ptr<Module>> Build(CallSite site = CallSite::Current());
  absl::StatusOr<std::unique_ptr<Module>> Build(Op root, CallSite site = CallSite::Current());
  // The computation for others to call; the error comes out of theirs.
  Callee BuildCallee(CallSite site = CallSite::Current());
  Callee BuildCallee(Op root, CallSite site = CallSite::Current());

  // The first error so far.
  absl::Status first_error() const;
  Semantics semantics() const;

 private:
  friend class builder_internal::Maker;
  absl::StatusOr<std::unique_ptr<Module>> Finish(const Op* root, CallSite site);
  std::shared_ptr<builder_internal::Graph> graph_;
};

// Parameter `number` of the computation; numbers count from 0 without gaps, in any order.
Op Parameter(Builder* builder, int64_t number, const Shape& shape, std::string name,
             CallSite site = CallSite::Current());

// Any operation of the catalogue, for those that the documents leave to compilers (bitcast, fusion,
// asynchronous pairs, ...). `shape` may stay empty where the catalogue infers it.
Op AddInstruction(Builder* builder, Opcode opcode, absl::Span<const Op> operands,
                  absl::Span<const Attributes::Entry> attributes = {}, const Shape& shape = Shape(),
                  absl::Span<const std::pair<Attr, Callee>> callees = {},
                  CallSite site = CallSite::Current());

}  // namespace assay

#endif  // ASSAY_SPEC_BUILDER_BUILDER_H_
