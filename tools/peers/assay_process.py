"""The process side of Assay's protocol for other implementations (docs/process_backend.md).

A program defines an object with these members and calls serve(it):

    hello()                      dict: name, version, formats, and optionally operations, types, devices
    compile(format, module)      any object that stands for the compiled module; `module` is bytes.
                                 It may have an attribute `devices` (default 1). With a third
                                 parameter `counts` it gets (replicas, partitions), which a
                                 serialised HloModuleProto does not say
    execute(compiled, arguments) arguments: for each device a list of (shape text, bytes);
                                 returns (seconds, results): for each device the same.
                                 It may be called several times for one compiled module

One whose modules may have infeeds and outfeeds has a member `feeds` that is true; then it is
execute(compiled, arguments, infeed), where infeed has the arrays that infeeds take, for each device in order, and
returns (seconds, results, outfeed), the same of what outfeeds give. Others are not asked such modules.

One that handles dynamic dimensions has a member `dynamic_sizes` that is true. An array whose shape has some (f32[<=4]) is
then (shape text, bytes, sizes) in both directions: the bytes are those of the bounds, the sizes the current ones, and what
lies outside of them has no meaning. Others are not asked modules that take or give such arrays.

One that has answers for certain arguments only has a member `executes_again` that is false: it is not asked for others.

One whose `execute` may be called from several threads at the same time for one compiled module has a member
`executes_at_once` that is true. Others are asked for one execution after the other.

Errors are raised as Refusal(kind, message); any other exception becomes an internal error.
"""
import concurrent.futures
import inspect
import json
import os
import sys
import tempfile
import traceback

PROTOCOL = 4
PROTOCOL_WITHOUT_FEEDS = 2  # of an older Assay, whose version 3 has feeds
FILE_THRESHOLD = 64 << 20


class Refusal(Exception):
    """kind: invalid, unsupported, exhausted or internal."""

    def __init__(self, kind, message):
        super().__init__(message)
        self.kind = kind


def _read_exactly(stream, count):
    data = stream.read(count)
    if len(data) != count:
        raise EOFError('the request stream ended in the middle of a payload')
    return data


def _read_devices(headers, requests):
    devices = []
    for leaves in headers:
        values = []
        for leaf in leaves:
            if 'file' in leaf:
                with open(leaf['file'], 'rb') as f:
                    data = f.read()
                os.remove(leaf['file'])
            else:
                data = _read_exactly(requests, leaf['bytes'])
            sized = 'sizes' in leaf
            values.append((leaf['shape'], data, leaf['sizes']) if sized else (leaf['shape'], data))
        devices.append(values)
    return devices


def _read_inputs(header, requests):
    arguments = _read_devices(header['arguments'], requests)
    return arguments, _read_devices(header.get('infeed', [[] for _ in arguments]), requests)


def _write_devices(devices):
    """The headers of each list of arrays, and the payload."""
    headers, payload = [], []
    for device in devices:
        row = []
        for shape, data, *sizes in device:
            header = {'shape': shape, 'bytes': len(data)}
            if sizes:
                header['sizes'] = list(sizes[0])
            if len(data) > FILE_THRESHOLD:
                fd, header['file'] = tempfile.mkstemp(prefix='assay-result-')
                with os.fdopen(fd, 'wb') as f:
                    f.write(data)
            else:
                payload.append(data)
            row.append(header)
        headers.append(row)
    return headers, b''.join(payload)


def serve(target, watch=lambda requests: requests):
    """Answers requests until Assay says bye or closes the channel. `watch` may stand before the stream of requests."""
    requests = watch(os.fdopen(int(os.environ['ASSAY_REQUEST_FD']), 'rb'))
    responses = os.fdopen(int(os.environ['ASSAY_RESPONSE_FD']), 'wb')
    compiled, next_handle = {}, 1
    feeds, dynamic_sizes = getattr(target, 'feeds', False), getattr(target, 'dynamic_sizes', False)
    executes_again, executes_at_once = getattr(target, 'executes_again', True), getattr(target, 'executes_at_once', False)
    wants_counts = len(inspect.signature(target.compile).parameters) > 2

    def answer(header, payload=b''):
        responses.write(json.dumps(header).encode() + b'\n' + payload)
        responses.flush()

    def compile_module(header, module):
        counts = header.get('replicas', 1), header.get('partitions', 1)
        return target.compile(header['format'], module, *([counts] if wants_counts else []))

    def execute(module, arguments, infeed):
        if feeds:
            return target.execute(module, arguments, infeed)
        return (*target.execute(module, arguments), [])

    def execute_all(module, inputs, at_once):
        """Of each execution, what execute returns; the last `at_once` of them run at the same time."""
        alone = len(inputs) - at_once
        results = [execute(module, *each) for each in inputs[:alone]]
        if at_once:
            with concurrent.futures.ThreadPoolExecutor(at_once) as threads:
                results += threads.map(lambda each: execute(module, *each), inputs[alone:])
        return results

    def answer_result(reply, executions):
        """executions: of each, what execute returns."""
        headers, payload = _write_devices([device for _, results, _ in executions for device in results])
        result = {**reply, 'type': 'result', 'seconds': min(seconds for seconds, _, _ in executions), 'results': headers}
        fed_out = [device for _, _, outfeed in executions for device in outfeed]
        if any(fed_out):
            result['outfeed'], more = _write_devices(fed_out)
            payload += more
        answer({**result, 'payload': len(payload)}, payload)

    while line := requests.readline():
        header = json.loads(line)
        kind, reply = header['type'], {'id': header.get('id')}
        try:
            if kind == 'hello':
                spoken = min(PROTOCOL, header['protocol'])
                if spoken == 3 and not feeds:
                    spoken = PROTOCOL_WITHOUT_FEEDS
                answer({**reply, 'type': 'hello', 'protocol': spoken, 'feeds': feeds, 'dynamic_sizes': dynamic_sizes,
                        'executes_again': executes_again, 'executes_at_once': executes_at_once, **target.hello()})
            elif kind == 'compile':
                module = _read_exactly(requests, header['payload'])
                compiled[next_handle] = compile_module(header, module)
                answer({**reply, 'type': 'compiled', 'handle': next_handle,
                        'devices': getattr(compiled[next_handle], 'devices', 1)})
                next_handle += 1
            elif kind == 'execute':
                inputs = _read_inputs(header, requests)
                if header['handle'] not in compiled:
                    raise Refusal('invalid', f'there is no module with handle {header["handle"]}')
                answer_result(reply, [execute(compiled[header['handle']], *inputs)])
            elif kind == 'run':
                module = _read_exactly(requests, header['module'])
                sets = [_read_inputs(each, requests) for each in header.get('sets', [header])]
                once = compile_module(header, module)
                order = header.get('executions') or [0] * header['repeat']
                answer_result(reply, execute_all(once, [sets[number] for number in order], header.get('at_once', 0)))
            elif kind == 'release':
                compiled.pop(header['handle'], None)
                answer({**reply, 'type': 'released'})
            elif kind == 'bye':
                return
            else:
                raise Refusal('unsupported', f'unknown request {kind}')
        except Refusal as refusal:
            answer({**reply, 'type': 'error', 'kind': refusal.kind, 'message': str(refusal)})
        except MemoryError:
            answer({**reply, 'type': 'error', 'kind': 'exhausted', 'message': 'out of memory'})
        except EOFError:
            raise
        except Exception as error:  # the request failed, the process has not
            traceback.print_exc(file=sys.stderr)
            answer({**reply, 'type': 'error', 'kind': 'internal',
                    'message': f'{type(error).__name__}: {error}'})
