"""Drives headless Chromium over its own pipe (the DevTools protocol; no package is needed).

with Browser('chromium') as browser: browser.open(url); browser.value('document.title'); browser.picture('page.png')
"""
import base64
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time


class Browser:
    def __init__(self, program):
        self.folder = tempfile.mkdtemp()
        reading, self.output = os.pipe()
        self.input, writing = os.pipe()
        # Chromium reads commands from descriptor 3 and writes to 4.
        arguments = [program, '--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--hide-scrollbars',
                     '--no-first-run', '--disable-extensions', f'--user-data-dir={self.folder}', '--remote-debugging-pipe']
        self.process = subprocess.Popen(['sh', '-c', f'exec "$@" 3<&{reading} 4>&{writing}', 'sh', *arguments], pass_fds=(reading, writing),
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(reading)
        os.close(writing)
        self.buffer, self.number, self.session = b'', 0, None
        self.events = []
        target = self.call('Target.createTarget', url='about:blank')['targetId']
        self.session = self.call('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        for domain in ('Page', 'Runtime', 'Log', 'Network'):
            self.call(domain + '.enable')

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.input)
        os.close(self.output)
        shutil.rmtree(self.folder, ignore_errors=True)

    def message(self):
        while b'\0' not in self.buffer:
            piece = os.read(self.input, 1 << 20)
            if not piece:
                raise RuntimeError('Chromium ended')
            self.buffer += piece
        text, _, self.buffer = self.buffer.partition(b'\0')
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        command = {'id': self.number, 'method': method, 'params': parameters}
        if self.session:
            command['sessionId'] = self.session
        os.write(self.output, json.dumps(command).encode() + b'\0')
        while True:
            message = self.message()
            if message.get('id') == self.number:
                if 'error' in message:
                    raise RuntimeError(f'{method}: {message["error"]}')
                return message['result']
            self.events.append(message)

    def named(self, method):
        return [event['params'] for event in self.events if event.get('method') == method]

    def open(self, url):
        """Loads a page and waits until its scripts have run; the events are those of this page."""
        self.events = []
        self.call('Page.navigate', url=url)
        while not self.named('Page.loadEventFired'):
            self.events.append(self.message())

    def value(self, expression):
        result = self.call('Runtime.evaluate', expression=expression, returnByValue=True, awaitPromise=True)
        if 'exceptionDetails' in result:
            raise RuntimeError(f'{expression}: {result["exceptionDetails"]}')
        return result['result'].get('value')

    def wait(self, expression, limit=20):
        end = time.monotonic() + limit
        while not self.value(expression):
            if time.monotonic() > end:
                raise RuntimeError(f'never true: {expression}')
            time.sleep(0.02)

    def key(self, name, text=None):
        codes = {'Enter': 13, 'Escape': 27, 'End': 35, 'Home': 36, 'ArrowLeft': 37, 'ArrowUp': 38, 'ArrowRight': 39, 'ArrowDown': 40}
        extra = {'text': text} if text else {'windowsVirtualKeyCode': codes[name]}
        self.call('Input.dispatchKeyEvent', type='keyDown', key=name, **extra)
        self.call('Input.dispatchKeyEvent', type='keyUp', key=name)

    def complaints(self):
        """What the console shows of errors, and every request beside that of the page itself."""
        errors = [event['exceptionDetails']['text'] for event in self.named('Runtime.exceptionThrown')]
        errors += [event['entry']['text'] for event in self.named('Log.entryAdded')]
        errors += [str(event['args']) for event in self.named('Runtime.consoleAPICalled')]
        requests = [event['request']['url'] for event in self.named('Network.requestWillBeSent')]
        return errors + requests[1:]

    def screen(self, width, height, dark=False):
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': 'dark' if dark else 'light'}])

    def picture(self, path):
        with open(path, 'wb') as file:
            file.write(base64.b64decode(self.call('Page.captureScreenshot', format='png')['data']))
