// What must not outlive this process when a signal ends it (Ctrl-C, kill): process groups of
// children and folders of payloads. Signals that somebody else handles stay his. Tests:
// process_test.cc.
#ifndef ASSAY_BACKENDS_PROCESS_CLEANUP_H_
#define ASSAY_BACKENDS_PROCESS_CLEANUP_H_

#include <sys/types.h>

#include <string>

namespace assay {

// Killed, or removed with all that is in it, should SIGINT, SIGTERM or SIGHUP end the process. Only
// a fixed number of each is remembered; beyond that nothing is.
void KillOnSignal(pid_t group);
void RemoveOnSignal(const std::string& folder);
// No longer.
void ForgetGroup(pid_t group);
void ForgetFolder(const std::string& folder);

}  // namespace assay

#endif  // ASSAY_BACKENDS_PROCESS_CLEANUP_H_
