"""A target that misbehaves in the way its argument names; for process_test.cc."""
import json
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
    reply('{"type":"hello","id":1,"protocol":99,"formats":["hlo-text"]}\n')
    time.sleep(60)
if HOW == 'chatty':  # prints more than a pipe holds before it answers
    print('noise\n' * 100000, flush=True)
    print('more noise\n' * 100000, file=sys.stderr, flush=True)


if HOW == 'shell_ends':  # a grandchild that holds the channel
    time.sleep(60)
if HOW == 'by_hand':  # answers as a file says, a line to each request, payloads read
    with open(sys.argv[2]) as f:
        ANSWERS = json.load(f)
    requests = os.fdopen(int(os.environ['ASSAY_REQUEST_FD']), 'rb')
    for answer in ANSWERS:
        header = json.loads(requests.readline())
        requests.read(header.get('payload', 0))
        if '@sleep' in answer:
            time.sleep(60)
        payload = answer.pop('@payload', '')
        if 'id' not in answer and not answer.pop('@no_id', False):
            answer['id'] = header['id']
        answer.pop('@no_id', None)
        reply(json.dumps(answer) + '\n' + payload)
    time.sleep(60)


class Target:
    """Gives back its first argument, with a defect."""

    def hello(self):
        if HOW == 'no_licence':
            raise Refusal('unsupported', 'no licence today')
        return {'name': 'misbehaving', 'version': '0', 'devices': 2,
                'formats': ['hlo-proto' if HOW == 'proto' else 'hlo-text']}

    def compile(self, module_format, module):
        if HOW == 'two_devices':
            self.devices = 2
        if HOW == 'crash_in_compile':
            os.abort()
        if HOW == 'proto':
            if module_format != 'hlo-proto' or not module.startswith(b'\x0a'):
                raise Refusal('invalid', f'{module_format}: {module[:20]}')
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
if HOW == 'slow_bye':
    time.sleep(0.2)
    open(sys.argv[2], 'w').close()
