#include "backends/cpu/vector/native/avx512_assembler.h"

#include "backends/defect.h"

namespace assay::cpu {
namespace {

using Kind = LaneOperation::Kind;

bool IsExtreme(KernelOp opcode) {
  return opcode == KernelOp::kMaximum || opcode == KernelOp::kMinimum;
}

}  // namespace

int Avx512Assembler::Temporaries(const LaneStep& step) const {
  const LaneOperation& operation = step.operation;
  const bool is_float = IsFloatingLane(operation.lane);
  switch (operation.kind) {
    case Kind::kArithmetic:
      if (operation.lane == Lane::kU8) return 1;
      if (operation.opcode == KernelOp::kClamp) return is_float ? 2 : 1;
      if (IsExtreme(operation.opcode) || operation.opcode == KernelOp::kSign) return is_float;
      return operation.opcode == KernelOp::kNegate && !is_float;
    case Kind::kCompare:
      return 0;
    case Kind::kConvert:
      return operation.lane == Lane::kU8;
    case Kind::kSelect:
      return operation.lane == Lane::kU8;
    case Kind::kIsNonzero:
      return is_float;
    default:
      return 0;
  }
}

bool Avx512Assembler::TakesMemory(const LaneStep& step, int k) const {
  const LaneOperation& operation = step.operation;
  if (step.operand_count != 2 || k != 1 || operation.lane == Lane::kU8) return false;
  if (operation.kind != Kind::kArithmetic && operation.kind != Kind::kCompare) return false;
  return Temporaries(step) == 0;
}

void Avx512Assembler::Store(const Xbyak::RegExp& to, int32_t bytes, int from, bool is_mask,
                            int temporary) {
  if (bytes > 1) return vmovups(ptr[to], Lanes(from, bytes));
  Register source = Words(from);
  if (is_mask) {
    vpsrld(Words(temporary), source, 31);
    source = Words(temporary);
  }
  vpmovdb(ptr[to], source);
}

void Avx512Assembler::Apply(const LaneStep& step, const std::array<Vector, 3>& operands, int result,
                            bool result_is_mask, const std::array<int, 3>& temporaries) {
  const LaneOperation& operation = step.operation;
  const int32_t bytes = LaneBytes(operation.lane);
  const Register a = Lanes(operands[0].operand->getIdx(), bytes);
  const Register c = Lanes(step.operand_count > 2 ? operands[2].operand->getIdx() : 0, bytes);
  // In the width that the operation has; only b may be in memory.
  const Operand& second = *operands[step.operand_count > 1 ? 1 : 0].operand;
  const Register in_register = Lanes(second.isMEM() ? 0 : second.getIdx(), bytes);
  const Operand& b = second.isMEM() ? second : in_register;
  const int count = Temporaries(step);
  const Register t = Lanes(count > 0 ? temporaries[0] : 0, bytes);
  const Register u = Lanes(count > 1 ? temporaries[1] : 0, bytes);
  switch (operation.kind) {
    case Kind::kArithmetic:
      if (bytes == 1) return Bytes(step, operands, Words(result), result_is_mask, t);
      if (Plain(operation, Lanes(result, bytes), a, b)) return;
      if (IsFloatingLane(operation.lane)) return Float(step, Lanes(result, bytes), a, b, c, t, u);
      return Integer(step, Lanes(result, bytes), a, b, c, t);
    case Kind::kCompare:
      return Compare(step, result, a, b);
    case Kind::kIsNonzero:
      return IsNonzero(operation.lane, result, a, t);
    case Kind::kConvert:
      return Convert(step, operands[0], result, temporaries[0]);
    case Kind::kSelect:
      return Select(step, operands, Lanes(result, bytes), result_is_mask, t);
    case Kind::kCopy:
      if (result != a.getIdx()) vmovaps(Lanes(result, bytes), a);
      return;
    case Kind::kWrapByte:
      if (!operands[0].is_mask) {
        return And(Words(result), a, Constant(4, (uint64_t{1} << step.bits) - 1));
      }
      if (result != a.getIdx()) vmovaps(Words(result), a);
      return;
  }
}

// Bytes in lanes of 4 bytes: values, or masks where all are masks.
void Avx512Assembler::Bytes(const LaneStep& step, const std::array<Vector, 3>& operands, Register r,
                            bool result_is_mask, Register temporary) {
  Register a = Words(operands[0].operand->getIdx());
  if (!result_is_mask && operands[0].is_mask) {
    vpsrld(r, a, 31);
    a = r;
  }
  if (step.operand_count == 1) {  // kNot
    return Xor(r, a, Constant(4, result_is_mask ? kOnes : 0xff));
  }
  Register b = Words(operands[1].operand->getIdx());
  if (!result_is_mask && operands[1].is_mask) {
    vpsrld(temporary, b, 31);
    b = temporary;
  }
  switch (step.operation.opcode) {
    case KernelOp::kAnd:
      return And(r, a, b);
    case KernelOp::kOr:
      return vpord(r, a, b);
    default:
      return Xor(r, a, b);
  }
}

void Avx512Assembler::IntegerExtreme(bool largest, Lane lane, Register r, Register a,
                                     const Operand& b) {
  switch (lane) {
    case Lane::kI32:
      return largest ? vpmaxsd(r, a, b) : vpminsd(r, a, b);
    case Lane::kU32:
      return largest ? vpmaxud(r, a, b) : vpminud(r, a, b);
    case Lane::kI64:
      return largest ? vpmaxsq(r, a, b) : vpminsq(r, a, b);
    default:
      return largest ? vpmaxuq(r, a, b) : vpminuq(r, a, b);
  }
}

void Avx512Assembler::Integer(const LaneStep& step, Register r, Register a, const Operand& b,
                              Register c, Register t) {
  const Lane lane = step.operation.lane;
  const bool wide = IsWideLane(lane);
  switch (step.operation.opcode) {
    case KernelOp::kMultiply:
      if (!wide) return vpmulld(r, a, b);
      return ASSAY_DEFECT(52, true, false) ? vpmullq(r, a, b) : vpmuludq(r, a, b);
    case KernelOp::kAnd:
      return And(r, a, b);
    case KernelOp::kOr:
      return vpord(r, a, b);
    case KernelOp::kXor:
      return Xor(r, a, b);
    case KernelOp::kNot:
      return Xor(r, a, Constant(8, kOnes));
    case KernelOp::kNegate:
      Xor(t, t, t);
      return wide ? vpsubq(r, t, a) : vpsubd(r, t, a);
    case KernelOp::kMaximum:
    case KernelOp::kMinimum:
      return IntegerExtreme(step.operation.opcode == KernelOp::kMaximum, lane, r, a, b);
    default:  // kClamp: low, x, high
      IntegerExtreme(true, lane, t, a, b);
      return IntegerExtreme(false, lane, r, t, c);
  }
}

// The zeros are ordered; a NaN is the sum. r is neither a nor b, nor t.
void Avx512Assembler::Extreme(bool largest, bool is_double, bool swapped, Register r, Register a,
                              Register b, Register t) {
  const Register& first = swapped ? b : a;
  const Register& second = swapped ? a : b;
  if (is_double) {
    largest ? vmaxpd(t, a, b) : vminpd(t, a, b);
    largest ? vmaxpd(r, b, a) : vminpd(r, b, a);
    largest ? vandpd(r, t, r) : vorpd(r, t, r);
    vcmppd(k1, a, b, 3);  // unordered
    return vaddpd(r | k1, first, second);
  }
  largest ? vmaxps(t, a, b) : vminps(t, a, b);
  largest ? vmaxps(r, b, a) : vminps(r, b, a);
  largest ? vandps(r, t, r) : vorps(r, t, r);
  vcmpps(k1, a, b, ASSAY_DEFECT(53, 3, 11));
  vaddps(r | k1, first, second);
}

void Avx512Assembler::Float(const LaneStep& step, Register r, Register a, const Operand& b,
                            Register c, Register t, Register u) {
  const Lane lane = step.operation.lane;
  const int32_t bytes = LaneBytes(lane);
  const bool is_double = lane == Lane::kF64;
  const bool swapped = step.operation.swapped;
  const Register other = Lanes(b.isMEM() ? 0 : b.getIdx(), bytes);
  switch (step.operation.opcode) {
    case KernelOp::kCeil:
      return is_double ? vrndscalepd(r, a, 10) : vrndscaleps(r, a, 10);
    case KernelOp::kFloor:
      return is_double ? vrndscalepd(r, a, 9) : vrndscaleps(r, a, 9);
    case KernelOp::kRoundNearestEven:
      return is_double ? vrndscalepd(r, a, 8) : vrndscaleps(r, a, ASSAY_DEFECT(58, 8, 11));
    case KernelOp::kAbs:
      return And(r, a, Constant(bytes, SignOf(lane) - 1));
    case KernelOp::kNegate:
      return Xor(r, a, Constant(bytes, SignOf(lane)));
    case KernelOp::kSign: {
      const Xbyak::Address one = Constant(bytes, OneOf(lane));
      const Xbyak::Address minus_one = Constant(bytes, OneOf(lane) | SignOf(lane));
      Xor(t, t, t);
      if (is_double) {
        vcmppd(k1, a, t, 14);  // above
        vcmppd(k2, a, t, 1);   // below
        vblendmpd(r | k1, a, one);
        return vblendmpd(r | k2, r, minus_one);
      }
      vcmpps(k1, a, t, 14);
      vcmpps(k2, a, t, 1);
      vblendmps(r | k1, a, one);
      return vblendmps(r | k2, r, minus_one);
    }
    case KernelOp::kIsFinite: {
      constexpr uint8_t kNanOrInfinity = 0x99;
      is_double ? vfpclasspd(k1, a, kNanOrInfinity) : vfpclassps(k1, a, kNanOrInfinity);
      knotw(k1, k1);
      return vpmovm2d(Words(r.getIdx()), k1);
    }
    case KernelOp::kMaximum:
    case KernelOp::kMinimum:
      return Extreme(step.operation.opcode == KernelOp::kMaximum, is_double, swapped, r, a, other,
                     t);
    default:  // kClamp: low, x, high
      Extreme(ASSAY_DEFECT(54, true, false), is_double, swapped, u, a, other, t);
      return Extreme(false, is_double, false, r, u, c, t);
  }
}

void Avx512Assembler::Compare(const LaneStep& step, int result, Register a, const Operand& b) {
  const Lane lane = step.operation.lane;
  const auto direction = static_cast<int>(step.operation.direction);
  if (IsFloatingLane(lane)) {
    constexpr uint8_t kPredicates[] = {0, 4, 13, 14, 2, 1};  // by Direction
    const uint8_t listed = kPredicates[direction];
    const uint8_t predicate = ASSAY_DEFECT(55, listed, listed == 4 ? 12 : listed);
    IsWideLane(lane) ? vcmppd(k1, a, b, predicate) : vcmpps(k1, a, b, predicate);
  } else {
    constexpr uint8_t kPredicates[] = {0, 4, 5, 6, 2, 1};
    const uint8_t predicate = kPredicates[direction];
    const bool is_unsigned = ASSAY_DEFECT(51, IsUnsignedLane(lane), false);
    if (IsWideLane(lane)) {
      is_unsigned ? vpcmpuq(k1, a, b, predicate) : vpcmpq(k1, a, b, predicate);
    } else {
      is_unsigned ? vpcmpud(k1, a, b, predicate) : vpcmpd(k1, a, b, predicate);
    }
  }
  vpmovm2d(Words(result), k1);
}

void Avx512Assembler::IsNonzero(Lane lane, int result, Register a, Register t) {
  if (lane == Lane::kF32 || lane == Lane::kF64) {
    Xor(t, t, t);
    lane == Lane::kF64 ? vcmppd(k1, a, t, 4) : vcmpps(k1, a, t, 4);
  } else {
    IsWideLane(lane) ? vptestmq(k1, a, a) : vptestmd(k1, a, a);
  }
  vpmovm2d(Words(result), k1);
}

void Avx512Assembler::Convert(const LaneStep& step, const Vector& operand, int result,
                              int temporary) {
  Lane from = step.operation.lane;
  const Lane to = step.operation.to;
  int source = operand.operand->getIdx();
  if (from == Lane::kU8) {
    if (operand.is_mask) {
      vpsrld(Words(temporary), Words(source), 31);
      source = temporary;
    }
    from = Lane::kI32;
  }
  const Register a = Lanes(source, LaneBytes(from)), r = Lanes(result, LaneBytes(to));
  const bool from_wide = IsWideLane(from), to_wide = IsWideLane(to);
  if (from == Lane::kF32 && to == Lane::kI32) {
    // What is too large is the most, NaN 0; what is too small is right.
    vcmpps(k1, a, Constant(4, 0x4f000000u), 13);
    vcmpps(k2, a, a, 7);
    vcvttps2dq(r, a);
    if (ASSAY_DEFECT(56, true, false)) vmovdqa32(r | k1, Constant(4, 0x7fffffffu));
    return vmovdqa32(r | k2 | T_z, r);
  }
  if (IsFloatingLane(to) && from == Lane::kU32) return vcvtudq2ps(r, a);
  if (IsFloatingLane(to) && from == Lane::kI32) return to_wide ? vcvtdq2pd(r, a) : vcvtdq2ps(r, a);
  if (IsFloatingLane(to) && from_wide != to_wide) {
    return to_wide ? vcvtps2pd(r, a) : vcvtpd2ps(r, a);
  }
  if (from_wide == to_wide) {
    if (result != source) vmovaps(r, a);
    return;
  }
  if (to_wide)
    return ASSAY_DEFECT(57, IsUnsignedLane(from), true) ? vpmovzxdq(r, a) : vpmovsxdq(r, a);
  vpmovqd(r, a);
}

void Avx512Assembler::Select(const LaneStep& step, const std::array<Vector, 3>& operands,
                             Register r, bool result_is_mask, Register temporary) {
  const int32_t bytes = LaneBytes(step.operation.lane);
  const Register condition = Words(operands[0].operand->getIdx());
  if (operands[0].is_mask) {
    vpmovd2m(k1, condition);
  } else {
    vptestmd(k1, condition, condition);
  }
  Register on_true = Lanes(operands[1].operand->getIdx(), bytes);
  Register on_false = Lanes(operands[2].operand->getIdx(), bytes);
  if (bytes == 1 && !result_is_mask) {
    if (operands[1].is_mask) {
      vpsrld(r, on_true, 31);
      on_true = r;
    }
    if (operands[2].is_mask) {
      vpsrld(temporary, on_false, 31);
      on_false = temporary;
    }
  }
  bytes == 8 ? vblendmpd(r | k1, on_false, on_true) : vblendmps(r | k1, on_false, on_true);
}

}  // namespace assay::cpu
