#!/usr/bin/env python3
"""Holds the parser and the printers of StableHLO text against MLIR's own (jaxlib's bindings).

usage: stablehlo_text.py TOOL [--source FOLDER] [--list]      TOOL is stablehlo_text_tool

Without --source: programs traced by JAX, as `lower(..).as_text()` prints them. With --source: every .mlir file below
FOLDER (StableHLO's own sources have 3,131), split at `// -----`. Of every text that MLIR reads and verifies,
  - the generic form and the pretty form that we print of our parse are read by MLIR again, and what it then prints in
    its generic form is, byte for byte, what it prints of the original: names, wiring of operands, types, every
    attribute, constants to the last bit;
  - we read what MLIR prints of it, pretty and generic, and print the same as before.
Texts that MLIR refuses we may accept; those that we refuse although MLIR accepts are counted as differences, but for
the reasons of ALLOWED. --list prints the differences.

Needs jax (peers.py). MLIR runs in child processes, since it aborts on some inputs.
"""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys

import peers

peers.need('jax')

# What is not StableHLO, though MLIR's bindings read it: parts of our messages.
ALLOWED = ('by branches are not part of StableHLO', "'cf.br'", "'cf.cond_br'", "'func.constant'", "'scf.", "'linalg.",
           "'func.call_indirect'", 'elements of this type are not supported')

CHILD = r'''
import re, sys
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo
from jax._src.interpreters import mlir as jax_mlir

context = jax_mlir.make_ir_context()
context.allow_unregistered_dialects = True
stablehlo.register_dialect(context)
LIMIT = 2000000000


def frame():
    line = sys.stdin.buffer.readline()
    return None if not line else sys.stdin.buffer.read(int(line))


def answer(*texts):
    parts = [text.encode() for text in texts]
    sys.stdout.buffer.write((' '.join(str(len(part)) for part in parts) + '\n').encode())
    for part in parts:
        sys.stdout.buffer.write(part)
    sys.stdout.buffer.flush()


while (text := frame()) is not None:
    with context:
        try:
            module = ir.Module.parse(text)
            generic = module.operation.get_asm(print_generic_op_form=True, large_elements_limit=LIMIT)
            answer(generic, module.operation.get_asm(large_elements_limit=LIMIT))
        except Exception as error:
            answer(str(error)[:400])
'''


class Child:
    """A process that answers frames; a fresh one after it died."""

    def __init__(self, command, read):
        self.command, self.read, self.process = command, read, None

    def ask(self, text):
        if self.process is None:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=subprocess.DEVNULL)
        data = text if isinstance(text, bytes) else text.encode()
        try:
            self.process.stdin.write(b'%d\n' % len(data) + data)
            self.process.stdin.flush()
            return self.read(self.process.stdout)
        except (BrokenPipeError, ValueError, IndexError):
            self.close()
            return None

    def close(self):
        if self.process is not None:
            self.process.kill()
            try:
                self.process.stdin.close()
            except BrokenPipeError:
                pass
            self.process.wait()
            self.process = None


def read_peer(stream):
    """(generic, pretty), or (message,)."""
    sizes = stream.readline().split()
    if not sizes:
        raise ValueError('the process ended')
    return tuple(stream.read(int(size)).decode(errors='surrogateescape') for size in sizes)


def read_ours(stream):
    words = stream.readline().split()
    parts = [stream.read(int(size)).decode(errors='surrogateescape') for size in words[1:]]
    return tuple(parts) if words[0] == b'ok' else (parts[0],)


def encode(text):
    return text.encode(errors='surrogateescape')


def normal(text):
    """MLIR numbers resources over a process, and knows no properties of dialects that it does not have."""
    text = re.sub(r'dense_resource<__elided__(_\d+)?>', 'dense_resource<__elided__>', text)
    return re.sub(r'^(.*"(?:check|interpreter)\.\w+"\([^)]*\)) <(\{.*\})>', r'\1 \2', text, flags=re.MULTILINE)


