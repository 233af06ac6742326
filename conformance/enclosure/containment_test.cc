// Random programs, each run many times on a randomised conforming target (randomised_target.h). No
// value may lie outside of the enclosure.
#include <cmath>
#include <random>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "conformance/enclosure/enclosure.h"
#include "conformance/enclosure/randomised_target.h"
#include "spec/testing/schedule.h"
#include "spec/text/parser.h"

namespace assay::conformance {
namespace {

using containment::Decode;
using containment::Encode;
using containment::kElements;
using containment::kSide;
using containment::RandomisedTarget;

enum class Steps { kElementwise, kBasic, kAll };

// A program of T[4,4] values; every step takes some of those before it.
class ProgramWriter {
 public:
  ProgramWriter(std::mt19937& random, ElementType type, Steps steps)
      : random_(random), type_(type), steps_(steps) {}

  std::string Write(int length) {
    text_ =
        "HloModule m\nadd { a = T[] parameter(0)\n b = T[] parameter(1)\n"
        " ROOT s = T[] add(a, b) }\n"
        "ge { a = T[] parameter(0)\n b = T[] parameter(1)\n"
        " ROOT s = pred[] compare(a, b), direction=GE }\n"
        "turn { s = (s32[], A, A) parameter(0)\n i = s32[] get-tuple-element(s), index=0\n"
        " x = A get-tuple-element(s), index=1\n y = A get-tuple-element(s), index=2\n"
        " one = s32[] constant(1)\n j = s32[] add(i, one)\n z = A tanh(x)\n"
        " w = A multiply(z, y)\n v = A add(w, x)\n ROOT t = (s32[], A, A) tuple(j, v, y) }\n"
        "again { s = (s32[], A, A) parameter(0)\n i = s32[] get-tuple-element(s), index=0\n"
        " n = s32[] constant(3)\n ROOT c = pred[] compare(i, n), direction=LT }\n"
        "twice { s = A parameter(0)\n ROOT d = A add(s, s) }\n"
        "less { s = A parameter(0)\n ROOT d = A negate(s) }\n"
        "ENTRY e {\n x0 = A parameter(0)\n x1 = A parameter(1)\n zero = T[] constant(0)\n";
    for (int i = 0; i < length; ++i) Append(i + 1 == length);
    const std::string wide = type_ == ElementType::kF64 ? "f64" : "f32";
    return absl::StrReplaceAll(absl::StrCat(text_, "}\n"),
                               {{"S ", absl::StrCat(wide, "[4,4] ")},
                                {"C ", wide == "f64" ? "c128[4,4] " : "c64[4,4] "},
                                {"C,", wide == "f64" ? "c128[4,4]," : "c64[4,4],"},
                                {"lapack_r", wide == "f64" ? "lapack_d" : "lapack_s"},
                                {"lapack_i", wide == "f64" ? "lapack_z" : "lapack_c"},
                                {"S,", absl::StrCat(wide, "[4,4],")},
                                {"S[", absl::StrCat(wide, "[")},
                                {"A ", absl::StrCat(Name(type_), "[4,4] ")},
                                {"A,", absl::StrCat(Name(type_), "[4,4],")},
                                {"A)", absl::StrCat(Name(type_), "[4,4])")},
                                {"T[", absl::StrCat(Name(type_), "[")}});
  }

 private:
  std::string Pick() {
    return absl::StrCat("x", count_ - 1 - std::min<int>(random_() % 3, count_ - 1));
  }

