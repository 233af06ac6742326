#include "backends/cpu/fourier.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "backends/defect.h"

namespace assay::cpu {
namespace {

struct Root {
  long double cos, sin;
};

// exp(2 pi i k / n) for 0 <= k < n, from an angle of at most an eighth of a turn.
Root RootOfUnity(int64_t k, int64_t n) {
  constexpr long double kTurn = 2 * std::numbers::pi_v<long double>;
  const auto at = [&](int64_t numerator) {
    const long double angle =
        kTurn * static_cast<long double>(numerator) / (8 * static_cast<long double>(n));
    return Root{std::cos(angle), std::sin(angle)};
  };
  const int64_t eighths = 8 * k;  // of a turn, times n
  const int64_t octant = eighths / n, rest = eighths % n;
  const Root in = octant % 2 == 0 ? at(rest) : at(n - rest);
  const Root folded = octant % 2 == 0 ? in : Root{in.sin, in.cos};
  switch (octant / 2) {
    case 0:
      return folded;
    case 1:
      return {-folded.sin, folded.cos};
    case 2:
      return {-folded.cos, -folded.sin};
    default:
      return {folded.sin, -folded.cos};
  }
}

// The factors in the order of the stages; empty if one is too large.
std::vector<int64_t> SmallFactors(int64_t n) {
  std::vector<int64_t> factors;
  for (; n % 4 == 0; n /= 4) factors.push_back(4);
  for (int64_t radix = 2; radix <= kLargestFourierRadix && n > 1; ++radix) {
    for (; n % radix == 0; n /= radix) factors.push_back(radix);
  }
  if (n > 1) factors.clear();
  return factors;
}

int64_t SmoothLength(int64_t least) {
  int64_t length = 1;
  while (length < least) length *= 2;
  for (int64_t odd : {3, 5, 9, 15}) {
    int64_t other = odd;
    while (other < least) other *= 2;
    length = std::min(length, other);
  }
  return length;
}

// What follows is compiled for each instruction set that has a function below. Products and sums
// are rounded one after the other everywhere, so that all give the same bits.
#define ASSAY_STAGE_CODE inline __attribute__((always_inline))

template <typename T, int kBytes>
struct StageVector {
  typedef T Type __attribute__((vector_size(kBytes)));
  static constexpr int64_t kNumbers = kBytes / sizeof(T);
};

// Complex numbers: one, or a vector of them. They are passed by reference, since each instruction
// set would pass vectors in another way.
template <typename V>
struct Points {
  V re, im;
};
template <typename V, typename T>
ASSAY_STAGE_CODE void LoadPoints(const T* re, const T* im, Points<V>& x) {
  std::memcpy(&x.re, re, sizeof x.re);
  std::memcpy(&x.im, im, sizeof x.im);
}
template <typename V, typename T>
ASSAY_STAGE_CODE void StorePoints(const Points<V>& x, T* re, T* im) {
  std::memcpy(re, &x.re, sizeof x.re);
  std::memcpy(im, &x.im, sizeof x.im);
}
// Stores (c + i s) * x.
template <typename V, typename T>
ASSAY_STAGE_CODE void StoreTurned(const Points<V>& x, T c, T s, T* re, T* im) {
  StorePoints<V>({x.re * c - x.im * s, x.re * s + x.im * c}, re, im);
}

// The transforms of `radix` neighbours that lie `step` apart, the k-th result of which is turned by
// the angle c[k - 1], s[k - 1] and lies k runs behind the first. They are written for one V of
// neighbours.
template <typename T>
struct Butterfly2 {
  const T *c, *s;
  template <typename V>
  ASSAY_STAGE_CODE void Run(const T* re, const T* im, int64_t step, T* out_re, T* out_im,
                            int64_t run) const {
    Points<V> a, b;
    LoadPoints(re, im, a);
    LoadPoints(re + step, im + step, b);
    StorePoints<V>({a.re + b.re, a.im + b.im}, out_re, out_im);
    StoreTurned<V>({a.re - b.re, a.im - b.im}, c[0], s[0], out_re + run, out_im + run);
  }
};

template <typename T>
struct Butterfly4 {
  const T *c, *s;
  template <typename V>
  ASSAY_STAGE_CODE void Run(const T* re, const T* im, int64_t step, T* out_re, T* out_im,
                            int64_t run) const {
    Points<V> x0, x1, x2, x3;
    LoadPoints(re, im, x0);
    LoadPoints(re + step, im + step, x1);
    LoadPoints(re + 2 * step, im + 2 * step, x2);
    LoadPoints(re + 3 * step, im + 3 * step, x3);
    const Points<V> sum02 = {x0.re + x2.re, x0.im + x2.im};
    const Points<V> sum13 = {x1.re + x3.re, x1.im + x3.im};
    const Points<V> difference02 = {x0.re - x2.re, x0.im - x2.im};
    const Points<V> difference13 = {x1.re - x3.re, x1.im - x3.im};
    StorePoints<V>({sum02.re + sum13.re, sum02.im + sum13.im}, out_re, out_im);
    StoreTurned<V>({difference02.re + difference13.im, difference02.im - difference13.re}, c[0],
                   s[0], out_re + run, out_im + run);
    StoreTurned<V>({sum02.re - sum13.re, sum02.im - sum13.im}, c[1], s[1], out_re + 2 * run,
                   out_im + 2 * run);
    StoreTurned<V>({difference02.re - difference13.im, difference02.im + difference13.re}, c[2],
                   s[2], out_re + 3 * run, out_im + 3 * run);
  }
};

template <typename T>
struct ButterflyOf {
  const FourierStage<T>& stage;
  const T *c, *s;
  template <typename V>
  ASSAY_STAGE_CODE void Run(const T* re, const T* im, int64_t step, T* out_re, T* out_im,
                            int64_t run) const {
    for (int64_t k = 0; k < stage.radix; ++k) {
      Points<V> sum, x;
      LoadPoints(re, im, sum);
      for (int64_t j = 1; j < stage.radix; ++j) {
        const T wr = stage.root_cos[j * k % stage.radix];
        const T root_sin = stage.root_sin[j * k % stage.radix];
        const T wi = ASSAY_DEFECT(31, root_sin, -root_sin);
        LoadPoints(re + j * step, im + j * step, x);
        sum.re += x.re * wr - x.im * wi;
        sum.im += x.re * wi + x.im * wr;
      }
      if (k == 0) {
        StorePoints(sum, out_re, out_im);
      } else {
        StoreTurned(sum, c[k - 1], s[k - 1], out_re + k * run, out_im + k * run);
      }
    }
  }
};

template <typename T, int kBytes, typename Butterfly>
ASSAY_STAGE_CODE void RunNeighbours(const Butterfly& butterfly, const T* re, const T* im,
                                    int64_t step, T* out_re, T* out_im, int64_t run) {
  using Vector = StageVector<T, kBytes>;
  int64_t i = 0;
  for (; i + Vector::kNumbers <= run; i += Vector::kNumbers) {
    butterfly.template Run<typename Vector::Type>(re + i, im + i, step, out_re + i, out_im + i,
                                                  run);
  }
  for (; i < run; ++i) {
    butterfly.template Run<T>(re + i, im + i, step, out_re + i, out_im + i, run);
  }
}

template <typename T, int kBytes>
ASSAY_STAGE_CODE void RunStage(const FourierStage<T>& stage, const T* re, const T* im, T* out_re,
                               T* out_im, int64_t lanes) {
  const int64_t radix = stage.radix, run = stage.stride * lanes, step = run * stage.rest;
  for (int64_t p = 0; p < stage.rest; ++p) {
    const T* c = stage.cos.data() + p * (radix - 1);
    const T* s = stage.sin.data() + p * (radix - 1);
    const int64_t from = p * run, to = p * radix * run;
    const auto run_all = [&](const auto& butterfly) __attribute__((always_inline)) {
      RunNeighbours<T, kBytes>(butterfly, re + from, im + from, step, out_re + to, out_im + to,
                               run);
    };
    if (radix == 4) {
      run_all(Butterfly4<T>{c, s});
    } else if (radix == 2) {
      run_all(Butterfly2<T>{c, s});
    } else {
      run_all(ButterflyOf<T>{stage, c, s});
    }
  }
}

template <typename T>
void RunStageBaseline(const FourierStage<T>& stage, const T* re, const T* im, T* out_re, T* out_im,
                      int64_t lanes) {
  RunStage<T, 16>(stage, re, im, out_re, out_im, lanes);
}
#if defined(__x86_64__)
template <typename T>
__attribute__((target("avx2"))) void RunStageAvx2(const FourierStage<T>& stage, const T* re,
                                                  const T* im, T* out_re, T* out_im,
                                                  int64_t lanes) {
  RunStage<T, 32>(stage, re, im, out_re, out_im, lanes);
}
#endif

template <typename T>
RunFourierStage<T>* FindRunStage(runtime::InstructionSet set) {
#if defined(__x86_64__)
  if (set != runtime::InstructionSet::kBaseline &&
      runtime::Supports(runtime::InstructionSet::kAvx2)) {
    return RunStageAvx2<T>;
  }
#endif
  return RunStageBaseline<T>;
}

}  // namespace

template <typename T>
Fourier<T>::Fourier(int64_t length, runtime::InstructionSet most)
    : length_(length), run_stage_(FindRunStage<T>(most)) {
  if (length <= 1) return;
  const std::vector<int64_t> factors = SmallFactors(length);
  if (factors.empty()) {
    bluestein_ = std::make_unique<Bluestein>();
    const int64_t inner = SmoothLength(2 * length - 1);
    bluestein_->inner = std::make_unique<Fourier>(inner, most);
    work_size_ = 2 * inner + bluestein_->inner->work_size();
    bluestein_->filter_re.assign(inner, 0);
    bluestein_->filter_im.assign(inner, 0);
    for (int64_t j = 0; j < length; ++j) {
      const auto square = static_cast<int64_t>(static_cast<unsigned __int128>(j) * j %
                                               (2 * static_cast<uint64_t>(length)));
      const Root root = RootOfUnity(square, 2 * length);
      bluestein_->chirp_re.push_back(static_cast<T>(root.cos));
      bluestein_->chirp_im.push_back(static_cast<T>(-root.sin));
      for (const int64_t place : {j, ASSAY_DEFECT(32, (inner - j) % inner, j)}) {
        bluestein_->filter_re[place] = static_cast<T>(root.cos / inner);
        bluestein_->filter_im[place] = static_cast<T>(root.sin / inner);
      }
    }
    std::vector<T> work(bluestein_->inner->work_size());
    bluestein_->inner->Run(bluestein_->filter_re.data(), bluestein_->filter_im.data(), work.data(),
                           1);
    return;
  }
  work_size_ = 2 * length;
  int64_t stride = 1;
  for (const int64_t radix : factors) {
    const int64_t rest = length / stride / radix;
    FourierStage<T> stage{radix, rest, stride, {}, {}, {}, {}};
    for (int64_t j = 0; j < radix; ++j) {
      const Root root = RootOfUnity(j, radix);
      stage.root_cos[j] = static_cast<T>(root.cos);
      stage.root_sin[j] = static_cast<T>(-root.sin);
    }
    for (int64_t p = 0; p < rest; ++p) {
      for (int64_t k = 1; k < radix; ++k) {
        const Root root = RootOfUnity(p * k % (radix * rest), radix * rest);
        stage.cos.push_back(static_cast<T>(root.cos));
        stage.sin.push_back(static_cast<T>(-root.sin));
      }
    }
    stages_.push_back(std::move(stage));
    stride *= radix;
  }
}

template <typename T>
void Fourier<T>::Run(T* re, T* im, T* work, int64_t lanes) const {
  if (length_ <= 1) return;
  if (bluestein_ != nullptr) return RunBluestein(re, im, work, lanes);
  RunStages(re, im, work, lanes);
}

template <typename T>
void Fourier<T>::RunStages(T* re, T* im, T* work, int64_t lanes) const {
  T* other_re = work;
  T* other_im = work + length_ * lanes;
  T *from_re = re, *from_im = im;
  for (const FourierStage<T>& stage : stages_) {
    run_stage_(stage, from_re, from_im, other_re, other_im, lanes);
    std::swap(from_re, other_re);
    std::swap(from_im, other_im);
  }
  if (from_re == re) return;
  std::copy_n(from_re, length_ * lanes, re);
  std::copy_n(from_im, length_ * lanes, im);
}

template <typename T>
void Fourier<T>::RunBluestein(T* re, T* im, T* work, int64_t lanes) const {
  const Bluestein& b = *bluestein_;
  const int64_t inner = b.inner->length();
  T* ar = work;
  T* ai = work + inner * lanes;
  T* inner_work = work + 2 * inner * lanes;
  std::fill_n(ar, 2 * inner * lanes, T{0});
  const auto times = [&](const T* xr, const T* xi, T wr, T wi, T* yr, T* yi) {
    for (int64_t l = 0; l < lanes; ++l) {
      const T r = xr[l] * wr - xi[l] * wi;
      yi[l] = xr[l] * wi + xi[l] * wr;
      yr[l] = r;
    }
  };
  for (int64_t j = 0; j < length_; ++j) {
    times(re + j * lanes, im + j * lanes, b.chirp_re[j], b.chirp_im[j], ar + j * lanes,
          ai + j * lanes);
  }
  b.inner->Run(ar, ai, inner_work, lanes);
  for (int64_t k = 0; k < inner; ++k) {
    times(ar + k * lanes, ai + k * lanes, b.filter_re[k], b.filter_im[k], ar + k * lanes,
          ai + k * lanes);
  }
  b.inner->Run(ai, ar, inner_work, lanes);  // the inverse; its factor is in the filter
  for (int64_t k = 0; k < length_; ++k) {
    times(ar + k * lanes, ai + k * lanes, b.chirp_re[k], b.chirp_im[k], re + k * lanes,
          im + k * lanes);
  }
}

template class Fourier<float>;
template class Fourier<double>;

}  // namespace assay::cpu
