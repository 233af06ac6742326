// An execution: checked at once, run when its turn and its arguments have come.
#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "backends/pjrt/plugin/buffer.h"
#include "backends/pjrt/plugin/error.h"
#include "backends/pjrt/plugin/executable.h"
#include "backends/pjrt/plugin/trace.h"

namespace assay::pjrt {
namespace {

using States = std::vector<std::shared_ptr<ArrayState>>;

// What an execution needs, also after the host has destroyed the executable.
struct Launch {
  std::shared_ptr<Program> program;
  std::string trace;                       // the executable's
  std::vector<States> arguments, results;  // by device
  std::shared_ptr<EventState> done = std::make_shared<EventState>();
  int64_t run = 0;
};

absl::Status WrongArgument(size_t number, size_t device, const Shape& wanted, const Shape& given) {
  return absl::InvalidArgumentError(absl::StrCat("argument ", number, " on device ", device,
                                                 " has the shape ", given.ToString(),
                                                 "; the program wants ", wanted.ToString()));
}

// Tokens come as arrays of no elements, and types count without their layouts.
bool Fits(const Shape& wanted, const Shape& given) {
  if (wanted.is_token()) return true;
  return wanted.element_type() == given.element_type() && wanted.dimensions() == given.dimensions();
}

absl::Status TakeArguments(const PJRT_LoadedExecutable_Execute_Args& args, Launch* launch) {
  const std::vector<Shape>& shapes = launch->program->arguments();
  if (args.num_args != shapes.size()) {
    return absl::InvalidArgumentError(absl::StrCat("the program takes ", shapes.size(),
                                                   " arguments and was given ", args.num_args));
  }
  for (size_t d = 0; d < args.num_devices; ++d) {
    States own;
    for (size_t i = 0; i < args.num_args; ++i) {
      const PJRT_Buffer* buffer = args.argument_lists[d][i];
      if (buffer == nullptr) return NoObject("argument");
      std::shared_ptr<ArrayState> state = buffer->state();
      if (state == nullptr) {
        return absl::InvalidArgumentError(
            absl::StrCat("argument ", i, " on device ", d, " has been deleted or donated"));
      }
      if (!Fits(shapes[i], buffer->shape)) return WrongArgument(i, d, shapes[i], buffer->shape);
      own.push_back(std::move(state));
    }
    launch->arguments.push_back(std::move(own));
  }
  return absl::OkStatus();
}

// Returns, by argument, true if this execution takes it from the host.
std::vector<bool> DonatedIn(const PJRT_LoadedExecutable_Execute_Args& args,
                            const Program& program) {
  std::vector<bool> donated = program.donated();
  if (args.options == nullptr) return donated;
  const PJRT_ExecuteOptions options = Known(args.options);
  if (options.non_donatable_input_indices == nullptr) return donated;
  for (const int64_t kept : absl::MakeConstSpan(options.non_donatable_input_indices,
                                                options.num_non_donatable_input_indices)) {
    if (kept >= 0 && kept < static_cast<int64_t>(donated.size())) {
      donated[static_cast<size_t>(kept)] = false;
    }
  }
  return donated;
}

// Deletes the donated arguments. Returns INVALID_ARGUMENT, and deletes none, if one of them is
// another argument of the same execution as well.
absl::Status DeleteDonated(const PJRT_LoadedExecutable_Execute_Args& args,
                           const std::vector<bool>& donated) {
  if (std::find(donated.begin(), donated.end(), true) == donated.end()) return absl::OkStatus();
  for (size_t d = 0; d < args.num_devices; ++d) {
    std::map<const PJRT_Buffer*, size_t> first;
    for (size_t i = 0; i < args.num_args; ++i) {
      const size_t other = first.emplace(args.argument_lists[d][i], i).first->second;
      if (other == i || (!donated[i] && !donated[other])) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          "argument ", donated[i] ? i : other, " on device ", d,
          " is donated, and the same buffer is argument ", donated[i] ? other : i, " too"));
    }
  }
  for (size_t i = 0; i < args.num_args; ++i) {
    if (!donated[i]) continue;
    for (size_t d = 0; d < args.num_devices; ++d) args.argument_lists[d][i]->Delete();
  }
  return absl::OkStatus();
}

