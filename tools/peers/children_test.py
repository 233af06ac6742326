#!/usr/bin/env python3
"""children.py with a target that ends itself: what is answered, and when the whole process ends."""
import json
import os
import signal
import subprocess
import sys
import time

SERVER = '''
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from children import serve_in_children

class Target:
    def hello(self):
        return {'name': str(os.getpid()), 'formats': ['hlo-text']}

    def compile(self, module_format, module):
        if module == b'end':
            os.kill(os.getpid(), signal.SIGKILL)
        return module

    def execute(self, compiled, arguments):
        return 0.0, [[]]

serve_in_children(Target, *map(int, sys.argv[2:]))
'''


class Server:
    def __init__(self, *options):
        requests, self.requests = os.pipe()
        responses, answers = os.pipe()
        self.answers = os.fdopen(responses, 'rb')
        environment = {**os.environ, 'ASSAY_REQUEST_FD': str(requests), 'ASSAY_RESPONSE_FD': str(answers)}
        self.process = subprocess.Popen([sys.executable, '-c', SERVER, os.path.dirname(os.path.abspath(__file__)), *options],
                                        env=environment, pass_fds=(requests, answers))
        os.close(requests)
        os.close(answers)
        hello = self.ask({'type': 'hello', 'protocol': 4, 'id': 1})
        assert hello['type'] == 'hello', hello
        self.child = int(hello['name'])

    def ask(self, request, payload=b''):
        os.write(self.requests, json.dumps(request).encode() + b'\n' + payload)
        line = self.answers.readline()
        return json.loads(line) if line else None

    def run(self, number, module):
        return self.ask({'type': 'run', 'id': number, 'format': 'hlo-text', 'module': len(module), 'executions': [0],
                         'sets': [{'arguments': [[]]}]}, module)

    def kill_waiting_child(self):
        """Ends the child by SIGKILL when it waits for a request."""
        while True:
            with open(f'/proc/{self.child}/stat', encoding='utf-8') as stat:
                if stat.read().rpartition(')')[2].split()[0] == 'S':
                    break
            time.sleep(0.01)
        os.kill(self.child, signal.SIGKILL)

    def status(self):
        os.close(self.requests)
        return self.process.wait(timeout=20)


server = Server()
for each in (2, 3):  # the first module of its child
    answer = server.run(each, b'end')
    assert answer['type'] == 'error' and answer['id'] == each and answer['kind'] == 'internal', answer
    assert answer['message'] == 'the process exited with code 137 (SIGKILL)', answer
assert server.run(4, b'well')['type'] == 'result'
assert server.run(5, b'end') is None  # another module was before it
assert server.status() == -signal.SIGKILL

server = Server()
assert server.run(2, b'well')['type'] == 'result'
assert server.status() == 0

server = Server('3')  # what other modules did before plays no part
for number, module in enumerate((b'well', b'end', b'end', b'well', b'well', b'well', b'well', b'end'), 2):
    answer = server.run(number, module)
    assert answer['id'] == number and answer['type'] == ('result' if module == b'well' else 'error'), answer
assert server.status() == 0
# A child that is ended after its answer is blamed on no module, and what is answered is not asked again.
for options in ((), ('3',)):
    server = Server(*options)
    for number in (2, 3):
        assert server.run(number, b'well')['type'] == 'result'
    server.kill_waiting_child()
    assert server.answers.readline() == b''
    assert server.status() == -signal.SIGKILL
print('ok')
