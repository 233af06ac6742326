// Linear-algebra targets: LAPACK's by JAX's names, and XLA's own. A row says for each operand and
// result which dimensions follow those of the batch; every problem of a batch is solved on 200-bit
// numbers and each element is rounded once. Literals are row major: column-major layouts are only
// declared. Source: reference ops_control_and_collectives.md 11.2, 11.3. Tests:
// custom_call_test.cc.
#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "interpreter/custom_calls/attributes.h"
#include "interpreter/custom_calls/factorisations.h"
#include "interpreter/custom_calls/targets.h"

namespace assay::custom_calls {
namespace {

// One problem. Results come zero-filled in the declared sizes.
struct Problem {
  const CallAttributes& attributes;
  absl::string_view config;  // the backend_config as it stands
  evaluator::EvaluationContext& context;
  std::vector<Matrix> in;
  std::vector<Matrix> out;
};
using Solver = absl::Status (*)(Problem&);

// A letter for each dimension: one letter is one size. k is min(m, n), p is n - 1 (0 at least).
// Vectors and scalars become matrices of one column.
struct Row {
  const char* name;      // ? stands for each of the prefixes
  const char* prefixes;  // empty: none
  std::vector<const char*> operands, results;
  Solver solver;
};

absl::Status Refuse(absl::string_view what) { return absl::InvalidArgumentError(what); }
Number Whole(int64_t value) { return Number(Real(value)); }

absl::Status Potrf(Problem& p) {
  p.out[0] = p.in[0];
  p.out[1][0] = Whole(Cholesky(p.out[0], p.attributes.Letter("uplo", 'L') == 'L'));
  return absl::OkStatus();
}

absl::Status Trsm(Problem& p) {
  const bool left = p.attributes.Letter("side", 'L') == 'L';
  p.out[0] = p.in[1];
  if ((left ? p.in[1].rows() : p.in[1].columns()) != p.in[0].rows()) {
    return Refuse("the sizes of the matrices do not fit");
  }
  SolveTriangular(p.in[0], left, p.attributes.Letter("uplo", 'L') == 'L',
                  p.attributes.Letter("trans_x", 'N'), p.attributes.Letter("diag", 'N') == 'U',
                  p.out[0]);
  return absl::OkStatus();
}

absl::Status Getrf(Problem& p) {
  p.out[0] = p.in[0];
  p.out[2][0] = Whole(Lu(p.out[0], p.out[1]));
  for (int64_t i = 0; i < p.out[1].size(); ++i) p.out[1][i] += Number(1.0);
  return absl::OkStatus();
}

absl::Status LuDecomposition(Problem& p) {
  p.out[0] = p.in[0];
  Lu(p.out[0], p.out[1]);
  std::vector<int64_t> order(p.in[0].rows());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
  for (int64_t i = 0; i < p.out[1].size(); ++i) {
    std::swap(order[i], order[static_cast<int64_t>(p.out[1][i].re)]);
  }
  for (size_t i = 0; i < order.size(); ++i) p.out[2][i] = Whole(order[i]);
  return absl::OkStatus();
}

absl::Status Geqrf(Problem& p) {
  p.out[0] = p.in[0];
  Qr(p.out[0], p.out[1]);
  return absl::OkStatus();
}

absl::Status Geqp3(Problem& p) {
  p.out[0] = p.in[0];
  p.out[1] = p.in[1];
  PivotedQr(p.out[0], p.out[1], p.out[2]);
  return absl::OkStatus();
}

absl::Status Orgqr(Problem& p) {
  if (p.in[0].columns() > p.in[0].rows() || p.in[1].size() > p.in[0].columns()) {
    return Refuse("there must be m >= n columns and n or fewer reflectors");
  }
  p.out[0] = FormQ(p.in[0], p.in[1], p.in[0].columns());
  return absl::OkStatus();
}

absl::Status Ormqr(Problem& p) {
  const bool left = p.attributes.Int("left", 1) != 0;
  p.out[0] = p.in[2];
  if ((left ? p.in[2].rows() : p.in[2].columns()) != p.in[0].rows() ||
      p.in[1].size() > std::min(p.in[0].rows(), p.in[0].columns())) {
    return Refuse("the sizes of the matrices do not fit");
  }
  ApplyQ(p.in[0], p.in[1], left, p.attributes.Int("transpose", 0) != 0, p.out[0]);
  return absl::OkStatus();
}

// Iterations on what is not finite do not begin: results are NaN, info says no convergence.
bool NotFinite(Problem& p, size_t info) {
  if (p.in[0].is_finite()) return false;
  for (size_t i = 0; i < p.out.size(); ++i) {
    for (int64_t k = 0; k < p.out[i].size(); ++k) {
      const Real nan = std::numeric_limits<Real>::quiet_NaN();
      p.out[i][k] = i < info ? Number(nan, nan) : Number(i == info ? 1.0 : 0.0);
    }
  }
  return true;
}

absl::Status Syevd(Problem& p) {
  if (NotFinite(p, 2)) return absl::OkStatus();
  Matrix vectors;
  absl::Status status = HermitianEigen(p.in[0], p.attributes.Letter("uplo", 'L') == 'L',
                                       /*sort=*/true, vectors, p.out[1], p.context);
  if (p.attributes.Letter("mode", 'V') == 'V') p.out[0] = std::move(vectors);
  return status;
}

// "lower,sort,max_iter,tol": the result is exact, whatever the last two say.
absl::Status Eigh(Problem& p) {
  if (NotFinite(p, 2)) return absl::OkStatus();
  const std::vector<std::string> fields = absl::StrSplit(p.config, ',');
  const bool lower = fields[0] != "0", sort = fields.size() < 2 || fields[1] != "0";
  return HermitianEigen(p.in[0], lower, sort, p.out[0], p.out[1], p.context);
}

absl::Status Sytrd(Problem& p) {
  p.out[0] = p.in[0];
  Tridiagonalise(p.out[0], p.attributes.Letter("uplo", 'L') == 'L', p.out[1], p.out[2], p.out[3]);
  return absl::OkStatus();
}

absl::Status Gesdd(Problem& p) {
  if (NotFinite(p, 4)) return absl::OkStatus();
  const int64_t m = p.in[0].rows(), n = p.in[0].columns(), k = std::min(m, n);
  const char mode = p.attributes.Letter("mode", 'S');
  Matrix u(m, mode == 'A' ? m : k), v(n, mode == 'A' ? n : k);
  if (absl::Status status = Svd(p.in[0], u, p.out[1], v, p.context); !status.ok()) return status;
  if (mode != 'A' && mode != 'S') return absl::OkStatus();
  if (p.out[2].rows() != m || p.out[2].columns() != u.columns() || p.out[3].columns() != n ||
      p.out[3].rows() != v.columns()) {
    return Refuse(absl::StrCat("in mode ", std::string(1, mode), " U is ", m, " by ", u.columns(),
                               " and V^H ", v.columns(), " by ", n));
  }
  p.out[2] = std::move(u);
  p.out[3] = Adjoint(v);
  return absl::OkStatus();
}

absl::Status Eigenvectors(Problem& p, Matrix& values, size_t left) {
  return GeneralEigen(
      p.in[0], values, p.attributes.Letter("compute_left", 'N') == 'V' ? &p.out[left] : nullptr,
      p.attributes.Letter("compute_right", 'N') == 'V' ? &p.out[left + 1] : nullptr, p.context);
}

void SplitParts(const Matrix& values, Matrix& real, Matrix& imaginary) {
  for (int64_t i = 0; i < values.size(); ++i) {
    real[i] = Number(values[i].re);
    imaginary[i] = Number(values[i].im);
  }
}

absl::Status RealGeev(Problem& p) {
  if (NotFinite(p, 4)) return absl::OkStatus();
  Matrix values(p.in[0].rows(), 1);
  absl::Status status = Eigenvectors(p, values, 2);
  SplitParts(values, p.out[0], p.out[1]);
  return status;
}

absl::Status ComplexGeev(Problem& p) {
  if (NotFinite(p, 3)) return absl::OkStatus();
  return Eigenvectors(p, p.out[0], 1);
}

absl::Status Schur(Problem& p, bool real, Matrix& values) {
  if (p.attributes.Letter("sort", 'N') != 'N') {
    return absl::UnimplementedError("eigenvalues cannot be selected by a host function");
  }
  Matrix z;
  absl::Status status = real ? RealSchur(p.in[0], p.out[0], z, p.context)
                             : ComplexSchur(p.in[0], p.out[0], z, p.context);
  if (!status.ok()) return status;
  if (p.attributes.Letter("mode", 'V') == 'V') p.out[1] = z;
  Matrix t = p.out[0];
  const int64_t n = t.rows();
  for (int64_t k = 0; k + 1 < n; ++k) {
    if (!t(k + 1, k).is_zero()) Triangularise(t, z, k);
  }
  for (int64_t k = 0; k < n; ++k) values[k] = t(k, k);
  const Real norm = t.Frobenius();
  DropNoise(values, norm);
  DropNoise(p.out[0], norm);
  DropNoise(p.out[1], 1);
  return absl::OkStatus();
}

absl::Status RealGees(Problem& p) {
  if (NotFinite(p, 5)) return absl::OkStatus();
  Matrix values(p.in[0].rows(), 1);
  absl::Status status = Schur(p, true, values);
  SplitParts(values, p.out[2], p.out[3]);
  return status;
}

absl::Status ComplexGees(Problem& p) {
  if (NotFinite(p, 4)) return absl::OkStatus();
  return Schur(p, false, p.out[2]);
}

absl::Status Gehrd(Problem& p) {
  const int64_t n = p.in[0].rows();
  const int64_t low = p.attributes.Int("low", 1), high = p.attributes.Int("high", n);
  if (low < 1 || high > n || low > std::max<int64_t>(high, 1)) {
    return Refuse("low and high must be 1 <= low <= high <= n");
  }
  p.out[0] = p.in[0];
  Hessenberg(p.out[0], low, high, p.out[1]);
  return absl::OkStatus();
}

absl::Status Gtsv(Problem& p) {
  for (int i = 0; i < 4; ++i) p.out[i] = p.in[i];
  p.out[4][0] = Whole(SolveTridiagonal(p.out[0], p.out[1], p.out[2], p.out[3], 0));
  return absl::OkStatus();
}

// A zero pivot becomes the smallest that still counts in double precision beside the matrix.
absl::Status PerturbedTridiagonal(Problem& p) {
  Real greatest;
  for (int i = 0; i < 3; ++i) {
    for (int64_t k = 0; k < p.in[i].size(); ++k) greatest = std::max(greatest, Size(p.in[i][k]));
  }
  if (greatest.is_zero()) greatest = 1;
  p.out[0] = p.in[3];
  SolveTridiagonal(p.in[0], p.in[1], p.in[2], p.out[0], ldexp(greatest, -52));
  return absl::OkStatus();
}

// (data, row starts, columns, dense) -> product.
absl::Status SparseTimesDense(Problem& p) {
  const Matrix &data = p.in[0], &starts = p.in[1], &columns = p.in[2], &dense = p.in[3];
  for (int64_t i = 0; i + 1 < starts.size(); ++i) {
    const auto begin = static_cast<int64_t>(starts[i].re);
    const auto end = static_cast<int64_t>(starts[i + 1].re);
    if (begin < 0 || end > data.size()) return Refuse("a row is outside of the data");
    for (int64_t e = begin; e < end; ++e) {
      const auto column = static_cast<int64_t>(columns[e].re);
      if (column < 0 || column >= dense.rows()) return Refuse("a column is outside of the matrix");
      for (int64_t j = 0; j < dense.columns(); ++j) p.out[0](i, j) += data[e] * dense(column, j);
    }
  }
  return absl::OkStatus();
}

const std::vector<Row>& Rows() {
  static const auto* const rows = new std::vector<Row>{
      {"lapack_?potrf_ffi", "sdcz", {"nn"}, {"nn", ""}, Potrf},
      {"lapack_?trsm_ffi", "sdcz", {"aa", "mn"}, {"mn"}, Trsm},
      {"lapack_?getrf_ffi", "sdcz", {"mn"}, {"mn", "k", ""}, Getrf},
      {"LuDecomposition", "", {"mn"}, {"mn", "k", "m"}, LuDecomposition},
      {"lapack_?geqrf_ffi", "sdcz", {"mn"}, {"mn", "k"}, Geqrf},
      {"Qr", "", {"mn"}, {"mn", "k"}, Geqrf},
      {"lapack_?geqp3_ffi", "sdcz", {"mn", "n"}, {"mn", "n", "k"}, Geqp3},
      {"lapack_?orgqr_ffi", "sd", {"mn", "r"}, {"mn"}, Orgqr},
      {"lapack_?ungqr_ffi", "cz", {"mn", "r"}, {"mn"}, Orgqr},
      {"ProductOfElementaryHouseholderReflectors", "", {"mn", "r"}, {"mn"}, Orgqr},
      {"lapack_?ormqr_ffi", "sd", {"ab", "r", "mn"}, {"mn"}, Ormqr},
      {"lapack_?unmqr_ffi", "cz", {"ab", "r", "mn"}, {"mn"}, Ormqr},
      {"lapack_?syevd_ffi", "sd", {"nn"}, {"nn", "n", ""}, Syevd},
      {"lapack_?heevd_ffi", "cz", {"nn"}, {"nn", "n", ""}, Syevd},
      {"Eigh", "", {"nn"}, {"nn", "n"}, Eigh},
      {"lapack_?sytrd_ffi", "sd", {"nn"}, {"nn", "n", "p", "p", ""}, Sytrd},
      {"lapack_?hetrd_ffi", "cz", {"nn"}, {"nn", "n", "p", "p", ""}, Sytrd},
      {"lapack_?gesdd_ffi", "sdcz", {"mn"}, {"mn", "k", "ab", "cd", ""}, Gesdd},
      {"lapack_?gesvd_ffi", "sdcz", {"mn"}, {"mn", "k", "ab", "cd", ""}, Gesdd},
      {"lapack_?geev_ffi", "sd", {"nn"}, {"n", "n", "nn", "nn", ""}, RealGeev},
      {"lapack_?geev_ffi", "cz", {"nn"}, {"n", "nn", "nn", ""}, ComplexGeev},
      {"lapack_?gees_ffi", "sd", {"nn"}, {"nn", "nn", "n", "n", "", ""}, RealGees},
      {"lapack_?gees_ffi", "cz", {"nn"}, {"nn", "nn", "n", "", ""}, ComplexGees},
      {"lapack_?gehrd_ffi", "sdcz", {"nn"}, {"nn", "p", ""}, Gehrd},
      {"lapack_?gtsv_ffi", "sdcz", {"n", "n", "n", "nb"}, {"n", "n", "n", "nb", ""}, Gtsv},
      {"tridiagonal_solve_perturbed_ffi", "", {"n", "n", "n", "nb"}, {"nb"}, PerturbedTridiagonal},
      {"cpu_csr_sparse_dense_ffi", "", {"e", "s", "e", "ab"}, {"mb"}, SparseTimesDense},
      {"cpu_csr_sparse_dense_ffi", "", {"e", "s", "e", "a"}, {"m"}, SparseTimesDense},
  };
  return *rows;
}

// The sizes that letters stand for.
class Sizes {
 public:
  // False where a letter would stand for two sizes.
  bool Bind(char letter, int64_t size) {
    const int64_t known = Of(letter);
    if (known < 0) sizes_[letter - 'a'] = size;
    return known < 0 || known == size;
  }