  void Append(bool root) {
    static const char* const kUnary[] = {
        "exponential", "tanh", "logistic",     "sine", "abs",   "negate", "cosine",
        "sqrt",        "cbrt", "log-plus-one", "erf",  "floor", "rsqrt",  "log"};
    static const char* const kBinary[] = {"add",    "subtract", "multiply",
                                          "divide", "maximum",  "minimum"};
    const std::string name = absl::StrCat(root ? " ROOT x" : " x", count_, " = A ");
    const std::string a = Pick(), b = Pick(), c = Pick(), d = Pick(), n = absl::StrCat(count_);
    const int kinds = steps_ == Steps::kElementwise ? 6 : steps_ == Steps::kBasic ? 10 : 25;
    switch (random_() % kinds) {
      case 0:
      case 1:
      case 2:
        absl::StrAppend(&text_, name, kUnary[random_() % std::size(kUnary)], "(", a, ")\n");
        break;
      case 3:
      case 4:
      case 5:
        absl::StrAppend(&text_, name, kBinary[random_() % std::size(kBinary)], "(", a, ", ", b,
                        ")\n");
        break;
      case 6:
        absl::StrAppend(&text_, " r", n, " = T[4] reduce(", a,
                        ", zero), dimensions={1}, to_apply=add\n", name, "broadcast(r", n,
                        "), dimensions={0}\n");
        break;
      case 7:
        absl::StrAppend(&text_, name, "dot(", a, ", ", b,
                        "), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n");
        break;
      case 8:
        absl::StrAppend(&text_, " p", n, " = pred[4,4] compare(", a, ", ", b, "), direction=LT\n",
                        name, "select(p", n, ", ", c, ", ", d, ")\n");
        break;
      case 9:
        absl::StrAppend(&text_, name, "transpose(", a, "), dimensions={1,0}\n");
        break;
      case 10: {
        static const char* const kOther[] = {"f32", "bf16", "f16", "f64"};
        const char* other = kOther[random_() % std::size(kOther)];
        absl::StrAppend(&text_, " o", n, " = ", other, "[4,4] convert(", a, ")\n", name,
                        "convert(o", n, ")\n");
        break;
      }
      case 11:
        absl::StrAppend(&text_, name, "reduce-window(", a,
                        ", zero), window={size=1x4 pad=0_0x3_0}, to_apply=add\n");
        break;
      case 12:
        absl::StrAppend(&text_, " i", n, " = s32[4] constant({0, 2, 2, 1})\n", name, "scatter(", a,
                        ", i", n, ", ", b,
                        "), update_window_dims={1}, inserted_window_dims={0}, "
                        "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add\n");
        break;
      case 13:
        absl::StrAppend(&text_, " i", n, " = s32[] constant(0)\n t", n, " = (s32[], A, A) tuple(i",
                        n, ", ", a, ", ", b, ")\n w", n, " = (s32[], A, A) while(t", n,
                        "), condition=again, body=turn\n", name, "get-tuple-element(w", n,
                        "), index=1\n");
        break;
      case 14:
        absl::StrAppend(&text_, " sv", n, " = S convert(", a, ")\n fv", n, " = ",
                        type_ == ElementType::kF64 ? "c128" : "c64", "[4,3] fft(sv", n,
                        "), fft_type=RFFT, fft_length={4}\n g", n, " = S fft(fv", n,
                        "), fft_type=IRFFT, fft_length={4}\n", name, "convert(g", n, ")\n");
        break;
      case 15:
        absl::StrAppend(&text_, " sv", n, " = S convert(", a, ")\n t", n, " = S abs(sv", n,
                        ")\n uv", n, " = S[] constant(2)\n v", n, " = S broadcast(uv", n,
                        "), dimensions={}\n w", n, " = S add(t", n, ", v", n, ")\n r", n,
                        " = S convert(", b, ")\n");
        Solve("S ", absl::StrCat("w", n), absl::StrCat("r", n), n);
        absl::StrAppend(&text_, name, "convert(y", n, ")\n");
        break;
      case 16:  // tanh(a) tanh(a)^T + 6
        absl::StrAppend(&text_, " sv", n, " = S convert(", a, ")\n t", n, " = S tanh(sv", n,
                        ")\n tt", n, " = S transpose(t", n, "), dimensions={1,0}\n");
        AddProduct("q", "t", "tt", n);
        absl::StrAppend(&text_, " uv", n, kSixes, " v", n, " = S add(q", n, ", uv", n, ")\n");
        Factor("S ", absl::StrCat("v", n), n);
        Mask(absl::StrCat("y", n), name, n);
        break;
      case 20:  // |a| + 2 + i tanh(b) and b + i tanh(b)
        absl::StrAppend(&text_, " sv", n, " = S convert(", a, ")\n t", n, " = S abs(sv", n,
                        ")\n uv", n, " = S[] constant(2)\n v", n, " = S broadcast(uv", n,
                        "), dimensions={}\n w", n, " = S add(t", n, ", v", n, ")\n r", n,
                        " = S convert(", b, ")\n h", n, " = S tanh(r", n, ")\n wc", n,
                        " = C complex(w", n, ", h", n, ")\n rc", n, " = C complex(r", n, ", h", n,
                        ")\n");
        Solve("C ", absl::StrCat("wc", n), absl::StrCat("rc", n), n);
        absl::StrAppend(&text_, " z", n, random_() % 2 == 0 ? " = S real(y" : " = S imag(y", n,
                        ")\n", name, "convert(z", n, ")\n");
        break;
      case 23:  // of a, or of a + i b
        Eliminate(a, b, name, n);
        break;
      case 22:
        Decide(a, b, c, name, n);
        break;
      case 21:  // t t^H + 6, where t = tanh(a) + i tanh(b)
        absl::StrAppend(&text_, " sv", n, " = S convert(", a, ")\n t", n, " = S tanh(sv", n,
                        ")\n tt", n, " = S transpose(t", n, "), dimensions={1,0}\n rv", n,
                        " = S convert(", b, ")\n k", n, " = S tanh(rv", n, ")\n kt", n,
                        " = S transpose(k", n, "), dimensions={1,0}\n");
        AddProduct("q", "t", "tt", n);
        AddProduct("qu", "k", "kt", n);
        AddProduct("qi", "k", "tt", n);
        AddProduct("qj", "t", "kt", n);
        absl::StrAppend(&text_, " uv", n, kSixes, " q2", n, " = S add(q", n, ", qu", n, ")\n v", n,
                        " = S add(q2", n, ", uv", n, ")\n vi", n, " = S subtract(qi", n, ", qj", n,
                        ")\n vc", n, " = C complex(v", n, ", vi", n, ")\n");
        Factor("C ", absl::StrCat("vc", n), n);
        absl::StrAppend(&text_, " z", n, random_() % 2 == 0 ? " = S real(y" : " = S imag(y", n,
                        ")\n");
        Mask(absl::StrCat("z", n), name, n);
        break;
      case 17:  // windows that overlap, in which values may lie close together
        absl::StrAppend(&text_, " q", n, " = T[4,2] slice(", b, "), slice={[0:4], [1:3]}\n", name,
                        "select-and-scatter(", a, ", q", n,
                        ", zero), window={size=1x3 stride=1x1}, select=ge, scatter=add\n");
        break;
      case 18:
      case 19:
        Normalize(a, b, name, n);
        break;
      default:
        absl::StrAppend(&text_, " l", n, " = T[] constant(-100)\n h", n, " = T[] constant(100)\n k",
                        n, " = A clamp(l", n, ", ", a, ", h", n, ")\n i", n, " = s8[4,4] convert(k",
                        n, ")\n", name, "convert(i", n, ")\n");
        break;
    }
    ++count_;
  }

