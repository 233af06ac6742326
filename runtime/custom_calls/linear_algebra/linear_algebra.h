// Linear-algebra targets: every problem of a batch is solved on numbers of one real type and each
// element is rounded once. Literals are row major: column-major layouts are only declared. Source:
// reference ops_control_and_collectives.md 11.2, 11.3. Tests:
// backends/factory/linear_algebra_calls_test.cc.
#ifndef ASSAY_RUNTIME_CUSTOM_CALLS_LINEAR_ALGEBRA_LINEAR_ALGEBRA_H_
#define ASSAY_RUNTIME_CUSTOM_CALLS_LINEAR_ALGEBRA_LINEAR_ALGEBRA_H_

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/arrays.h"
#include "runtime/custom_calls/linear_algebra/solvers.h"
#include "runtime/custom_calls/targets.h"

namespace assay::runtime::custom_calls {

// An empty matrix of the sizes that the last dimensions have.
template <typename Real>
Matrix<Real> Empty(const Shape& shape, absl::string_view letters) {
  const auto inner = static_cast<int64_t>(letters.size());
  const auto size = [&](int64_t i) {
    return i < inner ? shape.dimension(shape.rank() - inner + i) : 1;
  };
  return Matrix<Real>(size(0), size(1));
}

// Holds the memory of one problem's numbers against the budget.
class Scratch {
 public:
  static absl::StatusOr<std::unique_ptr<Scratch>> Reserve(ScratchAccount* account, int64_t bytes) {
    if (account != nullptr) {
      if (absl::Status status = account->Reserve(bytes); !status.ok()) return status;
    }
    return std::unique_ptr<Scratch>(new Scratch(account, bytes));
  }
  ~Scratch() {
    if (account_ != nullptr) account_->Release(bytes_);
  }