def check(peer, ours, text):
    """What is wrong with a text: a list of (what, detail); None where MLIR does not read it."""
    want = peer.ask(known_to_peer(text))
    if want is None or len(want) == 1:
        return None
    got = ours.ask(text)
    if got is None:
        return [('we abort', '')]
    if len(got) == 1:
        return [] if any(part in got[0] for part in ALLOWED) else [('we refuse it', got[0])]
    found = []
    foreign = re.search(r'"(check|interpreter)\.', want[0])
    for form, printed in zip(('generic', 'pretty'), got):
        if form == 'pretty' and foreign:
            continue
        back = peer.ask(encode(printed))
        if back is None or len(back) == 1:
            found.append((f'MLIR does not read our {form} form', back[0] if back else 'it aborts'))
        elif normal(back[0]) != normal(want[0]):
            found.append((f'our {form} form means something else', first_difference(normal(want[0]), normal(back[0]))))
    for form, printed in zip(('generic', 'pretty'), want):
        # The pretty form leaves out what is a default, and some that MLIR prints it does not read.
        means = peer.ask(encode(printed))
        if means is None or len(means) == 1:
            continue
        again = ours.ask(encode(printed))
        if again is None or len(again) == 1:
            found.append((f'we do not read MLIR\'s {form} form', again[0] if again else 'we abort'))
            continue
        back = peer.ask(encode(again[0])) or ('it aborts',)
        if normal(back[0]) != normal(means[0]):
            found.append((f'MLIR\'s {form} form reads differently', first_difference(normal(means[0]), normal(back[0]))))
    return found


def first_difference(a, b):
    for left, right in zip(a.splitlines(), b.splitlines()):
        if left != right:
            return f'- {left.strip()[:300]}\n+ {right.strip()[:300]}'
    return 'one has more lines'


def known_to_peer(text):
    """The generic form of operations of StableHLO's test dialects, whose own forms MLIR's bindings do not know."""
    text = re.sub(rb'^(\s*)check\.(expect_(?:almost_)?eq_const) (%[\w#]+), (dense.*?) : (tensor<.*>)\s*$',
                  rb'\1"check.\2"(\3) {value = \4 : \5} : (\5) -> ()', text, flags=re.MULTILINE)
    text = re.sub(rb'^(\s*)check\.(expect_(?:almost_)?eq) (%[\w#]+), (%[\w#]+) : (tensor<.*>)\s*$',
                  rb'\1"check.\2"(\3, \4) : (\5, \5) -> ()', text, flags=re.MULTILINE)
    return re.sub(rb'^(\s*)check\.expect_close (%[\w#]+), (%[\w#]+), max_ulp_difference = (\d+) : '
                  rb'(tensor<.*>), (tensor<.*>)\s*$',
                  rb'\1"check.expect_close"(\2, \3) {max_ulp_difference = \4 : ui64} : (\5, \6) -> ()', text,
                  flags=re.MULTILINE)


def chunks_of(folder):
    for root, _, files in sorted(os.walk(folder)):
        for name in sorted(files):
            if name.endswith('.mlir'):
                path = os.path.join(root, name)
                with open(path, 'rb') as file:
                    for number, chunk in enumerate(re.split(rb'^[ \t]*// -----[ \t]*$', file.read(), flags=re.MULTILINE)):
                        yield f'{os.path.relpath(path, folder)}#{number}', chunk


