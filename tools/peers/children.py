"""A target that is served in forked children of a process that has imported what takes long.

A child that a request ends by a signal costs a fork, not a start of Python with JAX. That is done only where the child
was given nothing but that request: what a child had done before may be what ended it, and then this process ends by the
same signal, so that Assay asks once more, of a fresh process. Where crashes are frequent, every request that holds a
module and its arguments gets a child of its own, and no crash costs more than a fork.
"""
import json
import mmap
import os
import signal
import struct

from assay_process import serve

NEXT_CHILD = 77  # the exit code of a child that has answered its only request
STATE = struct.Struct('<qq')  # the id of the last request that asks for work, and the number of such requests


class Watched:
    """The stream of requests, which notes what is asked."""

    def __init__(self, stream, state, once):
        self.stream, self.state, self.once, self.last = stream, state, once, None

    def read(self, count):
        return self.stream.read(count)

    def readline(self):
        if self.once and self.last == 'run':  # answered; Assay asks nothing before it has the answer
            os._exit(NEXT_CHILD)
        line = self.stream.readline()
        header = json.loads(line) if line else {}
        self.last = header.get('type')
        if self.last in ('compile', 'execute', 'run'):
            _, count = STATE.unpack_from(self.state)
            STATE.pack_into(self.state, 0, header['id'], count + 1)
        return line


def serve_in_children(make_target, once=False):
    """Serves until Assay says bye; with `once`, a child ends when it has answered a request of type run."""
    state = mmap.mmap(-1, mmap.PAGESIZE)  # shared with the children
    responses = int(os.environ['ASSAY_RESPONSE_FD'])
    while True:
        STATE.pack_into(state, 0, 0, 0)
        child = os.fork()
        if child == 0:
            serve(make_target(), lambda stream: Watched(stream, state, once))
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        request, count = STATE.unpack_from(state)
        if os.WIFEXITED(status) and os.WEXITSTATUS(status) == NEXT_CHILD:
            continue
        if not os.WIFSIGNALED(status):
            os._exit(os.WEXITSTATUS(status))
        number = os.WTERMSIG(status)
        if count != 1:
            if number != signal.SIGKILL:
                signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
            os._exit(128 + number)
        answer = {'type': 'error', 'id': request, 'kind': 'internal',
                  'message': f'the process exited with code {128 + number} ({signal.Signals(number).name})'}
        os.write(responses, json.dumps(answer).encode() + b'\n')
