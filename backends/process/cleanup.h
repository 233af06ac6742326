// Removes process groups of children and folders of payloads when a signal (Ctrl-C, kill) ends this
// process. A signal that has another handler is left to it. Tests: process_test.cc.
#ifndef ASSAY_BACKENDS_PROCESS_CLEANUP_H_
#define ASSAY_BACKENDS_PROCESS_CLEANUP_H_

#include <sys/types.h>

#include <string>

namespace assay::process {

// Register a process group to kill, or a folder to remove with its contents, if SIGINT, SIGTERM or
// SIGHUP ends the process. The number of each is limited; further calls have no effect.
void KillOnSignal(pid_t group);
void RemoveOnSignal(const std::string& folder);
// Cancel the registration.
void ForgetGroup(pid_t group);
void ForgetFolder(const std::string& folder);

}  // namespace assay::process

#endif  // ASSAY_BACKENDS_PROCESS_CLEANUP_H_
