#!/usr/bin/env python3
"""What the host gives to runs and takes from them, in files, and modules that run together.

usage: feeds_cli_test.py ASSAY SOURCE_DIR
Expected results are worked out by hand. Arrays are scalars of s32, written by hand as .npy files.
"""
import json
import os
import struct
import sys
import zipfile

from cli_testing import SOURCE, CommandLineTest, assay, main, npy

SUM_OF_TWO = '''HloModule sum
ENTRY e {
  now = token[] after-all()
  a = (s32[], token[]) infeed(now)
  x = s32[] get-tuple-element(a), index=0
  t = token[] get-tuple-element(a), index=1
  b = (s32[], token[]) infeed(t)
  y = s32[] get-tuple-element(b), index=0
  z = s32[] add(x, y)
  o = token[] outfeed(z, now), outfeed_shape=s32[]
  ROOT r = s32[] multiply(x, y)
}
'''
PRODUCER = '''HloModule producer
ENTRY e {
  x = s32[] parameter(0)
  now = token[] after-all()
  s = (s32[], u32[], token[]) send(x, now), channel_id=1
  d = token[] send-done(s), channel_id=1
  ROOT y = s32[] negate(x)
}
'''
CONSUMER = '''HloModule consumer
ENTRY e {
  x = s32[] parameter(0)
  now = token[] after-all()
  s = (s32[], u32[], token[]) recv(now), channel_id=1
  d = (s32[], token[]) recv-done(s), channel_id=1
  y = s32[] get-tuple-element(d), index=0
  ROOT z = s32[] multiply(x, y)
}
'''
HOST = '''HloModule host
ENTRY e {
  now = token[] after-all()
  from = (s32[], u32[], token[]) recv(now), channel_id=3, is_host_transfer=true
  got = (s32[], token[]) recv-done(from), channel_id=3, is_host_transfer=true
  x = s32[] get-tuple-element(got), index=0
  to = (s32[], u32[], token[]) send(x, now), channel_id=4, is_host_transfer=true, frontend_attributes={_xla_host_transfer_rendezvous="copy"}
  sent = token[] send-done(to), channel_id=4, is_host_transfer=true
  ROOT r = s32[] negate(x)
}
'''
DYNAMIC = '''HloModule dynamic
ENTRY e {
  x = s32[4] parameter(0)
  n = s32[] constant(2)
  ROOT y = s32[<=4] set-dimension-size(x, n), dimensions={0}
}
'''


def integers(values, shape=()):
    values = values if shape else [values]
    return npy('<i4', shape, struct.pack(f'<{len(values)}i', *values))


# The result is what came in first, what it feeds out what came after.
FEEDING = '''
import sys
sys.path.insert(0, 'PEERS')
from assay_process import serve


class Target:
    feeds, devices = True, 2

    def hello(self):
        return {'name': 'feeding', 'version': '1', 'formats': ['hlo-text'], 'devices': 2}

    def compile(self, module_format, module):
        return self

    def execute(self, compiled, arguments, infeed):
        return 0.0, [queue[:1] for queue in infeed], [queue[1:] for queue in infeed]


serve(Target())
'''