def traced_programs():
    """Texts of JAX programs: elementwise functions, control flow, reductions, contractions, gathers, random bits."""
    os.environ.setdefault('JAX_PLATFORMS', 'cpu')
    import jax
    import jax.numpy as jnp
    from jax import lax
    x, y = jnp.ones((4, 6)), jnp.ones((6, 4))
    image, kernel = jnp.ones((1, 8, 8, 3)), jnp.ones((3, 3, 3, 4))
    programs = {
        'elementwise': lambda: jnp.tanh(x) * jnp.exp(x) + lax.rsqrt(x) - jnp.where(x > 0, x, -x),
        'special': lambda: lax.erf(x) + lax.lgamma(x) + lax.digamma(x) + jnp.arcsinh(x) + jnp.sinh(x),
        'integers': lambda: lax.population_count(jnp.arange(5)) ^ (jnp.arange(5) << 2),
        'complex': lambda: jnp.abs(lax.complex(x, x) * jnp.conj(lax.complex(x, -x))),
        'narrow': lambda: (x.astype(jnp.bfloat16) + 1).astype(jnp.float8_e4m3fn).astype(jnp.int4),
        'nan and infinities': lambda: x + jnp.asarray([jnp.nan, jnp.inf, -jnp.inf, -0.0, 1e-45, 0.1]),
        'constants': lambda: x + jnp.asarray(jnp.arange(24).reshape(4, 6) / 7),
        'large constant': lambda: jnp.asarray((jnp.arange(1000) * 7 % 13) > 5),
        'reductions': lambda: (x.sum(0), x.max(), jnp.argmax(x, 1), jnp.cumsum(x, 1), jnp.prod(x)),
        'contraction': lambda: jnp.einsum('ij,jk->ik', x, y, precision='highest') @ x,
        'batched': lambda: jax.vmap(jnp.dot)(jnp.ones((3, 4, 5)), jnp.ones((3, 5, 6))),
        'convolution': lambda: lax.conv_general_dilated(image, kernel, (2, 1), [(1, 2), (0, 1)], lhs_dilation=(1, 2),
                                                        dimension_numbers=('NHWC', 'HWIO', 'NHWC')),
        'pooling': lambda: lax.reduce_window(image, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), 'SAME'),
        'pooling gradient': lambda: jax.grad(lambda a: lax.reduce_window(
            a, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), 'VALID').sum())(image),
        'loop': lambda: lax.fori_loop(0, 5, lambda i, c: c * 1.5 + i, x),
        'scan': lambda: lax.scan(lambda c, a: (c + a, c * a), x[0], x),
        'branches': lambda: lax.cond(x.sum() > 3, jnp.sin, jnp.cos, x),
        'switch': lambda: lax.switch(jnp.int32(2), [jnp.sin, jnp.cos, jnp.tan], x),
        'gather': lambda: x[jnp.asarray([0, 2]), jnp.asarray([1, 3])],
        'scatter': lambda: x.at[jnp.asarray([0, 2])].add(1.0).at[1, 2].set(7),
        'slices': lambda: lax.dynamic_update_slice(x, lax.dynamic_slice(x, (1, 2), (2, 2)), (0, 0))[::2, 1:3],
        'pad': lambda: lax.pad(x, 0.0, ((1, -1, 0), (0, 2, 1))),
        'sort': lambda: (jnp.sort(x, 0), jnp.argsort(x, 1), lax.sort_key_val(x, x), lax.top_k(x, 2)),
        'random': lambda: jax.random.normal(jax.random.key(0), (3, 3)),
        'fft': lambda: jnp.fft.irfft(jnp.fft.rfft(x)),
        'linear algebra': lambda: jnp.linalg.cholesky(x @ x.T),
        'solve': lambda: lax.linalg.triangular_solve(x[:, :4], x[:, :4], lower=True),
        'gradient': lambda: jax.grad(lambda a: jnp.sum(jax.nn.gelu(a) @ y))(x),
        'checkpoint': lambda: jax.grad(lambda a: jax.checkpoint(jnp.sin)(a).sum())(x),
        'reduce precision': lambda: lax.reduce_precision(x, 5, 10),
    }
    for name, function in programs.items():
        lowered = jax.jit(function).lower()
        yield name, lowered.as_text().encode()
        yield f'{name}, with locations', lowered.as_text(debug_info=True).encode()
    mesh = jax.sharding.Mesh(jax.devices()[:1], 'a')
    spec = jax.sharding.PartitionSpec('a')
    body = jax.shard_map(lambda a: lax.psum(a, 'a'), mesh=mesh, in_specs=spec, out_specs=jax.sharding.PartitionSpec())
    yield 'manual sharding', jax.jit(body).lower(x).as_text().encode()


def check_part(tool, part):
    peer, ours = Child([sys.executable, '-c', CHILD], read_peer), Child([tool], read_ours)
    try:
        return [(name, check(peer, ours, text)) for name, text in part]
    finally:
        peer.close()
        ours.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('tool')
    parser.add_argument('--source')
    parser.add_argument('--list', action='store_true')
    parser.add_argument('--refused', action='store_true', help='print what MLIR says of the texts that it refuses')
    parser.add_argument('--jobs', type=int, default=1)
    options = parser.parse_args()
    texts = list(chunks_of(options.source) if options.source else traced_programs())
    parts = [texts[i::options.jobs] for i in range(options.jobs)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = [result for part in pool.map(lambda part: check_part(options.tool, part), parts) for result in part]
    read = [(name, found) for name, found in results if found is not None]
    wrong = [(name, found) for name, found in read if found]
    for name, found in sorted(wrong) if options.list or not options.source else []:
        for what, detail in found:
            print(f'{name}: {what}\n  {detail}')
    if options.refused:
        peer = Child([sys.executable, '-c', CHILD], read_peer)
        for (name, found), text in zip(results, (text for part in parts for _, text in part)):
            if found is None:
                print(name, (peer.ask(known_to_peer(text)) or ('it aborts',))[0].replace('\n', ' ')[:200])
        peer.close()
    print(f'{len(texts)} texts, of which MLIR reads {len(read)}; {len(wrong)} of these differ')
    if not read:
        sys.exit('nothing was compared')
    sys.exit(1 if wrong else 0)


if __name__ == '__main__':
    main()
