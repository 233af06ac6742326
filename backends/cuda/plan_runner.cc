#include "backends/cuda/plan_runner.h"

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backends/cuda/kernel_groups.h"

namespace assay::cuda {

absl::StatusOr<std::unique_ptr<PlanRunner>> PlanRunner::Create(KernelPlan plan, const Api& api,
                                                               text::TextKernels* texts) {
  std::vector<const Entry*> entries;
  for (KernelLaunch& launch : plan.launches) {
    if (launch.call != nullptr) {
      entries.push_back(nullptr);
      continue;
    }
    if (texts != nullptr) {
      absl::StatusOr<const Entry*> generated = texts->Find(launch, plan);
      if (!generated.ok()) return generated.status();
      if (*generated != nullptr) {
        launch.shared_bytes = 0;  // registers are variables
        entries.push_back(*generated);
        continue;
      }
    }
    const Entry* const entry = FindEntry(api.KernelGroups(), launch.entry.c_str());
    if (entry == nullptr) {
      return absl::InternalError(absl::StrCat("there is no kernel ", launch.entry));
    }
    if (entry->parameter_count != 1 ||
        entry->parameter_bytes != static_cast<int32_t>(launch.parameter.size())) {
      return absl::InternalError(
          absl::StrCat("kernel ", launch.entry, " takes ", entry->parameter_bytes,
                       " bytes and was prepared with ", launch.parameter.size()));
    }
    entries.push_back(entry);
  }
  return std::unique_ptr<PlanRunner>(new PlanRunner(std::move(plan), std::move(entries)));
}

absl::StatusOr<std::shared_ptr<const PlanRunner::Resident>> PlanRunner::MakeResident(
    Device& device) {
  std::lock_guard<std::mutex> lock(mutex_);
  std::shared_ptr<const Resident>& resident = residents_[&device];
  if (resident != nullptr && resident->epoch == device.epoch()) return resident;
  resident = nullptr;
  // Constants stay; what is captured is executed later, or never.
  Device& stream = device.Uncaptured();
  auto made = std::make_shared<Resident>();
  for (const std::vector<std::byte>& constant : plan_.constants) {
    absl::StatusOr<DeviceBuffer> buffer = stream.Allocate(static_cast<int64_t>(constant.size()));
    if (!buffer.ok()) return buffer.status();
    stream.Keep(shared_);
    absl::Status status =
        stream.CopyIn(buffer->data(), constant.data(), static_cast<int64_t>(constant.size()));
    if (!status.ok()) return status;
    made->constants.push_back(*std::move(buffer));
  }
  made->epoch = device.epoch();
  resident = std::move(made);
  return resident;
}

absl::Status PlanRunner::Run(Device& device, absl::Span<const std::byte* const> operands,
                             absl::Span<std::byte* const> results,
                             absl::Span<const uint64_t> words) {
  if (plan_.launches.empty()) return absl::OkStatus();
  const absl::StatusOr<std::shared_ptr<const Resident>> resident = MakeResident(device);
  if (!resident.ok()) return resident.status();
  device.KeepCaptured(*resident);
  device.KeepCaptured(shared_);
  std::vector<DeviceBuffer> scratch;
  for (const int64_t bytes : plan_.scratch_bytes) {
    absl::StatusOr<DeviceBuffer> buffer = device.Allocate(bytes);
    if (!buffer.ok()) return buffer.status();
    scratch.push_back(*std::move(buffer));
  }
  DeviceBuffer seeds;
  if (!words.empty()) {
    const auto bytes = static_cast<int64_t>(words.size() * sizeof(uint64_t));
    absl::StatusOr<DeviceBuffer> buffer = device.Allocate(bytes);
    if (!buffer.ok()) return buffer.status();
    seeds = *std::move(buffer);
    const auto kept = std::make_shared<const std::vector<uint64_t>>(words.begin(), words.end());
    device.Keep(kept);
    if (absl::Status status = device.CopyIn(seeds.data(), kept->data(), bytes); !status.ok()) {
      return status;
    }
  }
  const auto address = [&](const BufferUse& use) -> const std::byte* {
    switch (use.kind) {
      case BufferUse::Kind::kOperand:
        return operands[use.number] + use.offset;
      case BufferUse::Kind::kResult:
        return results[use.number] + use.offset;
      case BufferUse::Kind::kScratch:
        return scratch[use.number].data() + use.offset;
      default:
        if (use.number == 0 && !words.empty()) return seeds.data() + use.offset;
        return (*resident)->constants[use.number].data() + use.offset;
    }
  };
  std::vector<std::byte> parameter;
  for (size_t i = 0; i < plan_.launches.size(); ++i) {
    const KernelLaunch& launch = plan_.launches[i];
    if (launch.copies_in_place_operand && plan_.in_place_operand >= 0 &&
        operands[plan_.in_place_operand] == results[0]) {
      continue;
    }
    if (launch.call != nullptr) {
      std::vector<std::byte*> arrays;
      for (const PointerSlot& slot : launch.pointers) {
        arrays.push_back(const_cast<std::byte*>(address(slot.buffer)));
      }
      if (absl::Status status = launch.call->Enqueue(device, arrays); !status.ok()) return status;
      continue;
    }
    parameter = launch.parameter;
    for (const PointerSlot& slot : launch.pointers) {
      const std::byte* const pointer = address(slot.buffer);
      std::memcpy(parameter.data() + slot.at, &pointer, sizeof pointer);
    }
    void* parameters[] = {parameter.data(), nullptr};
    absl::Status status =
        device.Launch(*entries_[i], launch.grid, launch.block, launch.shared_bytes, parameters);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace assay::cuda