class FeedsTest(CommandLineTest):
    def arrays(self, name, **values):
        return self.archive(name, {key: value if isinstance(value, bytes) else integers(value)
                                   for key, value in values.items()})

    def read(self, path):
        with zipfile.ZipFile(path) as archive:
            return {name[:-4]: list(struct.unpack(f'<{(len(data) - 128) // 4}i', data[128:]))
                    for name, data in ((name, archive.read(name)) for name in archive.namelist())}

    def run_assay(self, *arguments, code=0):
        return self.expect(assay('run', *arguments), code)

    def test_infeed_and_outfeed(self):
        module = self.path('sum.hlo', SUM_OF_TWO)
        infeed = self.arrays('in.npz', infeed0=3, infeed1=4)
        result = self.run_assay(module, '--infeed', infeed)
        self.assertEqual(result.out, 'out0 = s32[] 12\noutfeed0 = s32[] 7\n')
        self.assertEqual(result.err, '')
        report = json.loads(self.run_assay(module, '--infeed', infeed, '--json').out)
        self.assertEqual(report['outfeed'], [{'name': 'outfeed0', 'shape': 's32[]', 'value': '7'}])
        out = self.path('out.npz')
        self.assertEqual(self.run_assay(module, '--infeed', infeed, '--outfeed', out).out, 'out0 = s32[] 12\n')
        self.assertEqual(self.read(out), {'outfeed0': [7]})

    def test_processes_have_queues_of_their_own(self):
        module = self.path('sum.hlo', SUM_OF_TWO)
        infeed = self.arrays('in.npz', **{'infeed0.dev0': 1, 'infeed1.dev0': 2, 'infeed0.dev1': 5, 'infeed1.dev1': 6})
        out = self.path('out.npz')
        result = self.run_assay(module, '--replicas', '2', '--infeed', infeed, '--outfeed', out)
        self.assertEqual(result.out, 'out0.dev0 = s32[] 2\nout0.dev1 = s32[] 30\n')
        self.assertEqual(self.read(out), {'outfeed0.dev0': [3], 'outfeed0.dev1': [11]})
        both = self.arrays('both.npz', infeed0=1, infeed1=2)
        self.assertIn('out0.dev1 = s32[] 2\n', self.run_assay(module, '--replicas', '2', '--infeed', both).out)

    def test_bad_feeds(self):
        module = self.path('sum.hlo', SUM_OF_TWO)
        for arrays, words in (
                ({'infeed0': 3}, 'infeed exhausted at item 1'),
                ({}, 'infeed exhausted at item 0'),
                ({'infeed0': integers([1, 2], (2,)), 'infeed1': 1}, 'array 0 is s32[2], but s32[] is wanted'),
                ({'infeed1': 3}, 'the array infeed0 is missing'),
                ({'arg0': 3}, 'not infeedN'),
                ({'infeed': 3}, 'is not named'),
                ({'infeed0.dev0': 3, 'infeed1': 3}, 'named for a device'),
                ({'infeed0.dev4': 3}, 'arrays for device 4')):
            with self.subTest(words):
                infeed = self.arrays('in.npz', **arrays)
                self.assertIn(words, self.run_assay(module, '--infeed', infeed, code=2).err)
        infeed = self.arrays('in.npz', infeed0=3, infeed1=4, infeed2=5)
        result = self.run_assay(module, '--infeed', infeed)
        self.assertIn('warning: 1 arrays of infeed data were not taken', result.err)
        self.assertIn('more than once', self.run_assay(module, '--infeed', infeed, '--repeat', '2', code=2).err)

    def test_another_backend(self):
        module = self.path('sum.hlo', SUM_OF_TWO)
        script = self.path('target.py', FEEDING.replace('PEERS', os.path.join(SOURCE, 'tools', 'peers')))
        target = ('--replicas', '2', '--backend', f'process:{sys.executable} {script}')
        infeed = self.arrays('in.npz', **{'infeed0.dev0': 1, 'infeed1.dev0': 2, 'infeed0.dev1': 5, 'infeed1.dev1': 6})
        result = self.run_assay(module, *target, '--infeed', infeed)
        self.assertEqual(result.out, 'out0.dev0 = s32[] 1\nout0.dev1 = s32[] 5\n'
                         'outfeed0.dev0 = s32[] 2\noutfeed0.dev1 = s32[] 6\n')
        out = self.path('out.npz')
        self.run_assay(module, *target, '--infeed', infeed, '--outfeed', out)
        self.assertEqual(self.read(out), {'outfeed0.dev0': [2], 'outfeed0.dev1': [6]})
        self.assertIn('golden interpreter', self.run_assay(module, *target, '--host-recv', infeed, code=2).err)

    def test_order_of_feeds(self):
        module = self.path('m.hlo', SUM_OF_TWO.replace('infeed(t)', 'infeed(now)'))
        infeed = self.arrays('in.npz', infeed0=3, infeed1=4)
        self.assertIn('no path between', self.run_assay(module, '--infeed', infeed).err)

    def test_host_transfers(self):
        module = self.path('host.hlo', HOST)
        given, taken = self.arrays('given.npz', **{'3.0': 21}), self.path('taken.npz')
        result = self.run_assay(module, '--host-recv', given, '--host-send', taken)
        self.assertEqual(result.out, 'out0 = s32[] -21\n')
        self.assertEqual(self.read(taken), {'copy.0': [21]})
        self.assertIn('under the key copy', self.run_assay(module, '--host-recv', given, code=2).err)
        self.assertIn('under the key 3', self.run_assay(module, '--host-send', taken, code=2).err)

    def test_together(self):
        producer, consumer = self.path('p.hlo', PRODUCER), self.path('c.hlo', CONSUMER)
        inputs = ['--inputs', self.arrays('p.npz', arg0=6), '--inputs', self.arrays('c.npz', arg0=7)]
        result = self.run_assay(producer, consumer, '--together', *inputs)
        self.assertEqual(result.out, 'producer:\nout0 = s32[] -6\nconsumer:\nout0 = s32[] 42\n')
        report = json.loads(self.run_assay(producer, consumer, '--together', *inputs, '--json').out)
        self.assertEqual([p['module'] for p in report['programs']], ['producer', 'consumer'])
        self.assertEqual(report['programs'][1]['results'][0]['value'], '42')
        outs = [self.path('po.npz'), self.path('co.npz')]
        self.run_assay(producer, consumer, '--together', *inputs, '--out', outs[0], '--out', outs[1])
        self.assertEqual([self.read(out)['out0'] for out in outs], [[-6], [42]])
        expected = ['--expect', outs[0], '--expect', outs[1]]
        self.run_assay(producer, consumer, '--together', *inputs, *expected)
        swapped = ['--expect', outs[1], '--expect', outs[0]]
        self.run_assay(producer, consumer, '--together', *inputs, *swapped, code=1)

    def test_together_goes_wrong(self):
        producer, consumer = self.path('p.hlo', PRODUCER), self.path('c.hlo', CONSUMER)
        inputs = ['--inputs', self.arrays('p.npz', arg0=6)]
        self.assertIn('--together', self.run_assay(producer, consumer, *inputs, code=2).err)
        self.assertIn('given 1 times for 2', self.run_assay(producer, consumer, '--together', *inputs, code=2).err)
        alone = self.run_assay(consumer, *inputs, code=2).err
        self.assertIn('deadlock', alone)
        self.assertIn('no device has sent on channel 1', alone)
        self.assertIn('never received', self.run_assay(producer, *inputs, code=2).err)
        twice = self.run_assay(consumer, consumer, '--together', *inputs, *inputs, code=2).err
        self.assertIn('program 1 (consumer)', twice)
        self.assertIn('given 2 times', self.run_assay(producer, *inputs, *inputs, code=2).err)

    def test_sends_that_wait(self):
        # Both send before they receive: a cycle by the order that the documents give a channel's instructions.
        exchange = '''HloModule exchange%d
ENTRY e {
  x = s32[] constant(%d)
  now = token[] after-all()
  s = (s32[], u32[], token[]) send(x, now), channel_id=%d
  d = token[] send-done(s), channel_id=%d
  r = (s32[], u32[], token[]) recv(d), channel_id=%d
  g = (s32[], token[]) recv-done(r), channel_id=%d
  ROOT y = s32[] get-tuple-element(g), index=0
}
'''
        first = self.path('first.hlo', exchange % (1, 10, 1, 1, 2, 2))
        second = self.path('second.hlo', exchange % (2, 20, 2, 2, 1, 1))
        self.assertEqual(self.run_assay(first, second, '--together').out,
                         'exchange1:\nout0 = s32[] 20\nexchange2:\nout0 = s32[] 10\n')
        stuck = self.run_assay(first, second, '--together', '--sends-wait', code=2).err
        self.assertIn('deadlock', stuck)
        self.assertIn('no device has begun to receive on channel 2', stuck)
        producer, consumer = self.path('p.hlo', PRODUCER), self.path('c.hlo', CONSUMER)
        inputs = ['--inputs', self.arrays('p.npz', arg0=6), '--inputs', self.arrays('c.npz', arg0=7)]
        self.assertEqual(self.run_assay(producer, consumer, '--together', '--sends-wait', *inputs).out,
                         'producer:\nout0 = s32[] -6\nconsumer:\nout0 = s32[] 42\n')

    def test_no_replicas(self):
        module = self.path('m.hlo', PRODUCER.replace('HloModule producer', 'HloModule producer, replica_count=0'))
        self.assertIn('at least one replica', self.run_assay(module, '--inputs', 'random', code=2).err)

    def test_results_have_their_current_sizes(self):
        module = self.path('d.hlo', DYNAMIC)
        inputs = self.arrays('a.npz', arg0=integers([1, 2, 3, 4], (4,)))
        out = self.path('out.npz')
        self.assertEqual(self.run_assay(module, '--inputs', inputs).out, 'out0 = s32[2]{0} {1, 2}\n')
        self.run_assay(module, '--inputs', inputs, '--out', out)
        self.assertEqual(self.read(out), {'out0': [1, 2]})
        self.run_assay(module, '--inputs', inputs, '--expect', out)
        other = self.arrays('three.npz', out0=integers([1, 2, 3], (3,)))
        result = self.run_assay(module, '--inputs', inputs, '--expect', other, code=2)
        self.assertIn('s32[2] and s32[3] cannot be compared', result.err)


if __name__ == '__main__':
    main()