 private:
  int64_t Of(char letter) const {
    if (letter == 'k') return std::min(sizes_['m' - 'a'], sizes_['n' - 'a']);
    if (letter == 'p') return std::max<int64_t>(sizes_['n' - 'a'] - 1, 0);
    return sizes_[letter - 'a'];
  }
  std::array<int64_t, 26> sizes_ = [] {
    std::array<int64_t, 26> none;
    none.fill(-1);
    return none;
  }();
};

// The batch dimensions of the first operand; none where a shape does not fit the row.
std::optional<Dimensions> BatchOf(const Row& row, absl::Span<const Shape* const> operands,
                                  absl::Span<const Shape* const> results) {
  if (operands.size() != row.operands.size() || results.size() != row.results.size()) return {};
  std::optional<Dimensions> batch;
  Sizes sizes;
  const auto fits = [&](const Shape& shape, absl::string_view letters) {
    const auto inner = static_cast<int64_t>(letters.size()), outer = shape.rank() - inner;
    if (!shape.is_array() || shape.is_dynamic() || outer < 0) return false;
    const Dimensions before(shape.dimensions().begin(), shape.dimensions().begin() + outer);
    if (!batch) batch = before;
    if (*batch != before) return false;
    for (int64_t i = 0; i < inner; ++i) {
      if (!sizes.Bind(letters[i], shape.dimension(outer + i))) return false;
    }
    return true;
  };
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!fits(*operands[i], row.operands[i])) return {};
  }
  for (size_t i = 0; i < results.size(); ++i) {
    if (!fits(*results[i], row.results[i])) return {};
  }
  return batch;
}