  void Eliminate(const std::string& a, const std::string& b, const std::string& name,
                 const std::string& n) {
    const bool complex = random_() % 2 == 0;
    absl::StrAppend(
        &text_, " sv", n, " = S convert(", a, ")\n rv", n, " = S convert(", b, ")\n vc", n,
        " = C complex(sv", n, ", rv", n, ")\n fac", n,
        complex ? " = (C, s32[4], s32[]) custom-call(vc" : " = (S, s32[4], s32[]) custom-call(sv",
        n, "), custom_call_target=\"lapack_", complex ? "i" : "r",
        "getrf_ffi\", api_version=API_VERSION_TYPED_FFI\n y", n, complex ? " = C " : " = S ",
        "get-tuple-element(fac", n, "), index=0\n z", n, " = S real(y", n, ")\n", name, "convert(z",
        n, ")\n");
  }

  // Rows of a and c from a place that b gives, through a branch on b.
  void Decide(const std::string& a, const std::string& b, const std::string& c,
              const std::string& name, const std::string& n) {
    absl::StrAppend(&text_, " t", n, " = A tanh(", b, ")\n v", n, " = T[1,1] slice(t", n,
                    "), slice={[0:1], [0:1]}\n w", n, " = T[] reshape(v", n, ")\n q", n,
                    " = T[] constant(9)\n k", n, " = T[] multiply(w", n, ", q", n, ")\n h", n,
                    " = T[] floor(k", n, ")\n i", n, " = s32[] convert(h", n, ")\n five", n,
                    " = s32[] constant(5)\n j", n, " = s32[] subtract(i", n, ", five", n,
                    ")\n zeros", n, " = s32[] constant(0)\n both", n, " = T[8,4] concatenate(", a,
                    ", ", c, "), dimensions={0}\n rows", n, " = A dynamic-slice(both", n, ", j", n,
                    ", zeros", n, "), dynamic_slice_sizes={4,4}\n l", n, " = T[] constant(0.9)\n p",
                    n, " = pred[] compare(w", n, ", l", n, "), direction=LT\n", name,
                    "conditional(p", n, ", rows", n, ", ", a,
                    "), true_computation=twice, false_computation=less\n");
  }

