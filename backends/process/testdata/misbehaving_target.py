"""A target that misbehaves in the way its argument names; for process_test.cc."""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), '../../../tools/peers'))
from assay_process import Refusal, serve  # noqa: E402

HOW = sys.argv[1]


def reply(line):
    os.write(int(os.environ['ASSAY_RESPONSE_FD']), line.encode())


if HOW == 'rubbish':
    reply('hello there\n')
    time.sleep(60)
if HOW == 'endless':
    while True:
        reply('x' * 65536)
if HOW == 'other_protocol':
    reply('{"type":"hello","protocol":99,"formats":["hlo-text"]}\n')
    time.sleep(60)
if HOW == 'chatty':  # prints more than a pipe holds before it answers
    print('noise\n' * 100000, flush=True)
    print('more noise\n' * 100000, file=sys.stderr, flush=True)


class Target:
    """Gives back its first argument, with a defect."""

    def hello(self):
        return {'name': 'misbehaving', 'version': '0', 'formats': ['hlo-text'], 'devices': 2}

    def compile(self, module_format, module):
        if HOW == 'crash_in_compile':
            os.abort()
        if HOW == 'refuse':
            raise Refusal('unsupported', 'not on a Saturday')
        return self

    def execute(self, compiled, arguments):
        if HOW == 'crash_once':
            marker = sys.argv[2]
            if not os.path.exists(marker):
                open(marker, 'w').close()
                print('about to fall', file=sys.stderr, flush=True)
                os.kill(os.getpid(), 11)
        if HOW == 'exit':
            os._exit(3)
        if HOW == 'hang':
            time.sleep(60)
        shape, data = arguments[0][0]
        if HOW == 'wrong_shape':
            return 0.0, [[('f32[77]', data)]]
        if HOW == 'wrong_size':
            return 0.0, [[(shape, data[:-1])]]
        if HOW == 'wrong_count':
            return 0.0, [[(shape, data), (shape, data)]]
        if HOW == 'wrong_devices':
            return 0.0, [[(shape, data)], [(shape, data)]]
        if HOW == 'throw':
            raise ValueError('no idea')
        return 0.25, [[device[0]] for device in arguments]


serve(Target())
