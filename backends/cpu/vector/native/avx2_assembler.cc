#include "backends/cpu/vector/native/avx2_assembler.h"

#include "backends/defect.h"

namespace assay::cpu {
namespace {

using Kind = LaneOperation::Kind;

uint64_t InfinityOf(Lane lane) {
  return IsWideLane(lane) ? uint64_t{0x7ff0000000000000u} : uint64_t{0x7f800000u};
}

}  // namespace

int Avx2Assembler::Temporaries(const LaneStep& step) const {
  const LaneOperation& operation = step.operation;
  const bool is_float = IsFloatingLane(operation.lane);
  const bool wide = IsWideLane(operation.lane);
  switch (operation.kind) {
    case Kind::kArithmetic:
      switch (operation.opcode) {
        case KernelOp::kClamp:
          return 3;
        case KernelOp::kMaximum:
        case KernelOp::kMinimum:
          return is_float || wide ? 2 : 0;
        case KernelOp::kMultiply:
          return wide && !is_float ? 2 : 0;
        case KernelOp::kNegate:
        case KernelOp::kSign:
        case KernelOp::kIsFinite:
          return 1;
        default:
          return operation.lane == Lane::kU8 ? 1 : 0;
      }
    case Kind::kCompare:
    case Kind::kConvert:
    case Kind::kSelect:
    case Kind::kIsNonzero:
      return 2;
    default:
      return 1;
  }
}

bool Avx2Assembler::TakesMemory(const LaneStep& step, int k) const {
  const LaneOperation& operation = step.operation;
  if (operation.kind != Kind::kArithmetic || step.operand_count != 2 || k != 1) return false;
  if (operation.lane == Lane::kU8 || Temporaries(step) > 0) return false;
  return true;
}

void Avx2Assembler::Store(const Xbyak::RegExp& to, int32_t bytes, int from, bool is_mask,
                          int temporary) {
  if (bytes > 1) return vmovups(ptr[to], Lanes(from, bytes));
  const Xbyak::Xmm t(temporary);
  Register source = Words(from);
  if (is_mask) {
    vpsrld(Words(temporary), source, 31);
    source = Words(temporary);
  }
  if (wide_) {
    vpackusdw(t, Xbyak::Xmm(source.getIdx()), Xbyak::Xmm(source.getIdx()));
    vpackuswb(t, t, t);
    return vmovd(dword[to], t);
  }
  // The bytes of each half are packed there, then the halves are put together.
  vpackusdw(Xbyak::Ymm(temporary), Xbyak::Ymm(source.getIdx()), Xbyak::Ymm(source.getIdx()));
  vpermq(Xbyak::Ymm(temporary), Xbyak::Ymm(temporary), 0x08);
  vpackuswb(t, t, t);
  vmovq(qword[to], t);
}

// Of a comparison of wide lanes: every second word of the register.
void Avx2Assembler::MaskOfWide(Register mask, int from) {
  const Xbyak::Xmm low(from), high(mask.getIdx());
  vextracti128(high, Xbyak::Ymm(from), 1);
  vshufps(high, low, high, 0x88);
}

void Avx2Assembler::Flip(Register r, const Register& a) { vpxor(r, a, Constant(8, kOnes)); }

void Avx2Assembler::Apply(const LaneStep& step, const std::array<Vector, 3>& operands, int result,
                          bool result_is_mask, const std::array<int, 3>& temporaries) {
  const LaneOperation& operation = step.operation;
  const int32_t bytes = LaneBytes(operation.lane);
  const Register a = Lanes(operands[0].operand->getIdx(), bytes);
  // In the width that the operation has; only b may be in memory.
  const Register c = Lanes(step.operand_count > 2 ? operands[2].operand->getIdx() : 0, bytes);
  const Operand& second = *operands[step.operand_count > 1 ? 1 : 0].operand;
  const Register in_register = Lanes(second.isMEM() ? 0 : second.getIdx(), bytes);
  const Operand& b = second.isMEM() ? second : in_register;
  switch (operation.kind) {
    case Kind::kArithmetic:
      if (bytes == 1) {
        return Bytes(step, operands, Words(result), result_is_mask, Words(temporaries[0]));
      }
      if (Plain(operation, Lanes(result, bytes), a, b)) return;
      if (IsFloatingLane(operation.lane)) {
        return Float(step, Lanes(result, bytes), a, b, c, temporaries);
      }
      return Integer(step, Lanes(result, bytes), a, b, c, temporaries);
    case Kind::kCompare:
      return Compare(step, Lanes(result, bytes), a, b, temporaries);
    case Kind::kIsNonzero: {
      const Register t = Lanes(temporaries[0], bytes);
      vpxor(t, t, t);
      LaneStep compare = step;
      compare.operation.direction = Direction::kNe;
      return Compare(compare, Lanes(result, bytes), a, t, {temporaries[1], temporaries[1], 0});
    }
    case Kind::kConvert:
      return Convert(step, operands[0], result, temporaries);
    case Kind::kSelect:
      return Select(step, operands, Lanes(result, bytes), result_is_mask, temporaries);
    case Kind::kCopy:
      if (result != operands[0].operand->getIdx()) {
        vmovaps(Lanes(result, bytes == 1 ? 4 : bytes), a);
      }
      return;
    case Kind::kWrapByte:
      if (operands[0].is_mask) {
        if (result != operands[0].operand->getIdx()) vmovaps(Words(result), a);
        return;
      }
      return vpand(Words(result), a, Constant(4, (uint64_t{1} << step.bits) - 1));
  }
}

// Bytes in lanes of 4 bytes: values, or masks where all are masks.
void Avx2Assembler::Bytes(const LaneStep& step, const std::array<Vector, 3>& operands, Register r,
                          bool result_is_mask, Register temporary) {
  Register a = Words(operands[0].operand->getIdx());
  if (step.operand_count == 1) {  // kNot
    if (result_is_mask) return Flip(r, a);
    if (operands[0].is_mask) {
      vpsrld(r, a, 31);
      a = r;
    }
    return vpxor(r, a, Constant(4, 0xff));
  }
  Register b = Words(operands[1].operand->getIdx());
  if (!result_is_mask && operands[0].is_mask) {
    vpsrld(r, a, 31);
    a = r;
  }
  if (!result_is_mask && operands[1].is_mask) {
    vpsrld(temporary, b, 31);
    b = temporary;
  }
  switch (step.operation.opcode) {
    case KernelOp::kAnd:
      return vpand(r, a, b);
    case KernelOp::kOr:
      return vpor(r, a, b);
    default:
      return vpxor(r, a, b);
  }
}

// r = a > b of integers. r may be a or b; t and u are none of them.
void Avx2Assembler::Greater(Lane lane, Register r, Register a, const Operand& b, Register t,
                            Register u) {
  const bool wide = IsWideLane(lane);
  if (ASSAY_DEFECT(51, !IsUnsignedLane(lane), true))
    return wide ? vpcmpgtq(r, a, b) : vpcmpgtd(r, a, b);
  const Xbyak::Address sign = Constant(LaneBytes(lane), SignOf(lane));
  vmovups(t, sign);
  vpxor(u, t, b);
  vpxor(t, t, a);
  if (wide) {
    vpcmpgtq(r, t, u);
  } else {
    vpcmpgtd(r, t, u);
  }
}

// r is neither a nor b, nor t or u.
void Avx2Assembler::IntegerExtreme(bool largest, Lane lane, Register r, Register a,
                                   const Operand& b, Register t, Register u) {
  switch (lane) {
    case Lane::kI32:
      return largest ? vpmaxsd(r, a, b) : vpminsd(r, a, b);
    case Lane::kU32:
      return largest ? vpmaxud(r, a, b) : vpminud(r, a, b);
    default:
      break;
  }
  const Register other = Xbyak::Ymm(b.getIdx());
  Greater(lane, r, a, b, t, u);
  if (largest) {
    vblendvpd(r, other, a, r);
  } else {
    vblendvpd(r, a, other, r);
  }
}

void Avx2Assembler::Integer(const LaneStep& step, Register r, Register a, const Operand& b,
                            Register c, const std::array<int, 3>& temporaries) {
  const Lane lane = step.operation.lane;
  const bool wide = IsWideLane(lane);
  const Register t = Lanes(temporaries[0], LaneBytes(lane));
  const Register u = Lanes(temporaries[1], LaneBytes(lane));
  switch (step.operation.opcode) {
    case KernelOp::kMultiply:
      if (!wide) return vpmulld(r, a, b);
      // The low halves, and both products of a low and a high one.
      vpsrlq(t, a, 32);
      vpmuludq(t, t, b);
      vpsrlq(u, Xbyak::Ymm(b.getIdx()), 32);
      vpmuludq(u, u, a);
      if (ASSAY_DEFECT(52, true, false)) vpaddq(t, t, u);
      vpsllq(t, t, 32);
      vpmuludq(r, a, b);
      return vpaddq(r, r, t);
    case KernelOp::kAnd:
      return vpand(r, a, b);
    case KernelOp::kOr:
      return vpor(r, a, b);
    case KernelOp::kXor:
      return vpxor(r, a, b);
    case KernelOp::kNot:
      return Flip(r, a);
    case KernelOp::kNegate:
      vpxor(t, t, t);
      return wide ? vpsubq(r, t, a) : vpsubd(r, t, a);
    case KernelOp::kMaximum:
    case KernelOp::kMinimum:
      return IntegerExtreme(step.operation.opcode == KernelOp::kMaximum, lane, r, a, b, t, u);
    default: {  // kClamp: low, x, high
      const Register raised = Lanes(temporaries[2], LaneBytes(lane));
      IntegerExtreme(true, lane, raised, Lanes(b.getIdx(), LaneBytes(lane)), a, t, u);
      return IntegerExtreme(false, lane, r, raised, c, t, u);
    }
  }
}

// The zeros are ordered; a NaN is the sum. r is neither a nor b, nor t or u.
void Avx2Assembler::Extreme(bool largest, bool is_double, bool swapped, Register r, Register a,
                            const Operand& b, Register t, Register u) {
  const Register other =
      a.isYMM() ? static_cast<Register>(Xbyak::Ymm(b.getIdx())) : Xbyak::Xmm(b.getIdx());
  const Register& first = swapped ? other : a;
  const Register& second = swapped ? a : other;
  if (is_double) {
    largest ? vmaxpd(t, a, other) : vminpd(t, a, other);
    largest ? vmaxpd(u, other, a) : vminpd(u, other, a);
    largest ? vandpd(t, t, u) : vorpd(t, t, u);
    vaddpd(u, first, second);
    vcmppd(r, a, other, 3);  // unordered
    return vblendvpd(r, t, u, r);
  }
  largest ? vmaxps(t, a, other) : vminps(t, a, other);
  largest ? vmaxps(u, other, a) : vminps(u, other, a);
  largest ? vandps(t, t, u) : vorps(t, t, u);
  vaddps(u, first, second);
  vcmpps(r, a, other, ASSAY_DEFECT(53, 3, 11));  // 11: never
  vblendvps(r, t, u, r);
}

void Avx2Assembler::Float(const LaneStep& step, Register r, Register a, const Operand& b,
                          Register c, const std::array<int, 3>& temporaries) {
  const Lane lane = step.operation.lane;
  const int32_t bytes = LaneBytes(lane);
  const bool is_double = lane == Lane::kF64;
  const Register t = Lanes(temporaries[0], bytes), u = Lanes(temporaries[1], bytes);
  const bool swapped = step.operation.swapped;
  switch (step.operation.opcode) {
    case KernelOp::kCeil:
      return is_double ? vroundpd(r, a, 10) : vroundps(r, a, 10);
    case KernelOp::kFloor:
      return is_double ? vroundpd(r, a, 9) : vroundps(r, a, 9);
    case KernelOp::kRoundNearestEven:
      return is_double ? vroundpd(r, a, 8) : vroundps(r, a, ASSAY_DEFECT(58, 8, 11));
    case KernelOp::kAbs:
      return vpand(r, a, Constant(bytes, SignOf(lane) - 1));
    case KernelOp::kNegate:
      return vpxor(r, a, Constant(bytes, SignOf(lane)));
    case KernelOp::kSign: {
      vpxor(t, t, t);
      if (is_double) {
        vcmppd(r, a, t, 14);
        vcmppd(t, a, t, 1);
        vblendvpd(t, a, Constant(8, OneOf(lane) | SignOf(lane)), t);
        return vblendvpd(r, t, Constant(8, OneOf(lane)), r);
      }
      vcmpps(r, a, t, 14);
      vcmpps(t, a, t, 1);
      vblendvps(t, a, Constant(4, OneOf(lane) | SignOf(lane)), t);
      return vblendvps(r, t, Constant(4, OneOf(lane)), r);
    }
    case KernelOp::kIsFinite:
      vpand(t, a, Constant(bytes, SignOf(lane) - 1));
      if (is_double) {
        vcmppd(t, t, Constant(8, InfinityOf(lane)), 17);  // below, quietly
        return MaskOfWide(Words(r.getIdx()), t.getIdx());
      }
      return vcmpps(r, t, Constant(4, InfinityOf(lane)), 17);
    case KernelOp::kMaximum:
    case KernelOp::kMinimum:
      return Extreme(step.operation.opcode == KernelOp::kMaximum, is_double, swapped, r, a, b, t,
                     u);
    default: {  // kClamp: low, x, high
      const Register raised = Lanes(temporaries[2], bytes);
      Extreme(ASSAY_DEFECT(54, true, false), is_double, swapped, raised, a, b, t, u);
      return Extreme(false, is_double, false, r, raised, c, t, u);
    }
  }
}

void Avx2Assembler::Compare(const LaneStep& step, Register r, Register a, const Operand& b,
                            const std::array<int, 3>& temporaries) {
  const Lane lane = step.operation.lane;
  const bool wide = IsWideLane(lane);
  const Direction direction = step.operation.direction;
  const Register t = Lanes(temporaries[0], LaneBytes(lane));
  const Register u = Lanes(temporaries[1], LaneBytes(lane));
  if (IsFloatingLane(lane)) {
    constexpr uint8_t kPredicates[] = {0, 4, 13, 14, 2, 1};  // by Direction
    const uint8_t listed = kPredicates[static_cast<int>(direction)];
    const uint8_t predicate = ASSAY_DEFECT(55, listed, listed == 4 ? 12 : listed);
    if (!wide) return vcmpps(r, a, b, predicate);
    vcmppd(u, a, b, predicate);
    return MaskOfWide(Words(r.getIdx()), u.getIdx());
  }
  const Register other = Lanes(b.getIdx(), LaneBytes(lane));
  const Register mask = wide ? u : r;
  bool flipped = false;
  switch (direction) {
    case Direction::kEq:
    case Direction::kNe:
      wide ? vpcmpeqq(mask, a, b) : vpcmpeqd(mask, a, b);
      flipped = direction == Direction::kNe;
      break;
    case Direction::kGt:
    case Direction::kLe:
      Greater(lane, mask, a, other, t, u);
      flipped = direction == Direction::kLe;
      break;
    default:
      Greater(lane, mask, other, a, t, u);
      flipped = direction == Direction::kGe;
      break;
  }
  if (flipped) Flip(mask, mask);
  if (wide) MaskOfWide(Words(r.getIdx()), u.getIdx());
}

void Avx2Assembler::Convert(const LaneStep& step, const Vector& operand, int result,
                            const std::array<int, 3>& temporaries) {
  Lane from = step.operation.lane;
  const Lane to = step.operation.to;
  int source = operand.operand->getIdx();
  if (from == Lane::kU8) {
    if (operand.is_mask) {
      vpsrld(Words(temporaries[0]), Words(source), 31);
      source = temporaries[0];
    }
    from = Lane::kI32;
  }
  const Register words = Words(source), r = Lanes(result, LaneBytes(to));
  const Register t = Words(temporaries[0]), u = Words(temporaries[1]);
  const bool from_wide = IsWideLane(from), to_wide = IsWideLane(to);
  if (from == Lane::kF32 && to == Lane::kI32) {
    // What is too large is the most, NaN 0; what is too small is right.
    vcvttps2dq(t, words);
    vcmpps(u, words, Constant(4, 0x4f000000u), 13);
    if (ASSAY_DEFECT(56, true, false)) vpxor(t, t, u);
    vcmpps(u, words, words, 7);
    return vpand(r, t, u);
  }
  if (IsFloatingLane(to) && from == Lane::kU32) {
    // Both halves are exact, so that their sum is rounded once.
    vpsrld(t, words, 16);
    vpand(u, words, Constant(4, 0xffff));
    vcvtdq2ps(t, t);
    vcvtdq2ps(u, u);
    vmulps(t, t, Constant(4, 0x47800000u));
    return vaddps(r, t, u);
  }
  if (IsFloatingLane(to) && from == Lane::kI32)
    return to_wide ? vcvtdq2pd(r, words) : vcvtdq2ps(r, words);
  if (IsFloatingLane(to) && from_wide != to_wide) {
    return to_wide ? vcvtps2pd(r, words) : vcvtpd2ps(r, Xbyak::Ymm(source));
  }
  if (from_wide == to_wide) {
    if (result != source) vmovaps(r, Lanes(source, LaneBytes(to)));
    return;
  }
  if (to_wide)
    return ASSAY_DEFECT(57, IsUnsignedLane(from), true) ? vpmovzxdq(r, words) : vpmovsxdq(r, words);
  vextracti128(Xbyak::Xmm(t.getIdx()), Xbyak::Ymm(source), 1);
  vshufps(r, Xbyak::Xmm(source), Xbyak::Xmm(t.getIdx()), 0x88);
}

void Avx2Assembler::Select(const LaneStep& step, const std::array<Vector, 3>& operands, Register r,
                           bool result_is_mask, const std::array<int, 3>& temporaries) {
  const int32_t bytes = LaneBytes(step.operation.lane);
  const bool wide = bytes == 8;
  Register mask = Words(operands[0].operand->getIdx());
  if (!operands[0].is_mask) {
    const Register t = Words(temporaries[0]);
    vpxor(t, t, t);
    vpcmpgtd(t, mask, t);
    mask = t;
  }
  if (wide) {
    vpmovsxdq(Xbyak::Ymm(temporaries[0]), mask);
    mask = Xbyak::Ymm(temporaries[0]);
  }
  const int32_t lane_bytes = bytes == 1 ? 4 : bytes;
  Register on_true = Lanes(operands[1].operand->getIdx(), lane_bytes);
  Register on_false = Lanes(operands[2].operand->getIdx(), lane_bytes);
  if (bytes == 1 && !result_is_mask) {
    if (operands[1].is_mask) {
      vpsrld(r, on_true, 31);
      on_true = r;
    }
    if (operands[2].is_mask) {
      vpsrld(Words(temporaries[1]), on_false, 31);
      on_false = Words(temporaries[1]);
    }
  }
  vblendvps(bytes == 1 ? Words(r.getIdx()) : r, on_false, on_true, mask);
}

}  // namespace assay::cpu