  static constexpr char kSixes[] = " = S constant({{6,0,0,0},{0,6,0,0},{0,0,6,0},{0,0,0,6}})\n";
  void AddProduct(const char* to, const char* left, const char* right, const std::string& n) {
    absl::StrAppend(&text_, " ", to, n, " = S dot(", left, n, ", ", right, n,
                    "), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n");
  }

  // y with w y = r, or y w = r; by the operation or by LAPACK's.
  void Solve(const std::string& type, const std::string& w, const std::string& r,
             const std::string& n) {
    absl::StrAppend(&text_, " y", n, " = ", type);
    if (random_() % 3 == 0) {
      absl::StrAppend(&text_, "custom-call(", w, ", ", r, "), custom_call_target=\"lapack_",
                      type == "C " ? "i" : "r",
                      "trsm_ffi\", api_version=API_VERSION_TYPED_FFI, backend_config={side = 76 : "
                      "ui8, uplo = 76 : ui8, trans_x = 78 : ui8, diag = 78 : ui8}\n");
      return;
    }
    absl::StrAppend(&text_, "triangular-solve(", w, ", ", r,
                    random_() % 2 == 0 ? "), left_side=true, lower=true, "
                                       : "), left_side=false, lower=false, ",
                    "unit_diagonal=false, transpose_a=NO_TRANSPOSE\n");
  }

  // y y^H = v; by the operation or by LAPACK's.
  void Factor(const std::string& type, const std::string& v, const std::string& n) {
    if (random_() % 3 == 0) {
      absl::StrAppend(&text_, " fac", n, " = (", type.substr(0, 1), ", s32[]) custom-call(", v,
                      "), custom_call_target=\"lapack_", type == "C " ? "i" : "r",
                      "potrf_ffi\", api_version=API_VERSION_TYPED_FFI, "
                      "backend_config={uplo = 76 : ui8}\n y",
                      n, " = ", type, "get-tuple-element(fac", n, "), index=0\n");
      return;
    }
    absl::StrAppend(&text_, " y", n, " = ", type, "cholesky(", v, "), lower=true\n");
  }

  // The other triangle may be anything.
  void Mask(const std::string& factor, const std::string& name, const std::string& n) {
    absl::StrAppend(
        &text_, " p", n, " = pred[4,4] constant({{1,0,0,0},{1,1,0,0},{1,1,1,0},{1,1,1,1}})\n m", n,
        " = S select(p", n, ", ", factor, ", uv", n, ")\n", name, "convert(m", n, ")\n");
  }

