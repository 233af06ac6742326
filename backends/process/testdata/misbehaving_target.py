"""A target that misbehaves in the way its argument names; for process_test.cc and containment_test.cc."""
import json
import os
import signal
import sys
import time

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


def misbehave(answer, header):
    """What an answer of the script has beside its members; @... says how it is given."""
    if '@sleep' in answer:
        time.sleep(60)
    if '@signal' in answer:
        os.kill(os.getpid(), answer['@signal'])
    if '@exit' in answer:
        os._exit(answer['@exit'])
    if '@close' in answer:
        os.close(int(os.environ['ASSAY_RESPONSE_FD']))
        time.sleep(60)
    if '@nested' in answer:  # so deep, in the member that @in names
        members = {key: value for key, value in answer.items() if not key.startswith('@')}
        deep = '[' * answer['@nested'] + ']' * answer['@nested']
        text = json.dumps({'id': header['id'], **members, answer['@in']: '@'})
        reply(text.replace('"@"', deep) + '\n')
        time.sleep(60)
    if '@raw' in answer:
        reply(answer['@raw'])
    if '@then_exit' in answer:
        os._exit(answer['@then_exit'])


if HOW == 'by_hand':  # answers as a file says, a line to each request, payloads read
    with open(sys.argv[2]) as f:
        ANSWERS = json.load(f)
    if isinstance(ANSWERS, dict):  # the first process that is started answers otherwise than those after it
        started = os.path.exists(sys.argv[2] + '.started')
        open(sys.argv[2] + '.started', 'w').close()
        ANSWERS = ANSWERS['later' if started else 'first']
    requests = os.fdopen(int(os.environ['ASSAY_REQUEST_FD']), 'rb')
    for answer in ANSWERS:
        header = json.loads(requests.readline())
        requests.read(header.get('payload', 0))
        misbehave(answer, header)
        if '@raw' in answer:
            continue
        payload = answer.pop('@payload', '')
        if 'id' not in answer and not answer.pop('@no_id', False):
            answer['id'] = header['id']
        answer.pop('@no_id', None)
        reply(json.dumps(answer) + '\n' + payload)
    while requests.readline() not in (b'', b'{"type":"bye"}\n'):
        pass
    os._exit(0)
if HOW == 'stubborn':  # nothing that is asked politely ends it
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    if os.fork() == 0:
        time.sleep(60)
    open(sys.argv[2], 'w').close()


sys.path.insert(0, os.path.join(os.path.dirname(__file__), '../../../tools/peers'))
from assay_process import Refusal, serve  # noqa: E402


class Target:
    """Gives back its first argument, with a defect; fed, it feeds out what came in."""

    feeds = HOW == 'feeds'

    def hello(self):
        if HOW == 'no_licence':
            raise Refusal('unsupported', 'no licence today')
        return {'name': 'misbehaving', 'version': '0', 'devices': 2,
                'formats': ['hlo-proto' if HOW == 'proto' else 'hlo-text']}

    def compile(self, module_format, module):
        if HOW in ('two_devices', 'feeds'):
            self.devices = 2
        if HOW == 'crash_in_compile':
            os.abort()
        if HOW == 'proto':
            if module_format != 'hlo-proto' or not module.startswith(b'\x0a'):
                raise Refusal('invalid', f'{module_format}: {module[:20]}')
        if HOW == 'refuse':
            raise Refusal('unsupported', 'not on a Saturday')
        return self

    def execute(self, compiled, arguments, infeed=None):
        if HOW == 'crash_once':
            marker = sys.argv[2]
            if not os.path.exists(marker):
                open(marker, 'w').close()
                print('about to fall', file=sys.stderr, flush=True)
                os.kill(os.getpid(), 11)
        if HOW == 'exit':
            os._exit(3)
        if HOW == 'greedy':
            bytearray(1 << 28)
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
        if HOW == 'feeds':
            return 0.25, [[device[0]] for device in arguments], infeed
        return 0.25, [[device[0]] for device in arguments]


serve(Target())
if HOW == 'stubborn':
    time.sleep(60)
if HOW == 'slow_bye':
    time.sleep(0.2)
    open(sys.argv[2], 'w').close()
