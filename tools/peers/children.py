"""A target that is served in forked children of a process that has imported what takes long.

A child that a request ends by a signal costs a fork, not a start of Python with JAX. The request is blamed only where
the child was given nothing else: what a child had done before may be what ended it. Otherwise this process ends by the
same signal, so that Assay asks once more, of a fresh process.

Where crashes are frequent, a target says how many requests a child answers (`requests`). A request that holds a module
and its arguments is then recorded in memory that the processes share. If it ends a child that has answered others
before, a fresh child gets the recorded request as its first, and no crash costs more than two forks.
"""
import json
import mmap
import os
import signal
import struct

from assay_process import serve

NEXT_CHILD = 77  # the exit code of a child that has answered as many requests as it should
# The id of the last request that asks for work, the number of such requests, and the bytes of the last one that are
# recorded behind these numbers (none: it cannot be asked again).
STATE = struct.Struct('<qqq')
MOST_RECORDED = 64 << 20  # bytes; only those that are written take memory


class Watched:
    """The stream of requests, which notes what is asked. `first` is a request that comes before those of the stream."""

    def __init__(self, stream, state, requests, first):
        self.stream, self.state, self.requests, self.first = stream, state, requests, first
        self.last, self.alone, self.recorded = None, True, 0

    def record(self, data):
        """Appends a part of a request to those that are recorded; `recorded` is None where they have no place."""
        if self.recorded is None:
            return
        begin = STATE.size + self.recorded
        self.recorded = self.recorded + len(data) if begin + len(data) <= MOST_RECORDED else None
        if self.recorded is not None:
            self.state[begin:begin + len(data)] = data

    def take(self, count):
        """The next `count` bytes."""
        taken, self.first = self.first[:count], self.first[count:]
        return taken + self.stream.read(count - len(taken)) if len(taken) < count else taken

    def read(self, count):
        data = self.take(count)
        request, number, _ = STATE.unpack_from(self.state)
        self.record(data)
        STATE.pack_into(self.state, 0, request, number, self.recorded or 0)
        return data

    def readline(self):
        request, number, _ = STATE.unpack_from(self.state)
        if self.requests and self.alone and self.last == 'run' and number >= self.requests:
            os._exit(NEXT_CHILD)  # it has answered; Assay asks nothing before it has the answer
        end = self.first.find(b'\n') + 1
        if not end:
            STATE.pack_into(self.state, 0, 0, number, 0)  # what is answered must not be asked again
        line = self.take(end) if end else self.stream.readline()
        header = json.loads(line) if line else {}
        self.last = header.get('type')
        # Modules that are compiled once live in this child, and files of arguments are read once.
        self.alone = self.alone and self.last not in ('compile', 'execute')
        self.recorded = 0 if self.requests and self.alone and self.last == 'run' and b'"file"' not in line else None
        self.record(line)
        if self.last in ('compile', 'execute', 'run'):
            STATE.pack_into(self.state, 0, header['id'], number + 1, self.recorded or 0)
        return line


def serve_in_children(make_target, requests=None):
    """Serves until Assay says bye; with `requests`, a child ends when it has answered so many of type run."""
    state = mmap.mmap(-1, MOST_RECORDED if requests else mmap.PAGESIZE)  # shared with the children
    responses = int(os.environ['ASSAY_RESPONSE_FD'])
    first = b''
    while True:
        STATE.pack_into(state, 0, 0, 0, 0)
        child = os.fork()
        if child == 0:
            serve(make_target(), lambda stream: Watched(stream, state, requests, first))
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        request, count, recorded = STATE.unpack_from(state)
        first = b''
        if os.WIFEXITED(status) and os.WEXITSTATUS(status) == NEXT_CHILD:
            continue
        if not os.WIFSIGNALED(status):
            os._exit(os.WEXITSTATUS(status))
        number = os.WTERMSIG(status)
        if count != 1 or request == 0:
            if recorded:
                first = state[STATE.size:STATE.size + recorded]
                continue
            if number != signal.SIGKILL:
                signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
            os._exit(128 + number)
        answer = {'type': 'error', 'id': request, 'kind': 'internal',
                  'message': f'the process exited with code {128 + number} ({signal.Signals(number).name})'}
        os.write(responses, json.dumps(answer).encode() + b'\n')