  // Statistics and parameters are the first two rows of b, one of them squared.
  void Normalize(const std::string& a, const std::string& b, const std::string& name,
                 const std::string& n) {
    absl::StrAppend(&text_, " sv", n, " = S convert(", a, ")\n r", n, " = S convert(", b, ")\n q",
                    n, " = S[1,4] slice(r", n, "), slice={[0:1], [0:4]}\n g", n,
                    " = S[4] reshape(q", n, ")\n t", n, " = S[1,4] slice(r", n,
                    "), slice={[1:2], [0:4]}\n o", n, " = S[4] reshape(t", n, ")\n v", n,
                    " = S[4] multiply(o", n, ", o", n, ")\n");
    const std::string attributes = "), epsilon=0.5, feature_index=1\n";
    const int leaf = static_cast<int>(random_() % 3);
    const int kind = static_cast<int>(random_() % 3);
    std::string result = absl::StrCat("y", n);
    if (kind == 0) {
      absl::StrAppend(&text_, " y", n, " = S batch-norm-inference(sv", n, ", g", n, ", o", n, ", g",
                      n, ", v", n, attributes);
    } else {
      absl::StrAppend(&text_, " z", n, " = (S[4,4], S[4], S[4]) batch-norm-",
                      kind == 1 ? "training(sv" : "grad(sv", n, ", g", n, ", o", n);
      if (kind == 2) absl::StrAppend(&text_, ", v", n, ", r", n);
      absl::StrAppend(&text_, attributes, leaf == 0 ? " y" : " w", n,
                      leaf == 0 ? " = S " : " = S[4] ", "get-tuple-element(z", n, "), index=", leaf,
                      "\n");
      if (leaf != 0) {
        absl::StrAppend(&text_, " y", n, " = S broadcast(w", n, "), dimensions={1}\n");
      }
    }
    absl::StrAppend(&text_, name, "convert(y", n, ")\n");
  }