// Runs, with arguments that are there.
absl::Status RunNow(Launch& launch) {
  std::vector<std::vector<Literal>> arguments(launch.arguments.size());
  for (size_t d = 0; d < arguments.size(); ++d) {
    for (size_t i = 0; i < launch.arguments[d].size(); ++i) {
      const ArrayState& state = *launch.arguments[d][i];
      if (absl::Status status = state.ready->Await(); !status.ok()) return status;
      const bool token = launch.program->arguments()[i].is_token();
      arguments[d].push_back(token ? Literal::Token() : state.value);
    }
  }
  absl::Status traced = TraceArrays(launch.trace, launch.run, "arguments", arguments);
  if (!traced.ok()) return traced;
  absl::StatusOr<std::vector<std::vector<Literal>>> results =
      launch.program->Run(std::move(arguments));
  if (!results.ok()) return results.status();
  traced = TraceArrays(launch.trace, launch.run, "results", *results);
  if (!traced.ok()) return traced;
  for (size_t d = 0; d < launch.results.size(); ++d) {
    for (size_t i = 0; i < launch.results[d].size(); ++i) {
      launch.results[d][i]->Set(std::move((*results)[d][i]));
    }
  }
  return absl::OkStatus();
}

void RunLaunch(Launch& launch) {
  absl::Status status;
  try {
    status = RunNow(launch);
  } catch (const std::bad_alloc&) {
    status = absl::ResourceExhaustedError("out of memory");
  } catch (const std::exception& thrown) {
    status = absl::InternalError(absl::StrCat("exception: ", thrown.what()));
  } catch (...) {
    status = absl::InternalError("an exception of unknown type");
  }
  launch.arguments.clear();
  if (!status.ok()) {
    for (const States& own : launch.results) {
      for (const std::shared_ptr<ArrayState>& state : own) state->ready->Set(status);
    }
  }
  launch.done->Set(status);
}

void Start(PJRT_Client& client, std::shared_ptr<Launch> launch) {
  const auto task = [launch] { RunLaunch(*launch); };
  // What a call into Python starts must not wait for the program that makes the call.
  if (client.callbacks > 0) {
    task();
    return;
  }
  const bool ready =
      std::all_of(launch->arguments.begin(), launch->arguments.end(), [](const States& own) {
        return std::all_of(own.begin(), own.end(), [](const std::shared_ptr<ArrayState>& state) {
          return state->ready->IsReady();
        });
      });
  const bool inline_run = ready && (launch->program->is_small() || client.options.synchronous);
  if (inline_run && client.worker.RunIfIdle(task)) return;
  client.worker.Put(task);
  if (client.options.synchronous) (void)launch->done->Await();
}

}  // namespace

absl::Status LoadedExecute(PJRT_LoadedExecutable_Execute_Args& args) {
  if (args.executable == nullptr) return NoObject("executable");
  PJRT_LoadedExecutable& executable = *args.executable;
  if (executable.deleted) {
    return absl::InvalidArgumentError("the executable has been deleted");
  }
  std::vector<PJRT_Device*> devices = executable.devices;
  if (args.execute_device != nullptr) {
    if (devices.size() != 1) {
      return absl::UnimplementedError("a program of several devices runs on all of them");
    }
    devices = {args.execute_device};
  }
  if (args.num_devices != devices.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "arguments for ", args.num_devices, " devices; the program runs on ", devices.size()));
  }
  if (args.options != nullptr) {
    const PJRT_ExecuteOptions options = Known(args.options);
    if (options.num_send_ops > 0 || options.num_recv_ops > 0) {
      return absl::UnimplementedError("Assay's plug-in has no send and receive callbacks");
    }
  }
  auto launch = std::make_shared<Launch>();
  launch->program = executable.program;
  launch->trace = executable.trace;
  launch->run = executable.executions++;
  if (absl::Status status = TakeArguments(args, launch.get()); !status.ok()) return status;
  if (absl::Status status = DeleteDonated(args, DonatedIn(args, *launch->program)); !status.ok()) {
    return status;
  }
  const std::vector<Shape>& shapes = launch->program->results();
  for (size_t d = 0; d < devices.size(); ++d) {
    States own;
    for (size_t i = 0; i < shapes.size(); ++i) {
      own.push_back(std::make_shared<ArrayState>());
      MemorySpace* memory = devices[d]->default_memory();
      for (PJRT_Memory* each : devices[d]->memories) {
        auto* space = static_cast<MemorySpace*>(each);
        if (space->kind == launch->program->result_memories()[i]) memory = space;
      }
      args.output_lists[d][i] = new PJRT_Buffer(memory, shapes[i], own.back());
    }
    launch->results.push_back(std::move(own));
    if (args.device_complete_events != nullptr) {
      args.device_complete_events[d] = NewEvent(launch->done);
    }
  }
  Start(*executable.client, std::move(launch));
  return absl::OkStatus();
}

}  // namespace assay::pjrt