// An empty matrix of the sizes that the last dimensions have.
Matrix Empty(const Shape& shape, absl::string_view letters) {
  const auto inner = static_cast<int64_t>(letters.size());
  const auto size = [&](int64_t i) {
    return i < inner ? shape.dimension(shape.rank() - inner + i) : 1;
  };
  return Matrix(size(0), size(1));
}

// Holds the memory of one problem's numbers against the budget.
class Scratch {
 public:
  static absl::StatusOr<std::unique_ptr<Scratch>> Reserve(runtime::ScratchAccount* account,
                                                          int64_t bytes) {
    if (account != nullptr) {
      if (absl::Status status = account->Reserve(bytes); !status.ok()) return status;
    }
    return std::unique_ptr<Scratch>(new Scratch(account, bytes));
  }
  ~Scratch() {
    if (account_ != nullptr) account_->Release(bytes_);
  }

 private:
  Scratch(runtime::ScratchAccount* account, int64_t bytes) : account_(account), bytes_(bytes) {}
  runtime::ScratchAccount* account_;
  int64_t bytes_;
};

absl::Status SolveBatch(const CustomCall& call, const Row& row, int64_t problems,
                        absl::Span<const Shape* const> shapes, std::vector<Literal>& results) {
  const CallAttributes attributes = CallAttributes::Of(call.instruction);
  int64_t numbers = 0, longest = 1;
  const auto count = [&](const Matrix& matrix) {
    numbers += matrix.size();
    longest = std::max({longest, matrix.rows(), matrix.columns()});
  };
  Problem problem{attributes, call.instruction.annotations().backend_config, call.context, {}, {}};
  for (int64_t b = 0; b < problems; ++b) {
    problem.in.clear();
    problem.out.clear();
    for (size_t i = 0; i < row.operands.size(); ++i) {
      problem.in.push_back(Empty(call.operands[i].shape(), row.operands[i]));
      if (b == 0) count(problem.in.back());
    }
    for (size_t i = 0; i < row.results.size(); ++i) {
      problem.out.push_back(Empty(*shapes[i], row.results[i]));
      if (b == 0) count(problem.out.back());
    }
    absl::Status status = call.context.ChargeCostly(numbers * longest);
    if (!status.ok()) return status;
    for (size_t i = 0; i < problem.in.size(); ++i) {
      Matrix& matrix = problem.in[i];
      const ElementType type = call.operands[i].element_type();
      for (int64_t k = 0; k < matrix.size(); ++k) {
        matrix[k] = ToNumber(type, call.operands[i].Get(b * matrix.size() + k));
      }
    }
    status = row.solver(problem);
    if (absl::IsInvalidArgument(status)) return BadCall(call, status.message());
    if (!status.ok()) return status;
    for (size_t i = 0; i < results.size(); ++i) {
      const Matrix& matrix = problem.out[i];
      for (int64_t k = 0; k < matrix.size(); ++k) {
        results[i].Set(b * matrix.size() + k, ToElement(shapes[i]->element_type(), matrix[k]));
      }
    }
  }
  return absl::OkStatus();
}