  std::mt19937& random_;
  const ElementType type_;
  const Steps steps_;
  std::string text_;
  int count_ = 2;
};

// Wild ones have zeros, infinities, NaNs, and numbers that overflow or underflow soon.
Literal RandomArgument(std::mt19937& random, ElementType type, bool wild) {
  Literal literal = Literal::Zeros(Shape(type, {kSide, kSide}));
  std::uniform_real_distribution<double> benign(0.25, 3.0);
  const double largest = DecodeFloat(type, MaxFinite(type));
  const double special[] = {0.0,     -0.0,         INFINITY,      -INFINITY, NAN,
                            largest, largest / -2, 1.5 / largest, -1.0};
  for (int64_t i = 0; i < kElements; ++i) {
    Encode(&literal, i, random() % 8 == 0 ? -benign(random) : benign(random));
    if (wild && random() % 4 == 0) Encode(&literal, i, special[random() % std::size(special)]);
  }
  return literal;
}

TEST(ContainmentTest, NoConformingValueLiesOutside) {
  auto profile = TargetProfile::Find("xla-cpu");
  ASSERT_TRUE(profile.ok()) << profile.status();
  constexpr ElementType kTypes[] = {ElementType::kF32, ElementType::kBF16, ElementType::kF32,
                                    ElementType::kF16, ElementType::kF32,  ElementType::kF64};
  constexpr int64_t kPrograms = Scheduled(600), kRuns = Scheduled(48);
  std::mt19937 random(20261122);
  int64_t evaluations = 0, tame = 0, judged = 0, moved = 0;
  for (int program = 0; program < kPrograms; ++program) {
    const ElementType type = kTypes[program % std::size(kTypes)];
    const bool wild = program % 5 == 4;
    const std::string text =
        ProgramWriter(random, type, program % 3 == 0 ? Steps::kBasic : Steps::kAll)
            .Write(2 + program % 7);
    auto module = ParseModule(text);
    ASSERT_TRUE(module.ok()) << module.status() << "\n" << text;
    const std::vector<Literal> arguments = {RandomArgument(random, type, wild),
                                            RandomArgument(random, type, wild)};
    auto enclosure = Enclose(**module, arguments, *profile, RunBudget{});
    ASSERT_TRUE(enclosure.ok()) << enclosure.status() << "\n" << text;
    auto golden = Interpret(**module, arguments);
    ASSERT_TRUE(golden.ok()) << golden.status();
    const RandomisedTarget target(**module, *profile);
    for (int run = 0; run < kRuns; ++run) {
      const Literal actual = target.Run(arguments, random);
      auto judgement = JudgeWhole(*enclosure, *golden, actual);
      ASSERT_TRUE(judgement.ok()) << judgement.status();
      ++evaluations;
      ASSERT_NE(judgement->verdict, Verdict::kWrong)
          << text << "golden " << judgement->evidence[0].golden << " actual "
          << judgement->evidence[0].actual << ": " << judgement->evidence[0].reason;
      if (wild) continue;
      tame += kElements;
      judged += kElements - judgement->counts[static_cast<int>(Verdict::kNotJudgeable)];
      moved += judgement->counts[static_cast<int>(Verdict::kWithinBound)];
    }
  }
  EXPECT_EQ(evaluations, kPrograms * kRuns);
  // It would mean little if nothing were known or nothing moved.
  EXPECT_GT(judged, tame * 7 / 10);
  EXPECT_GT(moved, tame / 10);
}

// Of every chain of elementwise operations the interval is at most four times as wide as what is
// seen of it: the geometric mean over its elements.
class ChainTest : public testing::TestWithParam<const char*> {};

TEST_P(ChainTest, IsEnclosedTightly) {
  auto profile = TargetProfile::Find("xla-cpu");
  ASSERT_TRUE(profile.ok());
  std::mt19937 random(7);
  std::string chain;
  int step = 2;
  for (const std::string& operation : std::vector<std::string>(absl::StrSplit(GetParam(), "; "))) {
    absl::StrAppend(&chain, " x", step++, " = f32[4,4] ", operation, "\n");
  }
  chain.insert(chain.rfind(" x", chain.rfind(" = ")), " ROOT");
  auto module = ParseModule(absl::StrCat(
      "HloModule m\nENTRY e {\n x0 = f32[4,4] parameter(0)\n x1 = f32[4,4] parameter(1)\n", chain,
      "}\n"));
  ASSERT_TRUE(module.ok()) << module.status() << chain;
  std::vector<Literal> arguments = {RandomArgument(random, ElementType::kF32, false),
                                    RandomArgument(random, ElementType::kF32, false)};
  for (Literal& argument : arguments) {
    for (int64_t i = 0; i < kElements; ++i) Encode(&argument, i, std::fabs(Decode(argument, i)));
  }
  auto enclosure = Enclose(**module, arguments, *profile, RunBudget{});
  ASSERT_TRUE(enclosure.ok()) << enclosure.status();
  const RandomisedTarget target(**module, *profile);
  std::vector<double> least(kElements, INFINITY), greatest(kElements, -INFINITY);
  for (int run = 0; run < 2000; ++run) {
    const Literal actual = target.Run(arguments, random);
    for (int i = 0; i < kElements; ++i) {
      least[i] = std::min(least[i], Decode(actual, i));
      greatest[i] = std::max(greatest[i], Decode(actual, i));
    }
  }
  double sum_of_logs = 0;
  for (int i = 0; i < kElements; ++i) {
    const double low = Decode(enclosure->box().low, i), high = Decode(enclosure->box().high, i);
    EXPECT_LE(low, least[i]);
    EXPECT_GE(high, greatest[i]);
    ASSERT_GT(greatest[i], least[i]);
    sum_of_logs += std::log((high - low) / (greatest[i] - least[i]));
  }
  const double ratio = std::exp(sum_of_logs / kElements);
  RecordProperty("ratio", absl::StrCat(ratio));
  EXPECT_LE(ratio, 4.0);
}

INSTANTIATE_TEST_SUITE_P(
    All, ChainTest,
    testing::Values(
        "exponential(x0); multiply(x2, x1); tanh(x3)",
        "logistic(x0); add(x2, x1); log(x3); multiply(x4, x1)",
        "sine(x0); cosine(x2); divide(x1, x3); sqrt(x4)", "tanh(x0); exponential(x2); rsqrt(x3)",
        "sqrt(x0); log-plus-one(x2); divide(x3, x1)",
        "negate(x0); exponential(x2); add(x3, x1); log(x4)",
        "exponential(x0); add(x2, x1); divide(x0, x3)", "cbrt(x0); erf(x2); multiply(x3, x1)",
        "atan2(x0, x1); sine(x2); exponential(x3)", "power(x0, x1); log(x2); logistic(x3)",
        "exponential-minus-one(x0); rsqrt(x2); maximum(x3, x1); tanh(x4)",
        "cosine(x0); abs(x2); sqrt(x3); multiply(x4, x4)"));

}  // namespace
}  // namespace assay::conformance