 private:
  Scratch(ScratchAccount* account, int64_t bytes) : account_(account), bytes_(bytes) {}
  ScratchAccount* account_;
  int64_t bytes_;
};

// Sets a matrix to problem b of an operand.
template <typename Real>
void Load(const Literal& operand, int64_t b, Matrix<Real>& matrix) {
  const ElementType type = operand.element_type();
  const int64_t n = matrix.size();
  if (!IsFloat(type)) {
    for (int64_t k = 0; k < n; ++k) matrix[k] = ToNumber<Real>(type, operand.Get(b * n + k));
    return;
  }
  std::vector<double> values(n);
  DecodeFloats(type, operand.data() + b * n * StorageBytes(type), n, values.data());
  for (int64_t k = 0; k < n; ++k) matrix[k] = Number<Real>(Real(values[k]));
}

// Sets problem b of a result to a matrix, every element rounded once.
template <typename Real>
void Store(const Matrix<Real>& matrix, int64_t b, Literal& result) {
  const ElementType type = result.element_type();
  const int64_t n = matrix.size();
  if constexpr (std::is_floating_point_v<Real>) {
    if (IsFloat(type)) {
      std::vector<double> values(n);
      for (int64_t k = 0; k < n; ++k) values[k] = static_cast<double>(matrix[k].re);
      EncodeFloats(type, values.data(), n, result.mutable_data() + b * n * StorageBytes(type));
      return;
    }
  }
  for (int64_t k = 0; k < n; ++k) result.Set(b * n + k, ToElement(type, matrix[k]));
}

template <typename Real>
absl::Status SolveBatch(const CustomCall& call, const Row<Real>& row, int64_t problems,
                        absl::Span<const Shape* const> shapes, std::vector<Literal>& results) {
  const CallAttributes attributes = CallAttributes::Of(call.instruction);
  int64_t numbers = 0, longest = 1;
  const auto count = [&](const Matrix<Real>& matrix) {
    numbers += matrix.size();
    longest = std::max({longest, matrix.rows(), matrix.columns()});
  };
  Problem<Real> problem{
      attributes, call.instruction.annotations().backend_config, call.context, {}, {}};
  for (int64_t b = 0; b < problems; ++b) {
    problem.in.clear();
    problem.out.clear();
    for (size_t i = 0; i < row.shapes.operands.size(); ++i) {
      problem.in.push_back(Empty<Real>(call.operands[i].shape(), row.shapes.operands[i]));
      if (b == 0) count(problem.in.back());
    }
    for (size_t i = 0; i < row.shapes.results.size(); ++i) {
      problem.out.push_back(Empty<Real>(*shapes[i], row.shapes.results[i]));
      if (b == 0) count(problem.out.back());
    }
    absl::Status status = call.context.ChargeCostly(numbers * longest);
    if (!status.ok()) return status;
    for (size_t i = 0; i < problem.in.size(); ++i) Load(call.operands[i], b, problem.in[i]);
    status = row.solver(problem);
    if (absl::IsInvalidArgument(status)) return BadCall(call, status.message());
    if (!status.ok()) return status;
    for (size_t i = 0; i < results.size(); ++i) Store(problem.out[i], b, results[i]);
  }
  return absl::OkStatus();
}

// Storage of the factorisations: a few matrices of the size of all operands and results of one
// problem.
inline constexpr int64_t kCopies = 4;

template <typename Real>
absl::StatusOr<Literal> Solve(const CustomCall& call,
                              absl::Span<const Row<Real>* const> candidates) {
  std::vector<const Shape*> operands;
  for (const Literal& operand : call.operands) operands.push_back(&operand.shape());
  const std::vector<const Shape*> shapes = ResultShapes(call);
  std::optional<Dimensions> batch;
  const Row<Real>* row = nullptr;
  for (size_t i = 0; i < candidates.size() && !batch; ++i) {
    row = candidates[i];
    batch = BatchOf(row->shapes, operands, shapes);
  }
  if (!batch) {
    return BadCall(call, absl::StrCat("operands and results must be (",
                                      absl::StrJoin(candidates[0]->shapes.operands, ", "), ") -> (",
                                      absl::StrJoin(candidates[0]->shapes.results, ", "),
                                      "), a letter for each dimension after those of the batch"));
  }
  int64_t problems = 1, elements = 0;
  for (const int64_t size : *batch) problems *= size;
  std::vector<Literal> results;
  for (const Shape* shape : shapes) {
    absl::StatusOr<Literal> result = call.Zeros(*shape);
    if (!result.ok()) return result;
    elements += result->element_count();
    results.push_back(*std::move(result));
  }
  for (const Literal& operand : call.operands) elements += operand.element_count();
  absl::StatusOr<std::unique_ptr<Scratch>> scratch =
      Scratch::Reserve(call.context.scratch, elements / std::max<int64_t>(problems, 1) * kCopies *
                                                 static_cast<int64_t>(sizeof(Number<Real>)));
  if (!scratch.ok()) return scratch.status();
  absl::Status status = SolveBatch(call, *row, problems, shapes, results);
  if (!status.ok()) return status;
  return AsResult(call, std::move(results));
}

// The targets, computed with a real type.
template <typename Real>
Targets LinearAlgebraTargets() {
  std::map<std::string, std::vector<const Row<Real>*>> rows;
  for (const Row<Real>& row : Rows<Real>()) {
    const std::string name = row.name;
    const size_t at = name.find('?');
    if (at == std::string::npos) rows[name].push_back(&row);
    for (const char prefix : absl::string_view(row.prefixes)) {
      rows[std::string(name).replace(at, 1, 1, prefix)].push_back(&row);
    }
  }
  Targets targets;
  for (const auto& entry : rows) {
    targets.push_back({entry.first, [candidates = entry.second](const CustomCall& call) {
                         return Solve<Real>(call, candidates);
                       }});
  }
  return targets;
}

}  // namespace assay::runtime::custom_calls

#endif  // ASSAY_RUNTIME_CUSTOM_CALLS_LINEAR_ALGEBRA_LINEAR_ALGEBRA_H_