// Storage of the factorisations: a few matrices of the size of all operands and results of one
// problem.
constexpr int64_t kCopies = 4;

absl::StatusOr<Literal> Solve(const CustomCall& call, absl::Span<const Row* const> candidates) {
  std::vector<const Shape*> operands;
  for (const Literal& operand : call.operands) operands.push_back(&operand.shape());
  const std::vector<const Shape*> shapes = ResultShapes(call);
  std::optional<Dimensions> batch;
  const Row* row = nullptr;
  for (size_t i = 0; i < candidates.size() && !batch; ++i) {
    row = candidates[i];
    batch = BatchOf(*row, operands, shapes);
  }
  if (!batch) {
    return BadCall(call, absl::StrCat("operands and results must be (",
                                      absl::StrJoin(candidates[0]->operands, ", "), ") -> (",
                                      absl::StrJoin(candidates[0]->results, ", "),
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
                                                 static_cast<int64_t>(sizeof(Number)));
  if (!scratch.ok()) return scratch.status();
  absl::Status status = SolveBatch(call, *row, problems, shapes, results);
  if (!status.ok()) return status;
  return AsResult(call, std::move(results));
}

}  // namespace

Targets LinearAlgebraTargets() {
  std::map<std::string, std::vector<const Row*>> rows;
  for (const Row& row : Rows()) {
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
                         return Solve(call, candidates);
                       }});
  }
  return targets;
}

}  // namespace assay::custom_calls
