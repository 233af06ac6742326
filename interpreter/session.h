// Values that outlive a run: named tensors, and modules whose parameters are bound to them. A run
// reads its tensors, and what the module gives for them becomes their value when the run has
// succeeded; a run that fails leaves everything as it was. HLO itself is functional: what the
// tensors of seed 002 need beyond it is here (reference ops_control_and_collectives.md section 15).
// Tests: session_test.cc; from the command line: tools/cli/session_cli_test.py.
#ifndef ASSAY_INTERPRETER_SESSION_H_
#define ASSAY_INTERPRETER_SESSION_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "interpreter/interpreter.h"
#include "spec/ir/literal.h"
#include "spec/ir/module.h"

namespace assay {

enum class TensorKind {
  kConstant,     // written once, never again
  kInput,        // given by the caller at each run, not kept
  kPersistent,   // keeps its value from run to run
  kVariable,     // persistent, and listed as trainable
  kPlaceholder,  // given by the caller; keeps the value that it was given last
};
absl::string_view Name(TensorKind kind);
std::optional<TensorKind> TensorKindFromName(absl::string_view name);

// What one array among the entry's parameters is bound to. Arrays are numbered over the leaves of
// all parameters, those of the result over its leaves, as the members of array files are
// (arg0, out0).
struct Binding {
  int64_t argument = 0;
  std::string tensor;
  TensorKind kind = TensorKind::kInput;
  int64_t output = -1;  // the array of the result that becomes the next value; -1: none
};

// One binding for each array of the entry's parameters, as the module says. Frontend attributes of
// the parameter: tensor="constant|input|persistent|variable|placeholder", tensor_name="w" (of its
// arrays the only one, or with #0, #1#0, ... after it), tensor_output="out0" (the first of them).
// What input_output_alias pairs with an array of the result is persistent unless the parameter says
// more. All else is an input. Without tensor_name the name is the parameter's.
absl::StatusOr<std::vector<Binding>> BindingsOf(const Module& module);

// A module bound to tensors. Made by Session::Bind.
class BoundModule;

class Session {
 public:
  // Evaluates the module: the value of its root for arguments by parameter number.
  using Evaluator = std::function<absl::StatusOr<Literal>(absl::Span<const Literal> arguments)>;

  // A new tensor without value. ALREADY_EXISTS for a name that is there with another kind or shape
  // (with the same ones nothing happens); INVALID_ARGUMENT for a shape that is no array.
  absl::Status Declare(const std::string& name, TensorKind kind, const Shape& shape);
  // NOT_FOUND; INVALID_ARGUMENT for another shape, for an input, for a constant that has its value.
  absl::Status Set(const std::string& name, const Literal& value);
  // NOT_FOUND; FAILED_PRECONDITION when it was never written.
  absl::StatusOr<Literal> Get(const std::string& name) const;
  bool IsWritten(const std::string& name) const;
  // The arrays of the result of a module without parameters become the values of the tensors. All
  // are set, or none.
  absl::Status Initialise(const Module& initialiser, absl::Span<const std::string> names,
                          const RunOptions& options = {});

  // Every tensor that keeps a value, by name; those of kind kVariable.
  std::vector<std::string> tensors() const;
  std::vector<std::string> variables() const;

  // Declares the tensors of the bindings (one for each array of the parameters; see BindingsOf) and
  // checks them: known arrays, shapes that agree, no tensor or array of the result twice, no output
  // for constants and inputs. The module must outlive the result. Evaluates on the golden
  // interpreter unless told otherwise.
  absl::StatusOr<std::unique_ptr<const BoundModule>> Bind(const Module& module,
                                                          std::vector<Binding> bindings,
                                                          Evaluator evaluate = nullptr);

  // One run. `inputs` are the values of the tensors of kind kInput by name, all of them, of any
  // placeholders, and no others. FAILED_PRECONDITION when a tensor that the module reads was never
  // written; INVALID_ARGUMENT lists inputs that are missing, among them placeholders that were
  // never given. On success the tensors with an output have their new value, placeholders keep what
  // they were given, and step() has grown by one; on any error nothing has changed.
  absl::StatusOr<Literal> Run(const BoundModule& bound,
                              const std::map<std::string, Literal>& inputs);

  // Successful runs so far; set to go on from a saved state.
  int64_t step() const { return step_; }
  void set_step(int64_t step) { step_ = step; }

 private:
  struct Tensor {
    TensorKind kind;
    Shape shape;
    std::optional<Literal> value;
  };
  absl::StatusOr<std::vector<Literal>> Arguments(
      const BoundModule& bound, const std::map<std::string, Literal>& inputs) const;
  std::map<std::string, Tensor> tensors_;
  int64_t step_ = 0;
};

class BoundModule {
 public:
  const Module& module() const { return module_; }
  absl::Span<const Binding> bindings() const { return bindings_; }

 private:
  friend class Session;
  explicit BoundModule(const Module& module) : module_(module) {}
  const Module& module_;
  std::vector<Binding> bindings_;  // in the order of the arguments
  std::unique_ptr<const PlannedModule> planned_;
  Session::Evaluator evaluate_;
};

}  // namespace assay

#endif  // ASSAY_INTERPRETER_SESSION_H_
