#include "backends/cpu/fourier.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "backends/cpu/defect.h"

namespace assay::cpu {
namespace {

constexpr int64_t kLargestRadix = 13;

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
  for (int64_t radix = 2; radix <= kLargestRadix && n > 1; ++radix) {
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

// y_k = w^k * (DFT of radix numbers)_k for a run of neighbours.
template <typename T>
void Butterfly2(const T* re, const T* im, int64_t step, T c, T s, T* out_re, T* out_im,
                int64_t run) {
  for (int64_t i = 0; i < run; ++i) {
    const T ar = re[i], ai = im[i], br = re[i + step], bi = im[i + step];
    const T dr = ar - br, di = ai - bi;
    out_re[i] = ar + br;
    out_im[i] = ai + bi;
    out_re[i + run] = dr * c - di * s;
    out_im[i + run] = dr * s + di * c;
  }
}

template <typename T>
void Butterfly4(const T* re, const T* im, int64_t step, const T* c, const T* s, T* out_re,
                T* out_im, int64_t run) {
  const T c1 = c[0], s1 = s[0], c2 = c[1], s2 = s[1], c3 = c[2], s3 = s[2];
  for (int64_t i = 0; i < run; ++i) {
    const T ar = re[i], ai = im[i];
    const T br = re[i + step], bi = im[i + step];
    const T cr = re[i + 2 * step], ci = im[i + 2 * step];
    const T dr = re[i + 3 * step], di = im[i + 3 * step];
    const T apc_r = ar + cr, apc_i = ai + ci, amc_r = ar - cr, amc_i = ai - ci;
    const T bpd_r = br + dr, bpd_i = bi + di, bmd_r = br - dr, bmd_i = bi - di;
    const T y1r = amc_r + bmd_i, y1i = amc_i - bmd_r;
    const T y2r = apc_r - bpd_r, y2i = apc_i - bpd_i;
    const T y3r = amc_r - bmd_i, y3i = amc_i + bmd_r;
    out_re[i] = apc_r + bpd_r;
    out_im[i] = apc_i + bpd_i;
    out_re[i + run] = y1r * c1 - y1i * s1;
    out_im[i + run] = y1r * s1 + y1i * c1;
    out_re[i + 2 * run] = y2r * c2 - y2i * s2;
    out_im[i + 2 * run] = y2r * s2 + y2i * c2;
    out_re[i + 3 * run] = y3r * c3 - y3i * s3;
    out_im[i + 3 * run] = y3r * s3 + y3i * c3;
  }
}

template <typename T>
void ButterflyOf(int64_t radix, const T* root_cos, const T* root_sin, const T* re, const T* im,
                 int64_t step, const T* c, const T* s, T* out_re, T* out_im, int64_t run) {
  for (int64_t k = 0; k < radix; ++k) {
    T* yr = out_re + k * run;
    T* yi = out_im + k * run;
    std::copy_n(re, run, yr);
    std::copy_n(im, run, yi);
    for (int64_t j = 1; j < radix; ++j) {
      const T wr = root_cos[j * k % radix];
      const T wi = ASSAY_DEFECT(31, root_sin[j * k % radix], -root_sin[j * k % radix]);
      const T* xr = re + j * step;
      const T* xi = im + j * step;
      for (int64_t i = 0; i < run; ++i) {
        yr[i] += xr[i] * wr - xi[i] * wi;
        yi[i] += xr[i] * wi + xi[i] * wr;
      }
    }
    if (k == 0) continue;
    const T wr = c[k - 1], wi = s[k - 1];
    for (int64_t i = 0; i < run; ++i) {
      const T r = yr[i];
      yr[i] = r * wr - yi[i] * wi;
      yi[i] = r * wi + yi[i] * wr;
    }
  }
}

}  // namespace

template <typename T>
Fourier<T>::Fourier(int64_t length) : length_(length) {
  if (length <= 1) return;
  const std::vector<int64_t> factors = SmallFactors(length);
  if (factors.empty()) {
    bluestein_ = std::make_unique<Bluestein>();
    const int64_t inner = SmoothLength(2 * length - 1);
    bluestein_->inner = std::make_unique<Fourier>(inner);
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
    Stage stage{radix, rest, stride, {}, {}};
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
  for (const Stage& stage : stages_) {
    RunStage(stage, from_re, from_im, other_re, other_im, lanes);
    std::swap(from_re, other_re);
    std::swap(from_im, other_im);
  }
  if (from_re == re) return;
  std::copy_n(from_re, length_ * lanes, re);
  std::copy_n(from_im, length_ * lanes, im);
}

template <typename T>
void Fourier<T>::RunStage(const Stage& stage, const T* re, const T* im, T* out_re, T* out_im,
                          int64_t lanes) const {
  const int64_t radix = stage.radix, run = stage.stride * lanes, step = run * stage.rest;
  T root_cos[kLargestRadix], root_sin[kLargestRadix];
  for (int64_t j = 0; j < radix; ++j) {
    const Root root = RootOfUnity(j, radix);
    root_cos[j] = static_cast<T>(root.cos);
    root_sin[j] = static_cast<T>(-root.sin);
  }
  for (int64_t p = 0; p < stage.rest; ++p) {
    const T* c = stage.cos.data() + p * (radix - 1);
    const T* s = stage.sin.data() + p * (radix - 1);
    const T* in_re = re + p * run;
    const T* in_im = im + p * run;
    T* to_re = out_re + p * radix * run;
    T* to_im = out_im + p * radix * run;
    if (radix == 4) {
      Butterfly4(in_re, in_im, step, c, s, to_re, to_im, run);
    } else if (radix == 2) {
      Butterfly2(in_re, in_im, step, c[0], s[0], to_re, to_im, run);
    } else {
      ButterflyOf(radix, root_cos, root_sin, in_re, in_im, step, c, s, to_re, to_im, run);
    }
  }
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
